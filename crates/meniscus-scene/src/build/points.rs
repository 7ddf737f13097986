//! Particle files: places that another program, or an earlier run, has left as classic BGEO (version 5), plain or
//! packed by gzip. Only the places are taken.
//!
//! All numbers are big-endian. A head of nine 32-bit numbers (the version, then counts of points, primitives, groups
//! and attributes) is followed by the description of each attribute of points, then for each point by x, y, z, w and
//! its attributes.

use super::fluid::Volume;
use super::mesh::rotation;
use super::problem::BuildProblem;
use crate::model::{ParticleFile, Scene};
use flate2::read::MultiGzDecoder;
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::Aabb;
use std::io::Read;
use std::path::Path;

/// The largest file that is read, packed or not `[byte]`.
const MAX_FILE: u64 = 1 << 31;

/// The particles of a file where the scene wants them; `key` is that of the source.
pub(super) fn volume(scene: &Scene, file: &ParticleFile, key: &str) -> Result<Volume, BuildProblem> {
    let problem = |what: String| BuildProblem {
        key: format!("{key}.path"),
        message: format!("{}: {what}", file.path.file_name().unwrap_or_default().to_string_lossy()),
        label: "these particles cannot be used".to_owned(),
        help: "give a file of particles as classic BGEO, such as `meniscus export DIR --format bgeo` writes"
            .to_owned(),
    };
    let bytes = load(&file.path).map_err(problem)?;
    let (scale, turn) = (DVec3::from(file.scale.factors()), rotation(file.rotation.as_ref()));
    let placed = |x: DVec3| turn * (x * scale) + DVec3::from(file.translation);
    let mut position: Vec<DVec3> = read_particles(&bytes).map_err(problem)?.into_iter().map(placed).collect();
    if scene.dimension == Dimension::Two {
        for x in &mut position {
            x.z = 0.0;
        }
    }
    let centre =
        if position.is_empty() { DVec3::ZERO } else { Aabb::of_points(position.iter().copied()).centre() };
    Ok(Volume { centre, position })
}

/// The content of a file.
fn load(path: &Path) -> Result<Vec<u8>, String> {
    whole(&mut std::fs::File::open(path).map_err(|e| e.to_string())?)
}

/// All that a source holds, if it is not too much.
fn whole(source: &mut dyn Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let length = source.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if length as u64 > MAX_FILE { Err(format!("more than {MAX_FILE} bytes")) } else { Ok(bytes) }
}

/// The places of the particles in a file of classic BGEO (version 5), plain or packed by gzip `[m]`.
///
/// # Errors
/// What is wrong with the file.
pub fn read_particles(file: &[u8]) -> Result<Vec<DVec3>, String> {
    if file.starts_with(&[0x1f, 0x8b]) {
        places(&whole(&mut MultiGzDecoder::new(file))?)
    } else {
        places(file)
    }
}

/// What is left of a file.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("the file ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn short(&mut self) -> Result<usize, String> {
        Ok(self.take(2)?.iter().fold(0, |n, byte| n << 8 | usize::from(*byte)))
    }

    fn long(&mut self) -> Result<usize, String> {
        Ok(self.take(4)?.iter().fold(0, |n, byte| n << 8 | usize::from(*byte)))
    }
}

/// The places of all particles.
fn places(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
    let mut rest = Rest(bytes);
    if rest.take(5).ok() != Some(b"BgeoV") || rest.long()? != 5 {
        return Err("this is no classic BGEO of version 5".to_owned());
    }
    let count = rest.long()?;
    // Primitives, two kinds of groups.
    rest.take(12)?;
    let attributes = rest.long()?;
    // Attributes of vertices, primitives and the whole.
    rest.take(12)?;
    // Each point has four numbers for its place, then its attributes.
    let mut numbers = 4_usize;
    for _ in 0..attributes {
        numbers = numbers.saturating_add(attribute(&mut rest)?);
    }
    let length = count.checked_mul(numbers).and_then(|n| n.checked_mul(4));
    let points = rest.take(length.ok_or("the file is too large")?)?;
    let place = |point: &[u8]| {
        let number = |k: usize| point[4 * k..4 * k + 4].try_into().map_or(f32::NAN, f32::from_be_bytes);
        DVec3::new(number(0).into(), number(1).into(), number(2).into())
    };
    let found: Vec<DVec3> = points.chunks_exact(4 * numbers).map(place).collect();
    match found.iter().position(|x| !x.is_finite()) {
        Some(k) => Err(format!("the place of particle {k} is not finite")),
        None => Ok(found),
    }
}

/// Reads the description of an attribute and tells how many numbers of 32 bits each point has of it.
fn attribute(rest: &mut Rest<'_>) -> Result<usize, String> {
    let length = rest.short()?;
    rest.take(length)?;
    let size = rest.short()?;
    match rest.long()? {
        // Floats, integers, vectors: a default for each number.
        0 | 1 | 5 => rest.take(4 * size).map(|_| size),
        // Numbers of words in a list.
        4 => {
            for _ in 0..rest.long()? {
                let length = rest.short()?;
                rest.take(length)?;
            }
            Ok(size)
        }
        other => Err(format!("it has an attribute of unknown type {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two particles with a vector and a word as attributes.
    fn file() -> Vec<u8> {
        let mut bytes = b"BgeoV".to_vec();
        let long = |bytes: &mut Vec<u8>, n: u32| bytes.extend(n.to_be_bytes());
        for n in [5, 2, 0, 0, 0, 2, 0, 0, 0] {
            long(&mut bytes, n);
        }
        bytes.extend(b"\0\x01v\0\x03");
        for n in [5, 0, 0, 0] {
            long(&mut bytes, n);
        }
        bytes.extend(b"\0\x04name\0\x01");
        for n in [4, 1] {
            long(&mut bytes, n);
        }
        bytes.extend(b"\0\x02ab");
        for k in 0..2_u8 {
            let numbers = [f32::from(k), 2.0, -3.0, 1.0, 9.0, 9.0, 9.0];
            bytes.extend(numbers.into_iter().flat_map(f32::to_be_bytes));
            long(&mut bytes, 0);
        }
        bytes
    }

    #[test]
    fn places_are_read() {
        assert_eq!(places(&file()).unwrap(), [DVec3::new(0.0, 2.0, -3.0), DVec3::new(1.0, 2.0, -3.0)]);
    }

    #[test]
    fn every_cut_is_an_error_and_no_byte_a_panic() {
        let whole = file();
        for length in 0..whole.len() {
            assert!(places(&whole[..length]).is_err(), "{length}");
        }
        for k in 0..whole.len() {
            for value in [0, 1, 127, 255] {
                let mut odd = whole.clone();
                odd[k] = value;
                let _ = places(&odd);
            }
        }
    }
}
