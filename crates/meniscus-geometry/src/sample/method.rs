//! One way to ask for any sampling.

use glam::DVec3;
use meniscus_core::Dimension;

use super::anchor::SurfaceSamples;
use super::domain::{InSection, InVolume, OnSurface, Outline, SampleDomain};
use super::offset::offset;
use super::poisson::poisson_disk;
use super::relax::{RelaxParams, Relaxation};
use super::scanline::{Rounding, ScanlineParams, scanline};
use super::seven_point::seven_point;
use super::volume::{VolumeLattice, volume_lattice};
use crate::error::require_positive;
use crate::{GeometryError, MeshShape, TriangleMesh};

/// The least distance of Poisson-disk samples, in spacings: as many random disks fit then as a square lattice has
/// places `[1]`.
const POISSON_RADIUS: f64 = 0.83;
/// The threshold of the seven-point rule, in spacings: 2.8 smoothing lengths. Edges end between half of it and all of
/// it, and the number of samples between half and twice that of a lattice `[1]`.
const SEVEN_POINT_THRESHOLD: f64 = 5.6;
/// The distance towards which samples of a surface are relaxed, in spacings; 1.07 would be the densest packing `[1]`.
const RELAXED_RADIUS: f64 = 0.95;
/// The sweeps of a relaxation `[1]`.
const SWEEPS: u32 = 60;
/// Inner samples of a relaxed volume begin this far below the surface, in spacings `[1]`.
const FIRST_LAYER: f64 = 0.6;

/// How a mesh is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamplingMethod {
    /// Lines on triangles, [`scanline`]: fastest, follows deforming meshes.
    Scanline(Rounding),
    /// Seven places on triangles cut into four, [`seven_point`], the peer of the scanlines.
    SevenPoint,
    /// Random places with a least distance, [`poisson_disk`].
    PoissonDisk,
    /// Poisson-disk samples that were relaxed, [`Relaxation`]: most even.
    Relaxed,
    /// A lattice inside, [`volume_lattice`].
    Volume(VolumeLattice),
    /// Relaxed samples on the surface and a lattice inside, relaxed together.
    VolumeRelaxed,
}

/// What to sample and how densely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingParams {
    /// How.
    pub method: SamplingMethod,
    /// About the distance of samples: one for each spacing², in a volume spacing³ `[m]`.
    pub spacing: f64,
    /// How far below the surface samples are, or begin `[m]`.
    pub depth: f64,
    /// The seed of random methods `[1]`.
    pub seed: u64,
    /// In two dimensions the section of the mesh with the plane z = 0 is sampled.
    pub dimension: Dimension,
}

impl SamplingParams {
    /// Samples of a surface in space by scanlines with this spacing `[m]`.
    #[must_use]
    pub const fn new(spacing: f64) -> Self {
        Self {
            method: SamplingMethod::Scanline(Rounding::Up),
            spacing,
            depth: 0.0,
            seed: 0,
            dimension: Dimension::Three,
        }
    }
}

/// Samples a mesh.
///
/// # Errors
/// If the spacing or depth makes no sense, a volume is asked of a mesh that is not closed, a section does not meet the
/// plane or is asked of the seven-point rule, or there might be more than [`MAX_POINTS`](crate::MAX_POINTS) samples.
pub fn sample(mesh: &MeshShape, params: &SamplingParams) -> Result<SurfaceSamples, GeometryError> {
    require_positive("spacing", params.spacing)?;
    if !(params.depth.is_finite() && params.depth >= 0.0) {
        let what = format!("depth = {} m", params.depth);
        return Err(GeometryError::Invalid { what, allowed: "a finite length, not negative" });
    }
    if let SamplingMethod::Volume(lattice) = params.method {
        let (spacing, depth, dimension) = (params.spacing, params.depth, params.dimension);
        return volume_lattice(mesh, spacing, depth, lattice, dimension).map(without_anchors);
    }
    if params.depth == 0.0 {
        return on_mesh(mesh, params);
    }
    on_mesh(&MeshShape::new(offset(mesh, -params.depth))?, params)
}

fn without_anchors(position: Vec<DVec3>) -> SurfaceSamples {
    SurfaceSamples { position, anchor: Vec::new() }
}

fn on_mesh(mesh: &MeshShape, params: &SamplingParams) -> Result<SurfaceSamples, GeometryError> {
    match params.dimension {
        Dimension::Three => in_space(mesh, params),
        Dimension::Two => in_plane(mesh, params).map(without_anchors),
    }
}

fn in_space(mesh: &MeshShape, params: &SamplingParams) -> Result<SurfaceSamples, GeometryError> {
    let spacing = params.spacing;
    let disks = |mesh: &TriangleMesh| poisson_disk(mesh, POISSON_RADIUS * spacing, params.seed);
    match params.method {
        SamplingMethod::Scanline(rounding) => scanline(mesh.mesh(), &ScanlineParams { spacing, rounding }),
        SamplingMethod::SevenPoint => seven_point(mesh.mesh(), SEVEN_POINT_THRESHOLD * spacing),
        SamplingMethod::PoissonDisk => disks(mesh.mesh()),
        SamplingMethod::Relaxed => {
            let start = disks(mesh.mesh())?.position;
            relaxed(&start, &OnSurface(mesh), spacing).map(without_anchors)
        }
        SamplingMethod::Volume(lattice) => {
            volume_lattice(mesh, spacing, 0.0, lattice, Dimension::Three).map(without_anchors)
        }
        SamplingMethod::VolumeRelaxed => {
            mesh.require_closed()?;
            let start = disks(mesh.mesh())?.position;
            let mut points = relaxed(&start, &OnSurface(mesh), spacing)?;
            let on_surface = points.len();
            points.extend(first_inside(mesh, params)?);
            relaxed(&points, &InVolume { mesh, on_surface }, spacing).map(without_anchors)
        }
    }
}

fn in_plane(mesh: &MeshShape, params: &SamplingParams) -> Result<Vec<DVec3>, GeometryError> {
    let spacing = params.spacing;
    let outline = Outline::of(mesh.mesh())?;
    let disks = || outline.poisson_disk(POISSON_RADIUS * spacing, params.seed);
    let along = InSection { outline: &outline, mesh: None, on_outline: usize::MAX };
    match params.method {
        SamplingMethod::Scanline(rounding) => outline.scanline(spacing, rounding),
        SamplingMethod::SevenPoint => {
            let what = "the seven-point rule in the plane".to_owned();
            Err(GeometryError::Invalid { what, allowed: "scanlines, which sample outlines as well" })
        }
        SamplingMethod::PoissonDisk => disks(),
        SamplingMethod::Relaxed => relaxed(&disks()?, &along, spacing),
        SamplingMethod::Volume(lattice) => volume_lattice(mesh, spacing, 0.0, lattice, Dimension::Two),
        SamplingMethod::VolumeRelaxed => {
            mesh.require_closed()?;
            let mut points = relaxed(&disks()?, &along, spacing)?;
            let on_outline = points.len();
            points.extend(first_inside(mesh, params)?);
            relaxed(&points, &InSection { outline: &outline, mesh: Some(mesh), on_outline }, spacing)
        }
    }
}

/// The lattice with which the inside of a relaxed volume begins.
fn first_inside(mesh: &MeshShape, params: &SamplingParams) -> Result<Vec<DVec3>, GeometryError> {
    let depth = FIRST_LAYER * params.spacing;
    volume_lattice(mesh, params.spacing, depth, VolumeLattice::Densest, params.dimension)
}

fn relaxed(start: &[DVec3], domain: &impl SampleDomain, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let params = RelaxParams { radius: RELAXED_RADIUS * spacing, sweeps: SWEEPS };
    let mut relaxation = Relaxation::new(start, domain, params)?;
    for _ in 0..SWEEPS {
        if relaxation.sweep() == 0 {
            break;
        }
    }
    Ok(relaxation.samples().to_vec())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::solid::tests::neighbour_distances;
    use crate::test_mesh::{cube, sphere};

    const ALL: [SamplingMethod; 7] = [
        SamplingMethod::Scanline(Rounding::Down),
        SamplingMethod::Scanline(Rounding::Up),
        SamplingMethod::SevenPoint,
        SamplingMethod::PoissonDisk,
        SamplingMethod::Relaxed,
        SamplingMethod::Volume(VolumeLattice::Densest),
        SamplingMethod::VolumeRelaxed,
    ];

    fn params(method: SamplingMethod, dimension: Dimension) -> SamplingParams {
        SamplingParams { method, dimension, ..SamplingParams::new(0.15) }
    }

    #[test]
    fn surface_methods_stay_on_the_surface_and_volumes_inside() {
        let mesh = MeshShape::new(sphere(3)).unwrap();
        for dimension in [Dimension::Two, Dimension::Three] {
            for method in ALL {
                if (method, dimension) == (SamplingMethod::SevenPoint, Dimension::Two) {
                    assert!(sample(&mesh, &params(method, dimension)).is_err());
                    continue;
                }
                let samples = sample(&mesh, &params(method, dimension)).unwrap();
                assert!(samples.len() > 30, "{method:?} {dimension:?}");
                let is_volume = matches!(method, SamplingMethod::Volume(_) | SamplingMethod::VolumeRelaxed);
                for x in &samples.position {
                    let d = mesh.signed_distance(*x);
                    assert!(d < 1e-9 && (is_volume || d > -1e-9), "{method:?} {dimension:?} {d}");
                    assert!(dimension == Dimension::Three || x.z == 0.0);
                }
            }
        }
    }

    #[test]
    fn relaxing_widens_the_least_distance() {
        let mesh = MeshShape::new(sphere(3)).unwrap();
        for (dimension, relaxed) in [(Dimension::Three, 0.12), (Dimension::Two, 0.12)] {
            let least =
                |method| neighbour_distances(&sample(&mesh, &params(method, dimension)).unwrap().position).0;
            assert!(least(SamplingMethod::PoissonDisk) < 0.127);
            let found = least(SamplingMethod::Relaxed);
            assert!(
                found > 1.05 * least(SamplingMethod::PoissonDisk) && found > relaxed,
                "{dimension:?} {found}"
            );
        }
    }

    #[test]
    fn a_relaxed_volume_has_the_right_number_and_no_near_pairs() {
        for (mesh, volume) in [(cube(2.0), 8.0), (sphere(3), 4.0 / 3.0 * std::f64::consts::PI)] {
            let mesh = MeshShape::new(mesh).unwrap();
            let method = SamplingMethod::VolumeRelaxed;
            let samples = sample(&mesh, &params(method, Dimension::Three)).unwrap();
            let (min, max) = neighbour_distances(&samples.position);
            assert!(min > 0.5 * 0.15 && max < 1.3 * 0.15, "{min} {max}");
            // Samples on the surface stand for half a cell.
            let on_surface = samples.position.iter().filter(|x| mesh.signed_distance(**x) > -1e-9).count();
            let cells = samples.len() as f64 - 0.5 * on_surface as f64;
            assert!((cells * 0.15_f64.powi(3) / volume - 1.0).abs() < 0.12, "{cells}");
        }
    }

    #[test]
    fn a_depth_moves_the_samples_inwards() {
        let mesh = MeshShape::new(cube(1.0)).unwrap();
        for method in ALL {
            let params = SamplingParams { depth: 0.1, ..params(method, Dimension::Three) };
            for x in sample(&mesh, &params).unwrap().position {
                assert!(mesh.signed_distance(x) < -0.1 + 1e-9, "{method:?} {x}");
            }
        }
    }

    #[test]
    fn the_bits_do_not_depend_on_the_threads() {
        let mesh = MeshShape::new(sphere(2)).unwrap();
        for method in ALL {
            let with = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| sample(&mesh, &params(method, Dimension::Three)).unwrap())
            };
            assert_eq!(with(1), with(4), "{method:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn absurd_requests_are_errors_of_every_method(exponent in 5.0..300.0_f64, sign in any::<bool>()) {
            let mesh = MeshShape::new(cube(1.0)).unwrap();
            for method in ALL {
                for dimension in [Dimension::Two, Dimension::Three] {
                    let spacing = 10_f64.powf(-exponent - 5.0);
                    let tiny = SamplingParams { spacing, ..params(method, dimension) };
                    prop_assert!(sample(&mesh, &tiny).is_err(), "{:?}", method);
                    let bad = if sign { f64::NAN } else { -spacing };
                    let spaced = SamplingParams { spacing: bad, ..tiny };
                    let deep = SamplingParams { depth: bad, ..params(method, dimension) };
                    prop_assert!(sample(&mesh, &spaced).is_err() && sample(&mesh, &deep).is_err());
                }
            }
        }
    }
}
