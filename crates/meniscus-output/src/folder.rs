//! The folder of a run: it either does not exist or can be resumed.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::lock::FolderLock;
use crate::loss::{self, Loss};
use crate::{Collection, OutputError, atomic, checkpoint, frame};

/// What to do with a folder of the wanted name that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    Refuse,
    /// If a run made it, remove that run's files, and nothing else.
    Overwrite,
}

const SCENE: &str = "scene.toml";
const FRAMES: &str = "frames";
const CHECKPOINTS: &str = "checkpoints";
const SERIES: &str = "series.csv";
const COLLECTION: &str = "fluid.pvd";
const BODY_COLLECTION: &str = "bodies.pvd";
const SURFACE_COLLECTION: &str = "surface.pvd";
const DEFORMABLE_COLLECTION: &str = "deformable.pvd";
const BODY_ANIMATION: &str = "bodies.glb";
const MESHES: &str = "bodies";
const PREVIEW: &str = "preview.png";
const ANIMATION: &str = "animation.gif";
const REPORT: &str = "report.html";
const SUMMARY: &str = "summary.json";

/// A begun folder this old that nobody has locked belongs to a killed process: beginning one takes milliseconds.
const ABANDONED: Duration = Duration::from_secs(10);

/// The folder of a run.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    /// Held while this process may write; nothing when the folder was opened for reading.
    _lock: Option<FolderLock>,
}

impl RunFolder {
    /// Makes the folder of a new run of this scene and locks it.
    ///
    /// The folder is prepared beside its name and renamed into place, so that it can be resumed from the moment it
    /// exists. Parent folders are made as needed.
    ///
    /// # Errors
    /// [`OutputError::FolderInUse`] if the folder is not empty and may not be overwritten,
    /// [`OutputError::NotARunFolder`] if it may but no run made it, [`OutputError::Locked`] if a run is writing to
    /// it, else [`OutputError::Io`].
    pub fn create(path: &Path, scene_toml: &str, existing: Existing) -> Result<Self, OutputError> {
        let parent = atomic::folder_of(path);
        fs::create_dir_all(&parent).map_err(OutputError::io("create", &parent))?;
        if !is_free(path)? {
            return match existing {
                Existing::Refuse => Err(OutputError::FolderInUse { path: path.to_path_buf() }),
                Existing::Overwrite => Self::begin_again(path, scene_toml),
            };
        }
        let prefix = temp_prefix(path);
        sweep_abandoned(&parent, &prefix);
        let temp = tempfile::Builder::new().prefix(&prefix).tempdir_in(&parent);
        let temp = temp.map_err(OutputError::io("create", path))?;
        let lock = FolderLock::take(temp.path(), path)?;
        furnish(temp.path(), scene_toml)?;
        share_like_other_folders(temp.path());
        fs::rename(temp.path(), path).map_err(|error| match error.kind() {
            // Somebody else was faster.
            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists => {
                OutputError::FolderInUse { path: path.to_path_buf() }
            }
            _ => OutputError::io("create", path)(error),
        })?;
        // It has its final name now and must not be removed as a temporary folder.
        let _ = temp.keep();
        atomic::sync_folder(&parent)?;
        Ok(Self { path: path.to_path_buf(), _lock: Some(lock) })
    }

    /// Removes the files of an earlier run and begins anew in the same folder.
    fn begin_again(path: &Path, scene_toml: &str) -> Result<Self, OutputError> {
        check_is_run(path)?;
        let lock = FolderLock::take(path, path)?;
        let folder = Self { path: path.to_path_buf(), _lock: Some(lock) };
        // Checkpoints go first: a kill in between must not leave the old run's state beside the new scene.
        for step in checkpoint::steps_in(path)? {
            atomic::remove(&path.join(checkpoint::file_name(step)))?;
        }
        let collections = [COLLECTION, BODY_COLLECTION, SURFACE_COLLECTION, DEFORMABLE_COLLECTION];
        let shown = [PREVIEW, ANIMATION, BODY_ANIMATION].into_iter().chain(collections);
        for file in [SUMMARY, REPORT, SERIES].into_iter().chain(shown) {
            atomic::remove(&path.join(file))?;
        }
        folder.remove_meshes()?;
        folder.remove_frames_from(0)?;
        folder.sweep()?;
        atomic::write(&path.join(SCENE), scene_toml.as_bytes())?;
        Ok(folder)
    }

    /// Opens the folder of a run for reading.
    ///
    /// # Errors
    /// [`OutputError::NotARunFolder`] with the reason.
    pub fn open(path: &Path) -> Result<Self, OutputError> {
        check_is_run(path)?;
        Ok(Self { path: path.to_path_buf(), _lock: None })
    }

    /// Opens the folder of a run to continue it: locks it and removes unfinished files of a killed process.
    ///
    /// # Errors
    /// [`OutputError::NotARunFolder`] with the reason, [`OutputError::Locked`] if a run is still writing to it, else
    /// [`OutputError::Io`].
    pub fn open_for_resume(path: &Path) -> Result<Self, OutputError> {
        check_is_run(path)?;
        let lock = FolderLock::take(path, path)?;
        let folder = Self { path: path.to_path_buf(), _lock: Some(lock) };
        folder.sweep()?;
        Ok(folder)
    }

    /// Whether some process is writing to the folder now; it must have been opened for reading.
    #[must_use]
    pub fn is_being_written(&self) -> bool {
        FolderLock::is_held(&self.path)
    }

    /// Forgets all frames from number `next_frame` on, first in the collections, then on disk: a resumed run will
    /// write them again. Returns the collections of those of the fluid, of bodies, of surfaces and of deformable bodies that stay.
    ///
    /// # Errors
    /// [`OutputError::Io`] when a collection cannot be rewritten or a frame not removed.
    pub fn rewind_frames(&self, next_frame: u32) -> Result<[Collection; 4], OutputError> {
        let cut = |path: PathBuf| {
            let mut collection = Collection::load(&path)?;
            if !collection.entries().is_empty() {
                collection.cut(next_frame)?;
            }
            Ok(collection)
        };
        let collections = [
            cut(self.collection_path())?,
            cut(self.body_collection_path())?,
            cut(self.surface_collection_path())?,
            cut(self.deformable_collection_path())?,
        ];
        self.remove_frames_from(next_frame)?;
        Ok(collections)
    }

    /// What a run should find here that goes on after `step` with frame number `next_frame`, and does not. `every` tells
    /// every how many steps the series has a row; `has` tells which of fluid, bodies, surfaces and deformable bodies have frames. Frames that are
    /// lost are taken off their collections.
    ///
    /// # Errors
    /// [`OutputError::Io`] when a file cannot be read or a collection not be rewritten.
    pub fn losses(
        &self,
        step: u64,
        every: u64,
        next_frame: u32,
        has: [bool; 4],
    ) -> Result<Vec<Loss>, OutputError> {
        let mut lost: Vec<Loss> = loss::rows(&self.series_path(), every, step)?.into_iter().collect();
        let collections = [
            (self.collection_path(), frame::Kind::Fluid),
            (self.body_collection_path(), frame::Kind::Bodies),
            (self.surface_collection_path(), frame::Kind::Surface),
            (self.deformable_collection_path(), frame::Kind::Deformable),
        ];
        for ((path, kind), _) in collections.into_iter().zip(has).filter(|(_, has)| *has) {
            lost.extend(loss::frames(&mut Collection::load(&path)?, kind, next_frame)?);
        }
        Ok(lost)
    }

    /// Makes the folder for the meshes of bodies and removes those that are there.
    ///
    /// # Errors
    /// [`OutputError::Io`] when it cannot be made or a mesh not removed.
    pub fn begin_meshes(&self) -> Result<(), OutputError> {
        let folder = self.path.join(MESHES);
        fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
        self.remove_meshes()
    }

    fn remove_meshes(&self) -> Result<(), OutputError> {
        let folder = self.path.join(MESHES);
        if !folder.is_dir() {
            return Ok(());
        }
        for name in atomic::names_in(&folder)?.iter().filter(|name| is_mesh(name)) {
            atomic::remove(&folder.join(name))?;
        }
        Ok(())
    }

    fn remove_frames_from(&self, first: u32) -> Result<(), OutputError> {
        let frames = self.path.join(FRAMES);
        for name in atomic::names_in(&frames)? {
            if frame::index_of(&name).is_some_and(|index| index >= first) {
                atomic::remove(&frames.join(name))?;
            }
        }
        Ok(())
    }

    fn sweep(&self) -> Result<(), OutputError> {
        for folder in [self.path.clone(), self.path.join(FRAMES), self.path.join(CHECKPOINTS)] {
            atomic::sweep(&folder)?;
        }
        // Only runs with dynamic bodies have this one.
        let meshes = self.path.join(MESHES);
        if meshes.is_dir() {
            atomic::sweep(&meshes)?;
        }
        Ok(())
    }

    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of the scene that is run here.
    ///
    /// # Errors
    /// [`OutputError::Io`] when it cannot be read.
    pub fn scene_toml(&self) -> Result<String, OutputError> {
        let path = self.scene_path();
        fs::read_to_string(&path).map_err(OutputError::io("read", &path))
    }

    /// Where the scene is.
    #[must_use]
    pub fn scene_path(&self) -> PathBuf {
        self.path.join(SCENE)
    }

    /// Where the series is.
    #[must_use]
    pub fn series_path(&self) -> PathBuf {
        self.path.join(SERIES)
    }

    /// Where the collection of frames is.
    #[must_use]
    pub fn collection_path(&self) -> PathBuf {
        self.path.join(COLLECTION)
    }

    /// Where the collection of frames of bodies is.
    #[must_use]
    pub fn body_collection_path(&self) -> PathBuf {
        self.path.join(BODY_COLLECTION)
    }

    /// Where the collection of surfaces is.
    #[must_use]
    pub fn surface_collection_path(&self) -> PathBuf {
        self.path.join(SURFACE_COLLECTION)
    }

    /// Where the collection of frames of deformable bodies is.
    #[must_use]
    pub fn deformable_collection_path(&self) -> PathBuf {
        self.path.join(DEFORMABLE_COLLECTION)
    }

    /// Where the motion of all bodies is.
    #[must_use]
    pub fn body_animation_path(&self) -> PathBuf {
        self.path.join(BODY_ANIMATION)
    }

    /// Where the mesh of that number is, which belongs to bodies of this name. Letters that are no good in the name of
    /// a file become dashes.
    #[must_use]
    pub fn mesh_path(&self, index: usize, name: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = name.chars().take(64).map(plain).collect();
        self.path.join(MESHES).join(format!("{index:03}_{name}.ply"))
    }

    /// Where the picture of the last frame is.
    #[must_use]
    pub fn preview_path(&self) -> PathBuf {
        self.path.join(PREVIEW)
    }

    /// Where the animation of the run is.
    #[must_use]
    pub fn animation_path(&self) -> PathBuf {
        self.path.join(ANIMATION)
    }

    /// Where the report is.
    #[must_use]
    pub fn report_path(&self) -> PathBuf {
        self.path.join(REPORT)
    }

    /// Where the summary is.
    #[must_use]
    pub fn summary_path(&self) -> PathBuf {
        self.path.join(SUMMARY)
    }

    /// Where the frame of that number is, with the extension "vtu" or "ply".
    #[must_use]
    pub fn frame_path(&self, index: u32, extension: &str) -> PathBuf {
        self.path.join(frame::relative_name(frame::Kind::Fluid, index, extension))
    }

    /// Where the surface of that number is, with the extension "vtp", "ply" or "obj".
    #[must_use]
    pub fn surface_path(&self, index: u32, extension: &str) -> PathBuf {
        self.path.join(frame::relative_name(frame::Kind::Surface, index, extension))
    }

    /// Where the frame of deformable bodies of that number is, with the extension "vtp" or "ply".
    #[must_use]
    pub fn deformable_frame_path(&self, index: u32, extension: &str) -> PathBuf {
        self.path.join(frame::relative_name(frame::Kind::Deformable, index, extension))
    }

    /// Where the frame of bodies of that number is.
    #[must_use]
    pub fn body_frame_path(&self, index: u32) -> PathBuf {
        self.path.join(frame::relative_name(frame::Kind::Bodies, index, "vtu"))
    }
}

/// Whether a file is a mesh that a run wrote.
fn is_mesh(name: &str) -> bool {
    let digits = name.split_once('_').map_or("", |(digits, _)| digits);
    Path::new(name).extension().is_some_and(|e| e == "ply")
        && digits.len() >= 3
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether nothing of that name exists, or an empty folder.
fn is_free(path: &Path) -> Result<bool, OutputError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(true),
        Err(error) => Err(OutputError::io("use", path)(error)),
    }
}

/// A run's folder has the scene and both subfolders from its first moment on.
fn check_is_run(path: &Path) -> Result<(), OutputError> {
    let not = |reason: &str| {
        Err(OutputError::NotARunFolder { path: path.to_path_buf(), reason: reason.to_owned() })
    };
    if !path.exists() {
        return not("it does not exist");
    }
    if !path.is_dir() {
        return not("it is a file");
    }
    if !path.join(SCENE).is_file() {
        return not("it holds no scene.toml");
    }
    for folder in [FRAMES, CHECKPOINTS] {
        if !path.join(folder).is_dir() {
            return not(&format!("it holds no folder `{folder}`"));
        }
    }
    Ok(())
}

fn furnish(place: &Path, scene_toml: &str) -> Result<(), OutputError> {
    for folder in [FRAMES, CHECKPOINTS] {
        let folder = place.join(folder);
        fs::create_dir(&folder).map_err(OutputError::io("create", &folder))?;
    }
    atomic::write(&place.join(SCENE), scene_toml.as_bytes())
}

fn temp_prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{}{name}.", atomic::TEMP_PREFIX)
}

/// Temporary folders are private; a run's folder is as readable as any other: as the one made inside it.
fn share_like_other_folders(place: &Path) {
    // Where the permissions cannot be changed the run is merely private: no reason to fail.
    if let Ok(metadata) = fs::metadata(place.join(FRAMES)) {
        let _ = fs::set_permissions(place, metadata.permissions());
    }
}

/// Removes begun folders of the same run that a killed process left; failing to is no error.
fn sweep_abandoned(parent: &Path, prefix: &str) {
    let names = atomic::names_in(parent).unwrap_or_default();
    for path in names.iter().filter(|name| name.starts_with(prefix)).map(|name| parent.join(name)) {
        let modified = fs::metadata(&path).and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) && !FolderLock::is_held(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}
