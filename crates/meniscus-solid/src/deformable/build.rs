//! From the description of a body to its elements, masses, surface and held nodes.

use super::cloth::membrane::Membrane;
use super::cloth::patch::{BranchingEdge, Patch, patches};
use super::cloth::{bending, hinge};
use super::elastic::lattice::{middles, surface};
use super::elastic::neo_hookean::NeoHookean;
use super::elastic::tetrahedron::{Linear, Quadratic};
use super::material::ElasticMaterial;
use super::params::{DeformableParams, ElementOrder, Structure};
use super::pin::Pin;
use super::rope::{self, Segment};
use super::system::Elements;
use glam::DVec3;
use meniscus_core::SolidError;
use meniscus_geometry::tetra::volume;

/// A node that is held, and by which pin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) node: u32,
    pub(super) pin: u32,
}

/// Angles between triangles of a sheet below which it counts as flat at rest `[rad]`.
const FLAT: f64 = 1e-6;

/// The parts of a body.
#[derive(Default)]
pub(super) struct Built {
    /// Where its nodes are at the start, those in the middles of edges included `[m]`.
    pub(super) start: Vec<DVec3>,
    /// How they move then `[m/s]`.
    pub(super) velocity: Vec<DVec3>,
    pub(super) elements: Elements,
    /// `[kg]`
    pub(super) mass: Vec<f64>,
    pub(super) surface: Vec<[u32; 3]>,
    /// `[m]`
    pub(super) thickness: f64,
    pub(super) held: Vec<Held>,
}

/// The parts of a body whose numbers make sense.
pub(super) fn build(params: &DeformableParams) -> Result<Built, SolidError> {
    let DeformableParams { name, structure, material, .. } = params;
    let mut rest = params.rest.clone();
    let mut built =
        Built { start: params.start.clone(), velocity: params.velocity.clone(), ..Built::default() };
    match structure {
        Structure::Sheet { triangle, thickness, rigidity } => {
            let rigidity = rigidity.unwrap_or_else(|| material.flexural_rigidity(*thickness));
            sheet(&mut built.elements, &rest, triangle, (*thickness, rigidity), material, name)?;
            built.mass = sheet_masses(&rest, triangle, material.density * thickness);
            (built.surface, built.thickness) = (triangle.clone(), *thickness);
        }
        Structure::Volume { tetrahedron, order } => {
            let quadratic = *order == ElementOrder::Quadratic;
            let (middle, ends) =
                if quadratic { middles(tetrahedron, rest.len() as u32) } else { Default::default() };
            for list in [&mut rest, &mut built.start, &mut built.velocity] {
                let between = ends.iter().map(|[a, b]| 0.5 * (list[*a as usize] + list[*b as usize]));
                let between: Vec<DVec3> = between.collect();
                list.extend(between);
            }
            solid(&mut built.elements, &rest, tetrahedron, &middle, material);
            built.mass = solid_masses(&rest, tetrahedron, &middle, material.density);
            built.surface = surface(tetrahedron, quadratic.then_some(&middle[..]));
        }
        Structure::Rope { radius } => {
            built.mass = rope(&mut built.elements, &rest, *radius, material);
            built.thickness = 2.0 * radius;
        }
    }
    if let Some(node) = built.mass.iter().position(|mass| *mass == 0.0) {
        let allowed = "every node in an element; remove vertices that no element uses";
        return Err(SolidError::invalid(name, format!("node {node} has no mass, which"), allowed));
    }
    built.held = held_nodes(&params.pins, &built.start, name)?;
    Ok(built)
}

/// A third of each triangle at each of its corners, by mass per area `[kg/m²]`.
fn sheet_masses(rest: &[DVec3], triangles: &[[u32; 3]], density: f64) -> Vec<f64> {
    let mut mass = vec![0.0; rest.len()];
    for t in triangles {
        let [a, b, c] = t.map(|n| rest[n as usize]);
        let third = density * 0.5 * (b - a).cross(c - a).length() / 3.0;
        for &n in t {
            mass[n as usize] += third;
        }
    }
    mass
}

/// A quarter of each tetrahedron at each of its corners; with middles, the diagonal of the consistent mass matrix scaled to the
/// whole (Hinton, Rock and Zienkiewicz 1976).
fn solid_masses(rest: &[DVec3], tetrahedra: &[[u32; 4]], middle: &[[u32; 6]], density: f64) -> Vec<f64> {
    let mut mass = vec![0.0; rest.len()];
    let (corner, between) = if middle.is_empty() { (0.25, 0.0) } else { (1.0 / 36.0, 4.0 / 27.0) };
    for (n, t) in tetrahedra.iter().enumerate() {
        let whole = density * volume(t.map(|n| rest[n as usize]));
        for &n in t {
            mass[n as usize] += corner * whole;
        }
        for &n in middle.get(n).into_iter().flatten() {
            mass[n as usize] += between * whole;
        }
    }
    mass
}

/// Segments and corners of a rope, and its masses.
fn rope(elements: &mut Elements, rest: &[DVec3], radius: f64, material: &ElasticMaterial) -> Vec<f64> {
    let area = std::f64::consts::PI * radius * radius;
    let rigidity = material.young * area * radius * radius / 4.0;
    let mut mass = vec![0.0; rest.len()];
    for k in 1..rest.len() {
        elements.segment.push(Segment::new([k as u32 - 1, k as u32], rest, material.young * area));
        let half = 0.5 * material.density * area * rest[k - 1].distance(rest[k]);
        mass[k - 1] += half;
        mass[k] += half;
    }
    for k in 2..rest.len() as u32 {
        elements.stencil.push(rope::corner([k - 2, k - 1, k], rest, rigidity));
    }
    mass
}

/// Membranes and bending of a sheet.
fn sheet(
    elements: &mut Elements,
    rest: &[DVec3],
    triangles: &[[u32; 3]],
    (thickness, rigidity): (f64, f64),
    material: &ElasticMaterial,
    name: &str,
) -> Result<(), SolidError> {
    let lame = material.plane_stress();
    elements.membrane = triangles.iter().map(|t| Membrane::new(*t, rest, thickness, lame)).collect();
    let patches = patches(triangles).map_err(|BranchingEdge([a, b])| {
        let what = format!("the edge between nodes {a} and {b} belongs to more than two triangles or to two that face opposite ways, which");
        SolidError::invalid(name, what, "surfaces with at most two triangles at each edge, all facing one way")
    })?;
    let place = |n: u32| rest[n as usize];
    let is_bent = |patch: &Patch| {
        (0..3).any(|edge| {
            let [a, b, c] = [0, 1, 2].map(|k| patch.corner[(edge + k) % 3]);
            patch.opposite[edge].is_some_and(|d| hinge::angle([a, b, c, d].map(place)).abs() > FLAT)
        })
    };
    if patches.iter().any(is_bent) {
        elements.shell =
            patches.iter().map(|p| hinge::ShellPatch::new(p, rest, rigidity, material.poisson)).collect();
    } else {
        elements.stencil =
            patches.iter().map(|p| bending::flat(p, rest, rigidity, material.poisson)).collect();
    }
    Ok(())
}

/// Tetrahedra of a volume, quadratic if they have middles.
fn solid(
    elements: &mut Elements,
    rest: &[DVec3],
    tetrahedra: &[[u32; 4]],
    middle: &[[u32; 6]],
    material: &ElasticMaterial,
) {
    let law = NeoHookean::new(material.lame());
    if middle.is_empty() {
        elements.linear = tetrahedra.iter().map(|t| Linear::new(*t, rest, law)).collect();
        return;
    }
    let quadratic = tetrahedra.iter().zip(middle).map(|([a, b, c, d], [p, q, r, s, t, u])| {
        Quadratic::new([*a, *b, *c, *d, *p, *q, *r, *s, *t, *u], rest, law)
    });
    elements.quadratic = quadratic.collect();
}

fn held_nodes(pins: &[Pin], start: &[DVec3], name: &str) -> Result<Vec<Held>, SolidError> {
    let mut held = Vec::new();
    for (number, pin) in (0..).zip(pins) {
        let place = format!("{name}, pin {number}");
        pin.motion.check(&place)?;
        if pin.until.is_nan() {
            return Err(SolidError::invalid(place, "a release at a time that is no number", "a time"));
        }
        let nodes = pin.nodes(start);
        if let Some(node) = nodes.iter().find(|n| **n as usize >= start.len()) {
            let what = format!("node {node} of a body with {} nodes", start.len());
            return Err(SolidError::invalid(place, what, "nodes that the body has"));
        }
        if nodes.is_empty() {
            return Err(SolidError::invalid(place, "holding no node", "a place where the body has nodes"));
        }
        held.extend(nodes.into_iter().map(|node| Held { node, pin: number }));
    }
    Ok(held)
}
