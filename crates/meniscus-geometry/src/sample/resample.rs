//! Samples of a surface that deforms, \[Akinci2013\] Sec. 2.5 (the geometric criterion).
//!
//! Samples follow the mesh by their barycentric coordinates. Only where an edge's count of intervals, or a triangle's
//! shortest edge or counts of lines, have changed since its samples were made, new ones are made.
//!
//! | paper | here |
//! | --- | --- |
//! | `n_e` | [`Plan::on_edge`] |
//! | `e_s`, `n_t`, `n_es` | [`Sweep`] |
//!
//! **Departures.** The paper compares the product `n_pa` = `n_t n_es`, here both factors are compared: 2 · 6 and 3 · 4
//! are different samplings. What is too small to have samples of its own counts as unchanged while it stays so.

use glam::DVec3;
use rayon::prelude::*;

use super::anchor::{MeshAnchor, SurfaceSamples};
use super::edges::{MeshEdges, require_finite};
use super::scanline::{Layout, Part, Plan, ScanlineParams, Scanlines, Sweep};
use crate::{GeometryError, TriangleMesh};

/// The scanline samples of a mesh that deforms.
#[derive(Debug, Clone)]
pub struct ResampledSurface {
    params: ScanlineParams,
    triangle: Vec<[u32; 3]>,
    vertices: usize,
    edges: MeshEdges,
    plan: Plan,
    layout: Layout,
    samples: SurfaceSamples,
}

/// What an update has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResampleReport {
    /// Edges with new samples `[1]`.
    pub edges: usize,
    /// Triangles with new samples inside `[1]`.
    pub triangles: usize,
    /// All samples after the update `[1]`.
    pub samples: usize,
}

impl ResampledSurface {
    /// Samples the mesh as [`scanline`](super::scanline()) does.
    ///
    /// # Errors
    /// As [`scanline`](super::scanline()).
    pub fn new(mesh: &TriangleMesh, params: &ScanlineParams) -> Result<Self, GeometryError> {
        let Scanlines { edges, plan, layout, samples } = Scanlines::of(mesh, params)?;
        let (triangle, vertices) = (mesh.triangle.clone(), mesh.vertex.len());
        Ok(Self { params: *params, triangle, vertices, samples, edges, plan, layout })
    }

    /// The samples in the last pose.
    #[must_use]
    pub fn samples(&self) -> &SurfaceSamples {
        &self.samples
    }

    /// Moves the samples with the mesh and makes new ones where the old ones no longer do.
    ///
    /// # Errors
    /// If there are not as many vertices as before, one of them is not finite, or there would be too many samples; the
    /// samples then stay as they were.
    pub fn update(&mut self, vertex: &[DVec3]) -> Result<ResampleReport, GeometryError> {
        if vertex.len() != self.vertices {
            let what = format!("a pose of {} vertices", vertex.len());
            return Err(GeometryError::Invalid { what, allowed: "as many vertices as the mesh has" });
        }
        require_finite(vertex)?;
        let plan = Plan::of(vertex, &self.triangle, &self.edges, &self.params);
        let (old_edges, old_sweeps) = (&self.plan.on_edge, &self.plan.sweep);
        let new_edges = plan.on_edge.iter().zip(old_edges).filter(|(a, b)| a != b).count();
        let new_sweeps = plan.sweep.iter().zip(old_sweeps).filter(|(a, b)| !a.is_same(b)).count();
        if new_edges + new_sweeps > 0 {
            self.resample(plan)?;
        }
        self.follow(vertex);
        Ok(ResampleReport { edges: new_edges, triangles: new_sweeps, samples: self.samples.len() })
    }

    /// Makes the samples that the plan asks for and keeps all others.
    fn resample(&mut self, mut plan: Plan) -> Result<(), GeometryError> {
        // A triangle that keeps its samples keeps the length they were made for, and with it their number.
        let keep = |(new, old): (&mut Sweep, &Sweep)| {
            if new.is_same(old) {
                *new = *old;
            }
        };
        plan.sweep.iter_mut().zip(&self.plan.sweep).for_each(keep);
        let layout = Layout::of(&self.edges, &plan, &self.params)?;
        let mut anchor = vec![MeshAnchor::default(); layout.len()];
        layout.fill(&mut anchor, |part, out| {
            let is_kept = match part {
                Part::Vertex(_) => true,
                Part::Edge(e) => plan.on_edge[e] == self.plan.on_edge[e],
                Part::Triangle(t) => plan.sweep[t].is_same(&self.plan.sweep[t]),
            };
            let old = &self.samples.anchor[self.layout.range(part)];
            if is_kept && old.len() == out.len() {
                out.copy_from_slice(old);
            } else {
                plan.anchors(&self.triangle, &self.edges, &self.params, part, out);
            }
        });
        self.samples.anchor = anchor;
        self.layout = layout;
        self.plan = plan;
        Ok(())
    }

    /// Puts the samples where their anchors are now.
    fn follow(&mut self, vertex: &[DVec3]) {
        let place = |a: &MeshAnchor| a.place(vertex, &self.triangle).unwrap_or_default();
        self.samples
            .anchor
            .par_iter()
            .with_min_len(1024)
            .map(place)
            .collect_into_vec(&mut self.samples.position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radial_kernel::tests::CubicSpline;
    use crate::sample::quality::{SamplingQuality, number_density, places_in_triangle};
    use crate::sample::scanline::Rounding;
    use crate::sample::{scanline, seven_point};
    use crate::shape::builtin::cloth;
    use crate::test_mesh::sphere;
    use meniscus_core::Dimension;

    const PARAMS: ScanlineParams = ScanlineParams { spacing: 0.1, rounding: Rounding::Down };

    #[test]
    fn a_rigid_motion_keeps_all_samples() {
        let mesh = sphere(2);
        let mut surface = ResampledSurface::new(&mesh, &PARAMS).unwrap();
        let before = surface.samples().clone();
        let turn = glam::DQuat::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, 0.8);
        let moved: Vec<DVec3> = mesh.vertex.iter().map(|v| turn * *v + DVec3::X).collect();
        let report = surface.update(&moved).unwrap();
        assert_eq!((report.edges, report.triangles), (0, 0));
        assert_eq!(surface.samples().anchor, before.anchor);
        for (x, old) in surface.samples().position.iter().zip(&before.position) {
            assert!(x.abs_diff_eq(turn * *old + DVec3::X, 1e-12));
        }
    }

    #[test]
    fn a_stretch_is_sampled_as_if_from_the_start_and_undone() {
        let mesh = cloth(12, 8, 0.21);
        let mut surface = ResampledSurface::new(&mesh, &PARAMS).unwrap();
        let before = surface.samples().len();
        for percent in 100..240 {
            let stretched: Vec<DVec3> =
                mesh.vertex.iter().map(|v| *v * DVec3::new(f64::from(percent) / 100.0, 1.0, 1.0)).collect();
            surface.update(&stretched).unwrap();
            let afresh = TriangleMesh { vertex: stretched, triangle: mesh.triangle.clone() };
            let fresh = scanline(&afresh, &PARAMS).unwrap().len() as f64;
            let kept = surface.samples().len() as f64;
            assert!((kept / fresh - 1.0).abs() < 0.1, "{percent} %: {kept} samples, afresh {fresh}");
        }
        let report = surface.update(&mesh.vertex).unwrap();
        assert!(report.edges > 0 && report.samples == before, "{report:?}");
    }

    #[test]
    fn only_what_deforms_is_sampled_again() {
        let mesh = cloth(20, 20, 0.35);
        let mut surface = ResampledSurface::new(&mesh, &PARAMS).unwrap();
        let mut moved = mesh.vertex.clone();
        moved[10 * 21 + 10].z += 0.5;
        let report = surface.update(&moved).unwrap();
        assert!((1..=6).contains(&report.edges) && (1..=6).contains(&report.triangles), "{report:?}");
        assert!(surface.update(&moved).unwrap().edges == 0);
    }

    #[test]
    fn bad_poses_are_errors_and_change_nothing() {
        let mesh = cloth(2, 2, 0.35);
        let mut surface = ResampledSurface::new(&mesh, &PARAMS).unwrap();
        let before = surface.samples().clone();
        assert!(surface.update(&mesh.vertex[1..]).is_err());
        let mut bad = mesh.vertex.clone();
        bad[3].y = f64::INFINITY;
        assert!(surface.update(&bad).is_err());
        bad[3].y = 1e9;
        assert!(matches!(surface.update(&bad), Err(GeometryError::TooMany { .. })));
        assert_eq!(*surface.samples(), before);
    }

    /// Pairs of triangles that deform, as in \[Akinci2013\] Fig. 3 and 4, for h = 1.
    const PAIRS: [[[f64; 2]; 4]; 3] = [
        [[0.0, 0.0], [4.2, 0.0], [0.0, 4.2], [4.2, 4.2]],
        [[0.0, 0.4], [4.9, 0.0], [1.6, 3.3], [6.2, 5.1]],
        [[0.0, 0.0], [6.1, 0.0], [2.1, 1.9], [7.4, 2.3]],
    ];

    fn quality(mesh: &TriangleMesh, sample: &[DVec3]) -> SamplingQuality {
        let kernel = CubicSpline { support_radius: 1.0, dimension: Dimension::Three };
        let places: Vec<DVec3> = mesh.corners().flat_map(|c| places_in_triangle(c, 0.06).unwrap()).collect();
        SamplingQuality::of(&number_density(sample, &places, &kernel).unwrap(), 1.0, Dimension::Three)
    }

    /// A pair, its pose stretched and sheared step by step, and what `check` finds in each.
    fn deform(rounding: Rounding, mut check: impl FnMut(&TriangleMesh, &ResampledSurface)) {
        for pair in PAIRS {
            let vertex: Vec<DVec3> = pair.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
            let mut mesh = TriangleMesh { vertex: vertex.clone(), triangle: vec![[0, 1, 2], [2, 1, 3]] };
            let mut surface =
                ResampledSurface::new(&mesh, &ScanlineParams { spacing: 0.5, rounding }).unwrap();
            for step in 0..=20 {
                let t = f64::from(step) / 20.0;
                let by =
                    |v: &DVec3| DVec3::new(v.x * (1.0 + 0.5 * t) + 0.3 * t * v.y, v.y * (1.0 + 0.3 * t), 0.0);
                mesh.vertex = vertex.iter().map(by).collect();
                surface.update(&mesh.vertex).unwrap();
                check(&mesh, &surface);
            }
        }
    }

    #[test]
    fn rounded_up_every_place_of_a_deforming_pair_is_well_sampled() {
        // The default.
        assert_eq!(Rounding::default(), Rounding::Up);
        deform(Rounding::Up, |mesh, surface| {
            let q = quality(mesh, &surface.samples().position);
            assert!(q.under == 0.0 && q.over == 0.0, "{mesh:?} {q:?}");
        });
    }

    #[test]
    fn rounded_down_few_places_are_under_sampled() {
        deform(Rounding::Down, |mesh, surface| {
            let q = quality(mesh, &surface.samples().position);
            assert!(q.under < 0.06 && q.over == 0.0 && q.min > 2.0, "{mesh:?} {q:?}");
        });
    }

    #[test]
    fn scanlines_are_more_even_than_the_seven_point_rule() {
        for rounding in [Rounding::Down, Rounding::Up] {
            deform(rounding, |mesh, surface| {
                let seven = quality(mesh, &seven_point(mesh, 2.8).unwrap().position);
                let lines = quality(mesh, &surface.samples().position);
                assert!(lines.deviation / lines.mean < seven.deviation / seven.mean, "{lines:?} {seven:?}");
            });
        }
    }
}
