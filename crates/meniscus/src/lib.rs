//! Meniscus simulates fluids and solids that push on each other.
//!
//! This crate is a thin roof over the others: it re-exports them under one name and adds [`runner`], which takes a scene
//! to a folder of results, [`replay`] and [`view`], which show what such a folder holds, and [`comparison`], which runs one scene with several methods; [`benchmark`] tells
//! what steps cost. The `meniscus` command is built from it.
//!
//! ```no_run
//! use meniscus::runner::{Limits, Run};
//! use meniscus::scene::SceneSource;
//! use std::{path::Path, sync::atomic::AtomicBool};
//!
//! let scene = SceneSource::open("dam-break")?;
//! let mut run = Run::begin(&scene, Path::new("out/dam-break"), meniscus::output::Existing::Refuse)?;
//! let end = run.advance(Limits::default(), &AtomicBool::new(false), &mut |_| {});
//! let summary = run.finish(end)?;
//! println!("{} steps", summary.steps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod benchmark;
mod bodies;
pub mod claims;
pub mod comparison;
pub mod gallery;
pub mod import;
mod look;
pub mod picture;
pub mod replay;
pub mod runner;
pub mod view;

pub use meniscus_core as core;
pub use meniscus_coupling as coupling;
pub use meniscus_geometry as geometry;
pub use meniscus_output as output;
pub use meniscus_render as render;
pub use meniscus_scene as scene;
pub use meniscus_sph as sph;
pub use meniscus_surface as surface;
