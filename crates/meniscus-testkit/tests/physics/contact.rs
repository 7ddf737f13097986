//! Bodies that touch each other or the ground under water: the water between them is squeezed out or bears what is
//! above, and nothing bursts.
//!
//! With the settings that scenes have by default.

use glam::DVec3;
use meniscus_testkit::{Body, METHODS, Result, Run, Tank, above, below, exactly, law, seen};
use std::ops::RangeInclusive;

const SPACING: f64 = 0.02;
/// Densities of bodies `[kg/m³]`.
const LIGHT: f64 = 50.0;
const HEAVY: f64 = 3500.0;

/// A block of this size `[m]` and density `[kg/m³]` that begins one spacing and a half below the surface, turned by
/// some degrees.
#[derive(Clone, Copy)]
struct Sinking {
    size: [f64; 3],
    turn: f64,
    density: f64,
}

impl Sinking {
    const FLAT: Self = Self { size: [0.2, 0.1, 1.0], turn: 0.0, density: 3000.0 };
    const TURNED: Self = Self { size: [0.2, 0.1, 1.0], turn: 6.0, density: 8000.0 };
    const IN_SPACE: Self = Self { size: [0.16, 0.08, 0.16], turn: 4.0, density: 4000.0 };

    fn within(self, tank: Tank, depth: f64, method: &str, solver: &str) -> Result<Run> {
        let place = [0.0, depth - 0.5 * self.size[1] - 1.5 * SPACING, 0.0];
        let block = Body::cuboid(self.size).at(place).turned(DVec3::Z, self.turn).free(self.density);
        tank.height(0.8).depth(depth).carved().felt_by(method).solver(solver).with(block).start()
    }

    fn in_the_plane(self, method: &str, solver: &str) -> Result<Run> {
        self.within(Tank::plane(SPACING).width(0.64), 0.24, method, solver)
    }

    fn in_space(self, method: &str, solver: &str) -> Result<Run> {
        self.within(Tank::space(SPACING).width(0.32), 0.16, method, solver)
    }

    /// Lets the block sink for some seconds.
    fn settles(self, mut run: Run, seconds: f64, case: &str) -> Result<()> {
        let rise = rises(&mut run, seconds)?.1;
        let over = run.place(1).y - 0.5 * self.size[1];
        let Self { turn, density, .. } = self;
        // Which block is kicked, and how far, is chance; the most was with IISPH.
        let rise = rise / SPACING;
        seen!("thrown up [spacings]", rise, below(2.5), 0.0..=1.9, "{case}, {turn}°, {density} kg/m³");
        // On the ground, or on what is caught below it.
        let over = over / SPACING;
        seen!(
            "ends over the ground [spacings]",
            over,
            below(2.5),
            0.0..=1.6,
            "{case}, {turn}°, {density} kg/m³"
        );
        Ok(())
    }
}

/// The most kinetic energy of the water `[J]`, in the plane per metre across it, and the most by which a body rises
/// from its lowest place `[m]`.
fn rises(run: &mut Run, seconds: f64) -> Result<(f64, f64)> {
    let (mut most, mut rise) = (0.0_f64, 0.0_f64);
    let mut lowest = vec![f64::INFINITY; run.body_count()];
    run.watch(seconds, |run| {
        most = most.max(run.kinetic_energy());
        for (k, lowest) in lowest.iter_mut().enumerate().skip(1) {
            *lowest = lowest.min(run.place(k).y);
            rise = rise.max(run.place(k).y - *lowest);
        }
    })?;
    Ok((most, rise))
}

#[test]
fn a_block_that_lands_runs_over_no_particle() -> Result<()> {
    let mut run = Sinking::TURNED.in_the_plane("volume-particles", "dfsph")?;
    let (mut nearest, mut lowest) = (f64::INFINITY, f64::INFINITY);
    run.watch(0.8, |run| {
        nearest = nearest.min(run.nearest(1));
        lowest = lowest.min(run.place(1).y);
    })?;
    law!("height at landing [m]", lowest, below(0.05 + SPACING), "what is heavy comes down");
    law!("nearest particle [spacings]", nearest / SPACING, above(-1e-6), "no particle is in a body");
    Ok(())
}

/// A planar tank with water 0.24 or 0.3 m deep that is felt by contacts, 0.64 m wide.
fn pinching(solver: &str, depth: f64) -> Tank {
    let tank = Tank::plane(SPACING).width(0.64).height(2.0).depth(depth);
    tank.carved().felt_by("direct-forcing").solver(solver)
}

#[test]
fn a_plate_that_is_led_to_the_ground_throws_nothing() -> Result<()> {
    for solver in ["dfsph", "iisph", "wcsph"] {
        for gap in [0.0, 0.3] {
            let (above, low) = ("position = [0.0, 0.14, 0.0]", 0.05 + gap * SPACING);
            let low = format!("position = [0.0, {low}, 0.0]");
            let motion = format!(
                "{{ kind = \"keyframes\", frame = [{{ time = 0.0, {above} }}, {{ time = 0.4, {low} }}, \
                 {{ time = 0.7, {low} }}, {{ time = 1.1, {above} }}] }}"
            );
            let plate = Body::cuboid([0.2, 0.1, 1.0]).led(&motion);
            let energy = pinching(solver, 0.24).with(plate).start()?.most_kinetic_energy(1.2)?;
            // With DFSPH and IISPH it burst, with 100 kJ and more.
            seen!(
                "most kinetic energy [J]",
                energy,
                below(120.0),
                14.0..=59.0,
                "{solver}, gap {gap} spacings"
            );
        }
    }
    Ok(())
}

#[test]
fn blocks_that_sink_onto_each_other_come_to_rest() -> Result<()> {
    for solver in ["dfsph", "iisph", "wcsph"] {
        for densities in [[2000.0, 3000.0], [3000.0, 8000.0]] {
            let block = |height: f64, angle: f64, density: f64| {
                let block = Body::cuboid([0.2, 0.08, 1.0]).at([0.0, height, 0.0]);
                block.turned(DVec3::Z, angle).free(density)
            };
            let [low, high] = densities;
            let tank = pinching(solver, 0.3).with(block(0.08, 0.0, low)).with(block(0.2, 5.0, high));
            let (energy, rise) = rises(&mut tank.start()?, 1.2)?;
            // It was 8 kJ to 1 MJ with DFSPH and IISPH, and blocks were thrown by 24 to 95 spacings.
            seen!("most kinetic energy [J]", energy, below(100.0), 3.0..=20.0, "{solver} {densities:?}");
            seen!("thrown up [spacings]", rise / SPACING, below(1.5), 0.01..=0.06, "{solver} {densities:?}");
        }
    }
    Ok(())
}

/// A planar tank, 0.8 m wide and 0.5 m deep, with blocks: how heavy, if they are free `[kg/m³]`, how large and where
/// `[m]`.
fn pressed(method: &str, solver: &str, blocks: &[(Option<f64>, [f64; 3], [f64; 3])]) -> Tank {
    let tank = Tank::plane(SPACING).width(0.8).height(2.0).carved().felt_by(method).solver(solver);
    blocks.iter().fold(tank, |tank, &(density, size, place)| {
        let block = Body::cuboid(size).at(place);
        tank.with(density.map_or(block.clone(), |density| block.free(density)))
    })
}

/// Runs for a second: the most kinetic energy of the water and that at the end `[J]`.
fn energies(run: &mut Run, case: &str) -> Result<[f64; 2]> {
    let most = run.most_kinetic_energy(1.0)?;
    law!("escaped", run.escaped() as f64, exactly(0.0), "walls are tight", "{case}");
    Ok([most, run.kinetic_energy()])
}

/// Runs for a second: the water comes to rest, with at most `most.0` `[J]` on the way, and blocks stay within `room.0`
/// `[m]`; what was seen of both is beside them.
fn rests(tank: &Tank, most: (f64, RangeInclusive<f64>), room: (f64, f64), case: &str) -> Result<()> {
    let mut run = tank.start()?;
    let start: Vec<DVec3> = (0..run.body_count()).map(|k| run.place(k)).collect();
    let [energy, last] = energies(&mut run, case)?;
    seen!("most kinetic energy [J]", energy, below(most.0), most.1, "{case}");
    seen!("kinetic energy at the end [J]", last, below(0.5), 0.03..=0.17, "{case}");
    for (k, start) in start.iter().enumerate() {
        let way = (run.place(k) - *start).length();
        seen!("way of a block [m]", way, below(room.0), 0.0..=room.1, "{case}, block {k}");
    }
    Ok(())
}

#[test]
fn a_light_box_under_a_heavy_one_rests() -> Result<()> {
    let size = [0.14, 0.14, 1.0];
    let blocks = [(Some(LIGHT), size, [0.0, 0.07, 0.0]), (Some(HEAVY), size, [0.0, 0.21, 0.0])];
    // What is carved out for the boxes and filled up makes 12 J. Before, 4 to 8 J were left, and direct forcing made 7
    // MJ.
    for (method, solver) in [
        ("volume-particles", "dfsph"),
        ("density-map", "dfsph"),
        ("direct-forcing", "dfsph"),
        ("volume-particles", "iisph"),
    ] {
        let case = format!("{method} {solver}");
        rests(&pressed(method, solver, &blocks), (20.0, 1.0..=12.3), (0.005, 0.0033), &case)?;
    }
    Ok(())
}

#[test]
fn a_light_box_rests_below_a_plate() -> Result<()> {
    let blocks =
        [(Some(LIGHT), [0.14, 0.14, 1.0], [0.0, 0.23, 0.0]), (None, [0.3, 0.06, 1.0], [0.0, 0.33, 0.0])];
    // Before, it made 67 and 75 J and slid away.
    for method in ["volume-particles", "density-map"] {
        rests(&pressed(method, "dfsph", &blocks), (10.0, 2.2..=2.9), (0.005, 0.0016), method)?;
    }
    Ok(())
}

#[test]
fn a_heavy_box_bridges_two_light_ones() -> Result<()> {
    let light = [0.1, 0.1, 1.0];
    let blocks = [
        (Some(LIGHT), light, [-0.1, 0.05, 0.0]),
        (Some(LIGHT), light, [0.1, 0.05, 0.0]),
        (Some(HEAVY), [0.32, 0.1, 1.0], [0.0, 0.15, 0.0]),
    ];
    // Before, they made 84 and 108 J, and the light ones were pushed around with 5 to 8 m/s. The water between them now
    // pushes them a centimetre apart at the start.
    for method in ["volume-particles", "density-map"] {
        rests(&pressed(method, "dfsph", &blocks), (30.0, 2.0..=21.2), (0.03, 0.009), method)?;
    }
    Ok(())
}

#[test]
fn a_heavy_box_on_a_light_one_sinks_calmly() -> Result<()> {
    let size = [0.14, 0.1, 1.0];
    let blocks = [(Some(LIGHT), size, [0.0, 0.15, 0.0]), (Some(HEAVY), size, [0.0, 0.25, 0.0])];
    // Before, they made 214 J and 6.9 kJ. Whether the heavy one slides off on the way is chance: nothing holds it up
    // there.
    for method in ["volume-particles", "density-map"] {
        let mut run = pressed(method, "dfsph", &blocks).start()?;
        let [most, _] = energies(&mut run, method)?;
        seen!("most kinetic energy [J]", most, below(25.0), 6.0..=17.0, "{method}");
        law!("height of the heavy one [m]", run.place(2).y, below(0.2), "it sinks", "{method}");
    }
    Ok(())
}

#[test]
fn a_light_box_leaves_what_it_stands_on() -> Result<()> {
    // A narrow foot, so that water below the box lifts it: what stands flat on the ground has none below and is pressed
    // down.
    let foot = (None, [0.02, 0.06, 1.0], [0.0, 0.03, 0.0]);
    for (density, method) in [(50.0, "volume-particles"), (200.0, "volume-particles"), (50.0, "density-map")]
    {
        let blocks = [foot, (Some(density), [0.14, 0.14, 1.0], [0.0, 0.13, 0.0])];
        let mut run = pressed(method, "dfsph", &blocks).start()?;
        let [most, _] = energies(&mut run, method)?;
        law!("height [m]", run.place(2).y, above(0.4), "what is light rises", "{method}, {density} kg/m³");
        seen!("most kinetic energy [J]", most, below(40.0), 16.0..=23.0, "{method}, {density} kg/m³");
    }
    Ok(())
}

#[test]
fn the_number_of_threads_does_not_matter_where_bodies_press() -> Result<()> {
    let light = [0.1, 0.1, 1.0];
    let blocks = [
        (Some(LIGHT), light, [-0.1, 0.06, 0.0]),
        (Some(LIGHT), light, [0.1, 0.05, 0.0]),
        (Some(HEAVY), [0.32, 0.1, 1.0], [0.0, 0.17, 0.0]),
        (Some(300.0), light, [0.25, 0.06, 0.0]),
    ];
    let tank = pressed("volume-particles", "dfsph", &blocks);
    let end = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let mut run = tank.start()?;
            run.steps(80)?;
            run.hash()
        })
    };
    assert_eq!(end(1)?, end(3)?);
    Ok(())
}

mod slow {
    use super::*;

    #[test]
    fn heavy_blocks_settle_on_the_ground() -> Result<()> {
        // With direct forcing, DFSPH and IISPH threw the second one out of the tank.
        for method in METHODS {
            for solver in ["dfsph", "wcsph", "iisph"] {
                for block in [Sinking::FLAT, Sinking::TURNED] {
                    block.settles(block.in_the_plane(method, solver)?, 1.2, &format!("{method} {solver}"))?;
                }
            }
        }
        Ok(())
    }

    #[test]
    fn heavy_blocks_settle_on_the_ground_in_space() -> Result<()> {
        let all = METHODS.map(|method| (method, "dfsph"));
        // IISPH threw it by 275 spacings.
        for (method, solver) in all.into_iter().chain([("direct-forcing", "iisph")]) {
            let block = Sinking::IN_SPACE;
            block.settles(block.in_space(method, solver)?, 0.8, &format!("in space, {method} {solver}"))?;
        }
        Ok(())
    }

    #[test]
    fn a_light_box_that_is_pressed_rests_in_space() -> Result<()> {
        let light = |height: f64| Body::cuboid([0.12, 0.1, 0.12]).at([0.0, height, 0.0]).free(LIGHT);
        let plate = Body::cuboid([0.2, 0.06, 0.2]).at([0.0, 0.21, 0.0]);
        let heavy = Body::cuboid([0.12, 0.1, 0.12]).at([0.0, 0.15, 0.0]).free(HEAVY);
        // Before, the first made 4.3 J, and two thirds of it when it hit the plate again.
        for (name, low, high) in [("below a plate", light(0.13), plate), ("below a box", light(0.05), heavy)]
        {
            let tank = Tank::space(SPACING).width(0.32).height(2.0).depth(0.32).carved();
            let mut run = tank.felt_by("volume-particles").with(low).with(high).start()?;
            let energy = run.most_kinetic_energy(0.4)?;
            law!("escaped", run.escaped() as f64, exactly(0.0), "walls are tight", "{name}");
            seen!("most kinetic energy [J]", energy, below(0.5), 0.21..=0.23, "{name}");
        }
        Ok(())
    }
}
