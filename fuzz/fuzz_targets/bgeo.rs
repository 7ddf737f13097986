//! Any bytes as a file of particles, plain or packed: nothing may panic, every error must have words, and places that are read
//! are finite and no more than the file can hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use meniscus_scene::read_particles;

fuzz_target!(|data: &[u8]| {
    match read_particles(data) {
        Ok(places) => {
            assert!(places.iter().all(|x| x.is_finite()));
            let packed = data.starts_with(&[0x1f, 0x8b]);
            assert!(packed || 16 * places.len() <= data.len());
        }
        Err(why) => assert!(!why.is_empty()),
    }
});
