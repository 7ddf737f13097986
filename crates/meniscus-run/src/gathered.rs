//! Where the fluid is, without stray drops: what a camera must frame.
//!
//! Quantiles of all particles do not tell a crest that rises from a trickle that has left: both may be a few in a hundred.
//! What holds together does. So particles are joined from cell to cell, and bodies of fluid with fewer than a part of all
//! particles do not count, however many there are and however far they fly.

use glam::{DVec3, I64Vec3};

/// Edge of the cells through which particles hold together, in spacings: neighbours in loose spray are farther apart `[1]`.
const REACH: f64 = 2.0;
/// The least part of all particles in a body of fluid that counts `[1]`.
const PART: f64 = 0.02;
/// Below this part of the particles in such bodies all is spray, and everything counts `[1]`.
const ENOUGH: f64 = 0.5;

/// The particles of the larger bodies of fluid; all, if most are in none.
pub(crate) fn gathered(position: &[DVec3], spacing: f64) -> Vec<DVec3> {
    let finite: Vec<DVec3> = position.iter().copied().filter(|x| x.is_finite()).collect();
    let cell_of = |x: &DVec3| (*x / (REACH * spacing)).floor().as_i64vec3();
    let mut cells: Vec<[i64; 3]> = finite.iter().map(|x| cell_of(x).to_array()).collect();
    cells.sort_unstable();
    cells.dedup();
    let find = |cell: I64Vec3| cells.binary_search(&cell.to_array()).ok();
    let group = joined(&cells, find);
    let group_of = |x: &DVec3| find(cell_of(x)).map_or(0, |n| group[n]);
    let mut count = vec![0_usize; cells.len()];
    for x in &finite {
        count[group_of(x)] += 1;
    }
    let least = PART * finite.len() as f64;
    let kept: Vec<DVec3> = finite.iter().copied().filter(|x| count[group_of(x)] as f64 >= least).collect();
    if kept.len() as f64 >= ENOUGH * finite.len() as f64 { kept } else { finite }
}

/// For each cell the number of the first cell from which it can be reached through neighbours.
fn joined(cells: &[[i64; 3]], find: impl Fn(I64Vec3) -> Option<usize>) -> Vec<usize> {
    let mut group: Vec<usize> = (0..cells.len()).collect();
    for (n, cell) in cells.iter().enumerate() {
        for k in 0..27 {
            let near = I64Vec3::from_array(*cell).saturating_add(I64Vec3::new(k % 3, k / 3 % 3, k / 9) - 1);
            if let Some(other) = find(near).filter(|other| *other < n) {
                let (a, b) = (first(&mut group, n), first(&mut group, other));
                group[a.max(b)] = a.min(b);
            }
        }
    }
    for n in 0..cells.len() {
        group[n] = first(&mut group, n);
    }
    group
}

/// The first cell of the group that `n` is in; the ways there are halved.
fn first(group: &mut [usize], mut n: usize) -> usize {
    while group[n] != n {
        group[n] = group[group[n]];
        n = group[n];
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(count: i32, from: DVec3) -> impl Iterator<Item = DVec3> {
        (0..count).flat_map(move |x| {
            (0..count)
                .flat_map(move |y| (0..count).map(move |z| from + DVec3::new(x.into(), y.into(), z.into())))
        })
    }

    #[test]
    fn a_trickle_does_not_count_but_a_crest_does() {
        let water: Vec<DVec3> = block(10, DVec3::ZERO).collect();
        // A column on top of the water, and as many particles on their way down, one by one.
        let crest: Vec<DVec3> = (0..60).map(|k| DVec3::new(5.0, 10.0 + f64::from(k), 5.0)).collect();
        let trickle = (0..60).map(|k| DVec3::new(30.0, -10.0 * f64::from(k), 5.0));
        let nowhere = [DVec3::NAN, DVec3::splat(1e300)];
        let all: Vec<DVec3> = water.iter().chain(&crest).copied().chain(trickle).chain(nowhere).collect();
        let kept = gathered(&all, 1.0);
        assert_eq!(kept, [water, crest].concat());
    }

    #[test]
    fn two_bodies_of_fluid_are_both_seen_and_spray_is_seen_whole() {
        let both: Vec<DVec3> = block(8, DVec3::ZERO).chain(block(5, DVec3::X * 90.0)).collect();
        assert_eq!(gathered(&both, 1.0), both);
        let spray: Vec<DVec3> = (0..90).map(|k| DVec3::X * 10.0 * f64::from(k)).collect();
        assert_eq!(gathered(&spray, 1.0), spray);
        assert!(gathered(&[], 1.0).is_empty());
    }
}
