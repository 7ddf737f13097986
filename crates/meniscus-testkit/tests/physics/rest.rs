//! Water at rest: the pressure is ρ g (H − y), walls carry the weight, and nothing moves.

use meniscus_core::Dimension;
use meniscus_testkit::solver::{Solver, dfsph, iisph, pcisph, wcsph};
use meniscus_testkit::{GRAVITY, Result, SOLVERS, Tank, WATER, below, exactly, law, near, seen};

/// A closed tank whose water calms down, with these particles `[m]`, wide and deep `[m]`.
fn tank(dimension: Dimension, spacing: f64, width: f64, height: f64, solver: &Solver) -> Tank {
    let tank = Tank::new(dimension, spacing).width(width).height(height).closed().solver(solver);
    tank.viscosity(r#"{ method = "artificial", coefficient = 0.3 }"#).longest_step(2e-3)
}

/// Tolerances with which all solvers calm down: DFSPH solves to the end and needs a small one; the others calm down on
/// a small compression that carries the weight.
fn solvers(sound_speed: f64) -> [Solver; 4] {
    [dfsph(2e-6), iisph(3e-4), pcisph(3e-4), wcsph(sound_speed)]
}

/// Water of 25 layers after some seconds.
fn settles(dimension: Dimension, solver: &Solver, seconds: f64) -> Result<()> {
    let (spacing, depth) = (0.02, 0.5);
    let width = if dimension == Dimension::Two { 0.5 } else { 0.24 };
    let mut run = tank(dimension, spacing, width, 0.8, solver).start()?;
    run.until(seconds)?;
    law!("escaped", run.escaped() as f64, exactly(0.0), "walls are tight");
    let why = "ρ g (H − y), of the pressure at the bottom";
    law!("error of the pressure", run.hydrostatic_error(depth), below(0.03), why);
    law!("fastest [m/s]", run.fastest(), below(0.05), "at rest, but for a particle of a gap");
    law!("surface [m]", run.surface(), near(depth, 0.01), "volume, within half a spacing");
    Ok(())
}

/// How water that rests on a floor is measured.
struct Floor {
    dimension: Dimension,
    width: f64,
    method: &'static str,
    viscosity: f64,
    /// When it is calm, and until when it is measured `[s]`.
    measured: [f64; 2],
}

impl Floor {
    const SPACING: f64 = 0.025;
    const DEPTH: f64 = 0.5;

    fn tank(&self, solver: &Solver) -> Tank {
        let viscosity = format!("{{ method = \"artificial\", coefficient = {:?} }}", self.viscosity);
        let tank = Tank::new(self.dimension, Self::SPACING).width(self.width).height(1.0).closed();
        tank.solver(solver).viscosity(&viscosity).longest_step(2e-3).felt_by(self.method)
    }

    fn carries_its_water(&self, solver: &Solver) -> Result<()> {
        let case = format!("{:?}, {}, {solver}", self.dimension, self.method);
        let mut run = self.tank(solver).start()?;
        let [calm, end] = self.measured;
        run.until(calm)?;
        let (mut load, mut pressure, mut time, mut steps) = (0.0, 0.0, 0.0, 0.0);
        run.watch(end, |run| {
            load -= run.load(0).impulse.y;
            time += run.dt();
            steps += 1.0;
            pressure += run.pressure_below(2.0 * Self::SPACING);
        })?;
        let load = load / time / run.fluid_weight();
        law!("load over weight", load, near(1.0, 0.03), "the floor carries the water", "{case}");
        // In the middle of the lowest two layers.
        let expected = WATER * GRAVITY * (Self::DEPTH - Self::SPACING);
        let bottom = pressure / steps / expected;
        law!("pressure at the bottom over ρ g H", bottom, near(1.0, 0.03), "hydrostatics", "{case}");
        let surface = run.surface() / Self::SPACING;
        law!("surface [spacings]", surface, near(20.0, 0.5), "volume, within half a spacing", "{case}");
        law!("escaped", run.escaped() as f64, exactly(0.0), "walls are tight", "{case}");
        if self.method == "direct-forcing" {
            let lowest = run.lowest() / Self::SPACING;
            law!("lowest particle [spacings]", lowest, near(0.5, 1e-3), "contacts hold it there", "{case}");
        } else {
            law!("mean speed [m/s]", run.mean_speed(), below(0.04), "at rest", "{case}");
            // Now and then one slips into a gap of a lower layer.
            seen!("fastest [m/s]", run.fastest(), below(0.2), 0.01..=0.05, "{case}");
        }
        Ok(())
    }
}

/// Maps, which measure for a second.
fn mapped(dimension: Dimension, method: &'static str) -> Floor {
    let width = if dimension == Dimension::Two { 0.5 } else { 0.4 };
    Floor { dimension, width, method, viscosity: 0.3, measured: [1.0, 2.0] }
}

fn touched(dimension: Dimension) -> Floor {
    let width = if dimension == Dimension::Two { 0.5 } else { 0.25 };
    Floor { dimension, width, method: "direct-forcing", viscosity: 0.1, measured: [0.4, 0.8] }
}

#[test]
fn a_mapped_floor_carries_its_water() -> Result<()> {
    for solver in solvers(30.0) {
        mapped(Dimension::Two, "density-map").carries_its_water(&solver)?;
    }
    for solver in [dfsph(2e-6), wcsph(30.0)] {
        mapped(Dimension::Two, "volume-map").carries_its_water(&solver)?;
    }
    Ok(())
}

#[test]
fn a_touched_floor_carries_its_water() -> Result<()> {
    for solver in [dfsph(1e-4), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
        touched(Dimension::Two).carries_its_water(&solver)?;
    }
    Ok(())
}

#[test]
fn a_repelling_floor_keeps_its_water() -> Result<()> {
    for solver in [dfsph(1e-4), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
        // 0.02 c_s².
        let method = r#"{ method = "penalty", stiffness = 18.0 }"#;
        let floor = Floor { method, viscosity: 0.3, ..mapped(Dimension::Two, "") };
        let mut run = floor.tank(&solver).start()?;
        // It bounces: penalties are springs.
        let mut escaped = 0;
        run.watch(1.5, |run| escaped += run.escaped())?;
        law!("escaped in all steps", escaped as f64, exactly(0.0), "walls are tight", "{solver}");
        let surface = run.surface() / Floor::SPACING;
        law!("surface [spacings]", surface, near(20.0, 0.5), "volume, within half a spacing", "{solver}");
        seen!("fastest [m/s]", run.fastest(), below(0.3), 0.02..=0.05, "{solver}");
    }
    Ok(())
}

#[test]
fn water_settles_in_the_plane() -> Result<()> {
    settles(Dimension::Two, &dfsph(2e-6), 3.0)?;
    settles(Dimension::Two, &pcisph(2e-4), 3.0)?;
    settles(Dimension::Two, &iisph(3e-4), 3.0)?;
    settles(Dimension::Two, &wcsph(31.0), 4.0)
}

#[test]
fn deep_water_does_not_burst() -> Result<()> {
    // Without a limit of the step by the depth 4 m/s (DFSPH), 126 m/s (IISPH) and 29 km/s (PCISPH) were seen.
    for solver in SOLVERS.into_iter().filter(|solver| *solver != "wcsph") {
        let tank = Tank::plane(0.01).width(0.16).height(1.8).depth(1.2).solver(solver);
        let mut run = tank.start()?;
        run.until(0.3)?;
        seen!("fastest [m/s]", run.fastest(), below(1.0), 0.08..=0.25, "{solver}");
    }
    Ok(())
}

mod slow {
    use super::*;

    #[test]
    fn water_settles_in_space() -> Result<()> {
        settles(Dimension::Three, &dfsph(2e-6), 1.5)?;
        // Calms down last: without start values each solve leaves noise of its own.
        settles(Dimension::Three, &pcisph(5e-4), 1.8)?;
        settles(Dimension::Three, &iisph(3e-4), 1.5)?;
        settles(Dimension::Three, &wcsph(31.0), 3.0)
    }

    #[test]
    fn a_mapped_floor_carries_its_water_in_space() -> Result<()> {
        mapped(Dimension::Three, "density-map").carries_its_water(&dfsph(2e-6))
    }

    #[test]
    fn a_touched_floor_carries_its_water_in_space() -> Result<()> {
        for solver in [dfsph(1e-4), iisph(3e-4), pcisph(3e-4), wcsph(30.0)] {
            touched(Dimension::Three).carries_its_water(&solver)?;
        }
        Ok(())
    }

    #[test]
    fn side_walls_do_not_raise_the_pressure() -> Result<()> {
        // Of 8 × 8 columns 28 are beside a wall: without what walls owe along themselves, pressure is 8 % too high.
        let depth = 0.3;
        let tank =
            tank(Dimension::Three, 0.025, 0.2, 0.6, &dfsph(2e-6)).depth(depth).felt_by("direct-forcing");
        let mut run = tank.start()?;
        run.until(0.7)?;
        let (mut found, mut expected) = (0.0, 0.0);
        run.watch(1.2, |run| {
            found += run.pressures().iter().map(|p| f64::from(*p)).sum::<f64>();
            expected += run.positions().iter().map(|x| WATER * GRAVITY * (depth - x.y)).sum::<f64>();
        })?;
        law!("pressure over weight above", found / expected, near(1.0, 0.03), "hydrostatics");
        Ok(())
    }
}
