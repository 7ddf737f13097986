//! Isosurface stuffing: from the signed distance of a closed surface to tetrahedra.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;

use super::lattice::{Lattice, NEIGHBOURS, Site};
use super::stuffing::{Corner, inside};
use super::{Embedding, TetMesh, TetReport, volume};
use crate::error::require_positive;
use crate::shape::builtin::short;
use crate::{Aabb, GeometryError, MeshDistance, MeshError, MeshShape, SignedDistance};

/// How near to a vertex, in parts of the edge, a cut moves the vertex onto the surface `[1]`: \[Labelle2007\] α_long
/// and α_short.
const WARP: [f64; 2] = [0.249_99, 0.411_89];
/// Vertices this near to the surface, in cells, are on it `[1]`.
const ON_SURFACE: f64 = 1e-9;
/// How precisely cuts are on the surface, in cells `[1]`.
const CUT_TOLERANCE: f64 = 1e-7;
/// The most cells of the lattice `[1]`; a tetrahedron takes about a tenth of a kilobyte.
const MAX_CELLS: f64 = 4e6;
/// Cells along the edge of the blocks in which signs are found `[1]`.
const BLOCK: i32 = 4;
/// The most by which the volume may differ from that of the surface `[1]`.
const MAX_VOLUME_ERROR: f64 = 0.25;

impl TetMesh {
    /// Fills a closed surface with tetrahedra whose long edges are about `size` `[m]`.
    ///
    /// # Errors
    /// If the surface is not closed or turned inside out, if `size` makes no sense or takes too many cells, or if it is
    /// so large that the tetrahedra do not have the surface's shape: parts are lost, joined or torn, or the volume is
    /// off by a quarter.
    pub fn fill(surface: &MeshShape, size: f64) -> Result<(Self, TetReport), GeometryError> {
        require_positive("size", size)?;
        surface.require_closed()?;
        let report = surface.report();
        if report.volume <= 0.0 {
            return Err(MeshError::new(
                format!("the mesh encloses a volume of {} m³", report.volume),
                "turn its triangles counter-clockwise seen from outside",
            )
            .into());
        }
        let cells = Lattice::count(&report.bounds, size);
        if cells.is_nan() || cells > MAX_CELLS {
            let least = (report.bounds.size().element_product().max(report.volume) / MAX_CELLS).cbrt();
            return Err(MeshError::new(
                format!(
                    "tetrahedra of {} m take about {cells:.1e} cells, more than {MAX_CELLS:.0e}",
                    short(size)
                ),
                format!("use a size of more than {} m", short(least)),
            )
            .into());
        }
        let mesh = Self::of_distance(&MeshDistance::new(surface), size);
        let tetrahedra = TetReport::of(&mesh, report.volume);
        // Cavities have no matter of their own.
        let parts = report.component.iter().filter(|c| c.is_closed && c.depth % 2 == 0).count();
        let wanted =
            if report.component.len() < 64 && report.overlap.is_empty() { parts } else { tetrahedra.pieces };
        if let Some(problem) = tetrahedra.too_coarse(wanted, MAX_VOLUME_ERROR) {
            return Err(MeshError::new(
                format!("tetrahedra of {} m do not have the shape of the mesh: {problem}", short(size)),
                "use a smaller size, at most the thickness of the thinnest part",
            )
            .into());
        }
        Embedding::of(&mesh, &surface.mesh().vertex, 2.0 * size).map_err(|x| {
            MeshError::new(
                format!(
                    "no tetrahedron of {} m is near the mesh at ({}, {}, {})",
                    short(size),
                    x.x,
                    x.y,
                    x.z
                ),
                "use a smaller size, at most the thickness of the thinnest part",
            )
        })?;
        Ok((mesh, tetrahedra))
    }

    /// Fills the inside of a distance, where it is negative, with tetrahedra whose long edges are about `size` `[m]`;
    /// parts that are thinner than that may be lost. Without tetrahedra if the bounds or the size make no sense.
    #[must_use]
    pub fn of_distance(distance: &dyn SignedDistance, size: f64) -> Self {
        let bounds = distance.bounds();
        let sensible = bounds.size().max_element() > 0.0
            && size > 0.0
            && Lattice::count(&bounds, size) <= 8.0 * MAX_CELLS;
        if !sensible {
            return Self::default();
        }
        let mut stuffing = Stuffing::new(Lattice::around(&bounds, size), distance, &bounds);
        stuffing.cut(distance);
        stuffing.warp();
        stuffing.fill()
    }
}

struct Stuffing {
    lattice: Lattice,
    /// By number of a vertex: −1 inside, 0 on the surface, 1 outside.
    sign: Vec<i8>,
    /// Inner vertices from which an edge leads outside.
    near: Vec<Site>,
    /// Where edges from an inner to an outer vertex are cut, as a part of the way from inside `[1]`.
    cut: HashMap<[u32; 2], f64>,
    /// Vertices that were moved `[m]`.
    moved: HashMap<u32, DVec3>,
}

impl Stuffing {
    fn new(lattice: Lattice, distance: &dyn SignedDistance, bounds: &Aabb) -> Self {
        let on_surface = ON_SURFACE * lattice.size.max(1e-6 * bounds.size().max_element());
        let sign = signs(&lattice, distance, on_surface);
        let mut near = Vec::new();
        for_each_site(&lattice, |site| {
            if sign[lattice.index(site) as usize] < 0
                && NEIGHBOURS.iter().any(|step| sign[lattice.index(beside(site, *step)) as usize] > 0)
            {
                near.push(site);
            }
        });
        Self { lattice, sign, near, cut: HashMap::new(), moved: HashMap::new() }
    }

    /// Finds where edges are cut.
    fn cut(&mut self, distance: &dyn SignedDistance) {
        let (lattice, sign) = (&self.lattice, &self.sign);
        let cuts: Vec<Vec<([u32; 2], f64)>> = self
            .near
            .par_iter()
            .map(|&site| {
                let inner = lattice.index(site);
                let outer = NEIGHBOURS.iter().map(|step| beside(site, *step));
                outer
                    .filter(|&outer| sign[lattice.index(outer) as usize] > 0)
                    .map(|outer| {
                        let (from, to) = (lattice.position(site), lattice.position(outer));
                        let part = crossing(distance, from, to, CUT_TOLERANCE * lattice.size);
                        ([inner, lattice.index(outer)], part)
                    })
                    .collect()
            })
            .collect();
        self.cut.extend(cuts.into_iter().flatten());
    }

    /// Moves vertices to the nearest cut if it is too near to them \[Labelle2007\]; their other cuts are then gone.
    fn warp(&mut self) {
        let mut sites = self.near.clone();
        let outer = self.near.iter().flat_map(|&site| NEIGHBOURS.map(|step| beside(site, step)));
        sites.extend(outer.filter(|&site| self.sign[self.lattice.index(site) as usize] > 0));
        sites.sort_unstable_by_key(|&site| self.lattice.index(site));
        sites.dedup();
        for site in sites {
            let own = self.lattice.index(site);
            let mut nearest: Option<(f64, DVec3)> = None;
            for (number, step) in NEIGHBOURS.into_iter().enumerate() {
                let other = beside(site, step);
                if !self.lattice.contains(other) {
                    continue;
                }
                let Some(part) = self.part_from(own, self.lattice.index(other)) else { continue };
                let (from, to) = (self.lattice.position(site), self.lattice.position(other));
                let length = part * from.distance(to);
                if part < WARP[usize::from(number >= 6)] && nearest.is_none_or(|(least, _)| length < least) {
                    nearest = Some((length, from.lerp(to, part)));
                }
            }
            if let Some((_, x)) = nearest {
                self.sign[own as usize] = 0;
                self.moved.insert(own, x);
            }
        }
    }

    /// How far from a vertex its edge to another one is cut, as a part of the edge; `None` if it is not.
    fn part_from(&self, own: u32, other: u32) -> Option<f64> {
        match (self.sign[own as usize], self.sign[other as usize]) {
            (-1, 1) => self.cut.get(&[own, other]).copied(),
            (1, -1) => self.cut.get(&[other, own]).map(|part| 1.0 - part),
            _ => None,
        }
    }

    fn fill(&self) -> TetMesh {
        let mut mesh = TetMesh::default();
        let mut number: HashMap<[u32; 2], u32> = HashMap::new();
        let lattice = &self.lattice;
        for sites in lattice.tetrahedra() {
            let index = sites.map(|s| lattice.index(s));
            let sign = index.map(|i| self.sign[i as usize]);
            if !sign.contains(&-1) {
                continue;
            }
            let sum = sites.map(|s| s.iter().sum::<i32>());
            let odd = sites.map(|s| s.iter().map(|c| c >> 1).sum::<i32>() & 1 == 1);
            let ahead = [sum[0] > sum[1], sum[1] > sum[0], sum[2] > sum[3], sum[3] > sum[2]];
            inside(sign, odd, ahead, |corner| {
                // Vertices move too little to turn a tetrahedron over, so its turn is that of cuts in the middle of
                // edges.
                let middle = corner.map(|c| DVec3::from_array(doubled(c, &sites).map(f64::from)));
                let mut new = corner.map(|c| {
                    let name = match c {
                        Corner::Vertex(i) => [index[i]; 2],
                        Corner::Cut(i, j) => [index[i], index[j]],
                    };
                    *number.entry(name).or_insert_with(|| {
                        mesh.vertex.push(self.place(c, &sites, &index));
                        mesh.vertex.len() as u32 - 1
                    })
                });
                if volume(middle) < 0.0 {
                    new.swap(2, 3);
                }
                mesh.tetrahedron.push(new);
            });
        }
        mesh
    }

    fn place(&self, corner: Corner, sites: &[Site; 4], index: &[u32; 4]) -> DVec3 {
        let at =
            |i: usize| self.moved.get(&index[i]).copied().unwrap_or_else(|| self.lattice.position(sites[i]));
        match corner {
            Corner::Vertex(i) => at(i),
            Corner::Cut(i, j) => {
                let part = self.cut.get(&[index[i], index[j]]).copied().unwrap_or(0.5);
                at(i).lerp(at(j), part)
            }
        }
    }
}

fn beside(site: Site, step: Site) -> Site {
    [site[0] + step[0], site[1] + step[1], site[2] + step[2]]
}

/// Twice a vertex, or twice the middle of an edge.
fn doubled(corner: Corner, sites: &[Site; 4]) -> Site {
    match corner {
        Corner::Vertex(i) => sites[i].map(|c| 2 * c),
        Corner::Cut(i, j) => beside(sites[i], sites[j]),
    }
}

/// Calls for all vertices of the lattice that are not on its surface, where every neighbour exists.
fn for_each_site(lattice: &Lattice, mut call: impl FnMut(Site)) {
    let [nx, ny, nz] = lattice.cells;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                if x.min(y).min(z) > 0 {
                    call([2 * x, 2 * y, 2 * z]);
                }
                let centre = [2 * x + 1, 2 * y + 1, 2 * z + 1];
                if NEIGHBOURS.iter().all(|step| lattice.contains(beside(centre, *step))) {
                    call(centre);
                }
            }
        }
    }
}

/// The signs of all vertices. A block of cells has one sign if the distance of its middle is larger than the block.
fn signs(lattice: &Lattice, distance: &dyn SignedDistance, on_surface: f64) -> Vec<i8> {
    let blocks = lattice.cells.map(|n| (n + 1 + BLOCK - 1) / BLOCK);
    let count = blocks.iter().product::<i32>();
    let found: Vec<(Site, Vec<i8>)> = (0..count)
        .into_par_iter()
        .map(|b| {
            let first =
                [b % blocks[0], b / blocks[0] % blocks[1], b / blocks[0] / blocks[1]].map(|c| BLOCK * c);
            let half = DVec3::splat(0.5 * f64::from(BLOCK) * lattice.size);
            let centre = lattice.position(first.map(|c| 2 * c)) + half;
            let of_block = distance.distance(centre);
            if of_block.abs() > 1.001 * half.length() {
                return (first, vec![if of_block < 0.0 { -1 } else { 1 }]);
            }
            let near = distance.near(centre, half);
            let sign = sites_of(first).map(|site| {
                let d = near.distance(lattice.position(site));
                if d.abs() <= on_surface {
                    0
                } else if d < 0.0 {
                    -1
                } else {
                    1
                }
            });
            (first, sign.collect())
        })
        .collect();
    let mut sign = vec![1; lattice.indices()];
    for (first, of_block) in found {
        for (i, site) in sites_of(first).enumerate() {
            if lattice.contains(site) {
                sign[lattice.index(site) as usize] = of_block[if of_block.len() == 1 { 0 } else { i }];
            }
        }
    }
    sign
}

/// The corners and centres of a block of cells, without those corners that belong to the next block.
fn sites_of(first: Site) -> impl Iterator<Item = Site> {
    let along = move |axis: usize| 2 * first[axis]..2 * (first[axis] + BLOCK);
    let all = along(2).flat_map(move |z| along(1).flat_map(move |y| along(0).map(move |x| [x, y, z])));
    all.filter(|s| s.iter().all(|c| c & 1 == s[0] & 1))
}

/// Where the distance changes its sign on the way from inside to outside, as a part of the way: by the rule of false
/// position, in which an end that stays twice counts half.
fn crossing(distance: &dyn SignedDistance, from: DVec3, to: DVec3, tolerance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let (mut at_low, mut at_high) = (distance.distance(from), distance.distance(to));
    let mut stayed = 0;
    let mut part = 0.5;
    for _ in 0..24 {
        part = if at_high > at_low {
            low + (high - low) * at_low / (at_low - at_high)
        } else {
            0.5 * (low + high)
        };
        if !(low..=high).contains(&part) {
            part = 0.5 * (low + high);
        }
        let here = distance.distance(from.lerp(to, part));
        if here.abs() < tolerance {
            break;
        }
        if here < 0.0 {
            (low, at_low) = (part, here);
            at_high *= if stayed == 1 { 0.5 } else { 1.0 };
            stayed = 1;
        } else {
            (high, at_high) = (part, here);
            at_low *= if stayed == -1 { 0.5 } else { 1.0 };
            stayed = -1;
        }
    }
    part
}
