//! The surge front of Martin and Moyce (1952) beside the simulator's.
use anyhow::Result;
use glam::DVec3;
use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;
use meniscus_validation::front::leading_edge;
use meniscus_validation::reference::{Point, deviation, parse};
fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let scene = &args[0];
    let sets = parse(&std::fs::read_to_string("validation/martin-moyce/martin-moyce-1952.csv")?)?;
    let a = 0.05715;
    let source = SceneSource::open(scene).map_err(|e| anyhow::anyhow!("{e}"))?.with_overrides(&args[1..]);
    let (s, setup) = source.build().map_err(|e| anyhow::anyhow!("{e}"))?;
    let d = setup.fluid.spacing;
    let link = setup.fluid.kernel.support_radius;
    let mut sim = Simulation::new(setup)?;
    let clock = std::time::Instant::now();
    let scale = (2.0f64 * 9.81 / a).sqrt();
    let mut c: [Vec<Point>; 4] = Default::default();
    let mut next = 0.0;
    loop {
        let t = sim.world().time;
        if t * scale >= next || t >= s.time.end {
            let x = &sim.world().particles.position;
            let mut f = [0.0; 4];
            f[0] = leading_edge(x, d, link).unwrap();
            f[1] = x.iter().map(|x| x.x).fold(0.0, f64::max) + 0.5 * d;
            // third definition: >=3 neighbours in link
            let mut order: Vec<DVec3> = x.clone();
            order.sort_by(|a, b| b.x.total_cmp(&a.x));
            f[2] = order.iter().take(400).find(|p| order.iter().take(800).filter(|q| q.distance(**p) < link).count() > 4).map_or(0.0, |p| p.x + 0.5 * d);
            f[3] = leading_edge(x, d, 1.5 * d).unwrap();
            for k in 0..4 {
                c[k].push(Point { time: t * scale, front: f[k] / a });
            }
            next += 0.05;
        }
        if t >= s.time.end { break; }
        sim.step()?;
    }
    for k in 0..4 {
        let all = deviation(&c[k], sets.iter().flat_map(|s| &s.points), 0.0)?;
        let early = deviation(&c[k], sets.iter().flat_map(|s| s.points.iter().filter(|p| p.time<5.4)), 0.0)?;
        print!("def{k}: mean {:.3} max {:.3} bias {:+.3} | T<5.4: {:.3} {:.3} {:+.3} |", all.mean, all.max, all.bias, early.mean, early.max, early.bias);
        for p in &sets[1].points { print!(" {:.2}/{:.2}", meniscus_validation::reference::interpolate(&c[k], p.time).unwrap(), p.front); }
        println!();
    }
    println!("n {} steps {} wall {:.1} sweeps {:.1} {:.1}", sim.world().particles.len(), sim.world().step, clock.elapsed().as_secs_f64(), sim.world().totals.pressure_sweeps as f64/sim.world().step as f64, sim.world().totals.divergence_sweeps as f64/sim.world().step as f64);
    Ok(())
}
