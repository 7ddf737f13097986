//! Pictures of a moment: water as a ray tracer sees it, or particles coloured by a field.

use crate::bodies::{BodyMeshes, deformables};
use crate::gathered::gathered;
use crate::look::Look;
use glam::{DVec3, Vec3Swizzles};
use meniscus_core::{DeformingFrame, Dimension, ParticleFrame};
use meniscus_coupling::Setup;
use meniscus_geometry::{Aabb, Shape, Side, Solid};
use meniscus_output::glb::{BodyPlace, BodyPlaces};
use meniscus_output::{ColourScale, Picture, PreviewView, Surface, SurfaceMesh, render_preview};
use meniscus_render::{Quality, RenderScene, render};
use meniscus_surface::FluidSurface;
use std::sync::Arc;

/// A field that colours particles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Field {
    /// Speed `[m/s]`.
    #[default]
    Speed,
    /// Pressure `[Pa]`.
    Pressure,
    /// Density `[kg/m^3]`.
    Density,
}

/// What a picture looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Width `[pixel]`.
    pub width: u32,
    /// Height `[pixel]`.
    pub height: u32,
    /// If given, particles are shown, coloured by this field; else water. Planes are always shown as particles.
    pub particles: Option<Field>,
    /// How much work goes into it.
    pub quality: Quality,
    /// Least and largest corner of what must be seen; if left out, they follow the moment `[m]`.
    pub bounds: Option<(DVec3, DVec3)>,
}

impl View {
    /// A picture to be looked at for a while.
    pub const STILL: Self =
        Self { width: 1280, height: 720, particles: None, quality: Quality::Still, bounds: None };
    /// One of many that follow each other.
    pub const MOTION: Self =
        Self { width: 480, height: 270, particles: None, quality: Quality::Motion, bounds: None };

    /// Whether pictures of this setup show water by its surface, which must then be known.
    #[must_use]
    pub fn needs_surface(&self, setup: &Setup) -> bool {
        self.is_traced(setup) && setup.has_fluid
    }

    /// Whether the ray tracer makes the picture.
    fn is_traced(&self, setup: &Setup) -> bool {
        self.particles.is_none() && setup.dimension == Dimension::Three
    }
}

/// A moment: particles, the surface around them if it is to be seen, and bodies where they are.
pub(crate) struct Moment<'a> {
    pub frame: &'a ParticleFrame,
    pub surface: Option<FluidSurface>,
    pub solids: &'a [Solid],
    /// Which of them are there at all.
    pub present: &'a [bool],
    /// Bodies that deform, if there are any.
    pub deforming: Option<&'a DeformingFrame>,
}

/// What a picture of a moment frames `[m]`.
pub(crate) fn framed(
    moment: Moment<'_>,
    setup: &Setup,
    meshes: &BodyMeshes,
    look: &Look<'_>,
    view: &View,
) -> (DVec3, DVec3) {
    if view.is_traced(setup) {
        return scene(moment, setup, meshes, look, view).bounds;
    }
    let (segments, shaded) = outlined_and_shaded(&moment, setup);
    bounds(&moment, setup, &segments, &shaded)
}

/// Draws a moment.
pub(crate) fn draw(
    moment: Moment<'_>,
    setup: &Setup,
    meshes: &BodyMeshes,
    look: &Look<'_>,
    view: &View,
) -> Picture {
    if view.is_traced(setup) {
        let scene = scene(moment, setup, meshes, look, view);
        return render(&scene, view.width, view.height, view.quality);
    }
    particles(&moment, setup, meshes, look, view)
}

/// Particles with the bodies: as surfaces where there are dynamic bodies, except for containers and planes, else as outlines.
fn particles(
    moment: &Moment<'_>,
    setup: &Setup,
    meshes: &BodyMeshes,
    look: &Look<'_>,
    view: &View,
) -> Picture {
    let Moment { frame, solids, present, .. } = *moment;
    let (segments, shaded) = outlined_and_shaded(moment, setup);
    let mut surfaces = meshes.surfaces(setup, &places(solids, present), |k| !is_outlined(solids, setup, k));
    surfaces.extend(moment.deforming.into_iter().flat_map(deformables));
    let preview = PreviewView {
        dimension: setup.dimension,
        spacing: setup.sph.fluid.spacing,
        bounds: view.bounds.unwrap_or_else(|| bounds(moment, setup, &segments, &shaded)),
        surfaces,
        segments,
        width: view.width,
        height: view.height,
        caption: format!("{}  t = {:.3} s", look.title, frame.time),
        viewpoint: look.viewpoint,
        scale: scale(frame, view.particles.unwrap_or_default()),
    };
    render_preview(frame, &preview)
}

/// Whether pictures of particles show a body by its edges.
fn is_outlined(solids: &[Solid], setup: &Setup, k: usize) -> bool {
    solids.get(k).is_none_or(|s| setup.solids.is_none() || is_around(s))
}

/// The edges of bodies that are outlined, and the bodies that are shaded.
fn outlined_and_shaded<'a>(moment: &Moment<'a>, setup: &Setup) -> (Vec<[DVec3; 2]>, Vec<&'a Solid>) {
    let Moment { solids, present, .. } = *moment;
    let here = |k: usize| present.get(k).copied().unwrap_or(true);
    let there = || solids.iter().enumerate().filter(|(k, _)| here(*k));
    let outlined = |k: usize| is_outlined(solids, setup, k);
    let edges = there().filter(|(k, _)| outlined(*k)).flat_map(|(_, s)| s.outline(setup.dimension)).collect();
    (edges, there().filter(|(k, _)| !outlined(*k)).map(|(_, s)| s).collect())
}

/// The colours of a field, from its least to nearly its largest value; nothing for the speed, which has its own.
fn scale(frame: &ParticleFrame, field: Field) -> Option<ColourScale> {
    let (value, label) = match field {
        Field::Speed => return None,
        Field::Pressure => (frame.pressure.clone(), "Pa"),
        Field::Density => (frame.density.clone(), "kg/m3"),
    };
    let mut sorted: Vec<f32> = value.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    // A few particles shall not take the colours from all others.
    let at = |part: f64| sorted.get((sorted.len().saturating_sub(1) as f64 * part) as usize).copied();
    let (low, high) = (f64::from(at(0.005).unwrap_or(0.0)), f64::from(at(0.995).unwrap_or(1.0)));
    Some(ColourScale {
        value,
        range: [low, high.max(low + 1e-9 * (1.0 + low.abs()))],
        label: label.to_owned(),
    })
}

/// Where bodies are, as their meshes want it.
pub(crate) fn places(solids: &[Solid], present: &[bool]) -> BodyPlaces {
    let place = |(solid, &present): (&Solid, &bool)| BodyPlace {
        position: solid.pose.translation,
        rotation: solid.pose.rotation,
        present,
    };
    solids.iter().zip(present).map(place).collect()
}

/// What a ray tracer sees: bodies as they are, boxes around the fluid by their edges, other containers from inside, a
/// level floor as the ground.
fn scene(
    moment: Moment<'_>,
    setup: &Setup,
    meshes: &BodyMeshes,
    look: &Look<'_>,
    view: &View,
) -> RenderScene {
    let Moment { solids, present, deforming, .. } = moment;
    let is_box = |s: &Solid| matches!(s.shape, Shape::Box { .. });
    let is_plane = |s: &Solid| matches!(s.shape, Shape::Plane { .. });
    let here = |k: usize| present.get(k).copied().unwrap_or(true);
    let seen = |k: usize| here(k) && solids.get(k).is_some_and(|s| !is_around(s));
    let hollow = |k: usize| solids.get(k).is_some_and(|s| s.side == Side::Container && !is_box(s));
    let places = places(solids, present);
    let around = solids.iter().filter(|s| s.side == Side::Container && is_box(s));
    let edges: Vec<[DVec3; 2]> = around.flat_map(|s| s.outline(setup.dimension)).collect();
    let shown: Vec<&Solid> =
        solids.iter().enumerate().filter(|(k, _)| seen(*k) || hollow(*k)).map(|(_, s)| s).collect();
    let level = |s: &&Solid| is_plane(s) && (s.pose.rotation * DVec3::Y).xz().length() < 1e-6;
    let floor = solids.iter().filter(level).map(|s| s.pose.translation.y).reduce(f64::max);
    let mut bounds = bounds(&moment, setup, &[], &shown);
    let tank = Aabb::of_points(edges.iter().flatten().copied());
    // A room in which something small happens need not be seen whole.
    if !tank.is_empty() && tank.size().max_element() < ROOM * (bounds.1 - bounds.0).max_element() {
        bounds = (bounds.0.min(tank.min), bounds.1.max(tank.max));
    }
    if let Some(floor) = floor {
        bounds.0.y = bounds.0.y.max(floor).min(bounds.1.y);
    }
    let is_cut = |k: usize| setup.bodies.get(k).is_some_and(|body| look.is_cut(body.entry));
    let mut bodies = meshes.surfaces(setup, &places, |k| seen(k) && !is_cut(k));
    let cut = meshes.surfaces(setup, &places, |k| seen(k) && is_cut(k));
    bodies.extend(deforming.into_iter().flat_map(deformables));
    bodies.extend(cut.iter().map(|body| cut_open(body, look.towards_eye(body.position))));
    RenderScene {
        water: moment.surface,
        spacing: setup.sph.fluid.spacing,
        bodies,
        walls: meshes.surfaces(setup, &places, hollow).iter().map(inside_out).collect(),
        edges,
        ground: floor,
        bounds: view.bounds.unwrap_or(bounds),
        viewpoint: look.viewpoint,
        light: look.light,
    }
}

/// The surface with its other side out.
fn inside_out(surface: &Surface) -> Surface {
    let triangle = surface.mesh.triangle.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let mesh = SurfaceMesh { vertex: surface.mesh.vertex.clone(), triangle };
    Surface { mesh: Arc::new(mesh), ..surface.clone() }
}

/// What of a surface is behind the plane through its origin that faces `towards_eye`.
fn cut_open(surface: &Surface, towards_eye: DVec3) -> Surface {
    let normal = surface.rotation.inverse() * towards_eye;
    let SurfaceMesh { vertex, triangle } = surface.mesh.as_ref();
    let mut mesh = SurfaceMesh { vertex: vertex.clone(), triangle: Vec::new() };
    for &corners in triangle {
        let Some(places) = place_of(&vertex[..], corners) else { continue };
        let height = places.map(|x| x.dot(normal));
        if height.iter().all(|h| *h <= 0.0) {
            mesh.triangle.push(corners);
            continue;
        }
        let first = mesh.vertex.len() as u32;
        for k in 0..3 {
            let (a, b) = (k, (k + 1) % 3);
            if height[a] <= 0.0 {
                mesh.vertex.push(places[a]);
            }
            if (height[a] <= 0.0) != (height[b] <= 0.0) {
                mesh.vertex.push(places[a].lerp(places[b], height[a] / (height[a] - height[b])));
            }
        }
        // What is left of a triangle is one, or two side by side.
        let last = mesh.vertex.len() as u32;
        mesh.triangle.extend((first + 1..last.saturating_sub(1)).map(|n| [first, n, n + 1]));
    }
    Surface { mesh: Arc::new(mesh), ..surface.clone() }
}

/// Where the corners of a triangle are `[m]`; nothing if it names vertices that are not there.
fn place_of(vertex: &[DVec3], corners: [u32; 3]) -> Option<[DVec3; 3]> {
    let [a, b, c] = corners.map(|n| vertex.get(n as usize).copied());
    Some([a?, b?, c?])
}

/// A container that is so many times larger than what is in it is a room.
const ROOM: f64 = 4.0;

/// Whether a body is around the others or without end, and would hide them.
pub(crate) fn is_around(solid: &Solid) -> bool {
    solid.side == Side::Container || matches!(solid.shape, Shape::Plane { .. })
}

/// What must be seen: the bodies, and most of the fluid. Drops may fly far; they shall not shrink the rest.
fn bounds(moment: &Moment<'_>, setup: &Setup, segments: &[[DVec3; 2]], shaded: &[&Solid]) -> (DVec3, DVec3) {
    let outlines = Aabb::of_points(segments.iter().flatten().copied());
    let fluid = most(&gathered(&moment.frame.position, setup.sph.fluid.spacing));
    let deforming = moment.deforming.map_or(Aabb::EMPTY, |f| Aabb::of_points(f.position.iter().copied()));
    let corners: Vec<DVec3> = shaded.iter().map(|s| s.bounds()).flat_map(|b| [b.min, b.max]).collect();
    // Where surfaces are drawn, an outlined floor need not be seen whole.
    let around = if shaded.is_empty() && deforming.is_empty() { outlines } else { Aabb::EMPTY };
    let Aabb { min, max } = around.join(fluid).join(deforming).join(most(&corners));
    if min.cmpgt(max).any() || !(min.is_finite() && max.is_finite()) {
        return (DVec3::ZERO, DVec3::ONE);
    }
    let margin = if setup.has_fluid { 0.5 * setup.sph.fluid.spacing } else { 0.0 };
    let margin = if setup.dimension == Dimension::Two {
        DVec3::new(margin, margin, 0.0)
    } else {
        DVec3::splat(margin)
    };
    (min - margin, max + margin)
}

/// The box around all but the outermost hundredth of the points on each side.
fn most(points: &[DVec3]) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    let skip = points.len() / 100;
    for axis in 0..3 {
        let mut column: Vec<f64> = points.iter().map(|x| x[axis]).filter(|x| x.is_finite()).collect();
        if column.len() <= 2 * skip || column.is_empty() {
            return Aabb::EMPTY;
        }
        let last = column.len() - 1 - skip;
        bounds.min[axis] = *column.select_nth_unstable_by(skip, f64::total_cmp).1;
        bounds.max[axis] = *column.select_nth_unstable_by(last, f64::total_cmp).1;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_body_keeps_what_is_behind() {
        let vertex = vec![DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_Z];
        // In front of the plane z = 0 but for an edge, and behind it but for an edge, cut in half, and one that is none.
        let triangle = vec![[0, 1, 2], [1, 0, 3], [2, 3, 0], [0, 1, 9]];
        let surface = Surface {
            mesh: Arc::new(SurfaceMesh { vertex, triangle }),
            position: DVec3::ZERO,
            rotation: glam::DQuat::IDENTITY,
            tint: 0,
            light: 1.0,
            smooth: false,
        };
        let cut = cut_open(&surface, DVec3::Z);
        let area: f64 = cut
            .mesh
            .triangle
            .iter()
            .map(|&corners| {
                let [a, b, c] = place_of(&cut.mesh.vertex, corners).unwrap();
                assert!(a.z <= 0.0 && b.z <= 0.0 && c.z <= 0.0);
                0.5 * (b - a).cross(c - a).length()
            })
            .sum();
        assert!((area - (0.75_f64.sqrt() + 0.5)).abs() < 1e-12, "{area}");
    }
}
