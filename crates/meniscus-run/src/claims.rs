//! Whether a run shows what its scene claims: figures of its series, compared with conditions.

use meniscus_output::{ClaimSummary, OutputError, RunFolder, SeriesTable, Summary, Verdict, four_digits};
use meniscus_scene::Scene;
use meniscus_scene::model::{Claim, Measure};
use std::path::{Path, PathBuf};

/// Answers all claims of a scene that was run to its end in a folder.
///
/// # Errors
/// [`OutputError::Io`] when the series cannot be read.
pub fn answer(scene: &Scene, folder: &Path, escaped: u64) -> Result<Vec<ClaimSummary>, OutputError> {
    if scene.claims.is_empty() {
        return Ok(Vec::new());
    }
    let table = SeriesTable::read(&folder.join("series.csv"))?;
    Ok(scene.claims.iter().map(|claim| compare(claim, figure(claim, &table, escaped), folder)).collect())
}

/// All claims of a scene whose run has not come to its end.
#[must_use]
pub fn open(scene: &Scene) -> Vec<ClaimSummary> {
    scene.claims.iter().map(|claim| summarise(claim, None, Verdict::Open)).collect()
}

/// Where a scene that a claim names is looked for: as far above the run's folder as its own name has parts.
fn beside(folder: &Path, other: &str) -> PathBuf {
    let parts = Path::new(other).components().count();
    folder.ancestors().nth(parts).unwrap_or(Path::new("")).join(other)
}

fn compare(claim: &Claim, value: Option<f64>, folder: &Path) -> ClaimSummary {
    let Some(other) = &claim.than else {
        // A level that was never reached meets no condition.
        return summarise(
            claim,
            value,
            if value.is_some_and(|x| meets(claim, x)) { Verdict::Holds } else { Verdict::Fails },
        );
    };
    let there = figure_there(claim, &beside(folder, other));
    match (value, there) {
        (Some(here), Some(there)) => {
            let holds = meets(claim, here - there);
            let mut summary = summarise(claim, value, if holds { Verdict::Holds } else { Verdict::Fails });
            summary.condition = format!("{}, where it is {}", summary.condition, four_digits(there));
            summary
        }
        _ => summarise(claim, value, Verdict::Open),
    }
}

/// The same figure of another run, if that is complete.
fn figure_there(claim: &Claim, folder: &Path) -> Option<f64> {
    let folder = RunFolder::open(folder).ok()?;
    let summary = Summary::read(&folder.summary_path()).ok()?;
    let complete = summary.outcome == meniscus_output::Outcome::Completed;
    let table = complete.then(|| SeriesTable::read(&folder.series_path()).ok()).flatten()?;
    figure(claim, &table, summary.escaped_particles)
}

fn meets(claim: &Claim, value: f64) -> bool {
    value.is_finite()
        && claim.above.is_none_or(|least| value > least)
        && claim.below.is_none_or(|most| value < most)
}

fn summarise(claim: &Claim, value: Option<f64>, verdict: Verdict) -> ClaimSummary {
    let mut figure = format!("{}, {}", claim.quantity, claim.measure.name());
    if matches!(
        claim.measure,
        Measure::Rises | Measure::Reversals | Measure::FirstAbove | Measure::FirstBelow
    ) {
        figure = format!("{figure} {}", four_digits(claim.level));
    }
    match claim.to {
        Some(to) => figure = format!("{figure}, {} to {} s", four_digits(claim.from), four_digits(to)),
        None if claim.from > 0.0 => figure = format!("{figure}, from {} s", four_digits(claim.from)),
        None => {}
    }
    let bounds = [("above", claim.above), ("below", claim.below)];
    let bounds: Vec<String> = bounds
        .iter()
        .filter_map(|(word, bound)| Some(format!("{word} {}", four_digits((*bound)?))))
        .collect();
    let mut condition = bounds.join(" and ");
    if let Some(other) = &claim.than {
        condition = format!("minus that of {other}: {condition}");
    }
    let text = claim.text.trim().to_owned();
    ClaimSummary { text, figure, value, unit: claim.unit.clone(), condition, verdict }
}

/// The figure that a claim is about; nothing if the series does not have it or a level is never reached.
fn figure(claim: &Claim, table: &SeriesTable, escaped: u64) -> Option<f64> {
    if claim.quantity == Claim::ESCAPED {
        return Some(escaped as f64);
    }
    let course = course(claim, table)?;
    let values = || course.iter().map(|point| point[1]);
    let (first, last) = (course.first()?[1], course.last()?[1]);
    match claim.measure {
        Measure::First => Some(first),
        Measure::Last => Some(last),
        Measure::Change => Some(last - first),
        Measure::Min => values().reduce(f64::min),
        Measure::Max => values().reduce(f64::max),
        Measure::Mean => Some(mean(&course, |x| x)),
        Measure::Deviation => Some(deviation(&course)),
        Measure::Unsteadiness => Some(deviation(&course) / mean(&course, |x| x).abs()),
        Measure::Rises => {
            let through = |pair: &&[[f64; 2]]| pair[0][1] <= claim.level && pair[1][1] > claim.level;
            Some(course.windows(2).filter(through).count() as f64)
        }
        Measure::Reversals => Some(reversals(values(), claim.level) as f64),
        Measure::FirstAbove => course.iter().find(|point| point[1] > claim.level).map(|point| point[0]),
        Measure::FirstBelow => course.iter().find(|point| point[1] < claim.level).map(|point| point[0]),
    }
}

/// How often values turn from below −`level` to above `level`.
fn reversals(values: impl Iterator<Item = f64>, level: f64) -> usize {
    let signs: Vec<bool> = values.filter(|value| value.abs() > level).map(|value| value > 0.0).collect();
    signs.windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

/// The quantity over time within the claim's window.
fn course(claim: &Claim, table: &SeriesTable) -> Option<Vec<[f64; 2]>> {
    let mut sum: Option<Vec<[f64; 2]>> = None;
    for (sign, column) in claim.terms() {
        let points = table.over_time(column);
        if points.is_empty() {
            return None;
        }
        let sum = sum.get_or_insert_with(|| points.iter().map(|point| [point[0], 0.0]).collect());
        for (total, point) in sum.iter_mut().zip(&points) {
            total[1] += sign * point[1];
        }
    }
    // Times of rows are sums of steps: a window's end is met to a rounding error.
    let (from, to) = (claim.from - 1e-9, claim.to.unwrap_or(f64::INFINITY) + 1e-9);
    Some(sum?.into_iter().filter(|point| (from..=to).contains(&point[0])).collect())
}

/// The mean over time of a function of the values, by trapezoids.
fn mean(course: &[[f64; 2]], of: impl Fn(f64) -> f64) -> f64 {
    let area = |pair: &[[f64; 2]]| 0.5 * (of(pair[0][1]) + of(pair[1][1])) * (pair[1][0] - pair[0][0]);
    match course {
        [] => f64::NAN,
        [only] => of(only[1]),
        [first, .., last] if last[0] > first[0] => {
            course.windows(2).map(area).sum::<f64>() / (last[0] - first[0])
        }
        [first, ..] => of(first[1]),
    }
}

fn deviation(course: &[[f64; 2]]) -> f64 {
    let middle = mean(course, |x| x);
    mean(course, |x| (x - middle).powi(2)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_output::Existing;
    use std::fs;

    fn claim(more: &str) -> Claim {
        let text = format!("text = \"It is so.\"\nquantity = \"ball_y\"\n{more}");
        toml::from_str(&text).unwrap()
    }

    fn table(dir: &Path) -> SeriesTable {
        let path = dir.join("series.csv");
        // A zigzag with steps of different length: 0, 2, 0, 2, 4.
        let rows = "time,ball_y,block-1_y\n0,0,1\n1,2,1\n2,0,1\n3,2,1\n7,4,3\n";
        fs::write(&path, rows).unwrap();
        SeriesTable::read(&path).unwrap()
    }

    #[test]
    fn figures_are_those_of_the_course() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        for (more, expected) in [
            ("", 4.0),
            ("measure = \"first\"", 0.0),
            ("measure = \"change\"", 4.0),
            ("measure = \"min\"\nfrom = 1.0", 0.0),
            ("measure = \"max\"\nto = 3.0", 2.0),
            // (1 + 1 + 1 + 12) / 7
            ("measure = \"mean\"", 15.0 / 7.0),
            ("measure = \"mean\"\nfrom = 3.0", 3.0),
            ("measure = \"rises\"\nlevel = 1.0", 2.0),
            ("measure = \"rises\"\nlevel = 0.0", 2.0),
            // Never below −1, and through zero from neither side.
            ("measure = \"reversals\"\nlevel = 1.0", 0.0),
            ("measure = \"first-above\"\nlevel = 1.0", 1.0),
            ("measure = \"first-below\"\nlevel = 1.0\nfrom = 1.0", 2.0),
        ] {
            let found = figure(&claim(more), &table, 0).unwrap();
            assert!((found - expected).abs() < 1e-12, "{more}: {found}");
        }
        assert_eq!(figure(&claim("measure = \"first-above\"\nlevel = 9.0"), &table, 0), None);
    }

    #[test]
    fn reversals_are_more_than_a_trembling() {
        let bounces = [-1.0, -0.05, 0.5, 0.05, 0.3, -0.4, 0.08, 0.2, 0.09, 0.11, -0.2];
        assert_eq!(reversals(bounces.into_iter(), 0.1), 2);
    }

    #[test]
    fn columns_are_added_and_subtracted_even_if_names_hold_signs() {
        let dir = tempfile::tempdir().unwrap();
        let table = table(dir.path());
        let claim = Claim { quantity: "ball_y - block-1_y + ball_y".to_owned(), ..claim("") };
        assert_eq!(figure(&claim, &table, 0), Some(5.0));
        let claim = Claim { quantity: "ball_y - nothing_y".to_owned(), ..claim };
        assert_eq!(figure(&claim, &table, 0), None);
        let claim = Claim { quantity: Claim::ESCAPED.to_owned(), ..claim };
        assert_eq!(figure(&claim, &table, 3), Some(3.0));
    }

    #[test]
    fn a_steady_course_has_no_deviation_and_a_swinging_one_has() {
        let steady = [[0.0, 2.0], [1.0, 2.0], [3.0, 2.0]];
        assert!(deviation(&steady).abs() < 1e-12);
        let swings = [[0.0, 1.0], [1.0, 1.0], [1.0, 3.0], [2.0, 3.0]];
        assert!((deviation(&swings) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn conditions_decide() {
        let verdict = |more: &str, value| compare(&claim(more), value, Path::new("")).verdict;
        assert_eq!(verdict("above = 1.0", Some(2.0)), Verdict::Holds);
        assert_eq!(verdict("above = 1.0", Some(1.0)), Verdict::Fails);
        assert_eq!(verdict("above = 1.0\nbelow = 3.0", Some(4.0)), Verdict::Fails);
        assert_eq!(verdict("below = 3.0", Some(f64::NAN)), Verdict::Fails);
        assert_eq!(verdict("below = 3.0", None), Verdict::Fails);
        assert_eq!(verdict("below = 0.0\nthan = \"other/scene\"", Some(1.0)), Verdict::Open);
    }

    #[test]
    fn another_run_is_found_beside_this_one() {
        let dir = tempfile::tempdir().unwrap();
        let run = |name: &str, height: f64| {
            let path = dir.path().join("paper").join(name);
            let folder = RunFolder::create(&path, "title = \"\"\n", Existing::Refuse).unwrap();
            fs::write(folder.series_path(), format!("time,ball_y\n0,1\n1,{height}\n")).unwrap();
            Summary::default().write(&folder.summary_path()).unwrap();
            path
        };
        let (thin, _thick) = (run("thin", 0.2), run("thick", 0.5));
        let claim = claim("below = 0.0\nthan = \"paper/thick\"");
        let summary = compare(&claim, Some(0.2), &thin);
        assert_eq!(summary.verdict, Verdict::Holds);
        assert_eq!(summary.condition, "minus that of paper/thick: below 0, where it is 0.5");
    }
}
