//! Joints against formulas.

use crate::common::{cuboid, ground, id, position, run, surface, world};
use glam::{DQuat, DVec3};
use meniscus_core::Wrench;
use meniscus_geometry::Pose;
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, Motor, RigidBodies, RigidEngine, RigidParams,
};

const G: f64 = 9.81;

fn bar(at: DVec3) -> BodyParams {
    cuboid(DVec3::new(1.0, 0.1, 0.1), 2.0, at, surface(0.5, 0.0))
}

fn joint(first: usize, second: Option<usize>, point: DVec3, kind: JointType) -> JointParams {
    JointParams { first: id(first), second: second.map(id), point, kind, collide: false }
}

fn jointed(bodies: Vec<BodyParams>, joints: &[JointParams]) -> RigidBodies {
    RigidBodies::new(RigidParams::default(), bodies, joints).unwrap()
}

fn energy(world: &RigidBodies) -> f64 {
    world.kinetic_energy() + (0..world.count()).map(|k| 2.0 * G * position(world, k).y).sum::<f64>()
}

#[test]
fn a_swinging_bar_has_its_period_and_keeps_its_energy() {
    let hinge = JointType::Hinge { axis: DVec3::Z, limits: None, motor: None };
    // Hangs down from its end, tilted by a small angle.
    let (tilt, length) = (0.1_f64, 1.0);
    let turn = DQuat::from_rotation_z(tilt - std::f64::consts::FRAC_PI_2);
    let mut body = bar(turn * DVec3::X * 0.5 * length);
    body.pose.rotation = turn;
    let mut world = jointed(vec![body], &[joint(0, None, DVec3::ZERO, hinge)]);
    let mut crossings = Vec::new();
    let mut last = position(&world, 0).x;
    for step in 0..2400 {
        run(&mut world, 1.0 / 240.0, 240.0);
        let now = position(&world, 0).x;
        if last > 0.0 && now <= 0.0 {
            crossings.push((f64::from(step) + last / (last - now)) / 240.0);
        }
        last = now;
        // The end stays where it is held.
        let state = world.state().body[0];
        assert!((state.position - state.rotation * DVec3::X * 0.5).length() < 2e-5);
    }
    let inertia = 2.0 * (1.0 + 0.01) / 12.0 + 2.0 * 0.25;
    let period = std::f64::consts::TAU * (inertia / (2.0 * G * 0.5)).sqrt() * (1.0 + tilt * tilt / 16.0);
    let measured = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64;
    assert!((measured / period - 1.0).abs() < 1e-3, "{measured} {period}");
    let start = -2.0 * G * 0.5 * tilt.cos();
    let scale = 2.0 * G * 0.5 * (1.0 - tilt.cos());
    assert!((energy(&world) - start).abs() < 0.1 * scale, "{} {start}", energy(&world));
}

#[test]
fn a_chain_hangs_together() {
    let links: Vec<BodyParams> = (0..10).map(|k| bar(DVec3::X * (0.5 + f64::from(k)))).collect();
    let joints: Vec<JointParams> =
        (0..10).map(|k| joint(k, k.checked_sub(1), DVec3::X * k as f64, JointType::Ball)).collect();
    let mut world = jointed(links, &joints);
    let start = energy(&world);
    for _ in 0..600 {
        run(&mut world, 1.0 / 120.0, 120.0);
        for k in 1..10 {
            let end = |b: usize, side: f64| {
                let s = world.state().body[b];
                s.position + s.rotation * DVec3::X * side
            };
            let apart = end(k, -0.5).distance(end(k - 1, 0.5));
            assert!(apart < 1e-3, "link {k}: {apart} m");
        }
        assert!(energy(&world) < start + 0.02 * 20.0 * G, "{} {start}", energy(&world));
    }
}

#[test]
fn motors_and_limits_act() {
    let motor = Some(Motor { speed: 3.0, strength: 100.0 });
    let hinge = JointType::Hinge { axis: DVec3::Y, limits: None, motor };
    let mut world = jointed(vec![bar(DVec3::ZERO)], &[joint(0, None, DVec3::ZERO, hinge)]);
    run(&mut world, 2.0, 120.0);
    assert!((world.state().body[0].angular_velocity.y - 3.0).abs() < 1e-6);
    // A weak motor: 0.05 N m against an inertia of 2/12 · 1.01.
    let weak =
        JointType::Hinge { axis: DVec3::Y, limits: None, motor: Some(Motor { speed: 3.0, strength: 0.05 }) };
    let mut world = jointed(vec![bar(DVec3::ZERO)], &[joint(0, None, DVec3::ZERO, weak)]);
    run(&mut world, 2.0, 120.0);
    let expected = 2.0 * 0.05 / (2.0 * 1.01 / 12.0);
    assert!((world.state().body[0].angular_velocity.y - expected).abs() < 1e-6);
    // Falls until the limit holds it.
    let stop = JointType::Hinge { axis: DVec3::Z, limits: Some([-0.5, 0.5]), motor: None };
    let mut world = jointed(vec![bar(DVec3::X * 0.5)], &[joint(0, None, DVec3::ZERO, stop)]);
    run(&mut world, 3.0, 120.0);
    let angle = (world.state().body[0].rotation * DVec3::X).y.asin();
    assert!((angle + 0.5).abs() < 1e-4, "{angle}");
    assert!(world.kinetic_energy() < 1e-8);
    let rail = JointType::Slider { axis: DVec3::new(1.0, -1.0, 0.0), limits: Some([-0.2, 1.0]), motor: None };
    let mut world = jointed(vec![bar(DVec3::ZERO)], &[joint(0, None, DVec3::ZERO, rail)]);
    run(&mut world, 0.3, 240.0);
    let exact = 0.5 * G / 2_f64.sqrt() * 0.09;
    assert!((position(&world, 0).length() / exact - 1.0).abs() < 0.02, "{}", position(&world, 0).length());
    run(&mut world, 2.0, 240.0);
    assert!((position(&world, 0).length() - 1.0).abs() < 1e-6);
    assert!(world.state().body[0].rotation.w > 1.0 - 1e-12);
}

#[test]
fn a_loaded_wheel_turns_many_times() {
    // A bar across the slanted axis pulls on the hinge with the torque of its imbalance, and a weight with its own.
    let axis = DVec3::new(0.2, 1.0, 0.3).normalize();
    let motor = Some(Motor { speed: 4.0, strength: 1e4 });
    let hinge = JointType::Hinge { axis, limits: None, motor };
    let at = DVec3::new(0.3, 0.4, 0.0);
    let spin = 4.0 * axis;
    let weight = cuboid(DVec3::splat(0.2), 5.0, at, surface(0.5, 0.0)).moving(spin.cross(at), spin);
    let joints =
        [joint(0, None, DVec3::ZERO, hinge), joint(1, Some(0), DVec3::new(0.3, 0.2, 0.0), JointType::Fixed)];
    let mut world = jointed(vec![bar(DVec3::ZERO).moving(DVec3::ZERO, spin), weight], &joints);
    for step in 0..960 {
        run(&mut world, 1.0 / 240.0, 240.0);
        let state = world.state().body[0];
        let off = (state.rotation * axis).distance(axis);
        assert!(off < 1e-3 && state.position.length() < 1e-3, "step {step}: {off} rad, {}", state.position);
        assert!(state.angular_velocity.distance(spin) < 0.05, "step {step}: {}", state.angular_velocity);
    }
}

#[test]
fn limits_near_half_a_turn_hold() {
    // Pressed against a limit so near to half a turn that a little overshoot is beyond it.
    for most in [3.0_f64, 3.1, 3.12, 3.135] {
        let motor = Some(Motor { speed: 5.0, strength: 50.0 });
        let hinge = JointType::Hinge { axis: DVec3::Z, limits: Some([-0.1, most]), motor };
        let mut world = jointed(vec![bar(DVec3::X * 0.5)], &[joint(0, None, DVec3::ZERO, hinge)]);
        run(&mut world, 3.0, 60.0);
        let state = world.state().body[0];
        let side = state.rotation * DVec3::X;
        let expected = DVec3::new(most.cos(), most.sin(), 0.0);
        assert!(side.distance(expected) < 1e-3, "{most}: {side}");
        assert!(state.angular_velocity.length() < 1e-3, "{most}: {}", state.angular_velocity);
    }
    let wide = JointType::Hinge { axis: DVec3::Z, limits: Some([-4.0, 4.0]), motor: None };
    let world = RigidBodies::new(
        RigidParams::default(),
        vec![bar(DVec3::ZERO)],
        &[joint(0, None, DVec3::ZERO, wide)],
    );
    assert!(world.is_err());
}

#[test]
fn joints_survive_a_restart() {
    let motor = Some(Motor { speed: 5.0, strength: 50.0 });
    let build = || {
        let kinds = [
            JointType::Hinge { axis: DVec3::Z, limits: Some([-0.5, 2.0]), motor },
            JointType::Slider { axis: DVec3::new(1.0, -1.0, 0.0), limits: Some([-0.2, 0.3]), motor: None },
            JointType::Ball,
            JointType::Fixed,
            JointType::Distance { other: DVec3::new(8.0, 1.0, 0.0), range: [0.5, 1.5] },
        ];
        let place = |k: usize| DVec3::X * 2.0 * k as f64;
        let bars = (0..kinds.len()).map(|k| bar(place(k) + DVec3::X * 0.5)).collect();
        let joints: Vec<JointParams> =
            kinds.iter().enumerate().map(|(k, kind)| joint(k, None, place(k), *kind)).collect();
        jointed(bars, &joints)
    };
    // Saved while some move freely, and while limits hold others.
    for seconds in [0.1, 1.0] {
        let mut through = build();
        run(&mut through, seconds, 120.0);
        let mut resumed = build();
        resumed.restore(&through.save().unwrap()).unwrap();
        run(&mut through, 0.5, 120.0);
        run(&mut resumed, 0.5, 120.0);
        assert!(through.save().unwrap() == resumed.save().unwrap(), "after {seconds} s");
    }
}

#[test]
fn fixed_joints_weld_and_rods_keep_their_length() {
    // Two bars welded into one beam that is held at one end.
    let joints =
        [joint(0, None, DVec3::ZERO, JointType::Fixed), joint(1, Some(0), DVec3::X, JointType::Fixed)];
    let mut world = jointed(vec![bar(DVec3::X * 0.5), bar(DVec3::X * 1.5)], &joints);
    run(&mut world, 3.0, 60.0);
    assert!(position(&world, 1).distance(DVec3::X * 1.5) < 1e-6, "{}", position(&world, 1));
    let rod = JointType::Distance { other: DVec3::ZERO, range: [2.0, 2.0] };
    let mut world = jointed(vec![bar(DVec3::X * 2.5)], &[joint(0, None, DVec3::X * 2.0, rod)]);
    for _ in 0..480 {
        run(&mut world, 1.0 / 240.0, 240.0);
        let state = world.state().body[0];
        let length = (state.position - state.rotation * DVec3::X * 0.5).length();
        assert!((length - 2.0).abs() < 1e-3, "{length}");
    }
    let rope = JointType::Distance { other: DVec3::ZERO, range: [0.0, 2.0] };
    let mut world = jointed(vec![bar(DVec3::X * 0.5)], &[joint(0, None, DVec3::ZERO, rope)]);
    run(&mut world, 8.0, 120.0);
    let state = world.state().body[0];
    assert!((state.position - state.rotation * DVec3::X * 0.5).length() < 2.001);
}

#[test]
fn scripted_bodies_carry_others() {
    let rough = surface(0.8, 0.0);
    let belt = BodyParams::scripted(
        ColliderShape::cuboid(DVec3::new(100.0, 1.0, 4.0)).unwrap(),
        PrescribedMotion::Linear { velocity: DVec3::new(2.0, 0.5, 0.0) },
        Pose::at(DVec3::Y * -0.5),
    )
    .with_material(rough);
    let load = cuboid(DVec3::ONE, 1.0, DVec3::Y * 0.5, rough);
    let mut carried = world(vec![belt, load]);
    run(&mut carried, 3.0, 120.0);
    let state = carried.state().body[1];
    assert!(state.velocity.abs_diff_eq(DVec3::new(2.0, 0.5, 0.0), 1e-6), "{}", state.velocity);
    // It slips until it has the belt's speed: v² / (2 μ a), with the lift's start felt as an impact.
    assert!((state.position.y - 2.0).abs() < 1e-3, "{}", state.position.y);
    let wheel = PrescribedMotion::Spin { point: DVec3::ZERO, axis: DVec3::Y, rate: 1.0 };
    let disc =
        BodyParams::scripted(ColliderShape::cylinder(3.0, 1.0).unwrap(), wheel, Pose::at(DVec3::Y * -0.5))
            .with_material(rough);
    let mut round = world(vec![
        disc,
        cuboid(DVec3::ONE * 0.2, 1.0, DVec3::new(1.0, 0.1, 0.0), rough).moving(DVec3::Z * -1.0, DVec3::Y),
        ground(rough),
    ]);
    // It moves along the tangent in each step: outwards by 2 π² / steps in a revolution.
    let steps = 2000.0;
    run(&mut round, std::f64::consts::TAU, steps / std::f64::consts::TAU);
    let at = position(&round, 1);
    assert!(at.distance(DVec3::new(1.0, 0.1, 0.0)) < 0.021, "{at}");
}

#[test]
fn a_jointed_body_answers_as_its_joint_lets_it() {
    let (length, mass) = (1.0, 2.0);
    let push = |world: &RigidBodies, body: usize| {
        let impulse = DVec3::Y;
        let load = Wrench { impulse, angular_impulse: position(world, body).cross(impulse) };
        world.response(id(body), load)
    };
    let near = |a: DVec3, b: DVec3| assert!((a - b).length() < 1e-3, "{a} {b}");
    // Held at its centre, it stays.
    let world = jointed(vec![bar(DVec3::ZERO)], &[joint(0, None, DVec3::ZERO, JointType::Ball)]);
    near(push(&world, 0).linear, DVec3::ZERO);
    // Held at its end, it turns about it: its moment of inertia there is m L² / 3, and a little for its thickness.
    let end = -0.5 * length * DVec3::X;
    let world = jointed(vec![bar(DVec3::ZERO)], &[joint(0, None, end, JointType::Ball)]);
    let inertia = mass * (length * length / 3.0 + 0.1 * 0.1 / 12.0);
    let spin = 0.5 * length / inertia;
    near(push(&world, 0).linear, 0.5 * length * spin * DVec3::Y);
    near(push(&world, 0).angular, spin * DVec3::Z);
    // Fixed to another one beside it, both turn about their common centre: from there, the first one is 0.5 m away.
    let bars = vec![bar(DVec3::ZERO), bar(length * DVec3::X)];
    let world = jointed(bars, &[joint(0, Some(1), -end, JointType::Fixed)]);
    let inertia = 2.0 * mass * ((2.0 * length).powi(2) + 0.1 * 0.1) / 12.0;
    let spin = -0.5 * length / inertia;
    near(push(&world, 0).linear, (1.0 / (2.0 * mass) - 0.5 * length * spin) * DVec3::Y);
    near(push(&world, 0).angular, spin * DVec3::Z);
}
