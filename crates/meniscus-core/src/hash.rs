use xxhash_rust::xxh3::xxh3_128;

/// A fingerprint of a complete simulation state: equal states, and only they, have equal fingerprints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateHash(pub u128);

impl StateHash {
    /// The fingerprint of a state's bytes.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }
}

impl std::fmt::Display for StateHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}
