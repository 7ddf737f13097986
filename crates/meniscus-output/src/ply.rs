//! Particles as binary little-endian PLY.
//!
//! The columns are `x y z` (double), `vx vy vz density pressure` (float) and `id` (double, because PLY knows no
//! 64-bit integer; exact up to 2^53).

use std::io::Write;
use std::path::Path;

use meniscus_core::ParticleFrame;

use crate::{OutputError, atomic, frame};

/// Writes a frame as PLY, atomically.
///
/// # Errors
/// [`OutputError::UnevenFrame`] for columns of different length, else [`OutputError::Io`].
pub fn write(path: &Path, particles: &ParticleFrame) -> Result<(), OutputError> {
    frame::check(path, particles)?;
    atomic::write_with(path, |out| {
        out.write_all(header_of(particles).as_bytes())?;
        (0..particles.position.len()).try_for_each(|i| out.write_all(&vertex_of(particles, i)))
    })
}

fn header_of(particles: &ParticleFrame) -> String {
    let mut header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment time {:?}\ncomment step {}\nelement vertex {}\n",
        particles.time,
        particles.step,
        particles.position.len()
    );
    let doubles = ["x", "y", "z"].map(|name| format!("property double {name}\n"));
    let floats = ["vx", "vy", "vz", "density", "pressure"].map(|name| format!("property float {name}\n"));
    header += &(doubles.concat() + &floats.concat());
    header + "property double id\nend_header\n"
}

/// Three doubles, five floats, one double.
const VERTEX_BYTES: usize = 3 * 8 + 5 * 4 + 8;

fn vertex_of(particles: &ParticleFrame, i: usize) -> [u8; VERTEX_BYTES] {
    let mut bytes = [0; VERTEX_BYTES];
    let velocity = particles.velocity[i].as_vec3();
    let floats = [velocity.x, velocity.y, velocity.z, particles.density[i], particles.pressure[i]];
    let (position, rest) = bytes.split_at_mut(24);
    let (attributes, id) = rest.split_at_mut(20);
    for (slot, value) in position.chunks_exact_mut(8).zip(particles.position[i].to_array()) {
        slot.copy_from_slice(&value.to_le_bytes());
    }
    for (slot, value) in attributes.chunks_exact_mut(4).zip(floats) {
        slot.copy_from_slice(&value.to_le_bytes());
    }
    id.copy_from_slice(&(particles.id[i] as f64).to_le_bytes());
    bytes
}
