//! One particle and a wall: it falls, slides, rebounds and sticks as a grain would.

use glam::{DQuat, DVec3};
use meniscus_core::Dimension;
use meniscus_testkit::solver::{Solver, dfsph, wcsph};
use meniscus_testkit::{Body, Result, Run, Tank, above, analytic, below, between, law, near};
use std::f64::consts::PI;

const SPACING: f64 = 0.1;
const WHY: &str = "½ g t² sin of the slope";

/// A slab whose upper face is a plane through the origin, inclined by `angle` `[rad]`, and a particle this high above
/// it.
struct Slope {
    dimension: Dimension,
    angle: f64,
    height: f64,
    dt: f64,
    solver: Solver,
}

impl Slope {
    fn turn(&self) -> DQuat {
        DQuat::from_rotation_z(-self.angle)
    }

    fn tank(&self, method: &str) -> Tank {
        let size = if self.dimension == Dimension::Two { [12.0, 1.0, 1.0] } else { [12.0, 0.5, 0.6] };
        let centre = self.turn() * DVec3::new(4.0, -0.5 * size[1], 0.0);
        let slab = Body::cuboid(size).at(centre).turned(DVec3::Z, -self.angle.to_degrees()).felt_by(method);
        // Water that is not meant: it only has to be somewhere above the plane.
        let water = "shape = \"box\"\nmin = [0, 9, 0]\nmax = [0.1, 9.1, 0]";
        let water =
            if self.dimension == Dimension::Two { water } else { &water.replace("9.1, 0]", "9.1, 0.1]") };
        let tank = Tank::new(self.dimension, SPACING).without_walls().source(water).with(slab);
        tank.solver(self.solver.strict()).viscosity("none").fixed_step(self.dt)
    }

    /// With the particle this fast along the slope `[m/s]`, not above a sample.
    fn start(&self, method: &str, speed: f64) -> Result<Run> {
        let place = self.turn() * self.place();
        self.tank(method).particles(vec![(place, self.turn() * DVec3::X * speed)]).start()
    }

    fn place(&self) -> DVec3 {
        let z = if self.dimension == Dimension::Two { 0.0 } else { 0.014 };
        DVec3::new(0.033, self.height, z)
    }

    /// The height at which the wall's share of a particle's density and its own make up the rest density, found by
    /// halving `[m]`.
    fn resting_height(&self, method: &str) -> Result<f64> {
        let (mut low, mut high) = (0.1 * SPACING, 2.0 * SPACING);
        let tank = self.tank(method);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let place = self.turn() * self.place().with_y(middle);
            let density = tank.clone().particles(vec![(place, DVec3::ZERO)]).start()?.densities()[0];
            *if density > 1.0 { &mut low } else { &mut high } = middle;
        }
        Ok(high)
    }
}

/// Contacts on a slope in space.
fn touched(angle: f64, height: f64, dt: f64) -> Slope {
    Slope { dimension: Dimension::Three, angle, height: height + 0.5 * SPACING, dt, solver: wcsph(10.0) }
}

fn forcing(slip: f64, restitution: f64) -> String {
    format!("{{ method = \"direct-forcing\", slip = {slip:?}, restitution = {restitution:?} }}")
}

#[test]
fn a_particle_slides_smoothly_down_a_mapped_plane() -> Result<()> {
    let angle = 0.4;
    for solver in [dfsph(1e-4), wcsph(10.0)] {
        let mut slope =
            Slope { dimension: Dimension::Two, angle, height: 0.0, dt: 1e-3, solver: solver.clone() };
        slope.height = slope.resting_height("density-map")?;
        let mut run = slope.start("density-map", 0.0)?;
        let start = run.positions()[0];
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        run.watch(1.0, |run| {
            let distance = run.nearest(0) / SPACING;
            (low, high) = (low.min(distance), high.max(distance));
        })?;
        law!("range of its distance [spacings]", high - low, below(1e-2), "a plane is smooth", "{solver}");
        let way = run.positions()[0].distance(start) / analytic::slide(angle, 1.0);
        law!("way over that of a slide", way, near(1.0, 0.01), WHY, "{solver}");
    }
    Ok(())
}

#[test]
fn a_particle_leaves_a_mapped_wall_no_faster_than_it_came() -> Result<()> {
    for dt in [2.5e-4, 1e-3, 1.5e-3] {
        let slope = Slope { dimension: Dimension::Two, angle: 0.0, height: 0.25, dt, solver: wcsph(40.0) };
        let tank = slope.tank("density-map").gravity(DVec3::ZERO);
        let mut run = tank.particles(vec![(slope.place(), DVec3::NEG_Y * 2.4)]).start()?;
        run.until(0.3)?;
        let speed = run.velocities()[0].y;
        law!("speed away [m/s]", speed, between(-1e-3, 2.4), "walls have no energy to give", "{dt} s");
    }
    Ok(())
}

#[test]
fn particles_rebound_with_the_restitution() -> Result<()> {
    for restitution in [0.0, 0.5, 1.0] {
        let mut run = touched(0.0, 0.3, 1e-3).start(&forcing(1.0, restitution), 0.0)?;
        let (mut fall, mut before): (f64, f64) = (0.0, 0.0);
        let after = loop {
            run.step()?;
            let now = run.velocities()[0].y;
            fall = fall.max(-before);
            if now > before {
                break now;
            }
            before = now;
        };
        let bound = near(restitution, 0.02);
        law!("speed after over before", after / fall, bound, "what restitution means", "{restitution}");
    }
    Ok(())
}

#[test]
fn a_particle_slides_down_without_friction_at_a_constant_distance() -> Result<()> {
    let slope = touched(0.4, 0.0, 1e-3);
    let mut run = slope.start(&forcing(1.0, 0.0), 0.0)?;
    let start = run.positions()[0];
    let mut off: f64 = 0.0;
    run.watch(1.0, |run| off = off.max((run.nearest(0) / SPACING - 0.5).abs()))?;
    law!("change of its distance [spacings]", off, below(1e-3), "contacts hold it half a spacing away");
    let way = run.positions()[0].distance(start) / analytic::slide(slope.angle, run.time());
    law!("way over that of a slide", way, near(1.0, 0.01), WHY);
    Ok(())
}

#[test]
fn without_slip_a_particle_stays() -> Result<()> {
    let mut run = touched(0.4, 0.0, 1e-3).start(&forcing(0.0, 0.0), 0.0)?;
    let start = run.positions()[0];
    run.steps(200)?;
    law!("way [m]", run.positions()[0].distance(start), below(1e-3), "it sticks");
    Ok(())
}

#[test]
fn slip_is_kept_on_the_way_past_each_boundary_particle_whatever_the_step() -> Result<()> {
    for dt in [1e-3, 2.5e-4] {
        let mut run = touched(0.0, 0.0, dt).start(&forcing(0.5, 0.0), 1.0)?;
        let start = run.positions()[0].x;
        run.until(0.5)?;
        let (way, speed) = ((run.positions()[0].x - start) / SPACING, run.velocities()[0].x);
        law!("way [spacings]", way, above(2.0), "it slides past some", "{dt} s");
        let ratio = speed / 0.5_f64.powf(way);
        law!("speed over slip^way", ratio, near(1.0, 0.02), "what slip means", "{dt} s");
    }
    Ok(())
}

#[test]
fn a_particle_under_a_ceiling_falls_however_short_the_step() -> Result<()> {
    for (dt, slip, restitution) in [(2e-3, 1.0, 0.0), (2e-3, 0.0, 0.0), (1e-4, 0.5, 0.0), (1e-4, 1.0, 0.5)] {
        let mut run = touched(PI, 0.0, dt).start(&forcing(slip, restitution), 0.0)?;
        let start = run.positions()[0].y;
        run.until(0.2)?;
        let way = (start - run.positions()[0].y) / analytic::fall(run.time());
        law!("way over that of a fall", way, near(1.0, 0.02), "½ g t²", "{dt} s, {slip}, {restitution}");
    }
    Ok(())
}
