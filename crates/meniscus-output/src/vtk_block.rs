//! Arrays as VTK stores them with its zlib compressor: in blocks, each a zlib stream of its own.

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use meniscus_core::StateHash;
use rayon::prelude::*;

/// Bytes of a block: large enough to compress well, small enough to give every thread some work.
const BLOCK: usize = 1 << 18;

/// The most bytes that one piece of a stored stream can have (RFC 1951, Sec. 3.2.4).
const STORED: usize = 0xFFFF;

/// Blocks of arrays that hardly change from file to file, such as the numbers of cells, as they were packed last.
#[derive(Debug, Default)]
pub(crate) struct Known {
    block: HashMap<(&'static str, usize), (StateHash, Vec<u8>)>,
}

impl Known {
    /// An array of that name, packed; only blocks that differ from those of the last array of this name are compressed.
    pub(crate) fn pack(&mut self, name: &'static str, bytes: &[u8]) -> Vec<u8> {
        let blocks = bytes.chunks(BLOCK).enumerate().map(|(k, block)| {
            let hash = StateHash::of_bytes(block);
            let known = self.block.remove(&(name, k)).filter(|known| known.0 == hash);
            known.unwrap_or_else(|| (hash, deflate(block)))
        });
        let blocks: Vec<(StateHash, Vec<u8>)> = blocks.collect();
        let packed = join(bytes.len(), blocks.iter().map(|(_, block)| block.as_slice()));
        self.block.extend(blocks.into_iter().enumerate().map(|(k, block)| ((name, k), block)));
        packed
    }
}

/// An array, compressed.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = bytes.par_chunks(BLOCK).map(deflate).collect();
    join(bytes.len(), blocks.iter().map(Vec::as_slice))
}

/// An array as it is: digits of floats are noise to a compressor, which would save a tenth for most of the time that a
/// file takes.
pub(crate) fn store(bytes: &[u8]) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = bytes.chunks(BLOCK).map(stored).collect();
    join(bytes.len(), blocks.iter().map(Vec::as_slice))
}

/// VTK's layout: number of blocks, block length, length of a shorter last block or 0, the packed lengths, then the
/// blocks.
fn join<'a>(length: usize, blocks: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Vec<u8> {
    let head = [blocks.len(), BLOCK, length % BLOCK];
    let lengths = head.into_iter().chain(blocks.clone().map(<[u8]>::len));
    let mut all: Vec<u8> = lengths.flat_map(|n| (n as u64).to_le_bytes()).collect();
    all.reserve_exact(blocks.clone().map(<[u8]>::len).sum());
    blocks.for_each(|block| all.extend_from_slice(block));
    all
}

fn deflate(block: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written: io::Result<Vec<u8>> = encoder.write_all(block).and_then(|()| encoder.finish());
    // Compressing into memory has no way to fail.
    written.unwrap_or_default()
}

/// A zlib stream (RFC 1950) of pieces that are stored as they are: the compressor's own way to that takes a tenth of a
/// run's time, this one that of a copy.
fn stored(block: &[u8]) -> Vec<u8> {
    let mut stream = Vec::with_capacity(block.len() + 5 * block.len().div_ceil(STORED) + 6);
    // Deflate with a window of 32 KiB, the fastest level.
    stream.extend([0x78, 0x01]);
    let pieces = block.chunks(STORED);
    let last = pieces.len().saturating_sub(1);
    for (k, piece) in pieces.enumerate() {
        let length = piece.len() as u16;
        stream.push(u8::from(k == last));
        stream.extend(length.to_le_bytes());
        stream.extend((!length).to_le_bytes());
        stream.extend_from_slice(piece);
    }
    stream.extend(simd_adler32::adler32(&block).to_be_bytes());
    stream
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    fn unpacked(all: &[u8]) -> Vec<u8> {
        let word = |k: usize| u64::from_le_bytes(all[8 * k..8 * k + 8].try_into().unwrap()) as usize;
        let mut place = 8 * (3 + word(0));
        let mut bytes = Vec::new();
        for k in 0..word(0) {
            ZlibDecoder::new(&all[place..place + word(3 + k)]).read_to_end(&mut bytes).unwrap();
            place += word(3 + k);
        }
        assert_eq!(place, all.len());
        bytes
    }

    fn noise(n: usize) -> Vec<u8> {
        (0..n as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8).collect()
    }

    #[test]
    fn every_length_comes_back() {
        for n in [0, 1, STORED - 1, STORED, STORED + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 77] {
            let bytes = noise(n);
            assert_eq!(unpacked(&store(&bytes)), bytes, "{n} stored");
            assert_eq!(unpacked(&pack(&bytes)), bytes, "{n} packed");
            assert_eq!(Known::default().pack("a", &bytes), pack(&bytes), "{n}");
        }
    }

    #[test]
    fn what_is_known_changes_nothing() {
        let mut known = Known::default();
        let mut bytes = noise(2 * BLOCK + 100);
        for _ in 0..2 {
            assert_eq!(known.pack("a", &bytes), pack(&bytes));
            assert_eq!(known.pack("b", &bytes[7..]), pack(&bytes[7..]));
        }
        bytes[BLOCK] ^= 1;
        assert_eq!(known.pack("a", &bytes), pack(&bytes));
        bytes.truncate(BLOCK / 2);
        assert_eq!(known.pack("a", &bytes), pack(&bytes));
    }
}
