use super::{block, made, sheet};
use glam::{DVec3, UVec3};
use meniscus_core::SolidError;
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{DeformableParams, ElasticMaterial, ElementOrder, Pin, PinPlace};

fn slab(from: DVec3, to: DVec3) -> PinPlace {
    PinPlace::Box { min: from - 1e-6, max: to + 1e-6 }
}

fn clamped(mut params: DeformableParams, to: DVec3) -> DeformableParams {
    params.pins.push(Pin::fixed(slab(DVec3::ZERO, to)));
    params
}

#[test]
fn a_cantilever_bends_under_its_weight_as_timoshenko_says() {
    let (length, height, gravity) = (1.0, 0.1, 0.1);
    let material = ElasticMaterial { density: 1000.0, young: 1e7, poisson: 0.0 };
    let params =
        block(DVec3::new(length, height, height), UVec3::new(12, 1, 1), ElementOrder::Quadratic, material);
    let mut body = made(clamped(params, DVec3::new(0.0, height, height)));
    body.settle(DVec3::new(0.0, -gravity, 0.0)).unwrap();
    let load = material.density * gravity * height * height;
    let (inertia, shear) = (height.powi(4) / 12.0, 0.5 * material.young);
    let expected = load * length.powi(4) / (8.0 * material.young * inertia)
        + 1.2 * load * length * length / (2.0 * shear * height * height);
    let tip = body.position().iter().filter(|x| x.x > 0.99).map(|x| x.y).fold(0.0, f64::min);
    assert!((tip / -expected - 1.0).abs() < 0.02, "{} of {expected}", -tip);
    let weight = material.density * length * height * height * gravity;
    assert!((body.pin_force().y / weight - 1.0).abs() < 1e-6, "{} of {weight}", body.pin_force());
}

#[test]
fn a_strip_bends_as_the_elastica_does() {
    // Deflection by length of a strip for w L³ / D of 11.12 (L = 0.975 m): the elastica, by shooting.
    let material = ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.0 };
    let params = sheet([1.0, 0.1], [20, 2], 0.01, material);
    // Two columns are held; a sheet without an angle between them is clamped half way.
    let mut body = made(clamped(params, DVec3::new(0.05, 0.1, 0.0)));
    body.settle(DVec3::new(0.0, 0.0, -0.1)).unwrap();
    let tip = body.position().iter().map(|x| x.z).fold(0.0, f64::min);
    assert!((tip / -0.707_460 - 1.0).abs() < 0.01, "{tip}");
}

#[test]
fn a_body_that_only_falls_has_no_shape_at_rest_and_is_left_alone() {
    let material = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.3 };
    let mut body = made(sheet([0.2, 0.2], [2, 2], 1e-3, material));
    let before = body.position().to_vec();
    let error = body.settle(DVec3::new(0.0, -9.81, 0.0)).unwrap_err();
    assert!(matches!(error, SolidError::Unsolved { .. }), "{error}");
    assert_eq!(body.position(), before);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_reason() {
    let material = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.3 };
    let good = || sheet([0.2, 0.2], [2, 2], 1e-3, material);
    let refused = |change: &dyn Fn(&mut DeformableParams)| {
        let mut params = good();
        change(&mut params);
        meniscus_solid::DeformableBody::new(params, meniscus_core::BodyId(0)).unwrap_err().to_string()
    };
    let young = refused(&|p| p.material.young = -1.0);
    assert!(young.contains("young = -1 Pa") && young.contains("positive"), "{young}");
    let poisson = refused(&|p| p.material.poisson = 0.5);
    assert!(poisson.contains("poisson = 0.5") && poisson.contains("0.49"), "{poisson}");
    let merged = refused(&|p| p.rest[1] = p.rest[0]);
    assert!(merged.contains("no area"), "{merged}");
    let pin = refused(&|p| p.pins.push(Pin::fixed(PinPlace::Nodes(vec![99]))));
    assert!(pin.contains("node 99 of a body with 9 nodes"), "{pin}");
    let nothing = refused(&|p| p.pins.push(Pin::fixed(slab(DVec3::splat(5.0), DVec3::splat(6.0)))));
    assert!(nothing.contains("no node"), "{nothing}");
    let lonely = refused(&|p| {
        p.rest.push(DVec3::X);
        p.start.push(DVec3::X);
        p.velocity.push(DVec3::ZERO);
    });
    assert!(lonely.contains("node 9 has no mass"), "{lonely}");
}

#[test]
fn pins_move_and_let_go() {
    let material = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.3 };
    let mut params = sheet([0.2, 0.2], [4, 4], 1e-3, material);
    let motion = PrescribedMotion::Linear { velocity: DVec3::X };
    params.pins.push(Pin { motion, until: 0.05, ..Pin::fixed(PinPlace::Nodes(vec![0, 4])) });
    params.max_substep = 0.01;
    let mut body = made(params);
    let still = vec![DVec3::ZERO; 25];
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    let substeps = body.advance(0.045, gravity, &still).unwrap();
    assert!(substeps >= 5 && body.position()[0].distance(DVec3::new(0.045, 0.0, 0.0)) < 1e-12);
    body.advance(0.1, gravity, &still).unwrap();
    assert!(body.position()[0].z < -1e-3, "{}", body.position()[0]);
    assert_eq!(body.pin_force(), DVec3::ZERO);
}
