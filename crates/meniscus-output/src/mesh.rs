//! Triangle meshes as OBJ, PLY or STL.

use std::io::{self, Write};
use std::path::Path;

use glam::{DVec3, Vec3};

use crate::{OutputError, atomic};

/// Writes a mesh, atomically, in the format that the extension names: `obj` as text with all digits, `ply` and `stl` as
/// binary with single precision, which is what most programs read. Triangles with indices out of range are left out.
///
/// # Errors
/// [`OutputError::MeshFormat`] if the extension is another one, [`OutputError::Io`] when the file cannot be written.
pub fn write_mesh(path: &Path, vertex: &[DVec3], triangle: &[[u32; 3]]) -> Result<(), OutputError> {
    write_with_columns(path, vertex, &[], triangle)
}

/// Vectors at the vertices of a mesh.
pub(crate) struct VertexColumn<'a> {
    /// Names of the components.
    pub(crate) names: [&'static str; 3],
    /// A vertex beyond the last one gets zero.
    pub(crate) value: &'a [Vec3],
}

/// Writes a mesh with columns, as [`write_mesh`] does. PLY has them all, OBJ only normals, which must come first; STL
/// none.
pub(crate) fn write_with_columns(
    path: &Path,
    vertex: &[DVec3],
    columns: &[VertexColumn<'_>],
    triangle: &[[u32; 3]],
) -> Result<(), OutputError> {
    let fits = |t: &&[u32; 3]| t.iter().all(|v| (*v as usize) < vertex.len());
    let triangle: Vec<[u32; 3]> = triangle.iter().filter(fits).copied().collect();
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let fill: Fill = match extension.as_str() {
        "obj" => obj,
        "ply" => ply,
        "stl" => stl,
        _ => return Err(OutputError::MeshFormat { path: path.to_path_buf() }),
    };
    atomic::write_with(path, |out| fill(out, vertex, columns, &triangle))
}

/// What writes a mesh in one format.
type Fill = fn(&mut dyn Write, &[DVec3], &[VertexColumn<'_>], &[[u32; 3]]) -> io::Result<()>;

fn obj(
    out: &mut dyn Write,
    vertex: &[DVec3],
    columns: &[VertexColumn<'_>],
    triangle: &[[u32; 3]],
) -> io::Result<()> {
    for v in vertex {
        writeln!(out, "v {} {} {}", v.x, v.y, v.z)?;
    }
    let normals = columns.first().map(|column| column.value);
    for n in normals.unwrap_or_default() {
        writeln!(out, "vn {} {} {}", n.x, n.y, n.z)?;
    }
    // Counted from one.
    triangle.iter().try_for_each(|[a, b, c]| {
        let [a, b, c] = [a, b, c].map(|v| u64::from(*v) + 1);
        match normals {
            Some(_) => writeln!(out, "f {a}//{a} {b}//{b} {c}//{c}"),
            None => writeln!(out, "f {a} {b} {c}"),
        }
    })
}

fn ply(
    out: &mut dyn Write,
    vertex: &[DVec3],
    columns: &[VertexColumn<'_>],
    triangle: &[[u32; 3]],
) -> io::Result<()> {
    writeln!(out, "ply\nformat binary_little_endian 1.0\nelement vertex {}", vertex.len())?;
    for name in ["x", "y", "z"].iter().chain(columns.iter().flat_map(|column| &column.names)) {
        writeln!(out, "property float {name}")?;
    }
    let faces = triangle.len();
    write!(out, "element face {faces}\nproperty list uchar uint vertex_indices\nend_header\n")?;
    for (i, v) in vertex.iter().enumerate() {
        floats(out, v.as_vec3())?;
        columns.iter().try_for_each(|c| floats(out, c.value.get(i).copied().unwrap_or_default()))?;
    }
    triangle.iter().try_for_each(|t| {
        out.write_all(&[3])?;
        t.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
    })
}

fn stl(
    out: &mut dyn Write,
    vertex: &[DVec3],
    _: &[VertexColumn<'_>],
    triangle: &[[u32; 3]],
) -> io::Result<()> {
    let count = u32::try_from(triangle.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    // A header that does not begin with "solid", by which readers would take it for text.
    let mut header = [0; 80];
    header.iter_mut().zip(b"binary STL").for_each(|(to, from)| *to = *from);
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    for [a, b, c] in triangle.iter().map(|t| t.map(|v| vertex[v as usize])) {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        [normal, a, b, c].into_iter().try_for_each(|v| floats(out, v.as_vec3()))?;
        out.write_all(&[0; 2])?;
    }
    Ok(())
}

fn floats(out: &mut dyn Write, v: Vec3) -> io::Result<()> {
    v.to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERTEX: [DVec3; 4] = [DVec3::ZERO, DVec3::new(1.0 / 3.0, 0.0, 0.0), DVec3::Y, DVec3::Z];
    const TRIANGLE: [[u32; 3]; 3] = [[0, 2, 1], [0, 1, 3], [0, 1, 4]];

    fn written(name: &str) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        write_mesh(&path, &VERTEX, &TRIANGLE).unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn text_has_all_digits_and_counts_from_one() {
        let text = String::from_utf8(written("a.OBJ")).unwrap();
        assert!(
            text.contains("v 0.3333333333333333 0 0\n") && text.ends_with("f 1 3 2\nf 1 2 4\n"),
            "{text}"
        );
    }

    #[test]
    fn binary_files_are_as_long_as_their_headers_say() {
        let ply = written("a.ply");
        let end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        assert_eq!(ply.len() - end, 4 * 12 + 2 * 13);
        let stl = written("a.stl");
        assert_eq!(stl.len(), 84 + 2 * 50);
        assert_eq!(stl[80..84], 2_u32.to_le_bytes());
        // The normal of the first triangle looks down.
        assert_eq!(stl[92..96], (-1.0_f32).to_le_bytes());
    }

    #[test]
    fn other_formats_are_refused_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let error = write_mesh(&dir.path().join("a.fbx"), &VERTEX, &TRIANGLE).unwrap_err().to_string();
        assert!(error.contains("a.fbx") && error.contains(".obj, .ply or .stl"), "{error}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
