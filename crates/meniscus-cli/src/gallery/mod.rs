//! The scenes of the papers, run one after another, and a page that shows what came out of them.
//!
//! Each run is a process of its own: what one scene does to memory or to the program cannot touch the others, and its costs
//! are its own.

mod page;

pub use page::write;

use crate::error::CommandError;
use meniscus::output::{ClaimSummary, Outcome, RunFolder, Summary};
use meniscus::run::claims;
use meniscus::scene::{Builtin, Scene, SceneError, SceneSource, builtins};
use std::path::{Path, PathBuf};

/// The file in the gallery's folder that shows all.
pub const PAGE: &str = "gallery.html";

/// A scene of the gallery and where its run is.
#[derive(Debug, Clone)]
pub struct Exhibit {
    /// The scene's name, such as `becker-2009/vessel`.
    pub name: &'static str,
    /// The scene.
    pub scene: Scene,
    /// The folder of its run.
    pub folder: PathBuf,
}

/// How far the run of an exhibit has come.
#[derive(Debug, Clone, PartialEq)]
pub enum ExhibitState {
    /// There is none, or one of another version of the scene.
    Absent,
    /// It was stopped and can be resumed.
    Begun,
    /// It failed.
    Failed,
    /// It is complete.
    Complete(Box<Summary>),
}

/// The exhibits that a choice of names gives, in the order of the list of built-in scenes: all of a paper, a single scene, or
/// everything if there are no names. Their runs are in `out`.
///
/// # Errors
/// A name that nothing has, or a built-in scene with mistakes.
pub fn exhibits(only: &[String], out: &Path) -> Result<Vec<Exhibit>, CommandError> {
    let papers = || builtins().iter().filter(|scene| scene.name.contains('/'));
    let chosen = |scene: &&Builtin, name: &str| {
        scene.name == name || scene.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
    };
    for name in only {
        if !papers().any(|scene| chosen(&scene, name)) {
            return Err(CommandError::UnknownExhibit { name: name.clone() });
        }
    }
    let wanted = |scene: &&Builtin| only.is_empty() || only.iter().any(|name| chosen(scene, name));
    let exhibit = |scene: &Builtin| -> Result<Exhibit, SceneError> {
        let checked = SceneSource::from_text(scene.name, scene.text).check()?;
        Ok(Exhibit { name: scene.name, scene: checked, folder: out.join(scene.name) })
    };
    Ok(papers().filter(wanted).map(exhibit).collect::<Result<_, _>>()?)
}

impl Exhibit {
    /// How far its run has come.
    #[must_use]
    pub fn progress(&self) -> ExhibitState {
        let Ok(folder) = RunFolder::open(&self.folder) else { return ExhibitState::Absent };
        if !self.is_that_of(&folder) {
            return ExhibitState::Absent;
        }
        match Summary::read(&folder.summary_path()) {
            Ok(summary) if summary.outcome == Outcome::Completed => ExhibitState::Complete(Box::new(summary)),
            Ok(summary) if summary.outcome == Outcome::Failed => ExhibitState::Failed,
            _ => ExhibitState::Begun,
        }
    }

    /// Whether a folder has a run of this scene.
    fn is_that_of(&self, folder: &RunFolder) -> bool {
        let run =
            folder.scene_toml().ok().and_then(|text| SceneSource::from_text(self.name, &text).check().ok());
        let Some(mut run) = run else { return false };
        // A run also says where its world ends.
        run.world = self.scene.world.clone();
        run.to_toml().ok() == self.scene.to_toml().ok()
    }

    /// The claims as they stand now.
    #[must_use]
    pub fn answers(&self) -> Vec<ClaimSummary> {
        self.answers_at(&self.progress())
    }

    /// The same when it is known how far the run has come. Claims that look at another scene may have been open when this one was
    /// run.
    fn answers_at(&self, progress: &ExhibitState) -> Vec<ClaimSummary> {
        let ExhibitState::Complete(summary) = progress else { return claims::open(&self.scene) };
        let answered = claims::answer(&self.scene, &self.folder, summary.escaped_particles);
        answered.unwrap_or_else(|_| summary.claims.clone())
    }
}
