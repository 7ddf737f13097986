//! Checkpoints: everything a restart needs, in one file that proves it is whole.
//!
//! ```text
//! magic      8 bytes  "MNSCKPT\n"
//! version    u32      1
//! flags      u32      0; a reader refuses flags it does not know
//! length     u64      of the whole file
//! header     u32      length of the header, then the header in postcard: step, time, scene hash, sections
//! sections            zstd, one after another
//! checksum   u128     xxh3 of everything before
//! ```
//!
//! Numbers are little-endian. Any bytes whatever decode to a checkpoint or to a [`CheckpointError`]; memory stays
//! within the length of the file and [`MAX_PAYLOAD_BYTES`].

mod codec;
mod store;

pub use codec::{CheckpointError, MAX_PAYLOAD_BYTES, VERSION, decode, encode};
pub use store::{LatestCheckpoint, file_name, load, load_latest, steps_in, write};

/// A state to restart from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checkpoint {
    /// Steps completed so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Fingerprint of the scene the state belongs to.
    pub scene_hash: u128,
    /// Payloads by name, in the order they were given.
    pub sections: Vec<(String, Vec<u8>)>,
}

impl Checkpoint {
    /// The bytes of the first section of that name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&[u8]> {
        self.sections.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes.as_slice())
    }
}
