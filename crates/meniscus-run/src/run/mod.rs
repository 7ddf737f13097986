//! From a scene to a folder of results: begin or resume, advance, finish.
//!
//! There is no physics here and nothing that could change a result: a [`Run`] takes steps and, after each, hands what is
//! due to the thread that writes.

mod error;
mod ledger;
mod mesh_files;
mod resume;
mod schedule;
mod summary;

pub use error::RunError;
pub use ledger::Costs;
pub use resume::Resumed;
pub use schedule::{Limits, is_over};
pub use summary::summarise;

use crate::bodies::BodyMeshes;
use crate::claims;
use crate::look::Look;
use crate::picture::{self, Moment, View};
use crate::replay::{self, Replay};
use ledger::{Ledger, RunRecord, WallClock};
use meniscus_core::Clock;
use meniscus_core::{Dimension, Phase, StateHash};
use meniscus_coupling::Simulation;
use meniscus_output::{
    Checkpoint, Existing, FrameFormats, Outcome, OutputError, OutputParams, OutputThread, RunFolder, Summary,
    report,
};
use meniscus_scene::model::FrameFormat;
use meniscus_scene::{Scene, SceneSource};
use meniscus_surface::SurfaceParams;
use mesh_files::mesh_files;
use schedule::Schedule;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Why [`Run::advance`] came back.
#[derive(Debug, Clone)]
pub enum End {
    /// The scene is over.
    Completed,
    /// A limit was reached.
    Limit,
    /// Somebody asked to stop.
    Interrupted,
    /// A step or the output failed.
    Failed(RunError),
}

/// A run: a simulation and the folder that it fills.
pub struct Run {
    scene: Scene,
    scene_hash: u128,
    simulation: Simulation,
    output: OutputThread,
    schedule: Schedule,
    ledger: Ledger,
    next_frame: u32,
    meshes: BodyMeshes,
    /// The step of the newest checkpoint.
    saved: Option<u64>,
    /// Particle steps before this process `[1]`.
    earlier_particle_steps: u64,
    stepping_s: f64,
    /// Dropped last: it holds the lock that the output needs.
    folder: RunFolder,
}

impl Run {
    /// Checks and builds a scene, and begins a run of it in a folder. Nothing is written if the scene has mistakes.
    ///
    /// # Errors
    /// When the scene has mistakes or the folder cannot be used.
    pub fn begin(source: &SceneSource, path: &Path, existing: Existing) -> Result<Self, RunError> {
        let clock = WallClock::start();
        let (scene, setup) = source.build()?;
        let record = RunRecord::at_start(mesh_files(&scene)?);
        let simulation = Simulation::new(setup)?;
        // A checked scene has only paths that can be written; see `Scene::to_toml`.
        let text = scene.to_toml().map_err(|error| RunError::Resume {
            path: path.to_owned(),
            reason: format!("the scene cannot be stored: {error}"),
        })?;
        let folder = RunFolder::create(path, &text, existing)?;
        let output = OutputThread::create(&folder, output_params(&scene), &simulation.series_columns())?;
        Self::from_start(scene, &text, simulation, output, Ledger::new(record, clock), folder)
    }

    /// A run before its first step, with the frame and the row of the start.
    fn from_start(
        scene: Scene,
        text: &str,
        simulation: Simulation,
        output: OutputThread,
        ledger: Ledger,
        folder: RunFolder,
    ) -> Result<Self, RunError> {
        let meshes = BodyMeshes::new(simulation.setup());
        meshes.write(&folder)?;
        let mut run = Self {
            meshes,
            scene_hash: StateHash::of_bytes(text.as_bytes()).0,
            schedule: Schedule::new(&scene),
            earlier_particle_steps: simulation.totals().particle_steps,
            scene,
            simulation,
            output,
            ledger,
            next_frame: 0,
            saved: None,
            stepping_s: 0.0,
            folder,
        };
        let start = Instant::now();
        run.output.record(run.simulation.series_row())?;
        if run.schedule.has_frames() {
            run.write_frame()?;
        }
        run.simulation.timers_mut().add_since(Phase::Observe, start);
        Ok(run)
    }

    /// Takes steps until the scene is over, a limit is reached or a step fails. `watch` is called before each step, and
    /// ends the run if it says so.
    pub fn advance(&mut self, limits: Limits, watch: &mut dyn FnMut(&Simulation) -> ControlFlow<()>) -> End {
        let start = Instant::now();
        let end = self.advance_untimed(limits, watch);
        self.stepping_s += start.elapsed().as_secs_f64();
        end
    }

    fn advance_untimed(
        &mut self,
        limits: Limits,
        watch: &mut dyn FnMut(&Simulation) -> ControlFlow<()>,
    ) -> End {
        loop {
            let clock = self.simulation.clock();
            if is_over(&self.scene, clock) {
                return End::Completed;
            }
            if limits.reached(clock) {
                return End::Limit;
            }
            if watch(&self.simulation).is_break() {
                return End::Interrupted;
            }
            let before = clock.time;
            let stepped = self.simulation.step().map_err(RunError::from);
            if let Err(error) = stepped.and_then(|_| self.observe(before)) {
                return End::Failed(error);
            }
        }
    }

    /// Hands over what is due after a step that began at `before` `[s]`.
    fn observe(&mut self, before: f64) -> Result<(), RunError> {
        let start = Instant::now();
        let clock = self.simulation.clock();
        let frame_due = self.schedule.frame_due(before, clock);
        let checkpoint_due = self.schedule.checkpoint_due(before, clock);
        if frame_due || self.schedule.row_due(clock) {
            self.output.record(self.simulation.series_row())?;
        }
        if frame_due {
            self.write_frame()?;
        }
        if checkpoint_due {
            self.write_checkpoint()?;
        }
        self.simulation.timers_mut().add_since(Phase::Observe, start);
        Ok(())
    }

    fn write_frame(&mut self) -> Result<(), OutputError> {
        if self.simulation.setup().has_fluid {
            self.output.submit_frame(self.simulation.snapshot(self.next_frame))?;
        }
        if let Some(bodies) = self.simulation.body_frame(self.next_frame, &self.meshes.of_bodies()) {
            self.output.submit_bodies(bodies)?;
        }
        if let Some(frame) = self.simulation.deforming_frame(self.next_frame) {
            self.output.submit_deformables(frame)?;
        }
        self.next_frame += 1;
        Ok(())
    }

    fn write_checkpoint(&mut self) -> Result<(), RunError> {
        let state = self.simulation.state()?;
        let record = self.ledger.record(self.simulation.timers(), self.next_frame);
        let run = postcard::to_stdvec(&record)
            .map_err(|error| self.unusable(&format!("its record cannot be encoded: {error}")))?;
        let Clock { step, time, .. } = *self.simulation.clock();
        let sections = vec![(resume::STATE.to_owned(), state.into_bytes()), (resume::RUN.to_owned(), run)];
        self.output.submit_checkpoint(Checkpoint { step, time, scene_hash: self.scene_hash, sections })?;
        self.saved = Some(step);
        self.schedule.checkpoint_made();
        Ok(())
    }

    /// Saves the state, waits for the disk, draws pictures and writes the summary.
    ///
    /// # Errors
    /// When that fails, or with the error that ended the run; [`RunError::Unsaved`] if both happened.
    pub fn finish(mut self, end: End) -> Result<Summary, RunError> {
        let saved = self.save();
        match (end, saved) {
            (End::Failed(cause @ RunError::Simulation(_)), Err(saving)) => {
                Err(RunError::Unsaved { cause: Box::new(cause), saving: Box::new(saving) })
            }
            (End::Failed(cause), saved) => {
                // What went wrong first is what matters; a summary beside it is a courtesy.
                if saved.is_ok() {
                    let _ = self.conclude(Outcome::Failed);
                }
                Err(cause)
            }
            (_, Err(saving)) => Err(saving),
            (end, Ok(())) => self.conclude(summary::outcome(&end)),
        }
    }

    /// Puts the state and everything that waits for the disk there.
    fn save(&mut self) -> Result<(), RunError> {
        let start = Instant::now();
        if self.saved != Some(self.simulation.clock().step) {
            self.write_checkpoint()?;
        }
        self.output.finish()?;
        self.simulation.timers_mut().add_since(Phase::Observe, start);
        Ok(())
    }

    /// Draws pictures and writes what is known at the end.
    fn conclude(mut self, outcome: Outcome) -> Result<Summary, RunError> {
        let start = Instant::now();
        if self.scene.output.preview {
            self.draw()?;
        }
        self.meshes.write_animation(&self.folder)?;
        if self.scene.output.animation && outcome == Outcome::Completed {
            let replay = Replay::of_run(&self.folder, &self.scene, self.simulation.setup(), &self.meshes)?;
            replay.animate(&self.folder.animation_path(), &View::MOTION, &mut |_| {})?;
        }
        let costs = self.ledger.costs(self.simulation.timers());
        let escaped = self.simulation.escaped();
        let claims = match outcome {
            Outcome::Completed => claims::answer(&self.scene, self.folder.path(), escaped)?,
            _ => claims::open(&self.scene),
        };
        let summary = Summary {
            claims,
            frames: self.next_frame,
            particle_steps_per_s: summary::rate(
                &self.simulation,
                self.earlier_particle_steps,
                self.stepping_s,
            ),
            pictures_s: start.elapsed().as_secs_f64(),
            ..summarise(&self.scene, &self.simulation, outcome, &costs)?
        };
        summary.write(&self.folder.summary_path())?;
        report::write(&self.folder, &summary)?;
        Ok(summary)
    }

    /// Draws the picture of the state.
    fn draw(&mut self) -> Result<(), RunError> {
        let frame = self.simulation.frame(self.next_frame);
        let (setup, solids) = (self.simulation.setup(), self.simulation.placed_solids());
        let path = self.folder.preview_path();
        let view = View::STILL;
        let surface = replay::surface_of(&frame, setup, &view, &path)?;
        let present: Vec<bool> = (0..solids.len()).map(|k| self.simulation.is_present(k)).collect();
        let deforming = self.simulation.deforming_frame(self.next_frame);
        let moment = Moment {
            frame: &frame,
            surface,
            solids: &solids,
            present: &present,
            deforming: deforming.as_ref(),
        };
        Ok(picture::draw(moment, setup, &self.meshes, &Look::of(&self.scene), &view).write(&path)?)
    }

    fn unusable(&self, reason: &str) -> RunError {
        RunError::Resume { path: self.folder.path().to_owned(), reason: reason.to_owned() }
    }

    /// The scene that is run.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The simulation.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }
}

fn output_params(scene: &Scene) -> OutputParams {
    let has = |format| scene.output.formats.contains(&format);
    OutputParams {
        formats: FrameFormats {
            vtu: has(FrameFormat::Vtu),
            ply: has(FrameFormat::Ply),
            bgeo: has(FrameFormat::Bgeo),
        },
        keep_checkpoints: scene.checkpoint.keep as usize,
        surface: (scene.output.surface && scene.dimension == Dimension::Three)
            .then(|| SurfaceParams::new(scene.fluid.spacing)),
    }
}
