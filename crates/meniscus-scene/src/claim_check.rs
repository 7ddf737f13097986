//! Checks of claims: they must name columns that the series will have, and a condition.

use crate::diagnostic::quoted;
use crate::expand::expand;
use crate::model::Claim;
use crate::semantic::Checker;
use crate::suggest::{did_you_mean, list};
use meniscus_core::SeriesColumns;
use meniscus_sph::SphFluid;

/// Reports claims that no run could answer.
pub(crate) fn check(checker: &mut Checker<'_>) {
    let scene = checker.scene;
    if scene.claims.is_empty() {
        return;
    }
    let bodies = expand(scene).into_iter().filter(|body| body.in_series).map(|body| body.name);
    let columns = SeriesColumns {
        fluid: SphFluid::COLUMNS.map(str::to_owned).to_vec(),
        solids: scene.has_dynamics() || scene.has_deformables(),
        deformables: scene.has_deformables(),
        bodies: bodies.collect(),
    };
    let columns = columns.names();
    for (index, claim) in scene.claims.iter().enumerate() {
        let path = format!("claim[{index}]");
        quantity(checker, claim, &columns, &path);
        condition(checker, claim, &path);
    }
}

fn quantity(checker: &mut Checker<'_>, claim: &Claim, columns: &[String], path: &str) {
    let (terms, path) = (claim.terms(), format!("{path}.quantity"));
    if claim.quantity == Claim::ESCAPED {
        return;
    }
    if terms.is_empty() {
        checker.report(&path, "the claim has no quantity".to_owned(), "no column is named", "");
    }
    for (_, name) in terms.iter().filter(|(_, name)| !columns.iter().any(|column| column == name)) {
        let message = format!("the series has no column {}", quoted(name));
        let label = did_you_mean(name, columns.iter().map(String::as_str), "not known");
        let whole = columns.iter().take(18).map(String::as_str);
        let help = format!(
            "columns are {}, and of each body its name with `_x`, `_vx`, `_fx`, `_tx`, `_wx` (also y and z) and `_tilt`",
            list(whole, "and")
        );
        checker.report(&path, message, &label, &help);
    }
}

fn condition(checker: &mut Checker<'_>, claim: &Claim, path: &str) {
    match (claim.above, claim.below) {
        (None, None) => {
            let help = "give `above`, `below` or both";
            checker.report(path, "the claim has no condition".to_owned(), "in this table", help);
        }
        (Some(above), Some(below)) if above >= below => {
            let message = format!("nothing is above {above} and below {below}");
            checker.report(&format!("{path}.below"), message, "must be larger than `above`", "");
        }
        _ => {}
    }
    let end = checker.scene.time.end;
    if claim.from >= claim.to.unwrap_or(end).min(end) {
        let message = format!("the claim looks at nothing: from {} s on, but not so long", claim.from);
        checker.report(&format!("{path}.from"), message, "too late", &format!("the scene ends at {end} s"));
    }
}
