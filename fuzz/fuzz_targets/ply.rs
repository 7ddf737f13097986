//! Any bytes as a PLY file: nothing may panic, and indices must be in range.

#![no_main]

use libfuzzer_sys::fuzz_target;
use meniscus_fuzz::endure;
use meniscus_geometry::TriangleMesh;

fuzz_target!(|data: &[u8]| {
    if let Ok(mesh) = TriangleMesh::read_ply(data) {
        endure(mesh);
    }
});
