//! What the command understands.

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use meniscus::geometry::shape::builtin;
use meniscus::run::OnShortage;
use std::path::PathBuf;

/// Simulates fluids and the solids they push against
#[derive(Debug, Parser)]
#[command(name = "meniscus", version, propagate_version = true, after_help = FIRST_STEPS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What a newcomer may try.
const FIRST_STEPS: &str = "\
First steps:
  meniscus list                        what there is to simulate
  meniscus run dam-break               simulate it; ends with a picture, an animation and a report in out/dam-break
  meniscus view out/dam-break          look at it from all sides in the browser
  meniscus render out/dam-break -o a.png --set camera.direction=[0,1,0.3]
                                       a picture from above";

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write the results to a folder
    Run(RunArgs),
    /// Go on with a run that was stopped or killed
    Resume(ResumeArgs),
    /// List the built-in scenes
    List,
    /// Check a scene and tell its size without simulating it
    Check(CheckArgs),
    /// Tell what is in the folder of a run, or what a mesh is like
    Info {
        /// The folder of a run, a mesh file (OBJ, PLY, STL, glTF, GLB), or the name of a built-in shape
        #[arg(value_name = "PATH")]
        path: PathBuf,
    },
    /// Show a run in the browser, also while it is going on
    View(ViewArgs),
    /// Render pictures or an animation of a run
    Render(RenderArgs),
    /// Find the surface of the fluid for every frame of a run
    Surface(SurfaceArgs),
    /// Write a run in the formats of Houdini, Blender and others
    Export(ExportArgs),
    /// Turn a scene of SPlisHSPlasH (JSON) into one of ours
    Import(ImportArgs),
    /// Run a scene with several boundary methods and pressure solvers and compare them
    Compare(CompareArgs),
    /// Run the small scenes of the papers and show what came out of them on one page
    Gallery(GalleryArgs),
    /// Measure what steps of scenes cost, as a whole and in parts
    Bench(BenchArgs),
    /// Place samples on the surface of a mesh, or inside of it, and tell how even they are
    Sample(SampleArgs),
    /// Compute the density map, volume map or distance field of a mesh, and draw a slice of it
    Map(MapArgs),
    /// Write a built-in shape as a mesh file
    Shape(ShapeArgs),
    /// Print the JSON schema of scene files, for editors
    Schema,
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Which scene.
#[derive(Debug, Args)]
pub struct SceneArgs {
    /// A scene file, or the name of a built-in scene
    pub scene: String,
    /// Change a key of the scene, such as `fluid.pressure.method=dfsph`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
}

/// How to simulate.
#[derive(Debug, Args)]
pub struct AdvanceArgs {
    /// Threads to compute with; if left out, one per core. Results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Stop after the first step that ends at this simulated time or later, in seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub until: Option<f64>,
    /// Stop when the run has this many steps, counted from its beginning
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Keep density and volume maps in this folder, and take them from there when they are needed again
    #[arg(long, value_name = "DIR")]
    pub map_cache: Option<PathBuf>,
    /// Begin even if the run will need more memory than the machine or its limit has
    #[arg(long)]
    pub force: bool,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

impl AdvanceArgs {
    /// What to do with a run that will need more memory than there is.
    pub fn on_shortage(&self) -> OnShortage {
        if self.force { OnShortage::Try } else { OnShortage::Refuse }
    }
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The folder for the results; if left out, `out/` and the name of the scene
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results of an earlier run in that folder
    #[arg(long)]
    pub overwrite: bool,
    /// Find and write the surface of the fluid for every frame, as `--set output.surface=true` does
    #[arg(long)]
    pub surface: bool,
    #[command(flatten)]
    pub advance: AdvanceArgs,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub advance: AdvanceArgs,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Compute density and volume maps as well, as a run would; for meshes this may take minutes
    #[arg(long)]
    pub maps: bool,
}

/// Arguments of `gallery`.
#[derive(Debug, Args)]
pub struct GalleryArgs {
    /// The folder for the runs and the page
    #[arg(long, short, value_name = "DIR", default_value = "out/gallery")]
    pub out: PathBuf,
    /// Only these scenes: a paper such as `becker-2009`, or a scene such as `becker-2009/vessel`
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pub only: Vec<String>,
    /// Run scenes again that are finished
    #[arg(long)]
    pub overwrite: bool,
    /// Fail, and name the claims, unless all claims hold
    #[arg(long)]
    pub check: bool,
    /// Keep density and volume maps in this folder, and take them from there when they are needed again
    #[arg(long, value_name = "DIR")]
    pub map_cache: Option<PathBuf>,
    /// Threads to compute with; if left out, one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Boundary methods for all bodies, values of `body.boundary.method`; if left out, all
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub boundary: Vec<String>,
    /// Pressure solvers, values of `fluid.pressure.method`; if left out, all
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub pressure: Vec<String>,
    /// The folder for tables and plot; if left out, `out/compare-` and the name of the scene
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub advance: AdvanceArgs,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Scene files, or names of built-in scenes
    #[arg(default_values_t = ["bench-dam-100k".to_owned()])]
    pub scene: Vec<String>,
    /// Change a key of the scenes, such as `fluid.pressure.method=iisph`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Pressure solvers, values of `fluid.pressure.method`; if left out, that of the scene
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub pressure: Vec<String>,
    /// Steps that are not counted
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub warm_up: u64,
    /// Steps that are counted
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// How often each part is measured; the median counts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: u32,
    /// Threads to compute with; if left out, one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Write the tables as Markdown
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The format of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SurfaceFormat {
    /// For ParaView, with normals and velocities
    Vtp,
    /// For Blender and others, with normals and velocities
    Ply,
    /// For everything, with normals
    Obj,
}

/// Arguments of `surface`.
#[derive(Debug, Args)]
pub struct SurfaceArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The formats to write
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [SurfaceFormat::Vtp])]
    pub format: Vec<SurfaceFormat>,
    /// The edge of the cubes in which triangles are found, in particle spacings
    #[arg(long, value_name = "NUMBER", value_parser = positive, default_value_t = 0.5)]
    pub cube: f64,
    /// How often vertices are smoothed
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(..=1000))]
    pub smoothing: u32,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The scene
    #[arg(value_name = "SCENE.json")]
    pub scene: PathBuf,
    /// The file for our scene; if left out, beside it with the ending .toml
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The port on this machine; 0 takes one that is free
    #[arg(long, value_name = "N", default_value_t = 7788)]
    pub port: u16,
}

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Particles for Houdini and Partio, a file for each frame
    Bgeo,
    /// Particles for many programs, a file for each frame
    Ply,
    /// Particles, bodies and the surface for Blender, Houdini and others, in one file
    Usda,
}

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The formats to write
    #[arg(long, value_enum, value_delimiter = ',', required = true)]
    pub format: Vec<ExportFormat>,
    /// The USD file; if left out, `scene.usda` in the folder
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Put the surface of the fluid into the USD file as well
    #[arg(long)]
    pub surface: bool,
}

/// A field that colours particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColourField {
    /// The speed
    Speed,
    /// The pressure
    Pressure,
    /// The density
    Density,
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where to: a picture of the last frame (`.png`), one of each frame (`%04d.png`) or an animation (`.gif`, `.apng`,
    /// `.mp4`); if left out, `animation.gif` in the folder
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Width and height in pixels, such as 1280x720
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,
    /// Show particles, coloured by this field, in place of water
    #[arg(long, value_name = "FIELD", value_enum)]
    pub particles: Option<ColourField>,
    /// Change a key of the scene's camera or light for these pictures, such as `camera.direction=[0,1,0.2]`
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// Only frames from this time on, in seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub from: Option<f64>,
    /// Only frames up to this time, in seconds
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub to: Option<f64>,
    /// Only every so many frames
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Pictures a second of an animation; if left out, as in reality, up to 20
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    pub rate: Option<f64>,
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let side = |text: &str| text.parse().ok().filter(|n| (1..=8192).contains(n));
    let sides = text.split_once('x').and_then(|(w, h)| Some([side(w)?, side(h)?]));
    sides.ok_or_else(|| "must be two numbers from 1 to 8192, such as 1280x720".to_owned())
}

/// How `sample` places samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// On vertices, edges and lines across triangles; fastest
    Scanline,
    /// The same with counts rounded down: fewer samples, with gaps where edges are short
    ScanlineDown,
    /// Seven places on triangles cut into four
    SevenPoint,
    /// Random places with a least distance
    Poisson,
    /// Random places that were moved apart; most even
    Relaxed,
    /// A lattice inside
    Volume,
    /// A lattice inside and samples on the surface, moved apart
    VolumeRelaxed,
}

/// Arguments of `sample`.
#[derive(Debug, Args)]
pub struct SampleArgs {
    /// A mesh file, or the name of a built-in shape
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,
    /// How to place samples
    #[arg(long, value_enum, default_value_t = Method::Scanline)]
    pub method: Method,
    /// About the distance of samples, in metres
    #[arg(long, value_name = "LENGTH")]
    pub spacing: f64,
    /// How far below the surface they are, in metres
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0)]
    pub depth: f64,
    /// Sample the section with the plane z = 0
    #[arg(long)]
    pub planar: bool,
    /// The seed of random methods
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Write the samples as PLY, with their volumes and number densities
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Draw the samples as PNG, coloured by their number density
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

/// Arguments of `map`.
#[derive(Debug, Args)]
pub struct MapArgs {
    /// The mesh
    pub mesh: PathBuf,
    /// What to compute
    #[arg(long, value_enum, default_value_t = MapField::Density)]
    pub kind: MapField,
    /// The kernel's support radius, in metres
    #[arg(long, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true, conflicts_with = "spacing")]
    pub support: Option<f64>,
    /// The distance of fluid particles, in metres; the support radius is two of it
    #[arg(long, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true)]
    pub spacing: Option<f64>,
    /// The edge length of cells, in metres; if left out, half the support radius
    #[arg(long, value_name = "LENGTH", value_parser = positive, allow_negative_numbers = true)]
    pub cell: Option<f64>,
    /// The kernel
    #[arg(long, value_enum, default_value_t = MapKernel::CubicSpline)]
    pub kernel: MapKernel,
    /// The fluid is inside of the mesh
    #[arg(long)]
    pub container: bool,
    /// How the body's density ends at its surface
    #[arg(long, value_enum, default_value_t = MapExtension::Flush)]
    pub extension: MapExtension,
    /// The error allowed at a node, in units of the rest density
    #[arg(long, value_name = "NUMBER", value_parser = positive, allow_negative_numbers = true, default_value_t = 1e-4)]
    pub tolerance: f64,
    /// Keep the result in this folder, or take it from there
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Draw a slice into this PNG file
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The axis that the slice is perpendicular to
    #[arg(long, value_enum, default_value_t = MapAxis::Z)]
    pub axis: MapAxis,
    /// Where on that axis the slice is, in metres; if left out, in the middle of the mesh
    #[arg(long, value_name = "POSITION", allow_negative_numbers = true)]
    pub at: Option<f64>,
}

/// What `map` computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapField {
    /// The body's share of a fluid particle's density
    Density,
    /// The volume of the body within the support radius
    Volume,
    /// The signed distance
    Distance,
}

/// Kernels of `map`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapKernel {
    /// The cubic spline
    CubicSpline,
    /// Wendland's C2 kernel
    WendlandC2,
}

/// Profiles of `map`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapExtension {
    /// At the surface
    Flush,
    /// A support radius outside of it, as in Koschier and Bender 2017
    Inflated,
    /// A support radius outside of it, smoothly, as in Bender et al. 2019
    Smooth,
}

/// Axes of `map`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MapAxis {
    /// x
    X,
    /// y
    Y,
    /// z
    Z,
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("must be finite and positive".to_owned()) }
}

/// Arguments of `shape`.
#[derive(Debug, Args)]
pub struct ShapeArgs {
    /// Which shape
    #[arg(value_parser = PossibleValuesParser::new(builtin::NAMES))]
    pub name: String,
    /// The file, whose name ends in .obj, .ply or .stl
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
}

fn seconds(text: &str) -> Result<f64, String> {
    let time: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if time.is_finite() && time >= 0.0 { Ok(time) } else { Err("must be finite and not negative".to_owned()) }
}
