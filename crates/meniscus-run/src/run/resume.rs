//! Going on with a run that was stopped or killed.

use super::ledger::{Ledger, RunRecord, WallClock};
use super::mesh_files::{MeshFile, changed, mesh_files};
use super::schedule::{Schedule, is_over};
use super::{Run, RunError, output_params};
use crate::bodies::BodyMeshes;
use meniscus_core::StateHash;
use meniscus_coupling::{Setup, Simulation, State};
use meniscus_output::{Checkpoint, Loss, Outcome, OutputError, OutputThread, RunFolder, Summary, checkpoint};
use meniscus_scene::{Scene, SceneSource};
use std::path::Path;

/// Names of a checkpoint's sections.
pub(super) const STATE: &str = "state";
pub(super) const RUN: &str = "run";

/// A run that goes on.
pub struct Resumed {
    /// The run, at its last checkpoint or, if it has none, at its start.
    pub run: Run,
    /// Newer checkpoints that could not be used, and why.
    pub skipped: Vec<OutputError>,
    /// Rows and frames from before the checkpoint that are not there, or not whole; they are not written again.
    pub losses: Vec<Loss>,
}

impl Run {
    /// Opens the folder of a run and goes back to its last checkpoint: whatever was written after it is removed, and
    /// will be written again.
    ///
    /// # Errors
    /// When the folder is not that of a run, or its scene, its meshes or its checkpoints do not belong together.
    pub fn resume(path: &Path, map_cache: Option<&Path>) -> Result<Resumed, RunError> {
        let clock = WallClock::start();
        let folder = RunFolder::open_for_resume(path)?;
        let text = folder.scene_toml()?;
        let name = folder.scene_path().display().to_string();
        let (scene, setup) = SceneSource::from_text(&name, &text).with_map_cache(map_cache).build()?;
        let latest = checkpoint::load_latest(path)?;
        let (run, losses) = match latest.checkpoint {
            Some(saved) => Self::from_checkpoint(scene, &text, setup, &saved, clock, folder)?,
            // All is written again.
            None => (Self::from_nothing(scene, &text, setup, clock, folder)?, Vec::new()),
        };
        Ok(Resumed { run, skipped: latest.skipped, losses })
    }

    /// Whether the run has ended and left its summary: there is nothing to be done.
    #[must_use]
    pub fn is_completed(&self) -> bool {
        let summary = Summary::read(&self.folder.summary_path());
        let told =
            summary.is_ok_and(|s| s.outcome == Outcome::Completed && s.steps == self.simulation.clock().step);
        told && is_over(&self.scene, self.simulation.clock())
    }

    /// A run that was killed before its first checkpoint begins again.
    fn from_nothing(
        scene: Scene,
        text: &str,
        setup: Setup,
        clock: WallClock,
        folder: RunFolder,
    ) -> Result<Self, RunError> {
        folder.rewind_frames(0)?;
        let record = RunRecord::at_start(mesh_files(&scene)?);
        let simulation = Simulation::new(setup)?;
        let output = OutputThread::create(&folder, output_params(&scene), &simulation.series_columns())?;
        Self::from_start(scene, text, simulation, output, Ledger::new(record, clock), folder)
    }

    fn from_checkpoint(
        scene: Scene,
        text: &str,
        setup: Setup,
        saved: &Checkpoint,
        clock: WallClock,
        folder: RunFolder,
    ) -> Result<(Self, Vec<Loss>), RunError> {
        let scene_hash = StateHash::of_bytes(text.as_bytes()).0;
        let (state, record) = read(saved, scene_hash, &mesh_files(&scene)?)
            .map_err(|reason| RunError::Resume { path: folder.path().to_owned(), reason })?;
        let simulation = Simulation::restore(setup, &state)?;
        let (step, next_frame) = (saved.step, record.next_frame);
        let columns = simulation.series_columns();
        let losses = losses(&folder, &scene, simulation.setup(), step, next_frame)?;
        let output = OutputThread::resume(&folder, output_params(&scene), &columns, step, next_frame)?;
        let run = Self {
            meshes: BodyMeshes::new(simulation.setup()),
            scene_hash,
            schedule: Schedule::new(&scene),
            earlier_particle_steps: simulation.totals().particle_steps,
            scene,
            simulation,
            output,
            ledger: Ledger::new(record, clock),
            next_frame,
            saved: Some(step),
            stepping_s: 0.0,
            folder,
        };
        Ok((run, losses))
    }
}

/// What should be in the folder of a run at its checkpoint, and is not.
fn losses(
    folder: &RunFolder,
    scene: &Scene,
    setup: &Setup,
    step: u64,
    next_frame: u32,
) -> Result<Vec<Loss>, OutputError> {
    let written = output_params(scene);
    let fluid = setup.has_fluid && written.formats.vtu;
    let bodies = setup.solids.is_some() && !scene.output.formats.is_empty();
    let surface = setup.has_fluid && written.surface.is_some() && !scene.output.formats.is_empty();
    let every = u64::from(scene.observe.series_every);
    let deformables = !setup.deformables.is_empty() && !scene.output.formats.is_empty();
    folder.losses(step, every, next_frame, [fluid, bodies, surface, deformables])
}

/// The state and the record of a checkpoint, or why they cannot be used with this scene and these meshes.
fn read(saved: &Checkpoint, scene_hash: u128, meshes: &[MeshFile]) -> Result<(State, RunRecord), String> {
    if saved.scene_hash != scene_hash {
        return Err(
            "its scene.toml was changed after the checkpoint; restore it, or run the new scene".to_owned()
        );
    }
    let section = |name: &str| saved.section(name).ok_or(format!("its checkpoint has no section `{name}`"));
    let other = |error| format!("its checkpoint was written by another version ({error})");
    let record: RunRecord = postcard::from_bytes(section(RUN)?).map_err(other)?;
    if let Some(file) = changed(meshes, &record.meshes) {
        let path = file.path.display();
        return Err(format!("the mesh {path} was changed after the checkpoint; restore it, or run anew"));
    }
    let state = State::from_bytes(section(STATE)?.to_vec());
    Ok((state, record))
}
