//! The Meniscus command and facade library.
