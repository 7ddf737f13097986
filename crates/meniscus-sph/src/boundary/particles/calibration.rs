//! Boundary samples that complete a fluid exactly where the wall is flat, and as its matter would where it is round.

use crate::kernel::Kernel;
use meniscus_core::Dimension;

/// Contact begins this much above the drawn surface, in spacings: close enough that fluid at rest in a corner, where three
/// walls add up, does not feel it `[1]`.
pub(crate) const CONTACT_HEIGHT: f64 = 0.1;

/// How deep inside the solid the layers of samples sit that a fluid needs, in spacings: the first at `first`, the others one
/// spacing behind each other, as far as a particle half a spacing above the solid can feel.
#[must_use]
pub fn layer_depths(kernel: &Kernel, spacing: f64, first: f64) -> Vec<f64> {
    let reach = kernel.support_radius / spacing - 0.5;
    let behind = (1..).map(|n| first + f64::from(n)).take_while(|depth| *depth < reach - END_OF_SUPPORT);
    std::iter::once(first).chain(behind).collect()
}

/// The factor on Eq. 1's volumes with which flat layers of samples (see [`layer_depths`]) give a fluid lattice that starts
/// half a spacing above the solid exactly the density that the missing half lattice would give.
#[must_use]
pub fn flat_wall_volume_factor(kernel: &Kernel, spacing: f64, first: f64) -> f64 {
    completing_factor(&FlatWall::new(kernel, spacing, first))
}

/// The same for the single layer of samples of a thin sheet, which count as if they were half a spacing behind it.
#[must_use]
pub fn sheet_volume_factor(kernel: &Kernel, spacing: f64) -> f64 {
    completing_factor(&FlatWall { kernel, spacing, depths: vec![0.5] })
}

/// The same for the samples of a ball of this `radius` `[m]`, or, where `sign` is −1, of all but such a ball.
///
/// Samples behind a curved surface are fewer or more than a flat wall would have, and so is the matter that they stand for, but not in the same measure: with
/// the flat wall's factor a ball of five spacings would give 4 % less than its matter does, and displace 0.8 % less than its volume.
#[must_use]
pub fn round_wall_volume_factor(kernel: &Kernel, spacing: f64, first: f64, radius: f64, sign: f64) -> f64 {
    let flat = flat_wall_volume_factor(kernel, spacing, first);
    let depths = layer_depths(kernel, spacing, first);
    let deepest = depths.last().map_or(0.0, |depth| depth * spacing);
    if radius < deepest + spacing {
        return flat;
    }
    let share = |radius: f64| RoundWall { kernel, spacing, depths: &depths, radius, sign }.share();
    // ADR 24.
    flat * share(radius) / share(FLAT * spacing)
}

/// The step of finite differences of the density, in spacings `[1]`.
const DIFFERENCE: f64 = 1e-4;

/// Layers of samples that are this near to the end of the support count as behind it, in spacings `[1]`.
const END_OF_SUPPORT: f64 = 1e-9;

/// A radius that is as good as none, in spacings `[1]`.
const FLAT: f64 = 1e3;

/// Intervals of integrals over a ball and its layers `[1]`.
const BALL_INTERVALS: u32 = 200;

/// A ball of matter, or all but one, and the layers of samples in it.
struct RoundWall<'a> {
    kernel: &'a Kernel,
    spacing: f64,
    /// In spacings.
    depths: &'a [f64],
    radius: f64,
    /// Of the way from the centre into the fluid.
    sign: f64,
}

impl RoundWall<'_> {
    /// What the matter adds to the density half a spacing in front of it, over what its samples do with the volumes of Eq. 1 `[1]`.
    fn share(&self) -> f64 {
        let Self { kernel, spacing, radius, sign, .. } = *self;
        let here = radius + sign * 0.5 * spacing;
        let behind = |depth: f64| radius - sign * depth * spacing;
        let step = kernel.support_radius.min(if sign > 0.0 { radius } else { f64::INFINITY })
            / f64::from(BALL_INTERVALS);
        let matter: f64 = midpoints(step).map(|depth| step * self.shell(radius - sign * depth, here)).sum();
        let number = |at: f64| self.depths.iter().map(|&depth| self.shell(behind(depth), at)).sum::<f64>();
        let samples: f64 =
            self.depths.iter().map(|&depth| self.shell(behind(depth), here) / number(behind(depth))).sum();
        matter / samples
    }

    /// ∫ W over a sphere, or a circle, of radius `a`, seen from the distance `b` from its centre; both in `[m]`.
    fn shell(&self, a: f64, b: f64) -> f64 {
        let support = self.kernel.support_radius;
        let cosine = (a * a + b * b - support * support) / (2.0 * a * b);
        let step = cosine.clamp(-1.0, 1.0).acos() / f64::from(BALL_INTERVALS);
        // With sin²(θ/2), which keeps its digits for large radii.
        let value = |angle: f64| {
            self.kernel.value(((a - b).powi(2) + 4.0 * a * b * (0.5 * angle).sin().powi(2)).sqrt())
        };
        match self.kernel.dimension {
            Dimension::Two => 2.0 * a * midpoints(step).map(value).sum::<f64>() * step,
            Dimension::Three => {
                let ring = |angle: f64| std::f64::consts::TAU * a * angle.sin() * value(angle);
                a * midpoints(step).map(ring).sum::<f64>() * step
            }
        }
    }
}

/// The middles of [`BALL_INTERVALS`] steps.
fn midpoints(step: f64) -> impl Iterator<Item = f64> {
    (0..BALL_INTERVALS).map(move |n| (f64::from(n) + 0.5) * step)
}

fn completing_factor(wall: &FlatWall<'_>) -> f64 {
    let FlatWall { kernel, spacing, .. } = *wall;
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let missing: f64 = (1..=reach).map(|n| kernel.layer(f64::from(n), spacing)).sum();
    let cell = kernel.dimension.cell_volume(spacing) / kernel.lattice_density(spacing);
    let present = wall.density(0.5);
    // The missing half lattice over what flat layers of samples give: ADR 2.
    if present > 0.0 { missing * cell / present } else { 1.0 }
}

/// How steeply the density rises towards fluid that is missing behind a flat wall, half a spacing in front of it `[1/m]`.
#[must_use]
pub fn missing_gradient(kernel: &Kernel, spacing: f64) -> f64 {
    missing_half(kernel, spacing).gradient
}

/// What fluid that is missing behind a flat wall would add to the density, half a spacing in front of it `[1]`.
#[must_use]
pub fn missing_density(kernel: &Kernel, spacing: f64) -> f64 {
    missing_half(kernel, spacing).density
}

/// What a fluid lattice lacks at its lowest layer when there is none below.
pub(crate) struct MissingHalf {
    /// In units of the rest density `[1]`.
    pub density: f64,
    /// Length of its gradient `[1/m]`.
    pub gradient: f64,
    /// How far below the gradient's origin is thought to be: the mean distance of its layers, weighted by their gradients
    /// `[m]`.
    pub lever: f64,
}

/// What the half lattice below a particle gives to it.
pub(crate) fn missing_half(kernel: &Kernel, spacing: f64) -> MissingHalf {
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let cell = kernel.dimension.cell_volume(spacing) / kernel.lattice_density(spacing);
    let layers = || (1..=reach).map(f64::from);
    let density: f64 = layers().map(|n| kernel.layer(n, spacing)).sum();
    let difference = DIFFERENCE;
    let slope = |n: f64| kernel.layer(n - difference, spacing) - kernel.layer(n + difference, spacing);
    let slopes: f64 = layers().map(slope).sum();
    let gradient = slopes / (2.0 * difference * spacing);
    let lever = spacing * layers().map(|n| n * slope(n)).sum::<f64>() / slopes;
    MissingHalf { density: cell * density, gradient: cell * gradient, lever }
}

/// An infinite flat wall of sample layers, each a square lattice.
pub(crate) struct FlatWall<'a> {
    kernel: &'a Kernel,
    spacing: f64,
    /// In spacings.
    depths: Vec<f64>,
}

impl<'a> FlatWall<'a> {
    pub fn new(kernel: &'a Kernel, spacing: f64, first: f64) -> Self {
        Self { kernel, spacing, depths: layer_depths(kernel, spacing, first) }
    }

    fn layer(&self, height: f64) -> f64 {
        self.kernel.layer(height, self.spacing)
    }

    /// Σ V_b W with the volumes of Eq. 1 at a height above the surface, in spacings `[1]`.
    pub fn density(&self, height: f64) -> f64 {
        let number_density =
            |depth: f64| self.depths.iter().map(|other| self.layer(depth - other)).sum::<f64>();
        self.depths.iter().map(|&depth| self.layer(height + depth) / number_density(depth)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelKind;
    use glam::DVec3;

    #[test]
    fn a_wall_has_as_many_layers_as_the_fluid_can_feel() {
        let layers = |support| {
            let kernel =
                Kernel { kind: KernelKind::WendlandC2, support_radius: support, dimension: Dimension::Three };
            layer_depths(&kernel, 1.0, 0.5)
        };
        assert_eq!(layers(2.0), [0.5]);
        assert_eq!(layers(2.6), [0.5, 1.5]);
        assert_eq!(layers(3.0), [0.5, 1.5]);
        assert_eq!(layers(4.0), [0.5, 1.5, 2.5]);
    }

    #[test]
    fn a_sheet_completes_the_first_layer_and_leaves_the_second_alone() {
        for dimension in [Dimension::Two, Dimension::Three] {
            let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0, dimension };
            let sheet = FlatWall { kernel: &kernel, spacing: 1.0, depths: vec![0.5] };
            let factor = sheet_volume_factor(&kernel, 1.0);
            assert!((factor * sheet.density(0.5) - missing_half(&kernel, 1.0).density).abs() < 1e-12);
            assert!(factor * sheet.density(1.5) < 1e-12);
            // On the sheet itself samples would reach the second layer.
            let on_it = FlatWall { depths: vec![0.0], ..sheet };
            assert!(completing_factor(&on_it) * on_it.density(1.5) > 1e-3);
        }
    }

    #[test]
    fn a_lattice_behind_the_wall_needs_a_factor_near_its_own_number_density() {
        // Samples that continue the fluid's lattice have its volume, so the factor undoes Eq. 1.
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0, dimension: Dimension::Three };
        let plane: f64 = (-2..=2)
            .flat_map(|a| (-2..=2).map(move |b| f64::from(a * a + b * b).sqrt()))
            .map(|r| kernel.value(r))
            .sum();
        let lattice = kernel.lattice_density(1.0);
        assert!((flat_wall_volume_factor(&kernel, 1.0, 0.5) - plane / lattice).abs() < 1e-12);
    }

    #[test]
    fn the_samples_of_a_ball_give_what_its_matter_would() {
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0, dimension: Dimension::Three };
        let flat = flat_wall_volume_factor(&kernel, 1.0, 0.5);
        for (radius, less) in [(3.0, 0.078), (5.0, 0.043), (10.0, 0.019)] {
            let spiral = |count: u32, radius: f64| {
                (0..count).map(move |n| {
                    let y = (2.0 * f64::from(n) + 1.0) / f64::from(count) - 1.0;
                    let (sin, cos) = (2.399_963 * f64::from(n)).sin_cos();
                    radius * DVec3::new((1.0 - y * y).sqrt() * cos, y, (1.0 - y * y).sqrt() * sin)
                })
            };
            let inner = radius - 0.5;
            let sample: Vec<DVec3> =
                spiral((4.0 * std::f64::consts::PI * inner * inner) as u32, inner).collect();
            let sum = |x: DVec3| sample.iter().map(|y| kernel.value(x.distance(*y))).sum::<f64>();
            let volume: Vec<f64> = sample.iter().map(|&x| flat / sum(x)).collect();
            let share = |x: DVec3| {
                let each = sample.iter().zip(&volume);
                each.map(|(y, v)| v * kernel.value(x.distance(*y))).sum::<f64>()
            };
            let given = spiral(500, radius + 0.5).map(share).sum::<f64>() / 500.0;
            // The matter's share by counting small cells of the ball, in units of what a flat wall's would be, which is known exactly.
            let cells = |inside: &dyn Fn(DVec3) -> bool| {
                let place = |n: u32| (f64::from(n) + 0.5) / 20.0 - 2.0;
                let all = (0..80_u32.pow(3))
                    .map(|n| DVec3::new(place(n % 80), place(n / 80 % 80), place(n / 6400)));
                all.filter(|x| inside(*x)).map(|x| kernel.value(x.length())).sum::<f64>()
            };
            let centre = -(radius + 0.5) * DVec3::Y;
            let ball = cells(&|x| x.distance(centre) < radius) / cells(&|x| x.y < -0.5);
            let wanted = missing_half(&kernel, 1.0).density * ball;
            assert!((1.0 - given / wanted - less).abs() < 0.01, "{radius}: {}", given / wanted);
            let factor = round_wall_volume_factor(&kernel, 1.0, 0.5, radius, 1.0) / flat;
            assert!((factor * given / wanted - 1.0).abs() < 0.01, "{radius}: {}", factor * given / wanted);
        }
    }

    #[test]
    fn a_wall_that_is_hardly_curved_is_flat_and_a_hollow_one_is_curved_the_other_way() {
        for dimension in [Dimension::Two, Dimension::Three] {
            for support in [2.0, 3.0] {
                let kernel = Kernel { kind: KernelKind::WendlandC2, support_radius: support, dimension };
                let flat = flat_wall_volume_factor(&kernel, 1.0, 0.5);
                let round = |radius, sign| round_wall_volume_factor(&kernel, 1.0, 0.5, radius, sign) / flat;
                assert!((round(500.0, 1.0) - 1.0).abs() < 1e-3);
                let (solid, hollow) = (round(8.0, 1.0) - 1.0, round(8.0, -1.0) - 1.0);
                assert!(
                    solid * hollow < 0.0 && solid.abs() < 0.05,
                    "{dimension:?} {support}: {solid} {hollow}"
                );
            }
        }
    }
}
