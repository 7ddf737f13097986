//! A ledger of energy: what is there against what has come from sources.
//!
//! Water and bodies lose energy by friction, viscosity and impacts, and gain none but from scripted bodies, motors and emitters. So
//! what they have, less what sources have given, never rises, but for what a discretisation has of noise. If it does rise, by more
//! than everything in the scene could have, numbers have run away.
//!
//! The ledger keeps the rise above the least that there has been, the statistic of a one-sided CUSUM test: what was lost long ago
//! hides nothing that is gained now.

/// How much may be there unexplained, in units of what the scene's matter has when it moves as fast, and is as high, as the scene
/// makes it `[1]`.
const ALLOWED: f64 = 4.0;

/// What a fluid or the solids of a scene have gained of energy in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Balance {
    /// How much more kinetic and potential energy the same matter has at the end of the step than at its beginning `[J]`.
    pub gained: f64,
    /// How much of that came from sources of its own: nozzles, motors, scripted bodies of the same engine `[J]`.
    pub supplied: f64,
    /// The mass of that matter `[kg]`.
    pub mass: f64,
}

impl Balance {
    /// That of two parts.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            gained: self.gained + other.gained,
            supplied: self.supplied + other.supplied,
            mass: self.mass + other.mass,
        }
    }
}

/// What has come from nowhere, for each kilogram of what moves: what leaves takes its share along.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ledger {
    /// By how much energy less supplies is above its least value so far `[J/kg]`.
    pub excess: f64,
}

impl Ledger {
    /// The ledger after a step, of which the balance of one kilogram is given.
    #[must_use]
    pub fn after(self, step: Balance) -> Self {
        Self { excess: (self.excess + step.gained - step.supplied).max(0.0) }
    }

    /// Whether more has come from nowhere than noise explains, where `scale` is what a kilogram has when it moves as fast, and is as
    /// high, as the scene makes it `[J/kg]`.
    #[must_use]
    pub fn has_run_away(&self, scale: f64) -> bool {
        self.excess > ALLOWED * scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(gained: f64, supplied: f64) -> Balance {
        Balance { gained, supplied, mass: 1.0 }
    }

    #[test]
    fn losses_of_long_ago_hide_no_gain() {
        let mut ledger = Ledger::default();
        for _ in 0..1000 {
            // A paddle stirs, and friction takes all of it.
            ledger = ledger.after(gain(0.0, 5.0));
        }
        for _ in 0..4 {
            ledger = ledger.after(gain(1.0, 0.0));
        }
        assert!(!ledger.has_run_away(1.0));
        assert!(ledger.after(gain(0.1, 0.0)).has_run_away(1.0));
    }

    #[test]
    fn noise_that_comes_and_goes_is_no_gain() {
        let mut ledger = Ledger::default();
        for k in 0..10_000 {
            ledger = ledger.after(gain(if k % 2 == 0 { 1.0 } else { -1.0 }, 0.0));
            assert!(!ledger.has_run_away(1.0));
        }
    }
}
