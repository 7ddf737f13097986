//! The page of the gallery.

use super::{Exhibit, ExhibitState, PAGE};
use meniscus::output::html::{document, escape, picture};
use meniscus::output::{ClaimSummary, OutputError, Summary, Verdict, atomic, report};
use std::path::{Path, PathBuf};

/// Writes the page about all exhibits into a folder, atomically, and tells where it is.
///
/// # Errors
/// When it cannot be written.
pub fn write(exhibits: &[Exhibit], out: &Path) -> Result<PathBuf, OutputError> {
    let shown: Vec<Shown<'_>> = exhibits.iter().map(Shown::new).collect();
    let mut body = format!("<p>{}</p>\n", escape(&told(&shown)));
    for one in &shown {
        body += &one.section();
    }
    let path = out.join(PAGE);
    atomic::write(&path, document("Scenes of the papers", &body).as_bytes())?;
    Ok(path)
}

/// An exhibit and what is known of its run.
struct Shown<'a> {
    exhibit: &'a Exhibit,
    progress: ExhibitState,
    claims: Vec<ClaimSummary>,
}

impl<'a> Shown<'a> {
    fn new(exhibit: &'a Exhibit) -> Self {
        let progress = exhibit.progress();
        let claims = exhibit.answers_at(&progress);
        Self { exhibit, progress, claims }
    }

    fn section(&self) -> String {
        let Exhibit { name, scene, folder } = self.exhibit;
        let state = match &self.progress {
            ExhibitState::Complete(summary) => cost(summary),
            ExhibitState::Failed => "The run failed.".to_owned(),
            ExhibitState::Begun => "The run was stopped before its end.".to_owned(),
            ExhibitState::Absent => "Not run.".to_owned(),
        };
        let class =
            if matches!(self.progress, ExhibitState::Complete(_)) { "" } else { " class=\"warning\"" };
        // Inside of a section the claims need no heading of their own.
        let claims = report::claims(&self.claims).replace("<h2>Claims</h2>\n", "");
        format!(
            "<h2>{}</h2>\n<p>{}</p>\n<p{class}>{}</p>\n<div class=\"grid\">{}<div>{claims}</div></div>\n",
            escape(name),
            escape(&scene.title),
            escape(&state),
            picture(&folder.join("preview.png"), "png", "The last state"),
        )
    }
}

fn cost(summary: &Summary) -> String {
    let cpu = summary.cpu_s.map_or_else(String::new, |seconds| format!(", {seconds:.0} s of processor time"));
    format!(
        "{} fluid particles, {} steps to t = {:.2} s in {:.0} s{cpu}, {} threads.",
        summary.fluid_particles, summary.steps, summary.simulated_s, summary.wall_s, summary.threads
    )
}

/// The whole in a sentence.
fn told(shown: &[Shown<'_>]) -> String {
    let complete = shown.iter().filter_map(|one| match &one.progress {
        ExhibitState::Complete(summary) => Some(summary.as_ref()),
        _ => None,
    });
    let (mut runs, mut wall) = (0, 0.0);
    for summary in complete {
        runs += 1;
        wall += summary.wall_s;
    }
    let claims: Vec<&ClaimSummary> = shown.iter().flat_map(|one| &one.claims).collect();
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    format!(
        "{runs} of {} scenes are complete, in {:.1} minutes altogether. Of {} claims {} hold, {} do not hold, {} are open.",
        shown.len(),
        wall / 60.0,
        claims.len(),
        count(Verdict::Holds),
        count(Verdict::Fails),
        count(Verdict::Open),
    )
}
