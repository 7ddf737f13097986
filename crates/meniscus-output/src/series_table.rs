//! `series.csv` as columns of numbers.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::OutputError;

/// The most rows that are kept: more than a plot has pixels.
const MOST_ROWS: usize = 1500;

/// Columns of numbers by their names.
#[derive(Debug, Clone, Default)]
pub struct SeriesTable {
    names: Vec<String>,
    column: HashMap<String, Vec<f64>>,
}

impl SeriesTable {
    /// Reads a series.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, OutputError> {
        Self::with_rows(path, usize::MAX)
    }

    /// Reads a series; of long ones only every so many rows, and the last.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be read.
    pub fn thinned(path: &Path) -> Result<Self, OutputError> {
        Self::with_rows(path, MOST_ROWS)
    }

    fn with_rows(path: &Path, most: usize) -> Result<Self, OutputError> {
        let text = fs::read_to_string(path).map_err(OutputError::io("read", path))?;
        let mut lines = text.lines();
        let names = fields(lines.next().unwrap_or_default());
        let rows: Vec<&str> = lines.collect();
        let stride = rows.len().div_ceil(most).max(1);
        let last = rows.len().saturating_sub(1);
        let kept = rows.iter().enumerate().filter(|(k, _)| k % stride == 0 || *k == last);
        let mut values = vec![Vec::new(); names.len()];
        for (_, row) in kept {
            for (slot, number) in values.iter_mut().zip(row.split(',')) {
                slot.push(number.parse().unwrap_or(f64::NAN));
            }
        }
        Ok(Self { column: names.iter().cloned().zip(values).collect(), names })
    }

    /// Points of a column over time; nothing if there is no such column.
    #[must_use]
    pub fn over_time(&self, name: &str) -> Vec<[f64; 2]> {
        let (Some(time), Some(value)) = (self.column.get("time"), self.column.get(name)) else {
            return Vec::new();
        };
        time.iter().zip(value).map(|(t, v)| [*t, *v]).collect()
    }

    /// Points of the length of a vector over time, whose components have these names.
    #[must_use]
    pub fn length_over_time(&self, names: [&str; 3]) -> Vec<[f64; 2]> {
        let parts = names.map(|name| self.over_time(name));
        let length =
            |k: usize| parts.iter().map(|p| p.get(k).map_or(0.0, |x| x[1] * x[1])).sum::<f64>().sqrt();
        parts[0].iter().enumerate().map(|(k, point)| [point[0], length(k)]).collect()
    }

    /// Names of the bodies that have columns.
    #[must_use]
    pub fn bodies(&self) -> Vec<&str> {
        self.names.iter().filter_map(|name| name.strip_suffix("_tz")).collect()
    }
}

/// The fields of a line, of which those in quotes may hold commas.
pub(crate) fn fields(line: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(String::new()),
            c => {
                if let Some(field) = all.last_mut() {
                    field.push(c);
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_series_are_thinned_and_keep_their_ends() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let rows: Vec<String> = (0..10_001).map(|k| format!("{k},{}", k * 2)).collect();
        fs::write(&path, format!("time,\"a,b\"\n{}\n", rows.join("\n"))).unwrap();
        let points = SeriesTable::thinned(&path).unwrap().over_time("a,b");
        assert!(points.len() <= MOST_ROWS + 1);
        assert_eq!((points[0], points[points.len() - 1]), ([0.0, 0.0], [10_000.0, 20_000.0]));
    }
}
