//! A checkpoint is read back whole or not at all.

use std::fs;
use std::sync::LazyLock;

use meniscus_output::checkpoint::{
    Checkpoint, CheckpointError, decode, encode, file_name, load_latest, steps_in, write,
};
use meniscus_output::{OutputError, checkpoint};
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

/// The bytes of a good checkpoint, made once because every case wants them.
static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| encode(&state(7)).unwrap());

fn state(step: u64) -> Checkpoint {
    let numbers: Vec<u8> = (0..5000_u32).flat_map(|i| f64::from(i).sqrt().to_le_bytes()).collect();
    let sections =
        vec![("fluid".to_owned(), numbers), ("clock".to_owned(), vec![1, 2, 3]), ("none".to_owned(), vec![])];
    Checkpoint { step, time: 0.1 * step as f64, scene_hash: u128::MAX - 5, sections }
}

/// Gives changed bytes a length and checksum that fit, to get past the envelope.
fn resealed(mut content: Vec<u8>) -> Vec<u8> {
    let length = content.len() as u64 + 16;
    content[16..24].copy_from_slice(&length.to_le_bytes());
    let checksum = xxh3_128(&content).to_le_bytes();
    content.extend_from_slice(&checksum);
    content
}

#[test]
fn a_checkpoint_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = write(dir.path(), &state(12_345), 2).unwrap();
    assert!(path.ends_with("checkpoints/step_000000012345.ckpt"));
    let read = checkpoint::load(&path).unwrap();
    assert_eq!(read, state(12_345));
    assert_eq!(read.section("clock"), Some([1, 2, 3].as_slice()));
    assert_eq!(read.section("cloth"), None);
}

#[test]
fn the_newest_are_kept_and_the_one_just_written_always() {
    let dir = tempfile::tempdir().unwrap();
    for step in [10, 20, 30, 40] {
        write(dir.path(), &state(step), 2).unwrap();
    }
    assert_eq!(steps_in(dir.path()).unwrap(), [30, 40]);
    write(dir.path(), &state(35), 0).unwrap();
    assert_eq!(steps_in(dir.path()).unwrap(), [35, 40]);
}

#[test]
fn damaged_files_are_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    assert!(load_latest(dir.path()).unwrap().checkpoint.is_none());
    for step in [10, 20, 30] {
        write(dir.path(), &state(step), 9).unwrap();
    }
    fs::write(dir.path().join(file_name(30)), b"").unwrap();
    let cut = &encode(&state(20)).unwrap()[..100];
    fs::write(dir.path().join(file_name(20)), cut).unwrap();
    fs::write(dir.path().join("checkpoints/step_99.ckpt"), b"not our name").unwrap();
    let latest = load_latest(dir.path()).unwrap();
    assert_eq!(latest.checkpoint, Some(state(10)));
    assert_eq!(latest.skipped.len(), 2);
    assert!(latest.skipped[0].to_string().contains("step_000000000030.ckpt"));
    assert!(matches!(
        &latest.skipped[1],
        OutputError::Checkpoint { source: CheckpointError::WrongLength { found: 100, .. }, .. }
    ));
}

#[test]
fn each_fault_has_its_own_error() {
    let good = encode(&state(1)).unwrap();
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        decode(&bytes).unwrap_err()
    };
    assert_eq!(decode(b"<html>").unwrap_err(), CheckpointError::WrongMagic);
    assert_eq!(changed(8, 2), CheckpointError::UnknownVersion { found: 2 });
    assert_eq!(changed(100, good[100] ^ 1), CheckpointError::BadChecksum);
    let mut flagged = good[..good.len() - 16].to_vec();
    flagged[12] = 4;
    assert_eq!(decode(&resealed(flagged)).unwrap_err(), CheckpointError::UnknownFlags { flags: 4 });
    let longer = [good.as_slice(), b"x"].concat();
    assert!(matches!(decode(&longer), Err(CheckpointError::WrongLength { .. })));
}

#[test]
fn a_header_that_claims_too_much_is_refused_at_once() {
    // A section of no bytes that says it unpacks to 2^63.
    let mut content = encode(&Checkpoint::default()).unwrap();
    content.truncate(24);
    let header: Vec<u8> = [
        vec![0; 1 + 8 + 1], // step, time, scene hash
        vec![1, 1, b'a', 0],
        vec![0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
    ]
    .concat();
    content.extend_from_slice(&(header.len() as u32).to_le_bytes());
    content.extend_from_slice(&header);
    assert_eq!(decode(&resealed(content)).unwrap_err(), CheckpointError::TooLarge { bytes: 1 << 63 });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_changed_byte_is_noticed(at in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let mut bytes = GOOD.clone();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn any_cut_is_noticed(at in any::<prop::sample::Index>()) {
        let bytes = &GOOD;
        prop_assert!(decode(&bytes[..at.index(bytes.len())]).is_err());
    }

    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes).is_err());
    }

    /// Damage under a checksum that fits: whatever comes out, nothing panics.
    #[test]
    fn any_content_gives_an_answer(at in 28..300_usize, change in prop::collection::vec(any::<u8>(), 1..20)) {
        let mut content = GOOD.clone();
        content.truncate(content.len() - 16);
        for (byte, new) in content[at..].iter_mut().zip(change) {
            *byte = new;
        }
        let _ = decode(&resealed(content));
    }

    #[test]
    fn any_state_reads_back(
        step in any::<u64>(),
        time in any::<f64>().prop_filter("comparable", |time| !time.is_nan()),
        scene_hash in any::<u128>(),
        sections in prop::collection::vec((".{0,9}", prop::collection::vec(any::<u8>(), 0..999)), 0..4),
    ) {
        let state = Checkpoint { step, time, scene_hash, sections };
        prop_assert_eq!(decode(&encode(&state).unwrap()).unwrap(), state);
    }
}
