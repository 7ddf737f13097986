//! Once buffers have grown, a step allocates nothing.

#![allow(unsafe_code, reason = "an allocator that counts")]

mod common;

use common::{dfsph, iisph, map_bodies, pcisph, tank_setup, wcsph};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{Setup, Simulation};
use meniscus_sph::PressureChoice;
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

fn dam(pressure: PressureChoice) -> Setup {
    let (tank, water) = (DVec3::new(0.8, 0.6, 0.6), DVec3::new(0.4, 0.4, 0.6));
    tank_setup(Dimension::Three, 0.02, tank, water, pressure)
}

fn check(setup: Setup, name: &str) {
    let mut simulation = Simulation::new(setup).unwrap();
    for _ in 0..60 {
        simulation.step().unwrap();
    }
    // Buffers of rows still grow now and then, while the fluid spreads: the median step does not.
    let mut steps: Vec<(usize, usize)> = Vec::with_capacity(41);
    for _ in 0..41 {
        let before = (BYTES.load(Ordering::Relaxed), CALLS.load(Ordering::Relaxed));
        simulation.step().unwrap();
        let after = (BYTES.load(Ordering::Relaxed), CALLS.load(Ordering::Relaxed));
        steps.push((after.0 - before.0, after.1 - before.1));
    }
    steps.sort_unstable();
    let (bytes, calls) = steps[steps.len() / 2];
    let most = steps.last().copied().unwrap_or_default();
    println!("{name}: {bytes} bytes in {calls} calls, at most {} in {}", most.0, most.1);
    assert_eq!((bytes, calls), (0, 0), "{name}: half of the steps allocate");
}

#[test]
fn steps_allocate_nothing() {
    check(dam(dfsph(1e-3)), "dfsph");
    check(dam(iisph(1e-3)), "iisph");
    check(dam(pcisph(1e-3)), "pcisph");
    check(dam(wcsph(25.0)), "wcsph");
    let mut mapped = dam(dfsph(1e-3));
    map_bodies(&mut mapped);
    check(mapped, "dfsph with maps");
}
