//! Finding out what a mesh file is, and what all readers share.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use glam::DVec3;

use super::{gltf, ply, stl};
use crate::{MeshError, TriangleMesh};

/// The largest file that is read `[byte]`: forty million triangles as binary STL.
pub(super) const MAX_FILE: u64 = 1 << 31;

/// The most vertices or triangles of a mesh `[1]`: above what fits in memory, below what overflows 32-bit indices.
pub(crate) const MAX_ELEMENTS: usize = 1 << 28;

const FORMATS: &str = "formats that can be read are OBJ, PLY, STL, glTF and GLB";

impl TriangleMesh {
    /// Reads a mesh file: Wavefront OBJ, PLY, STL (both as text or binary), glTF or GLB. Formats that sign their
    /// files are known by that, the others by the extension of the name.
    ///
    /// # Errors
    /// If the format is none of these, the file cannot be read, or its content is wrong: where, and what would be
    /// right.
    pub fn read(path: &Path) -> Result<Self, MeshError> {
        let within = |error: MeshError| error.in_file(path);
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let bytes = read_file(path, MAX_FILE).map_err(within)?;
        let folder = path.parent();
        match Format::of(&bytes, &extension) {
            Some(Format::Obj) => Self::read_obj(&bytes),
            Some(Format::Ply) => ply::read(&bytes),
            Some(Format::Stl) => stl::read(&bytes),
            Some(Format::Gltf) => gltf::read(&bytes, folder),
            None => Err(MeshError {
                text: Some(extension.into()),
                ..MeshError::new("the extension of a mesh file must name its format", FORMATS)
            }),
        }
        .map_err(within)
    }

    /// Reads a PLY file from memory, as text or binary of either byte order.
    ///
    /// # Errors
    /// Names the line, or for a binary file the byte, of the first mistake, and what is allowed there.
    pub fn read_ply(bytes: &[u8]) -> Result<Self, MeshError> {
        ply::read(bytes)
    }

    /// Reads an STL file from memory, as text or binary.
    ///
    /// # Errors
    /// Names the line, or for a binary file the byte, of the first mistake, and what is allowed there.
    pub fn read_stl(bytes: &[u8]) -> Result<Self, MeshError> {
        stl::read(bytes)
    }

    /// Reads a glTF or GLB file from memory: all triangles of its default scene. Buffers in files of their own are
    /// looked for in `folder` and nowhere else.
    ///
    /// # Errors
    /// Names the part of the file that is wrong, and what is allowed there.
    pub fn read_gltf(bytes: &[u8], folder: Option<&Path>) -> Result<Self, MeshError> {
        gltf::read(bytes, folder)
    }
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Obj,
    Ply,
    Stl,
    Gltf,
}

impl Format {
    /// What the first bytes say, or else the extension.
    fn of(bytes: &[u8], extension: &str) -> Option<Self> {
        let signs = [(&b"ply\n"[..], Self::Ply), (b"ply\r", Self::Ply), (b"glTF", Self::Gltf)];
        let signed = signs.into_iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, format)| format);
        signed.or(match extension {
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            "gltf" | "glb" => Some(Self::Gltf),
            _ => None,
        })
    }
}

/// The content of a file of at most `limit` bytes.
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, MeshError> {
    let failed = |error: std::io::Error| {
        MeshError::new(
            format!("cannot read the mesh file: {error}"),
            "give the path of a readable file, relative to where the command runs or absolute",
        )
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    // A pipe or a device would keep the reader waiting, or never end.
    if !metadata.is_file() {
        return Err(MeshError::new("this is not a file", "give the path of a mesh file"));
    }
    let too_large = || {
        let problem = format!("the file has {} bytes", metadata.len());
        MeshError::new(problem, format!("allowed are {limit}; simplify the mesh"))
    };
    if metadata.len() > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    File::open(path).map_err(failed)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
}

/// A vertex if all coordinates are finite `[m]`.
pub(super) fn finite(x: f64, y: f64, z: f64) -> Option<DVec3> {
    Some(DVec3::new(x, y, z)).filter(|v| v.is_finite())
}

/// Cuts a polygon into the triangles between its first corner and its other edges.
pub(super) fn fan(corner: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let first = corner.first().copied().unwrap_or_default();
    let edges = corner.get(1..).unwrap_or_default().windows(2);
    edges.map(move |edge| [first, edge[0], edge[1]])
}

/// The most corners of a polygon that becomes a fan `[1]`, as other programs make of all.
const FAN: usize = 32;

/// Cuts a polygon into triangles. Large ones lose every second corner again and again: in a fan, nearly all triangles of a disc would
/// be slivers as long as the disc is wide, whose sides together are as long as there are corners.
pub(super) fn polygon(corner: &[u32], triangle: &mut Vec<[u32; 3]>) {
    if corner.len() <= FAN {
        triangle.extend(fan(corner));
        return;
    }
    let ends = corner.iter().chain(&corner[..1]).skip(2).step_by(2);
    triangle.extend(corner.chunks_exact(2).zip(ends).map(|(two, end)| [two[0], two[1], *end]));
    let left: Vec<u32> = corner.iter().copied().step_by(2).collect();
    polygon(&left, triangle);
}

/// The triangles between consecutive corners, every second one turned so that all face the same way.
pub(super) fn strip(corner: &[u32]) -> impl Iterator<Item = [u32; 3]> + '_ {
    let odd = |k: usize, t: &[u32]| if k.is_multiple_of(2) { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] };
    corner.windows(3).enumerate().map(move |(k, t)| odd(k, t))
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;

    #[test]
    fn reading_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ship.xyz");
        std::fs::write(&path, "hello").unwrap();
        let error = TriangleMesh::read(&path).unwrap_err().to_string();
        let expected = "ship.xyz: the extension of a mesh file must name its format `xyz`; \
            formats that can be read are OBJ, PLY, STL, glTF and GLB";
        assert!(error.ends_with(expected), "{error}");
        let error = TriangleMesh::read(Path::new("no/such/file.obj")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file.obj: cannot read the mesh file: "), "{error}");
        let error = TriangleMesh::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("this is not a file"), "{error}");
    }

    #[test]
    fn a_signed_file_is_known_whatever_its_name() {
        assert_eq!(Format::of(b"ply\nformat", "obj"), Some(Format::Ply));
        assert_eq!(Format::of(b"glTF\x02", ""), Some(Format::Gltf));
        // The name of a solid in a text STL may be anything, so its beginning proves nothing.
        assert_eq!(Format::of(b"solid ply", "stl"), Some(Format::Stl));
        assert_eq!(Format::of(b"plywood", "txt"), None);
    }

    #[test]
    fn large_files_are_refused_before_they_are_read() {
        let file = tempfile::NamedTempFile::new().unwrap();
        // Sparse: it takes no room.
        file.as_file().set_len(MAX_FILE + 1).unwrap();
        let error = read_file(file.path(), MAX_FILE).unwrap_err().to_string();
        assert!(error.starts_with("the file has 2147483649 bytes; allowed are 2147483648"), "{error}");
    }

    #[test]
    fn a_disc_of_many_corners_is_not_cut_into_slivers() {
        for count in [3, 4, 32, 33, 34, 65, 1000, 30_001] {
            let corner: Vec<u32> = (0..count).collect();
            let at = |i: u32| DVec2::from_angle(std::f64::consts::TAU * f64::from(i) / f64::from(count));
            let mut triangle = Vec::new();
            polygon(&corner, &mut triangle);
            assert_eq!(triangle.len(), count as usize - 2);
            let area = |[a, b, c]: [u32; 3]| 0.5 * (at(b) - at(a)).perp_dot(at(c) - at(a));
            assert!(triangle.iter().all(|t| area(*t) > 0.0), "{count}");
            let whole = 0.5 * f64::from(count) * at(0).perp_dot(at(1));
            assert!((triangle.iter().map(|t| area(*t)).sum::<f64>() - whole).abs() < 1e-9, "{count}");
            // A fan's are as long as the disc is wide: 30 000 corners would have 76 000.
            let sides: f64 =
                triangle.iter().map(|[a, b, c]| at(*a).distance(at(*b)) + at(*b).distance(at(*c))).sum();
            assert!(sides < 150.0, "{count}: {sides}");
        }
    }

    #[test]
    fn strips_alternate_and_fans_share_a_corner() {
        assert_eq!(strip(&[0, 1, 2, 3, 4]).collect::<Vec<_>>(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
        assert_eq!(fan(&[5, 6, 7, 8]).collect::<Vec<_>>(), [[5, 6, 7], [5, 7, 8]]);
        assert!(
            fan(&[]).next().is_none() && fan(&[1, 2]).next().is_none() && strip(&[0, 1]).next().is_none()
        );
    }
}
