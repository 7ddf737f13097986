use glam::DVec3;
use meniscus_geometry::Pose;
use meniscus_solid::*;
fn main() {
    let m = Material { friction: 0.5, restitution: 0.0, ..Default::default() };
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let heavy: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let cube = |k: usize| BodyParams::dynamic(Shape::cuboid(DVec3::ONE).unwrap(), MassParams::cuboid(if k+1==n {heavy} else {1.0}, DVec3::ONE), Pose::at(DVec3::Y*(k as f64+0.5))).with_material(m);
    let plane = BodyParams::fixed(Shape::half_space(), Pose::IDENTITY).with_material(m);
    let mut w = RigidBodies::new(RigidParams::default(), std::iter::once(plane).chain((0..n).map(cube)).collect(), &[]).unwrap();
    for k in 0..600 {
        let r = w.advance(1.0 / 60.0).unwrap();
        let e = |i: usize| w.state().body[i].position - DVec3::Y*(i as f64 - 0.5);
        if k%100==99 || w.kinetic_energy() > 1e-15 { println!("{k} e1 {:.2e} {:.2e} en {:.2e} {:.2e} ke {:.2e} pts {} sweeps {} deep {:.2e}", e(1).y, e(1).with_y(0.0).length(), e(n).y, e(n).with_y(0.).length(), w.kinetic_energy(), r.points, r.sweeps, r.deepest); }
    }
}
