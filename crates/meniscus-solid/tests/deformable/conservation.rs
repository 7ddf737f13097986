use super::{block, body, made, sheet};
use glam::{DVec3, UVec3};
use meniscus_solid::{DeformableBody, DeformableParams, ElasticMaterial, ElementOrder, Structure};

fn momenta(body: &DeformableBody) -> [DVec3; 2] {
    let parts = body.mass().iter().zip(body.position()).zip(body.velocity());
    parts.fold([DVec3::ZERO; 2], |[p, l], ((m, x), v)| [p + *m * *v, l + x.cross(*m * *v)])
}

/// It spins, is thrown and bent at the start.
fn thrown(mut params: DeformableParams) -> DeformableParams {
    let centre: DVec3 = params.rest.iter().sum::<DVec3>() / params.rest.len() as f64;
    params.start = params
        .rest
        .iter()
        .map(|x| {
            let r = *x - centre;
            centre + r * DVec3::new(1.05, 0.97, 1.0) + DVec3::new(0.0, 0.3 * r.x * r.x, 0.2 * r.x * r.y)
        })
        .collect();
    params.velocity = params
        .start
        .iter()
        .map(|x| DVec3::new(3.0, -5.0, 8.0).cross(*x - centre) + DVec3::new(1.0, 2.0, 0.5))
        .collect();
    params
}

fn bodies() -> Vec<(&'static str, DeformableParams)> {
    let rubber = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.45 };
    let fabric = ElasticMaterial { density: 300.0, young: 1e6, poisson: 0.3 };
    let rope: Vec<DVec3> = (0..21).map(|k| DVec3::X * 0.05 * f64::from(k)).collect();
    vec![
        ("quadratic", block(DVec3::new(0.4, 0.1, 0.1), UVec3::new(8, 2, 2), ElementOrder::Quadratic, rubber)),
        ("linear", block(DVec3::new(0.4, 0.1, 0.1), UVec3::new(8, 2, 2), ElementOrder::Linear, rubber)),
        ("sheet", sheet([0.5, 0.5], [12, 12], 1e-3, fabric)),
        ("rope", body(rope, Structure::Rope { radius: 0.01 }, rubber)),
    ]
}

#[test]
fn free_bodies_keep_momentum_angular_momentum_and_energy() {
    for (name, params) in bodies() {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut body = made(thrown(params.clone()));
            let ([p, l], energy) = (momenta(&body), body.energies());
            let still = vec![DVec3::ZERO; body.mass().len()];
            let mut worst = [0.0_f64; 3];
            let steps = (0.5 / dt) as u32;
            for n in 1..=steps {
                body.advance(f64::from(n) * dt, DVec3::ZERO, &still).unwrap();
                let [p1, l1] = momenta(&body);
                let off = [
                    (p1 - p).length() / p.length(),
                    (l1 - l).length() / l.length(),
                    (body.energies().total() / energy.total() - 1.0).abs(),
                ];
                worst = [0, 1, 2].map(|k| worst[k].max(off[k]));
            }
            assert!(worst[0] < 1e-10 && worst[1] < 1e-10, "{name}: {worst:?}");
            assert!(worst[2] < 1e-5, "{name}: {worst:?}");
        }
    }
}

#[test]
fn straight_ropes_fall_as_they_are() {
    let rubber = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.45 };
    let rope: Vec<DVec3> = (0..6).map(|k| DVec3::new(0.1 * f64::from(k), -2.0, 1.0)).collect();
    let mut params = body(rope, Structure::Rope { radius: 0.01 }, rubber);
    params.velocity.fill(DVec3::new(0.4, 1.0, -0.3));
    let (start, gravity) = (params.start.clone(), DVec3::new(0.0, -9.81, 0.0));
    let mut body = made(params);
    body.advance(0.1, gravity, &[DVec3::ZERO; 6]).unwrap();
    for (x, start) in body.position().iter().zip(start) {
        let expected = start + DVec3::new(0.04, 0.1, -0.03) + 0.005 * gravity;
        assert!(x.distance(expected) < 1e-9, "{x} of {expected}");
    }
}
