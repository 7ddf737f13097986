//! Where a surge has arrived: the leading edge of the main body of fluid.

use glam::{DVec3, I64Vec3};
use std::collections::HashMap;

/// The x of the leading edge of the main body of fluid `[m]`.
///
/// The main body is the largest set of particles that are connected by distances up to `link` `[m]`. With the reach of
/// the kernel for it, fluid that has lost touch is what the simulation itself no longer feels: drops that fly ahead do
/// not count. A particle stands for fluid up to half a spacing around it, so the edge lies half a `spacing` `[m]` ahead
/// of the foremost one; a column that fills a box then begins exactly at the side of the box.
#[must_use]
pub fn leading_edge(position: &[DVec3], spacing: f64, link: f64) -> Option<f64> {
    let body = main_body(position, link);
    let foremost = body.into_iter().map(|i| position[i].x).reduce(f64::max)?;
    Some(foremost + 0.5 * spacing)
}

/// The indices of the largest set of particles that are connected by distances up to `link` `[m]`.
#[must_use]
pub fn main_body(position: &[DVec3], link: f64) -> Vec<usize> {
    let cells = Cells::new(position, link);
    let mut visited = vec![false; position.len()];
    let mut largest = Vec::new();
    for seed in 0..position.len() {
        if visited[seed] {
            continue;
        }
        visited[seed] = true;
        // What has been reached; those from `next` on have not yet been left.
        let mut body = vec![seed];
        let mut next = 0;
        while let Some(&i) = body.get(next) {
            next += 1;
            cells.for_each_within(position, i, |j| {
                if !visited[j] {
                    visited[j] = true;
                    body.push(j);
                }
            });
        }
        if body.len() > largest.len() {
            largest = body;
        }
    }
    largest
}

/// Particles by the cell of size `link` they are in.
struct Cells {
    link: f64,
    content: HashMap<I64Vec3, Vec<usize>>,
}

impl Cells {
    fn new(position: &[DVec3], link: f64) -> Self {
        let mut content: HashMap<I64Vec3, Vec<usize>> = HashMap::new();
        for (i, x) in position.iter().enumerate() {
            content.entry(cell(*x, link)).or_default().push(i);
        }
        Self { link, content }
    }

    fn for_each_within(&self, position: &[DVec3], i: usize, mut visit: impl FnMut(usize)) {
        let home = cell(position[i], self.link);
        for n in 0..27 {
            let offset = I64Vec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            let Some(content) = self.content.get(&(home + offset)) else { continue };
            for &j in content {
                if position[i].distance_squared(position[j]) <= self.link * self.link {
                    visit(j);
                }
            }
        }
    }
}

fn cell(x: DVec3, size: f64) -> I64Vec3 {
    (x / size).floor().as_i64vec3()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_ends_at_the_side_of_its_box() {
        let centre = |i: u32| 0.1 * (f64::from(i) + 0.5);
        let column: Vec<DVec3> =
            (0..10).flat_map(|i| (0..20).map(move |j| DVec3::new(centre(i), centre(j), 0.0))).collect();
        let edge = leading_edge(&column, 0.1, 0.2).unwrap();
        assert!((edge - 1.0).abs() < 1e-12);
    }

    #[test]
    fn spray_does_not_count_wherever_it_stands_in_the_list() {
        let mut fluid: Vec<DVec3> = (0..10).map(|i| DVec3::new(f64::from(i), 0.0, 0.0)).collect();
        fluid.insert(0, DVec3::new(12.0, 0.0, 0.0));
        fluid.push(DVec3::new(9.0, 3.0, 0.0));
        assert_eq!(main_body(&fluid, 2.0).len(), 10);
        assert_eq!(leading_edge(&fluid, 1.0, 2.0), Some(9.5));
    }

    #[test]
    fn no_fluid_has_no_edge() {
        assert_eq!(leading_edge(&[], 1.0, 2.0), None);
    }
}
