//! Scene files: schema, checks, and the one place that turns names into types.
//!
//! A scene goes through five stations, each with one module:
//!
//! 1. `source` reads the text and parses it into a `tree` that knows where everything was written, into which
//!    `detail` merges a variant that the file describes and `overrides` the changes from the command line;
//! 2. `validate` compares the tree with the `schema`, which is made from the types in [`model`];
//! 3. serde makes the [`Scene`];
//! 4. `semantic` checks what no schema can say, `plane` what a planar scene must not have, `particle_count` whether it
//!    fits into memory and `mesh_path` whether its files are there;
//! 5. [`build`] reads the meshes, places the particles and makes the [`meniscus_coupling::Setup`].
//!
//! Every station collects all mistakes it can find. [`SceneError`] shows them with file, line, column, the offending
//! text and what is allowed.

mod build;
mod builtin;
mod claim_check;
mod deformable_check;
mod detail;
mod diagnostic;
mod expand;
mod expect;
pub mod import;
mod look_check;
mod mesh_path;
mod methods;
pub mod model;
mod overrides;
mod particle_count;
mod plane;
mod schema;
mod semantic;
mod solid_check;
mod source;
mod suggest;
mod syntax;
mod tree;
mod validate;

pub use build::{BuildError, BuildProblem, build, read_particles, reference_sound_speed, survey};
pub use builtin::{Builtin, builtin, builtins};
pub use diagnostic::{Diagnostic, Location, SceneError};
pub use methods::{MethodError, MethodKey};
pub use model::Scene;
pub use schema::json_schema;
pub use source::{SceneSource, load};
