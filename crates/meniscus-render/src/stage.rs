//! The scene as rays see it: in units of its size, around its middle, in single precision.

use glam::{DVec2, DVec3, Vec2, Vec3};
use meniscus_output::preview::{Camera, Surface, Viewpoint, tint_colour};
use meniscus_surface::FluidSurface;

use crate::bvh::{Bvh, Ray};
use crate::drops;
use crate::floor::Floor;
use crate::sky::{Lamp, Light};

/// What a picture shows.
#[derive(Debug, Clone, Default)]
pub struct RenderScene {
    /// The surface of the fluid, if there is fluid.
    pub water: Option<FluidSurface>,
    /// Distance of particles `[m]`: gaps below it between water and solids are closed.
    pub spacing: f64,
    /// Bodies.
    pub bodies: Vec<Surface>,
    /// Containers, of which only the inner side is seen; rays pass through the outer side.
    pub walls: Vec<Surface>,
    /// Edges of containers, shown as thin rods `[m]`.
    pub edges: Vec<[DVec3; 2]>,
    /// Height of the ground; if left out, the lowest point of the bounds `[m]`.
    pub ground: Option<f64>,
    /// Least and largest corner of what must be seen `[m]`.
    pub bounds: (DVec3, DVec3),
    /// Where the picture is taken from.
    pub viewpoint: Viewpoint,
    /// What shines.
    pub light: Light,
}

/// How much work goes into a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// For pictures that are looked at for a while.
    Still,
    /// For small pictures that follow each other.
    Motion,
}

impl Quality {
    /// Photons from the sun along one side of the scene `[1]`.
    pub(crate) fn photons(self) -> u32 {
        if self == Self::Still { 640 } else { 320 }
    }

    /// Patches of the ground along its longer side `[1]`.
    pub(crate) fn patches(self) -> usize {
        if self == Self::Still { 224 } else { 128 }
    }

    /// Rays into the sky from each patch `[1]`.
    pub(crate) fn sky_rays(self) -> u32 {
        if self == Self::Still { 24 } else { 12 }
    }

    /// Rays to the sun, and as many into the sky, from a point of a body `[1]`.
    pub(crate) fn body_rays(self) -> u32 {
        if self == Self::Still { 4 } else { 2 }
    }

    /// Samples of a pixel that differs from its neighbours `[1]`.
    pub(crate) fn samples(self) -> u32 {
        if self == Self::Still { 5 } else { 4 }
    }
}

/// Bodies, walls and rods, and how each triangle looks.
pub(crate) struct Solids {
    pub(crate) tree: Bvh,
    pub(crate) normal: Vec<Vec3>,
    /// Of triangles of smooth surfaces: the normals at their corners.
    pub(crate) corners: Vec<Option<[Vec3; 3]>>,
    pub(crate) colour: Vec<Vec3>,
}

/// The water's surface.
pub(crate) struct Water {
    pub(crate) tree: Bvh,
    pub(crate) vertex: Vec<Vec3>,
    pub(crate) normal: Vec<Vec3>,
    pub(crate) triangle: Vec<[u32; 3]>,
}

/// Everything, ready for rays.
pub(crate) struct Stage {
    pub(crate) quality: Quality,
    pub(crate) solids: Solids,
    /// Inner sides of containers, which rays from outside pass.
    pub(crate) walls: Solids,
    pub(crate) water: Option<Water>,
    /// Half the size of the bounds.
    pub(crate) half: Vec3,
    /// Height of the ground.
    pub(crate) ground: f32,
    /// Gaps up to this width between water and solids are closed.
    pub(crate) gap: f32,
    pub(crate) lamp: Lamp,
    pub(crate) floor: Floor,
    camera: Camera,
    middle: DVec3,
    scale: f64,
}

impl Stage {
    pub(crate) fn new(scene: &RenderScene, width: u32, height: u32, quality: Quality) -> Self {
        let (low, high) = meniscus_output::preview::sound_bounds(scene.bounds);
        let size = DVec2::new(f64::from(width), f64::from(height));
        let camera = Camera::new(&scene.viewpoint, (low, high), size);
        let middle = (low + high) * 0.5;
        let scale = 2.0 / (high - low).length();
        let local = |x: DVec3| ((x - middle) * scale).as_vec3();
        // Thin, but not so thin that rays miss it.
        let rod = (1.6 / height.max(1) as f32).clamp(0.003, 0.02);
        let mut stage = Self {
            quality,
            solids: Solids::new(&scene.bodies, &scene.edges, rod, local),
            walls: Solids::new(&scene.walls, &[], rod, local),
            water: scene.water.as_ref().map(|water| {
                let mut water = water.clone();
                drops::draw_out(&mut water, scene.spacing);
                Water::new(&water, local)
            }),
            half: local(high),
            ground: local(DVec3::Y * scene.ground.filter(|y| y.is_finite()).unwrap_or(low.y)).y,
            gap: (scene.spacing * scale) as f32,
            lamp: Lamp::new(&scene.light),
            floor: Floor::default(),
            camera,
            middle,
            scale,
        };
        stage.floor = Floor::new(&stage);
        stage
    }

    /// The ray through a place of the picture.
    pub(crate) fn sight(&self, pixel: Vec2) -> Ray {
        let (eye, along) = self.camera.sight(pixel.as_dvec2());
        Ray { from: ((eye - self.middle) * self.scale).as_vec3(), along: along.as_vec3().normalize() }
    }
}

impl Solids {
    fn new(
        surfaces: &[Surface],
        edges: &[[DVec3; 2]],
        rod: f32,
        local: impl Fn(DVec3) -> Vec3 + Copy,
    ) -> Self {
        let mut vertex: Vec<Vec3> = Vec::new();
        let mut triangle: Vec<[u32; 3]> = Vec::new();
        let mut colour: Vec<Vec3> = Vec::new();
        let mut corners: Vec<Option<[Vec3; 3]>> = Vec::new();
        for surface in surfaces {
            let first = vertex.len() as u32;
            let count = surface.mesh.vertex.len() as u32;
            vertex
                .extend(surface.mesh.vertex.iter().map(|x| local(surface.rotation * *x + surface.position)));
            let fits = surface.mesh.triangle.iter().filter(|t| t.iter().all(|v| *v < count));
            triangle.extend(fits.map(|t| t.map(|v| v + first)));
            colour.resize(triangle.len(), tint_colour(surface.tint) * surface.light);
            if surface.smooth {
                add_corner_normals(&vertex, &triangle[corners.len()..], &mut corners);
            }
            corners.resize(triangle.len(), None);
        }
        for [from, to] in edges {
            add_rod(&mut vertex, &mut triangle, local(*from), local(*to), rod);
            colour.resize(triangle.len(), Vec3::splat(0.16));
        }
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertex[v as usize]);
            (b - a).cross(c - a).normalize_or(Vec3::Y)
        };
        let normal = triangle.iter().map(normal).collect();
        corners.resize(triangle.len(), None);
        Self { tree: Bvh::new(&vertex, &triangle), normal, corners, colour }
    }
}

/// The largest angle between two triangles across which a smooth surface looks smooth: 50°, as its cosine `[1]`.
const CREASE: f32 = 0.64;

/// Adds the smooth normals at the corners of these triangles: at each vertex the mean of the triangles around it by their areas, but
/// of those beyond a crease.
fn add_corner_normals(vertex: &[Vec3], triangle: &[[u32; 3]], corners: &mut Vec<Option<[Vec3; 3]>>) {
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| vertex[v as usize]);
        (b - a).cross(c - a)
    };
    let area: Vec<Vec3> = triangle.iter().map(area).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); vertex.len()];
    for (k, t) in (0..).zip(triangle) {
        for &v in t {
            around[v as usize].push(k);
        }
    }
    let smooth = |own: Vec3, v: u32| -> Vec3 {
        let normal = own.normalize_or(Vec3::Y);
        let near = around[v as usize].iter().map(|k| area[*k as usize]);
        let near = near.filter(|other| other.dot(normal) >= CREASE * other.length());
        near.sum::<Vec3>().normalize_or(normal)
    };
    corners.extend(triangle.iter().zip(&area).map(|(t, own)| Some(t.map(|v| smooth(*own, v)))));
}

/// Adds a square rod from one point to another.
fn add_rod(vertex: &mut Vec<Vec3>, triangle: &mut Vec<[u32; 3]>, from: Vec3, to: Vec3, half: f32) {
    let Some(along) = (to - from).try_normalize() else { return };
    let (u, v) = along.any_orthonormal_pair();
    let first = vertex.len() as u32;
    for end in [from - along * half, to + along * half] {
        vertex.extend([u + v, v - u, -u - v, u - v].map(|corner| end + corner * half));
    }
    for k in 0..4 {
        let [a, b] = [k, (k + 1) % 4].map(|k| first + k);
        triangle.extend([[a, b, b + 4], [a, b + 4, a + 4]]);
    }
    triangle.extend([[0, 3, 2], [0, 2, 1], [4, 5, 6], [4, 6, 7]].map(|t| t.map(|k| first + k)));
}

impl Water {
    fn new(surface: &FluidSurface, local: impl Fn(DVec3) -> Vec3) -> Self {
        let vertex: Vec<Vec3> = surface.vertex.iter().map(|x| local(*x)).collect();
        let fits = |t: &&[u32; 3]| t.iter().all(|v| (*v as usize) < vertex.len());
        let triangle: Vec<[u32; 3]> = surface.triangle.iter().filter(fits).copied().collect();
        let mut normal = surface.normal.clone();
        normal.resize(vertex.len(), Vec3::Y);
        Self { tree: Bvh::new(&vertex, &triangle), vertex, normal, triangle }
    }
}
