//! A small ray tracer for water and solids: refracting and absorbing water, matte bodies, a ground, the sky and a sun
//! with soft shadows and caustics.
//!
//! Pictures are made to be judged by eye, not by a photometer. Lengths are measured in units of the scene's size, so
//! that a drop and a harbour are equally clear; the colours of water and sky are chosen, not computed. Everything is
//! deterministic: the same scene gives the same bytes, whatever the number of threads.
//!
//! | module | holds |
//! | --- | --- |
//! | `bvh` | triangles in a tree of boxes, and rays through them |
//! | `stage` | the scene as rays see it |
//! | `floor` | light that reaches the ground: photons from the sun, and the visible sky |
//! | `trace` | what a ray sees |
//! | `image` | rays of a picture, more of them where neighbours differ |
//! | [`animation`] | pictures in a row as GIF or APNG, or as MP4 by ffmpeg |

pub mod animation;
mod bvh;
mod drops;
mod floor;
mod image;
mod random;
mod sky;
mod stage;
mod trace;

pub use image::render;
pub use sky::Light;
pub use stage::{Quality, RenderScene};
