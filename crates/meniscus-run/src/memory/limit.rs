//! What memory a process can have.

use meniscus_core::Bytes;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// What the thread that writes keeps for itself, used or not: its stack and a room for what it allocates `[byte]`.
const WRITER: f64 = 72e6;
/// What a run asks for, used or not, to what it uses: lists have room to grow `[1]`.
const ASKED: f64 = 1.15;

/// Something that limits the memory of this process.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryLimit {
    /// What can be had.
    pub bytes: Bytes,
    /// Whose limit it is, in words.
    pub what: String,
    /// How to have more.
    pub widen: &'static str,
    /// Whether it also counts what threads keep for themselves and do not use.
    pub counts_threads: bool,
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.what, self.bytes)
    }
}

/// All limits that the system tells of; none where it tells nothing.
pub(super) fn limits() -> Vec<MemoryLimit> {
    let mut all = Vec::new();
    all.extend(machine());
    all.extend(group());
    if let Ok(text) = fs::read_to_string("/proc/self/limits") {
        all.extend(process(&text, &fs::read_to_string("/proc/self/status").unwrap_or_default()));
    }
    all
}

/// Its memory and what it can put aside on a disk.
fn machine() -> Option<MemoryLimit> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let bytes = kilobytes(&text, "MemTotal:")? + kilobytes(&text, "SwapFree:").unwrap_or(0.0);
    Some(MemoryLimit {
        bytes: Bytes(bytes),
        what: "this machine has".to_owned(),
        widen: "a machine with more memory",
        counts_threads: false,
    })
}

/// The narrowest of the groups of processes that this one is in: containers and batch systems limit these.
fn group() -> Option<MemoryLimit> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = groups.lines().flat_map(limit_files).filter_map(|file| limit_in(&file));
    let bytes = limits.min_by(f64::total_cmp)?;
    Some(MemoryLimit {
        bytes: Bytes(bytes),
        what: "the group of processes that it runs in (a container or a job) may have".to_owned(),
        widen: "a larger limit of the container or the job",
        counts_threads: false,
    })
}

/// The files that may hold the limit of a group and of those that it is in, from a line of `/proc/self/cgroup`.
fn limit_files(line: &str) -> Vec<PathBuf> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { return Vec::new() };
    let (root, file) = match kinds {
        "" => ("/sys/fs/cgroup", "memory.max"),
        kinds if kinds.split(',').any(|kind| kind == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return Vec::new(),
    };
    let path = Path::new(path.trim_start_matches('/'));
    path.ancestors().map(|group| Path::new(root).join(group).join(file)).collect()
}

/// A number of bytes; "max" and numbers beyond all memory are no limits.
fn limit_in(file: &Path) -> Option<f64> {
    let bytes: f64 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    (bytes < 1e18).then_some(bytes)
}

/// What the shell that started the process allows it. These limits count all that was asked for, used or not, so that what is
/// asked for and not used does not remain, nor what will be.
fn process(limits: &str, status: &str) -> Vec<MemoryLimit> {
    let soft = |name: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    let unused = |name: &str, used: &str| {
        let (asked, used) = (kilobytes(status, name)?, kilobytes(status, used)?);
        Some((asked - used).max(0.0))
    };
    let limit = |name: &str, option: &'static str, unused: Option<f64>, widen: &'static str| {
        let bytes = (soft(name)? - unused.unwrap_or(0.0) - WRITER) / ASKED;
        let what = format!("its limit of memory (`{option}`) leaves it");
        Some(MemoryLimit { bytes: Bytes(bytes.max(0.0)), what, widen, counts_threads: true })
    };
    let space = limit("Max address space", "ulimit -v", unused("VmSize:", "VmRSS:"), "a larger `ulimit -v`");
    let data = limit("Max data size", "ulimit -d", unused("VmData:", "RssAnon:"), "a larger `ulimit -d`");
    space.into_iter().chain(data).collect()
}

/// A figure that the system tells in kB `[byte]`.
fn kilobytes(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_shell_are_read_without_what_is_not_used() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
            Max data size             unlimited            unlimited            bytes\n\
            Max address space         512000000            unlimited            bytes\n";
        let status = "VmSize:\t  200000 kB\nVmRSS:\t  100000 kB\n";
        let found = process(limits, status);
        assert_eq!(found.len(), 1);
        assert!((found[0].bytes.0 - (512e6 - 100e3 * 1024.0 - WRITER) / ASKED).abs() < 1.0);
        assert!(found[0].to_string().contains("(`ulimit -v`) leaves it 294 MB"), "{}", found[0]);
    }

    #[test]
    fn groups_are_looked_for_up_to_the_root() {
        let files = |line| {
            let show = |path: &PathBuf| path.display().to_string();
            limit_files(line).iter().map(show).collect::<Vec<_>>()
        };
        assert_eq!(
            files("0::/a/b"),
            ["a/b/", "a/", ""].map(|group| format!("/sys/fs/cgroup/{group}memory.max"))
        );
        let old = ["job/", ""].map(|group| format!("/sys/fs/cgroup/memory/{group}memory.limit_in_bytes"));
        assert_eq!(files("4:memory:/job"), old);
        assert!(files("3:cpuset:/job").is_empty() && files("nonsense").is_empty());
    }
}
