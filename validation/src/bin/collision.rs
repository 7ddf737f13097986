//! Counts what passes through what in meshes, and measures how long that and the search for near pairs take.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use glam::{DQuat, DVec3};
use meniscus_geometry::TriangleMesh;
use meniscus_geometry::collision::{
    CollisionSurface, SweptTree, first_approach, intersections, intersections_in,
};

/// Exact intersections of meshes, and the time that pairs take
#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Prints how many edges of each mesh meet a triangle with which they share no vertex
    Intersections {
        /// Meshes; vertices and triangles are taken as they are
        mesh: Vec<PathBuf>,
        /// Also prints the vertices of each such edge and the number of the triangle
        #[arg(long)]
        list: bool,
    },
    /// Measures refits, pairs and collision times of sheets on one thread
    Timing {
        /// Squares along the edge of the sheets
        #[arg(long, default_value_t = 224)]
        squares: u32,
    },
}

fn main() -> Result<()> {
    match Args::parse().part {
        Part::Intersections { mesh, list } => mesh.iter().try_for_each(|path| count(path, list)),
        Part::Timing { squares } => {
            rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| timing(squares));
            Ok(())
        }
    }
}

fn count(path: &Path, list: bool) -> Result<()> {
    let mesh = TriangleMesh::read(path).context("the mesh cannot be read")?;
    let surface = CollisionSurface::new(mesh.vertex.len(), &mesh.triangle, &[]);
    let found = intersections(&surface, &mesh.vertex, &[]);
    println!("{} {}", found.len(), path.display());
    for i in found.iter().filter(|_| list) {
        println!("  {} {} {}", i.edge[0], i.edge[1], i.triangle);
    }
    Ok(())
}

/// A sheet of 2 m × 2 m that moves by 3 mm: tilted, flat along the axes, and in eight layers 2 to 4 mm apart.
fn timing(squares: u32) {
    let tilt = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let shapes: [(&str, &dyn Fn(DVec3) -> DVec3); 3] =
        [("tilted", &|x| tilt * x), ("flat", &|x| x), ("folded", &folded)];
    println!("| sheet | triangles | refit | pairs | pairs and their times | exact test | pairs found |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, shape) in shapes {
        let (position, triangle) = sheet(squares, shape);
        let surface = CollisionSurface::new(position.len(), &triangle, &[]);
        let mut tree = SweptTree::new(&surface, &position, &[]);
        let end: Vec<DVec3> = position.iter().map(|x| *x + DVec3::new(1e-3, -3e-3, 5e-4)).collect();
        let mut lists = Vec::new();
        let quad = |vertex: [u32; 4], x: &[DVec3]| vertex.map(|v| x[v as usize]);
        let refit = best(|| tree.refit(&position, &end, |_| 1e-4));
        let pairs = best(|| tree.visit_pairs(&mut lists, |pair, list| list.push(pair)));
        let found: usize = lists.iter().map(Vec::len).sum();
        let times = best(|| {
            tree.visit_pairs(&mut lists, |pair, list| {
                let (start, end) = (quad(pair.vertex, &position), quad(pair.vertex, &end));
                if first_approach(pair.kind, start, end, 1e-5).is_some() {
                    list.push(pair);
                }
            });
        });
        let exact = best(|| assert!(intersections_in(&tree, &position).is_empty()));
        println!(
            "| {name} | {} | {refit:.1} ms | {pairs:.0} ms | {times:.0} ms | {exact:.0} ms | {found} |",
            triangle.len()
        );
    }
}

/// The shortest of five times `[ms]`.
fn best(mut run: impl FnMut()) -> f64 {
    let once = |()| {
        let start = Instant::now();
        run();
        1e3 * start.elapsed().as_secs_f64()
    };
    [(); 5].map(once).into_iter().fold(f64::INFINITY, f64::min)
}

fn folded(x: DVec3) -> DVec3 {
    let width = 0.25;
    let layer = ((x.x + 1.0) / width).floor().min(7.0);
    let along = x.x + 1.0 - layer * width;
    let back = if layer % 2.0 == 0.0 { along } else { width - along };
    DVec3::new(back, 0.004 * (x.x + 1.0) / width + 0.002 * (20.0 * x.z).sin(), x.z)
}

fn sheet(squares: u32, shape: &dyn Fn(DVec3) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: u32| 2.0 * f64::from(i) / f64::from(squares) - 1.0;
    let place = |i, j| shape(DVec3::new(at(i), 0.0, at(j)));
    let position = (0..=squares).flat_map(|i| (0..=squares).map(move |j| place(i, j))).collect();
    let corner = |i, j| i * (squares + 1) + j;
    let cells = (0..squares).flat_map(|i| (0..squares).map(move |j| (i, j)));
    let halves = |(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    (position, cells.flat_map(halves).collect())
}
