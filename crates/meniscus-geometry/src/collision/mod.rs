//! Collisions of surfaces that move and deform: what may meet, when it does, and whether anything passes through
//! anything.
//!
//! In reading order: a [`CollisionSurface`] is what can meet, triangles and edges; a [`SweptTree`] of it finds the
//! [`Pair`]s that are near each other while vertices move in straight lines. [`PairDistance`] has their closest points,
//! [`first_approach`] the time at which they come closer than allowed. [`intersections`] counts what passes through
//! each other, with the predicate [`edge_meets_triangle`].
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | \[Li2021\] ξ | `separation` | how close parts may come | m |
//! | \[Li2021\] t | time | part of the way from start to end | 1 |
//!
//! What meets what is defined by closed sets: touching is meeting, an edge in the plane of a triangle meets it if they
//! have a point in common, and so does one that meets a triangle without area. Edges and triangles that share a vertex
//! are not asked, so two triangles that are folded onto each other about a common vertex do not count. This is what
//! `has_intersections` of the IPC Toolkit counts, but for its rounding: `.ci/intersections.py` compares the two.
//!
//! **Departures.** \[Li2021\] advances by the distance over the largest possible speed. Here it is by the direction
//! between the closest points, along which all vertices of one part stay ahead of all of the other until some linear
//! equation says otherwise: never a smaller advance, and parts that slide along each other need one instead of
//! hundreds. \[Guendelman2006\] Sec. 3.2.2 finds the times at which four vertices lie in a plane as roots of a cubic,
//! which rounding can hide; the tests compare with it.

mod ccd;
#[cfg(test)]
mod ccd_tests;
mod intersections;
#[cfg(test)]
mod intersections_tests;
mod pair;
mod predicate;
mod surface;
#[cfg(test)]
mod test_points;
mod tree;
#[cfg(test)]
mod tree_tests;

pub use ccd::{first_approach, first_approach_from};
pub use intersections::{Intersection, intersections, intersections_in};
pub use pair::{PairDistance, PairKind, edge_edge, point_triangle};
pub use predicate::{edge_meets_triangle, edges_meet};
pub use surface::CollisionSurface;
pub use tree::{Pair, SweptTree};
