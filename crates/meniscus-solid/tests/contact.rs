//! Contact of surfaces on plain data: after every step nothing intersects anything, exactly, and momentum is kept.

use glam::{DMat3, DQuat, DVec3};
use meniscus_geometry::collision::{CollisionSurface, SweptTree, intersections};

use meniscus_solid::contact::{
    BodyMotion, ContactError, ContactParams, ContactReport, ContactSolver, ContactSurface, NO_BODY,
};

/// Numbers from −1 to 1 of a fixed sequence.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Sheets and bodies that fly where nothing but contact stops them.
#[derive(Default, Clone)]
struct World {
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    triangle: Vec<[u32; 3]>,
    contact: ContactSurface,
    /// Mass, spin, and place of the centre; its velocity.
    body: Vec<Body>,
    drift: Vec<DVec3>,
}

#[derive(Clone, Copy)]
struct Body {
    mass: f64,
    /// In its own axes, which are those of the scene at the beginning.
    inertia: DMat3,
    turned: DQuat,
    centre: DVec3,
    spin: DVec3,
}

impl World {
    fn add(
        &mut self,
        points: &[DVec3],
        triangles: &[[u32; 3]],
        inverse_mass: f64,
        reach: f64,
        body: u32,
        set: u32,
    ) {
        let first = self.position.len() as u32;
        self.position.extend_from_slice(points);
        self.triangle.extend(triangles.iter().map(|t| t.map(|v| v + first)));
        let n = self.position.len();
        self.velocity.resize(n, DVec3::ZERO);
        self.contact.inverse_mass.resize(n, DVec3::splat(inverse_mass));
        self.contact.body.resize(n, body);
        self.contact.reach.resize(n, reach);
        self.contact.friction.resize(n, 0.3);
        self.contact.set.resize(n, set);
        self.contact.surface = CollisionSurface::new(n, &self.triangle, &[]);
    }

    /// A square of n × n squares about the origin, turned and moved, of 0.3 kg/m².
    fn add_sheet(&mut self, n: u32, width: f64, reach: f64, place: impl Fn(DVec3) -> DVec3) {
        let at = |i: u32| width * (f64::from(i) / f64::from(n) - 0.5);
        let points: Vec<DVec3> = (0..=n)
            .flat_map(|i| (0..=n).map(move |j| (i, j)))
            .map(|(i, j)| place(DVec3::new(at(i), 0.0, at(j))))
            .collect();
        let corner = |i, j| i * (n + 1) + j;
        let mut triangles = Vec::new();
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
        let mass = 0.3 * width * width / points.len() as f64;
        self.add(&points, &triangles, 1.0 / mass, reach, NO_BODY, SweptTree::ANY);
    }

    /// A box as a body; held if it has no mass.
    fn add_box(&mut self, size: DVec3, centre: DVec3, mass: f64, reach: f64) -> usize {
        let corner =
            |i: u32| centre + size * (DVec3::from_array([0, 1, 2].map(|b| f64::from(i >> b & 1))) - 0.5);
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let points: Vec<DVec3> = (0..8).map(corner).collect();
        let triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let body = self.body.len();
        self.add(&points, &triangles, 0.0, reach, body as u32, body as u32);
        let square = size * size;
        let inertia = DMat3::from_diagonal(mass / 12.0 * (DVec3::splat(square.element_sum()) - square));
        self.body.push(Body { mass, inertia, turned: DQuat::IDENTITY, centre, spin: DVec3::ZERO });
        self.drift.push(DVec3::ZERO);
        body
    }

    fn motions(&self, dt: f64) -> Vec<BodyMotion> {
        self.body
            .iter()
            .zip(&self.drift)
            .map(|(b, drift)| {
                let axes = DMat3::from_quat(b.turned);
                let held = b.mass == 0.0;
                BodyMotion {
                    inverse_mass: if held { 0.0 } else { 1.0 / b.mass },
                    inverse_inertia: if held {
                        DMat3::ZERO
                    } else {
                        axes * b.inertia.inverse() * axes.transpose()
                    },
                    start: b.centre,
                    end: b.centre + dt * *drift,
                    rotation: DQuat::from_scaled_axis(dt * b.spin),
                }
            })
            .collect()
    }

    /// Σ m x̄ and Σ m x × x̄ of what is not held.
    fn momenta(&self, end: &[DVec3], motions: &[BodyMotion]) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for (v, (x0, x1)) in self.position.iter().zip(end).enumerate() {
            let inverse = self.contact.inverse_mass[v].x;
            if self.contact.body[v] == NO_BODY && inverse > 0.0 {
                sum[0] += *x1 / inverse;
                sum[1] += x0.cross(*x1) / inverse;
            }
        }
        for (b, m) in self.body.iter().zip(motions).filter(|(b, _)| b.mass > 0.0) {
            sum[0] += b.mass * m.end;
            let axes = DMat3::from_quat(b.turned);
            let inertia = axes * b.inertia * axes.transpose();
            sum[1] += b.mass * m.start.cross(m.end) + inertia * m.rotation.to_scaled_axis();
        }
        sum
    }

    fn free_mass(&self) -> f64 {
        let nodes = self.contact.inverse_mass.iter().zip(&self.contact.body);
        let of_nodes = nodes.filter(|(w, b)| **b == NO_BODY && w.x > 0.0).map(|(w, _)| 1.0 / w.x);
        of_nodes.chain(self.body.iter().map(|b| b.mass)).sum()
    }

    /// One step, shortened if there is no other way; contact keeps the momentum if nothing is held.
    fn step(&mut self, solver: &mut ContactSolver, dt: f64) -> Result<ContactReport, ContactError> {
        let mut part = 1.0;
        loop {
            let mut motions = self.motions(part * dt);
            let mut end: Vec<DVec3> = (0..self.position.len())
                .map(|v| match self.contact.body[v] {
                    NO_BODY => self.position[v] + part * dt * self.velocity[v],
                    b => motions[b as usize].carry(self.position[v]),
                })
                .collect();
            let before = self.momenta(&end, &motions);
            match solver.resolve(&self.contact, &self.position, &mut end, &mut motions) {
                Ok(report) => {
                    if self
                        .contact
                        .inverse_mass
                        .iter()
                        .zip(&self.contact.body)
                        .all(|(w, b)| *b != NO_BODY || w.x > 0.0)
                        && self.body.iter().all(|b| b.mass > 0.0)
                    {
                        let after = self.momenta(&end, &motions);
                        let lost = before[0].distance(after[0]) / self.free_mass();
                        assert!(lost < 1e-13, "momentum {lost}");
                    }
                    let moved = part * dt;
                    for ((velocity, to), from) in self.velocity.iter_mut().zip(&end).zip(&self.position) {
                        *velocity = (*to - *from) / moved;
                    }
                    for ((b, drift), m) in self.body.iter_mut().zip(&mut self.drift).zip(&motions) {
                        *drift = (m.end - m.start) / moved;
                        b.spin = m.rotation.to_scaled_axis() / moved;
                        b.centre = m.end;
                        b.turned = (m.rotation * b.turned).normalize();
                    }
                    self.position = end;
                    let found = intersections(&self.contact.surface, &self.position, &self.contact.set);
                    assert!(found.is_empty(), "{} intersections, {report:?}", found.len());
                    return Ok(report);
                }
                Err(ContactError::Caught { .. }) if part > 1e-3 => part *= 0.5,
                Err(error) => return Err(error),
            }
        }
    }

    fn solver(&self) -> ContactSolver {
        ContactSolver::new(&self.contact, &self.position, ContactParams::default())
    }
}

#[test]
fn sheets_that_are_thrown_at_each_other_do_not_pass() {
    for (speed, dt) in [(40.0, 1.0 / 24.0), (40.0, 1.0 / 240.0), (3.0, 1.0 / 60.0)] {
        let mut world = World::default();
        world.add_sheet(16, 1.0, 1e-3, |x| x);
        let nodes = world.position.len();
        let turn = DQuat::from_axis_angle(DVec3::Y, 0.3);
        world.add_sheet(16, 1.0, 1e-3, |x| turn * x + DVec3::new(0.1, 0.1 + 0.1 * x.x, 0.05));
        for v in nodes..world.position.len() {
            world.velocity[v] = DVec3::new(0.0, -speed, 0.0);
        }
        let mut solver = world.solver();
        let mut collisions = 0;
        for _ in 0..20 {
            collisions += world.step(&mut solver, dt).unwrap().collisions;
        }
        assert!(collisions > 10, "{collisions}");
    }
}

#[test]
fn a_sheet_that_crumples_does_not_pass_through_itself() {
    for reach in [1e-3, 1e-4] {
        let mut world = World::default();
        world.add_sheet(14, 1.0, reach, |x| x);
        let mut solver = world.solver();
        let mut noise = Noise(3);
        let mut total = ContactReport::default();
        for _ in 0..20 {
            for (v, x) in world.velocity.iter_mut().zip(&world.position) {
                *v = 0.9 * *v - 2.0 * *x + 1.5 * noise.point();
            }
            let report = world.step(&mut solver, 1.0 / 60.0).unwrap();
            total.collisions += report.collisions;
            total.zones += report.zones;
        }
        assert!(total.collisions > 1000, "{total:?}");
    }
}

#[test]
fn a_sheet_rests_on_a_block_and_a_floor() {
    let mut world = World::default();
    let floor = world.add_box(DVec3::new(4.0, 0.2, 4.0), DVec3::new(0.0, -0.101, 0.0), 0.0, 1e-3);
    let block = world.add_box(DVec3::new(0.2, 0.2, 0.2), DVec3::new(0.0, 0.102, 0.0), 5.0, 1e-3);
    // The engine of rigid bodies sees to those among themselves.
    world.contact.set.iter_mut().for_each(|s| *s = 7);
    world.add_sheet(24, 1.0, 1e-3, |x| x + DVec3::new(0.02, 0.3, 0.01));
    let mut solver = world.solver();
    let dt = 1.0 / 60.0;
    for _ in 0..60 {
        for (v, body) in world.velocity.iter_mut().zip(&world.contact.body) {
            if *body == NO_BODY {
                v.y -= 9.81 * dt;
            }
        }
        world.step(&mut solver, dt).unwrap();
        // On the floor by a contact of its own.
        world.drift[block].y = world.drift[block].y.max(0.0);
        assert_eq!(world.drift[floor], DVec3::ZERO);
    }
    let sheet = &world.position[16..];
    let lowest = sheet.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let highest = sheet.iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    assert!(lowest > -1e-3 && lowest < 0.01, "{lowest}");
    assert!(highest > 0.2 && highest < 0.25, "{highest}");
    let fastest = world.velocity[16..].iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 0.2, "{fastest}");
}

#[test]
fn layers_stay_in_their_order() {
    let mut world = World::default();
    world.add_box(DVec3::new(4.0, 0.2, 4.0), DVec3::new(0.0, -0.11, 0.0), 0.0, 1e-3);
    for layer in 0..6 {
        world.add_sheet(8, 0.5, 1e-3, |x| x + DVec3::new(0.0, 0.02 + 0.01 * f64::from(layer), 0.0));
    }
    let mut solver = world.solver();
    let dt = 1.0 / 60.0;
    let mut noise = Noise(5);
    for _ in 0..60 {
        for v in &mut world.velocity[8..] {
            *v += DVec3::NEG_Y * 9.81 * dt + 0.05 * noise.point();
        }
        world.step(&mut solver, dt).unwrap();
    }
    let middle = |layer: usize| world.position[8 + 81 * layer + 40].y;
    for layer in 0..5 {
        let gap = middle(layer + 1) - middle(layer);
        assert!(gap > 1e-3 && gap < 4e-3, "{layer} {gap}");
    }
}

#[test]
fn a_sheet_between_closing_boxes_is_held_or_told() {
    let mut world = World::default();
    let low = world.add_box(DVec3::new(1.0, 0.2, 1.0), DVec3::new(0.0, -0.15, 0.0), 0.0, 1e-3);
    let high = world.add_box(DVec3::new(1.0, 0.2, 1.0), DVec3::new(0.05, 0.15, 0.02), 0.0, 1e-3);
    world.add_sheet(10, 0.8, 1e-3, |x| x);
    let mut solver = world.solver();
    let mut caught = None;
    for step in 0..400 {
        world.drift[low] = DVec3::new(0.0, 0.25, 0.0);
        world.drift[high] = DVec3::new(0.0, -0.25, 0.0);
        match world.step(&mut solver, 1.0 / 60.0) {
            Ok(_) => {}
            Err(ContactError::Caught { .. }) => {
                caught = Some(step);
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    // They close within 6 steps; the sheet holds until hardly anything is left between them.
    assert!(caught.is_some());
    let gap = world.position[8..16].iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
        - world.position[..8].iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max);
    assert!(gap > 0.0 && gap < 0.01, "{gap}");
}

#[test]
fn sheets_in_a_tumbling_drum_stay_in_it() {
    let mut world = World::default();
    let drum = world.add_box(DVec3::new(0.5, 0.5, 0.4), DVec3::ZERO, 0.0, 1e-3);
    for (layer, reach) in [1e-3, 5e-4, 2e-3].into_iter().enumerate() {
        world.add_sheet(8, 0.3, reach, |x| x + DVec3::Y * 0.03 * layer as f64);
    }
    let mut solver = world.solver();
    let mut noise = Noise(11);
    let dt = 1.0 / 60.0;
    for _ in 0..90 {
        world.body[drum].spin = DVec3::new(0.0, 0.3, 5.0);
        for v in 8..world.position.len() {
            // The cheapest cloth there is: each sheet is drawn together where it flies apart.
            let pull = -8.0 * world.position[v] * (world.position[v].length() - 0.15).max(0.0);
            world.velocity[v] += dt * (pull + 9.81 * DVec3::NEG_Y) + 0.1 * noise.point();
        }
        world.step(&mut solver, dt).unwrap();
    }
    let turn = world.body[drum].turned.inverse();
    let inside = |x: &DVec3| (turn * *x).abs().cmplt(DVec3::new(0.25, 0.25, 0.2)).all();
    assert!(world.position[8..].iter().all(inside));
}

#[test]
fn rigid_bodies_feel_sheets() {
    let mut world = World::default();
    let block = world.add_box(DVec3::splat(0.1), DVec3::new(0.02, 0.08, 0.03), 0.5, 1e-3);
    world.add_sheet(12, 0.6, 1e-3, |x| x);
    world.drift[block] = DVec3::new(1.0, -10.0, 0.0);
    world.body[block].spin = DVec3::new(3.0, 5.0, 20.0);
    let mut solver = world.solver();
    let mut collisions = 0;
    for _ in 0..30 {
        collisions += world.step(&mut solver, 1.0 / 100.0).unwrap().collisions;
    }
    assert!(collisions > 0);
    assert!(world.drift[block].y > -9.9, "{}", world.drift[block]);
}

#[test]
fn rigid_shells_do_not_pass_through_each_other() {
    let mut world = World::default();
    for i in 0..4 {
        let x = f64::from(i);
        let plate =
            world.add_box(DVec3::new(0.4, 0.004, 0.3), DVec3::new(0.05 * x, 0.1 * x, 0.02 * x), 0.4, 5e-4);
        world.drift[plate] = DVec3::new(0.0, -8.0 * x, 0.3);
        world.body[plate].spin = DVec3::new(2.0 * x, 1.0, -3.0);
    }
    let mut solver = world.solver();
    let mut collisions = 0;
    for _ in 0..40 {
        collisions += world.step(&mut solver, 1.0 / 60.0).unwrap().collisions;
    }
    assert!(collisions > 4, "{collisions}");
}

#[test]
fn zones_keep_momentum_and_angular_momentum() {
    // Without passes, all that collides goes into zones.
    let mut world = World::default();
    world.add_sheet(6, 0.5, 1e-3, |x| x);
    let nodes = world.position.len();
    world.add_sheet(6, 0.5, 1e-3, |x| x + DVec3::new(0.03, 0.02, 0.01));
    let mut noise = Noise(9);
    for v in 0..world.position.len() {
        world.velocity[v] = if v < nodes { DVec3::ZERO } else { DVec3::NEG_Y * 3.0 } + 0.3 * noise.point();
    }
    let params = ContactParams { passes: 0, recovery: 0.0, ..ContactParams::default() };
    let mut solver = ContactSolver::new(&world.contact, &world.position, params);
    let dt = 1.0 / 60.0;
    let mut end: Vec<DVec3> = world.position.iter().zip(&world.velocity).map(|(x, v)| *x + dt * *v).collect();
    let before = world.momenta(&end, &[]);
    let report = solver.resolve(&world.contact, &world.position, &mut end, &mut []).unwrap();
    assert!(report.zones > 0 && report.zone_members > 20, "{report:?}");
    let after = world.momenta(&end, &[]);
    for (a, b) in before.into_iter().zip(after) {
        assert!(a.distance(b) < 1e-14, "{a} {b}");
    }
    assert!(intersections(&world.contact.surface, &end, &[]).is_empty());
}

#[test]
fn threads_leave_no_trace() {
    let with = |threads| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut world = World::default();
            world.add_sheet(20, 1.0, 1e-3, |x| x);
            let mut solver = world.solver();
            let mut noise = Noise(3);
            for _ in 0..6 {
                for (v, x) in world.velocity.iter_mut().zip(&world.position) {
                    *v = -6.0 * *x + 3.0 * noise.point();
                }
                world.step(&mut solver, 1.0 / 30.0).unwrap();
            }
            world.position
        })
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn bad_input_is_told() {
    let mut world = World::default();
    world.add_sheet(2, 1.0, 1e-3, |x| x);
    world.add_sheet(2, 1.0, 1e-3, |x| DVec3::new(x.y, x.x, x.z) + DVec3::new(0.1, 0.0, 0.1));
    let mut solver = world.solver();
    let start = world.position.clone();
    let mut end = start.clone();
    let error = solver.resolve(&world.contact, &start, &mut end, &mut []).unwrap_err();
    assert!(matches!(error, ContactError::Touching { .. }), "{error}");
    end[3].x = f64::NAN;
    let error = solver.resolve(&world.contact, &start, &mut end, &mut []).unwrap_err();
    assert_eq!(error, ContactError::NotFinite { vertex: 3 });
    assert_eq!(solver.resolve(&world.contact, &start, &mut end[1..], &mut []), Err(ContactError::Mismatch));
    world.contact.body[2] = 5;
    assert_eq!(solver.resolve(&world.contact, &start, &mut end, &mut []), Err(ContactError::Mismatch));
    world.contact.body[2] = NO_BODY;
    world.contact.reach[2] = 0.0;
    let error = solver.resolve(&world.contact, &start, &mut end, &mut []).unwrap_err();
    assert_eq!(error, ContactError::NoThickness { vertex: 2 });
}

#[test]
fn a_thick_sheet_at_rest_does_not_repel_itself() {
    let mut world = World::default();
    world.add_sheet(10, 1.0, 0.2, |x| x);
    world.contact.limit_reach(&world.position);
    assert!(world.contact.reach.iter().all(|r| *r < 0.05 && *r > 0.01));
    let mut end = world.position.clone();
    let report = world.solver().resolve(&world.contact, &world.position, &mut end, &mut []).unwrap();
    assert_eq!(report.repulsions + report.collisions, 0);
    assert_eq!(end, world.position);
}
