//! Deformable bodies alone: what a step conserves, and what beams and sheets do.

mod conservation;
mod statics;

use glam::{DVec3, UVec3};
use meniscus_core::BodyId;
use meniscus_geometry::tetra::TetMesh;
use meniscus_solid::{
    DeformableBody, DeformableParams, ElasticMaterial, ElementOrder, Structure, box_of_tetrahedra,
};

/// A body of these nodes at rest, nothing held, nothing damped.
pub(crate) fn body(rest: Vec<DVec3>, structure: Structure, material: ElasticMaterial) -> DeformableParams {
    DeformableParams {
        name: "body".to_owned(),
        start: rest.clone(),
        velocity: vec![DVec3::ZERO; rest.len()],
        rest,
        structure,
        material,
        damping: 0.0,
        drag: 0.0,
        pins: Vec::new(),
        max_substep: f64::INFINITY,
    }
}

/// A box of tetrahedra with a corner at the origin.
pub(crate) fn block(size: DVec3, cells: UVec3, order: ElementOrder, material: ElasticMaterial) -> DeformableParams {
    let TetMesh { vertex, tetrahedron } = box_of_tetrahedra(size, cells);
    body(vertex, Structure::Volume { tetrahedron, order }, material)
}

/// A sheet in the plane z = 0 with alternating diagonals.
pub(crate) fn sheet(size: [f64; 2], cells: [u32; 2], thickness: f64, material: ElasticMaterial) -> DeformableParams {
    let across = cells[0] + 1;
    let place = |i: u32| {
        let (x, y) = (i % across, i / across);
        DVec3::new(
            size[0] * f64::from(x) / f64::from(cells[0]),
            size[1] * f64::from(y) / f64::from(cells[1]),
            0.0,
        )
    };
    let mut triangle = Vec::new();
    for y in 0..cells[1] {
        for x in 0..cells[0] {
            let a = y * across + x;
            let (b, c, d) = (a + 1, a + across, a + across + 1);
            if (x + y) % 2 == 0 {
                triangle.extend([[a, b, d], [a, d, c]]);
            } else {
                triangle.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    let rest = (0..across * (cells[1] + 1)).map(place).collect();
    body(rest, Structure::Sheet { triangle, thickness, rigidity: None }, material)
}

/// The body.
pub(crate) fn made(params: DeformableParams) -> DeformableBody {
    DeformableBody::new(params, BodyId(0)).unwrap()
}
