//! What a run leaves behind: frames, series, checkpoints, pictures, summary.
