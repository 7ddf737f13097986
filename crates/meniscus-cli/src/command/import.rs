//! `import`: scenes of SPlisHSPlasH.

use super::advance::scene_name;
use crate::cli::ImportArgs;
use crate::error::CommandError;
use crate::terminal::{say, warn};
use meniscus::output::{OutputError, atomic};
use meniscus::scene::import::import as carry_over;
use std::path::Path;

/// Writes our scene and lists what was lost.
pub fn import(args: &ImportArgs) -> Result<(), CommandError> {
    let path = &args.scene;
    let text = std::fs::read_to_string(path).map_err(OutputError::io("read", path))?;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let folder = whole.parent().unwrap_or(Path::new("."));
    let imported = carry_over(&text, &scene_name(&path.to_string_lossy()), folder)
        .map_err(|source| CommandError::Import { path: path.clone(), source })?;
    let out = args.out.clone().unwrap_or_else(|| path.with_extension("toml"));
    atomic::write(&out, imported.toml.as_bytes())?;
    for lost in &imported.lost {
        warn(lost);
    }
    say(&format!("{}: {} keys not carried over", out.display(), imported.lost.len()));
    Ok(())
}
