//! Measured curves and how far a simulated one is from them.

use anyhow::{Context as _, Result, ensure};

/// One measured point: dimensionless time T and front position Z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// T `[1]`.
    pub time: f64,
    /// Z `[1]`.
    pub front: f64,
}

/// The points of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// What the first column of the file says of them: the base of the column `[in]`.
    pub name: String,
    /// In the order of time.
    pub points: Vec<Point>,
}

/// Mean and largest relative error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviation {
    /// Mean of the absolute relative errors `[1]`.
    pub mean: f64,
    /// Largest absolute relative error `[1]`.
    pub max: f64,
    /// Mean of the relative errors with their signs `[1]`: positive where the simulation is ahead.
    pub bias: f64,
}

/// Reads `name,T,Z` lines below comments (`#`) and one line of headings; equal names stand together.
///
/// # Errors
/// If a line is not of that form.
pub fn parse(text: &str) -> Result<Vec<Measured>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut sets: Vec<Measured> = Vec::new();
    for line in lines.skip(1) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [name, time, front] = fields[..] else { anyhow::bail!("not three columns: {line}") };
        let number = |text: &str| text.parse::<f64>().with_context(|| format!("not a number in: {line}"));
        let point = Point { time: number(time)?, front: number(front)? };
        match sets.last_mut() {
            Some(set) if set.name == name => set.points.push(point),
            _ => sets.push(Measured { name: name.to_owned(), points: vec![point] }),
        }
    }
    ensure!(!sets.is_empty(), "no data");
    Ok(sets)
}

/// The value of a curve at `time`, linear between its points; `None` beyond its ends.
#[must_use]
pub fn interpolate(curve: &[Point], time: f64) -> Option<f64> {
    let after = curve.partition_point(|point| point.time < time);
    let b = curve.get(after)?;
    let Some(a) = after.checked_sub(1).map(|before| curve[before]) else {
        return (b.time <= time).then_some(b.front);
    };
    Some(a.front + (b.front - a.front) * (time - a.time) / (b.time - a.time))
}

/// How far `curve` is from the measured points, `shift` being added to the time of each of them `[1]`.
///
/// # Errors
/// If the curve ends before the measurements do: leaving points out would flatter it.
pub fn deviation<'a>(
    curve: &[Point],
    measured: impl IntoIterator<Item = &'a Point>,
    shift: f64,
) -> Result<Deviation> {
    let mut errors = Vec::new();
    for point in measured {
        let time = point.time + shift;
        let front =
            interpolate(curve, time).with_context(|| format!("the simulation does not cover T = {time}"))?;
        errors.push(front / point.front - 1.0);
    }
    ensure!(!errors.is_empty(), "no measured points");
    let mean = |sum: f64| sum / errors.len() as f64;
    Ok(Deviation {
        mean: mean(errors.iter().map(|e| e.abs()).sum()),
        max: errors.iter().fold(0.0, |max, e| e.abs().max(max)),
        bias: mean(errors.iter().sum()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# words\na,T,Z\n1,0.5,1.0\n1,1.0,2.0\n2,0.5,1.5\n";

    #[test]
    fn sets_are_told_apart() {
        let sets = parse(TEXT).unwrap();
        assert_eq!(sets.len(), 2);
        assert_eq!(sets[0].points[1], Point { time: 1.0, front: 2.0 });
        assert!(parse("a,T,Z\n1,2\n").is_err());
        assert!(parse("a,T,Z\n").is_err());
    }

    #[test]
    fn deviations_are_relative_and_need_the_whole_range() {
        let curve = [Point { time: 0.0, front: 1.0 }, Point { time: 1.0, front: 3.0 }];
        let measured = [Point { time: 0.5, front: 1.0 }, Point { time: 1.0, front: 4.0 }];
        let found = deviation(&curve, &measured, 0.0).unwrap();
        assert!((found.mean - 0.625).abs() < 1e-12);
        assert!((found.max - 1.0).abs() < 1e-12);
        assert!((found.bias - 0.375).abs() < 1e-12);
        assert!(deviation(&curve, &measured, 0.1).is_err());
    }
}
