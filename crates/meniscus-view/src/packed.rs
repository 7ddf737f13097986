//! Frames and surfaces in few bytes, as the page reads them. All numbers are little-endian.

use glam::{DVec3, Vec3};
use meniscus_core::ParticleFrame;
use meniscus_surface::FluidSurface;

/// Places of a box in 16 bits for each coordinate.
struct Box16 {
    low: Vec3,
    size: Vec3,
}

impl Box16 {
    fn around(points: &[DVec3]) -> Self {
        let finite = || points.iter().filter(|x| x.is_finite()).map(|x| x.as_vec3());
        let low = finite().fold(Vec3::INFINITY, Vec3::min);
        let high = finite().fold(Vec3::NEG_INFINITY, Vec3::max);
        if !low.is_finite() || !high.is_finite() {
            return Self { low: Vec3::ZERO, size: Vec3::ONE };
        }
        Self { low, size: (high - low).max(Vec3::splat(1e-6)) }
    }

    fn head(&self) -> impl Iterator<Item = u8> {
        self.low.to_array().into_iter().chain(self.size.to_array()).flat_map(f32::to_le_bytes)
    }

    fn place(&self, x: DVec3) -> [u8; 6] {
        // Nearest, as it is cut off below; nothing is negative.
        let part = (x.as_vec3() - self.low) / self.size * 65535.0 + 0.5;
        let mut bytes = [0; 6];
        for (slot, value) in bytes.chunks_exact_mut(2).zip(part.to_array()) {
            // What is not finite becomes 0.
            slot.copy_from_slice(&(value as u16).to_le_bytes());
        }
        bytes
    }
}

/// A frame: count (u32), time (f32), least corner and size of its box (6 f32), ranges of speed, pressure and density (6 f32),
/// particles before any were left out (u32); then places (3 u16 each), then speeds, pressures and densities (a byte each, within
/// their ranges).
///
/// Particles come in an order in which every beginning is an even sample of the whole, and the same particles come early in
/// all frames: who has no time for all draws the first ones. Of more than `most`, the last ones are left out.
pub(super) fn frame(frame: &ParticleFrame, most: usize) -> Vec<u8> {
    let kept = frame.position.len().min(most.max(1));
    let slots = slots(&frame.id);
    let bounds = Box16::around(&frame.position);
    let speed: Vec<f32> = frame.velocity.iter().map(|v| v.as_vec3().length()).collect();
    let fields = [&speed[..], &frame.pressure, &frame.density].map(Field::new);
    let mut bytes = Vec::with_capacity(HEAD + 9 * kept);
    bytes.extend((kept as u32).to_le_bytes());
    bytes.extend((frame.time as f32).to_le_bytes());
    bytes.extend(bounds.head());
    for field in &fields {
        bytes.extend(field.range.into_iter().flat_map(f32::to_le_bytes));
    }
    bytes.extend((frame.position.len() as u32).to_le_bytes());
    bytes.resize(HEAD + 9 * kept, 0);
    // Particles are read in their order, because memory likes that, and written to their slots.
    let (places, rest) = bytes[HEAD..].split_at_mut(6 * kept);
    for (slot, x) in slots.iter().map(|slot| *slot as usize).zip(&frame.position) {
        if slot < kept {
            places[6 * slot..6 * slot + 6].copy_from_slice(&bounds.place(*x));
        }
    }
    for (field, column) in fields.iter().zip(rest.chunks_exact_mut(kept.max(1))) {
        for (slot, value) in slots.iter().map(|slot| *slot as usize).zip(field.values) {
            if slot < kept {
                column[slot] = field.byte(*value);
            }
        }
    }
    bytes
}

/// The bytes before the places.
const HEAD: usize = 60;

/// The first `most` particles of a packed frame, as a packed frame.
pub(super) fn beginning(frame: &[u8], most: usize) -> Vec<u8> {
    let count = frame.len().saturating_sub(HEAD) / 9;
    let kept = count.min(most.max(1));
    if kept == count {
        return frame.to_vec();
    }
    let (head, body) = frame.split_at(HEAD);
    let (places, fields) = body.split_at(6 * count);
    let mut bytes = Vec::with_capacity(HEAD + 9 * kept);
    bytes.extend((kept as u32).to_le_bytes());
    bytes.extend_from_slice(&head[4..]);
    bytes.extend_from_slice(&places[..6 * kept]);
    for field in fields.chunks_exact(count) {
        bytes.extend_from_slice(&field[..kept]);
    }
    bytes
}

/// Where each particle comes in the order: sorted by a mixture of the bits of its id into so many groups.
fn slots(ids: &[u64]) -> Vec<u32> {
    const GROUPS: usize = 256;
    // The golden ratio in 64 bits spreads neighbouring ids evenly.
    let group = |id: &u64| (id.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
    let mut next = [0_u32; GROUPS + 1];
    for id in ids {
        next[group(id) + 1] += 1;
    }
    for k in 0..GROUPS {
        next[k + 1] += next[k];
    }
    let slot = |id: &u64| {
        let place = &mut next[group(id)];
        *place += 1;
        *place - 1
    };
    ids.iter().map(slot).collect()
}

/// A field and the range of its values.
struct Field<'a> {
    values: &'a [f32],
    range: [f32; 2],
}

impl<'a> Field<'a> {
    fn new(values: &'a [f32]) -> Self {
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) =
            (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
        let range = if low <= high { [low, high.max(low + 1e-6 * (1.0 + low.abs()))] } else { [0.0, 1.0] };
        Self { values, range }
    }

    /// A value as a part of the range; what is not finite becomes 0 or the largest.
    fn byte(&self, value: f32) -> u8 {
        ((value - self.range[0]) * (255.0 / (self.range[1] - self.range[0])) + 0.5) as u8
    }
}

/// A surface: vertices and triangles (u32 each), least corner and size of its box (6 f32); then places (3 u16), normals (3 i8 and
/// a filler) and the numbers of the triangles' corners (3 u32).
pub(super) fn surface(surface: &FluidSurface) -> Vec<u8> {
    let bounds = Box16::around(&surface.vertex);
    let (vertices, triangles) = (surface.vertex.len(), surface.triangle.len());
    let mut bytes = Vec::with_capacity(32 + 12 * vertices + 12 * triangles);
    bytes.extend([vertices as u32, triangles as u32].into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(bounds.head());
    bytes.extend(surface.vertex.iter().flat_map(|x| bounds.place(*x)));
    // Numbers of four bytes begin at a multiple of four.
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    for normal in &surface.normal {
        let [x, y, z] = (*normal * 127.0).round().to_array().map(|n| n as i8 as u8);
        bytes.extend([x, y, z, 0]);
    }
    bytes.extend(surface.triangle.iter().flatten().flat_map(|v| v.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of particles, whose ids count from its left end or from its right end.
    fn row(n: u32, turned: bool) -> ParticleFrame {
        ParticleFrame {
            id: (0..u64::from(n)).map(|i| if turned { u64::from(n) - 1 - i } else { i }).collect(),
            position: (0..n).map(|i| DVec3::new(f64::from(i), 1.0, f64::NAN)).collect(),
            velocity: vec![DVec3::X; n as usize],
            pressure: (0..n).map(|i| i as f32).collect(),
            density: vec![f32::NAN; n as usize],
            time: 0.5,
            ..ParticleFrame::default()
        }
    }

    #[test]
    fn particles_are_thinned_evenly() {
        let bytes = frame(&row(1000, false), 300);
        assert_eq!(bytes[..4], 300_u32.to_le_bytes());
        assert_eq!(bytes[56..60], 1000_u32.to_le_bytes());
        assert_eq!(bytes.len(), 60 + 9 * 300);
        // Of every tenth of the row about a tenth of the sample.
        let slots = slots(&row(1000, false).id);
        for part in slots.chunks(100) {
            let inside = part.iter().filter(|slot| **slot < 300).count();
            assert!((25..=35).contains(&inside), "{inside} of 30");
        }
    }

    #[test]
    fn the_beginning_of_a_frame_is_what_packing_fewer_gives() {
        let whole = frame(&row(1000, true), 5000);
        for most in [0, 1, 300, 999, 1000, 2000] {
            assert_eq!(beginning(&whole, most), frame(&row(1000, true), most), "{most}");
        }
        let empty = frame(&row(0, false), 10);
        assert_eq!(beginning(&empty, 5), empty);
    }

    #[test]
    fn the_same_particles_come_first_wherever_they_are_stored() {
        let ids = |turned: bool| -> std::collections::BTreeSet<u64> {
            let particles = row(1024, turned);
            let early = slots(&particles.id).into_iter().zip(&particles.id);
            early.filter(|(slot, _)| *slot < 400).map(|(_, id)| *id).collect()
        };
        let (one, other) = (ids(false), ids(true));
        // Within the last group it is a matter of the order.
        assert!(one.intersection(&other).count() >= 396, "{}", one.intersection(&other).count());
    }

    #[test]
    fn a_surface_is_as_long_as_its_counts_say() {
        let tetrahedron = FluidSurface {
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            normal: vec![Vec3::Z; 3],
            velocity: vec![Vec3::ZERO; 3],
            triangle: vec![[0, 1, 2]],
        };
        let bytes = surface(&tetrahedron);
        assert_eq!(bytes.len(), 32 + 20 + 12 + 12);
        assert_eq!(bytes[32 + 20..32 + 24], [0, 0, 127, 0]);
    }
}
