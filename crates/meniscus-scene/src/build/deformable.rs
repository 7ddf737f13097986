//! Cloth and elastic solids.

use super::mesh::{Purpose, geometry_problem, load, require_closed, rotation};
use super::problem::{BuildProblem, Problems};
use crate::model::{
    ClothSpec, ElasticSpec, ElementOrderSpec, MatterSpec, PinSpec, Rotation, Scene, SheetCorner, Vec3,
};
use glam::{DVec3, UVec3};
use meniscus_core::BodyId;
use meniscus_geometry::tetra::TetMesh;
use meniscus_solid::{
    DeformableBody, DeformableParams, ElasticMaterial, ElementOrder, Pin, PinPlace, SolidError, Structure,
    box_of_tetrahedra,
};

/// How far from a pin's box a node may be that is still held: boxes end where nodes are, up to rounding `[m]`.
const PIN_MARGIN: f64 = 1e-9;

/// All bodies of a scene that deform, checked.
pub(crate) fn build(scene: &Scene, problems: &mut Problems) -> Vec<DeformableParams> {
    let cloths = scene.cloths.iter().enumerate().map(|(k, cloth)| {
        let key = format!("cloth[{k}]");
        (self::cloth(cloth, &key), key)
    });
    let elastics = scene.elastics.iter().enumerate().map(|(k, elastic)| {
        let key = format!("elastic[{k}]");
        (self::elastic(elastic, &key), key)
    });
    let mut bodies = Vec::new();
    for (made, key) in cloths.chain(elastics) {
        let checked = made.and_then(|params| {
            let body = DeformableBody::new(params.clone(), BodyId(0));
            body.map(|_| params).map_err(|error| refused(&error, &key))
        });
        match checked {
            Ok(params) => bodies.push(params),
            Err(problem) => problems.push(problem),
        }
    }
    bodies
}

/// A body that is not checked yet, without pins.
fn body(
    name: &str,
    local: &[DVec3],
    (position, turn): (Vec3, Option<&Rotation>),
    velocity: Vec3,
    matter: &MatterSpec,
    structure: Structure,
) -> DeformableParams {
    let (position, turn) = (DVec3::from(position), rotation(turn));
    let rest: Vec<DVec3> = local.iter().map(|x| position + turn * *x).collect();
    DeformableParams {
        name: name.to_owned(),
        start: rest.clone(),
        velocity: vec![velocity.into(); rest.len()],
        rest,
        structure,
        material: ElasticMaterial { density: matter.density, young: matter.young, poisson: matter.poisson },
        damping: matter.damping,
        drag: 0.0,
        pins: Vec::new(),
        max_substep: f64::INFINITY,
    }
}

fn cloth(cloth: &ClothSpec, key: &str) -> Result<DeformableParams, BuildProblem> {
    let (vertex, triangle) = match (&cloth.path, cloth.size.zip(cloth.cells)) {
        (Some(path), _) => {
            let mesh = load(path, &cloth.scale, &format!("{key}.path"))?;
            (mesh.mesh().vertex.clone(), mesh.mesh().triangle.clone())
        }
        (None, Some((size, cells))) => rectangle(size, cells),
        // Refused with the scene.
        (None, None) => (Vec::new(), Vec::new()),
    };
    let structure = Structure::Sheet { triangle, thickness: cloth.thickness, rigidity: cloth.bending };
    let place = (cloth.position, cloth.rotation.as_ref());
    let mut params = body(&cloth.name, &vertex, place, cloth.velocity, &cloth.matter, structure);
    (params.drag, params.max_substep) = (cloth.drag, cloth.max_substep);
    params.pins = pins(&cloth.pins, cloth.cells, DVec3::from(cloth.position), key)?;
    Ok(params)
}

fn elastic(elastic: &ElasticSpec, key: &str) -> Result<DeformableParams, BuildProblem> {
    let TetMesh { vertex, tetrahedron } = match (&elastic.path, elastic.size.zip(elastic.cells)) {
        (Some(path), _) => {
            let path_key = format!("{key}.path");
            let mesh = load(path, &elastic.scale, &path_key)?;
            require_closed(&mesh, path, &path_key)?;
            let filled = TetMesh::fill(&mesh, elastic.edge.unwrap_or(f64::NAN));
            filled.map_err(|error| geometry_problem(&error, &format!("{key}.edge"), Purpose::Tetrahedra))?.0
        }
        (None, Some((size, cells))) => {
            let mut mesh = box_of_tetrahedra(size.into(), UVec3::from(cells));
            mesh.vertex.iter_mut().for_each(|x| *x -= 0.5 * DVec3::from(size));
            mesh
        }
        (None, None) => TetMesh::default(),
    };
    let order = match elastic.elements {
        ElementOrderSpec::Linear => ElementOrder::Linear,
        ElementOrderSpec::Quadratic => ElementOrder::Quadratic,
    };
    let structure = Structure::Volume { tetrahedron, order };
    let place = (elastic.position, elastic.rotation.as_ref());
    let mut params = body(&elastic.name, &vertex, place, elastic.velocity, &elastic.matter, structure);
    (params.drag, params.max_substep) = (elastic.drag, elastic.max_substep);
    params.pins = pins(&elastic.pins, None, DVec3::from(elastic.position), key)?;
    Ok(params)
}

/// A level rectangle about the origin, x fastest, with diagonals that alternate.
fn rectangle(size: [f64; 2], cells: [u32; 2]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let across = cells[0] + 1;
    let place = |n: u32, axis: usize| size[axis] * (f64::from(n) / f64::from(cells[axis]) - 0.5);
    let rows = 0..=cells[1];
    let vertex =
        rows.flat_map(|z| (0..across).map(move |x| DVec3::new(place(x, 0), 0.0, place(z, 1)))).collect();
    let mut triangle = Vec::with_capacity(2 * (cells[0] * cells[1]) as usize);
    for z in 0..cells[1] {
        for x in 0..cells[0] {
            let a = z * across + x;
            let (b, c, d) = (a + 1, a + across, a + across + 1);
            if (x + z) % 2 == 0 {
                triangle.extend([[a, d, b], [a, c, d]]);
            } else {
                triangle.extend([[a, c, b], [b, c, d]]);
            }
        }
    }
    (vertex, triangle)
}

fn pins(
    given: &[PinSpec],
    cells: Option<[u32; 2]>,
    position: DVec3,
    key: &str,
) -> Result<Vec<Pin>, BuildProblem> {
    let pin = |(k, pin): (usize, &PinSpec)| {
        let key = format!("{key}.pin[{k}]");
        let corner = |corner: &SheetCorner| {
            let [x, z] = cells.unwrap_or_default();
            match corner {
                SheetCorner::LeftBack => 0,
                SheetCorner::RightBack => x,
                SheetCorner::LeftFront => (x + 1) * z,
                SheetCorner::RightFront => (x + 1) * z + x,
            }
        };
        let place = match &pin.inside {
            Some(inside) => PinPlace::Box {
                min: DVec3::from(inside.min) - PIN_MARGIN,
                max: DVec3::from(inside.max) + PIN_MARGIN,
            },
            None if !pin.vertices.is_empty() => PinPlace::Nodes(pin.vertices.clone()),
            None => PinPlace::Nodes(pin.corners.iter().map(corner).collect()),
        };
        let motion = super::motion::build(pin.motion.as_ref(), position, &format!("{key}.motion"))?;
        Ok(Pin { motion, until: pin.until.unwrap_or(f64::INFINITY), ..Pin::fixed(place) })
    };
    given.iter().enumerate().map(pin).collect()
}

fn refused(error: &SolidError, key: &str) -> BuildProblem {
    let (message, help) = match error {
        SolidError::Invalid { place, what, allowed } => {
            (format!("{place}: {what} makes no sense"), format!("allowed: {allowed}"))
        }
        other => (other.to_string(), String::new()),
    };
    BuildProblem { key: key.to_owned(), message, label: "this body cannot be simulated".to_owned(), help }
}
