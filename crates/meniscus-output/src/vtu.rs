//! Particles as VTU: an XML unstructured grid with appended, zlib-compressed binary arrays.
//!
//! One vertex cell per particle, so that every tool that reads unstructured grids shows points. Positions are kept
//! in 64 bits; velocity, density and pressure in 32, which is ample for pictures and half the size.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::DVec3;
use meniscus_core::ParticleFrame;
use rayon::prelude::*;

use crate::{OutputError, atomic, frame};

/// Bytes compressed at once: large enough to compress well, small enough to give every thread some work.
const BLOCK: usize = 1 << 18;

/// The cell type of a single point in VTK.
const VTK_VERTEX: u8 = 1;

/// Writes a frame as VTU, atomically.
///
/// # Errors
/// [`OutputError::UnevenFrame`] for columns of different length, else [`OutputError::Io`].
pub fn write(path: &Path, particles: &ParticleFrame) -> Result<(), OutputError> {
    frame::check(path, particles)?;
    let head = Head {
        count: particles.position.len(),
        time: particles.time,
        step: particles.step,
        active: "Scalars=\"pressure\" Vectors=\"velocity\"",
    };
    write_arrays(path, &head, &arrays_of(particles))
}

/// What a file says besides its arrays.
pub(crate) struct Head {
    /// Number of points.
    pub(crate) count: usize,
    pub(crate) time: f64,
    pub(crate) step: u64,
    /// The arrays that are shown first.
    pub(crate) active: &'static str,
}

/// Writes points with their arrays, atomically.
pub(crate) fn write_arrays(path: &Path, head: &Head, arrays: &[Array]) -> Result<(), OutputError> {
    let header = header_of(head, arrays);
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
        Self { place, name, kind, components, encoded: encode(bytes) }
    }
}

/// The arrays of single points at these places.
pub(crate) fn vertices(position: &[DVec3]) -> Vec<Array> {
    let count = position.len() as i64;
    let indices = |from: i64| -> Vec<u8> { (from..from + count).flat_map(i64::to_le_bytes).collect() };
    vec![
        Array::new(Place::Points, "Points", "Float64", 3, &frame::bytes_of_points(position)),
        Array::new(Place::Cells, "connectivity", "Int64", 1, &indices(0)),
        Array::new(Place::Cells, "offsets", "Int64", 1, &indices(1)),
        Array::new(Place::Cells, "types", "UInt8", 1, &vec![VTK_VERTEX; count as usize]),
    ]
}

fn arrays_of(particles: &ParticleFrame) -> Vec<Array> {
    let floats = |column: &[f32]| -> Vec<u8> { column.iter().copied().flat_map(f32::to_le_bytes).collect() };
    let ids: Vec<u8> = particles.id.iter().copied().flat_map(u64::to_le_bytes).collect();
    let data =
        |name, kind, components, bytes: &[u8]| Array::new(Place::PointData, name, kind, components, bytes);
    let mut arrays = vertices(&particles.position);
    arrays.extend([
        data("velocity", "Float32", 3, &frame::bytes_of_vectors(&particles.velocity)),
        data("density", "Float32", 1, &floats(&particles.density)),
        data("pressure", "Float32", 1, &floats(&particles.pressure)),
        data("id", "UInt64", 1, &ids),
    ]);
    arrays
}

/// VTK's block layout: number of blocks, block length, length of a shorter last block or 0, the compressed lengths,
/// then the blocks.
fn encode(bytes: &[u8]) -> Vec<u8> {
    let blocks: Vec<Vec<u8>> = bytes.par_chunks(BLOCK).map(deflate).collect();
    let head = [blocks.len(), BLOCK, bytes.len() % BLOCK];
    let lengths = head.into_iter().chain(blocks.iter().map(Vec::len));
    let mut encoded: Vec<u8> = lengths.flat_map(|length| (length as u64).to_le_bytes()).collect();
    for block in &blocks {
        encoded.extend_from_slice(block);
    }
    encoded
}

fn deflate(block: &[u8]) -> Vec<u8> {
    // Floats hardly compress: higher levels cost several times the work for a few per cent.
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(block.len()), Compression::fast());
    let written: io::Result<Vec<u8>> = encoder.write_all(block).and_then(|()| encoder.finish());
    // Compressing into memory has no way to fail.
    written.unwrap_or_default()
}

fn header_of(head: &Head, arrays: &[Array]) -> String {
    let mut declared = [String::new(), String::new(), String::new()];
    let mut offset = 0;
    for array in arrays {
        let Array { place, name, kind, components, encoded } = array;
        // Writing to a String cannot fail.
        let _ = writeln!(
            declared[*place as usize],
            r#"        <DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="appended" offset="{offset}"/>"#
        );
        offset += encoded.len();
    }
    let [points, cells, point_data] = declared;
    let Head { count, time, step, active } = head;
    format!(
        r#"<?xml version="1.0"?>
<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64" compressor="vtkZLibDataCompressor">
  <UnstructuredGrid>
    <FieldData>
      <DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{time:?}</DataArray>
      <DataArray type="UInt64" Name="Step" NumberOfTuples="1" format="ascii">{step}</DataArray>
    </FieldData>
    <Piece NumberOfPoints="{count}" NumberOfCells="{count}">
      <Points>
{points}      </Points>
      <Cells>
{cells}      </Cells>
      <PointData {active}>
{point_data}      </PointData>
    </Piece>
  </UnstructuredGrid>
  <AppendedData encoding="raw">
   _"#
    )
}
