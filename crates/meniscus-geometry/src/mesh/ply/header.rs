//! The header of a PLY file: what its body holds, in which order and how it is written.

use super::super::text::{Token, Words};
use crate::MeshError;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a number in a binary file.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// One number, or a count and as many numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

/// A named value of an element.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub name: Vec<u8>,
    pub kind: Kind,
}

/// A table of the body.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub name: Vec<u8>,
    /// How many rows the table is said to have: to be believed only as far as there are bytes.
    pub count: u64,
    pub property: Vec<Property>,
}

impl Element {
    /// The fewest bytes that a row can take: empty lists, and in a text one digit and one space for each number.
    pub fn smallest_row(&self, encoding: Encoding) -> u64 {
        let size = |p: &Property| match (encoding, p.kind) {
            (Encoding::Text, _) => 2,
            (_, Kind::Scalar(scalar)) => scalar.size() as u64,
            (_, Kind::List { count, .. }) => count.size() as u64,
        };
        self.property.iter().map(size).sum()
    }
}

/// What the header says.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub encoding: Encoding,
    pub element: Vec<Element>,
    /// What comes after it.
    pub body: &'a [u8],
    /// The number of the body's first line.
    pub line: usize,
}

const STATEMENTS: &str =
    "a header holds format, comment, obj_info, element, property, and ends with end_header";
const TYPES: &str = "types are char, uchar, short, ushort, int, uint, float, double, or int8 to int32, uint8 to uint32, float32, float64";

pub(super) fn read(bytes: &[u8]) -> Result<Header<'_>, MeshError> {
    let mut encoding = None;
    let mut element: Vec<Element> = Vec::new();
    let mut rest = bytes;
    let mut number = 0;
    loop {
        let Some((line, after)) = split_line(rest) else {
            let remedy = "the file is cut off or not a PLY file; export or download it again";
            return Err(MeshError {
                line: Some(number + 1),
                ..MeshError::new("the file ends within its header", remedy)
            });
        };
        (rest, number) = (after, number + 1);
        let words: Vec<Token<'_>> = Words::new(line, number).collect();
        let [keyword, arguments @ ..] = words.as_slice() else { continue };
        match (number, keyword.text) {
            (1, b"ply") => {}
            (1, _) => return Err(keyword.error("not a PLY file", "its first line is `ply`")),
            (_, b"comment" | b"obj_info") => {}
            (_, b"format") => encoding = Some(format(keyword, arguments)?),
            (_, b"element") => element.push(table(keyword, arguments)?),
            (_, b"property") => {
                let property = property(keyword, arguments)?;
                let Some(last) = element.last_mut() else {
                    return Err(keyword.error("a property before the first element", STATEMENTS));
                };
                last.property.push(property);
            }
            (_, b"end_header") => {
                let missing = || keyword.error("the header does not name a format", "add `format ascii 1.0`");
                return Ok(Header {
                    encoding: encoding.ok_or_else(missing)?,
                    element,
                    body: rest,
                    line: number + 1,
                });
            }
            _ => return Err(keyword.error("unknown statement", STATEMENTS)),
        }
    }
}

/// The first line, and what follows; lines end with LF, CR LF, or in old files CR. The bytes after a CR may belong to
/// a binary body, so only an LF is taken with it.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'))?;
    let (line, rest) = bytes.split_at(end);
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    Some((line, rest))
}

fn format(keyword: &Token<'_>, arguments: &[Token<'_>]) -> Result<Encoding, MeshError> {
    let allowed = "allowed are `format ascii 1.0`, `binary_little_endian 1.0` and `binary_big_endian 1.0`";
    let [name, ..] = arguments else { return Err(keyword.error("a format without a name", allowed)) };
    match name.text {
        b"ascii" => Ok(Encoding::Text),
        b"binary_little_endian" => Ok(Encoding::LittleEndian),
        b"binary_big_endian" => Ok(Encoding::BigEndian),
        _ => Err(name.error("unknown format", allowed)),
    }
}

fn table(keyword: &Token<'_>, arguments: &[Token<'_>]) -> Result<Element, MeshError> {
    let [name, count, ..] = arguments else {
        return Err(keyword.error("an incomplete element", "give its name and count: element vertex 8"));
    };
    let Some(rows) = count.parse() else {
        return Err(count.error("not a count", "give a whole number that is not negative"));
    };
    Ok(Element { name: name.text.to_vec(), count: rows, property: Vec::new() })
}

fn property(keyword: &Token<'_>, arguments: &[Token<'_>]) -> Result<Property, MeshError> {
    let scalar = |token: &Token<'_>| Scalar::of(token.text).ok_or_else(|| token.error("unknown type", TYPES));
    match arguments {
        [list, count, item, name, ..] if list.text == b"list" => {
            let kind = Kind::List { count: scalar(count)?, item: scalar(item)? };
            if !scalar(count)?.is_integer() {
                return Err(count.error("a list cannot be counted in", "give the count a whole-number type"));
            }
            Ok(Property { name: name.text.to_vec(), kind })
        }
        [kind, name, ..] if kind.text != b"list" => {
            Ok(Property { name: name.text.to_vec(), kind: Kind::Scalar(scalar(kind)?) })
        }
        _ => {
            let remedy = "give `property TYPE NAME` or `property list TYPE TYPE NAME`";
            Err(keyword.error("an incomplete property", remedy))
        }
    }
}
