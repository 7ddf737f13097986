use serde::{Deserialize, Serialize};

/// Whether a scene lives in the plane z = 0 or in space.
///
/// The same code serves both: a planar scene simply has z = 0 everywhere and uses the kernel's planar
/// normalisation. Volumes are then areas, masses are masses per metre of depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dimension {
    /// The plane z = 0.
    Two,
    /// Space.
    Three,
}

impl Dimension {
    /// The number of coordinates `[1]`.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// The volume of one lattice cell, spacing to the power of the dimension `[m^d]`.
    #[must_use]
    pub fn cell_volume(self, spacing: f64) -> f64 {
        match self {
            Self::Two => spacing * spacing,
            Self::Three => spacing * spacing * spacing,
        }
    }
}
