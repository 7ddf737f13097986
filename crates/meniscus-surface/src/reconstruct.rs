//! From particles to a surface.

use glam::{DVec3, Vec3};
use rayon::prelude::*;
use splashsurf_lib::nalgebra::{SVector, Vector3};
use splashsurf_lib::sph_interpolation::SphInterpolator;
use splashsurf_lib::{
    GridDecompositionParameters, Parameters, SpatialDecomposition, SurfaceReconstruction, reconstruct_surface,
};

use crate::smooth::{self, Ring};
use crate::{FluidSurface, SurfaceError};

/// How a surface is found. Lengths are in particle spacings, so that the defaults suit all fluids.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceParams {
    /// Distance of particles at rest `[m]`.
    pub spacing: f64,
    /// Edge of the cubes in which triangles are found, in spacings `[1]`.
    pub cube: f64,
    /// Radius of the kernel, in spacings `[1]`.
    pub support: f64,
    /// The surface is where the density field has this value `[1]`.
    pub threshold: f64,
    /// How often vertices are smoothed `[1]`.
    pub smoothing: u32,
}

impl SurfaceParams {
    /// The defaults for particles at this distance `[m]`.
    #[must_use]
    pub fn new(spacing: f64) -> Self {
        Self { spacing, cube: 0.5, support: 2.0, threshold: 0.6, smoothing: 15 }
    }

    fn check(&self) -> Result<(), SurfaceError> {
        let values = [
            ("spacing", self.spacing),
            ("cube size", self.cube),
            ("kernel radius", self.support),
            ("threshold", self.threshold),
        ];
        match values.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((name, value)) => Err(SurfaceError::Parameter { name, value: value.to_string() }),
            None => Ok(()),
        }
    }
}

/// The most cubes that the box around all particles may be long: indices and coordinates stay exact.
const LONGEST: f64 = 1e6;

/// Finds the surface around particles in space. Particles at places that are not finite are left out; without particles
/// the surface is empty.
///
/// # Errors
/// [`SurfaceError`] when a parameter makes no sense or the particles are too far apart.
pub fn reconstruct(
    position: &[DVec3],
    velocity: &[DVec3],
    params: &SurfaceParams,
) -> Result<FluidSurface, SurfaceError> {
    params.check()?;
    let finite: Vec<(DVec3, DVec3)> =
        position.iter().copied().zip(velocity.iter().copied()).filter(|(x, _)| x.is_finite()).collect();
    let low = finite.iter().map(|p| p.0).fold(DVec3::INFINITY, DVec3::min);
    let high = finite.iter().map(|p| p.0).fold(DVec3::NEG_INFINITY, DVec3::max);
    if finite.is_empty() {
        return Ok(FluidSurface::default());
    }
    let cube = params.cube * params.spacing;
    if (high - low).max_element() / cube >= LONGEST {
        let reason = format!("they are {:.1e} m apart at cubes of {cube:.1e} m", (high - low).max_element());
        return Err(SurfaceError::Grid { reason });
    }
    // Single precision from the middle on, in spacings: any scene looks the same to the grid.
    let middle = (low + high) * 0.5;
    let local = |x: DVec3| ((x - middle) / params.spacing).as_vec3();
    let points: Vec<Vector3<f32>> = finite.iter().map(|p| Vector3::from(local(p.0).to_array())).collect();
    let found = level_set(&points, params)?;
    let mut surface = FluidSurface {
        vertex: found.mesh.vertices.iter().map(|v| Vec3::new(v.x, v.y, v.z).as_dvec3()).collect(),
        triangle: found.mesh.triangles.iter().map(|t| t.map(|v| v as u32)).collect(),
        ..FluidSurface::default()
    };
    let (velocity, weight) = carry_over(&points, &finite, &found, params);
    let ring = Ring::new(surface.vertex.len(), &surface.triangle);
    smooth::smooth(&mut surface.vertex, &ring, &weight, params.smoothing);
    surface.velocity = velocity;
    surface.find_normals();
    surface.enclose(finite.len() as f64, 0.5);
    surface.vertex.iter_mut().for_each(|x| *x = *x * params.spacing + middle);
    Ok(surface)
}

/// The level set, in spacings.
fn level_set(
    points: &[Vector3<f32>],
    params: &SurfaceParams,
) -> Result<SurfaceReconstruction<i64, f32>, SurfaceError> {
    let mut level = Parameters::new(0.5, params.support as f32, params.cube as f32);
    level.iso_surface_threshold = params.threshold as f32;
    level.global_neighborhood_list = true;
    // Always in parts: sums over the whole would depend on the order in which threads finish.
    level.spatial_decomposition = SpatialDecomposition::UniformGrid(GridDecompositionParameters {
        auto_disable: false,
        ..GridDecompositionParameters::default()
    });
    reconstruct_surface::<i64, f32>(points, &level).map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        SurfaceError::Grid { reason: source.unwrap_or_else(|| error.to_string()) }
    })
}

/// Velocity `[m/s]` and weight of smoothing at each vertex, from the particles around it.
fn carry_over(
    points: &[Vector3<f32>],
    particles: &[(DVec3, DVec3)],
    found: &SurfaceReconstruction<i64, f32>,
    params: &SurfaceParams,
) -> (Vec<Vec3>, Vec<f32>) {
    let (Some(density), Some(neighbours)) = (&found.particle_densities, &found.particle_neighbors) else {
        let vertices = found.mesh.vertices.len();
        return (vec![Vec3::ZERO; vertices], vec![0.0; vertices]);
    };
    let places: Vec<[f32; 3]> = points.iter().map(|x| [x.x, x.y, x.z]).collect();
    let weight = smooth::weights(&places, neighbours, params.support as f32);
    let column = |(p, w): (&(DVec3, DVec3), &f32)| {
        let v = p.1.as_vec3();
        SVector::<f32, 4>::new(v.x, v.y, v.z, *w)
    };
    let column: Vec<SVector<f32, 4>> = particles.iter().zip(&weight).map(column).collect();
    let field = SphInterpolator::new(points, density, 1.0, params.support as f32);
    let values = field.interpolate_vector_quantity(&column, &found.mesh.vertices, true);
    let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
    let velocity = values.par_iter().map(|v| Vec3::new(finite(v.x), finite(v.y), finite(v.z))).collect();
    (velocity, values.par_iter().map(|v| finite(v.w).clamp(0.0, 1.0)).collect())
}
