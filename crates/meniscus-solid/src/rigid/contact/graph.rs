//! Who rests on whom, and the order that follows.
//!
//! \[Guendelman2006\] Sec. 2.8.1: an edge from B' to B says that B rests on B'. Bodies that rest on each other in a circle
//! (strongly connected components) share a level; otherwise a body's level is above the levels of all that it rests on.
//!
//! **Departures**: levels are numbered by the longest path from the ground, so that bodies that do not depend on each other
//! share them. Bodies with no path to anything immovable have no level: freezing one would create momentum from nothing.

/// The level of bodies that rest, directly or not, on nothing immovable.
pub(crate) const UNSUPPORTED: u32 = u32::MAX;

/// Levels of bodies: 0 for `immovable` ones, and above those that a body rests on. `edges` are (lower, upper).
pub(crate) fn levels(immovable: &[bool], edges: &[[u32; 2]]) -> Vec<u32> {
    let count = immovable.len();
    let (start, above) = adjacency(count, edges);
    let component = components(count, &start, &above);
    let groups = component.iter().max().map_or(0, |c| *c as usize + 1);
    let mut level = vec![UNSUPPORTED; groups];
    for (body, fixed) in immovable.iter().enumerate() {
        if *fixed {
            level[component[body] as usize] = 0;
        }
    }
    // Components are numbered such that edges lead from higher to lower numbers: who is below comes later.
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by_key(|b| std::cmp::Reverse(component[*b as usize]));
    for b in order {
        let from = component[b as usize];
        if level[from as usize] == UNSUPPORTED {
            continue;
        }
        for &to in &above[start[b as usize] as usize..start[b as usize + 1] as usize] {
            let to = component[to as usize];
            if to != from {
                let higher = level[from as usize] + 1;
                let known = level[to as usize];
                level[to as usize] = if known == UNSUPPORTED { higher } else { known.max(higher) };
            }
        }
    }
    (0..count).map(|b| if immovable[b] { 0 } else { level[component[b] as usize] }).collect()
}

/// For each body those that rest on it, as ranges of one list. Edges into immovable bodies do not get here.
fn adjacency(count: usize, edges: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0_u32; count + 1];
    for [lower, _] in edges {
        start[*lower as usize + 1] += 1;
    }
    for k in 0..count {
        start[k + 1] += start[k];
    }
    let mut fill = start.clone();
    let mut above = vec![0; edges.len()];
    for [lower, upper] in edges {
        above[fill[*lower as usize] as usize] = *upper;
        fill[*lower as usize] += 1;
    }
    (start, above)
}

/// Strongly connected components after Tarjan, with a stack of its own: towers may be high.
fn components(count: usize, start: &[u32], above: &[u32]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let (mut index, mut low, mut component) = (vec![NEW; count], vec![0; count], vec![NEW; count]);
    let (mut stack, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let (mut next, mut groups) = (0, 0);
    for root in 0..count as u32 {
        if index[root as usize] != NEW {
            continue;
        }
        path.push((root, start[root as usize]));
        while let Some((b, edge)) = path.pop() {
            let v = b as usize;
            if index[v] == NEW {
                (index[v], low[v]) = (next, next);
                next += 1;
                stack.push(b);
            }
            let mut descend = None;
            for e in edge..start[v + 1] {
                let to = above[e as usize] as usize;
                if index[to] == NEW {
                    descend = Some((e, to as u32));
                    break;
                }
                if component[to] == NEW {
                    low[v] = low[v].min(low[to]);
                }
            }
            if let Some((e, to)) = descend {
                // The edge is looked at again when its end is known.
                path.push((b, e));
                path.push((to, start[to as usize]));
            } else if low[v] == index[v] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = groups;
                    if member == b {
                        break;
                    }
                }
                groups += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_one_level_each() {
        let edges: Vec<[u32; 2]> = (0..5000).map(|k| [k, k + 1]).collect();
        let mut immovable = vec![false; 5001];
        immovable[0] = true;
        assert!(levels(&immovable, &edges).iter().enumerate().all(|(k, l)| *l == k as u32));
    }

    #[test]
    fn dominoes_in_a_circle_share_a_level() {
        let mut edges: Vec<[u32; 2]> = (1..=6).map(|k| [0, k]).collect();
        edges.extend((1..=6).map(|k| [k, k % 6 + 1]));
        edges.push([3, 7]);
        let immovable = [true, false, false, false, false, false, false, false];
        assert_eq!(levels(&immovable, &edges), [0, 1, 1, 1, 1, 1, 1, 2]);
    }

    #[test]
    fn what_rests_on_nothing_has_no_level() {
        let immovable = [true, false, false, false, false];
        let edges = [[0, 1], [2, 3], [3, 1], [1, 4], [3, 4]];
        assert_eq!(levels(&immovable, &edges), [0, 1, UNSUPPORTED, UNSUPPORTED, 2]);
    }
}
