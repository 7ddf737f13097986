use std::io::{self, Read, Write};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::Checkpoint;

/// The format's version that this crate writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// All payloads of a checkpoint together, uncompressed, are at most this long `[byte]`: 64 GiB.
pub const MAX_PAYLOAD_BYTES: u64 = 64 << 30;

const MAGIC: [u8; 8] = *b"MNSCKPT\n";
const CHECKSUM_BYTES: usize = 16;
const PREFIX_BYTES: usize = 8 + 4 + 4 + 8 + 4;

/// State is mostly floats that hardly compress: the fastest ordinary level gets nearly all there is.
const ZSTD_LEVEL: i32 = 1;

/// What is wrong with the bytes of a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file does not begin as a checkpoint does.
    #[error("this is not a checkpoint")]
    WrongMagic,
    /// The format is one this program does not know.
    #[error("its format is version {found}; this program reads version {VERSION}")]
    UnknownVersion {
        /// The version in the file.
        found: u32,
    },
    /// The file uses a feature this program does not know.
    #[error("it uses features this program does not know (flags {flags:#x})")]
    UnknownFlags {
        /// The flags in the file.
        flags: u32,
    },
    /// The file ends early or goes on after its end.
    #[error("it should be {expected} bytes long and is {found}")]
    WrongLength {
        /// Length the file says it has `[byte]`.
        expected: u64,
        /// Length it has `[byte]`.
        found: u64,
    },
    /// The file was changed after it was written.
    #[error("its checksum does not match: the file is damaged")]
    BadChecksum,
    /// The checksum holds, yet the content makes no sense.
    #[error("its content is malformed: {reason}")]
    Malformed {
        /// What makes no sense.
        reason: String,
    },
    /// The payload is longer than [`MAX_PAYLOAD_BYTES`].
    #[error("its payload of {bytes} bytes exceeds the limit of {MAX_PAYLOAD_BYTES} bytes")]
    TooLarge {
        /// Length of the payload, uncompressed `[byte]`.
        bytes: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    step: u64,
    time: f64,
    scene_hash: u128,
    sections: Vec<Section>,
}

#[derive(Serialize, Deserialize)]
struct Section {
    name: String,
    packed_bytes: u64,
    bytes: u64,
}

/// The bytes of a checkpoint's file.
///
/// # Errors
/// [`CheckpointError::TooLarge`] for a payload that could not be read back, [`CheckpointError::Malformed`] when it
/// cannot be packed.
pub fn encode(checkpoint: &Checkpoint) -> Result<Vec<u8>, CheckpointError> {
    let mut out = Vec::new();
    Packed::new(checkpoint)?.write(&mut out).map_err(malformed)?;
    Ok(out)
}

/// A checkpoint that is ready to be written.
pub(super) struct Packed {
    header: Vec<u8>,
    sections: Vec<Vec<u8>>,
}

impl Packed {
    /// Compresses all sections.
    pub fn new(checkpoint: &Checkpoint) -> Result<Self, CheckpointError> {
        check_size(checkpoint.sections.iter().map(|(_, bytes)| bytes.len() as u64))?;
        let pack = |(_, bytes): &(String, Vec<u8>)| zstd::bulk::compress(bytes, ZSTD_LEVEL);
        let sections: Vec<Vec<u8>> =
            checkpoint.sections.par_iter().map(pack).collect::<io::Result<_>>().map_err(malformed)?;
        Ok(Self { header: header_bytes(checkpoint, &sections)?, sections })
    }

    /// Writes the file's bytes, piece by piece.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { header, sections } = self;
        let length =
            PREFIX_BYTES + header.len() + sections.iter().map(Vec::len).sum::<usize>() + CHECKSUM_BYTES;
        let mut checksum = Xxh3::new();
        let prefix: [&[u8]; 6] = [
            &MAGIC,
            &VERSION.to_le_bytes(),
            &0_u32.to_le_bytes(),
            &(length as u64).to_le_bytes(),
            &(header.len() as u32).to_le_bytes(),
            header,
        ];
        for piece in prefix.into_iter().chain(sections.iter().map(Vec::as_slice)) {
            checksum.update(piece);
            out.write_all(piece)?;
        }
        out.write_all(&checksum.digest128().to_le_bytes())
    }
}

fn header_bytes(checkpoint: &Checkpoint, packed: &[Vec<u8>]) -> Result<Vec<u8>, CheckpointError> {
    let sections = checkpoint.sections.iter().zip(packed).map(|((name, bytes), packed)| Section {
        name: name.clone(),
        packed_bytes: packed.len() as u64,
        bytes: bytes.len() as u64,
    });
    let header = Header {
        step: checkpoint.step,
        time: checkpoint.time,
        scene_hash: checkpoint.scene_hash,
        sections: sections.collect(),
    };
    postcard::to_stdvec(&header).map_err(malformed)
}

/// Reads a checkpoint from the bytes of its file.
///
/// # Errors
/// A [`CheckpointError`] for any bytes that [`encode`] did not make.
pub fn decode(bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let header_bytes = check_envelope(bytes)?;
    // The envelope has shown that prefix and checksum are there.
    let body = &bytes[PREFIX_BYTES..bytes.len() - CHECKSUM_BYTES];
    let (header, mut rest) = split(body, u64::from(header_bytes))?;
    let (header, tail): (Header, _) = postcard::take_from_bytes(header).map_err(malformed)?;
    if !tail.is_empty() {
        return Err(malformed("the header is longer than its content"));
    }
    check_size(header.sections.iter().map(|section| section.bytes))?;
    let mut sections = Vec::new();
    for section in header.sections {
        let (packed, after) = split(rest, section.packed_bytes)?;
        sections.push((section.name, unpack(packed, section.bytes)?));
        rest = after;
    }
    if !rest.is_empty() {
        return Err(malformed("bytes follow the last section"));
    }
    Ok(Checkpoint { step: header.step, time: header.time, scene_hash: header.scene_hash, sections })
}

/// Checks magic, version, length, checksum and flags, in the order that gives the most useful message; returns the
/// length of the header.
fn check_envelope(bytes: &[u8]) -> Result<u32, CheckpointError> {
    let found = bytes.len() as u64;
    if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
        return Err(CheckpointError::WrongMagic);
    }
    if bytes.len() < PREFIX_BYTES + CHECKSUM_BYTES {
        return Err(CheckpointError::WrongLength { expected: (PREFIX_BYTES + CHECKSUM_BYTES) as u64, found });
    }
    let version = u32_at(bytes, 8);
    if version != VERSION {
        return Err(CheckpointError::UnknownVersion { found: version });
    }
    let expected = u64::from(u32_at(bytes, 16)) | u64::from(u32_at(bytes, 20)) << 32;
    if expected != found {
        return Err(CheckpointError::WrongLength { expected, found });
    }
    let (content, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
    if xxh3_128(content).to_le_bytes() != checksum {
        return Err(CheckpointError::BadChecksum);
    }
    match u32_at(bytes, 12) {
        0 => Ok(u32_at(bytes, 24)),
        flags => Err(CheckpointError::UnknownFlags { flags }),
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn split(bytes: &[u8], at: u64) -> Result<(&[u8], &[u8]), CheckpointError> {
    let at = usize::try_from(at).ok();
    at.and_then(|at| bytes.split_at_checked(at)).ok_or_else(|| malformed("a section reaches beyond the file"))
}

/// Unpacks as a stream: memory grows with what really comes out, never with what a header merely claims.
fn unpack(packed: &[u8], bytes: u64) -> Result<Vec<u8>, CheckpointError> {
    let mut out = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed).map_err(malformed)?;
    decoder.take(bytes + 1).read_to_end(&mut out).map_err(malformed)?;
    if out.len() as u64 != bytes {
        return Err(malformed("a section has not the length its header says"));
    }
    Ok(out)
}

fn check_size(lengths: impl Iterator<Item = u64>) -> Result<(), CheckpointError> {
    let bytes = lengths.fold(0, u64::saturating_add);
    if bytes > MAX_PAYLOAD_BYTES { Err(CheckpointError::TooLarge { bytes }) } else { Ok(()) }
}

#[allow(clippy::needless_pass_by_value, reason = "made for map_err, which passes by value")]
fn malformed(reason: impl ToString) -> CheckpointError {
    CheckpointError::Malformed { reason: reason.to_string() }
}
