//! Memory: what a run will need, what there is, and what to change if that is not enough.
//!
//! A run that needs more than the machine has is ended by the system without a word, often after hours, and one that needs more
//! than it is allowed to have (`ulimit -v`) is aborted. So it is refused before it begins. The needs are told from a survey of
//! the scene, before anything large is made, with figures from measurements (see `need.rs`); what there is, is asked of the system.

mod limit;
mod need;

pub use limit::MemoryLimit;
pub use need::MemoryNeed;
pub(crate) use need::{frame, picture, stepping};

use crate::RunError;
use meniscus_core::Bytes;
use meniscus_coupling::Setup;
use meniscus_scene::{Scene, SceneSource};

/// What to do with a run that will need more memory than there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnShortage {
    /// Do not begin it.
    #[default]
    Refuse,
    /// Begin it, and see.
    Try,
}

/// A run needs more memory than it can have.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("this needs about {need}, and {limit}\nhelp: {remedy}")]
pub struct MemoryShortage {
    /// What it needs.
    pub need: MemoryNeed,
    /// What it can have.
    pub limit: MemoryLimit,
    /// What would fit.
    pub remedy: String,
}

/// Checks a scene, reads its meshes and places its particles, if these and all that a run of it needs fit into memory.
///
/// # Errors
/// When the scene has mistakes, or [`MemoryShortage`].
pub fn survey(source: &SceneSource, shortage: OnShortage) -> Result<(Scene, Setup), RunError> {
    let limits = match shortage {
        OnShortage::Refuse => limit::limits(),
        OnShortage::Try => Vec::new(),
    };
    // What boxes and balls hold is known before a single particle is placed.
    let scene = source.check()?;
    let least = MemoryNeed::at_least(&scene);
    require(&least, least.placing(), &scene, &limits)?;
    let (scene, setup) = source.survey()?;
    let need = MemoryNeed::of(&scene, &setup);
    require(&need, need.peak(), &scene, &limits)?;
    Ok((scene, setup))
}

/// Refuses a need if `bytes`, which are part of it, are more than there is.
fn require(
    need: &MemoryNeed,
    bytes: Bytes,
    scene: &Scene,
    limits: &[MemoryLimit],
) -> Result<(), Box<MemoryShortage>> {
    let narrowest = limits.iter().min_by(|a, b| a.bytes.0.total_cmp(&b.bytes.0));
    let Some(limit) = narrowest.filter(|limit| bytes > limit.bytes) else { return Ok(()) };
    let (need, limit) = (need.clone(), limit.clone());
    Err(Box::new(MemoryShortage { remedy: remedy(&need, scene, &limit), need, limit }))
}

/// What would fit.
fn remedy(need: &MemoryNeed, scene: &Scene, limit: &MemoryLimit) -> String {
    let mut choices = Vec::new();
    if !scene.fluid.is_absent() {
        // In steps of a fiftieth, up to 400 times.
        let times = (1..300).map(|n| 1.02f64.powi(n));
        let enough = times.map(|times| (times, need.coarser(times, scene.dimension)));
        if let Some((times, _)) = enough.into_iter().find(|(_, coarser)| coarser.peak() <= limit.bytes) {
            let spacing = two_digits(scene.fluid.spacing * times);
            choices.push(format!("a larger spacing, such as `fluid.spacing = {spacing}`"));
        }
    }
    if need.is_of_maps() {
        choices.push("bodies without maps, with `boundary.method = \"volume-particles\"`".to_owned());
    }
    if need.is_of_output() {
        choices.push(
            "less output: `output.preview`, `output.animation` and `output.surface = false`".to_owned(),
        );
    }
    if limit.counts_threads && rayon::current_num_threads() > 1 {
        choices.push("fewer `--threads`, each of which keeps room for itself".to_owned());
    }
    choices.push(limit.widen.to_owned());
    format!("{}; `run --force` tries it all the same", choices.join("; or "))
}

/// Two significant digits, rounded up.
fn two_digits(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 1.0);
    format!("{:.1e}", (value / unit - 1e-9).ceil() * unit).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surveyed(text: &str) -> (Scene, Setup) {
        SceneSource::from_text("test.toml", text).survey().unwrap()
    }

    fn limited(bytes: f64) -> MemoryLimit {
        MemoryLimit {
            bytes: Bytes(bytes),
            what: "it may have".to_owned(),
            widen: "more",
            counts_threads: false,
        }
    }

    const DROP: &str = "[time]\nend = 1.0\n[fluid]\nspacing = 0.01\n[[fluid.source]]\nshape = \"sphere\"\nradius = 0.2\n\
        center = [0.0, 0.0, 0.0]\n";

    #[test]
    fn the_spacing_that_is_named_fits() {
        let (scene, setup) = surveyed(DROP);
        let need = MemoryNeed::of(&scene, &setup);
        for share in [0.5, 0.8, 0.95] {
            let fixed = need.coarser(1e3, scene.dimension).peak().0;
            let limit = limited(fixed + share * (need.peak().0 - fixed));
            let refused = require(&need, need.peak(), &scene, std::slice::from_ref(&limit)).unwrap_err();
            let words = refused.to_string();
            let spacing = words.split("fluid.spacing = ").nth(1).unwrap().split('`').next().unwrap();
            let (coarse, setup) = surveyed(&DROP.replace("0.01", spacing));
            let need = MemoryNeed::of(&coarse, &setup);
            assert!(need.peak().0 < 1.02 * limit.bytes.0, "{words} {need}");
        }
        assert!(require(&need, need.peak(), &scene, &[limited(need.peak().0)]).is_ok());
        assert!(require(&need, need.peak(), &scene, &[]).is_ok());
    }

    #[test]
    fn what_boxes_and_balls_hold_is_known_before_they_are_filled() {
        let (scene, setup) = surveyed(DROP);
        let (least, all) = (MemoryNeed::at_least(&scene), MemoryNeed::of(&scene, &setup));
        assert!(
            least.peak().0 <= 1.01 * all.peak().0 && least.peak().0 > 0.5 * all.peak().0,
            "{least} {all}"
        );
    }

    #[test]
    fn emitters_are_counted_to_their_end() {
        let emitter = "[[emitter]]\nnozzle = { shape = \"disc\", radius = 0.05 }\nposition = [0.0, 1.0, 0.0]\ndirection = [0.0, -1.0, 0.0]\n\
            speed = 2.0\n";
        let need = |text: &str| {
            let (scene, setup) = surveyed(text);
            MemoryNeed::of(&scene, &setup).peak().0
        };
        let (dry, wet) = (need(DROP), need(&format!("{DROP}{emitter}")));
        // 15.7 l in a second.
        assert!(wet - dry > 15_700.0 * 865.0, "{dry} {wet}");
        let stopped = need(&format!("{DROP}{emitter}max_particles = 10\n"));
        assert!((stopped - dry).abs() < 1e5);
    }

    #[test]
    fn two_digits_are_never_less() {
        for (value, rounded) in [(0.010_01, 0.011), (0.02, 0.02), (1.29, 1.3), (123.0, 130.0)] {
            assert!((two_digits(value) - rounded).abs() < 1e-12 * rounded, "{value}");
        }
    }
}
