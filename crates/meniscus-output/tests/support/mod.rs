//! Frames to write and a small reader of what the VTU writer makes.

use std::collections::BTreeMap;
use std::io::Read;

use meniscus_core::{DVec3, ParticleFrame};

/// A frame with values that are all different.
pub fn frame(index: u32, count: usize) -> ParticleFrame {
    let vector =
        |i: usize, k: f64| DVec3::new(i as f64 * k + 0.1, -k * i as f64 / 3.0, k + (i as f64).sqrt());
    ParticleFrame {
        index,
        step: u64::from(index) * 10,
        time: f64::from(index) * 0.1,
        id: (0..count as u64).map(|i| i * 3 + 7).collect(),
        position: (0..count).map(|i| vector(i, 0.37)).collect(),
        velocity: (0..count).map(|i| vector(i, -1.9)).collect(),
        density: (0..count).map(|i| 1000.0 + i as f32).collect(),
        pressure: (0..count).map(|i| i as f32 * -0.5).collect(),
    }
}

/// The arrays of a VTU file by name, as bytes.
pub fn read_vtu(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mark = b"<AppendedData encoding=\"raw\">\n   _";
    let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
    let header = std::str::from_utf8(&bytes[..start]).unwrap();
    let declared = header.lines().filter(|line| line.contains("format=\"appended\""));
    let read = |line: &str| {
        let offset: usize = attribute(line, "offset").parse().unwrap();
        (attribute(line, "Name").to_owned(), inflate(&bytes[start + offset..]))
    };
    declared.map(read).collect()
}

fn attribute<'a>(line: &'a str, name: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!("{name}=\"")).unwrap();
    rest.split_once('"').unwrap().0
}

fn inflate(bytes: &[u8]) -> Vec<u8> {
    let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()) as usize;
    let (blocks, block_bytes, last_bytes) = (word(0), word(1), word(2));
    let mut at = 8 * (3 + blocks);
    let mut out = Vec::new();
    for block in 0..blocks {
        let packed = &bytes[at..at + word(3 + block)];
        let before = out.len();
        flate2::read::ZlibDecoder::new(packed).read_to_end(&mut out).unwrap();
        let full = block + 1 < blocks || last_bytes == 0;
        assert_eq!(out.len() - before, if full { block_bytes } else { last_bytes });
        at += packed.len();
    }
    out
}
