//! Particles as classic binary BGEO (version 5), which Houdini and Partio read.
//!
//! Everything is big-endian. A header counts points and attributes; each attribute has a name, a size, a type and
//! defaults; then each point has four homogeneous coordinates and its attributes, all in 32 bits. Attributes are `v`
//! (velocity, which Houdini blurs by), `id`, `density` and `pressure`. Ids are exact up to 2^31.

use std::io::{self, Write};
use std::path::Path;

use meniscus_core::ParticleFrame;

use crate::{OutputError, atomic, frame};

const VERSION: i32 = 5;
/// Types of attributes.
const FLOAT: i32 = 0;
const INTEGER: i32 = 1;
const VECTOR: i32 = 5;
/// What ends a file: there are no further sections.
const END: [u8; 2] = [0x00, 0xFF];

/// Name, number of values, type.
const ATTRIBUTES: [(&str, i16, i32); 4] =
    [("v", 3, VECTOR), ("id", 1, INTEGER), ("density", 1, FLOAT), ("pressure", 1, FLOAT)];

/// Writes a frame as BGEO, atomically.
///
/// # Errors
/// [`OutputError::UnevenFrame`] for columns of different length, else [`OutputError::Io`], also for more than 2^31
/// particles.
pub fn write(path: &Path, particles: &ParticleFrame) -> Result<(), OutputError> {
    frame::check(path, particles)?;
    atomic::write_with(path, |out| {
        let count = i32::try_from(particles.position.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        write_header(out, count)?;
        (0..particles.position.len()).try_for_each(|i| write_point(out, particles, i))?;
        out.write_all(&END)
    })
}

fn write_header(out: &mut dyn Write, points: i32) -> io::Result<()> {
    out.write_all(b"BgeoV")?;
    // Points, primitives, groups of points and primitives; attributes of points, vertices, primitives and the whole.
    let counts = [VERSION, points, 0, 0, 0, ATTRIBUTES.len() as i32, 0, 0, 0];
    counts.iter().try_for_each(|n| out.write_all(&n.to_be_bytes()))?;
    for (name, size, kind) in ATTRIBUTES {
        out.write_all(&(name.len() as u16).to_be_bytes())?;
        out.write_all(name.as_bytes())?;
        out.write_all(&size.to_be_bytes())?;
        out.write_all(&kind.to_be_bytes())?;
        // All defaults are zero.
        (0..size).try_for_each(|_| out.write_all(&[0; 4]))?;
    }
    Ok(())
}

fn write_point(out: &mut dyn Write, particles: &ParticleFrame, i: usize) -> io::Result<()> {
    let (x, v) = (particles.position[i].as_vec3(), particles.velocity[i].as_vec3());
    let numbers = [x.x, x.y, x.z, 1.0, v.x, v.y, v.z];
    numbers.iter().try_for_each(|n| out.write_all(&n.to_be_bytes()))?;
    out.write_all(&(particles.id[i] as i32).to_be_bytes())?;
    [particles.density[i], particles.pressure[i]].iter().try_for_each(|n| out.write_all(&n.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn the_file_is_as_long_as_its_header_says() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fluid_000000.bgeo");
        let particles = ParticleFrame {
            id: vec![7, 8],
            position: vec![DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO],
            velocity: vec![DVec3::X, DVec3::Y],
            density: vec![1000.0; 2],
            pressure: vec![5.0; 2],
            ..ParticleFrame::default()
        };
        write(&path, &particles).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let names: usize = ATTRIBUTES.iter().map(|(name, size, _)| 8 + name.len() + 4 * *size as usize).sum();
        let header = 5 + 9 * 4 + names;
        assert_eq!(bytes.len(), header + 2 * (4 + 6) * 4 + 2);
        assert_eq!(bytes[header..header + 4], 1.0_f32.to_be_bytes());
        assert_eq!(bytes[header + 28..header + 32], 7_i32.to_be_bytes());
    }
}
