//! Reading STL files, as text or binary.
//!
//! Normals are not read: they follow from the order of the corners, and many writers leave them zero. Triangles do
//! not share vertices here; [`MeshShape`](crate::MeshShape) joins them.

use glam::DVec3;

use super::read::{finite, polygon};
use super::text::{Token, Words};
use crate::{MeshError, TriangleMesh};

/// Bytes before the first triangle of a binary file: a comment and a count.
const HEADER: usize = 84;
/// Bytes of a triangle: normal, three corners, two spare bytes.
const RECORD: usize = 50;

const GRAMMAR: &str =
    "a triangle is: facet normal nx ny nz, outer loop, three times vertex x y z, endloop, endfacet";

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    if is_text(bytes) { read_text(bytes) } else { read_binary(bytes) }
}

/// Text begins with `solid`, but so do some binary files. A binary file has the length that its count says; of the
/// others, text is what holds no zero byte near its beginning.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let solid = start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    let fits =
        declared(bytes).is_some_and(|count| HEADER as u64 + RECORD as u64 * count == bytes.len() as u64);
    solid && !fits && !bytes.iter().take(2 * HEADER).any(|b| *b == 0)
}

/// How many triangles a binary file says it has.
fn declared(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEADER)?.try_into().ok()?;
    Some(u64::from(u32::from_le_bytes(count)))
}

fn read_binary(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let at = |offset: usize, problem: String, remedy: &str| {
        Err(MeshError { offset: Some(offset), ..MeshError::new(problem, remedy) })
    };
    let Some(count) = declared(bytes) else {
        let problem = format!("an STL file of {} bytes", bytes.len());
        return at(0, problem, "text begins with `solid`; a binary file has at least 84 bytes");
    };
    let body = bytes.get(HEADER..).unwrap_or_default();
    let present = (body.len() / RECORD) as u64;
    if present != count {
        let problem = format!("{count} triangles are announced, but there are bytes for {present}");
        return at(80, problem, "the file is cut off or not an STL file; export or download it again");
    }
    let mut mesh = TriangleMesh::default();
    for (index, record) in body.chunks_exact(RECORD).enumerate() {
        for corner in 0..3 {
            let within = 12 + 12 * corner;
            let Some(vertex) = vertex(record.get(within..).unwrap_or_default()) else {
                let problem = format!("triangle {} has a coordinate that is not finite", index + 1);
                return at(HEADER + RECORD * index + within, problem, "export the mesh again");
            };
            push_corner(&mut mesh, vertex);
        }
    }
    Ok(mesh)
}

/// Three little-endian numbers `[m]`, if they are finite.
fn vertex(bytes: &[u8]) -> Option<DVec3> {
    let number = |k: usize| {
        let word = bytes.get(4 * k..4 * k + 4)?.try_into().ok()?;
        Some(f64::from(f32::from_le_bytes(word)))
    };
    finite(number(0)?, number(1)?, number(2)?)
}

/// Every third corner completes a triangle.
fn push_corner(mesh: &mut TriangleMesh, vertex: DVec3) {
    mesh.vertex.push(vertex);
    let n = mesh.vertex.len() as u32;
    if n.is_multiple_of(3) {
        mesh.triangle.push([n - 3, n - 2, n - 1]);
    }
}

fn read_text(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let mut mesh = TriangleMesh::default();
    let mut words = Words::new(bytes, 1);
    let mut inside = false;
    while let Some(word) = words.next() {
        if word.is(if inside { "endsolid" } else { "solid" }) {
            // A name of any number of words may follow.
            words.skip_line();
            inside = !inside;
        } else if inside && word.is("facet") {
            facet(&mut words, &mut mesh)?;
        } else {
            let expected =
                if inside { "`facet` or `endsolid` must follow here" } else { "`solid` must follow here" };
            return Err(word.error("not a statement of STL", expected));
        }
    }
    if inside {
        return Err(
            words.ended("the file ends before `endsolid`", "it is cut off; export or download it again")
        );
    }
    Ok(mesh)
}

/// What follows the word `facet`.
fn facet(words: &mut Words<'_>, mesh: &mut TriangleMesh) -> Result<(), MeshError> {
    expect(words, "normal")?;
    for _ in 0..3 {
        some_word(words)?;
    }
    expect(words, "outer")?;
    expect(words, "loop")?;
    let first = mesh.vertex.len() as u32;
    loop {
        let word = some_word(words)?;
        if word.is("vertex") {
            let mut number = || coordinate(some_word(words)?);
            mesh.vertex.push(DVec3::new(number()?, number()?, number()?));
        } else if word.is("endloop") {
            let corner: Vec<u32> = (first..mesh.vertex.len() as u32).collect();
            if corner.len() < 3 {
                return Err(word.error(format!("a triangle with {} vertices", corner.len()), GRAMMAR));
            }
            polygon(&corner, &mut mesh.triangle);
            return expect(words, "endfacet");
        } else {
            return Err(word.error("not a statement of STL", GRAMMAR));
        }
    }
}

fn some_word<'a>(words: &mut Words<'a>) -> Result<Token<'a>, MeshError> {
    words.next().ok_or_else(|| words.ended("the file ends in the middle of a triangle", GRAMMAR))
}

fn expect(words: &mut Words<'_>, keyword: &str) -> Result<(), MeshError> {
    let word = some_word(words)?;
    if word.is(keyword) {
        Ok(())
    } else {
        Err(word.error(format!("`{keyword}` must stand here, found"), GRAMMAR))
    }
}

fn coordinate(word: Token<'_>) -> Result<f64, MeshError> {
    let number = word.parse::<f64>().filter(|n| n.is_finite());
    number.ok_or_else(|| word.error("not a coordinate", "give a finite number such as -1.5 or 2e-3"))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_mesh::cube;

    /// A binary file with this beginning.
    pub(crate) fn binary(mesh: &TriangleMesh, title: &[u8]) -> Vec<u8> {
        let mut bytes = title.to_vec();
        bytes.resize(80, b' ');
        bytes.extend((mesh.triangle.len() as u32).to_le_bytes());
        for corners in mesh.corners() {
            bytes.extend([0; 12]);
            for x in corners.iter().flat_map(DVec3::to_array) {
                bytes.extend((x as f32).to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn text(mesh: &TriangleMesh) -> String {
        use std::fmt::Write;
        let mut file = "solid a cube, facet by facet\r\n".to_owned();
        for corners in mesh.corners() {
            file += "facet normal nan 0 0\r\n outer loop\r\n";
            for v in corners {
                let _ = writeln!(file, "  VERTEX {:e} {} {}\r", v.x, v.y, v.z);
            }
            file += " endloop\r\nendfacet\r\n";
        }
        file + "endsolid a cube\n"
    }

    #[test]
    fn text_and_binary_give_the_same_cube() {
        let cube = cube(2.0);
        let all =
            [text(&cube).into_bytes(), binary(&cube, b"made by hand"), binary(&cube, b"solid cube\nfacet")];
        for bytes in all {
            let mesh = read(&bytes).unwrap();
            assert_eq!((mesh.vertex.len(), mesh.triangle.len()), (36, 12));
            assert!((mesh.volume() - 8.0).abs() < 1e-12);
            assert!(mesh.corners().eq(cube.corners()));
        }
        let two = text(&cube).repeat(2);
        assert_eq!(read(two.as_bytes()).unwrap().triangle.len(), 24);
    }

    #[test]
    fn every_truncation_is_an_error_with_a_place() {
        let cube = cube(2.0);
        let binary = binary(&cube, b"solid but binary");
        for length in 0..binary.len() {
            let error = read(&binary[..length]).unwrap_err();
            assert!(error.place().is_some(), "{length}: {error}");
        }
        let text = text(&cube);
        let complete = text.trim_end().len() - " a cube".len();
        for length in 0..complete {
            assert!(read(&text.as_bytes()[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn announced_triangles_that_are_missing_cost_nothing() {
        for count in [10_000_000, u32::MAX] {
            let mut bytes = binary(&cube(1.0), b"");
            bytes[80..84].copy_from_slice(&count.to_le_bytes());
            let error = read(&bytes).unwrap_err().to_string();
            let expected = format!("byte 80: {count} triangles are announced, but there are bytes for 12; ");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn bad_numbers_and_words_are_placed() {
        let mut bytes = binary(&cube(1.0), b"");
        bytes[84 + 50 + 24..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(read(&bytes).unwrap_err().offset, Some(84 + 50 + 24));
        for (text, line) in [
            ("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", 4),
            ("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", 5),
            ("solid\nfacets\n", 2),
            ("solid\nfacet normal 0 0 1 outer vertex", 2),
            ("solid x\nendsolid x\nfacet", 3),
            ("solid", 1),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().line, Some(line), "{text}");
        }
    }

    proptest! {
        #[test]
        fn mutated_files_never_panic(
            edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12),
            as_text: bool,
        ) {
            let mut bytes = if as_text { text(&cube(1.0)).into_bytes() } else { binary(&cube(1.0), b"") };
            for (at, byte) in edits {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            if let Ok(mesh) = read(&bytes) {
                prop_assert!(mesh.vertex.iter().all(|v| v.is_finite()));
                let _ = crate::MeshShape::new(mesh);
            }
        }
    }
}
