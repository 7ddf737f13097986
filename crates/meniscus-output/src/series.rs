use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use glam::DVec3;
use meniscus_core::{DeformationRow, SeriesColumns, SeriesRow};

use crate::{OutputError, atomic};

/// Writes `series.csv`, one line per row.
///
/// Numbers are written with the fewest digits that read back to the same value. Lines are gathered in memory until
/// [`SeriesWriter::flush`]; a kill may leave half a line, which [`SeriesWriter::resume`] removes.
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    columns: SeriesColumns,
    out: BufWriter<File>,
}

impl SeriesWriter {
    /// Begins a series with these columns, in place of an older file.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the file cannot be written.
    pub fn create(path: &Path, columns: &SeriesColumns) -> Result<Self, OutputError> {
        atomic::write(path, header_of(columns).as_bytes())?;
        Self::append_to(path, columns)
    }

    /// Continues a series after the row of `step`: later rows and a half-written line are removed first, atomically.
    ///
    /// A file that does not exist or ends inside its header is begun anew.
    ///
    /// # Errors
    /// [`OutputError::SeriesColumns`] when the file has other columns, else [`OutputError::Io`].
    pub fn resume(path: &Path, columns: &SeriesColumns, step: u64) -> Result<Self, OutputError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Self::create(path, columns),
            Err(error) => return Err(OutputError::io("read", path)(error)),
        };
        let mut lines = BufReader::with_capacity(1 << 18, file);
        let mut header = Vec::new();
        lines.read_until(b'\n', &mut header).map_err(OutputError::io("read", path))?;
        if !header.ends_with(b"\n") {
            return Self::create(path, columns);
        }
        if header != header_of(columns).as_bytes() {
            return Err(OutputError::SeriesColumns { path: path.to_path_buf() });
        }
        atomic::write_with(path, |out| {
            out.write_all(&header)?;
            copy_rows(&mut lines, out, step)
        })?;
        Self::append_to(path, columns)
    }

    fn append_to(path: &Path, columns: &SeriesColumns) -> Result<Self, OutputError> {
        let file = OpenOptions::new().append(true).open(path).map_err(OutputError::io("open", path))?;
        let out = BufWriter::with_capacity(1 << 16, file);
        Ok(Self { path: path.to_path_buf(), columns: columns.clone(), out })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`OutputError::SeriesRow`] when the row does not fit the header, else [`OutputError::Io`].
    pub fn append(&mut self, row: &SeriesRow) -> Result<(), OutputError> {
        if !self.columns.fit(row) {
            return Err(OutputError::SeriesRow { path: self.path.clone(), step: row.step });
        }
        write_row(&mut self.out, row).map_err(OutputError::io("write", &self.path))
    }

    /// Puts all rows so far on disk.
    ///
    /// # Errors
    /// [`OutputError::Io`] when they cannot be written.
    pub fn flush(&mut self) -> Result<(), OutputError> {
        let flushed = self.out.flush().and_then(|()| self.out.get_ref().sync_data());
        flushed.map_err(OutputError::io("write", &self.path))
    }
}

fn header_of(columns: &SeriesColumns) -> String {
    let fields: Vec<String> = columns.names().iter().map(|column| csv_field(column)).collect();
    fields.join(",") + "\n"
}

/// A text as CSV wants it. Line breaks become spaces, so that one row stays one line.
#[must_use]
pub fn csv_field(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Copies whole lines up to and including that of `step`; lines that are no rows are left out.
fn copy_rows(lines: &mut impl BufRead, out: &mut impl Write, step: u64) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        let whole = line.ends_with(b"\n");
        let found = step_of(&line);
        if !whole || found.is_some_and(|found| found > step) {
            return Ok(());
        }
        if found.is_some() {
            out.write_all(&line)?;
        }
    }
}

fn step_of(line: &[u8]) -> Option<u64> {
    let first = line.split(|&byte| byte == b',').next()?;
    std::str::from_utf8(first).ok()?.parse().ok()
}

fn write_row(out: &mut impl Write, row: &SeriesRow) -> io::Result<()> {
    // Debug formatting of floats is the shortest that reads back exactly, with an exponent where that is shorter.
    write!(out, "{},{:?},{:?}", row.step, row.time, row.dt)?;
    for value in &row.fluid {
        write!(out, ",{value}")?;
    }
    if let Some(solids) = &row.solids {
        write!(out, ",{:?},{:?}", solids.kinetic_energy, solids.potential_energy)?;
        write_vector(out, solids.momentum)?;
        write_vector(out, solids.angular_momentum)?;
        write!(out, ",{},{:?},{}", solids.contacts, solids.penetration, solids.substeps)?;
    }
    if let Some(deformation) = &row.deformation {
        let DeformationRow { elastic_energy, bending_energy, largest_stretch } = deformation;
        write!(out, ",{elastic_energy:?},{bending_energy:?},{largest_stretch:?}")?;
    }
    for body in &row.bodies {
        for vector in [body.position, body.velocity, body.force, body.torque, body.angular_velocity] {
            write_vector(out, vector)?;
        }
        write!(out, ",{:?}", body.tilt)?;
    }
    out.write_all(b"\n")
}

fn write_vector(out: &mut impl Write, vector: DVec3) -> io::Result<()> {
    write!(out, ",{:?},{:?},{:?}", vector.x, vector.y, vector.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_core::{BodyRow, Value};
    use std::fs;

    fn row(step: u64) -> SeriesRow {
        let time = step as f64 * 0.1;
        let fluid = vec![Value::Count(step), Value::Number(0.5 * time)];
        SeriesRow { step, time, dt: 0.1, fluid, bodies: vec![BodyRow::default()], ..SeriesRow::default() }
    }

    fn columns(body: &str) -> SeriesColumns {
        let fluid = ["particles", "divergence_residual"].map(str::to_owned).to_vec();
        SeriesColumns { fluid, bodies: vec![body.to_owned()], ..SeriesColumns::default() }
    }

    fn write_rows(path: &Path, columns: &SeriesColumns, count: u64) -> String {
        let mut series = SeriesWriter::create(path, columns).unwrap();
        (1..=count).for_each(|step| series.append(&row(step)).unwrap());
        series.flush().unwrap();
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn resuming_gives_the_same_file_as_running_through() {
        let dir = tempfile::tempdir().unwrap();
        let (path, names) = (dir.path().join("series.csv"), columns("gate, \"left\""));
        let whole = write_rows(&path, &names, 9);
        for killed_at in [0, 20, whole.len() - 5, whole.len()] {
            for step in [0, 4, 9] {
                fs::write(&path, &whole[..killed_at]).unwrap();
                let mut series = SeriesWriter::resume(&path, &names, step).unwrap();
                // A checkpoint is only written after its row: what the cut removes is written again.
                let kept = fs::read_to_string(&path).unwrap().lines().count() as u64;
                (kept..=9).for_each(|step| series.append(&row(step)).unwrap());
                series.flush().unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), whole);
            }
        }
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let text = write_rows(&path, &columns("ball"), 3);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].ends_with("particles,divergence_residual,ball_x,ball_y,ball_z,ball_vx,ball_vy,ball_vz,ball_fx,ball_fy,ball_fz,ball_tx,ball_ty,ball_tz,ball_wx,ball_wy,ball_wz,ball_tilt"));
        assert_eq!(lines[0].split(',').count(), lines[3].split(',').count());
        assert_eq!(lines[3].split(',').nth(1), Some("0.30000000000000004"));
        assert_eq!(lines[2].split(',').nth(3), Some("2"));
    }

    #[test]
    fn deformable_bodies_have_as_many_columns_as_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let columns = SeriesColumns { solids: true, deformables: true, ..SeriesColumns::default() };
        let mut series = SeriesWriter::create(&path, &columns).unwrap();
        let (solids, deformation) =
            (Some(meniscus_core::SolidRow::default()), Some(DeformationRow::default()));
        series.append(&SeriesRow { solids, deformation, ..SeriesRow::default() }).unwrap();
        assert!(series.append(&SeriesRow { solids, ..SeriesRow::default() }).is_err());
        series.flush().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let counts: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(counts, [17, 17]);
    }

    #[test]
    fn solids_have_as_many_columns_as_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        let mut series =
            SeriesWriter::create(&path, &SeriesColumns { solids: true, ..SeriesColumns::default() }).unwrap();
        let solids = Some(meniscus_core::SolidRow { contacts: 7, ..Default::default() });
        series.append(&SeriesRow { solids, ..SeriesRow::default() }).unwrap();
        assert!(series.append(&SeriesRow::default()).is_err());
        series.flush().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(lines[0].len(), lines[1].len());
        let contacts = lines[0].iter().position(|name| *name == "contacts").unwrap();
        assert_eq!(lines[1][contacts], "7");
    }

    #[test]
    fn other_bodies_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("series.csv");
        write_rows(&path, &columns("ball"), 3);
        let error = SeriesWriter::resume(&path, &columns("gate"), 1).unwrap_err();
        assert!(matches!(error, OutputError::SeriesColumns { .. }));
        let mut series = SeriesWriter::resume(&path, &columns("ball"), 1).unwrap();
        assert!(matches!(series.append(&SeriesRow::default()), Err(OutputError::SeriesRow { .. })));
    }
}
