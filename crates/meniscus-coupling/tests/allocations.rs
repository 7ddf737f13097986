//! Once buffers have grown, a step allocates nothing.

#![allow(unsafe_code, reason = "an allocator that counts")]

use meniscus_testkit::solver::{Solver, all, dfsph};
use meniscus_testkit::{Result, Tank};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        CALLS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn dam(solver: &Solver) -> Tank {
    let tank = Tank::space(0.02).width(0.8).across(0.6).height(0.6).closed().dam(0.4).depth(0.4);
    tank.solver(solver.strict()).viscosity("none").longest_step(2e-3)
}

fn check(tank: &Tank, name: &str) -> Result<()> {
    let mut run = tank.start()?;
    run.steps(60)?;
    // Buffers of rows still grow now and then, while the fluid spreads: the median step does not.
    let mut steps: Vec<(usize, usize)> = Vec::with_capacity(41);
    for _ in 0..41 {
        let before = (BYTES.load(Ordering::Relaxed), CALLS.load(Ordering::Relaxed));
        run.step()?;
        let after = (BYTES.load(Ordering::Relaxed), CALLS.load(Ordering::Relaxed));
        steps.push((after.0 - before.0, after.1 - before.1));
    }
    steps.sort_unstable();
    let (bytes, calls) = steps[steps.len() / 2];
    let most = steps.last().copied().unwrap_or_default();
    println!("{name}: {bytes} bytes in {calls} calls, at most {} in {}", most.0, most.1);
    assert_eq!((bytes, calls), (0, 0), "{name}: half of the steps allocate");
    Ok(())
}

#[test]
fn steps_allocate_nothing() -> Result<()> {
    for solver in all(1e-3, 25.0) {
        check(&dam(&solver), solver.name())?;
    }
    check(&dam(&dfsph(1e-3)).felt_by("density-map"), "dfsph with maps")
}
