//! The command `sample`: files, what it prints, and what it refuses.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use support::{call, succeed, text};

const METHODS: [&str; 7] =
    ["scanline", "scanline-down", "seven-point", "poisson", "relaxed", "volume", "volume-relaxed"];

/// A closed box of 1 by 0.8 by 0.6 m.
fn write_box(folder: &Path) {
    let mut obj = String::new();
    for i in 0..8 {
        let at = |bit: u32, length: f64| length * f64::from(i >> bit & 1);
        writeln!(obj, "v {} {} {}", at(0, 1.0), at(1, 0.8), at(2, 0.6) - 0.3).unwrap();
    }
    for f in ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"] {
        writeln!(obj, "f {f}").unwrap();
    }
    fs::write(folder.join("box.obj"), obj).unwrap();
}

#[test]
fn every_method_writes_its_samples_and_a_picture() {
    let dir = tempfile::tempdir().unwrap();
    write_box(dir.path());
    for method in METHODS {
        let args = ["sample", "box.obj", "--method", method, "--spacing", "0.05"];
        let files = ["-o", "points.ply", "--picture", "points.png"];
        let said = succeed(dir.path(), &[args.as_slice(), files.as_slice()].concat());
        let count: usize = said.split_whitespace().nth(1).unwrap().parse().unwrap();
        assert!(count > 500, "{method}: {said}");
        let ply = fs::read(dir.path().join("points.ply")).unwrap();
        let end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        let header = text(&ply[..end]);
        assert!(header.contains(&format!("element vertex {count}\n")), "{header}");
        assert!(header.contains("property float volume\nproperty float number_density\n"), "{header}");
        let floats = header.matches("property float").count();
        assert_eq!(ply.len() - end, count * (24 + 4 * floats));
        assert!(fs::read(dir.path().join("points.png")).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn the_same_seed_gives_the_same_file_and_another_one_does_not() {
    let dir = tempfile::tempdir().unwrap();
    write_box(dir.path());
    let with = |seed: &str| {
        let args = ["sample", "box.obj", "--method", "relaxed", "--spacing", "0.1", "--seed", seed];
        succeed(dir.path(), &[args.as_slice(), &["-o", "a.ply"]].concat());
        fs::read(dir.path().join("a.ply")).unwrap()
    };
    assert_eq!(with("1"), with("1"));
    assert_ne!(with("1"), with("2"));
}

#[test]
fn planar_samples_lie_on_the_section() {
    let dir = tempfile::tempdir().unwrap();
    write_box(dir.path());
    let said = succeed(dir.path(), &["sample", "box.obj", "--planar", "--spacing", "0.05"]);
    // The outline is 3.6 m long, with vertices where it crosses the diagonals of the faces.
    assert!(said.contains("samples              72"), "{said}");
}

#[test]
fn bad_requests_are_refused_with_exit_code_2_and_write_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write_box(dir.path());
    let open = fs::read_to_string(dir.path().join("box.obj")).unwrap();
    let open: Vec<&str> = open.lines().take(13).collect();
    fs::write(dir.path().join("open.obj"), open.join("\n")).unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["box.obj", "--spacing", "1e-12"], "use a larger spacing"),
        (&["box.obj", "--spacing", "nan"], "spacing = NaN"),
        (&["box.obj", "--spacing=-1"], "spacing = -1"),
        (&["box.obj", "--spacing", "0.1", "--depth", "inf"], "depth = inf"),
        (&["box.obj", "--spacing", "1e-9", "--method", "volume"], "use a larger spacing"),
        (&["open.obj", "--spacing", "0.1", "--method", "volume"], "not closed"),
        (&["none.obj", "--spacing", "0.1"], "cannot read the mesh file"),
        (&["box.obj", "--spacing", "0.1", "--planar", "--method", "seven-point"], "seven-point rule"),
    ];
    let before = fs::read_dir(dir.path()).unwrap().count();
    for (args, part) in cases {
        let output = call(dir.path(), &[&["sample"], args, &["-o", "out.ply"]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), before);
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let dir = tempfile::tempdir().unwrap();
    write_box(dir.path());
    let output = call(dir.path(), &["sample", "box.obj", "--spacing", "0.1", "-o", "no/such/out.ply"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no/such/out.ply"));
}
