//! Reading back the VTK files that this crate writes; those of other programs are refused.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::OutputError;

/// The most bytes that one array may have `[byte]`.
const MAX_ARRAY: usize = 1 << 31;
/// The most bytes that one of its blocks may have; ours are smaller `[byte]`.
const MAX_BLOCK: u64 = 1 << 20;
/// What stands between the header and the arrays.
const MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n   _";

/// A file: its header as text, its arrays still compressed.
pub(crate) struct VtkFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// Where the header ends.
    split: usize,
}

impl VtkFile {
    /// Reads a file.
    pub(crate) fn open(path: &Path) -> Result<Self, OutputError> {
        let bytes = std::fs::read(path).map_err(OutputError::io("read", path))?;
        let split = bytes.windows(MARK.len()).position(|w| w == MARK);
        let mut file = Self { path: path.to_path_buf(), bytes, split: 0 };
        file.split = split.ok_or_else(|| file.damaged("it is no VTK file of a run"))?;
        Ok(file)
    }

    /// The error that this file is not what it should be.
    pub(crate) fn damaged(&self, what: &str) -> OutputError {
        OutputError::io("read", &self.path)(std::io::Error::new(std::io::ErrorKind::InvalidData, what))
    }

    fn header(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.split]).unwrap_or_default()
    }

    /// A number that stands in the header as text, such as `TimeValue`.
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        let (_, rest) = self.header().split_once(&format!("Name=\"{name}\""))?;
        let (_, rest) = rest.split_once('>')?;
        rest.split_once('<')?.0.trim().parse().ok()
    }

    /// The bytes of the array of that name.
    pub(crate) fn bytes_of(&self, name: &str) -> Result<Vec<u8>, OutputError> {
        self.find(name).ok_or_else(|| self.damaged(&format!("the array `{name}` is missing or damaged")))
    }

    fn find(&self, name: &str) -> Option<Vec<u8>> {
        let data = self.bytes.get(self.split + MARK.len()..)?;
        let (_, rest) = self.header().split_once(&format!("Name=\"{name}\""))?;
        let (_, rest) = rest.split_once("offset=\"")?;
        let start: usize = rest.split_once('"')?.0.parse().ok()?;
        let word = |k: usize| {
            let from = start.checked_add(8 * k)?;
            Some(u64::from_le_bytes(data.get(from..from.checked_add(8)?)?.try_into().ok()?) as usize)
        };
        let blocks = word(0)?;
        let mut place = start.checked_add(24)?.checked_add(blocks.checked_mul(8)?)?;
        let mut packed = Vec::new();
        for block in 0..blocks {
            let end = place.checked_add(word(3 + block)?)?;
            packed.push(data.get(place..end)?);
            place = end;
        }
        let unpack = |bytes: &&[u8]| {
            let mut block = Vec::new();
            ZlibDecoder::new(*bytes).take(MAX_BLOCK).read_to_end(&mut block).ok().map(|_| block)
        };
        let unpacked: Vec<Vec<u8>> = packed.par_iter().map(unpack).collect::<Option<_>>()?;
        if unpacked.iter().map(Vec::len).sum::<usize>() > MAX_ARRAY {
            return None;
        }
        let all = unpacked.concat();
        Some(all)
    }

    /// An array of 64-bit floats.
    pub(crate) fn doubles(&self, name: &str) -> Result<Vec<f64>, OutputError> {
        let value = |b: &[u8]| b.try_into().map_or(0.0, f64::from_le_bytes);
        Ok(self.bytes_of(name)?.chunks_exact(8).map(value).collect())
    }

    /// An array of 32-bit floats.
    pub(crate) fn floats(&self, name: &str) -> Result<Vec<f32>, OutputError> {
        let value = |b: &[u8]| b.try_into().map_or(0.0, f32::from_le_bytes);
        Ok(self.bytes_of(name)?.chunks_exact(4).map(value).collect())
    }

    /// An array of triples of 64-bit floats.
    pub(crate) fn points(&self, name: &str) -> Result<Vec<DVec3>, OutputError> {
        Ok(self.doubles(name)?.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    /// An array of triples of 32-bit floats.
    pub(crate) fn vectors(&self, name: &str) -> Result<Vec<Vec3>, OutputError> {
        Ok(self.floats(name)?.chunks_exact(3).map(Vec3::from_slice).collect())
    }
}
