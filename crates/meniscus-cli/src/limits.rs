//! What the system limits.

/// Lets a write fail that would make a file larger than the system allows (`ulimit -f`), instead of ending the process with
/// the signal SIGXFSZ before anything can be said or saved.
///
/// The signal is blocked in the calling thread and in all threads that it starts later, so this comes first. A signal that is
/// blocked is as good as ignored: `write` returns EFBIG.
pub fn let_large_files_fail() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGXFSZ);
        // If it cannot be blocked, the process ends by it, as it did before.
        let _ = signals.thread_block();
    }
}
