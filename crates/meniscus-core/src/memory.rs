//! Memory that is asked for before it is needed.
//!
//! When an allocation fails, a program in Rust is aborted, and nothing can be said or saved. So whoever is about to need much
//! memory, because a scene is large, asks for all of it first: what the system refuses (`ulimit -v`, or a machine that promises no
//! more than it has) is then an error with a remedy. A system that promises more than it has cannot be asked like this; there, a
//! run is compared with what the machine has before it starts.

use std::fmt;
use std::hint::black_box;

/// There is no memory for something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("there is no memory for {what}, about {bytes}")]
pub struct OutOfMemory {
    /// What it was for.
    pub what: &'static str,
    /// How much is needed.
    pub bytes: Bytes,
}

/// An amount of memory `[byte]`, which is shown in MB or GB with two or three digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Bytes(pub f64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes >= 9.995e9 => write!(f, "{:.0} GB", bytes / 1e9),
            bytes if bytes >= 0.9995e9 => write!(f, "{:.1} GB", bytes / 1e9),
            bytes => write!(f, "{:.0} MB", bytes / 1e6),
        }
    }
}

/// Asks the system for `bytes` of memory in one piece and gives them back.
///
/// # Errors
/// [`OutOfMemory`] if it refuses.
pub fn require_memory(bytes: f64, what: &'static str) -> Result<(), OutOfMemory> {
    let mut room: Vec<u8> = Vec::new();
    // Numbers beyond all memory become the largest one, which is refused.
    let reserved = room.try_reserve_exact(bytes as usize);
    // A compiler may leave out memory that nobody uses.
    black_box(&room);
    reserved.map_err(|_| OutOfMemory { what, bytes: Bytes(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_in_words() {
        assert_eq!(require_memory(1e6, "a test"), Ok(()));
        assert_eq!(require_memory(0.0, "nothing"), Ok(()));
        for absurd in [1e17, 1e300, f64::INFINITY] {
            assert!(require_memory(absurd, "a test").is_err(), "{absurd}");
        }
        let refused = OutOfMemory { what: "a map", bytes: Bytes(1.24e9) };
        assert_eq!(refused.to_string(), "there is no memory for a map, about 1.2 GB");
        assert_eq!(format!("{} {}", Bytes(12.3e6), Bytes(123e9)), "12 MB 123 GB");
    }
}
