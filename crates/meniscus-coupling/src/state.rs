//! The state of a simulation, as bytes.

use crate::setup::SetupError;
use meniscus_core::{Clock, Ledger, StateHash};

/// All that a restart needs, and nothing that can be derived from it: the clock and the ledger of energy, then what each engine of solids and each fluid
/// says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    bytes: Vec<u8>,
}

impl State {
    pub(crate) fn begin(clock: &Clock, ledger: Ledger, parts: u32) -> Self {
        let mut bytes = Vec::new();
        bytes.extend(clock.time.to_le_bytes());
        bytes.extend(clock.step.to_le_bytes());
        bytes.extend(clock.last_dt.to_le_bytes());
        bytes.extend(ledger.excess.to_le_bytes());
        bytes.extend(parts.to_le_bytes());
        Self { bytes }
    }

    /// Adds a part that `write` appends to the bytes, after its length.
    pub(crate) fn add<E>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
        let head = self.bytes.len();
        self.bytes.extend(0_u64.to_le_bytes());
        write(&mut self.bytes)?;
        let length = (self.bytes.len() - head - LENGTH) as u64;
        self.bytes[head..head + LENGTH].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    /// The clock, the ledger, and the bytes of each part.
    pub(crate) fn parts(&self) -> Result<(Clock, Ledger, Vec<&[u8]>), SetupError> {
        let damaged = SetupError::Mismatch("its bytes are damaged");
        read(&self.bytes).ok_or(damaged)
    }

    /// A state of bytes that [`State::bytes`] gave.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Its bytes; equal states have equal ones.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, for keeping.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Its fingerprint.
    #[must_use]
    pub fn hash(&self) -> StateHash {
        StateHash::of_bytes(&self.bytes)
    }
}

/// Bytes of a length.
const LENGTH: usize = 8;

fn read(bytes: &[u8]) -> Option<(Clock, Ledger, Vec<&[u8]>)> {
    let (time, rest) = bytes.split_first_chunk()?;
    let (step, rest) = rest.split_first_chunk()?;
    let (last_dt, rest) = rest.split_first_chunk()?;
    let (excess, rest) = rest.split_first_chunk()?;
    let ledger = Ledger { excess: f64::from_le_bytes(*excess) };
    let clock = Clock {
        time: f64::from_le_bytes(*time),
        step: u64::from_le_bytes(*step),
        last_dt: f64::from_le_bytes(*last_dt),
    };
    let (count, mut rest) = rest.split_first_chunk()?;
    let mut parts = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (length, tail) = rest.split_first_chunk::<LENGTH>()?;
        let (part, tail) = tail.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts.push(part);
        rest = tail;
    }
    rest.is_empty().then_some((clock, ledger, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_gives_back_its_parts_and_damage_is_noticed() {
        let (clock, ledger) = (Clock { time: 1.5, step: 7, last_dt: 0.25 }, Ledger { excess: 3.0 });
        let mut state = State::begin(&clock, ledger, 2);
        for part in [&[1_u8, 2, 3][..], &[]] {
            let write = |bytes: &mut Vec<u8>| {
                bytes.extend(part);
                Ok::<_, ()>(())
            };
            state.add(write).unwrap();
        }
        assert_eq!(state.parts().unwrap(), (clock, ledger, vec![&[1_u8, 2, 3][..], &[]]));
        for end in 0..state.bytes().len() {
            assert!(State::from_bytes(state.bytes()[..end].to_vec()).parts().is_err(), "{end}");
        }
    }
}
