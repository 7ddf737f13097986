//! Points that can be asked for those near a place while they come and move.

use glam::{DVec3, I64Vec3};

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Points in cells that are twice as wide as the radius of a query, so that what is near lies in the cell of the place
/// or in those across its nearer faces. Cells hash to lists; space between the points costs nothing.
#[derive(Debug, Clone)]
pub(super) struct PointGrid {
    radius: f64,
    point: Vec<DVec3>,
    /// The hash of each point's cell: lists hold points of several cells.
    key: Vec<u64>,
    /// Per point the next one in its list.
    next: Vec<u32>,
    /// Per list its first point; a power of two.
    head: Vec<u32>,
}

impl PointGrid {
    /// A grid for queries of this radius `[m]`.
    pub fn new(radius: f64, points: &[DVec3]) -> Self {
        let mut grid = Self {
            radius,
            point: points.to_vec(),
            key: Vec::with_capacity(points.len()),
            next: vec![NONE; points.len()],
            head: Vec::new(),
        };
        grid.key.extend(points.iter().map(|p| key(cell(*p, radius))));
        grid.rehash();
        grid
    }

    pub fn points(&self) -> &[DVec3] {
        &self.point
    }

    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Twice as many lists as points, so that most hold one cell.
    fn rehash(&mut self) {
        self.head.clear();
        self.head.resize((2 * self.point.len()).next_power_of_two().max(64), NONE);
        // Backwards, so that lists are in the order of the points.
        for i in (0..self.point.len()).rev() {
            self.link(i);
        }
    }

    fn list(&self, key: u64) -> usize {
        // The upper bits are mixed best.
        (key >> 32) as usize & (self.head.len() - 1)
    }

    fn link(&mut self, i: usize) {
        let list = self.list(self.key[i]);
        self.next[i] = std::mem::replace(&mut self.head[list], i as u32);
    }

    fn unlink(&mut self, i: usize) {
        let list = self.list(self.key[i]);
        let mut at = self.head[list];
        if at == i as u32 {
            self.head[list] = self.next[i];
            return;
        }
        while let Some(&after) = self.next.get(at as usize) {
            if after == i as u32 {
                self.next[at as usize] = self.next[i];
                return;
            }
            at = after;
        }
    }

    /// Adds a point.
    pub fn push(&mut self, x: DVec3) {
        self.point.push(x);
        self.key.push(key(cell(x, self.radius)));
        self.next.push(NONE);
        if 2 * self.point.len() > self.head.len() {
            self.rehash();
        } else {
            self.link(self.point.len() - 1);
        }
    }

    /// Moves a point.
    pub fn move_to(&mut self, i: usize, x: DVec3) {
        let to = key(cell(x, self.radius));
        if to != self.key[i] {
            self.unlink(i);
            self.key[i] = to;
            self.link(i);
        }
        self.point[i] = x;
    }

    /// Calls `visit` with every point nearer than the radius to `x` and the square of its distance, until it says to
    /// stop by returning true; returns whether it did.
    pub fn any_near(&self, x: DVec3, mut visit: impl FnMut(usize, f64) -> bool) -> bool {
        let place = x / (2.0 * self.radius);
        let home = place.floor();
        let nearer = (place - home).cmplt(DVec3::splat(0.5));
        let side = I64Vec3::select(nearer, I64Vec3::NEG_ONE, I64Vec3::ONE);
        let home = home.as_i64vec3();
        let limit = self.radius * self.radius;
        for corner in 0..8_i64 {
            let offset = side * I64Vec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let key = key(home.wrapping_add(offset));
            let mut at = self.head[self.list(key)] as usize;
            while let Some(p) = self.point.get(at) {
                let squared = p.distance_squared(x);
                if squared < limit && self.key[at] == key && visit(at, squared) {
                    return true;
                }
                at = self.next[at] as usize;
            }
        }
        false
    }

    /// The square of the distance from `x` to the nearest point that is not `except`, or of the radius if all are
    /// farther `[m²]`.
    pub fn nearest_squared(&self, x: DVec3, except: usize) -> f64 {
        let mut least = self.radius * self.radius;
        self.any_near(x, |j, squared| {
            if j != except {
                least = least.min(squared);
            }
            false
        });
        least
    }

    /// An upper bound of the pairs that queries at these places would look at `[1]`.
    pub fn pair_bound(&self, at: &[DVec3]) -> f64 {
        let mut length = vec![0_u32; self.head.len()];
        self.key.iter().for_each(|k| length[self.list(*k)] += 1);
        let longest = length.iter().copied().max().unwrap_or(0);
        // Only what is crowded somewhere needs a closer look.
        if f64::from(longest) < 256.0 {
            return 8.0 * 256.0 * at.len() as f64;
        }
        at.iter().map(|x| 8.0 * f64::from(length[self.list(key(cell(*x, self.radius)))])).sum()
    }
}

fn cell(x: DVec3, radius: f64) -> I64Vec3 {
    (x / (2.0 * radius)).floor().as_i64vec3()
}

/// Mixes the coordinates of a cell; large odd factors spread neighbours over all lists.
fn key(cell: I64Vec3) -> u64 {
    let mixed = (cell.x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (cell.y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(21)
        ^ (cell.z as u64).wrapping_mul(0x1656_67B1_9E37_79F9).rotate_left(42);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sample::random::RandomStream;

    proptest! {
        #[test]
        fn queries_agree_with_brute_force_after_any_moves(seed in any::<u64>(), n in 1..120_usize) {
            let mut random = RandomStream::new(seed);
            let mut points: Vec<DVec3> = (0..n).map(|_| random.in_cube()).collect();
            let mut grid = PointGrid::new(0.3, &points[..n / 2]);
            points[n / 2..].iter().for_each(|p| grid.push(*p));
            for _ in 0..n {
                let (i, x) = (random.bits() as usize % n, random.in_cube());
                points[i] = x;
                grid.move_to(i, x);
            }
            for _ in 0..20 {
                let x = random.in_cube();
                let mut found = Vec::new();
                grid.any_near(x, |j, _| { found.push(j); false });
                found.sort_unstable();
                let expected: Vec<usize> = (0..n).filter(|&j| points[j].distance(x) < 0.3).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
