//! Draws a made-up dam break, to look at the picture without running a simulation:
//! `cargo run --release -p meniscus-output --example preview_wave -- wave.png plane.png`

use std::path::Path;
use std::time::Instant;

use meniscus_core::{DVec3, Dimension, ParticleFrame};
use meniscus_output::{OutputError, PreviewView, render_preview};

const HIGH: DVec3 = DVec3::new(3.2, 1.4, 1.0);

fn main() -> Result<(), OutputError> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for (path, dimension) in paths.iter().zip([Dimension::Three, Dimension::Two]) {
        let spacing = if dimension == Dimension::Three { 0.02 } else { 0.012 };
        let frame = wave(dimension, spacing);
        let view = PreviewView {
            dimension,
            spacing,
            segments: box_edges(dimension),
            bounds: (DVec3::ZERO, if dimension == Dimension::Three { HIGH } else { HIGH.with_z(0.0) }),
            caption: format!("Dam break · {} particles · t = 1.250 s", frame.position.len()),
            ..PreviewView::default()
        };
        let start = Instant::now();
        let picture = render_preview(&frame, &view);
        println!("{path}: {} particles in {:?}", frame.position.len(), start.elapsed());
        picture.write(Path::new(path))?;
    }
    Ok(())
}

/// A surge that runs up the far wall and falls over, with some spray.
fn wave(dimension: Dimension, spacing: f64) -> ParticleFrame {
    let depth = if dimension == Dimension::Three { HIGH.z } else { spacing };
    let [nx, ny, nz] = [HIGH.x, HIGH.y, depth].map(|side| (side / spacing).round() as u64);
    let mut frame = ParticleFrame::default();
    for cell in 0..nx * ny * nz {
        let mut random = cell.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut jitter = || {
            random = (random ^ (random >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (random >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let place = DVec3::new((cell % nx) as f64, (cell / nx % ny) as f64, (cell / nx / ny) as f64) + 0.5;
        let mut position = (place + 0.5 * DVec3::new(jitter(), jitter(), jitter())) * spacing;
        let ripple = 0.03 * (7.0 * position.x + 5.0 * position.z).sin();
        let run_up = (position.x / HIGH.x).powi(6);
        let surface =
            0.34 + ripple - 0.08 * position.x + 1.0 * run_up * (1.0 + 0.15 * (9.0 * position.z).sin());
        let spray = position.y > surface && run_up > 0.15 && jitter() > 0.492;
        if position.y > surface && !spray {
            continue;
        }
        let speed = 0.5 + 1.6 * position.x / HIGH.x + if spray { 1.5 } else { 0.0 } + 0.3 * jitter();
        let rise = 3.0 * run_up * position.y;
        if dimension == Dimension::Two {
            position.z = 0.0;
        }
        frame.id.push(frame.id.len() as u64);
        frame.position.push(position);
        frame.velocity.push(DVec3::new(speed * (1.0 - run_up), rise, 0.0));
        frame.density.push(1000.0);
        frame.pressure.push((9810.0 * (surface - position.y).max(0.0)) as f32);
    }
    frame
}

fn box_edges(dimension: Dimension) -> Vec<[DVec3; 2]> {
    let corner = |i: u32| HIGH * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1));
    let pairs =
        [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5), (4, 6), (5, 7), (6, 7), (0, 4), (1, 5), (2, 6), (3, 7)];
    let count = if dimension == Dimension::Three { 12 } else { 4 };
    pairs[..count].iter().map(|&(from, to)| [corner(from), corner(to)]).collect()
}
