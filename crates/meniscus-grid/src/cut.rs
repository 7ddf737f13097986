//! Solids on the grid: which share of each face is open to fluid, how the rest moves, and where fluid ends.
//!
//! Distances of solids are found at the corners of cells. The open share of a face is the part of it where the distance is
//! positive, linear between corners (\[Batty2007\] with areas in place of volumes, \[Ng2009\]): exact for plane walls, of second
//! order for curved ones. A body that is thinner than a cell may slip between corners and not be felt.
//!
//! **Departures** from \[Guendelman2006\] Sec. 7.5: there a face is open or closed.

use crate::lattice::{CellLattice, Site};
use crate::side::GridSides;
use glam::DVec3;
use meniscus_core::{Dimension, Pose};
use meniscus_geometry::{Side as Matter, Solid};

/// The owner of a face that no body touches.
pub const NO_BODY: u32 = u32::MAX;

/// Open shares below this count as closed, and the other way round: slivers make fluxes that nothing balances `[1]`.
const SLIVER: f32 = 1e-3;

/// Distances are not told apart beyond this many cells `[1]`.
const FAR: f32 = 16.0;

/// How many slots deep velocities and scalars are continued into solids `[1]`.
pub const BAND: usize = 4;

/// A solid as the grid meets it.
#[derive(Debug, Clone)]
pub struct GridBody {
    /// Its shape; without one it is not felt.
    pub solid: Option<Solid>,
    /// μ: 0 where fluid slips along it, 1 where it sticks `[1]`.
    pub friction: f64,
}

/// Slots in solids by their distance from the fluid, of one channel.
pub type CellBand = [Vec<u32>; BAND];

/// How solids cut the grid.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    /// By axis: the open share of each face; closed on sides with a given velocity `[1]`.
    pub area: [Vec<f32>; 3],
    /// By axis: how the closed share of each face moves across it `[m/s]`.
    pub wall: [Vec<f64>; 3],
    /// By axis: the body that closes the rest of each face.
    pub owner: [Vec<u32>; 3],
    /// The share of each cell that bodies leave to the fluid `[1]`.
    pub open: Vec<f32>,
    /// By axis: faces in bodies.
    pub faces_inside: [CellBand; 3],
    /// By axis: faces that bodies close in part.
    pub faces_cut: [Vec<u32>; 3],
    /// Cells in bodies.
    pub cells_inside: CellBand,
    /// At corners: the distance from the nearest body, in cells, and which it is.
    distance: Vec<f32>,
    nearest: Vec<u32>,
    layer: Vec<u8>,
    /// Where bodies were when this was found.
    poses: Vec<Option<Pose>>,
}

impl Cut {
    /// Finds it for bodies at these poses (none for one that is not there); tells whether anything has changed.
    pub fn update(
        &mut self,
        lattice: &CellLattice,
        sides: &GridSides,
        bodies: &[GridBody],
        poses: &[Option<Pose>],
    ) -> bool {
        if self.area[0].len() == lattice.slots() && self.poses == poses {
            return false;
        }
        self.poses = poses.to_vec();
        self.find_distances(lattice, bodies);
        self.find_areas(lattice);
        self.close_sides(lattice, sides);
        self.find_bands(lattice);
        true
    }

    /// The flux through a face, in areas of a face `[m/s]`.
    #[inline(always)]
    #[must_use]
    pub fn flux(&self, axis: usize, face: usize, velocity: &[Vec<f64>; 3]) -> f64 {
        let area = f64::from(self.area[axis][face]);
        area * velocity[axis][face] + (1.0 - area) * self.wall[axis][face]
    }

    fn find_distances(&mut self, lattice: &CellLattice, bodies: &[GridBody]) {
        let slots = lattice.slots();
        self.distance.clear();
        self.distance.resize(slots, f32::INFINITY);
        self.nearest.clear();
        self.nearest.resize(slots, NO_BODY);
        let (h, dimension) = (lattice.spacing(), lattice.dimension());
        let corner = |slot: [usize; 3]| {
            let x = lattice.position(Site::Cell, slot) - 0.5 * h;
            if dimension == Dimension::Two { x.truncate().extend(0.0) } else { x }
        };
        let mut both: Vec<(f32, u32)> = vec![(f32::INFINITY, NO_BODY); slots];
        for (id, (body, pose)) in (0..).zip(bodies.iter().zip(&self.poses)) {
            let (Some(solid), Some(pose)) = (&body.solid, pose) else { continue };
            let solid = solid.at(*pose);
            let bounds = solid.bounds();
            let everywhere = solid.side == Matter::Container
                || matches!(solid.shape, meniscus_geometry::Shape::Plane { .. });
            let size = lattice.size();
            let range = [0, 1, 2].map(|axis| {
                if everywhere || (axis == 2 && dimension == Dimension::Two) {
                    return 0..size[axis];
                }
                let slot = |x: f64| (x - lattice.origin()[axis]) / h + 1.0;
                let low = (slot(bounds.min[axis]) - 2.0).max(0.0) as usize;
                let high = (slot(bounds.max[axis]) + 3.0).max(0.0) as usize;
                low.min(size[axis])..high.min(size[axis])
            });
            lattice.fill(&mut both, &range, |mut slot, _, row| {
                for value in row {
                    let distance = (solid.signed_distance(corner(slot), dimension) / h) as f32;
                    if distance < value.0 {
                        *value = (distance, id);
                    }
                    slot[0] += 1;
                }
            });
        }
        for ((distance, nearest), (d, id)) in self.distance.iter_mut().zip(&mut self.nearest).zip(both) {
            (*distance, *nearest) = (d, id);
        }
    }

    fn find_areas(&mut self, lattice: &CellLattice) {
        let (slots, stride, size) = (lattice.slots(), lattice.stride(), lattice.size());
        let Self { area, owner, distance, nearest, wall, .. } = self;
        for axis in 0..3 {
            wall[axis].clear();
            wall[axis].resize(slots, 0.0);
            area[axis].clear();
            area[axis].resize(slots, 0.0);
            owner[axis].clear();
            owner[axis].resize(slots, NO_BODY);
        }
        for axis in lattice.axes() {
            // The other axes, along which the face's corners lie.
            let [s, t] = match (lattice.dimension(), axis) {
                (Dimension::Two, 0) | (Dimension::Three, 2) => {
                    [stride[0] * usize::from(axis == 2), stride[1]]
                }
                (Dimension::Two, _) => [0, stride[0]],
                (Dimension::Three, 0) => [stride[1], stride[2]],
                (Dimension::Three, _) => [stride[0], stride[2]],
            };
            let corners = |n: usize| [n, n + s, n + t, n + s + t];
            debug_assert!(size.iter().product::<usize>() == slots);
            lattice.fill(&mut area[axis], &lattice.face_range(axis), |_, first, row| {
                for (n, area) in (first..).zip(row) {
                    let share = positive_share(corners(n).map(|n| distance[n]), s == 0);
                    *area = if share < SLIVER {
                        0.0
                    } else if share > 1.0 - SLIVER {
                        1.0
                    } else {
                        share
                    };
                }
            });
            let area = &area[axis];
            lattice.fill(&mut owner[axis], &lattice.face_range(axis), |_, first, row| {
                for (n, owner) in (first..).zip(row) {
                    if area[n] < 1.0 {
                        let deepest =
                            corners(n).into_iter().min_by(|a, b| distance[*a].total_cmp(&distance[*b]));
                        *owner = deepest.map_or(NO_BODY, |n| nearest[n]);
                    }
                }
            });
        }
        let (area, count) = (&self.area, 2.0 * lattice.axes().len() as f32);
        self.open.clear();
        self.open.resize(slots, 0.0);
        lattice.fill(&mut self.open, &lattice.cell_range(), |_, first, row| {
            for (n, open) in (first..).zip(row) {
                let faces = lattice.axes().map(|axis| area[axis][n] + area[axis][n + stride[axis]]);
                *open = faces.sum::<f32>() / count;
            }
        });
    }

    /// Sides with a given velocity are closed, and move with it.
    fn close_sides(&mut self, lattice: &CellLattice, sides: &GridSides) {
        for axis in lattice.axes() {
            for (upper, side) in [&sides[2 * axis], &sides[2 * axis + 1]].into_iter().enumerate() {
                let Some(velocity) = side.across(axis) else { continue };
                let mut range = lattice.face_range(axis);
                let slot = if upper == 1 { range[axis].end - 1 } else { range[axis].start };
                range[axis] = slot..slot + 1;
                for (_, face) in lattice.each(&range) {
                    // Nothing comes in where a body is.
                    let open = f64::from(self.area[axis][face]);
                    self.wall[axis][face] = open * velocity;
                    self.area[axis][face] = 0.0;
                    self.owner[axis][face] = NO_BODY;
                }
            }
        }
    }

    fn find_bands(&mut self, lattice: &CellLattice) {
        let Self { area, owner, open, faces_inside, faces_cut, cells_inside, layer, nearest, .. } = self;
        let any = nearest.iter().any(|id| *id != NO_BODY);
        for axis in 0..3 {
            let inside = |n: usize| area[axis][n] <= 0.0 && owner[axis][n] != NO_BODY;
            let range = (lattice.axes().contains(&axis) && any).then(|| lattice.face_range(axis));
            let is_cut = |n: &usize| area[axis][*n] > 0.0 && owner[axis][*n] != NO_BODY;
            faces_cut[axis].clear();
            let faces = range.iter().flat_map(|range| lattice.each(range)).map(|(_, n)| n);
            faces_cut[axis].extend(faces.filter(is_cut).map(|n| n as u32));
            find_band(lattice, range, inside, layer, &mut faces_inside[axis]);
        }
        let range = any.then(|| lattice.cell_range());
        find_band(lattice, range, |n| open[n] <= 0.0, layer, cells_inside);
    }

    /// Sets how closed shares move: `velocity(body, x)` is how a body moves at a place `[m/s]`.
    pub fn move_walls(&mut self, lattice: &CellLattice, velocity: impl Fn(u32, DVec3) -> DVec3 + Sync) {
        for axis in lattice.axes() {
            let owner = &self.owner[axis];
            lattice.fill(&mut self.wall[axis], &lattice.face_range(axis), |mut slot, first, row| {
                for (n, wall) in (first..).zip(row) {
                    if owner[n] != NO_BODY {
                        *wall = velocity(owner[n], lattice.position(Site::Face(axis), slot))[axis];
                    }
                    slot[0] += 1;
                }
            });
        }
    }

    /// How far the middle of a face is from the nearest body, in cells `[1]`.
    pub(crate) fn face_distance(&self, lattice: &CellLattice, axis: usize, face: usize) -> f32 {
        let (stride, axes) = (lattice.stride(), lattice.axes().len());
        let mut along = (0..axes).filter(|other| *other != axis).map(|other| stride[other]);
        let (s, t) = (along.next().unwrap_or(0), along.next().unwrap_or(0));
        let corners = [face, face + s, face + t, face + s + t];
        0.25 * corners.map(|n| self.distance[n].min(FAR)).iter().sum::<f32>()
    }

    /// The normal of the nearest body at the corner with this number, out of it.
    pub(crate) fn normal(&self, lattice: &CellLattice, corner: usize) -> DVec3 {
        let stride = lattice.stride();
        let mut slope = DVec3::ZERO;
        for axis in lattice.axes() {
            let difference = self.distance[corner + stride[axis]] - self.distance[corner - stride[axis]];
            slope[axis] = if difference.is_finite() { f64::from(difference) } else { 0.0 };
        }
        slope.normalize_or_zero()
    }
}

/// What a layer says of slots outside of bodies' range, and of those deep in bodies.
const OUTSIDE: u8 = u8::MAX;
const DEEP: u8 = u8::MAX - 1;

fn find_band(
    lattice: &CellLattice,
    range: Option<[std::ops::Range<usize>; 3]>,
    inside: impl Fn(usize) -> bool,
    layer: &mut Vec<u8>,
    band: &mut CellBand,
) {
    band.iter_mut().for_each(Vec::clear);
    let Some(range) = range else { return };
    layer.clear();
    layer.resize(lattice.slots(), OUTSIDE);
    let mut rest = Vec::new();
    for (_, n) in lattice.each(&range) {
        layer[n] = if inside(n) {
            rest.push(n as u32);
            DEEP
        } else {
            0
        };
    }
    for (depth, next) in (0_u8..).zip(band) {
        rest.retain(|n| {
            let n = *n as usize;
            let touches = neighbours(lattice, n).any(|m| layer[m] == depth);
            if touches {
                next.push(n as u32);
            }
            !touches
        });
        for n in next.iter() {
            layer[*n as usize] = depth + 1;
        }
    }
}

/// The slots around one.
pub(crate) fn neighbours(lattice: &CellLattice, n: usize) -> impl Iterator<Item = usize> {
    let stride = lattice.stride();
    lattice.axes().flat_map(move |axis| [n - stride[axis], n + stride[axis]])
}

/// The share of a square with distances at its corners (in the plane of an edge: the corners come in equal pairs) that is
/// positive.
fn positive_share([a, b, c, d]: [f32; 4], is_edge: bool) -> f32 {
    if [a, b, c, d].into_iter().all(|d| d >= 0.0) {
        return 1.0;
    }
    if [a, b, c, d].into_iter().all(|d| d < 0.0) {
        return 0.0;
    }
    let reach = |d: f32| d.clamp(-2.0, 2.0);
    if is_edge {
        // a = b and c = d.
        let (low, high) = (reach(a).min(reach(c)), reach(a).max(reach(c)));
        return high / (high - low);
    }
    let [a, b, c, d] = [a, b, c, d].map(reach);
    let middle = 0.25 * (a + b + c + d);
    // The corners in order around the square are a, b, d, c.
    let triangles = [[a, b], [b, d], [d, c], [c, a]];
    0.25 * triangles.into_iter().map(|[p, q]| positive_share_of_triangle([p, q, middle])).sum::<f32>()
}

fn positive_share_of_triangle(mut value: [f32; 3]) -> f32 {
    value.sort_unstable_by(f32::total_cmp);
    let [low, middle, high] = value;
    if low >= 0.0 {
        1.0
    } else if high < 0.0 {
        0.0
    } else if middle < 0.0 {
        high * high / ((high - low) * (high - middle))
    } else {
        1.0 - low * low / ((low - high) * (low - middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::GridSide;
    use meniscus_geometry::{OpenFaces, Shape};

    fn body(shape: Shape) -> GridBody {
        let solid = Solid { shape, pose: Pose::IDENTITY, side: Matter::Solid };
        GridBody { solid: Some(solid), friction: 0.0 }
    }

    #[test]
    fn shares_of_squares_are_exact_for_planes() {
        assert!((positive_share([0.25, 0.25, -0.75, -0.75], false) - 0.25).abs() < 1e-6);
        assert!((positive_share([0.25, 0.25, -0.75, -0.75], true) - 0.25).abs() < 1e-6);
        // x + y > 1.5 takes an eighth of a unit square.
        let d = |x: f32, y: f32| x + y - 1.5;
        assert!(
            (positive_share([d(0.0, 0.0), d(1.0, 0.0), d(0.0, 1.0), d(1.0, 1.0)], false) - 0.125).abs()
                < 1e-6
        );
    }

    #[test]
    fn a_body_closes_as_much_as_its_size() {
        let h = 0.1;
        let grid = CellLattice::new(Dimension::Three, [20, 20, 20], h, DVec3::ZERO).unwrap();
        let at = DVec3::new(1.013, 0.981, 1.04);
        let size = DVec3::new(0.43, 0.52, 0.61);
        for (shape, volume, area) in [
            (
                Shape::Sphere { radius: 0.4 },
                4.0 / 3.0 * std::f64::consts::PI * 0.064,
                std::f64::consts::PI * 0.16,
            ),
            (Shape::Box { size, open: OpenFaces::NONE }, size.element_product(), size.y * size.z),
        ] {
            let mut cut = Cut::default();
            assert!(cut.update(&grid, &[GridSide::Open; 6], &[body(shape.clone())], &[Some(Pose::at(at))]));
            assert!(!cut.update(&grid, &[GridSide::Open; 6], &[body(shape.clone())], &[Some(Pose::at(at))]));
            let closed: f64 = grid.each(&grid.cell_range()).map(|(_, n)| 1.0 - f64::from(cut.open[n])).sum();
            // Chords of a ball of four cells lack about two hundredths.
            assert!(
                (closed * h.powi(3) / volume - 1.0).abs() < 0.03,
                "{shape:?} {}",
                closed * h.powi(3) / volume
            );
            // The section through the middle.
            let mut layer = grid.face_range(0);
            layer[0] = 11..12;
            let section: f64 = grid.each(&layer).map(|(_, n)| 1.0 - f64::from(cut.area[0][n])).sum();
            // Squares are cut by straight lines, so that the corners of a box six cells wide are lost.
            assert!((section * h * h / area - 1.0).abs() < 0.03, "{shape:?} {}", section * h * h / area);
        }
    }

    #[test]
    fn a_plane_of_two_dimensions_closes_edges() {
        let grid = CellLattice::new(Dimension::Two, [10, 10, 1], 0.1, DVec3::ZERO).unwrap();
        let floor = body(Shape::Plane { size: [1.0, 1.0] });
        let mut cut = Cut::default();
        cut.update(&grid, &[GridSide::Open; 6], &[floor], &[Some(Pose::at(DVec3::new(0.5, 0.33, 0.0)))]);
        let at = |axis: usize, i, j| cut.area[axis][grid.index([i, j, 0])];
        assert!(
            (at(0, 5, 4) - 0.7).abs() < 1e-5
                && (at(0, 5, 3)).abs() < 1e-6
                && (at(0, 5, 5) - 1.0).abs() < 1e-6
        );
        assert!(at(1, 5, 4).abs() < 1e-6 && (at(1, 5, 5) - 1.0).abs() < 1e-6);
        assert!(!cut.faces_inside[1][0].is_empty() && cut.faces_inside[1][1].len() == 10);
    }
}
