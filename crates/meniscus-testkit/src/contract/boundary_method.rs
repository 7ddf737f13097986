//! What boundary methods must keep to.

use super::{Law, hold, laws, on_threads};
use anyhow::{Context as _, Result, ensure};
use glam::{DVec3, Vec3};
use meniscus_core::{InterfacePoints, Kinematics, Pose, SolidMotion};
use meniscus_sph::boundary::{Boundary, BoundaryMethod, BoundarySum};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings, WALL_PRESSURE};
use meniscus_sph::particles::Particles;

/// A body at the origin, felt by one method, and fluid around it.
pub struct BoundaryCase<'a> {
    /// What the method is called.
    pub name: &'a str,
    /// The fluid.
    pub fluid: FluidParams,
    /// Where it is: some of it within reach of the body, some not `[m]`.
    pub particles: Vec<DVec3>,
    /// Where the body is at rest.
    pub rest: Pose,
    /// Makes the method, and adds its lasting points.
    pub make: &'a (dyn Fn(&mut InterfacePoints) -> Box<dyn BoundaryMethod> + Sync),
}

/// By how much sums may differ that should be equal, relative to what they are of: single precision `[1]`.
const ROUNDING: f32 = 1e-4;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Holds a method to its laws.
///
/// # Errors
/// With the law that it breaks.
pub fn boundary_method(case: &BoundaryCase<'_>) -> Result<()> {
    let laws: &[Law<BoundaryCase<'_>>] = &laws![
        rows_are_there_within_reach_and_nowhere_else,
        sums_are_the_sums_of_their_samples,
        only_lasting_points_have_anchors,
        a_still_wall_has_no_flux,
        a_moving_wall_has_the_flux_of_its_velocity,
        a_body_that_is_not_there_is_not_felt,
        moving_everything_changes_nothing,
        following_a_body_depends_on_where_it_is_and_not_on_the_way_there,
        threads_do_not_matter,
    ];
    hold(case.name, case, laws)
}

/// A method after it has written its rows, with particles in the order of their rows.
struct Written {
    boundary: Boundary,
    points: InterfacePoints,
    lasting: usize,
    around: Neighbourhood,
    particles: Particles,
}

/// The wall at rest with this velocity `[m/s]`, elsewhere by `shift` `[m]`.
fn wall(case: &BoundaryCase<'_>, shift: DVec3, velocity: DVec3) -> SolidMotion {
    let pose = Pose { translation: case.rest.translation + shift, ..case.rest };
    SolidMotion::paused(Kinematics { velocity, ..Kinematics::at_rest(pose) })
}

impl Written {
    fn new(case: &BoundaryCase<'_>) -> Self {
        let mut points = InterfacePoints::default();
        let method = (case.make)(&mut points);
        let mut particles = Particles::default();
        case.particles.iter().for_each(|x| particles.push(*x, DVec3::ZERO));
        let boundary = Boundary::new(vec![method], 1);
        Self { boundary, lasting: points.len(), points, around: Neighbourhood::default(), particles }
    }

    /// Writes the rows for fluid that is elsewhere by `shift` `[m]`, and a body that moves like this.
    fn write(&mut self, case: &BoundaryCase<'_>, shift: DVec3, body: &SolidMotion) -> Result<()> {
        let reach = case.particles.iter().map(|x| x.abs().max_element()).fold(0.0, f64::max);
        let extent = DVec3::splat(reach + 10.0 * case.fluid.kernel.support_radius);
        let frame = FixedFrame::covering(shift - extent, shift + extent, case.fluid.kernel.support_radius)
            .context("the case is too large")?;
        for (x, id) in self.particles.position.iter_mut().zip(&self.particles.id) {
            *x = case.particles[*id as usize] + shift;
        }
        let mut around = Surroundings {
            boundary: &mut self.boundary,
            bodies: std::slice::from_ref(body),
            points: &mut self.points,
            gravity: GRAVITY,
        };
        self.around.rebuild(&case.fluid, &frame, &mut self.particles, &mut around);
        Ok(())
    }

    /// The rows as they are for a body that moves like this.
    fn of(case: &BoundaryCase<'_>, body: &SolidMotion) -> Result<Self> {
        let mut written = Self::new(case);
        written.write(case, DVec3::ZERO, body)?;
        Ok(written)
    }

    /// The sums in the order of the case's particles.
    fn sums(&self) -> Vec<BoundarySum> {
        let mut sums = vec![BoundarySum::default(); self.particles.len()];
        self.particles
            .id
            .iter()
            .zip(&self.around.boundary.sum)
            .for_each(|(id, sum)| sums[*id as usize] = *sum);
        sums
    }
}

fn still(case: &BoundaryCase<'_>) -> SolidMotion {
    wall(case, DVec3::ZERO, DVec3::ZERO)
}

fn rows_are_there_within_reach_and_nowhere_else(case: &BoundaryCase<'_>) -> Result<()> {
    let written = Written::of(case, &still(case))?;
    let rows = &written.around.boundary;
    ensure!(rows.sum.len() == case.particles.len(), "{} rows of {}", rows.sum.len(), case.particles.len());
    let felt = (0..rows.sum.len()).filter(|i| !rows.row(*i).is_empty()).count();
    ensure!(felt > 0 && felt < case.particles.len(), "the case is none: {felt} particles feel the wall");
    for (i, sum) in rows.sum.iter().enumerate() {
        ensure!(
            !rows.row(i).is_empty() || *sum == BoundarySum::default(),
            "particle {i} has an empty row and the sum {sum:?}"
        );
        ensure!(sum.density.is_finite() && sum.density >= 0.0, "a wall is a density of {}", sum.density);
        ensure!(sum.contact_ratio >= 0.0, "a contact ratio of {}", sum.contact_ratio);
        for sample in rows.row(i) {
            ensure!((sample.point as usize) < written.points.len(), "a sample of particle {i} has no point");
            ensure!(sample.value.is_finite() && Vec3::from(sample.push).is_finite(), "a sample is no number");
        }
    }
    Ok(())
}

fn sums_are_the_sums_of_their_samples(case: &BoundaryCase<'_>) -> Result<()> {
    let written = Written::of(case, &wall(case, DVec3::ZERO, DVec3::new(0.3, 1.0, -0.5)))?;
    let (rows, points) = (&written.around.boundary, &written.points);
    for (i, sum) in rows.sum.iter().enumerate() {
        let mut expected = BoundarySum::default();
        let (mut size, mut speed) = (1e-3, 0.0_f32);
        for sample in rows.row(i) {
            let (push, point) = (Vec3::from(sample.push), points.get(sample.point as usize));
            let fall = GRAVITY.dot(point.position - written.particles.position[i]) as f32;
            let gradient = rows.traits(point.body).gradient_over_push * push;
            expected.density += sample.value;
            expected.push += push;
            expected.gradient += gradient;
            expected.flux += WALL_PRESSURE * push.dot(point.velocity.as_vec3());
            expected.hydrostatic += fall * push;
            size += push.length();
            speed = speed.max(point.velocity.length() as f32);
        }
        ensure!(
            (sum.density - expected.density).abs() <= ROUNDING,
            "{} is not Σ V W = {}",
            sum.density,
            expected.density
        );
        for (what, sum, expected, unit) in [
            ("push", sum.push, expected.push, 1.0),
            (
                "hydrostatic",
                sum.hydrostatic,
                expected.hydrostatic,
                9.81 * case.fluid.kernel.support_radius as f32,
            ),
        ] {
            let off = (sum - expected).length();
            ensure!(off <= ROUNDING * size * unit, "{what} {sum} is not the sum of its samples, {expected}");
        }
        // A body that only fills up the density has a gradient and flux and no push.
        if expected.push != Vec3::ZERO {
            let off = (sum.gradient - expected.gradient).length();
            ensure!(
                off <= ROUNDING * size,
                "gradient {} is not that of its samples, {}",
                sum.gradient,
                expected.gradient
            );
            let off = (sum.flux - expected.flux).abs();
            ensure!(
                off <= ROUNDING * size * speed,
                "flux {} is not that of its samples, {}",
                sum.flux,
                expected.flux
            );
        }
    }
    Ok(())
}

fn only_lasting_points_have_anchors(case: &BoundaryCase<'_>) -> Result<()> {
    let mut written = Written::new(case);
    for n in 0..3 {
        written.write(case, DVec3::ZERO, &still(case))?;
        let points = &written.points;
        ensure!(
            points.persistent() == written.lasting,
            "step {n}: there are other lasting points than in the beginning"
        );
        ensure!((0..written.lasting).all(|k| points.anchor(k).is_some()), "a lasting point has no anchor");
        ensure!(
            (written.lasting..points.len()).all(|k| points.anchor(k).is_none()),
            "a fresh point has an anchor"
        );
        ensure!(
            points.position.len() == points.len() && points.velocity.len() == points.len(),
            "columns differ"
        );
    }
    Ok(())
}

fn a_still_wall_has_no_flux(case: &BoundaryCase<'_>) -> Result<()> {
    let written = Written::of(case, &still(case))?;
    let flux = written.around.boundary.sum.iter().map(|sum| sum.flux.abs()).fold(0.0, f32::max);
    ensure!(flux == 0.0, "a wall at rest has a flux of {flux} /s");
    Ok(())
}

fn a_moving_wall_has_the_flux_of_its_velocity(case: &BoundaryCase<'_>) -> Result<()> {
    let velocity = DVec3::new(0.3, 1.0, -0.5);
    let written = Written::of(case, &wall(case, DVec3::ZERO, velocity))?;
    for sum in &written.around.boundary.sum {
        let expected = velocity.as_vec3().dot(sum.mirror());
        let allowed = 10.0 * ROUNDING * sum.mirror().length() * velocity.length() as f32;
        ensure!((sum.flux - expected).abs() <= allowed, "flux {} instead of {expected}", sum.flux);
    }
    Ok(())
}

fn a_body_that_is_not_there_is_not_felt(case: &BoundaryCase<'_>) -> Result<()> {
    let mut absent = still(case);
    if let SolidMotion::Rigid(motion) = &mut absent {
        motion.present = false;
    }
    let mut written = Written::of(case, &absent)?;
    let none =
        |written: &Written| written.around.boundary.sum.iter().all(|sum| *sum == BoundarySum::default());
    ensure!(none(&written), "it is felt before it enters");
    written.write(case, DVec3::ZERO, &still(case))?;
    ensure!(!none(&written), "it is not felt after it has entered");
    Ok(())
}

/// The largest difference of two lists of sums: of densities, and of pushes in units of the largest `[1]`.
fn difference(a: &[BoundarySum], b: &[BoundarySum]) -> f32 {
    let size = a.iter().map(|sum| sum.push.length()).fold(1e-3, f32::max);
    let pairs = a.iter().zip(b);
    let off = pairs.map(|(a, b)| (a.density - b.density).abs().max((a.push - b.push).length() / size));
    off.fold(0.0, f32::max)
}

fn moving_everything_changes_nothing(case: &BoundaryCase<'_>) -> Result<()> {
    let here = Written::of(case, &still(case))?.sums();
    let shift =
        DVec3::new(3.0, -2.0, 1.0).with_z(if case.particles.iter().all(|x| x.z == 0.0) { 0.0 } else { 1.0 });
    let mut there = Written::new(case);
    there.write(case, shift, &wall(case, shift, DVec3::ZERO))?;
    let off = difference(&here, &there.sums());
    ensure!(off < 1e-3, "elsewhere the wall's share differs by {off}");
    Ok(())
}

fn following_a_body_depends_on_where_it_is_and_not_on_the_way_there(case: &BoundaryCase<'_>) -> Result<()> {
    let shift = DVec3::new(0.4, 0.3, 0.0) * case.fluid.spacing;
    let direct = Written::of(case, &wall(case, shift, DVec3::ZERO))?;
    let mut detour = Written::of(case, &still(case))?;
    detour.write(case, DVec3::ZERO, &wall(case, -2.0 * shift, DVec3::ZERO))?;
    detour.write(case, DVec3::ZERO, &wall(case, shift, DVec3::ZERO))?;
    ensure!(direct.sums() == detour.sums(), "a detour changes bits");
    ensure!(
        difference(&direct.sums(), &Written::of(case, &still(case))?.sums()) > 1e-3,
        "it does not follow"
    );
    Ok(())
}

fn threads_do_not_matter(case: &BoundaryCase<'_>) -> Result<()> {
    let moving = wall(case, DVec3::ZERO, DVec3::new(0.3, 1.0, 0.0));
    let write = |threads| {
        on_threads(threads, || {
            let written = Written::of(case, &moving)?;
            Ok((written.sums(), written.points))
        })
    };
    ensure!(write(1)? == write(3)?, "one thread and three give other bits or another order of points");
    Ok(())
}
