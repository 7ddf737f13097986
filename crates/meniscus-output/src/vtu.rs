//! Particles as VTU: an XML unstructured grid with appended, zlib-compressed binary arrays.
//!
//! One vertex cell per particle, so that every tool that reads unstructured grids shows points. Positions are kept
//! in 64 bits; velocity, density and pressure in 32, which is ample for pictures and half the size.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use glam::{DVec3, Vec3};
use meniscus_core::ParticleFrame;

use crate::vtk_block::{self, Known};
use crate::vtk_read::VtkFile;
use crate::{OutputError, atomic, frame};

/// The cell type of a single point in VTK.
const VTK_VERTEX: u8 = 1;

/// Writes a frame as VTU, atomically.
///
/// # Errors
/// [`OutputError::UnevenFrame`] for columns of different length, else [`OutputError::Io`].
pub fn write(path: &Path, particles: &ParticleFrame) -> Result<(), OutputError> {
    write_after(path, particles, &mut Known::default())
}

/// As [`write()`], after frames of the same run: what is as it was in the last one is not compressed again.
pub(crate) fn write_after(
    path: &Path,
    particles: &ParticleFrame,
    known: &mut Known,
) -> Result<(), OutputError> {
    frame::check(path, particles)?;
    let head = Head {
        count: particles.position.len(),
        time: particles.time,
        step: particles.step,
        active: "Scalars=\"pressure\" Vectors=\"velocity\"",
        triangles: None,
    };
    write_arrays(path, &head, &arrays_of(particles, known))
}

/// Reads a frame that [`write()`] has written; its number is that of its name, or 0.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be read or is another one, [`OutputError::UnevenFrame`] if its columns
/// differ in length.
pub fn read(path: &Path) -> Result<ParticleFrame, OutputError> {
    let file = VtkFile::open(path)?;
    let id = file.bytes_of("id")?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let particles = ParticleFrame {
        index: frame::index_of(&name).unwrap_or_default(),
        step: file.number("Step").unwrap_or_default() as u64,
        time: file.number("TimeValue").unwrap_or_default(),
        id: id.chunks_exact(8).map(|b| b.try_into().map_or(0, u64::from_le_bytes)).collect(),
        position: file.points("Points")?,
        velocity: file.vectors("velocity")?.into_iter().map(Vec3::as_dvec3).collect(),
        density: file.floats("density")?,
        pressure: file.floats("pressure")?,
    };
    frame::check(path, &particles)?;
    Ok(particles)
}

/// What a file says besides its arrays.
pub(crate) struct Head {
    /// Number of points.
    pub(crate) count: usize,
    pub(crate) time: f64,
    pub(crate) step: u64,
    /// The arrays that are shown first.
    pub(crate) active: &'static str,
    /// Number of triangles, if the file is a surface.
    pub(crate) triangles: Option<usize>,
}

/// Writes points with their arrays, atomically.
pub(crate) fn write_arrays(path: &Path, head: &Head, arrays: &[Array]) -> Result<(), OutputError> {
    write_file(path, "UnstructuredGrid", head, arrays)
}

/// Writes a file of this kind, atomically. Cells are points, or the triangles of [`Head::triangles`].
pub(crate) fn write_file(path: &Path, kind: &str, head: &Head, arrays: &[Array]) -> Result<(), OutputError> {
    let header = header_of(kind, head, arrays);
    atomic::write_with(path, |out| {
        out.write_all(header.as_bytes())?;
        for array in arrays {
            out.write_all(&array.encoded)?;
        }
        out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
    })
}

/// Where an array belongs in the file.
#[derive(PartialEq, Clone, Copy)]
pub(crate) enum Place {
    Points,
    Cells,
    PointData,
}

/// One array, compressed and ready to be appended.
pub(crate) struct Array {
    place: Place,
    name: &'static str,
    kind: &'static str,
    components: usize,
    encoded: Vec<u8>,
}

impl Array {
    pub(crate) fn new(
        place: Place,
        name: &'static str,
        kind: &'static str,
        components: usize,
        bytes: &[u8],
    ) -> Self {
        let is_float = kind.starts_with("Float");
        let encoded = if is_float { vtk_block::store(bytes) } else { vtk_block::pack(bytes) };
        Self { place, name, kind, components, encoded }
    }

    /// An array of whole numbers, one for each point, that is often the same in the next file.
    fn steady(place: Place, name: &'static str, kind: &'static str, bytes: &[u8], known: &mut Known) -> Self {
        Self { place, name, kind, components: 1, encoded: known.pack(name, bytes) }
    }
}

/// The arrays of single points at these places.
pub(crate) fn vertices(position: &[DVec3], known: &mut Known) -> Vec<Array> {
    let count = position.len();
    let number = |k: usize| (k as u64).to_le_bytes();
    let mut cells = |name, kind, bytes: &[u8]| Array::steady(Place::Cells, name, kind, bytes, known);
    vec![
        Array::new(Place::Points, "Points", "Float64", 3, &frame::bytes_of_points(position)),
        cells("connectivity", "Int64", &frame::bytes(0..count, number)),
        cells("offsets", "Int64", &frame::bytes(0..count, |k| number(k + 1))),
        cells("types", "UInt8", &vec![VTK_VERTEX; position.len()]),
    ]
}

fn arrays_of(particles: &ParticleFrame, known: &mut Known) -> Vec<Array> {
    let floats = |column: &[f32]| frame::bytes(column.iter().copied(), f32::to_le_bytes);
    let data =
        |name, components, bytes: &[u8]| Array::new(Place::PointData, name, "Float32", components, bytes);
    let ids = frame::bytes(particles.id.iter().copied(), u64::to_le_bytes);
    let mut arrays = vertices(&particles.position, known);
    arrays.extend([
        data("velocity", 3, &frame::bytes_of_vectors(&particles.velocity)),
        data("density", 1, &floats(&particles.density)),
        data("pressure", 1, &floats(&particles.pressure)),
        Array::steady(Place::PointData, "id", "UInt64", &ids, known),
    ]);
    arrays
}

fn header_of(kind: &str, head: &Head, arrays: &[Array]) -> String {
    let mut declared = [String::new(), String::new(), String::new()];
    let mut offset = 0;
    for array in arrays {
        let Array { place, name, kind: number, components, encoded } = array;
        // Writing to a String cannot fail.
        let _ = writeln!(
            declared[*place as usize],
            r#"        <DataArray type="{number}" Name="{name}" NumberOfComponents="{components}" format="appended" offset="{offset}"/>"#
        );
        offset += encoded.len();
    }
    let [points, cells, point_data] = declared;
    let Head { count, time, step, active, triangles } = head;
    let (cell, cells_of) = match triangles {
        Some(triangles) => ("Polys", format!("NumberOfPolys=\"{triangles}\"")),
        None => ("Cells", format!("NumberOfCells=\"{count}\"")),
    };
    format!(
        r#"<?xml version="1.0"?>
<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <{kind}>
    <FieldData>
      <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{time:?}</DataArray>
      <DataArray type="UInt64" Name="Step" NumberOfTuples="1" format="ascii">{step}</DataArray>
    </FieldData>
    <Piece NumberOfPoints="{count}" {cells_of}>
      <Points>
{points}      </Points>
      <{cell}>
{cells}      </{cell}>
      <PointData {active}>
{point_data}      </PointData>
    </Piece>
  </{kind}>
  <AppendedData encoding="raw">
   _"#
    )
}
