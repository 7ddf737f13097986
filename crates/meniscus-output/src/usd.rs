//! A run as USD text (`.usda`) with time samples: particles, the surface of the fluid, and bodies with their places.
//!
//! One frame after the other goes into a [`UsdWriter`]. USD wants all samples of an attribute together, so each
//! attribute is gathered in a temporary file, and all are put together at the end; memory holds one frame. Coordinates
//! are the scene's: y up, metres. Time codes are the numbers of frames.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use glam::{DMat4, DVec3, Vec3};
use meniscus_core::ParticleFrame;
use meniscus_surface::FluidSurface;

use crate::glb::{BodyMesh, BodyNode, BodyPlaces};
use crate::{OutputError, atomic};

/// Attributes of the particles and of the surface, with their types.
const PARTICLES: [(&str, &str); 5] = [
    ("point3f[]", "points"),
    ("vector3f[]", "velocities"),
    ("int64[]", "ids"),
    ("float[]", "primvars:density"),
    ("float[]", "primvars:pressure"),
];
const SURFACE: [(&str, &str); 4] = [
    ("int[]", "faceVertexCounts"),
    ("int[]", "faceVertexIndices"),
    ("point3f[]", "points"),
    ("vector3f[]", "velocities"),
];

/// The samples of an attribute, in a temporary file.
struct Samples(BufWriter<File>);

impl Samples {
    fn new() -> io::Result<Self> {
        Ok(Self(BufWriter::with_capacity(1 << 18, tempfile::tempfile()?)))
    }

    fn add<T>(
        &mut self,
        code: u32,
        values: impl Iterator<Item = T>,
        show: impl Fn(&mut String, T),
    ) -> io::Result<()> {
        let mut text = format!("            {code}: [");
        for (k, value) in values.enumerate() {
            if k > 0 {
                text += ", ";
            }
            show(&mut text, value);
            if text.len() > 1 << 16 {
                self.0.write_all(text.as_bytes())?;
                text.clear();
            }
        }
        text += "],\n";
        self.0.write_all(text.as_bytes())
    }

    fn copy_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.0.flush()?;
        let file = self.0.get_mut();
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = vec![0; 1 << 18];
        loop {
            match file.read(&mut bytes)? {
                0 => return Ok(()),
                n => out.write_all(&bytes[..n])?,
            }
        }
    }
}

/// Gathers frames and writes them.
pub struct UsdWriter {
    spacing: f64,
    rate: f64,
    particles: Vec<Samples>,
    surface: Vec<Samples>,
    has_surface: bool,
    codes: Vec<u32>,
    places: Vec<(u32, BodyPlaces)>,
}

impl UsdWriter {
    /// For particles at this distance `[m]` and so many frames a second `[1/s]`.
    ///
    /// # Errors
    /// [`OutputError::Io`] when no temporary file can be had.
    pub fn new(spacing: f64, rate: f64) -> Result<Self, OutputError> {
        let files = |n: usize| (0..n).map(|_| Samples::new()).collect::<io::Result<Vec<_>>>();
        let made = files(PARTICLES.len()).and_then(|p| Ok((p, files(SURFACE.len())?)));
        let (particles, surface) = made.map_err(OutputError::io("create", &std::env::temp_dir()))?;
        Ok(Self {
            spacing,
            rate,
            particles,
            surface,
            has_surface: false,
            codes: Vec::new(),
            places: Vec::new(),
        })
    }

    /// Adds a frame: its particles, the surface if there is one, and where bodies are.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the temporary folder is full.
    pub fn add(
        &mut self,
        frame: &ParticleFrame,
        surface: Option<&FluidSurface>,
        places: BodyPlaces,
    ) -> Result<(), OutputError> {
        self.codes.push(frame.index);
        self.places.push((frame.index, places));
        let added = self.add_particles(frame).and_then(|()| match surface {
            Some(surface) => self.add_surface(frame.index, surface),
            None => Ok(()),
        });
        added.map_err(OutputError::io("write", &std::env::temp_dir()))
    }

    fn add_particles(&mut self, frame: &ParticleFrame) -> io::Result<()> {
        let code = frame.index;
        let [points, velocities, ids, density, pressure] = &mut self.particles[..] else { return Ok(()) };
        points.add(code, frame.position.iter(), |text, x| vector(text, x.as_vec3()))?;
        velocities.add(code, frame.velocity.iter(), |text, v| vector(text, v.as_vec3()))?;
        ids.add(code, frame.id.iter(), put)?;
        density.add(code, frame.density.iter(), |text, x| number(text, *x))?;
        pressure.add(code, frame.pressure.iter(), |text, x| number(text, *x))
    }

    fn add_surface(&mut self, code: u32, surface: &FluidSurface) -> io::Result<()> {
        self.has_surface = true;
        let [counts, corners, points, velocities] = &mut self.surface[..] else { return Ok(()) };
        counts.add(code, surface.triangle.iter(), |text, _| text.push('3'))?;
        corners.add(code, surface.triangle.iter().flatten(), put)?;
        points.add(code, surface.vertex.iter(), |text, x| vector(text, x.as_vec3()))?;
        velocities.add(code, surface.velocity.iter(), |text, v| vector(text, *v))
    }

    /// Writes the file, atomically, with these bodies.
    ///
    /// # Errors
    /// [`OutputError::Io`] when it cannot be written.
    pub fn finish(
        mut self,
        path: &Path,
        meshes: &[BodyMesh],
        bodies: &[BodyNode],
    ) -> Result<(), OutputError> {
        let (first, last) =
            (self.codes.first().copied().unwrap_or(0), self.codes.last().copied().unwrap_or(0));
        atomic::write_with(path, |out| {
            write!(
                out,
                "#usda 1.0\n(\n    defaultPrim = \"scene\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    \
                 timeCodesPerSecond = {}\n    startTimeCode = {first}\n    endTimeCode = {last}\n)\n\n\
                 def Xform \"scene\"\n{{\n",
                self.rate
            )?;
            if self.codes.is_empty() {
                return out.write_all(b"}\n");
            }
            writeln!(out, "    def Points \"fluid\"\n    {{")?;
            let width = self.spacing;
            writeln!(
                out,
                "        float[] widths = [{width}] (\n            interpolation = \"constant\"\n        )"
            )?;
            attributes(out, &PARTICLES, &mut self.particles)?;
            out.write_all(b"    }\n")?;
            if self.has_surface {
                writeln!(
                    out,
                    "    def Mesh \"surface\"\n    {{\n        uniform token subdivisionScheme = \"none\""
                )?;
                attributes(out, &SURFACE, &mut self.surface)?;
                out.write_all(b"    }\n")?;
            }
            write_bodies(out, meshes, bodies, &self.places)?;
            out.write_all(b"}\n")
        })
    }
}

fn attributes(out: &mut dyn Write, names: &[(&str, &str)], samples: &mut [Samples]) -> io::Result<()> {
    for ((kind, name), samples) in names.iter().zip(samples) {
        writeln!(out, "        {kind} {name}.timeSamples = {{")?;
        samples.copy_to(out)?;
        out.write_all(b"        }\n")?;
    }
    Ok(())
}

fn write_bodies(
    out: &mut dyn Write,
    meshes: &[BodyMesh],
    bodies: &[BodyNode],
    places: &[(u32, BodyPlaces)],
) -> io::Result<()> {
    for (k, body) in bodies.iter().enumerate() {
        let Some(mesh) = meshes.get(body.mesh as usize).filter(|mesh| !mesh.triangle.is_empty()) else {
            continue;
        };
        let mut text = format!(
            "    def Xform \"body_{k}_{}\"\n    {{\n        uniform token[] xformOpOrder = [\"xformOp:transform\"]\n",
            plain(&body.name)
        );
        text += "        matrix4d xformOp:transform.timeSamples = {\n";
        for (code, places) in places {
            let Some(place) = places.get(k) else { continue };
            // A body that is not there has no size.
            let size = DVec3::splat(f64::from(u8::from(place.present)));
            // USD multiplies rows by matrices, which are transposed to ours; columns of ours are thus its rows.
            let columns = DMat4::from_scale_rotation_translation(size, place.rotation, place.position)
                .to_cols_array_2d();
            let row = |r: &[f64; 4]| format!("({}, {}, {}, {})", r[0], r[1], r[2], r[3]);
            put(
                &mut text,
                format_args!("            {code}: ( {} ),\n", columns.each_ref().map(row).join(", ")),
            );
        }
        text += "        }\n        def Mesh \"mesh\"\n        {\n            uniform token subdivisionScheme = \"none\"\n";
        text += "            int[] faceVertexCounts = [";
        text += &vec!["3"; mesh.triangle.len()].join(", ");
        let corners: Vec<String> = mesh.triangle.iter().flatten().map(ToString::to_string).collect();
        put(&mut text, format_args!("]\n            int[] faceVertexIndices = [{}]\n", corners.join(", ")));
        text += "            point3f[] points = [";
        for (i, x) in mesh.vertex.iter().enumerate() {
            text += if i > 0 { ", " } else { "" };
            vector(&mut text, x.as_vec3());
        }
        text += "]\n        }\n    }\n";
        out.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// A name of letters, digits and underscores, as USD wants it.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn put(text: &mut String, value: impl std::fmt::Display) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{value}");
}

/// A number as USD reads it; what is not finite becomes zero.
fn number(text: &mut String, x: f32) {
    put(text, if x.is_finite() { x } else { 0.0 });
}

fn vector(text: &mut String, v: Vec3) {
    text.push('(');
    for (k, x) in v.to_array().into_iter().enumerate() {
        if k > 0 {
            text.push_str(", ");
        }
        number(text, x);
    }
    text.push(')');
}
