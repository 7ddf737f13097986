use glam::DVec3;

use super::pair::{PairDistance, PairKind};
use super::test_points::Points;
use super::{edge_meets_triangle, first_approach};

const KINDS: [PairKind; 2] = [PairKind::PointTriangle, PairKind::EdgeEdge];

fn at(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| start[i].lerp(end[i], t))
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Truth {
    /// Closer than the separation at this time.
    Closer(f64),
    /// Always farther away than this.
    Farther(f64),
    Unknown,
}

/// The way is halved until every part is farther away than any vertex moves in it, or one is closer than the
/// separation.
fn truth(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> Truth {
    let moved: [DVec3; 4] = std::array::from_fn(|i| end[i] - start[i]);
    let fastest = kind.across().iter().map(|&[i, j]| moved[i].distance(moved[j])).fold(0.0, f64::max);
    let mut todo = vec![(0.0, 1.0)];
    let mut nearest = f64::INFINITY;
    let mut steps = 0;
    while let Some((from, to)) = todo.pop() {
        steps += 1;
        let middle = 0.5 * (from + to);
        let distance = PairDistance::of(kind, at(start, end, middle)).distance;
        if distance < separation {
            return Truth::Closer(middle);
        }
        let bound = distance - 0.5 * (to - from) * fastest;
        if bound > separation && (bound > 0.9 * distance || bound > 2.0 * separation) {
            nearest = nearest.min(bound);
        } else if steps > 20_000 || to - from < 1e-9 {
            return Truth::Unknown;
        } else {
            todo.extend([(middle, to), (from, middle)]);
        }
    }
    Truth::Farther(nearest)
}

/// Ways of four vertices: free ones, nearly a common translation, and ones that head for each other.
fn way(points: &mut Points, round: u32) -> ([DVec3; 4], [DVec3; 4]) {
    let start = points.quad(round);
    let away = 3.0 * DVec3::Y * f64::from(round % 3);
    let start = match round % 5 {
        0 => start,
        _ => [start[0] + 0.5 * away, start[1], start[2], start[3]],
    };
    let drift = 10.0 * points.point();
    let end = start.map(|x| match round % 7 {
        0 => x + drift + 0.1 * points.point(),
        1 => x + drift,
        2 => -x,
        _ => x + 2.0 * points.point(),
    });
    (start, end)
}

#[test]
fn nothing_is_missed_and_little_is_told_falsely() {
    let mut points = Points::new(7);
    let (mut hits, mut false_hits, mut clear, mut unknown) = (0, 0, 0, 0);
    for round in 0..30_000 {
        let (start, end) = way(&mut points, round);
        let scale = [1.0, 1e-9, 1e9, 1e-100][round as usize / 8 % 4];
        let separation = [0.0, 1e-3, 0.1, 1e-7][round as usize % 4];
        for kind in KINDS {
            let found =
                first_approach(kind, start.map(|x| x * scale), end.map(|x| x * scale), separation * scale);
            match truth(kind, &start, &end, separation) {
                Truth::Closer(time) => {
                    let told =
                        found.unwrap_or_else(|| panic!("missed: {kind:?} {separation} {start:?} {end:?}"));
                    assert!(
                        told <= time + 1e-9,
                        "too late: {told} {time} {kind:?} {separation} {start:?} {end:?}"
                    );
                    hits += 1;
                }
                Truth::Farther(nearest) => {
                    clear += 1;
                    if found.is_some() {
                        assert!(
                            nearest < 1.1 * separation + 1e-9,
                            "{kind:?} {nearest} {separation} {start:?} {end:?}"
                        );
                        false_hits += 1;
                    }
                }
                // Nothing is closer than zero, and what touches cannot be told by halving.
                Truth::Unknown => unknown += usize::from(separation > 1e-6),
            }
        }
    }
    assert!(hits > 5_000 && clear > 20_000, "{hits} {clear}");
    assert!(false_hits * 1000 < clear, "{false_hits} of {clear}");
    assert!(unknown * 10 < hits, "{unknown} of {hits}");
    println!("hits {hits} clear {clear} false {false_hits} unknown {unknown}");
}

#[test]
fn the_time_told_is_that_of_the_approach() {
    let mut points = Points::new(8);
    let mut told = 0;
    for round in 0..20_000 {
        let (start, end) = way(&mut points, 5 * round + 1);
        let separation = [1e-3, 0.05][round as usize % 2];
        for kind in KINDS {
            let Some(time) = first_approach(kind, start, end, separation) else { continue };
            let distance = PairDistance::of(kind, at(&start, &end, time)).distance;
            assert!(
                time == 0.0 || distance > separation - 1e-12,
                "{kind:?} {distance} {separation} {start:?} {end:?}"
            );
            assert!(
                distance < 1.011 * separation + 1e-12,
                "{kind:?} {time} {distance} {separation} {start:?} {end:?}"
            );
            told += 1;
        }
    }
    assert!(told > 3_000, "{told}");
}

/// The times at which four moving points lie in a plane \[Guendelman2006\] Sec. 3.2.2: roots of a cubic, by halving
/// between its extremes.
fn coplanar_times(start: &[DVec3; 4], end: &[DVec3; 4]) -> Vec<f64> {
    let volume = |t: f64| {
        let x = at(start, end, t);
        (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]))
    };
    // The cubic through four of its values.
    let v = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(volume);
    let c3 = 4.5 * (v[3] - 3.0 * v[2] + 3.0 * v[1] - v[0]);
    let c2 = 4.5 * (2.0 * v[0] - 5.0 * v[1] + 4.0 * v[2] - v[3]);
    let c1 = 0.5 * (-11.0 * v[0] + 18.0 * v[1] - 9.0 * v[2] + 2.0 * v[3]);
    let mut cut = vec![0.0];
    let discriminant = c2 * c2 - 3.0 * c3 * c1;
    if discriminant > 0.0 {
        let q = -(c2 + c2.signum() * discriminant.sqrt());
        let mut extremes: Vec<f64> =
            [q / (3.0 * c3), c1 / q].into_iter().filter(|t| (0.0..1.0).contains(t)).collect();
        extremes.sort_by(f64::total_cmp);
        cut.extend(extremes);
    }
    cut.push(1.0);
    let mut found = Vec::new();
    for piece in cut.windows(2) {
        let (mut low, mut high) = (piece[0], piece[1]);
        if volume(low) * volume(high) > 0.0 {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if volume(low) * volume(middle) <= 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        found.push(low);
    }
    found
}

#[test]
fn it_agrees_with_the_cubic_of_coplanarity() {
    let mut points = Points::new(9);
    let (mut both, mut neither) = (0, 0);
    for round in 0..20_000 {
        let start = [0; 4].map(|_| points.point());
        let end = [0; 4].map(|_| points.point());
        for kind in KINDS {
            let times = coplanar_times(&start, &end);
            let closest = times.iter().map(|&t| (PairDistance::of(kind, at(&start, &end, t)).distance, t));
            let hit = closest.clone().find(|(d, _)| *d < 1e-9);
            let clear = closest.map(|(d, _)| d).fold(f64::INFINITY, f64::min) > 1e-5;
            match (hit, first_approach(kind, start, end, 0.0)) {
                (Some((_, time)), Some(told)) => {
                    assert!((told - time).abs() < 1e-5, "{kind:?} {told} {time} round {round}");
                    both += 1;
                }
                (Some(_), None) => panic!("missed {kind:?} {start:?} {end:?}"),
                (None, Some(told)) => assert!(!clear, "{kind:?} {told} {start:?} {end:?}"),
                (None, None) => neither += 1,
            }
        }
    }
    assert!(both > 3_000 && neither > 20_000, "{both} {neither}");
}

#[test]
fn vertices_that_pass_exactly_through_edges_and_vertices_are_seen() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for target in
        [DVec3::ZERO, DVec3::X, 0.5 * DVec3::X, DVec3::new(0.5, 0.5, 0.0), DVec3::new(1.0 / 3.0, 0.1, 0.0)]
    {
        for way in
            [DVec3::Z, DVec3::new(0.3, 0.7, 1e-3), DVec3::new(1.0, 1.0, 1.0), DVec3::new(0.0, 1.0, 0.0)]
        {
            let [a, b, c] = triangle;
            let start = [target - way, a, b, c];
            let end = [target + way, a, b, c];
            assert!(first_approach(PairKind::PointTriangle, start, end, 0.0).is_some(), "{target} {way}");
            let edges = [[target - way, target - way + 1e-3 * DVec3::Z, a, b], [target + way; 4]];
            let _ = first_approach(PairKind::EdgeEdge, edges[0], edges[1], 0.0);
        }
    }
}

#[test]
fn sliding_past_at_a_small_distance_is_no_hit() {
    let plate = [DVec3::ZERO, DVec3::X, DVec3::Z];
    let start = [DVec3::new(-5.0, 1e-6, -5.0), plate[0], plate[1], plate[2]];
    let end = [DVec3::new(5.0, 1e-6, 5.0), plate[0], plate[1], plate[2]];
    assert_eq!(first_approach(PairKind::PointTriangle, start, end, 9e-7), None);
    assert!(first_approach(PairKind::PointTriangle, start, end, 1.1e-6).is_some());
}

#[test]
fn numbers_that_are_none_and_resting_pairs() {
    let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    for kind in KINDS {
        assert_eq!(first_approach(kind, [DVec3::NAN; 4], x, 0.0), Some(0.0));
        assert_eq!(first_approach(kind, x, [DVec3::INFINITY; 4], 0.0), Some(0.0));
        assert_eq!(first_approach(kind, [DVec3::ONE; 4], [DVec3::ONE; 4], 0.0), Some(0.0));
        assert_eq!(first_approach(kind, x, x, 0.1), None);
        assert_eq!(first_approach(kind, x, x, 0.8), Some(0.0));
    }
}

#[test]
fn what_never_comes_close_never_intersects_exactly() {
    let mut points = Points::new(11);
    let mut clear = 0;
    for round in 0..20_000 {
        let (start, end) = way(&mut points, round);
        if first_approach(PairKind::PointTriangle, start, end, 0.0).is_none() {
            clear += 1;
            for i in 0..=20 {
                let x = at(&start, &end, f64::from(i) / 20.0);
                assert!(!edge_meets_triangle([x[0], x[0]], [x[1], x[2], x[3]]));
            }
        }
    }
    assert!(clear > 5_000, "{clear}");
}
