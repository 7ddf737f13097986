//! Mass, centre of mass and inertia of bodies.
//!
//! A body is known by three moments of its matter about a point: M = ∫ dm, the vector S = ∫ x dm, and the symmetric
//! matrix C = ∫ x xᵀ dm. Then the centre is S / M, and the inertia about it I = tr(C) 1 − C once C is taken about
//! the centre. Boxes, balls and cylinders have closed forms; for meshes the moments are sums of exact integrals over
//! tetrahedra, triangles or segments, which `integrals` adds up.

mod analytic;
mod integrals;
mod principal;
#[cfg(test)]
mod tests;

pub use principal::decompose as principal_axes;

use glam::{DMat3, DQuat, DVec3};

use crate::{GeometryError, MeshShape, Pose, Shape, TriangleMesh};

/// How much there is of a body, where, and how hard it is to turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// The volume `[m^3]`; of a shell its area, of a planar body the area of its section `[m^2]`.
    pub extent: f64,
    /// The mass `[kg]`; of a planar body, for each metre of depth `[kg/m]`.
    pub mass: f64,
    /// The centre of mass `[m]`.
    pub centre: DVec3,
    /// The inertia about the centre of mass, along the axes of the given coordinates `[kg m^2]`; of a planar body,
    /// that of its section, of which a planar motion needs the zz component only `[kg m]`.
    pub inertia: DMat3,
    /// The principal moments of inertia from smallest to largest, units as of the inertia.
    pub principal_moments: DVec3,
    /// Turns the axes x, y, z into the principal axes of the three moments: with its matrix R, the inertia is
    /// R diag(moments) Rᵀ.
    pub principal_axes: DQuat,
}

impl MassProperties {
    /// A body of this shape filled with matter of constant density `[kg/m^3]`, in the coordinates of the shape. A
    /// box with open faces is the whole box.
    ///
    /// # Errors
    /// If the density or a size is not positive and finite, for a plane, and for a mesh with holes or without volume.
    pub fn of_shape(shape: &Shape, density: f64) -> Result<Self, GeometryError> {
        require_density(density, "kg/m^3")?;
        shape.check()?;
        match shape {
            Shape::Box { size, .. } => Ok(Self::cuboid(size.element_product() * density, *size)),
            Shape::Sphere { radius } => {
                let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
                Ok(Self::ball(volume * density, *radius))
            }
            Shape::Cylinder { radius, height } => {
                let volume = std::f64::consts::PI * radius * radius * height;
                Ok(Self::cylinder(volume * density, *radius, *height))
            }
            Shape::Plane { .. } => Err(endless()),
            Shape::Mesh(mesh) => Self::of_mesh(mesh, density),
        }
    }

    /// The inside of a closed mesh, filled with matter of constant density `[kg/m^3]`; cavities are empty.
    ///
    /// # Errors
    /// If the density is not positive and finite, or if the mesh has holes or no volume.
    pub fn of_mesh(mesh: &MeshShape, density: f64) -> Result<Self, GeometryError> {
        require_density(density, "kg/m^3")?;
        mesh.require_closed()?;
        integrals::solid(mesh.mesh(), density)
    }

    /// A thin shell: the surface of a mesh, which may have holes, with a constant mass for each square metre
    /// `[kg/m^2]`.
    ///
    /// # Errors
    /// If the density is not positive and finite, or if no triangle has an area.
    pub fn of_shell(mesh: &TriangleMesh, surface_density: f64) -> Result<Self, GeometryError> {
        require_density(surface_density, "kg/m^2")?;
        integrals::shell(mesh, surface_density)
    }

    /// The section of a posed shape with the plane z = 0, filled with matter of constant density `[kg/m^3]`, for
    /// each metre of depth; in the coordinates of the scene.
    ///
    /// # Errors
    /// As [`MassProperties::of_shape`]; also if the shape does not meet the plane.
    pub fn of_section(shape: &Shape, pose: &Pose, density: f64) -> Result<Self, GeometryError> {
        require_density(density, "kg/m^3")?;
        shape.check()?;
        crate::pose::check(pose)?;
        integrals::section(shape, pose, density)
    }

    /// The same body with another mass `[kg]`, as evenly spread.
    ///
    /// # Errors
    /// If the mass is not positive and finite.
    pub fn with_mass(self, mass: f64) -> Result<Self, GeometryError> {
        if !(mass.is_finite() && mass > 0.0) {
            let what = format!("mass = {mass} kg");
            return Err(GeometryError::Invalid { what, allowed: "a positive, finite mass" });
        }
        let factor = mass / self.mass;
        Ok(Self {
            mass,
            inertia: self.inertia * factor,
            principal_moments: self.principal_moments * factor,
            ..self
        })
    }

    fn new(extent: f64, density: f64, centre: DVec3, inertia: DMat3) -> Self {
        let (principal_moments, principal_axes) = principal::decompose(inertia);
        Self { extent, mass: extent * density, centre, inertia, principal_moments, principal_axes }
    }
}

fn require_density(density: f64, unit: &str) -> Result<(), GeometryError> {
    if density.is_finite() && density > 0.0 {
        return Ok(());
    }
    let what = format!("density = {density} {unit}");
    Err(GeometryError::Invalid { what, allowed: "a positive, finite density" })
}

fn endless() -> GeometryError {
    GeometryError::Invalid {
        what: "the mass of a plane".to_owned(),
        allowed: "a body that ends, such as a box",
    }
}

fn nothing(what: &str) -> GeometryError {
    GeometryError::Invalid { what: format!("the mass of {what}"), allowed: "a mesh that encloses a volume" }
}

/// Refuses bodies that are so small or so large that their moments are no numbers.
fn require_finite(properties: MassProperties) -> Result<MassProperties, GeometryError> {
    let positive = properties.mass > 0.0 && properties.principal_moments.max_element() > 0.0;
    if positive && properties.inertia.is_finite() && properties.principal_axes.is_finite() {
        return Ok(properties);
    }
    let what = format!("a body with a mass of {} kg", properties.mass);
    Err(GeometryError::Invalid { what, allowed: "sizes and densities whose moments of inertia are numbers" })
}
