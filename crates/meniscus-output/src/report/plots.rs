//! The plots of a report.

use crate::plot::{Axis, Bar, Bars, COLOURS, Curves, Figure, Key, Panel, Series, Style};
use crate::{SeriesTable, Summary};

/// Bodies that are plotted: more could not be told apart.
const MOST_BODIES: usize = COLOURS.len();

/// A named curve.
type Curve<'a> = (&'a str, Vec<[f64; 2]>);

/// All plots as SVG; those without points are left out.
pub(super) fn all(table: &SeriesTable, summary: &Summary) -> Vec<String> {
    let mut plots = vec![
        linear("Energy of the fluid", "J", &energies(table, "")),
        linear("Momentum of the fluid", "kg m/s", &vector(table, "momentum_", ["x", "y", "z"])),
        decades(
            "Density error",
            "ρ/ρ₀ − 1 where positive [1]",
            &named(table, &[("mean", "density_error_mean"), ("largest", "density_error_max")]),
        ),
        linear(
            "Sweeps of a step",
            "1",
            &named(table, &[("pressure", "pressure_sweeps"), ("divergence", "divergence_sweeps")]),
        ),
        decades("Length of steps", "dt [s]", &named(table, &[("dt", "dt")])),
        linear("Energy of bodies", "J", &energies(table, "solid_")),
        linear("Contacts", "1", &named(table, &[("contacts", "contacts")])),
    ];
    plots.extend(bodies(table));
    let mut drawn: Vec<String> = plots.into_iter().flatten().collect();
    drawn.push(phases(summary));
    drawn
}

fn named<'a>(table: &SeriesTable, columns: &[(&'a str, &str)]) -> Vec<Curve<'a>> {
    columns.iter().map(|(name, column)| (*name, table.over_time(column))).collect()
}

fn vector<'a>(table: &SeriesTable, prefix: &str, axes: [&'a str; 3]) -> Vec<Curve<'a>> {
    axes.iter().map(|axis| (*axis, table.over_time(&format!("{prefix}{axis}")))).collect()
}

/// Kinetic energy, potential energy and their sum.
fn energies(table: &SeriesTable, prefix: &str) -> Vec<Curve<'static>> {
    let kinetic = table.over_time(&format!("{prefix}kinetic_energy"));
    let potential = table.over_time(&format!("{prefix}potential_energy"));
    let sum = kinetic.iter().zip(&potential).map(|(k, p)| [k[0], k[1] + p[1]]).collect();
    vec![("kinetic", kinetic), ("potential", potential), ("sum", sum)]
}

/// How far bodies went, and the fluid's force on them.
fn bodies(table: &SeriesTable) -> [Option<String>; 2] {
    let names = table.bodies();
    let curves = |parts: [&str; 3], relative: bool| -> Vec<Curve<'_>> {
        let each = |name: &&'_ str| {
            let columns = parts.map(|part| format!("{name}_{part}"));
            let [x, y, z] = columns.each_ref().map(String::as_str);
            if !relative {
                return table.length_over_time([x, y, z]);
            }
            let way = [x, y, z].map(|c| table.over_time(c));
            let away = |k: usize| {
                let part =
                    |p: &Vec<[f64; 2]>| p.get(k).zip(p.first()).map_or(0.0, |(a, b)| (a[1] - b[1]).powi(2));
                way.iter().map(part).sum::<f64>().sqrt()
            };
            way[0].iter().enumerate().map(|(k, point)| [point[0], away(k)]).collect()
        };
        names.iter().take(MOST_BODIES).map(|name| (*name, each(name))).collect()
    };
    let moved: Vec<Curve<'_>> = curves(["x", "y", "z"], true)
        .into_iter()
        .filter(|(_, points)| points.iter().any(|point| point[1] > 0.0))
        .collect();
    [
        linear("Distance of bodies from where they began", "m", &moved),
        linear("Force of the fluid on bodies", "N", &curves(["fx", "fy", "fz"], false)),
    ]
}

fn linear(title: &str, unit: &str, curves: &[Curve<'_>]) -> Option<String> {
    let values = curves.iter().flat_map(|curve| &curve.1).map(|point| point[1]);
    draw(title, Axis::holding(&format!("[{unit}]"), values), curves)
}

fn decades(title: &str, label: &str, curves: &[Curve<'_>]) -> Option<String> {
    let values = curves.iter().flat_map(|curve| &curve.1).map(|point| point[1]);
    draw(title, Axis::decades(label, values), curves)
}

fn draw(title: &str, axis: Axis, curves: &[Curve<'_>]) -> Option<String> {
    let times = curves.iter().flat_map(|curve| &curve.1).map(|point| point[0]);
    let time = Axis::holding("time [s]", times);
    let shown = |(k, (name, points)): (usize, &'_ Curve<'_>)| {
        let key = Key { name: (*name).to_owned(), style: Style::Line, colour: COLOURS[k % COLOURS.len()] };
        (key, points.clone())
    };
    let kept: Vec<_> = curves.iter().filter(|curve| !curve.1.is_empty()).enumerate().map(shown).collect();
    let series: Vec<Series<'_>> =
        kept.iter().map(|(key, points)| Series { key: key.clone(), points }).collect();
    let legend = series.iter().map(|s| s.key.clone()).collect::<Vec<_>>();
    (!series.is_empty()).then(|| {
        let panel = Panel::Curves(Curves { title, axes: [time, axis], series, legend: false });
        let legend = if legend.len() > 1 { legend } else { Vec::new() };
        Figure { title: "", rows: vec![vec![panel]], legend }.svg()
    })
}

/// Where the time went.
fn phases(summary: &Summary) -> String {
    let p = &summary.phase_seconds;
    let phases = [
        ("choose_dt", p.choose_dt),
        ("predict", p.predict),
        ("contact", p.contact),
        ("couple", p.couple),
        ("commit", p.commit),
        ("check", p.check),
        ("observe", p.observe),
    ];
    let whole: f64 = phases.iter().map(|phase| phase.1).sum();
    let bar = |(name, seconds): &(&str, f64)| Bar {
        name: (*name).to_owned(),
        parts: vec![*seconds],
        remark: format!("{:.0} %", 100.0 * seconds / whole.max(f64::MIN_POSITIVE)),
    };
    let most = phases.iter().map(|phase| phase.1).fold(0.0, f64::max);
    let bars = Bars {
        title: "Time by phase",
        axis: Axis::holding("wall time [s]", [0.0, 1.15 * most]),
        parts: vec![("", COLOURS[0])],
        bars: phases.iter().map(bar).collect(),
    };
    Figure { title: "", rows: vec![vec![Panel::Bars(bars)]], legend: Vec::new() }.svg()
}
