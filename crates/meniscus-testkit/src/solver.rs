//! Pressure solvers, as scenes write them.

use std::fmt;

/// A pressure solver: its name or its table. Shown, it is the name.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solver(String);

/// DFSPH for pressures that change little from step to step.
pub const CALM: &str =
    r#"{ method = "dfsph", density_tolerance = 1e-5, max_sweeps = 400, on_failure = "accept" }"#;

/// DFSPH with a tolerance `[1]` and the sweeps for it.
pub fn dfsph(tolerance: f64) -> Solver {
    Solver(format!(
        "{{ method = \"dfsph\", density_tolerance = {tolerance:?}, max_sweeps = 200, max_divergence_sweeps = 200 }}"
    ))
}

/// IISPH with a tolerance `[1]` and the sweeps for it.
pub fn iisph(tolerance: f64) -> Solver {
    Solver(format!("{{ method = \"iisph\", density_tolerance = {tolerance:?}, max_sweeps = 1000 }}"))
}

/// PCISPH with a tolerance `[1]` and the sweeps for it.
pub fn pcisph(tolerance: f64) -> Solver {
    Solver(format!("{{ method = \"pcisph\", density_tolerance = {tolerance:?}, max_sweeps = 1000 }}"))
}

/// WCSPH with a speed of sound `[m/s]`.
pub fn wcsph(sound_speed: f64) -> Solver {
    Solver(format!("{{ method = \"wcsph\", sound_speed = {sound_speed:?} }}"))
}

/// The tolerance of the three that have one `[1]`, and the fourth one's speed of sound `[m/s]`.
pub fn all(tolerance: f64, sound_speed: f64) -> [Solver; 4] {
    [dfsph(tolerance), iisph(tolerance), pcisph(tolerance), wcsph(sound_speed)]
}

impl Solver {
    /// The same with a further key; for solvers that solve something.
    pub fn with(&self, key: &str) -> Self {
        let Self(table) = self;
        let open = table.trim_end_matches(" }");
        Self(if open.starts_with('{') {
            format!("{open}, {key} }}")
        } else {
            format!("{{ method = \"{table}\", {key} }}")
        })
    }

    /// The same, which ends the run when it does not converge.
    pub fn strict(&self) -> Self {
        if self.sweeps() { self.with("on_failure = \"stop\"") } else { self.clone() }
    }

    /// Whether it solves by sweeps, which may not converge.
    pub fn sweeps(&self) -> bool {
        self.name() != "wcsph"
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.0.split('"').nth(1).unwrap_or(&self.0)
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<&str> for Solver {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&Self> for Solver {
    fn from(solver: &Self) -> Self {
        solver.clone()
    }
}
