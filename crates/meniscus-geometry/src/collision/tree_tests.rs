use std::collections::HashSet;

use glam::DVec3;

use super::test_points::Points;
use super::{CollisionSurface, Pair, PairDistance, PairKind, SweptTree};

/// A sheet of n × n squares about the origin, 2 m wide.
fn sheet(n: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(n) - 1.0;
    let position = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(at(i), 0.0, at(j)))).collect();
    let corner = |i, j| i * (n + 1) + j;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangle = squares
        .flat_map(|(i, j)| {
            let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
            if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
        })
        .collect();
    (position, triangle)
}

fn pairs(tree: &SweptTree) -> Vec<Pair> {
    let mut lists = Vec::new();
    tree.visit_pairs(&mut lists, |pair, list| list.push(pair));
    lists.concat()
}

/// Two edges, or a point and a triangle, in an order that does not depend on who found them.
fn named(pair: &Pair) -> (PairKind, [u32; 4]) {
    let [a, b, c, d] = pair.vertex;
    let sorted = |x: u32, y: u32| [x.min(y), x.max(y)];
    match pair.kind {
        PairKind::PointTriangle => {
            let mut t = [b, c, d];
            t.sort_unstable();
            (pair.kind, [a, t[0], t[1], t[2]])
        }
        PairKind::EdgeEdge => {
            let (first, second) = (sorted(a, b), sorted(c, d));
            let [[a, b], [c, d]] = [first.min(second), first.max(second)];
            (pair.kind, [a, b, c, d])
        }
    }
}

#[test]
fn all_near_pairs_are_found_once() {
    let mut points = Points::new(5);
    let (rest, triangle) = sheet(9);
    let rope = [[100, 101], [101, 102], [102, 103]];
    let mut rest = rest;
    rest.extend((0..4).map(|i| DVec3::new(0.5 * f64::from(i) - 1.0, 0.1, 0.3)));
    let surface = CollisionSurface::new(rest.len(), &triangle, &rope);
    let mut tree = SweptTree::new(&surface, &rest, &[]);
    for round in 0..4 {
        let crumple = 0.3 * f64::from(round);
        let far = DVec3::splat(1e5 * f64::from(round % 2));
        let start: Vec<DVec3> = rest.iter().map(|x| *x + crumple * points.point() + far).collect();
        let end: Vec<DVec3> = start.iter().map(|x| *x + 0.1 * points.point()).collect();
        let reach = 0.02;
        tree.refit(&start, &end, |_| reach);
        let found = pairs(&tree);
        let named_set: HashSet<_> = found.iter().map(named).collect();
        assert_eq!(named_set.len(), found.len(), "no pair twice");
        let quad = |pair: &[u32; 4], x: &[DVec3]| pair.map(|v| x[v as usize]);
        let mut near = 0;
        let mut require = |kind: PairKind, vertex: [u32; 4]| {
            let close = [&start, &end]
                .iter()
                .any(|x| PairDistance::of(kind, quad(&vertex, x)).distance < 2.0 * reach);
            if close {
                near += 1;
                assert!(named_set.contains(&named(&Pair { kind, vertex })), "{kind:?} {vertex:?}");
            }
        };
        for t in surface.triangles() {
            for p in (0..rest.len() as u32).filter(|p| !t.contains(p)) {
                require(PairKind::PointTriangle, [p, t[0], t[1], t[2]]);
            }
        }
        for (i, e) in surface.edges().iter().enumerate() {
            for f in surface.edges()[..i].iter().filter(|f| e.iter().all(|v| !f.contains(v))) {
                require(PairKind::EdgeEdge, [e[0], e[1], f[0], f[1]]);
            }
        }
        assert!(near > 50 || round == 0, "{near}");
        tree.activate(|v| v % 5 == 3);
        let marked: HashSet<_> = pairs(&tree).iter().map(named).collect();
        let some = |pair: &(PairKind, [u32; 4])| pair.1.iter().any(|v| v % 5 == 3);
        assert!(named_set.iter().filter(|pair| some(pair)).all(|pair| marked.contains(pair)));
        assert!(marked.len() < named_set.len() && marked.is_subset(&named_set));
        tree.activate(|_| true);
        assert_eq!(surface.edges().len(), 264);
    }
}

#[test]
fn sets_do_not_meet_themselves() {
    let (position, triangle) = sheet(4);
    let n = position.len() as u32;
    let mut both = triangle.clone();
    both.extend(triangle.iter().map(|t| t.map(|v| v + n)));
    let mut all = position.clone();
    all.extend(position.iter().map(|x| *x + 0.01 * DVec3::Y));
    let surface = CollisionSurface::new(all.len(), &both, &[]);
    let side = |v: u32| v / n;
    for (set, mixed) in [((0..2 * n).map(side).collect::<Vec<u32>>(), true), (vec![7; 2 * n as usize], false)]
    {
        let mut tree = SweptTree::new(&surface, &all, &set);
        tree.refit(&all, &all, |_| 0.02);
        let found = pairs(&tree);
        assert_eq!(!found.is_empty(), mixed);
        assert!(found.iter().all(|p| !p.vertex.iter().all(|&v| side(v) == side(p.vertex[0]))));
    }
}

#[test]
fn the_order_of_pairs_does_not_depend_on_threads() {
    let (rest, triangle) = sheet(40);
    let surface = CollisionSurface::new(rest.len(), &triangle, &[]);
    let end: Vec<DVec3> = rest.iter().map(|x| *x + DVec3::new(0.3 * x.z, x.x.sin(), 0.1)).collect();
    let with = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut tree = SweptTree::new(&surface, &rest, &[]);
            tree.refit(&rest, &end, |_| 0.01);
            pairs(&tree)
        })
    };
    let one = with(1);
    assert!(one.len() > 10_000);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
}

#[test]
fn nothing_and_nonsense_have_no_pairs() {
    let empty = CollisionSurface::new(0, &[], &[]);
    assert!(pairs(&SweptTree::new(&empty, &[], &[])).is_empty());
    let odd = CollisionSurface::new(3, &[[0, 1, 9], [0, 0, 1], [0, 1, 2]], &[[1, 1], [0, 7], [2, 1]]);
    assert_eq!((odd.triangles().len(), odd.edges().len()), (1, 3));
    let mut tree = SweptTree::new(&odd, &[DVec3::NAN; 3], &[]);
    tree.refit(&[DVec3::ZERO; 3], &[DVec3::INFINITY; 3], |_| f64::NAN);
    assert!(pairs(&tree).is_empty());
    // Fewer positions than vertices: what has none is left out.
    assert!(pairs(&SweptTree::new(&odd, &[DVec3::ZERO], &[])).is_empty());
}
