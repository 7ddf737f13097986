//! The thread that writes, so that the simulation does not wait for the disk.

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use meniscus_core::{BodyFrame, DeformingFrame, ParticleFrame, SeriesColumns, SeriesRow};
use meniscus_surface::SurfaceParams;

use crate::frame::{self, Kind};
use crate::vtk_block::Known;
use crate::{
    Checkpoint, Collection, OutputError, RunFolder, SeriesWriter, bgeo, body_vtu, checkpoint, deformable,
    ply, surface, vtu,
};

/// Jobs that may wait for the disk: enough to ride out a slow write, few enough to bound memory.
const DEPTH: usize = 3;

/// Rows gathered before they are offered to the thread.
const ROWS_AT_ONCE: usize = 256;

/// Rows gathered before the simulation waits for the thread.
const ROWS_AT_MOST: usize = 1 << 16;

/// The formats a frame is written in; VTU comes with its PVD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameFormats {
    /// VTU, listed in `fluid.pvd`.
    pub vtu: bool,
    /// Binary PLY.
    pub ply: bool,
    /// Classic BGEO.
    pub bgeo: bool,
}

impl Default for FrameFormats {
    fn default() -> Self {
        Self { vtu: true, ply: false, bgeo: false }
    }
}

/// How a run is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputParams {
    /// The formats of frames.
    pub formats: FrameFormats,
    /// Checkpoints kept, the newest ones `[1]`; at least one is.
    pub keep_checkpoints: usize,
    /// If given, the surface of each frame is found and written as VTP, listed in `surface.pvd`.
    pub surface: Option<SurfaceParams>,
}

impl Default for OutputParams {
    fn default() -> Self {
        Self { formats: FrameFormats::default(), keep_checkpoints: 2, surface: None }
    }
}

/// A thread that writes frames, checkpoints and the series, in the order they were given.
///
/// After a failure nothing more is written, and every later call returns that failure. Dropping it waits for all
/// jobs, as [`OutputThread::finish`] does, but keeps failures to itself. The [`RunFolder`] must outlive it: that
/// holds the lock.
#[derive(Debug)]
pub struct OutputThread {
    run: PathBuf,
    rows: Vec<SeriesRow>,
    jobs: Option<SyncSender<Box<Work>>>,
    failure: Arc<Mutex<Option<OutputError>>>,
    thread: Option<JoinHandle<()>>,
}

impl OutputThread {
    /// Begins the output of a new run whose series has these columns.
    ///
    /// # Errors
    /// [`OutputError::Io`] when the series cannot be begun or no thread be had.
    pub fn create(
        folder: &RunFolder,
        params: OutputParams,
        columns: &SeriesColumns,
    ) -> Result<Self, OutputError> {
        let series = SeriesWriter::create(&folder.series_path(), columns)?;
        let collections = [
            folder.collection_path(),
            folder.body_collection_path(),
            folder.surface_collection_path(),
            folder.deformable_collection_path(),
        ];
        let collections = collections.map(|path| Collection::new(&path));
        Self::spawn(folder, params, series, collections)
    }

    /// Continues the output of a run after a checkpoint at `step`, when `next_frame` is the first frame not yet
    /// written there: everything later is removed first.
    ///
    /// # Errors
    /// [`OutputError::SeriesColumns`] when the series has other columns, else [`OutputError::Io`].
    pub fn resume(
        folder: &RunFolder,
        params: OutputParams,
        columns: &SeriesColumns,
        step: u64,
        next_frame: u32,
    ) -> Result<Self, OutputError> {
        let series = SeriesWriter::resume(&folder.series_path(), columns, step)?;
        let collections = folder.rewind_frames(next_frame)?;
        Self::spawn(folder, params, series, collections)
    }

    fn spawn(
        folder: &RunFolder,
        params: OutputParams,
        series: SeriesWriter,
        [fluid, bodies, surface, deformables]: [Collection; 4],
    ) -> Result<Self, OutputError> {
        let run = folder.path().to_path_buf();
        let (jobs, received) = mpsc::sync_channel(DEPTH);
        let failure = Arc::new(Mutex::new(None));
        let (run_folder, known) = (run.clone(), Known::default());
        let writer = Writer { run: run_folder, params, series, fluid, bodies, surface, deformables, known };
        let report = Arc::clone(&failure);
        let thread = thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || writer.work(&received, &report))
            .map_err(OutputError::io("start the thread that writes", &run))?;
        Ok(Self { run, rows: Vec::new(), jobs: Some(jobs), failure, thread: Some(thread) })
    }

    /// Adds a row to the series. Rows are gathered and travel with the next frame or checkpoint, or by themselves
    /// when they are many and the thread has room.
    ///
    /// # Errors
    /// An earlier failure of the thread.
    pub fn record(&mut self, row: SeriesRow) -> Result<(), OutputError> {
        self.rows.push(row);
        match self.rows.len() {
            count if count >= ROWS_AT_MOST => self.submit(Job::Rows),
            count if count.is_multiple_of(ROWS_AT_ONCE) => self.offer_rows(),
            _ => Ok(()),
        }
    }

    /// Hands over a frame to be written, in any order; in its files particles are in the order of their ids.
    ///
    /// # Errors
    /// An earlier failure of the thread.
    pub fn submit_frame(&mut self, frame: ParticleFrame) -> Result<(), OutputError> {
        self.submit(Job::Frame(frame))
    }

    /// Hands over a frame of bodies to be written.
    ///
    /// # Errors
    /// An earlier failure of the thread.
    pub fn submit_bodies(&mut self, frame: BodyFrame) -> Result<(), OutputError> {
        self.submit(Job::Bodies(frame))
    }

    /// Hands over a frame of deformable bodies to be written.
    ///
    /// # Errors
    /// An earlier failure of the thread.
    pub fn submit_deformables(&mut self, frame: DeformingFrame) -> Result<(), OutputError> {
        self.submit(Job::Deformables(frame))
    }

    /// Hands over a checkpoint to be written, after all rows recorded so far are on disk.
    ///
    /// # Errors
    /// An earlier failure of the thread.
    pub fn submit_checkpoint(&mut self, checkpoint: Checkpoint) -> Result<(), OutputError> {
        self.submit(Job::Checkpoint(checkpoint))
    }

    /// Waits until everything is on disk. Nothing can be handed over afterwards.
    ///
    /// # Errors
    /// The first failure of the thread, if there was one.
    pub fn finish(&mut self) -> Result<(), OutputError> {
        self.close()
    }

    fn submit(&mut self, job: Job) -> Result<(), OutputError> {
        self.check()?;
        let work = Box::new(Work { rows: mem::take(&mut self.rows), job });
        match self.jobs.as_ref().map(|jobs| jobs.send(work)) {
            Some(Ok(())) => Ok(()),
            // The thread hangs up only after it has said why.
            _ => Err(self.why()),
        }
    }

    fn offer_rows(&mut self) -> Result<(), OutputError> {
        self.check()?;
        let work = Box::new(Work { rows: mem::take(&mut self.rows), job: Job::Rows });
        match self.jobs.as_ref().map(|jobs| jobs.try_send(work)) {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(work))) => {
                self.rows = work.rows;
                Ok(())
            }
            _ => Err(self.why()),
        }
    }

    fn close(&mut self) -> Result<(), OutputError> {
        let Some(thread) = self.thread.take() else { return self.check() };
        let submitted = self.submit(Job::Rows);
        // Hanging up tells the thread that no more is to come.
        self.jobs = None;
        let joined = thread.join();
        self.check()?;
        submitted?;
        joined.map_err(|_| OutputError::ThreadDied { path: self.run.clone() })
    }

    fn check(&self) -> Result<(), OutputError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn why(&self) -> OutputError {
        self.check().err().unwrap_or_else(|| OutputError::ThreadDied { path: self.run.clone() })
    }
}

impl Drop for OutputThread {
    fn drop(&mut self) {
        // Whoever wants to know about failures calls `finish`.
        let _ = self.close();
    }
}

/// What travels to the thread: a job and the rows that happened before it.
struct Work {
    rows: Vec<SeriesRow>,
    job: Job,
}

enum Job {
    Rows,
    Frame(ParticleFrame),
    Bodies(BodyFrame),
    Deformables(DeformingFrame),
    Checkpoint(Checkpoint),
}

/// The thread's side.
struct Writer {
    run: PathBuf,
    params: OutputParams,
    series: SeriesWriter,
    fluid: Collection,
    bodies: Collection,
    surface: Collection,
    deformables: Collection,
    /// What frames have in common.
    known: Known,
}

impl Writer {
    /// Works until nobody sends any more, or until something fails; then the receiver is dropped, which the sender
    /// notices.
    fn work(mut self, jobs: &Receiver<Box<Work>>, report: &Mutex<Option<OutputError>>) {
        let failure = jobs.iter().find_map(|work| self.write(*work).err());
        *report.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    fn write(&mut self, work: Work) -> Result<(), OutputError> {
        work.rows.iter().try_for_each(|row| self.series.append(row))?;
        // The series is on disk before a checkpoint that relies on it.
        self.series.flush()?;
        match work.job {
            Job::Rows => Ok(()),
            // Bringing particles into order is work for this thread.
            Job::Frame(frame) => self.write_frame(&frame.in_order()),
            Job::Bodies(frame) => self.write_bodies(&frame),
            Job::Deformables(frame) => self.write_deformables(&frame),
            Job::Checkpoint(state) => {
                checkpoint::write(&self.run, &state, self.params.keep_checkpoints).map(drop)
            }
        }
    }

    fn write_frame(&mut self, particles: &ParticleFrame) -> Result<(), OutputError> {
        let path = |extension: &str| -> PathBuf {
            Path::join(&self.run, frame::relative_name(Kind::Fluid, particles.index, extension))
        };
        if self.params.formats.ply {
            ply::write(&path("ply"), particles)?;
        }
        if self.params.formats.bgeo {
            bgeo::write(&path("bgeo"), particles)?;
        }
        if self.params.formats.vtu {
            vtu::write_after(&path("vtu"), particles, &mut self.known)?;
            self.fluid.add(particles.index, particles.time)?;
        }
        self.write_surface(particles)
    }

    fn write_surface(&mut self, particles: &ParticleFrame) -> Result<(), OutputError> {
        let Some(params) = &self.params.surface else { return Ok(()) };
        let path = self.run.join(frame::relative_name(Kind::Surface, particles.index, "vtp"));
        let found = meniscus_surface::reconstruct(&particles.position, &particles.velocity, params);
        let found = found.map_err(|source| OutputError::Surface { path: path.clone(), source })?;
        surface::write(&path, &found, particles.time, particles.step)?;
        self.surface.add(particles.index, particles.time)
    }

    fn write_deformables(&mut self, frame: &DeformingFrame) -> Result<(), OutputError> {
        let path = |extension| self.run.join(frame::relative_name(Kind::Deformable, frame.index, extension));
        if self.params.formats.ply {
            deformable::write(&path("ply"), frame)?;
        }
        deformable::write(&path("vtp"), frame)?;
        self.deformables.add(frame.index, frame.time)
    }

    fn write_bodies(&mut self, bodies: &BodyFrame) -> Result<(), OutputError> {
        let name = frame::relative_name(Kind::Bodies, bodies.index, "vtu");
        body_vtu::write(&self.run.join(name), bodies)?;
        self.bodies.add(bodies.index, bodies.time)
    }
}
