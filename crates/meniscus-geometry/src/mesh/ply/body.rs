//! The numbers of a PLY file, as text or binary.

use super::super::text::{Token, Words};
use super::header::{Encoding, Header, Scalar};
use crate::MeshError;

/// Where a number stands.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Word(Token<'a>),
    Byte(usize),
}

impl Place<'_> {
    pub fn error(&self, problem: impl Into<Box<str>>, remedy: impl Into<Box<str>>) -> MeshError {
        match self {
            Self::Word(token) => token.error(problem, remedy),
            Self::Byte(offset) => MeshError { offset: Some(*offset), ..MeshError::new(problem, remedy) },
        }
    }
}

/// Hands out the numbers of the body one after the other. Every type of the format fits into an `f64` exactly.
pub(super) enum Numbers<'a> {
    Text(Words<'a>),
    Binary { rest: &'a [u8], end: usize, big: bool },
}

impl<'a> Numbers<'a> {
    pub fn new(header: &Header<'a>, file_length: usize) -> Self {
        match header.encoding {
            Encoding::Text => Self::Text(Words::new(header.body, header.line)),
            encoding => {
                Self::Binary { rest: header.body, end: file_length, big: encoding == Encoding::BigEndian }
            }
        }
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        match self {
            Self::Text(words) => words.remaining(),
            Self::Binary { rest, .. } => rest.len(),
        }
    }

    /// The next number and its place.
    pub fn next(&mut self, scalar: Scalar) -> Result<(f64, Place<'a>), MeshError> {
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
    pub fn ended(&self) -> MeshError {
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
