//! Probe.
mod common;
use common::*;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_coupling::{Setup, Simulation};
use meniscus_sph::force::ViscosityParams;
const SPACING: f64 = 0.01;
fn end(setup: Setup) -> Vec<(Vec<DVec3>, u32, u32, f64)> {
    let mut s = Simulation::new(setup).unwrap();
    let mut out = vec![];
    for _ in 0..50 {
        let r = s.step().unwrap();
        out.push((s.frame(0).position, r.pressure.sweeps, r.divergence.sweeps, r.dt));
    }
    out
}
#[test]
fn probe() {
    for (name, pressure) in [("dfsph", dfsph(1e-3)), ("dfsph5", dfsph(1e-5)), ("wcsph", wcsph(20.0))] {
        for dimension in [Dimension::Two, Dimension::Three] {
            let (tank, water) = match dimension {
                Dimension::Two => (DVec3::new(0.4, 0.3, 1.0), DVec3::new(0.16, 0.2, 1.0)),
                Dimension::Three => (DVec3::new(0.2, 0.15, 0.08), DVec3::new(0.08, 0.1, 0.08)),
            };
            let mut setup = tank_setup(dimension, SPACING, tank, water, pressure);
            setup.on_failure = meniscus_coupling::OnFailure::Accept;
            setup.viscosity = ViscosityParams::Artificial { coefficient: 0.1, signal_speed: 20.0 };
            let here = end(setup.clone());
            let flat = if dimension == Dimension::Two { DVec3::new(1.0, 1.0, 0.0) } else { DVec3::ONE };
            for offset in [1e-9, 1e-7, 1.0, 100.0, 100.00123] {
                let offset = offset * DVec3::new(1.0, 1.0, -1.0) * flat;
                let mut moved = setup.clone();
                translate(&mut moved, offset);
                let there = end(moved);
                print!("{name} {dimension:?} {:e}:", offset.x);
                for k in [0, 1, 2, 3, 5, 9, 19, 29, 39, 49] {
                    let d: Vec<f64> = here[k].0.iter().zip(&there[k].0).map(|(a, b)| (*b - offset - *a).length()).collect();
                    let worst = (0..d.len()).max_by(|&a, &b| d[a].total_cmp(&d[b])).unwrap();
                    print!(" [{} {:.1e} p{} {}+{}/{}+{}]", k + 1, d[worst] / SPACING, worst, here[k].1, here[k].2, there[k].1, there[k].2);
                }
                println!();
            }
        }
    }
}
