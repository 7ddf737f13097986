//! Reading PLY files, as text or binary of either byte order.
//!
//! Of the tables of a file, `vertex` gives the coordinates x, y, z, and `face` (polygons, cut into fans) and
//! `tristrips` the triangles. Everything else is read over, whatever its name, type and order.

mod header;
#[cfg(test)]
mod tests;

use header::{Element, Encoding, Header, Kind, Property, Scalar};

use super::read::{MAX_ELEMENTS, finite, polygon, strip};
use super::text::{Token, Words};
use crate::{MeshError, TriangleMesh};

pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let header = header::read(bytes)?;
    let mut numbers = Numbers::new(&header, bytes.len());
    let mut reader = Reader { mesh: TriangleMesh::default(), highest: None, corner: Vec::new() };
    for element in &header.element {
        enough_bytes(element, header.encoding, &numbers)?;
        match &*element.name {
            b"vertex" => reader.vertices(element, &mut numbers)?,
            b"face" | b"tristrips" => reader.faces(element, &mut numbers)?,
            // A table without columns would take its time for nothing.
            _ if element.property.is_empty() => {}
            _ => {
                for _ in 0..element.count {
                    element.property.iter().try_for_each(|p| skip(p, &mut numbers))?;
                }
            }
        }
    }
    reader.finish()
}

/// Refuses a table that is longer than the file, before its rows are read.
fn enough_bytes(element: &Element, encoding: Encoding, numbers: &Numbers<'_>) -> Result<(), MeshError> {
    let needed = u128::from(element.count) * u128::from(element.smallest_row(encoding));
    // The last number of a text needs no space after it.
    if needed <= numbers.remaining() as u128 + 1 {
        return Ok(());
    }
    let name = String::from_utf8_lossy(&element.name).chars().take(40).collect::<String>();
    let problem = format!(
        "{} of `{name}` are announced, at least {needed} bytes, but {} are left",
        element.count,
        numbers.remaining()
    );
    Err(MeshError { problem: problem.into(), ..numbers.ended() })
}

fn skip(property: &Property, numbers: &mut Numbers<'_>) -> Result<(), MeshError> {
    match property.kind {
        Kind::Scalar(scalar) => numbers.next(scalar).map(drop),
        Kind::List { count, item } => {
            let (count, _) = length(numbers, count)?;
            (0..count).try_for_each(|_| numbers.next(item).map(drop))
        }
    }
}

/// The length of a list.
fn length<'a>(numbers: &mut Numbers<'a>, scalar: Scalar) -> Result<(u32, Place<'a>), MeshError> {
    let (number, place) = numbers.next(scalar)?;
    match whole(number) {
        Some(count) => Ok((count, place)),
        None => Err(place.error("not the length of a list", "give a whole number that is not negative")),
    }
}

/// A number without fraction or sign.
fn whole(number: f64) -> Option<u32> {
    let integer = number as u32;
    (f64::from(integer).to_bits() == (number + 0.0).to_bits()).then_some(integer)
}

struct Reader<'a> {
    mesh: TriangleMesh,
    /// The largest index of a vertex, which may come after the faces, and where it stands.
    highest: Option<(u32, Place<'a>)>,
    /// The corners of a face, to be used again.
    corner: Vec<u32>,
}

impl<'a> Reader<'a> {
    fn vertices(&mut self, element: &Element, numbers: &mut Numbers<'a>) -> Result<(), MeshError> {
        let axis = |name: &[u8]| [&b"x"[..], b"y", b"z"].iter().position(|axis| *axis == name);
        let named = |k| {
            element.property.iter().any(|p| axis(&p.name) == Some(k) && matches!(p.kind, Kind::Scalar(_)))
        };
        if !(0..3).all(named) {
            let remedy = "the element `vertex` needs the properties x, y and z";
            return Err(MeshError::new("the vertices have no coordinates", remedy));
        }
        for _ in 0..element.count {
            let mut x = [0.0; 3];
            let mut at = None;
            for property in &element.property {
                match (axis(&property.name), property.kind) {
                    (Some(k), Kind::Scalar(scalar)) => {
                        let (number, place) = numbers.next(scalar)?;
                        x[k] = number;
                        at = at.filter(|_| number.is_finite()).or(Some(place));
                    }
                    _ => skip(property, numbers)?,
                }
            }
            let Some(vertex) = finite(x[0], x[1], x[2]) else {
                let at = at.unwrap_or(Place::Byte(0));
                return Err(
                    at.error("a coordinate is not finite", "give finite numbers such as -1.5 or 2e-3")
                );
            };
            self.mesh.vertex.push(vertex);
        }
        Ok(())
    }

    fn faces(&mut self, element: &Element, numbers: &mut Numbers<'a>) -> Result<(), MeshError> {
        let corners = |p: &Property| {
            matches!(&*p.name, b"vertex_indices" | b"vertex_index") && matches!(p.kind, Kind::List { .. })
        };
        let strips = element.name == b"tristrips";
        if element.count > 0 && !element.property.iter().any(corners) {
            let remedy = "the element `face` needs the property list `vertex_indices`";
            return Err(MeshError::new("the faces have no vertices", remedy));
        }
        for _ in 0..if element.property.is_empty() { 0 } else { element.count } {
            for property in &element.property {
                match property.kind {
                    Kind::List { count, item } if corners(property) => {
                        self.face(numbers, count, item, strips)?;
                    }
                    _ => skip(property, numbers)?,
                }
            }
        }
        Ok(())
    }

    fn face(
        &mut self,
        numbers: &mut Numbers<'a>,
        count: Scalar,
        item: Scalar,
        strips: bool,
    ) -> Result<(), MeshError> {
        let (count, start) = length(numbers, count)?;
        self.corner.clear();
        for _ in 0..count {
            let (number, place) = numbers.next(item)?;
            // Strips are many in one list, with −1 between them.
            if strips && (number + 1.0).abs() < f64::EPSILON {
                self.mesh.triangle.extend(strip(&self.corner));
                self.corner.clear();
                continue;
            }
            let Some(index) = whole(number) else {
                return Err(
                    place.error("not an index of a vertex", "give a whole number that is not negative")
                );
            };
            if self.highest.is_none_or(|(highest, _)| index > highest) {
                self.highest = Some((index, place));
            }
            self.corner.push(index);
        }
        if strips {
            self.mesh.triangle.extend(strip(&self.corner));
        } else if count < 3 {
            return Err(start.error(format!("a face with {count} vertices"), "a face has at least three"));
        } else {
            polygon(&self.corner, &mut self.mesh.triangle);
        }
        if self.mesh.triangle.len() > MAX_ELEMENTS {
            let remedy = format!("allowed are {MAX_ELEMENTS}; simplify the mesh");
            return Err(start.error("the mesh has too many triangles", remedy));
        }
        Ok(())
    }

    fn finish(self) -> Result<TriangleMesh, MeshError> {
        let count = self.mesh.vertex.len();
        match self.highest {
            Some((index, place)) if index as usize >= count => {
                let remedy = format!("there are {count} vertices, counted from 0");
                Err(place.error(format!("there is no vertex {index}"), remedy))
            }
            _ => Ok(self.mesh),
        }
    }
}

/// Where a number stands.
#[derive(Clone, Copy)]
enum Place<'a> {
    Word(Token<'a>),
    Byte(usize),
}

impl Place<'_> {
    fn error(&self, problem: impl Into<Box<str>>, remedy: impl Into<Box<str>>) -> MeshError {
        match self {
            Self::Word(token) => token.error(problem, remedy),
            Self::Byte(offset) => MeshError { offset: Some(*offset), ..MeshError::new(problem, remedy) },
        }
    }
}

/// Hands out the numbers of the body one after the other. Every type of the format fits into an `f64` exactly.
enum Numbers<'a> {
    Text(Words<'a>),
    Binary { rest: &'a [u8], end: usize, big: bool },
}

impl<'a> Numbers<'a> {
    fn new(header: &Header<'a>, file_length: usize) -> Self {
        match header.encoding {
            Encoding::Text => Self::Text(Words::new(header.body, header.line)),
            encoding => {
                Self::Binary { rest: header.body, end: file_length, big: encoding == Encoding::BigEndian }
            }
        }
    }

    /// How many bytes are left.
    fn remaining(&self) -> usize {
        match self {
            Self::Text(words) => words.remaining(),
            Self::Binary { rest, .. } => rest.len(),
        }
    }

    /// The next number and its place.
    fn next(&mut self, scalar: Scalar) -> Result<(f64, Place<'a>), MeshError> {
        match self {
            Self::Text(words) => {
                let Some(word) = words.next() else { return Err(self.ended()) };
                let number =
                    word.parse::<f64>().ok_or_else(|| word.error("not a number", "give a number"))?;
                Ok((number, Place::Word(word)))
            }
            Self::Binary { rest, end, big } => {
                let place = Place::Byte(*end - rest.len());
                let Some((word, after)) = rest.split_at_checked(scalar.size()) else {
                    return Err(self.ended());
                };
                *rest = after;
                Ok((decode(word, scalar, *big), place))
            }
        }
    }

    /// An error at the end of the file.
    fn ended(&self) -> MeshError {
        let problem = "the file ends before all elements of its header";
        let remedy = "it is cut off, or the counts in its header are wrong; export or download it again";
        match self {
            Self::Text(words) => words.ended(problem, remedy),
            Self::Binary { end, rest, .. } => Place::Byte(*end - rest.len()).error(problem, remedy),
        }
    }
}

/// The number in a word of the right length.
fn decode(word: &[u8], scalar: Scalar, big: bool) -> f64 {
    let mut bytes = [0; 8];
    let size = word.len().min(8);
    // As little-endian, in the low bytes.
    bytes[..size].copy_from_slice(&word[..size]);
    if big {
        bytes[..size].reverse();
    }
    let raw = u64::from_le_bytes(bytes);
    match scalar {
        Scalar::I8 => f64::from(raw as u8 as i8),
        Scalar::U8 => f64::from(raw as u8),
        Scalar::I16 => f64::from(raw as u16 as i16),
        Scalar::U16 => f64::from(raw as u16),
        Scalar::I32 => f64::from(raw as u32 as i32),
        Scalar::U32 => f64::from(raw as u32),
        Scalar::F32 => f64::from(f32::from_bits(raw as u32)),
        Scalar::F64 => f64::from_bits(raw),
    }
}
