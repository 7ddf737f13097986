use meniscus_core::{OutOfMemory, require_memory};
use std::fmt;
use std::path::Path;

/// The most points that [`fill`](crate::fill) and [`Solid::sample_surface`](crate::Solid::sample_surface) return
/// `[1]`: 4.8 GB of coordinates, well above what a scene can simulate and well below what exhausts an address space.
pub const MAX_POINTS: f64 = 200e6;

/// What is wrong with a mesh or its file, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct MeshError {
    /// The file, if the mesh came from one.
    pub path: Option<Box<Path>>,
    /// The line of the file, counted from 1.
    pub line: Option<usize>,
    /// The column in bytes where the offending text starts, counted from 1.
    pub column: Option<usize>,
    /// In files that are not text, how many bytes come before the offending ones.
    pub offset: Option<usize>,
    /// The offending text, shortened if it is long.
    pub text: Option<Box<str>>,
    /// What is wrong.
    pub problem: Box<str>,
    /// What is allowed, or how to mend it.
    pub remedy: Box<str>,
}

impl MeshError {
    /// An error about the mesh as a whole.
    pub(crate) fn new(problem: impl Into<Box<str>>, remedy: impl Into<Box<str>>) -> Self {
        Self {
            path: None,
            line: None,
            column: None,
            offset: None,
            text: None,
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    /// The same error about the mesh of this file.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        Self { path: Some(path.into()), ..self }
    }

    /// Where in the file, in words; nothing if the error is about the file or the mesh as a whole.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match (self.line, self.column, self.offset) {
            (Some(line), Some(column), _) => Some(format!("line {line}, column {column}")),
            (Some(line), None, _) => Some(format!("line {line}")),
            (None, _, Some(offset)) => Some(format!("byte {offset}")),
            (None, _, None) => None,
        }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        if let Some(place) = self.place() {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.problem)?;
        if let Some(text) = &self.text {
            write!(f, " `{text}`")?;
        }
        write!(f, "; {}", self.remedy)
    }
}

/// Why points could not be placed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GeometryError {
    /// More points than memory should be spent on.
    #[error("this takes about {count:.3e} points, more than the limit of {limit:.0e}; use a larger spacing")]
    TooMany {
        /// How many there would be `[1]`.
        count: f64,
        /// How many are allowed, [`MAX_POINTS`] `[1]`.
        limit: f64,
    },
    /// A size, spacing, depth or pose that makes no sense.
    #[error("{what} makes no sense; allowed: {allowed}")]
    Invalid {
        /// The offending quantity with its value.
        what: String,
        /// What would do.
        allowed: &'static str,
    },
    /// The system has no memory for it.
    #[error("{0}; use a larger spacing, or allow the program more memory")]
    NoMemory(#[from] OutOfMemory),
    /// A shape without a volume cannot be filled.
    #[error("a plane has no volume to fill; use a box that ends at the plane")]
    NoVolume,
    /// The mesh does not allow what was asked of it.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// What a point takes while it is placed: itself, and what is kept beside it to find its neighbours `[byte]`.
const BYTES_PER_POINT: f64 = 64.0;

/// Refuses counts that would exhaust the memory (NaN included), before anything is allocated.
pub(crate) fn allow_count(count: f64) -> Result<(), GeometryError> {
    // The comparison is false for NaN.
    if count <= MAX_POINTS {
        return Ok(require_memory(BYTES_PER_POINT * count, "points of this shape")?);
    }
    Err(GeometryError::TooMany { count, limit: MAX_POINTS })
}

/// Refuses lengths `[m]` that are not positive and finite.
pub(crate) fn require_positive(name: &str, value: f64) -> Result<(), GeometryError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(GeometryError::Invalid {
            what: format!("{name} = {value} m"),
            allowed: "a positive, finite length",
        })
    }
}

/// Refuses lengths `[m]` that are negative or not finite.
pub(crate) fn require_not_negative(name: &str, value: f64) -> Result<(), GeometryError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(GeometryError::Invalid {
            what: format!("{name} = {value} m"),
            allowed: "a finite length, not negative",
        })
    }
}
