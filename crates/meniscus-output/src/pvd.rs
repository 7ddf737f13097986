//! The collections `fluid.pvd`, `bodies.pvd`, `surface.pvd` and `deformable.pvd`: which frames exist and when they happened.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::frame::{self, Kind};
use crate::{OutputError, atomic};

/// The frames of a run that are on disk, with their times.
///
/// The file is rewritten as a whole after each frame, so that it never names a frame that is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    path: PathBuf,
    kind: Kind,
    /// Frame number and simulated time `[s]`, ascending.
    entries: Vec<(u32, f64)>,
}

impl Collection {
    /// A collection without frames; nothing is written until the first is added.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), kind: kind_of(path), entries: Vec::new() }
    }

    /// Reads back a collection this crate wrote; a missing file is an empty collection, and lines that are not ours
    /// are dropped.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file exists and cannot be read.
    pub fn load(path: &Path) -> Result<Self, OutputError> {
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(OutputError::io("read", path)(error)),
        };
        Ok(Self { entries: text.lines().filter_map(entry_of).collect(), ..Self::new(path) })
    }

    /// Adds a frame that is on disk, at `time` `[s]`, in place of earlier ones with the same or a larger number,
    /// and writes the file.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub fn add(&mut self, index: u32, time: f64) -> Result<(), OutputError> {
        self.entries.retain(|&(other, _)| other < index);
        self.entries.push((index, time));
        self.save()
    }

    /// Keeps only the frames with a number below `next_frame`, and writes the file.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub fn cut(&mut self, next_frame: u32) -> Result<(), OutputError> {
        self.entries.retain(|&(index, _)| index < next_frame);
        self.save()
    }

    /// Takes these frames, ascending, off, and writes the file.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub(crate) fn drop_frames(&mut self, lost: &[u32]) -> Result<(), OutputError> {
        self.entries.retain(|(index, _)| lost.binary_search(index).is_err());
        self.save()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Frame numbers and times `[s]`, ascending.
    #[must_use]
    pub fn entries(&self) -> &[(u32, f64)] {
        &self.entries
    }

    fn save(&self) -> Result<(), OutputError> {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  <Collection>\n",
        );
        let extension = self.kind.extension();
        for &(index, time) in &self.entries {
            let file = frame::relative_name(self.kind, index, extension);
            // Writing to a String cannot fail.
            let _ = writeln!(text, r#"    <DataSet timestep="{time:?}" group="" part="0" file="{file}"/>"#);
        }
        text += "  </Collection>\n</VTKFile>\n";
        atomic::write(&self.path, text.as_bytes())
    }
}

/// What the frames of a collection show, by its name.
fn kind_of(path: &Path) -> Kind {
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some("bodies") => Kind::Bodies,
        Some("surface") => Kind::Surface,
        Some("deformable") => Kind::Deformable,
        _ => Kind::Fluid,
    }
}

/// Reads one line of our own making.
fn entry_of(line: &str) -> Option<(u32, f64)> {
    let rest = line.trim().strip_prefix("<DataSet timestep=\"")?;
    let (time, rest) = rest.split_once('"')?;
    let (_, file) = rest.split_once("file=\"frames/")?;
    Some((frame::index_of(file.strip_suffix("\"/>")?)?, time.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_survives_saving_and_cutting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fluid.pvd");
        let mut collection = Collection::load(&path).unwrap();
        assert!(collection.entries().is_empty());
        for index in 0..4 {
            collection.add(index, f64::from(index) * 0.1).unwrap();
        }
        assert_eq!(Collection::load(&path).unwrap(), collection);
        collection.cut(2).unwrap();
        assert_eq!(Collection::load(&path).unwrap().entries(), [(0, 0.0), (1, 0.1)]);
    }

    #[test]
    fn garbage_is_an_empty_collection() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("fluid.pvd");
        fs::write(&path, b"\xff\xfe<DataSet timestep=\"x\n<DataSet timestep=\"1\" file=\"frames/../a\"/>")
            .unwrap();
        assert!(Collection::load(&path).unwrap().entries().is_empty());
    }
}
