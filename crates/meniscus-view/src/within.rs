//! Only files of the run's own folder are served: a link that leads out of it, or a pipe that never ends, is not one.

use meniscus_output::OutputError;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

/// Refuses a path that is there and is no plain file inside of the folder.
///
/// The folder itself may be reached through links: it was named by the user.
pub(super) fn check(folder: &Path, path: &Path) -> Result<(), OutputError> {
    let refuse =
        |why: &str| Err(OutputError::io("serve", path)(Error::new(ErrorKind::PermissionDenied, why)));
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        // What is missing is told by whoever reads it.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(OutputError::io("serve", path)(error)),
    };
    let home = fs::canonicalize(folder).map_err(OutputError::io("serve", folder))?;
    if !real.starts_with(&home) {
        return refuse("it is a link that leads out of the run's folder");
    }
    if !real.is_file() {
        return refuse("it is no file");
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_plain_files_inside_are_served() {
        let dir = tempfile::tempdir().unwrap();
        let (run, secret) = (dir.path().join("run"), dir.path().join("secret"));
        fs::create_dir_all(run.join("frames")).unwrap();
        fs::create_dir(dir.path().join("elsewhere")).unwrap();
        for file in [&secret, &run.join("series.csv"), &dir.path().join("elsewhere/fluid_000000.vtu")] {
            fs::write(file, "x").unwrap();
        }
        symlink(&secret, run.join("fluid.pvd")).unwrap();
        symlink("../elsewhere", run.join("other")).unwrap();
        symlink("series.csv", run.join("same.csv")).unwrap();
        symlink(&run, dir.path().join("link")).unwrap();
        for (path, fine) in [
            ("series.csv", true),
            ("same.csv", true),
            ("missing.csv", true),
            ("fluid.pvd", false),
            ("other/fluid_000000.vtu", false),
            ("../secret", false),
            ("frames", false),
        ] {
            assert_eq!(check(&run, &run.join(path)).is_ok(), fine, "{path}");
        }
        let link = dir.path().join("link");
        assert!(check(&link, &link.join("series.csv")).is_ok());
    }
}
