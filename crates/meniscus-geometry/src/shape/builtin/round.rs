//! Shapes that are turned on a lathe, and the ball.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DVec2, DVec3};

use super::lathe::{arc, revolve};
use super::{allow_triangles, check, require_smaller};
use crate::{GeometryError, TriangleMesh};

/// A ball, from an icosahedron whose faces are divided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SphereMesh {
    /// The radius `[m]`.
    pub radius: f64,
    /// About how many edges go once around it `[1]`.
    pub segments: u32,
}

/// A cylinder along y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CylinderMesh {
    /// The radius `[m]`.
    pub radius: f64,
    /// The length `[m]`.
    pub height: f64,
    /// Chords of its circles `[1]`.
    pub segments: u32,
}

/// A cylinder along y with half a ball at each end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// The radius `[m]`.
    pub radius: f64,
    /// The length from end to end, more than twice the radius `[m]`.
    pub height: f64,
    /// Chords of its circles `[1]`.
    pub segments: u32,
}

/// A cone that stands on its base, its tip on the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// The radius of the base `[m]`.
    pub radius: f64,
    /// The distance from base to tip; the origin is half way `[m]`.
    pub height: f64,
    /// Chords of the base `[1]`.
    pub segments: u32,
}

/// A ring about the y axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Torus {
    /// From the middle of the ring to the middle of its tube `[m]`.
    pub radius: f64,
    /// The radius of the tube, smaller than that of the ring `[m]`.
    pub tube: f64,
    /// Chords of its outer circle `[1]`.
    pub segments: u32,
}

/// The lower half of a hollow ball: a bowl with a flat rim, open above. The origin is the middle of the rim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bowl {
    /// The outer radius `[m]`.
    pub radius: f64,
    /// The thickness of its wall `[m]`.
    pub thickness: f64,
    /// Chords of its rim `[1]`.
    pub segments: u32,
}

/// A ball with a round cavity in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HollowSphere {
    /// The outer radius `[m]`.
    pub radius: f64,
    /// The thickness of its wall `[m]`.
    pub thickness: f64,
    /// About how many edges go once around it `[1]`.
    pub segments: u32,
}

/// A cylindrical cup with a flat bottom, open above.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cup {
    /// The outer radius `[m]`.
    pub radius: f64,
    /// The outer height `[m]`.
    pub height: f64,
    /// The thickness of wall and bottom `[m]`.
    pub thickness: f64,
    /// Chords of its rim `[1]`.
    pub segments: u32,
}

impl CylinderMesh {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size is not positive and finite, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius: r, height, segments } = *self;
        check(&[("cylinder radius", r), ("cylinder height", height)], segments)?;
        let h = 0.5 * height;
        revolve(&[DVec2::new(0.0, -h), DVec2::new(r, -h), DVec2::new(r, h), DVec2::new(0.0, h)], segments)
    }
}

impl Capsule {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius: r, height, segments } = *self;
        check(&[("capsule radius", r), ("capsule height", height)], segments)?;
        require_smaller(("twice the capsule radius", 2.0 * r), ("its height", height))?;
        let (y, step) = (0.5 * height - r, TAU * r / f64::from(segments));
        let lower = arc(DVec2::new(0.0, -y), r, -FRAC_PI_2, 0.0, step);
        let upper = arc(DVec2::new(0.0, y), r, 0.0, FRAC_PI_2, step);
        let mut profile: Vec<DVec2> = lower.chain(upper).collect();
        onto_axis(&mut profile);
        revolve(&profile, segments)
    }
}

impl Cone {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size is not positive and finite, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, height, segments } = *self;
        check(&[("cone radius", radius), ("cone height", height)], segments)?;
        let h = 0.5 * height;
        revolve(&[DVec2::new(0.0, -h), DVec2::new(radius, -h), DVec2::new(0.0, h)], segments)
    }
}

impl Torus {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, tube, segments } = *self;
        check(&[("torus radius", radius), ("torus tube", tube)], segments)?;
        require_smaller(("torus tube", tube), ("torus radius", radius))?;
        let step = TAU * (radius + tube) / f64::from(segments);
        let mut profile: Vec<DVec2> = arc(DVec2::new(radius, 0.0), tube, -PI, PI, step).collect();
        if profile.len() < 4 {
            profile = arc(DVec2::new(radius, 0.0), tube, -PI, PI, TAU * tube / 3.0).collect();
        }
        // It ends exactly where it began.
        if let [first, .., last] = profile.as_mut_slice() {
            *last = *first;
        }
        revolve(&profile, segments)
    }
}

impl Bowl {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, thickness, segments } = *self;
        check(&[("bowl radius", radius), ("bowl thickness", thickness)], segments)?;
        require_smaller(("bowl thickness", thickness), ("bowl radius", radius))?;
        let step = TAU * radius / f64::from(segments);
        let outer = arc(DVec2::ZERO, radius, -FRAC_PI_2, 0.0, step);
        let inner = arc(DVec2::ZERO, radius - thickness, 0.0, -FRAC_PI_2, step);
        let mut profile: Vec<DVec2> = outer.chain(inner).collect();
        onto_axis(&mut profile);
        revolve(&profile, segments)
    }
}

impl HollowSphere {
    /// Makes the mesh: the outer surface, and the inner one facing the middle.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius, thickness, segments } = *self;
        check(&[("hollow sphere radius", radius), ("hollow sphere thickness", thickness)], segments)?;
        require_smaller(("hollow sphere thickness", thickness), ("hollow sphere radius", radius))?;
        let mut mesh = SphereMesh { radius, segments }.mesh()?;
        let inner = SphereMesh { radius: radius - thickness, segments }.mesh()?;
        let first = mesh.vertex.len() as u32;
        mesh.vertex.extend(inner.vertex);
        mesh.triangle.extend(inner.triangle.iter().map(|[a, b, c]| [first + a, first + c, first + b]));
        Ok(mesh)
    }
}

impl Cup {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If a size makes no sense, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        let Self { radius: r, height, thickness: t, segments } = *self;
        check(&[("cup radius", r), ("cup height", height), ("cup thickness", t)], segments)?;
        require_smaller(("cup thickness", t), ("cup radius", r))?;
        require_smaller(("cup thickness", t), ("cup height", height))?;
        let (h, inside) = (0.5 * height, r - t);
        let profile =
            [[0.0, -h], [r, -h], [r, h], [inside, h], [inside, t - h], [0.0, t - h]].map(DVec2::from_array);
        revolve(&profile, segments)
    }
}

/// The ends of a profile lie on the axis, whatever the cosine of a right angle is.
fn onto_axis(profile: &mut [DVec2]) {
    if let [first, .., last] = profile {
        first.x = 0.0;
        last.x = 0.0;
    }
}

impl SphereMesh {
    /// Makes the mesh.
    ///
    /// # Errors
    /// If the radius is not positive and finite, or if there would be too few or too many triangles.
    pub fn mesh(&self) -> Result<TriangleMesh, GeometryError> {
        check(&[("sphere radius", self.radius)], self.segments)?;
        // An edge of the icosahedron spans 63.4 degrees.
        let parts = (f64::from(self.segments) / 5.68).round().max(1.0) as u32;
        allow_triangles(20.0 * f64::from(parts * parts))?;
        let mut ball =
            Icosphere { parts, radius: self.radius, known: HashMap::new(), mesh: TriangleMesh::default() };
        let corner = icosahedron();
        for face in FACES {
            ball.face(face, &corner);
        }
        Ok(ball.mesh)
    }
}

/// The faces of the icosahedron, counter-clockwise seen from outside.
const FACES: [[u32; 3]; 20] = [
    [0, 2, 1],
    [0, 3, 2],
    [0, 4, 3],
    [0, 5, 4],
    [0, 1, 5],
    [1, 2, 6],
    [2, 3, 7],
    [3, 4, 8],
    [4, 5, 9],
    [5, 1, 10],
    [2, 7, 6],
    [3, 8, 7],
    [4, 9, 8],
    [5, 10, 9],
    [1, 6, 10],
    [6, 7, 11],
    [7, 8, 11],
    [8, 9, 11],
    [9, 10, 11],
    [10, 6, 11],
];

/// Two poles, and two rings of five at the height 1/√5.
fn icosahedron() -> [DVec3; 12] {
    let mut corner = [DVec3::Y; 12];
    let (height, width) = (1.0 / 5f64.sqrt(), 2.0 / 5f64.sqrt());
    for k in 0..5u8 {
        let at = |angle: f64, y: f64| DVec3::new(width * angle.cos(), y, width * angle.sin());
        let angle = f64::from(k) * TAU / 5.0;
        corner[1 + usize::from(k)] = at(angle, height);
        corner[6 + usize::from(k)] = at(angle + PI / 5.0, -height);
    }
    corner[11] = DVec3::NEG_Y;
    corner
}

struct Icosphere {
    parts: u32,
    radius: f64,
    /// Vertices by the corners they lie between and how near they are to each.
    known: HashMap<[(u32, u32); 3], u32>,
    mesh: TriangleMesh,
}

impl Icosphere {
    fn face(&mut self, face: [u32; 3], corner: &[DVec3; 12]) {
        let n = self.parts;
        for i in 0..n {
            for j in 0..n - i {
                let mut at =
                    |i: u32, j: u32| self.vertex([(face[0], n - i - j), (face[1], i), (face[2], j)], corner);
                let [a, b, c] = [at(i, j), at(i + 1, j), at(i, j + 1)];
                let fourth = (i + j + 1 < n).then(|| at(i + 1, j + 1));
                self.mesh.triangle.push([a, b, c]);
                self.mesh.triangle.extend(fourth.map(|d| [b, d, c]));
            }
        }
    }

    /// The vertex between corners with these weights; the same one and from the same sum for all faces around it.
    fn vertex(&mut self, mut weights: [(u32, u32); 3], corner: &[DVec3; 12]) -> u32 {
        weights.iter_mut().filter(|w| w.1 == 0).for_each(|w| w.0 = 0);
        weights.sort_unstable();
        let Self { radius, known, mesh, .. } = self;
        *known.entry(weights).or_insert_with(|| {
            let sum: DVec3 = weights.iter().map(|(c, w)| corner[*c as usize] * f64::from(*w)).sum();
            mesh.vertex.push(sum.normalize() * *radius);
            mesh.vertex.len() as u32 - 1
        })
    }
}
