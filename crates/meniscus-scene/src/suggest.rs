//! Help with names that were nearly right.

/// Names longer than this are no typing mistakes, and comparing them would take long.
const MAX_LENGTH: usize = 64;

/// The name that was probably meant.
pub(crate) fn nearest<'a>(name: &str, allowed: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_LENGTH {
        return None;
    }
    let scored = allowed.into_iter().map(|candidate| (score(name, candidate), candidate));
    let (best, candidate) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best > 0.65).then_some(candidate)
}

/// "did you mean" for a label, or the given words if nothing is near.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    allowed: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    nearest(name, allowed).map_or_else(|| otherwise.to_owned(), |best| format!("did you mean `{best}`?"))
}

/// A list for a sentence: `a`, `b` or `c`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, start)) => format!("{} {last} {end}", start.join(", ")),
    }
}

/// `Cubic Spline`, `cubic_spline` and `cubic-spline` are the same to a reader.
fn simplify(name: &str) -> String {
    name.to_lowercase().replace(['-', '_', ' '], "")
}

/// From 0 for nothing in common to 1 for the same.
fn score(name: &str, candidate: &str) -> f64 {
    if candidate.len() <= 2 {
        // So short that only its letters in another order are a typing mistake.
        return if sorted(name) == sorted(candidate) { 1.0 } else { 0.0 };
    }
    let (a, b) = (simplify(name), simplify(candidate));
    strsim::normalized_damerau_levenshtein(&a, &b).max(strsim::jaro_winkler(&a, &b) - 0.2)
}

fn sorted(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_names_only() {
        let allowed = ["pressure", "viscosity", "density"];
        assert_eq!(nearest("presure", allowed), Some("pressure"));
        assert_eq!(nearest("Viscosty", allowed), Some("viscosity"));
        assert_eq!(nearest("temperature", allowed), None);
        assert_eq!(nearest("vtk", ["vtu", "ply"]), Some("vtu"));
        assert_eq!(nearest("y+", ["-y", "+y"]), Some("+y"));
        assert_eq!(nearest(&"p".repeat(100), allowed), None);
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(list([], "or"), "");
        assert_eq!(list(["a"], "or"), "`a`");
        assert_eq!(list(["a", "b", "c"], "or"), "`a`, `b` or `c`");
    }
}
