//! Renders one frame of a run's folder in a closed box, to look at the ray tracer by itself:
//! `cargo run --release -p meniscus-render --example render_frame -- frames/fluid_000030.vtu 0.0125 picture.png`

use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use meniscus_render::{Quality, RenderScene, render};
use meniscus_surface::{SurfaceParams, reconstruct};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [frame, spacing, picture] = &arguments[..] else { return Err("frame, spacing, picture".into()) };
    let spacing: f64 = spacing.parse()?;
    let frame = meniscus_output::vtu::read(Path::new(frame))?;
    let start = Instant::now();
    let water = reconstruct(&frame.position, &frame.velocity, &SurfaceParams::new(spacing))?;
    println!("{} triangles in {:?}", water.triangle.len(), start.elapsed());
    let low = water.vertex.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = water.vertex.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let scene = RenderScene { water: Some(water), spacing, bounds: (low, high), ..RenderScene::default() };
    for (quality, width, height) in [(Quality::Motion, 480, 270), (Quality::Still, 1280, 720)] {
        let start = Instant::now();
        let image = render(&scene, width, height, quality);
        println!("{width} x {height} in {:?}", start.elapsed());
        image.write(Path::new(picture))?;
    }
    Ok(())
}
