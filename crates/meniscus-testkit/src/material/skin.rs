//! Samples on surfaces that deform, by which SPH fluids feel them.
//!
//! Samples lie on the triangles and follow their corners. They stand for matter that reaches half a spacing farther than the
//! triangles, as those of rigid bodies lie half a spacing deep: so the triangles of a thick body are half a spacing below the
//! surface that is drawn of it.

use anyhow::Result;
use meniscus_core::{Anchor, BodyId, MovingSurface};
use meniscus_geometry::TriangleMesh;
use meniscus_geometry::sample::{Rounding, ScanlineParams, scanline};
use meniscus_sph::Wall;
use meniscus_sph::boundary::{BodySamples, BoundaryTreatment, flat_wall_volume_factor};
use meniscus_sph::neighbourhood::FluidParams;

/// How deep samples lie, in spacings `[1]`.
const DEPTH: f64 = 0.5;

/// The samples of a surface as it is now, which is to be its shape at rest.
///
/// # Errors
/// If the surface makes no sense.
pub fn samples(body: BodyId, surface: &MovingSurface, fluid: &FluidParams) -> Result<BodySamples> {
    let mesh = TriangleMesh { vertex: surface.position.clone(), triangle: surface.triangle.clone() };
    let params = ScanlineParams { spacing: fluid.spacing, rounding: Rounding::Up };
    let found = scanline(&mesh, &params)?;
    let anchor = |at: &meniscus_geometry::sample::MeshAnchor| Anchor::Nodes {
        node: surface.triangle[at.triangle as usize],
        weight: at.barycentric,
    };
    Ok(BodySamples {
        body,
        anchor: found.anchor.iter().map(anchor).collect(),
        position: found.position,
        volume_factor: flat_wall_volume_factor(&fluid.kernel, fluid.spacing, DEPTH),
        edge_correction: Vec::new(),
        first_depth: DEPTH,
        treatment: BoundaryTreatment::Pressure,
        geometry: Vec::new(),
    })
}

/// The wall that belongs to it: it has no geometry that stays the same.
#[must_use]
pub fn wall() -> Wall {
    Wall { solid: None, friction: 0.0, adhesion: 0.0 }
}
