//! Moments as sums of integrals over simplices: of the inside of meshes, of their surface, and of planar sections.

use glam::{DMat3, DVec3};

use super::{MassProperties, endless, nothing, require_finite};
use crate::shape::section::{Flat, Section};
use crate::{GeometryError, MeshShape, Pose, Shape, TriangleMesh};

/// A volume is none below this part of surface times diameter `[1]`: rounding makes as much of a flat mesh.
const MIN_VOLUME_SHARE: f64 = 1e-13;
/// An area is none below this part of the diameter squared `[1]`.
const MIN_AREA_SHARE: f64 = 1e-13;

/// A sum that also keeps what rounding takes from it (Neumaier's form of Kahan's sum).
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    value: DVec3,
    lost: DVec3,
}

impl Sum {
    fn add(&mut self, x: DVec3) {
        let sum = self.value + x;
        // The smaller of both loses its last digits.
        let kept =
            DVec3::select(self.value.abs().cmpge(x.abs()), (self.value - sum) + x, (x - sum) + self.value);
        self.lost += kept;
        self.value = sum;
    }

    fn total(self) -> DVec3 {
        self.value + self.lost
    }
}

/// The moments of a body about a point: ∫ dx, ∫ x dx and ∫ x xᵀ dx.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    zeroth: Sum,
    first: Sum,
    /// Diagonal: xx, yy, zz.
    diagonal: Sum,
    /// Beside it: yz, zx, xy.
    beside: Sum,
}

impl Moments {
    /// Adds a simplex with these corners and this signed extent. With barycentric coordinates λ over a simplex of
    /// dimension d and extent V, ∫ λᵢ = V / (d + 1) and ∫ λᵢ λⱼ = V (1 + δᵢⱼ) / ((d + 1)(d + 2)).
    pub fn add<const N: usize>(&mut self, corner: [DVec3; N], extent: f64) {
        let n = N as f64;
        let sum: DVec3 = corner.iter().sum();
        self.zeroth.add(DVec3::X * extent);
        self.first.add(sum * (extent / n));
        let mixed = |x: DVec3| DVec3::new(x.y * x.z, x.z * x.x, x.x * x.y);
        let weight = extent / (n * (n + 1.0));
        let squares = sum * sum + corner.iter().map(|c| *c * *c).sum::<DVec3>();
        self.diagonal.add(squares * weight);
        self.beside.add((mixed(sum) + corner.iter().map(|c| mixed(*c)).sum::<DVec3>()) * weight);
    }

    pub fn extent(&self) -> f64 {
        self.zeroth.total().x
    }

    /// The centre relative to the point.
    pub fn centre(&self) -> DVec3 {
        self.first.total() / self.extent()
    }

    /// The body whose moments about `origin` these are.
    pub fn body(&self, origin: DVec3, density: f64) -> MassProperties {
        let centre = self.centre();
        let extent = self.extent();
        let (d, b) = (self.diagonal.total(), self.beside.total());
        let square = d - extent * centre * centre;
        let mixed = b - extent * DVec3::new(centre.y * centre.z, centre.z * centre.x, centre.x * centre.y);
        let trace = DVec3::splat(square.element_sum()) - square;
        let inertia = DMat3::from_cols(
            DVec3::new(trace.x, -mixed.z, -mixed.y),
            DVec3::new(-mixed.z, trace.y, -mixed.x),
            DVec3::new(-mixed.y, -mixed.x, trace.z),
        );
        MassProperties::new(extent, density, origin + centre, inertia * density)
    }
}

/// The inside of a closed mesh, as the tetrahedra between its triangles and a point; those that look at the point
/// from behind count negative.
pub(super) fn solid(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, GeometryError> {
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for triangle in mesh.corners() {
            let [a, b, c] = triangle.map(|v| v - origin);
            moments.add([DVec3::ZERO, a, b, c], a.dot(b.cross(c)) / 6.0);
        }
        moments
    };
    let bounds = mesh.bounds();
    let about_middle = moments(bounds.centre());
    let area: f64 = mesh.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    if about_middle.extent() <= MIN_VOLUME_SHARE * area * bounds.size().length() {
        return Err(nothing("a mesh without volume"));
    }
    // Once more about the centre of mass: what is small there is not the difference of large numbers.
    let origin = bounds.centre() + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}

/// The triangles of a mesh, as if they were cut from a sheet.
pub(super) fn shell(mesh: &TriangleMesh, density: f64) -> Result<MassProperties, GeometryError> {
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for triangle in mesh.corners() {
            let [a, b, c] = triangle.map(|v| v - origin);
            moments.add([a, b, c], 0.5 * (b - a).cross(c - a).length());
        }
        moments
    };
    let middle = mesh.bounds().centre();
    let about_middle = moments(middle);
    if !(about_middle.extent() > 0.0 && about_middle.extent().is_finite()) {
        return Err(GeometryError::Invalid {
            what: "the mass of a shell without area".to_owned(),
            allowed: "a mesh with at least one triangle that is not degenerate",
        });
    }
    let origin = middle + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}

pub(super) fn section(shape: &Shape, pose: &Pose, density: f64) -> Result<MassProperties, GeometryError> {
    let section = Section::of(shape, pose);
    let (extent, local) = match section.flat {
        Flat::Rectangle { size, .. } => {
            let squares = size * size / 12.0;
            (size.element_product(), DVec3::new(squares.y, squares.x, squares.element_sum()))
        }
        Flat::Circle { radius } => {
            let square = radius * radius / 4.0;
            (4.0 * std::f64::consts::PI * square, DVec3::new(square, square, 2.0 * square))
        }
        Flat::Mesh(mesh) => return polygon(mesh, &section.pose, density),
        Flat::Line { .. } => return Err(endless()),
        Flat::Nothing => return Err(nothing("a shape that does not meet the plane z = 0")),
    };
    let turn = DMat3::from_quat(section.pose.rotation);
    let inertia = turn * DMat3::from_diagonal(local * (extent * density)) * turn.transpose();
    Ok(MassProperties::new(extent, density, section.pose.translation, inertia))
}

/// Where a mesh is cut, as the triangles between the sides of the section and a point; those that are seen from
/// outside count negative.
fn polygon(mesh: &MeshShape, pose: &Pose, density: f64) -> Result<MassProperties, GeometryError> {
    mesh.require_closed()?;
    let sides: Vec<[DVec3; 2]> =
        mesh.mesh().corners().filter_map(|triangle| side(triangle.map(|v| pose.to_world(v)))).collect();
    let bounds = crate::Aabb::of_points(sides.iter().flatten().copied());
    let moments = |origin: DVec3| {
        let mut moments = Moments::default();
        for [a, b] in sides.iter().map(|side| side.map(|v| v - origin)) {
            moments.add([DVec3::ZERO, a, b], 0.5 * a.truncate().perp_dot(b.truncate()));
        }
        moments
    };
    if sides.is_empty() {
        return Err(nothing("a shape that does not meet the plane z = 0"));
    }
    let middle = bounds.centre();
    let about_middle = moments(middle);
    if about_middle.extent() <= MIN_AREA_SHARE * bounds.size().length_squared() {
        return Err(nothing("a section without area"));
    }
    let origin = middle + about_middle.centre();
    require_finite(moments(origin).body(origin, density))
}

/// Where a triangle crosses z = 0, with the inside of the mesh on the left. Seen from outside its corners are
/// counter-clockwise, so it comes down on the left and goes up on the right.
fn side(triangle: [DVec3; 3]) -> Option<[DVec3; 2]> {
    let [a, b, c] = triangle;
    let crossing = |p: DVec3, q: DVec3| p.lerp(q, p.z / (p.z - q.z)).with_z(0.0);
    // Zero counts as above. From below to above for both triangles at an edge, so that they agree on the point.
    let edges = [[a, b], [b, c], [c, a]];
    let up = edges.iter().find(|[p, q]| p.z < 0.0 && q.z >= 0.0).map(|[p, q]| crossing(*p, *q))?;
    let down = edges.iter().find(|[p, q]| p.z >= 0.0 && q.z < 0.0).map(|[p, q]| crossing(*q, *p))?;
    Some([down, up])
}
