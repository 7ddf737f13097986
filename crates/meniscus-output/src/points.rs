//! Points with any columns as binary little-endian PLY.

use std::io::Write;
use std::path::Path;

use glam::DVec3;

use crate::{OutputError, atomic};

/// A column of numbers, one for each point.
#[derive(Debug, Clone, Copy)]
pub struct PointColumn<'a> {
    /// Its name, a word without spaces.
    pub name: &'a str,
    /// Its numbers; a point beyond the last one gets zero.
    pub value: &'a [f32],
}

/// Writes points as PLY, atomically: `x y z` (double), then the columns (float).
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be written.
pub fn write_points(path: &Path, position: &[DVec3], columns: &[PointColumn<'_>]) -> Result<(), OutputError> {
    atomic::write_with(path, |out| {
        let doubles = ["x", "y", "z"].map(|name| format!("property double {name}\n")).concat();
        let floats: Vec<String> = columns.iter().map(|c| format!("property float {}\n", c.name)).collect();
        write!(
            out,
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\n{doubles}{}end_header\n",
            position.len(),
            floats.concat()
        )?;
        for (i, x) in position.iter().enumerate() {
            for value in x.to_array() {
                out.write_all(&value.to_le_bytes())?;
            }
            for column in columns {
                out.write_all(&column.value.get(i).copied().unwrap_or_default().to_le_bytes())?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_and_bytes_agree() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("points.ply");
        let position = [DVec3::new(1.0, 2.0, 3.0), DVec3::splat(-0.5)];
        let columns =
            [PointColumn { name: "volume", value: &[0.25, 0.5] }, PointColumn { name: "nx", value: &[1.0] }];
        write_points(&path, &position, &columns).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = String::from_utf8_lossy(&bytes[..end]).into_owned();
        assert!(
            header.contains("element vertex 2\n") && header.contains("property float volume\n"),
            "{header}"
        );
        assert_eq!(bytes.len() - end, 2 * (3 * 8 + 2 * 4));
        assert_eq!(bytes[end + 24..end + 28], 0.25_f32.to_le_bytes());
        assert_eq!(bytes[end + 32..end + 40], (-0.5_f64).to_le_bytes());
    }
}
