//! In which order a mechanism's equations are eliminated, and what that fills.
//!
//! The nodes are bodies and joints. Of those that may go, the one with the fewest neighbours goes first. A body may always go.
//! A joint may go when both of its bodies have gone: its pivot is then a Schur complement of G M⁻¹ Gᵀ, which is definite. A joint
//! that is on no loop may go as soon as the body behind it has gone: what hangs there is held by nothing else, so it can move in
//! all ways and the pivot is definite too. Trees are so eliminated from the leaves to the root and nothing is filled
//! (\[Baraff1996\] Sec. 4); a loop carries a front of constant width around, and needs no special treatment.

use std::collections::{BTreeMap, BTreeSet};

/// A joint, as far as the order is concerned: its movable bodies.
pub(crate) type Ends = [Option<usize>; 2];

/// The order and the places of the blocks. The diagonal block of a node has the node's number.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub pivot: Vec<Pivot>,
    /// How many blocks there are.
    pub blocks: usize,
    /// The block of each pair of nodes that has one.
    place: BTreeMap<(u32, u32), u32>,
}

/// What the elimination of one node does.
#[derive(Debug)]
pub(crate) struct Pivot {
    pub node: u32,
    /// The neighbours that are left.
    pub later: Vec<Later>,
    /// The blocks of all pairs of these, row by row.
    pub target: Vec<u32>,
}

/// A neighbour of a pivot.
#[derive(Debug)]
pub(crate) struct Later {
    pub node: u32,
    /// The block in the pivot's row.
    pub right: u32,
    /// The block in the pivot's column.
    pub below: u32,
}

impl Pattern {
    /// That of so many bodies and these joints, which are the nodes after them.
    pub fn new(bodies: usize, joints: &[Ends]) -> Self {
        let nodes = bodies + joints.len();
        let mut near = vec![BTreeSet::new(); nodes];
        let mut connect = |a: usize, b: usize| {
            near[a].insert(b as u32);
            near[b].insert(a as u32);
        };
        for (k, ends) in joints.iter().enumerate() {
            ends.iter().flatten().for_each(|body| connect(*body, bodies + k));
            if let [Some(a), Some(b)] = *ends {
                connect(a, b);
            }
        }
        let eliminated = eliminate(bodies, joints, &mut near);
        let mut place = BTreeMap::new();
        let mut blocks = nodes as u32;
        for (node, later) in &eliminated {
            for other in later {
                place.insert((*node, *other), blocks);
                place.insert((*other, *node), blocks + 1);
                blocks += 2;
            }
        }
        let at = |i: u32, j: u32| if i == j { i } else { place[&(i, j)] };
        let pivot = |(node, later): (u32, Vec<u32>)| Pivot {
            node,
            target: later.iter().flat_map(|i| later.iter().map(|j| at(*i, *j))).collect(),
            later: later
                .iter()
                .map(|j| Later { node: *j, right: at(node, *j), below: at(*j, node) })
                .collect(),
        };
        let pivot = eliminated.into_iter().map(pivot).collect();
        Self { pivot, blocks: blocks as usize, place }
    }

    /// The block of a row and a column that are neighbours.
    pub fn place(&self, row: usize, column: usize) -> usize {
        self.place.get(&(row as u32, column as u32)).map_or(row, |place| *place as usize)
    }
}

/// The nodes in the order of their elimination, each with the neighbours that it leaves.
fn eliminate(bodies: usize, joints: &[Ends], near: &mut [BTreeSet<u32>]) -> Vec<(u32, Vec<u32>)> {
    let behind = behind_bridges(bodies, joints);
    let mut missing: Vec<usize> = joints.iter().map(|ends| ends.iter().flatten().count()).collect();
    let mut ready: BTreeSet<(usize, u32)> = (0..bodies).map(|b| (near[b].len(), b as u32)).collect();
    let mut may_go = vec![true; bodies];
    may_go.resize(near.len(), false);
    let mut order = Vec::with_capacity(near.len());
    while let Some((_, node)) = ready.pop_first() {
        let later: Vec<u32> = std::mem::take(&mut near[node as usize]).into_iter().collect();
        for &i in &later {
            let k = i as usize;
            let before = near[k].len();
            near[k].remove(&node);
            near[k].extend(later.iter().filter(|j| **j != i));
            if (node as usize) < bodies && k >= bodies {
                let joint = k - bodies;
                let own = joints[joint].contains(&Some(node as usize));
                missing[joint] -= usize::from(own);
                may_go[k] |= missing[joint] == 0 || own && behind[joint] == Some(node as usize);
            }
            ready.remove(&(before, i));
            if may_go[k] {
                ready.insert((near[k].len(), i));
            }
        }
        order.push((node, later));
    }
    order
}

/// For each joint that is on no loop, the body behind it, seen from what does not move, which is one node; from the first
/// body if all move.
fn behind_bridges(bodies: usize, joints: &[Ends]) -> Vec<Option<usize>> {
    let ground = bodies;
    let ends: Vec<[usize; 2]> = joints.iter().map(|e| e.map(|b| b.unwrap_or(ground))).collect();
    let mut of = vec![Vec::new(); bodies + 1];
    for (k, ends) in ends.iter().enumerate() {
        for body in ends {
            of[*body].push(k);
        }
    }
    let mut behind = vec![None; joints.len()];
    let (mut number, mut low) = (vec![usize::MAX; bodies + 1], vec![usize::MAX; bodies + 1]);
    let mut next = 0;
    for root in std::iter::once(ground).chain(0..bodies) {
        if number[root] != usize::MAX {
            continue;
        }
        // Where the search is: a body, the joint by which it came, and which of its joints is next.
        let mut path = vec![(root, usize::MAX, 0)];
        (number[root], low[root], next) = (next, next, next + 1);
        while let Some((body, came, at)) = path.last_mut() {
            let (body, came) = (*body, *came);
            if let Some(&joint) = of[body].get(*at) {
                *at += 1;
                let [a, b] = ends[joint];
                let to = if a == body { b } else { a };
                if joint == came {
                    continue;
                }
                if number[to] == usize::MAX {
                    (number[to], low[to], next) = (next, next, next + 1);
                    path.push((to, joint, 0));
                } else {
                    low[body] = low[body].min(number[to]);
                }
            } else {
                path.pop();
                if let Some((parent, _, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[body]);
                    if low[body] > number[*parent] {
                        behind[came] = Some(body);
                    }
                }
            }
        }
    }
    behind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(count: usize) -> Vec<Ends> {
        (0..count).map(|k| [Some(k), k.checked_sub(1)]).collect()
    }

    fn fill(bodies: usize, joints: &[Ends]) -> usize {
        let pattern = Pattern::new(bodies, joints);
        assert_eq!(pattern.pivot.len(), bodies + joints.len());
        pattern.blocks - pattern.pivot.len()
    }

    #[test]
    fn trees_fill_nothing() {
        // Each inner joint couples two bodies with itself and with each other, the outer one a body with itself.
        assert_eq!(fill(100, &chain(100)), 2 * (3 * 99 + 1));
        let star: Vec<Ends> = (1..50).map(|k| [Some(k), Some(0)]).collect();
        assert_eq!(fill(50, &star), 2 * 3 * 49);
    }

    #[test]
    fn loops_cost_as_much_per_body_as_trees() {
        let ring =
            |count: usize| -> Vec<Ends> { (0..count).map(|k| [Some(k), Some((k + 1) % count)]).collect() };
        assert!(fill(400, &ring(400)) <= 4 * fill(100, &ring(100)) + 100);
        let mut bridge = chain(300);
        bridge.push([Some(299), None]);
        assert!(fill(300, &bridge) < 40 * 300);
    }

    #[test]
    fn what_hangs_behind_a_joint_is_found() {
        // A ring of 0, 1, 2 that hangs on the scene by 0, and 3 hangs on 1.
        let joints =
            [[Some(0), None], [Some(0), Some(1)], [Some(2), Some(1)], [Some(0), Some(2)], [Some(1), Some(3)]];
        assert_eq!(behind_bridges(4, &joints), [Some(0), None, None, None, Some(3)]);
        assert_eq!(behind_bridges(2, &[[Some(0), None], [Some(1), Some(0)], [Some(1), None]]), [None; 3]);
    }
}
