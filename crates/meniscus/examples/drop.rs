//! A ball of water falls into a tank; every tenth of a second its highest and its lowest particle are told.
//!
//! `cargo run --release -p meniscus --example drop`

use meniscus::prelude::*;

const SCENE: &str = r#"
    [fluid]
    spacing = 0.02
    [[fluid.source]]
    shape = "sphere"
    radius = 0.15
    center = [0.4, 0.4, 0.2]
    [[body]]
    name = "tank"
    shape = "box"
    size = [0.8, 0.8, 0.4]
    position = [0.4, 0.4, 0.2]
    container = true
    [time]
    end = 0.5
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (scene, setup) = SceneSource::from_text("a drop", SCENE).build()?;
    let mut simulation = Simulation::new(setup)?;
    let mut told = 0;
    loop {
        let frame = simulation.frame(told);
        let height = |pick: fn(f64, f64) -> f64| frame.position.iter().map(|x| x.y).reduce(pick);
        if let (Some(low), Some(high)) = (height(f64::min), height(f64::max)) {
            println!("t = {:.3} s: from {low:.3} to {high:.3} m", frame.time);
        }
        told += 1;
        let next = 0.1 * f64::from(told);
        if next > scene.time.end {
            return Ok(());
        }
        while simulation.clock().time < next {
            simulation.step()?;
        }
    }
}
