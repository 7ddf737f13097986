//! Starts the command and reads what it leaves.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command, ready for arguments.
pub fn meniscus() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meniscus"));
    command.env("NO_COLOR", "1");
    command
}

/// The small scene.
pub fn small() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/small.toml")
}

/// Runs the command to its end in a folder.
pub fn call(folder: &Path, args: &[&str]) -> Output {
    meniscus().current_dir(folder).args(args).output().unwrap()
}

/// Runs the command and expects it to succeed.
pub fn succeed(folder: &Path, args: &[&str]) -> String {
    let output = call(folder, args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs the small scene into `folder/name`.
pub fn run_small(folder: &Path, name: &str, more: &[&str]) {
    let scene = small();
    let mut args = vec!["run", scene.to_str().unwrap(), "--quiet", "--out", name];
    args.extend(more);
    succeed(folder, &args);
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A run's summary.
pub fn summary(run: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap()
}

/// The fingerprint of a run's last state.
pub fn state_hash(run: &Path) -> String {
    summary(run)["state_hash"].as_str().unwrap().to_owned()
}

/// All results that do not depend on the clock: series, collection and frames, by name.
pub fn results(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for name in ["series.csv", "fluid.pvd", "scene.toml"] {
        all.insert(name.to_owned(), fs::read(run.join(name)).unwrap());
    }
    for entry in fs::read_dir(run.join("frames")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        all.insert(name, fs::read(&path).unwrap());
    }
    all
}

/// The names that differ between two sets of results.
pub fn differences(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    names.filter(|name| a.get(*name) != b.get(*name)).cloned().collect()
}
