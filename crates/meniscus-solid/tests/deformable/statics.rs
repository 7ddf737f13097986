use super::{block, made, sheet};
use glam::{DVec3, UVec3};
use meniscus_solid::{DeformableBody, DeformableParams, ElasticMaterial, ElementOrder, Pin, PinPlace};

/// Steps of implicit Euler, without velocities from one to the next, until nothing moves.
pub fn settled(mut params: DeformableParams, dt: f64, gravity: DVec3) -> DeformableBody {
    // Half of the stress at the end of a step is viscous then, half is the mean's: all of it is of the end.
    (params.damping, params.max_substep) = (0.25 * dt, f64::INFINITY);
    let mut body = made(params);
    let still = vec![DVec3::ZERO; body.position().len()];
    let mut effort = (0, 0, 0);
    for n in 1..=200 {
        let before = body.position().to_vec();
        body.stop();
        effort.0 += body.advance(f64::from(n) * dt, gravity, &still).unwrap();
        effort.1 += body.effort().0;
        effort.2 += body.effort().1;
        let moved = before.iter().zip(body.position()).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        if moved < 1e-9 {
            break;
        }
    }
    println!("    settled: {effort:?}");
    body
}

fn slab(from: DVec3, to: DVec3) -> PinPlace {
    PinPlace::Box { min: from - 1e-6, max: to + 1e-6 }
}

/// Turek and Hron's beam, in plane strain.
pub fn turek_hron(order: ElementOrder, cells: UVec3) -> DeformableParams {
    let size = DVec3::new(0.35, 0.02, 0.35 / f64::from(cells.x) * f64::from(cells.z));
    let material = ElasticMaterial { density: 1000.0, young: 1.4e6, poisson: 0.4 };
    let mut params = block(size, cells, order, material);
    params.pins.push(Pin { axes: [false, false, true], ..Pin::fixed(slab(DVec3::ZERO, size)) });
    params.pins.push(Pin::fixed(slab(DVec3::ZERO, DVec3::new(0.0, size.y, size.z))));
    params
}

pub fn tip(body: &DeformableBody) -> DVec3 {
    // The node that started nearest to the middle of the end.
    *body.position().iter().max_by(|a, b| a.x.total_cmp(&b.x)).unwrap()
}

#[test]
fn turek_and_hrons_beam_bends_as_published() {
    for (order, cells) in [
        (ElementOrder::Linear, UVec3::new(70, 4, 1)),
        (ElementOrder::Quadratic, UVec3::new(18, 1, 1)),
        (ElementOrder::Quadratic, UVec3::new(36, 2, 1)),
    ] {
        let clock = std::time::Instant::now();
        let params = turek_hron(order, cells);
        let point = params.rest.iter().position(|x| x.x > 0.35 - 1e-9 && (x.y - 0.01).abs() < 0.0101).unwrap();
        let from = params.rest[point];
        let body = settled(params, 0.5, DVec3::new(0.0, -2.0, 0.0));
        println!("{order:?} {cells}: {} of (-7.187, -66.10) mm, {:?}", (body.position()[point] - from) * 1e3, clock.elapsed());
    }
}

#[test]
fn cantilevers_bend_as_timoshenko_says() {
    let (length, height, width) = (1.0, 0.1, 0.1);
    let material = ElasticMaterial { density: 1000.0, young: 1e7, poisson: 0.3 };
    for (order, cells) in [
        (ElementOrder::Linear, UVec3::new(40, 4, 4)),
        (ElementOrder::Quadratic, UVec3::new(10, 1, 1)),
        (ElementOrder::Quadratic, UVec3::new(20, 2, 2)),
    ] {
        let gravity = 0.1;
        let mut params = block(DVec3::new(length, height, width), cells, order, material);
        params.pins.push(Pin::fixed(slab(DVec3::ZERO, DVec3::new(0.0, height, width))));
        let body = settled(params, 1.0, DVec3::new(0.0, -gravity, 0.0));
        let load = material.density * gravity * height * width;
        let inertia = width * height.powi(3) / 12.0;
        let shear = material.young / 2.6;
        let expected = load * length.powi(4) / (8.0 * material.young * inertia)
            + 1.2 * load * length * length / (2.0 * shear * width * height);
        let tip = body.position().iter().filter(|x| x.x > 0.99).map(|x| x.y).fold(0.0, f64::min);
        println!("{order:?} {cells}: {} of {expected}", -tip);
    }
}

#[test]
fn strips_bend_as_the_elastica_does() {
    let material = ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.0 };
    for cells in [[10, 2], [20, 4], [40, 8]] {
        let gravity = 0.1;
        let (length, width, thickness) = (1.0, 0.2, 0.01);
        let mut params = sheet([length, width], cells, thickness, material);
        // Two columns: the slope is held too.
        let edge = length / f64::from(cells[0]);
        params.pins.push(Pin::fixed(slab(DVec3::ZERO, DVec3::new(edge, width, 0.0))));
        let body = settled(params, 1.0, DVec3::new(0.0, 0.0, -gravity));
        let free = length - edge;
        let load = material.density * gravity * thickness;
        let expected = load * free.powi(4) / (8.0 * material.flexural_rigidity(thickness));
        let tip = body.position().iter().map(|x| x.z).fold(0.0, f64::min);
        println!("{cells:?}: {} of {expected}, {:?}", -tip, body.energies());
    }
}
