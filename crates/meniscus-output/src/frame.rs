//! What the frame writers share: names, checks, and columns as little-endian bytes.

use std::path::Path;

use glam::DVec3;
use meniscus_core::ParticleFrame;

use crate::OutputError;

/// What a frame shows; the beginning of its file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Fluid,
    Bodies,
    Surface,
    Deformable,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Fluid => "fluid",
            Self::Bodies => "bodies",
            Self::Surface => "surface",
            Self::Deformable => "deformable",
        }
    }

    /// The extension of the files that its collection names.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Fluid | Self::Bodies => "vtu",
            Self::Surface | Self::Deformable => "vtp",
        }
    }
}

/// The name of a frame's file inside the run's folder.
pub(crate) fn relative_name(kind: Kind, index: u32, extension: &str) -> String {
    format!("frames/{}_{index:06}.{extension}", kind.name())
}

/// The number in a frame's file name, and nothing for other names.
pub(crate) fn index_of(name: &str) -> Option<u32> {
    let (kind, rest) = name.split_once('_')?;
    let (digits, extension) = rest.split_once('.')?;
    let ours =
        [Kind::Fluid, Kind::Bodies, Kind::Surface, Kind::Deformable].iter().any(|known| known.name() == kind);
    if !ours || !["vtu", "ply", "vtp", "obj", "bgeo"].contains(&extension) {
        return None;
    }
    let plain = digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Refuses a frame whose columns differ in length, before anything is written.
pub(crate) fn check(path: &Path, frame: &ParticleFrame) -> Result<(), OutputError> {
    let expected = frame.position.len();
    let columns = [
        ("id", frame.id.len()),
        ("velocity", frame.velocity.len()),
        ("density", frame.density.len()),
        ("pressure", frame.pressure.len()),
    ];
    match columns.into_iter().find(|&(_, found)| found != expected) {
        Some((column, found)) => {
            Err(OutputError::UnevenFrame { path: path.to_path_buf(), column, expected, found })
        }
        None => Ok(()),
    }
}

/// Numbers as bytes, one after the other.
pub(crate) fn bytes<T, const N: usize>(
    numbers: impl ExactSizeIterator<Item = T>,
    of: impl Fn(T) -> [u8; N],
) -> Vec<u8> {
    let mut all = vec![0; N * numbers.len()];
    for (slot, number) in all.chunks_exact_mut(N).zip(numbers) {
        slot.copy_from_slice(&of(number));
    }
    all
}

/// Vectors as triples of 64-bit floats.
pub(crate) fn bytes_of_points(points: &[DVec3]) -> Vec<u8> {
    bytes(points.iter(), |point| joined::<8, 24>(point.to_array().map(f64::to_le_bytes)))
}

/// Vectors as triples of 32-bit floats.
pub(crate) fn bytes_of_vectors(vectors: &[DVec3]) -> Vec<u8> {
    bytes(vectors.iter(), |vector| joined::<4, 12>(vector.as_vec3().to_array().map(f32::to_le_bytes)))
}

/// Three numbers behind each other; M is 3 N.
fn joined<const N: usize, const M: usize>(numbers: [[u8; N]; 3]) -> [u8; M] {
    let mut all = [0; M];
    for (slot, number) in all.chunks_exact_mut(N).zip(numbers) {
        slot.copy_from_slice(&number);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_their_index_back() {
        let name = relative_name(Kind::Fluid, 42, "vtu");
        assert_eq!(name, "frames/fluid_000042.vtu");
        assert_eq!(index_of("fluid_000042.vtu"), Some(42));
        assert_eq!(index_of("fluid_1234567.ply"), Some(1_234_567));
        assert_eq!(relative_name(Kind::Bodies, 7, "vtu"), "frames/bodies_000007.vtu");
        assert_eq!(index_of("bodies_000007.vtu"), Some(7));
        assert_eq!(index_of("surface_000007.vtp"), Some(7));
        assert_eq!(index_of("deformable_000007.vtp"), Some(7));
        assert_eq!(index_of("solid_000007.vtp"), None);
        assert_eq!(index_of("fluid_00004.vtu"), None);
        assert_eq!(index_of("fluid_000042.txt"), None);
        assert_eq!(index_of("fluid_+00042.vtu"), None);
    }
}
