//! Boundary samples that complete a fluid exactly where the wall is flat.

use crate::kernel::Kernel;

/// Contact begins this much above the drawn surface, in spacings: close enough that fluid at rest in a corner, where three
/// walls add up, does not feel it.
pub(crate) const CONTACT_HEIGHT: f64 = 0.1;

/// How deep inside the solid the layers of samples sit that a fluid needs, in spacings: the first at `first`, the others one
/// spacing behind each other, as far as a particle half a spacing above the solid can feel.
#[must_use]
pub fn layer_depths(kernel: &Kernel, spacing: f64, first: f64) -> Vec<f64> {
    let reach = kernel.support_radius / spacing - 0.5;
    let behind = (1..).map(|n| first + f64::from(n)).take_while(|depth| *depth < reach - 1e-9);
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

fn completing_factor(wall: &FlatWall<'_>) -> f64 {
    let FlatWall { kernel, spacing, .. } = *wall;
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let missing: f64 = (1..=reach).map(|n| kernel.layer(f64::from(n), spacing)).sum();
    let cell = kernel.dimension.cell_volume(spacing) / kernel.lattice_density(spacing);
    let present = wall.density(0.5);
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
    let difference = 1e-4;
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
    use meniscus_core::Dimension;

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
}
