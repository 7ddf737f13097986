//! Physics, by law.
//!
//! Modules `slow` hold what takes long; the fast tier leaves them out.

mod contact;
mod floating;
mod joints;
mod start;
