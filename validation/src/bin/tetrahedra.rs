//! How good tetrahedra of closed surfaces are: their angles, their volume, and the time they take.

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use glam::{DQuat, DVec3};
use meniscus_geometry::shape::builtin::{BoxMesh, Duck, SphereMesh, Torus};
use meniscus_geometry::tetra::{Embedding, TetMesh};
use meniscus_geometry::{MeshShape, TriangleMesh};

/// Fills built-in shapes, or a mesh, with tetrahedra of several sizes
#[derive(Debug, Parser)]
struct Args {
    /// A mesh to fill besides the built-in ones
    #[arg(long, value_name = "FILE")]
    mesh: Option<std::path::PathBuf>,
}

fn main() -> Result<()> {
    let turn = DQuat::from_axis_angle(DVec3::new(2.0, 1.0, -2.0) / 3.0, 0.7);
    let turned = |mut mesh: TriangleMesh| {
        mesh.vertex.iter_mut().for_each(|v| *v = turn * *v);
        mesh
    };
    let block = |size: DVec3| BoxMesh { size, segments: 1 }.mesh();
    let mut shapes = vec![
        ("ball", SphereMesh { radius: 0.5, segments: 96 }.mesh()?, 0.5),
        ("torus", Torus { radius: 0.5, tube: 0.2, segments: 96 }.mesh()?, 0.4),
        ("duck", Duck { length: 1.0, triangles: 2160 }.mesh()?, 0.5),
        ("beam 1 × 0.2 × 0.1 m", block(DVec3::new(1.0, 0.2, 0.1))?, 0.4),
        ("box, turned", turned(block(DVec3::new(1.0, 0.7, 0.4))?), 0.5),
        ("plate of 4 cm, turned", turned(block(DVec3::new(0.6, 0.04, 0.6))?), 0.16),
    ];
    if let Some(path) = Args::parse().mesh {
        let mesh = TriangleMesh::read(&path)?;
        let size = mesh.bounds().size().max_element();
        shapes.push(("mesh", mesh, 0.5 * size));
    }
    println!("| shape | size | tetrahedra | angles | volume | farthest drawn vertex | time |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, mesh, coarsest) in shapes {
        let shape = MeshShape::new(mesh)?;
        for size in [0.25, 0.125, 0.0625].map(|part| part * coarsest) {
            let start = Instant::now();
            match TetMesh::fill(&shape, size) {
                Ok((mesh, report)) => {
                    let time = start.elapsed().as_secs_f64();
                    let far = Embedding::of(&mesh, &shape.mesh().vertex, 2.0 * size)
                        .map_or(f64::NAN, |e| e.farthest);
                    println!(
                        "| {name} | {size:.4} m | {} | {:.1}° to {:.1}° | {:+.2} % | {:.1} mm | {time:.2} s |",
                        report.tetrahedra,
                        report.smallest_angle,
                        report.largest_angle,
                        100.0 * report.volume_error(),
                        1e3 * far,
                    );
                }
                Err(error) => println!("| {name} | {size:.4} m | {error} | | | | |"),
            }
        }
    }
    Ok(())
}
