//! Elements against what their energies say.

use super::cloth::hinge::ShellPatch;
use super::cloth::membrane::Membrane;
use super::cloth::patch::patches;
use super::elastic::lattice::{box_of_tetrahedra, middles};
use super::elastic::neo_hookean::NeoHookean;
use super::elastic::tetrahedron::{Linear, Quadratic};
use super::element::{Element, Motion};
use super::material::ElasticMaterial;
use super::rope::Segment;
use glam::{DMat3, DQuat, DVec3};

const MATTER: ElasticMaterial = ElasticMaterial { density: 1000.0, young: 10.0, poisson: 0.3 };

/// Numbers in −1…1 that look random.
fn noise(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

fn moved(x: &[DVec3], by: f64, seed: u64) -> Vec<DVec3> {
    let mut noise = noise(seed);
    let mut next = || noise.next().unwrap();
    x.iter().map(|x| *x + by * DVec3::new(next(), next(), next())).collect()
}

/// One element of each kind, with the nodes at rest.
trait Case {
    fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]);
}

fn each(case: &mut impl Case) {
    let corners = [
        DVec3::new(0.1, 0.0, 0.2),
        DVec3::new(1.0, 0.1, 0.0),
        DVec3::new(0.3, 1.1, 0.1),
        DVec3::new(0.2, 0.3, 0.9),
    ];
    let law = NeoHookean::new(MATTER.lame());
    case.run("linear", &Linear::new([0, 1, 2, 3], &corners, law), &corners);
    let (middle, ends) = middles(&[[0, 1, 2, 3]], 4);
    let mut ten = corners.to_vec();
    ten.extend(ends.iter().map(|[a, b]| 0.5 * (corners[*a as usize] + corners[*b as usize])));
    let [p, q, r, s, t, u] = middle[0];
    case.run("quadratic", &Quadratic::new([0, 1, 2, 3, p, q, r, s, t, u], &ten, law), &ten);
    case.run("membrane", &Membrane::new([0, 1, 2], &corners, 0.1, MATTER.plane_stress()), &corners[..3]);
    case.run("segment", &Segment::new([0, 1], &corners, 3.0), &corners[..2]);
    let six = [
        DVec3::ZERO,
        DVec3::X,
        DVec3::new(0.4, 0.9, 0.1),
        DVec3::new(0.5, -0.8, 0.3),
        DVec3::new(1.2, 0.8, -0.1),
        DVec3::new(-0.4, 0.6, 0.2),
    ];
    let found = patches(&[[0, 1, 2], [1, 0, 3], [2, 1, 4], [0, 2, 5]]).unwrap();
    case.run("shell", &ShellPatch::new(&found[0], &six, 2.0, 0.3), &six);
}

fn motion<'a>(start: &'a [DVec3], end: &'a [DVec3], still: &'a [DVec3]) -> Motion<'a> {
    Motion { start, end, velocity: still, dt: 1.0, damping: 0.0 }
}

fn gradient<E: Element>(element: &E, start: &[DVec3], end: &[DVec3]) -> Vec<DVec3> {
    let mut out = vec![DVec3::ZERO; E::NODES];
    let still = vec![DVec3::ZERO; start.len()];
    element.gradient(&motion(start, end, &still), &mut out);
    let mut sum = vec![DVec3::ZERO; start.len()];
    for (n, g) in element.nodes().iter().zip(out) {
        sum[*n as usize] += g;
    }
    sum
}

#[test]
fn forces_are_what_energies_lose() {
    struct Differences;
    impl Case for Differences {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            for (seed, by) in [(1, 0.02), (2, 0.1), (3, 0.2)] {
                let x = moved(rest, by, seed);
                let found = gradient(element, &x, &x);
                for node in 0..x.len() {
                    for axis in 0..3 {
                        let at = |d: f64| {
                            let mut x = x.clone();
                            x[node][axis] += d;
                            element.energy(&x)
                        };
                        let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                        let off = (found[node][axis] - expected).abs();
                        assert!(off < 1e-7, "{name}: {} of {expected} at {node}, {axis}", found[node][axis]);
                    }
                }
            }
        }
    }
    each(&mut Differences);
}

#[test]
fn the_work_of_a_step_is_what_the_energy_gains() {
    struct Work;
    impl Case for Work {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.4));
            let start = moved(rest, 0.1, 4);
            let end: Vec<DVec3> = moved(rest, 0.1, 5).into_iter().map(|x| turn * x + DVec3::X).collect();
            let work: f64 = gradient(element, &start, &end)
                .iter()
                .zip(&end)
                .zip(&start)
                .map(|((g, e), s)| g.dot(*e - *s))
                .sum();
            let gain = element.energy(&end) - element.energy(&start);
            let (off, size) = ((work - gain).abs(), element.energy(&end) + element.energy(&start));
            // Angles have a gradient only to third order.
            let allowed = if name == "shell" { 0.3 } else { 1e-12 };
            assert!(off <= allowed * size, "{name}: {work} of {gain}");
        }
    }
    each(&mut Work);
}

#[test]
fn forces_of_a_step_have_no_resultant_and_no_moment() {
    struct Moment;
    impl Case for Moment {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.4));
            let start = moved(rest, 0.1, 6);
            let end: Vec<DVec3> = moved(rest, 0.1, 7).into_iter().map(|x| turn * x).collect();
            let force = gradient(element, &start, &end);
            let sum: DVec3 = force.iter().sum();
            let moment: DVec3 =
                force.iter().zip(start.iter().zip(&end)).map(|(f, (s, e))| (0.5 * (*s + *e)).cross(*f)).sum();
            assert!(sum.length() < 1e-12 && moment.length() < 1e-12, "{name}: {sum}, {moment}");
        }
    }
    each(&mut Moment);
}

#[test]
fn rigid_motions_give_no_force() {
    struct Rigid;
    impl Case for Rigid {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            let place = |angle: f64| -> Vec<DVec3> {
                let turn = DQuat::from_scaled_axis(angle * DVec3::new(0.6, -0.8, 0.1));
                rest.iter().map(|x| turn * *x + DVec3::new(1.0, -2.0, angle)).collect()
            };
            for [start, end] in [[0.0, 0.0], [1.0, 1.0], [0.2, 1.3], [2.0, 4.0]].map(|pair| pair.map(place)) {
                let most = gradient(element, &start, &end).iter().map(|f| f.length()).fold(0.0, f64::max);
                assert!(most < 1e-12 * MATTER.young, "{name}: {most}");
            }
        }
    }
    each(&mut Rigid);
}

#[test]
fn tangents_are_half_the_second_derivative_where_nothing_is_cut() {
    struct Second;
    impl Case for Second {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            // Angles: where no moment acts. Others: stretched, so that all pulls.
            let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -0.5, 0.4));
            let scale = if name == "shell" { 1.0 } else { 1.2 };
            let x: Vec<DVec3> = rest.iter().map(|x| turn * (scale * *x)).collect();
            let still = vec![DVec3::ZERO; x.len()];
            let mut blocks = vec![DMat3::ZERO; E::NODES * E::NODES];
            element.tangent(&motion(&x, &x, &still), &mut blocks);
            for (b, &node) in element.nodes().iter().enumerate() {
                for axis in 0..3 {
                    let at = |d: f64| {
                        let mut x = x.clone();
                        x[node as usize][axis] += d;
                        gradient(element, &x, &x)
                    };
                    let (above, below) = (at(1e-5), at(-1e-5));
                    for (a, &row) in element.nodes().iter().enumerate() {
                        let expected = (above[row as usize] - below[row as usize]) / 2e-5;
                        let found = 2.0 * blocks[a * E::NODES + b].col(axis);
                        assert!((found - expected).length() < 1e-6, "{name}: {found} of {expected}");
                    }
                }
            }
        }
    }
    each(&mut Second);
}

#[test]
fn tangents_are_symmetric_and_never_negative() {
    struct Positive;
    impl Case for Positive {
        fn run<E: Element>(&mut self, name: &str, element: &E, rest: &[DVec3]) {
            for (seed, scale) in [(8, 0.5), (9, 0.9), (10, 1.5), (11, 0.05), (12, -0.7)] {
                let squeezed: Vec<DVec3> = rest.iter().map(|x| scale * *x).collect();
                let (start, end) = (moved(&squeezed, 0.2, seed), moved(&squeezed, 0.2, seed + 20));
                let still = vec![DVec3::ZERO; start.len()];
                let mut blocks = vec![DMat3::ZERO; E::NODES * E::NODES];
                let motion = Motion { damping: 0.1, ..motion(&start, &end, &still) };
                element.tangent(&motion, &mut blocks);
                let (n, mut noise) = (E::NODES, noise(seed));
                for a in 0..n {
                    for b in 0..n {
                        let off = (blocks[a * n + b] - blocks[b * n + a].transpose()).to_cols_array();
                        assert!(off.iter().all(|x| x.abs() < 1e-10), "{name}: not symmetric");
                    }
                }
                for _ in 0..200 {
                    let u: Vec<DVec3> = (0..n)
                        .map(|_| {
                            DVec3::new(noise.next().unwrap(), noise.next().unwrap(), noise.next().unwrap())
                        })
                        .collect();
                    let square: f64 = (0..n * n).map(|k| u[k / n].dot(blocks[k] * u[k % n])).sum();
                    assert!(square > -1e-9, "{name}: {square}");
                }
            }
        }
    }
    each(&mut Positive);
}

#[test]
fn uniform_strain_is_exact_in_irregular_meshes() {
    let mut mesh = box_of_tetrahedra(DVec3::ONE, glam::UVec3::splat(3));
    let inner = |x: &DVec3| x.min_element() > 0.01 && x.max_element() < 0.99;
    let shaken = moved(&mesh.vertex, 0.05, 13);
    for (x, shaken) in mesh.vertex.iter_mut().zip(shaken) {
        if inner(x) {
            *x = shaken;
        }
    }
    let law = NeoHookean::new(MATTER.lame());
    let map =
        DMat3::from_cols(DVec3::new(1.1, 0.1, 0.0), DVec3::new(-0.2, 0.9, 0.1), DVec3::new(0.1, 0.2, 1.05));
    let (middle, ends) = middles(&mesh.tetrahedron, mesh.vertex.len() as u32);
    let mut all = mesh.vertex.clone();
    all.extend(ends.iter().map(|[a, b]| 0.5 * (mesh.vertex[*a as usize] + mesh.vertex[*b as usize])));
    let to: Vec<DVec3> = all.iter().map(|x| map * *x).collect();
    let (mut linear, mut quadratic) = (vec![DVec3::ZERO; all.len()], vec![DVec3::ZERO; all.len()]);
    let mut energy = [0.0; 2];
    for ([a, b, c, d], [p, q, r, s, t, u]) in mesh.tetrahedron.iter().zip(&middle) {
        let four = Linear::new([*a, *b, *c, *d], &all, law);
        let ten = Quadratic::new([*a, *b, *c, *d, *p, *q, *r, *s, *t, *u], &all, law);
        linear.iter_mut().zip(gradient(&four, &to, &to)).for_each(|(sum, g)| *sum += g);
        quadratic.iter_mut().zip(gradient(&ten, &to, &to)).for_each(|(sum, g)| *sum += g);
        energy[0] += four.energy(&to);
        energy[1] += ten.energy(&to);
    }
    for (x, (linear, quadratic)) in all.iter().zip(linear.iter().zip(&quadratic)) {
        if inner(x) {
            assert!(linear.length() < 1e-9 && quadratic.length() < 1e-9, "{linear}, {quadratic} at {x}");
        }
    }
    assert!(energy.iter().all(|e| (e / law.energy(map) - 1.0).abs() < 1e-9), "{energy:?}");
}
