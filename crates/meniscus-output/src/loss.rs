//! What a run that goes on should find in its folder, and does not.

use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::frame::{self, Kind};
use crate::{Collection, OutputError};

/// What is gone for ever: the run goes on behind it and does not write it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Rows of the series are missing or damaged.
    Rows {
        /// The series.
        path: PathBuf,
        /// How many of them `[1]`.
        count: u64,
        /// The first step that should have a row, and has none `[1]`.
        first: u64,
    },
    /// Files of frames are missing or end too early.
    Frames {
        /// The collection that they are taken off.
        path: PathBuf,
        /// Their numbers, ascending `[1]`.
        index: Vec<u32>,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows { path, count, first } => write!(
                f,
                "{}: {count} rows before the checkpoint are missing or damaged, the first of step {first}; curves and claims do \
                 without them",
                path.display()
            ),
            Self::Frames { path, index } => {
                let many = index.len();
                let shown: Vec<String> = index.iter().take(5).map(u32::to_string).collect();
                let more = if many > shown.len() { ", …" } else { "" };
                write!(
                    f,
                    "{}: {many} frames before the checkpoint are missing or cut off: {}{more}; pictures and animations do \
                     without them",
                    path.display(),
                    shown.join(", ")
                )
            }
        }
    }
}

/// The rows of a series that must be there after `step`, when every `every`-th step has one, and are not whole.
///
/// # Errors
/// [`OutputError::Io`] when the file is there and cannot be read.
pub(crate) fn rows(path: &Path, every: u64, step: u64) -> Result<Option<Loss>, OutputError> {
    let mut due = (0..=step).step_by(usize::try_from(every.max(1)).unwrap_or(usize::MAX)).peekable();
    let (mut count, mut first) = (0, None);
    let mut miss = |due: u64| {
        count += 1;
        first.get_or_insert(due);
    };
    if path.exists() {
        let file = File::open(path).map_err(OutputError::io("read", path))?;
        let mut lines = BufReader::with_capacity(1 << 18, file).split(b'\n');
        let header = lines.next().transpose().map_err(OutputError::io("read", path))?.unwrap_or_default();
        let columns = crate::series_table::fields(&String::from_utf8_lossy(&header)).len();
        for line in lines {
            let line = line.map_err(OutputError::io("read", path))?;
            let Some(found) = whole_row(&line, columns) else { continue };
            while let Some(missing) = due.next_if(|due| *due < found) {
                miss(missing);
            }
            due.next_if_eq(&found);
        }
    }
    due.for_each(miss);
    Ok(first.map(|first| Loss::Rows { path: path.to_path_buf(), count, first }))
}

/// The step of a row that has a number in every column.
fn whole_row(line: &[u8], columns: usize) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?;
    let fields: Vec<&str> = text.split(',').collect();
    let whole = fields.len() == columns && fields.iter().all(|field| field.parse::<f64>().is_ok());
    fields.first().filter(|_| whole)?.parse().ok()
}

/// The frames below `next` that should be in a collection and on disk, and are not. Those are taken off the collection,
/// so that what reads it finds all that it names.
///
/// # Errors
/// [`OutputError::Io`] when a file cannot be read or the collection not be written.
pub(crate) fn frames(
    collection: &mut Collection,
    kind: Kind,
    next: u32,
) -> Result<Option<Loss>, OutputError> {
    let run = crate::atomic::folder_of(collection.path());
    let extension = kind.extension();
    let listed: Vec<u32> = collection.entries().iter().map(|entry| entry.0).collect();
    let mut lost = Vec::new();
    for index in 0..next {
        let path = run.join(frame::relative_name(kind, index, extension));
        if listed.binary_search(&index).is_err() || !is_whole(&path)? {
            lost.push(index);
        }
    }
    if lost.is_empty() {
        return Ok(None);
    }
    collection.drop_frames(&lost)?;
    Ok(Some(Loss::Frames { path: collection.path().to_path_buf(), index: lost }))
}

/// Whether a file of VTK is there and has its end.
fn is_whole(path: &Path) -> Result<bool, OutputError> {
    const END: &[u8] = b"</VTKFile>";
    if !fs::metadata(path).is_ok_and(|file| file.is_file()) {
        return Ok(false);
    }
    let mut tail = Vec::new();
    let mut file = File::open(path).map_err(OutputError::io("read", path))?;
    let length = file.metadata().map_err(OutputError::io("read", path))?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(32))).map_err(OutputError::io("read", path))?;
    file.read_to_end(&mut tail).map_err(OutputError::io("read", path))?;
    Ok(tail.windows(END.len()).any(|part| part == END))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_damaged_rows_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let lost = |text: &str, every| {
            fs::write(&path, text).unwrap();
            match rows(&path, every, 6).unwrap() {
                Some(Loss::Rows { count, first, .. }) => (count, first),
                _ => (0, 0),
            }
        };
        let whole = "step,\"a,b\"\n0,1\n2,1\n3,NaN\n4,1e9\n6,-2\n7,0\n";
        assert_eq!(lost(whole, 2), (0, 0));
        assert_eq!(lost(&whole.replace("4,1e9\n", ""), 2), (1, 4));
        assert_eq!(lost(&whole.replace("4,1e9", "4,1e9,3"), 2), (1, 4));
        assert_eq!(lost(&whole.replace("2,1", "2,x"), 2), (1, 2));
        assert_eq!(lost("step,\"a,b\"\n0,1\n?\n", 2), (3, 2));
        assert_eq!(lost("", 3), (3, 0));
        fs::remove_file(&path).unwrap();
        assert!(rows(&path, 1, 6).unwrap().is_some_and(|loss| loss.to_string().contains("7 rows")));
    }
}
