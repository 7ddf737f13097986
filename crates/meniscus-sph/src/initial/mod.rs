//! Where fluid is at the start: fitted around bodies that were cut out of it, or packed at random.

mod fit;
mod pack;
