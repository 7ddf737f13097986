//! Frames that were packed lately, so that a page that plays them again, or wants more particles of one, is answered from memory.

use super::packed;
use meniscus_output::OutputError;
use meniscus_run::Replay;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The most bytes that are kept: about a hundred frames of half a million particles `[byte]`.
const MOST_BYTES: usize = 450 << 20;

/// The number of a frame and when its file was written: a run that begins again writes others.
type Key = (u32, Option<SystemTime>);

/// The frames of one run, packed with all their particles.
#[derive(Debug, Default)]
pub(super) struct Store {
    kept: Mutex<VecDeque<(Key, Arc<Vec<u8>>)>>,
}

impl Store {
    /// A frame, packed, with at most so many particles.
    pub fn frame(&self, replay: &Replay<'_>, at: (u32, f64), most: usize) -> Result<Vec<u8>, OutputError> {
        let key = (at.0, replay.written(at));
        let known = self.kept().iter().find(|(other, _)| *other == key).map(|(_, frame)| Arc::clone(frame));
        if let Some(known) = known {
            return Ok(packed::beginning(&known, most));
        }
        let whole = Arc::new(packed::frame(&replay.frame(at)?, super::MOST_PARTICLES));
        self.keep(key, Arc::clone(&whole));
        Ok(packed::beginning(&whole, most))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<(Key, Arc<Vec<u8>>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a frame, and lets go of the oldest ones.
    fn keep(&self, key: Key, frame: Arc<Vec<u8>>) {
        let mut kept = self.kept();
        kept.retain(|(other, _)| other.0 != key.0);
        kept.push_back((key, frame));
        let mut bytes: usize = kept.iter().map(|(_, frame)| frame.len()).sum();
        while bytes > MOST_BYTES {
            bytes -= kept.pop_front().map_or(bytes, |(_, frame)| frame.len());
        }
    }
}
