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
mod watch;

pub use error::RunError;
pub use ledger::Costs;
pub use resume::Resumed;
pub use schedule::{Limits, is_over};
pub use summary::summarise;

use crate::bodies::BodyMeshes;
use crate::claims;
use crate::look::Look;
use crate::memory::{self, OnShortage};
use crate::picture::{self, Moment, View};
use crate::replay::{self, Replay};
use ledger::{Ledger, RunRecord, WallClock};
use meniscus_core::Clock;
use meniscus_core::{Dimension, OutOfMemory, Phase, StateHash, require_memory};
use meniscus_coupling::{Setup, Simulation};
use meniscus_output::{
    Checkpoint, Existing, FrameFormats, Notice, Outcome, OutputParams, OutputThread, RunFolder, Summary,
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
use watch::Watch;

/// How much more fluid there must be memory for at least, as a share of what there is, and in particles `[1]`.
const ROOM: f64 = 0.05;
const LEAST_ROOM: f64 = 1000.0;

/// Whom notices are told.
type Listener = Box<dyn FnMut(&Notice)>;

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
    watch: Watch,
    /// Whom notices are told.
    listener: Option<Listener>,
    ledger: Ledger,
    next_frame: u32,
    meshes: BodyMeshes,
    /// The step of the newest checkpoint.
    saved: Option<u64>,
    /// Particle steps before this process `[1]`.
    earlier_particle_steps: u64,
    stepping_s: f64,
    /// For how many particles there surely is memory to step `[1]`.
    room: usize,
    /// Dropped last: it holds the lock that the output needs.
    folder: RunFolder,
}

impl Run {
    /// Checks and builds a scene, and begins a run of it in a folder. Nothing is written if the scene has mistakes, or needs more
    /// memory than there is.
    ///
    /// # Errors
    /// When the scene has mistakes, there is not memory enough or the folder cannot be used.
    pub fn begin(
        source: &SceneSource,
        path: &Path,
        existing: Existing,
        shortage: OnShortage,
    ) -> Result<Self, RunError> {
        let clock = WallClock::start();
        let (scene, setup) = memory::survey(source, shortage)?;
        let setup = source.with_maps(&scene, setup)?;
        let record = RunRecord::at_start(mesh_files(&scene)?);
        require_for_steps(&setup, setup.sph.initial.len())?;
        let watch = Watch::new(&setup, Vec::new());
        let simulation = Simulation::new(setup)?;
        // A checked scene has only paths that can be written; see `Scene::to_toml`.
        let text = scene.to_toml().map_err(|error| RunError::Resume {
            path: path.to_owned(),
            reason: format!("the scene cannot be stored: {error}"),
        })?;
        let folder = RunFolder::create(path, &text, existing)?;
        let output = OutputThread::create(&folder, output_params(&scene), &simulation.series_columns())?;
        Self::from_start(scene, &text, (simulation, watch), output, Ledger::new(record, clock), folder)
    }

    /// A run before its first step, with the frame and the row of the start.
    fn from_start(
        scene: Scene,
        text: &str,
        (simulation, watch): (Simulation, Watch),
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
            room: simulation.particles().len(),
            scene,
            simulation,
            output,
            watch,
            listener: None,
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

    /// Has everything told to `listener` that a run tells while it goes on, at the moment at which it is seen.
    pub fn listen(&mut self, listener: impl FnMut(&Notice) + 'static) {
        self.listener = Some(Box::new(listener));
    }

    /// All that the run has told so far.
    #[must_use]
    pub fn notices(&self) -> &[Notice] {
        &self.watch.notices
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
            let stepped = self.require_room().and_then(|()| Ok(self.simulation.step()?));
            if let Err(error) = stepped.and_then(|_| self.observe(before)) {
                return End::Failed(error);
            }
        }
    }

    /// Asks for the memory that more fluid takes, before there is more of it.
    fn require_room(&mut self) -> Result<(), RunError> {
        let particles = self.simulation.particles().len();
        if particles < self.room || self.simulation.setup().sph.emitters.is_empty() {
            return Ok(());
        }
        let more = (particles as f64 * ROOM).max(LEAST_ROOM) as usize;
        let bytes = memory::stepping(particles - self.room + more, 0, self.scene.dimension);
        require_memory(bytes, "more fluid")?;
        self.room = particles + more;
        Ok(())
    }

    /// Hands over what is due after a step that began at `before` `[s]`.
    fn observe(&mut self, before: f64) -> Result<(), RunError> {
        let start = Instant::now();
        self.watch();
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

    /// Tells what should be known.
    fn watch(&mut self) {
        let before = self.watch.look(&self.simulation);
        if let Some(listener) = &mut self.listener {
            self.watch.notices[before..].iter().for_each(listener);
        }
    }

    fn write_frame(&mut self) -> Result<(), RunError> {
        let surface = output_params(&self.scene).surface.is_some();
        require_memory(memory::frame(self.simulation.particles().len(), surface), "a frame")?;
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
        let record = self.ledger.record(self.simulation.timers(), self.next_frame, &self.watch.notices);
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
            (End::Failed(cause @ (RunError::Simulation(_) | RunError::NoMemory(_))), Err(saving)) => {
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
        if self.scene.output.preview || self.scene.output.animation {
            let particles = self.simulation.particles().len();
            require_memory(
                memory::picture(particles, self.scene.dimension),
                "the picture of the last state",
            )?;
        }
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
            notices: self.watch.notices.clone(),
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

/// Asks for the memory that steps of so many particles take.
fn require_for_steps(setup: &Setup, particles: usize) -> Result<(), OutOfMemory> {
    let samples = setup.sph.samples.iter().map(|samples| samples.position.len()).sum();
    require_memory(memory::stepping(particles, samples, setup.dimension), "steps of this fluid")
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
        surface: (scene.output.surface && scene.dimension == Dimension::Three && scene.grid.is_none())
            .then(|| SurfaceParams::new(scene.fluid.spacing)),
    }
}
