//! What a deformable body is: its shape, what joins its nodes, and what it is made of.

use super::material::ElasticMaterial;
use super::pin::Pin;
use glam::DVec3;
use meniscus_core::SolidError;
use meniscus_geometry::tetra::volume;

/// Degree of the shape functions of tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ElementOrder {
    /// Four nodes: cheap, and too stiff in bending.
    Linear,
    /// Ten nodes.
    #[default]
    Quadratic,
}

/// What the nodes of a body are joined by.
#[derive(Debug, Clone, PartialEq)]
pub enum Structure {
    /// A sheet of triangles.
    Sheet {
        /// Its triangles.
        triangle: Vec<[u32; 3]>,
        /// `[m]`
        thickness: f64,
        /// Flexural rigidity, if it is not that of the material and the thickness `[N m]`.
        rigidity: Option<f64>,
    },
    /// A volume of tetrahedra.
    Volume {
        /// Corners, the last one where the first three run counter-clockwise.
        tetrahedron: Vec<[u32; 4]>,
        /// Of shape functions.
        order: ElementOrder,
    },
    /// A rope along its nodes, in their order.
    Rope {
        /// `[m]`
        radius: f64,
    },
}

/// A deformable body.
#[derive(Debug, Clone, PartialEq)]
pub struct DeformableParams {
    /// What it is called.
    pub name: String,
    /// Its nodes in the shape in which nothing is stressed `[m]`.
    pub rest: Vec<DVec3>,
    /// Where they are at the start `[m]`.
    pub start: Vec<DVec3>,
    /// How they move then `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// What joins them.
    pub structure: Structure,
    /// What it is made of.
    pub material: ElasticMaterial,
    /// Viscous stress is what this time makes of the rate of strain, by the stiffness at rest `[s]`.
    pub damping: f64,
    /// Deceleration by velocity `[1/s]`.
    pub drag: f64,
    /// Nodes that are held.
    pub pins: Vec<Pin>,
    /// The longest step it takes `[s]`.
    pub max_substep: f64,
}

/// Refuses what makes no sense.
pub(super) fn check(params: &DeformableParams) -> Result<(), SolidError> {
    let DeformableParams { name, rest, start, velocity, structure, material, damping, drag, .. } = params;
    material.check(name)?;
    let invalid = |what: String, allowed| Err(SolidError::invalid(name, what, allowed));
    for (what, value) in [("damping", *damping), ("drag", *drag)] {
        if !(value >= 0.0 && value.is_finite()) {
            return invalid(format!("{what} = {value}"), "zero or more");
        }
    }
    if params.max_substep.is_nan() || params.max_substep <= 0.0 {
        return invalid(format!("max_substep = {} s", params.max_substep), "more than zero");
    }
    if rest.len() != start.len() || rest.len() != velocity.len() || rest.is_empty() {
        let what = format!(
            "{} nodes at rest, {} at the start, {} velocities",
            rest.len(),
            start.len(),
            velocity.len()
        );
        return invalid(what, "as many of each, and at least one");
    }
    if let Some(node) =
        (0..rest.len()).find(|&n| !(rest[n].is_finite() && start[n].is_finite() && velocity[n].is_finite()))
    {
        return invalid(format!("the place or velocity of node {node}"), "finite numbers");
    }
    let known = |nodes: &[u32]| nodes.iter().all(|n| (*n as usize) < rest.len());
    match structure {
        Structure::Sheet { triangle, thickness, rigidity } => {
            if !(*thickness > 0.0 && thickness.is_finite()) {
                return invalid(format!("thickness = {thickness} m"), "more than zero");
            }
            if rigidity.is_some_and(|r| !(r >= 0.0 && r.is_finite())) {
                return invalid(format!("a bending stiffness of {rigidity:?} N m"), "zero or more");
            }
            if triangle.is_empty() || !triangle.iter().all(|t| known(t)) {
                return invalid(
                    "triangles that are missing or have unknown nodes".to_owned(),
                    "nodes of the body",
                );
            }
            let flat = |t: &[u32; 3]| {
                let [a, b, c] = t.map(|n| rest[n as usize]);
                let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
                (b - a).cross(c - a).length() <= 1e-9 * longest
            };
            if let Some(n) = triangle.iter().position(flat) {
                return invalid(
                    format!("triangle {n} has no area, which"),
                    "triangles with an area; repair the mesh",
                );
            }
        }
        Structure::Volume { tetrahedron, .. } => {
            if tetrahedron.is_empty() || !tetrahedron.iter().all(|t| known(t)) {
                return invalid(
                    "tetrahedra that are missing or have unknown nodes".to_owned(),
                    "nodes of the body",
                );
            }
            if let Some(n) = tetrahedron.iter().position(|t| volume(t.map(|n| rest[n as usize])) <= 0.0) {
                let allowed = "tetrahedra with a volume, whose first three corners run counter-clockwise seen from the last";
                return invalid(format!("tetrahedron {n} is flat or inside out, which"), allowed);
            }
        }
        Structure::Rope { radius } => {
            if !(*radius > 0.0 && radius.is_finite()) {
                return invalid(format!("radius = {radius} m"), "more than zero");
            }
            if rest.len() < 2 || rest.windows(2).any(|w| w[0] == w[1]) {
                return invalid(
                    "a rope with fewer than two nodes, or two at one place,".to_owned(),
                    "at least two nodes, all apart",
                );
            }
        }
    }
    Ok(())
}
