//! Reading Wavefront OBJ files.
//!
//! Only `v` and `f` matter here. Polygons are cut into fans, texture and normal indices are checked for form and
//! dropped, and every other statement of the format is skipped. Unknown statements are errors: they mean that the
//! file is not what its name says.

use glam::DVec3;

use super::read::polygon;
use super::text::{Token, parse};
use crate::{MeshError, TriangleMesh};

/// Statements of the format that say nothing about the surface.
const SKIPPED: &[&str] = &[
    "vn",
    "vt",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "p",
    "l",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "ctech",
    "stech",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "call",
    "csh",
];

const INDEX_FORM: &str = "allowed are a, a/b, a//c and a/b/c with whole numbers";

impl TriangleMesh {
    /// Reads a Wavefront OBJ file: vertices (`v`) and faces (`f`).
    ///
    /// # Errors
    /// Names line, column and text of the first statement that is wrong, and what is allowed there.
    pub fn read_obj(bytes: &[u8]) -> Result<Self, MeshError> {
        let mut reader = Reader::default();
        let mut statement = Vec::new();
        for (index, line) in bytes.split(|b| *b == b'\n').enumerate() {
            if !tokenize(line, index + 1, &mut statement) {
                reader.statement(&statement)?;
                statement.clear();
            }
        }
        reader.statement(&statement)?;
        reader.finish()
    }
}

/// Appends the words of a line; returns whether the statement goes on in the next one.
fn tokenize<'a>(line: &'a [u8], number: usize, statement: &mut Vec<Token<'a>>) -> bool {
    let line = line.split(|b| *b == b'#').next().unwrap_or_default();
    // Whatever ends a comment does not continue it, but a backslash before one would be inside of the line.
    let line = line.trim_ascii_end();
    let (line, continued) = line.strip_suffix(b"\\").map_or((line, false), |rest| (rest, true));
    let mut column = 1;
    for text in line.split(u8::is_ascii_whitespace) {
        if !text.is_empty() {
            statement.push(Token { line: number, column, text });
        }
        column += text.len() + 1;
    }
    continued
}

#[derive(Default)]
struct Reader<'a> {
    mesh: TriangleMesh,
    /// Those of the face that is being read.
    corner: Vec<u32>,
    /// References to vertices that had not been read yet, to be checked at the end.
    forward: Vec<(u32, Token<'a>)>,
}

impl<'a> Reader<'a> {
    fn statement(&mut self, statement: &[Token<'a>]) -> Result<(), MeshError> {
        let Some((keyword, arguments)) = statement.split_first() else { return Ok(()) };
        match keyword.text {
            b"v" => self.vertex(keyword, arguments),
            b"f" => self.face(keyword, arguments),
            other if SKIPPED.iter().any(|s| s.as_bytes() == other) => Ok(()),
            _ => Err(keyword.error(
                "unknown statement",
                "an OBJ file consists of v, f and statements that are skipped, such as vn, vt, o, g, s, usemtl",
            )),
        }
    }

    fn vertex(&mut self, keyword: &Token<'_>, arguments: &[Token<'_>]) -> Result<(), MeshError> {
        // A weight or a colour may follow the coordinates.
        let [x, y, z, ..] = arguments else {
            let problem = format!("a vertex with {} coordinates", arguments.len());
            return Err(keyword.error(problem, "give three numbers: v x y z"));
        };
        let coordinate = |token: &Token<'_>| {
            let number = token.parse::<f64>().filter(|n| n.is_finite());
            number.ok_or_else(|| token.error("not a coordinate", "give a finite number such as -1.5 or 2e-3"))
        };
        self.mesh.vertex.push(DVec3::new(coordinate(x)?, coordinate(y)?, coordinate(z)?));
        Ok(())
    }

    fn face(&mut self, keyword: &Token<'_>, arguments: &[Token<'a>]) -> Result<(), MeshError> {
        if arguments.is_empty() {
            return Err(keyword.error("a face without vertices", "give at least three: f a b c"));
        }
        if arguments.len() < 3 {
            let problem = format!("a face with {} vertices", arguments.len());
            return Err(keyword.error(problem, "give at least three: f a b c"));
        }
        let mut corner = std::mem::take(&mut self.corner);
        corner.clear();
        for token in arguments {
            corner.push(self.index(token)?);
        }
        polygon(&corner, &mut self.mesh.triangle);
        self.corner = corner;
        Ok(())
    }

    /// The vertex that `a`, `a/b`, `a//c` or `a/b/c` refers to, counted from 0.
    fn index(&mut self, token: &Token<'a>) -> Result<u32, MeshError> {
        let malformed = || token.error("not a vertex of a face", INDEX_FORM);
        let mut parts = token.text.split(|b| *b == b'/');
        let number: i64 = parts.next().and_then(parse).ok_or_else(malformed)?;
        let others =
            parts.fold(0, |n, part| if part.is_empty() || parse::<i64>(part).is_some() { n + 1 } else { 3 });
        if others > 2 {
            return Err(malformed());
        }
        let count = self.mesh.vertex.len() as i64;
        // Negative numbers count back from the last vertex.
        let index = if number < 0 { number.saturating_add(count) } else { number - 1 };
        let index = u32::try_from(index).map_err(|_| out_of_range(token, count as usize))?;
        if i64::from(index) >= count {
            self.forward.push((index, *token));
        }
        Ok(index)
    }

    fn finish(self) -> Result<TriangleMesh, MeshError> {
        let count = self.mesh.vertex.len();
        match self.forward.iter().find(|(index, _)| *index as usize >= count) {
            Some((_, token)) => Err(out_of_range(token, count)),
            None => Ok(self.mesh),
        }
    }
}

fn out_of_range(token: &Token<'_>, count: usize) -> MeshError {
    let remedy = match count {
        0 => "there are no vertices before it".to_owned(),
        n => format!("allowed are 1 to {n}, or -{n} to -1 counted from the last"),
    };
    token.error("no such vertex", remedy)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TETRAHEDRON: &str = "# a tetrahedron\r\nmtllib x.mtl\r\no tetra\r\nv 0 0 0\r\nv 1 0 0 1.0\r\n\
        v 0 1e0 0\r\nv 0 0 +1.0 # apex\r\nvn 0 0 1\r\nusemtl red\r\ns off\r\nf 1//1 3/2/1 2/1\r\n\
        f 1 2 \\\r\n 4\r\nf -3 -2 -1\r\nf 1 4 3";

    fn error(text: &str) -> MeshError {
        TriangleMesh::read_obj(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn all_forms_of_faces_are_read() {
        let mesh = TriangleMesh::read_obj(TETRAHEDRON.as_bytes()).unwrap();
        assert_eq!(mesh.vertex, [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        assert_eq!(mesh.triangle, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn polygons_become_fans_and_may_come_before_their_vertices() {
        let mesh =
            TriangleMesh::read_obj(b"f 1 2 3 4 5\nv 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\n").unwrap();
        assert_eq!(mesh.triangle, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn errors_name_line_column_text_and_remedy() {
        let e = error("v 0 0 0\nv 1 zero 0\n");
        assert_eq!((e.line, e.column, e.text.as_deref()), (Some(2), Some(5), Some("zero")));
        assert_eq!(
            e.to_string(),
            "line 2, column 5: not a coordinate `zero`; give a finite number such as -1.5 or 2e-3"
        );
        let e = error("v 0 0 0\nv 1 0 0\n\nf 1 2 \\\n 7\n");
        assert_eq!((e.line, e.column, e.text.as_deref()), (Some(5), Some(2), Some("7")));
        assert_eq!(&*e.remedy, "allowed are 1 to 2, or -2 to -1 counted from the last");
        for (text, line) in [
            ("v 0 0\n", 1),
            ("v 0 0 inf\n", 1),
            ("# x\nf 1 2\n", 2),
            ("\n\nf\n", 3),
            ("v 0 0 0\nf 1 1 0\n", 2),
            ("v 0 0 0\nf 1 1 -2\n", 2),
            ("v 0 0 0\nf 1 1 1/x\n", 2),
            ("v 0 0 0\nf 1 1 1/1/1/1\n", 2),
            ("v 0 0 0\nf 1 1 99999999999999999999\n", 2),
            ("v 0 0 0\r\nhello world\r\n", 2),
            ("v 0 0 0\nv 0 0 0", 0),
        ] {
            let line = (line > 0).then_some(line);
            assert_eq!(TriangleMesh::read_obj(text.as_bytes()).err().and_then(|e| e.line), line, "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_errors_or_comments() {
        assert!(TriangleMesh::read_obj(b"# caf\xe9\nv 0 0 0\n").is_ok());
        assert_eq!(TriangleMesh::read_obj(b"v 0 0 \xff\n").unwrap_err().text.as_deref(), Some("\u{fffd}"));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = TriangleMesh::read_obj(&bytes);
        }

        #[test]
        fn mutated_files_never_panic(edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12)) {
            let mut bytes = TETRAHEDRON.as_bytes().to_vec();
            for (at, byte) in edits {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            if let Ok(mesh) = TriangleMesh::read_obj(&bytes) {
                prop_assert!(mesh.triangle.iter().flatten().all(|i| (*i as usize) < mesh.vertex.len()));
                let _ = crate::MeshShape::new(mesh);
            }
        }
    }
}
