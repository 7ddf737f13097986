//! `report.html`: the run on one page for people, with pictures, plots, warnings and the scene, in one file without
//! references to others.

mod plots;
mod table;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::{Outcome, OutputError, RunFolder, Summary, atomic};
use table::Table;

/// Larger pictures are left out `[byte]`.
const MAX_PICTURE: u64 = 24 << 20;

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#1c2733;background:#f4f6f8;margin:0 auto;max-width:1180px;padding:1rem}\
h1{font-size:1.6rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.6rem 0 .5rem}\
img,svg{display:block;width:100%;height:auto;border-radius:8px;background:#fff}\
.grid{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr))}\
table{border-collapse:collapse;width:100%;background:#fff;border-radius:8px}\
td{padding:.35rem .7rem;border-bottom:1px solid #e5e9ee;vertical-align:top;overflow-wrap:anywhere}td:first-child{color:#5b6b7b;overflow-wrap:normal}\
.warning{background:#fff3d6;border-left:4px solid #e0a100;padding:.5rem .8rem;margin:.4rem 0;border-radius:4px}\
pre{overflow-x:auto;background:#fff;padding:1rem;border-radius:8px;font-size:.85rem}figure{margin:0}\
figcaption{color:#5b6b7b;font-size:.9rem}\
@media(max-width:560px){figure{overflow-x:auto;border-radius:8px}svg{width:560px}}";

/// Writes the report of a run that has ended, atomically: from its summary, its series and the pictures that are there.
///
/// # Errors
/// [`OutputError::Io`] when the series or the scene cannot be read or the file not be written.
pub fn write(folder: &RunFolder, summary: &Summary) -> Result<(), OutputError> {
    let table = Table::read(&folder.series_path())?;
    let scene = folder.scene_toml()?;
    let title = if summary.scene.is_empty() { "Meniscus" } else { &summary.scene };
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{0}</title>\n<style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n<p>{1}</p>\n",
        escape(title),
        escape(&told(summary))
    );
    for warning in warnings(summary) {
        push(&mut page, &format!("<p class=\"warning\">{}</p>\n", escape(&warning)));
    }
    page += "<div class=\"grid\">\n";
    page += &picture(&folder.preview_path(), "png", "The last state");
    page += &picture(&folder.animation_path(), "gif", "The whole run");
    page += "</div>\n<h2>Figures</h2>\n<table>\n";
    for (name, value) in figures(summary) {
        push(&mut page, &format!("<tr><td>{}</td><td>{}</td></tr>\n", escape(name), escape(&value)));
    }
    page += "</table>\n<h2>Plots</h2>\n<div class=\"grid\">\n";
    for plot in plots::all(&table, summary) {
        push(&mut page, &format!("<figure>{plot}</figure>\n"));
    }
    push(&mut page, &format!("</div>\n<h2>Scene</h2>\n<pre>{}</pre>\n</body></html>\n", escape(&scene)));
    atomic::write(&folder.report_path(), page.as_bytes())
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

/// What a reader should know before trusting the rest.
fn warnings(summary: &Summary) -> Vec<String> {
    let mut all = Vec::new();
    if summary.outcome == Outcome::Failed {
        all.push("A step failed; what follows is of the time before.".to_owned());
    }
    let counted = [
        (summary.unconverged_steps, "steps ended above the solver's tolerance"),
        (summary.escaped_particles, "particles are inside solids or outside of closed containers"),
        (summary.retries, "steps were begun again with half their length"),
    ];
    all.extend(counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}.")));
    if summary.density_error.mean > 0.01 {
        all.push(format!("The mean compression is {:.1} %.", 100.0 * summary.density_error.mean));
    }
    all
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

/// A picture inside of the page; nothing if there is none.
fn picture(path: &Path, kind: &str, caption: &str) -> String {
    let fits = fs::metadata(path).is_ok_and(|file| file.len() <= MAX_PICTURE);
    let Some(bytes) = fs::read(path).ok().filter(|_| fits) else { return String::new() };
    let data = base64(&bytes);
    format!(
        "<figure><img alt=\"{caption}\" src=\"data:image/{kind};base64,{data}\"><figcaption>{caption}</figcaption></figure>\n"
    )
}

/// Text that a page shows as it is.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => {
                let _ = out.write_char(c);
            }
        }
    }
    out
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k) & 63) as usize] as char;
            out.push(if k <= chunk.len() { letter } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Existing, RunFolder};

    #[test]
    fn letters_are_those_of_the_standard() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, letters) in known {
            assert_eq!(base64(text.as_bytes()), letters);
        }
    }

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
