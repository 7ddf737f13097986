//! `report.html`: the run on one page for people, with pictures, plots, warnings and the scene, in one file without
//! references to others.

mod plots;

use crate::html::{document, escape, picture};
use crate::{
    ClaimSummary, Notice, Outcome, OutputError, RunFolder, SeriesTable, Summary, Verdict, WorldSummary,
    atomic,
};

/// Writes the report of a run that has ended, atomically: from its summary, its series and the pictures that are there.
///
/// # Errors
/// [`OutputError::Io`] when the series or the scene cannot be read or the file not be written.
pub fn write(folder: &RunFolder, summary: &Summary) -> Result<(), OutputError> {
    let table = SeriesTable::thinned(&folder.series_path())?;
    let scene = folder.scene_toml()?;
    let title = if summary.scene.is_empty() { "Meniscus" } else { &summary.scene };
    let mut page = format!("<p>{}</p>\n", escape(&told(summary)));
    for warning in warnings(summary) {
        push(&mut page, &format!("<p class=\"warning\">{}</p>\n", escape(&warning)));
    }
    for note in notes(summary) {
        push(&mut page, &format!("<p>{}</p>\n", escape(&note)));
    }
    page += "<div class=\"grid\">\n";
    page += &picture(&folder.preview_path(), "png", "The last state");
    page += &picture(&folder.animation_path(), "gif", "The whole run");
    page += "</div>\n";
    page += &claims(&summary.claims);
    page += "<h2>Figures</h2>\n<table>\n";
    for (name, value) in figures(summary) {
        push(&mut page, &format!("<tr><td>{}</td><td>{}</td></tr>\n", escape(name), escape(&value)));
    }
    page += "</table>\n<h2>Plots</h2>\n<div class=\"grid\">\n";
    for plot in plots::all(&table, summary) {
        push(&mut page, &format!("<figure>{plot}</figure>\n"));
    }
    push(&mut page, &format!("</div>\n<h2>Scene</h2>\n<pre>{}</pre>\n", escape(&scene)));
    atomic::write(&folder.report_path(), document(title, &page).as_bytes())
}

fn push(page: &mut String, text: &str) {
    page.push_str(text);
}

/// How it went, in a sentence.
fn told(summary: &Summary) -> String {
    let how = match summary.outcome {
        Outcome::Completed => "completed",
        Outcome::Interrupted => "stopped before its end",
        Outcome::Failed => "failed; the last good state is saved",
    };
    format!(
        "{how} at t = {:.4} s after {} steps and {:.1} s",
        summary.simulated_s, summary.steps, summary.wall_s
    )
}

/// What the scene is meant to show and whether it did, as a table; nothing without claims.
#[must_use]
pub fn claims(claims: &[ClaimSummary]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let row = |claim: &ClaimSummary| {
        let (class, word) = match claim.verdict {
            Verdict::Holds => ("holds", "holds"),
            Verdict::Fails => ("fails", "does not hold"),
            Verdict::Open => ("open", "open"),
        };
        let figure = format!("{}: {}", claim.figure, claim.value_in_words());
        format!(
            "<tr class=\"{class}\"><td>{}</td><td>{}<br><small>{}</small></td><td>{word}</td></tr>\n",
            escape(&claim.text),
            escape(&figure),
            escape(&claim.condition),
        )
    };
    let rows: String = claims.iter().map(row).collect();
    format!("<h2>Claims</h2>\n<table class=\"claims\">\n{rows}</table>\n")
}

/// What a reader should know before trusting the rest.
fn warnings(summary: &Summary) -> Vec<String> {
    let mut all = Vec::new();
    if summary.outcome == Outcome::Failed {
        all.push("A step failed; what follows is of the time before.".to_owned());
    }
    let counted = [
        (summary.unconverged_steps, "steps ended above the solver's tolerance"),
        (
            summary.escaped_particles,
            "particles are inside solids, outside of closed containers or under the floor of open ones",
        ),
        (summary.retries, "steps were begun again with half their length"),
    ];
    all.extend(summary.notices.iter().filter(|notice| !notice.sign.is_harmless()).map(told_then));
    all.extend(counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}.")));
    if summary.density_error.mean > 0.01 {
        all.push(format!("The mean compression is {:.1} %.", 100.0 * summary.density_error.mean));
    }
    all
}

/// What a reader should know besides.
fn notes(summary: &Summary) -> Vec<String> {
    summary.notices.iter().filter(|notice| notice.sign.is_harmless()).map(told_then).collect()
}

/// A notice with its time.
fn told_then(notice: &Notice) -> String {
    let help =
        if notice.help.is_empty() { String::new() } else { format!(" What may help: {}.", notice.help) };
    format!("At t = {:.4} s (step {}): {}.{help}", notice.time, notice.step, notice.text)
}

fn figures(summary: &Summary) -> Vec<(&'static str, String)> {
    let mut all = vec![
        ("particles", format!("{} fluid, {} boundary", summary.fluid_particles, summary.boundary_particles)),
        ("frames", summary.frames.to_string()),
        ("set-up", format!("{:.2} s", summary.setup_s)),
        ("pictures", format!("{:.2} s", summary.pictures_s)),
        (
            "speed",
            format!(
                "{:.0} particle-steps a second, {} threads",
                summary.particle_steps_per_s, summary.threads
            ),
        ),
        (
            "sweeps a step",
            format!(
                "{:.1} pressure, {:.1} divergence",
                summary.sweeps.pressure_mean, summary.sweeps.divergence_mean
            ),
        ),
        (
            "compression",
            format!("{:.2e} mean, {:.2e} largest", summary.density_error.mean, summary.density_error.max),
        ),
        ("largest compression", largest_compression(summary)),
        ("world", world(summary)),
        ("state hash", summary.state_hash.clone()),
    ];
    if let Some(bytes) = summary.peak_memory_bytes {
        all.insert(4, ("memory", format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20))));
    }
    if let Some(solids) = &summary.solids {
        let (moving, bodies, joints) = (solids.moving_bodies, solids.bodies, solids.joints);
        all.insert(1, ("bodies", format!("{moving} of {bodies} move freely, {joints} joints")));
    }
    all
}

/// Whether the largest compression is bad, where it was and when.
fn largest_compression(summary: &Summary) -> String {
    let error = &summary.density_error;
    if summary.fluid_particles == 0 && error.max == 0.0 {
        return "none".to_owned();
    }
    let [x, y, z] = error.max_place;
    format!(
        "{:.1} % of particle {} at ({x:.3}, {y:.3}, {z:.3}) m, t = {:.4} s: {}",
        100.0 * error.max,
        error.max_particle,
        error.max_time,
        error.verdict()
    )
}

/// Where the scene ended, and what has left it.
fn world(summary: &Summary) -> String {
    let Some(WorldSummary { min, max }) = summary.world else { return "without an end".to_owned() };
    let corner = |c: [f64; 3]| format!("({:.3}, {:.3}, {:.3})", c[0], c[1], c[2]);
    let bodies = match summary.departed_bodies.as_slice() {
        [] => String::new(),
        names => format!(" and {}", names.join(", ")),
    };
    format!(
        "from {} to {} m; {} particles{bodies} have left it",
        corner(min),
        corner(max),
        summary.departed_particles
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Existing;
    use std::fs;

    #[test]
    fn the_page_stands_alone_and_shows_text_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let scene = "title = \"<script>&\"\n";
        let folder = RunFolder::create(&dir.path().join("run"), scene, Existing::Refuse).unwrap();
        let series = "step,time,dt,kinetic_energy,potential_energy,post_x,post_y,post_z,post_fx,post_fy,post_fz,post_tz\n\
                      0,0,0,1,2,0,0,0,0,0,0,0\n1,0.1,0.1,2,1,0,0,0,1,0,0,0\n";
        fs::write(folder.series_path(), series).unwrap();
        fs::write(folder.preview_path(), b"png").unwrap();
        let summary = Summary { scene: "<b>".to_owned(), unconverged_steps: 3, ..Summary::default() };
        write(&folder, &summary).unwrap();
        let page = fs::read_to_string(folder.report_path()).unwrap();
        assert!(
            page.contains("<h1>&lt;b&gt;</h1>") && page.contains("title = &quot;&lt;script&gt;&amp;&quot;")
        );
        assert!(page.contains("3 steps ended above") && page.contains("data:image/png;base64,cG5n"));
        assert!(page.contains("Energy of the fluid") && page.contains("Force of the fluid"));
        // Nothing is fetched: the only addresses are names of namespaces.
        assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
        assert!(!page.contains("<script"));
    }
}
