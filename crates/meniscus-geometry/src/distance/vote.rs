//! Inside or outside by rays along the axes, for nodes of grids \[Guendelman2006\] Sec. 2.3.1.

use glam::DVec3;
use rayon::prelude::*;

use super::MeshDistance;
use crate::MeshShape;
use crate::distance::field::Lattice;

/// How many of the six rays must come from inside `[1]`.
const MAJORITY: u8 = 3;

/// Six rays along the axes against thickened triangles. Each says inside if the first triangle it meets is met from
/// behind; three such rays make the point inside. It bridges small gaps, but does worse near them than the
/// [`WindingNumber`](crate::query::WindingNumber), which [`MeshDistance`] uses.
#[derive(Debug, Clone, Copy)]
pub struct SixRayVote<'a> {
    mesh: &'a MeshShape,
    thickness: f64,
}

/// Which corners of a grid's cells are inside of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSigns {
    nodes: [usize; 3],
    inside: Vec<bool>,
}

impl NodeSigns {
    /// Whether a corner, counted along each axis, is inside; `None` if there is no such corner.
    #[must_use]
    pub fn is_inside(&self, at: [usize; 3]) -> Option<bool> {
        let exists = (0..3).all(|a| at[a] < self.nodes[a]);
        exists.then(|| self.inside.get(index(self.nodes, at)).copied())?
    }

    /// Corners along each axis `[1]`.
    #[must_use]
    pub fn nodes(&self) -> [usize; 3] {
        self.nodes
    }
}

/// One crossing of a grid line with the mesh.
#[derive(Clone, Copy)]
struct Crossing {
    /// Along the line `[cells]`.
    at: f64,
    /// Whether the line leaves the inside here.
    leaves: bool,
}

impl<'a> SixRayVote<'a> {
    /// Triangles are made larger by `thickness` `[m]` beyond their edges; a millionth of the mesh's size closes the
    /// cracks of rounding.
    #[must_use]
    pub fn new(mesh: &'a MeshShape, thickness: f64) -> Self {
        Self { mesh, thickness }
    }

    /// The vote for one point.
    #[must_use]
    pub fn is_inside(&self, x: DVec3) -> bool {
        let says_inside =
            |direction| self.mesh.first_hit(x, direction, self.thickness).is_some_and(|hit| hit.from_inside);
        let votes =
            DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]).filter(|d| says_inside(*d)).count();
        votes >= usize::from(MAJORITY)
    }

    /// The vote for all corners of a grid. A line of the grid is cast once for all corners on it: between two crossings
    /// the rays of all of them meet the same triangle.
    #[must_use]
    pub fn on_grid(&self, lattice: &Lattice) -> NodeSigns {
        let nodes = corners(lattice);
        let mut votes = vec![0u8; nodes.iter().product()];
        for axis in 0..3 {
            let lines = self.lines(lattice, nodes, axis);
            for (line, crossings) in lines.iter().enumerate() {
                for i in 0..nodes[axis] {
                    let at = on_line(nodes, axis, line, i);
                    votes[index(nodes, at)] += votes_of(crossings, i as f64);
                }
            }
        }
        NodeSigns { nodes, inside: votes.into_iter().map(|v| v >= MAJORITY).collect() }
    }

    /// Sides of all corners of a grid for a closed mesh: corners between which no grid edge crosses the mesh are on the
    /// same side, so that one of each such region is asked. With gaps, regions leak.
    #[must_use]
    pub fn flood_fill(&self, lattice: &Lattice) -> NodeSigns {
        let nodes = corners(lattice);
        let count = nodes.iter().product();
        // Bit a: the edge from this corner along axis a crosses the mesh.
        let mut crossing = vec![0u8; count];
        for axis in 0..3 {
            for (line, crossings) in self.lines(lattice, nodes, axis).iter().enumerate() {
                for c in crossings {
                    // On a corner, both of its edges.
                    for i in [(c.at - 1e-9).floor(), (c.at + 1e-9).floor()] {
                        if i >= 0.0 && i < nodes[axis] as f64 {
                            crossing[index(nodes, on_line(nodes, axis, line, i as usize))] |= 1 << axis;
                        }
                    }
                }
            }
        }
        let truth = MeshDistance::new(self.mesh);
        let mut inside = vec![None; count];
        for start in 0..count {
            if inside[start].is_none() {
                let sign = truth.is_inside(place(lattice, position(nodes, start)));
                spread(nodes, &crossing, &mut inside, start, sign);
            }
        }
        NodeSigns { nodes, inside: inside.into_iter().map(|side| side == Some(true)).collect() }
    }

    /// What each line of the grid along `axis` meets, in order.
    fn lines(&self, lattice: &Lattice, nodes: [usize; 3], axis: usize) -> Vec<Vec<Crossing>> {
        let count = nodes.iter().product::<usize>() / nodes[axis];
        let reach = self.mesh.mesh().bounds().size().length() + lattice.bounds().size().length();
        (0..count)
            .into_par_iter()
            .map(|line| {
                let mut start = place(lattice, on_line(nodes, axis, line, 0));
                let first = start[axis];
                // From before all of the mesh: triangles below the grid have a vote, too.
                start[axis] = first.min(self.mesh.mesh().bounds().min[axis]) - reach;
                let before = first - start[axis];
                let mut crossings: Vec<Crossing> = self
                    .mesh
                    .ray_hits(start, DVec3::AXES[axis], self.thickness)
                    .map(|hit| Crossing { at: (hit.time - before) / lattice.cell(), leaves: hit.from_inside })
                    .collect();
                crossings.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.leaves.cmp(&b.leaves)));
                crossings
            })
            .collect()
    }
}

/// The votes of the rays up and down a line from `at` `[cells]`.
fn votes_of(crossings: &[Crossing], at: f64) -> u8 {
    let next = crossings.partition_point(|c| c.at < at);
    let up = crossings.get(next).is_some_and(|c| c.leaves);
    let down = next.checked_sub(1).and_then(|i| crossings.get(i)).is_some_and(|c| !c.leaves);
    u8::from(up) + u8::from(down)
}

/// Gives `sign` to all corners that can be reached from `start` without crossing the mesh.
fn spread(nodes: [usize; 3], crossing: &[u8], inside: &mut [Option<bool>], start: usize, sign: bool) {
    let mut todo = vec![start];
    inside[start] = Some(sign);
    while let Some(node) = todo.pop() {
        let at = position(nodes, node);
        for axis in 0..3 {
            let step = [1, nodes[0], nodes[0] * nodes[1]][axis];
            let up = (at[axis] + 1 < nodes[axis] && crossing[node] >> axis & 1 == 0).then(|| node + step);
            let down = (at[axis] > 0).then(|| node - step).filter(|n| crossing[*n] >> axis & 1 == 0);
            for next in [up, down].into_iter().flatten() {
                if inside[next].is_none() {
                    inside[next] = Some(sign);
                    todo.push(next);
                }
            }
        }
    }
}

fn corners(lattice: &Lattice) -> [usize; 3] {
    lattice.count().map(|c| c as usize + 1)
}

fn index(nodes: [usize; 3], at: [usize; 3]) -> usize {
    at[0] + nodes[0] * (at[1] + nodes[1] * at[2])
}

fn position(nodes: [usize; 3], index: usize) -> [usize; 3] {
    [index % nodes[0], index / nodes[0] % nodes[1], index / (nodes[0] * nodes[1])]
}

/// Corner `i` of the line with number `line` along `axis`.
fn on_line(nodes: [usize; 3], axis: usize, line: usize, i: usize) -> [usize; 3] {
    let mut reduced = nodes;
    reduced[axis] = 1;
    let mut at = position(reduced, line);
    at[axis] = i;
    at
}

fn place(lattice: &Lattice, at: [usize; 3]) -> DVec3 {
    lattice.origin() + lattice.cell() * DVec3::from_array(at.map(|i| i as f64))
}

#[cfg(test)]
mod tests {
    use meniscus_core::Dimension;

    use super::*;
    use crate::test_mesh::sphere;
    use crate::{Aabb, SignedDistance};

    #[test]
    fn grid_and_points_vote_alike_and_flood_fill_agrees_on_closed_meshes() {
        let shape = MeshShape::new(sphere(3)).unwrap();
        let vote = SixRayVote::new(&shape, 1e-7);
        let bounds = Aabb::around(DVec3::new(0.01, 0.02, 0.03), DVec3::splat(1.2));
        let lattice = Lattice::covering(bounds, 0.15, Dimension::Three).unwrap();
        let (signs, filled) = (vote.on_grid(&lattice), vote.flood_fill(&lattice));
        let [nx, ny, nz] = signs.nodes();
        for i in 0..nx * ny * nz {
            let at = position(signs.nodes(), i);
            let x = place(&lattice, at);
            let truth = shape.distance(x) < 0.0;
            assert_eq!(signs.is_inside(at), Some(truth), "{x}");
            assert_eq!(filled.is_inside(at), Some(truth), "{x}");
            assert_eq!(vote.is_inside(x), truth, "{x}");
        }
        assert_eq!(signs.is_inside([nx, 0, 0]), None);
    }
}
