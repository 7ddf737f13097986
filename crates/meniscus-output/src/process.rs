//! What the process has used so far, as the operating system counts it.

use std::fs;

/// Processor time of this process so far, user and system over all threads `[s]`; nothing where it is not known.
#[must_use]
pub fn cpu_seconds() -> Option<f64> {
    // Linux reports in ticks of 1/100 s to every program, whatever the kernel uses inside (`USER_HZ`).
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses and may contain spaces.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

/// Largest memory this process has held so far, in bytes of resident memory; nothing where it is not known.
#[must_use]
pub fn peak_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_plausible() {
        assert!(cpu_seconds().is_some_and(|seconds| (0.0..1e6).contains(&seconds)));
        assert!(peak_memory_bytes().is_some_and(|bytes| bytes > 1 << 16));
    }
}
