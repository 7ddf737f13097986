//! Scene files: schema, checks, and the one place that turns names into types.
