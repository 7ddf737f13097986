use crate::BodyId;

/// Why solids could not be set up or advanced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// A number or a combination that makes no sense.
    #[error("{place}: {what} makes no sense; allowed: {allowed}")]
    Invalid {
        /// Where it was given.
        place: String,
        /// The offending quantity with its value.
        what: String,
        /// What would do.
        allowed: &'static str,
    },
    /// A body moves so fast that it would have to be followed in too many substeps.
    #[error(
        "{name} moves at {speed:.3e} m/s past {other}, which would take {substeps:.0} substeps, more than {limit}; use a smaller step, \
         a slower body, or raise max_substeps"
    )]
    TooFast {
        /// The fast body.
        body: BodyId,
        /// What it is called.
        name: String,
        /// What the body is called that it might pass through.
        other: String,
        /// A bound of their relative speed `[m/s]`.
        speed: f64,
        /// The substeps it would take `[1]`.
        substeps: f64,
        /// The substeps that are allowed `[1]`.
        limit: u32,
    },
    /// A step would have led to a position or velocity that is not a number. The state is that before the step.
    #[error(
        "{name} would leave the step with a position or velocity that is not finite; look for huge loads, masses or speeds"
    )]
    NotFinite {
        /// The body.
        body: BodyId,
        /// What it is called.
        name: String,
    },
    /// No end of a step was found for a deformable body, however short. The state is that before the step.
    #[error(
        "no shape of {name} balances its forces at the end of a step of {dt:.1e} s, nor of a shorter one; look for pins that \
         pull it apart, huge loads or speeds, and very thin elements"
    )]
    Unsolved {
        /// The body.
        body: BodyId,
        /// What it is called.
        name: String,
        /// The shortest step that was tried `[s]`.
        dt: f64,
    },
    /// Something that an engine cannot do.
    #[error("{engine} cannot simulate {what}; use the engine \"meniscus\", or do without")]
    Unsupported {
        /// The engine.
        engine: &'static str,
        /// What it cannot do, and where it was asked for.
        what: String,
    },
    /// An engine that this program was built without.
    #[error(
        "this program was built without {engine}; use the engine \"meniscus\", or build with `--features {feature}`"
    )]
    EngineMissing {
        /// The engine.
        engine: &'static str,
        /// The feature that brings it.
        feature: &'static str,
    },
    /// A saved state belongs to other bodies.
    #[error("the saved state does not fit: {0}; resume with the scene that it was saved from")]
    State(String),
}

impl SolidError {
    /// An [`SolidError::Invalid`].
    #[must_use]
    pub fn invalid(place: impl Into<String>, what: impl Into<String>, allowed: &'static str) -> Self {
        Self::Invalid { place: place.into(), what: what.into(), allowed }
    }

    /// The body that is to blame, if it is one.
    #[must_use]
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Self::NotFinite { body, .. } | Self::TooFast { body, .. } | Self::Unsolved { body, .. } => {
                Some(*body)
            }
            _ => None,
        }
    }

    /// The same with bodies numbered as `scene` says.
    #[must_use]
    pub fn renumbered(mut self, scene: impl Fn(BodyId) -> BodyId) -> Self {
        if let Self::NotFinite { body, .. } | Self::TooFast { body, .. } | Self::Unsolved { body, .. } =
            &mut self
        {
            *body = scene(*body);
        }
        self
    }
}
