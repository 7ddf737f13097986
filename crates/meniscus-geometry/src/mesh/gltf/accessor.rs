//! Numbers in buffers: positions and indices of glTF files.

use std::borrow::Cow;

use glam::DVec3;

use super::super::read::finite;
use super::document::{Accessor, BufferView, Document};
use crate::MeshError;

/// The type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Scalar {
    fn of(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number at the beginning of the bytes.
    fn decode(self, bytes: &[u8]) -> Option<f64> {
        let mut word = [0; 4];
        word.get_mut(..self.size())?.copy_from_slice(bytes.get(..self.size())?);
        let raw = u32::from_le_bytes(word);
        Some(match self {
            Self::I8 => f64::from(raw as u8 as i8),
            Self::I16 => f64::from(raw as u16 as i16),
            Self::U8 | Self::U16 | Self::U32 => f64::from(raw),
            Self::F32 => f64::from(f32::from_bits(raw)),
        })
    }

    /// What a whole number is divided by if it stands for −1 to 1 or 0 to 1.
    fn full(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            Self::U32 | Self::F32 => 1.0,
        }
    }
}

/// The file with the bytes of its buffers.
pub(super) struct Data<'a> {
    pub document: &'a Document,
    pub buffer: Vec<Cow<'a, [u8]>>,
}

/// Equally long elements in a buffer.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
}

impl<'a> Elements<'a> {
    fn get(&self, index: usize) -> Option<&'a [u8]> {
        self.bytes.get(index.checked_mul(self.stride)?..)
    }
}

impl Data<'_> {
    /// The positions that an accessor holds, in its own units.
    pub fn positions(&self, index: usize) -> Result<Vec<DVec3>, MeshError> {
        let fail = |problem: &str, remedy: &str| named(index, problem, remedy);
        let (accessor, scalar) = self.accessor(index)?;
        if accessor.shape != "VEC3" || scalar == Scalar::U32 {
            return Err(fail("these are no positions", "positions are VEC3 of FLOAT, or of bytes or shorts"));
        }
        let elements = self.elements(index, accessor, 3 * scalar.size())?;
        let factor = if accessor.normalized { 1.0 / scalar.full() } else { 1.0 };
        let vertex = |bytes: Option<&[u8]>| {
            let bytes = bytes?;
            let number = |k: usize| Some(scalar.decode(bytes.get(k * scalar.size()..)?)? * factor);
            finite(number(0)?, number(1)?, number(2)?)
        };
        let not_finite = |k: usize| fail(&format!("position {k} is not finite"), "export the mesh again");
        let all = (0..elements.count).map(|k| vertex(elements.get(k)).ok_or_else(|| not_finite(k)));
        let mut positions = all.collect::<Result<Vec<_>, _>>()?;
        for (at, bytes) in self.replaced(index, accessor, 3 * scalar.size())? {
            let Some(slot) = positions.get_mut(at) else {
                return Err(fail(
                    "a sparse index is out of range",
                    "export the mesh without sparse accessors",
                ));
            };
            *slot = vertex(Some(bytes)).ok_or_else(|| not_finite(at))?;
        }
        Ok(positions)
    }

    /// How many positions an accessor holds, without a look at them; none if they cannot be read.
    pub fn count_positions(&self, index: usize) -> u64 {
        let of = || self.accessor(index).and_then(|(a, scalar)| self.elements(index, a, 3 * scalar.size()));
        of().map_or(0, |elements| elements.count as u64)
    }

    /// How many indices an accessor holds, without a look at them; none if they cannot be read.
    pub fn count_indices(&self, index: usize) -> u64 {
        let of = || self.accessor(index).and_then(|(a, scalar)| self.elements(index, a, scalar.size()));
        of().map_or(0, |elements| elements.count as u64)
    }

    /// The vertex indices that an accessor holds.
    pub fn indices(&self, index: usize) -> Result<Vec<u32>, MeshError> {
        let (accessor, scalar) = self.accessor(index)?;
        if accessor.shape != "SCALAR" || !matches!(scalar, Scalar::U8 | Scalar::U16 | Scalar::U32) {
            return Err(named(index, "these are no indices", "indices are SCALAR of unsigned whole numbers"));
        }
        if accessor.sparse.is_some() {
            return Err(named(index, "the indices are sparse", "export the mesh without sparse accessors"));
        }
        let elements = self.elements(index, accessor, scalar.size())?;
        let number = |k| elements.get(k).and_then(|bytes| scalar.decode(bytes)).unwrap_or_default() as u32;
        Ok((0..elements.count).map(number).collect())
    }

    fn accessor(&self, index: usize) -> Result<(&Accessor, Scalar), MeshError> {
        let fail = |problem: &str, remedy: &str| named(index, problem, remedy);
        let count = self.document.accessors.len();
        let accessor = self.document.accessors.get(index);
        let accessor =
            accessor.ok_or_else(|| fail("it does not exist", &format!("there are {count}, from 0")))?;
        let scalar = Scalar::of(accessor.component_type);
        Ok((
            accessor,
            scalar.ok_or_else(|| fail("unknown component type", "allowed are 5120 to 5123, 5125, 5126"))?,
        ))
    }

    fn elements(&self, index: usize, accessor: &Accessor, size: usize) -> Result<Elements<'_>, MeshError> {
        // Zeros without end would be allowed here, for as many vertices as the file cares to announce.
        let view = accessor.buffer_view.ok_or_else(|| {
            named(index, "it has no buffer view", "export the mesh without sparse or compressed accessors")
        })?;
        self.view(index, view, accessor.byte_offset, accessor.count, size)
    }

    /// Elements of `size` bytes in a view, all of them there.
    fn view(
        &self,
        index: usize,
        view: usize,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Elements<'_>, MeshError> {
        let fail = |problem: &str, remedy: &str| named(index, problem, remedy);
        let again = "the file is damaged; export it again";
        let view = self.document.buffer_views.get(view);
        let view = view.ok_or_else(|| fail("its buffer view does not exist", again))?;
        let bytes = self.view_bytes(view).ok_or_else(|| fail("its buffer view exceeds the buffer", again))?;
        let stride = view.byte_stride.map_or(Some(size), |stride| usize::try_from(stride).ok());
        let stride = stride.filter(|s| *s >= size).ok_or_else(|| fail("its stride is too small", again))?;
        let bytes = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
        let needed = match count {
            0 => 0,
            n => u128::from(n - 1) * stride as u128 + size as u128,
        };
        if needed > bytes.len() as u128 {
            let problem =
                format!("{count} elements are announced, {needed} bytes, but there are {}", bytes.len());
            return Err(fail(&problem, again));
        }
        Ok(Elements { bytes, stride, count: count as usize })
    }

    fn view_bytes(&self, view: &BufferView) -> Option<&[u8]> {
        let buffer = self.buffer.get(view.buffer)?;
        let start = usize::try_from(view.byte_offset).ok()?;
        buffer.get(start..start.checked_add(usize::try_from(view.byte_length).ok()?)?)
    }

    /// The elements that a sparse accessor puts in the place of others.
    fn replaced(
        &self,
        index: usize,
        accessor: &Accessor,
        size: usize,
    ) -> Result<Vec<(usize, &[u8])>, MeshError> {
        let Some(sparse) = &accessor.sparse else { return Ok(Vec::new()) };
        let scalar = Scalar::of(sparse.indices.component_type)
            .filter(|s| matches!(s, Scalar::U8 | Scalar::U16 | Scalar::U32))
            .ok_or_else(|| named(index, "its sparse indices have a wrong type", "export the mesh again"))?;
        let places = &sparse.indices;
        let places = self.view(index, places.buffer_view, places.byte_offset, sparse.count, scalar.size())?;
        let values = &sparse.values;
        let values = self.view(index, values.buffer_view, values.byte_offset, sparse.count, size)?;
        let pair = |k| Some((scalar.decode(places.get(k)?)? as usize, values.get(k)?));
        Ok((0..places.count).filter_map(pair).collect())
    }
}

fn named(index: usize, problem: &str, remedy: &str) -> MeshError {
    MeshError::new(format!("accessor {index}: {problem}"), remedy)
}
