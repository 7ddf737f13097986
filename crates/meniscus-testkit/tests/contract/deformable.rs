//! A solid that is not rigid, in SPH water: it floats as deep as Archimedes says, and stays whole.

use glam::DVec3;
use meniscus_core::{BodyId, Clock, Kinematics, MovingSurface, Pose, SolidMotion, Solids, StepContext};
use meniscus_coupling::{Setup, Simulation, SolidSet};
use meniscus_geometry::TriangleMesh;
use meniscus_solid::ScriptedBodies;
use meniscus_sph::SphFluid;
use meniscus_testkit::material::{BlockParams, SpringBlock, skin};
use meniscus_testkit::{GRAVITY, Result, Tank, WATER, below, between, exactly, law, near, seen};

/// Of the block's cells, two by one by two `[m]`.
const EDGE: f64 = 0.08;
/// Room around the block, and depth of the water `[m]`.
const AROUND: f64 = 0.08;
const DEPTH: f64 = 0.2;
/// The block is half as heavy as water `[1]`.
const RATIO: f64 = 0.5;
/// Stiffness of its springs `[N/m]`.
const STIFFNESS: f64 = 1e3;
const BLOCK: BodyId = BodyId(1);

/// A block in a tank.
struct Float {
    simulation: Simulation,
    /// Of a particle, and of the block `[kg]`.
    mass: [f64; 2],
    /// The size of the block as the water feels it, and the width of the tank `[m]`.
    size: DVec3,
    width: f64,
    spacing: f64,
}

impl Float {
    /// It starts with this much of its height under water, a whole number of spacings `[m]`.
    fn new(spacing: f64, draft: f64, step: f64) -> Result<Self> {
        let size = EDGE * DVec3::new(2.0, 1.0, 2.0) + spacing;
        let centre = DVec3::Y * (DEPTH - draft + 0.5 * size.y);
        let mass = RATIO * WATER * size.element_product();
        let (stiffness, gravity) = (STIFFNESS, -GRAVITY * DVec3::Y);
        let block =
            SpringBlock::new(&BlockParams { cells: [2, 1, 2], edge: EDGE, centre, mass, stiffness, gravity });

        let width = size.x + 2.0 * AROUND;
        let mut setup = Tank::space(spacing).width(width).depth(DEPTH).longest_step(step).setup()?;
        setup.sph.initial.retain(|(x, _)| (*x - centre).abs().cmpgt(0.5 * size).any());
        std::sync::Arc::make_mut(&mut setup.sph.samples).push(skin::samples(
            BLOCK,
            &block.surface(),
            &setup.sph.fluid,
        )?);
        setup.sph.walls.push(skin::wall());

        let mut solids = SolidSet::of(Box::new(ScriptedBodies::new(vec![(
            setup.bodies[0].motion.clone(),
            setup.bodies[0].solid.pose,
        )])));
        solids.add(Box::new(block));
        let mass = [setup.sph.fluid.mass(), mass];
        let simulation = with_water(setup, solids)?;
        Ok(Self { simulation, mass, size, width, spacing })
    }

    fn surface(&self) -> MovingSurface {
        let solids = self.simulation.solids();
        let mut motion = vec![SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY)); solids.count()];
        solids.pause(&mut motion);
        match motion.pop() {
            Some(SolidMotion::Deforming(motion)) => motion.surface,
            _ => MovingSurface::default(),
        }
    }

    /// Height of the block's centre `[m]`.
    fn height(&self) -> f64 {
        let position = self.surface().position;
        position.iter().map(|x| x.y).sum::<f64>() / position.len() as f64
    }

    /// The same where it displaces its weight and the water is level `[m]`.
    fn archimedes(&self) -> f64 {
        let [particle, block] = self.mass;
        let water = self.simulation.particles().len() as f64 * particle;
        let level = (water + block) / WATER / (self.width * self.width);
        level - block / (WATER * self.size.x * self.size.z) + 0.5 * self.size.y
    }

    /// Momentum of all that moves `[kg m/s]`.
    fn momentum(&self) -> DVec3 {
        let solids = self.simulation.solids().row(DVec3::NEG_Y * GRAVITY);
        self.simulation.fluid_sums().momentum + solids.momentum
    }

    /// Particles between the block's points.
    fn swallowed(&self) -> usize {
        let position = self.surface().position;
        let low = position.iter().copied().reduce(DVec3::min).unwrap_or_default() + 0.5 * self.spacing;
        let high = position.iter().copied().reduce(DVec3::max).unwrap_or_default() - 0.5 * self.spacing;
        let inside = |x: &&DVec3| x.cmpgt(low).all() && x.cmplt(high).all();
        self.simulation.particles().position.iter().filter(inside).count()
    }
}

/// SPH water around solids of any kind.
pub fn with_water(setup: Setup, solids: SolidSet) -> Result<Simulation> {
    let step = StepContext::new(Clock::default(), setup.gravity, setup.dimension, setup.step);
    let fluid = SphFluid::new(setup.sph.clone(), &solids, &step)?;
    Ok(Simulation::of(setup, vec![Box::new(fluid)], solids))
}

/// What is measured of it.
#[derive(Debug, Default)]
struct Measured {
    /// How far its mean height is above that of Archimedes `[m]`.
    high: f64,
    /// Largest relative change of a distance within it `[1]`.
    strain: f64,
    /// Largest gap in the balance of momentum, over the impulse of gravity `[1]`.
    gap: f64,
    /// Fastest that it moved in the second half `[m/s]`.
    speed: f64,
}

/// Lets it float until `end` `[s]`; its height is the mean over the last half of that.
fn float(float: &mut Float, end: f64) -> Result<Measured> {
    let rest = float.surface();
    let strain = |surface: &MovingSurface| {
        let pairs = surface.triangle.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let length = |x: &[DVec3], [a, b]: [u32; 2]| x[a as usize].distance(x[b as usize]);
        pairs
            .map(|pair| (length(&surface.position, pair) / length(&rest.position, pair) - 1.0).abs())
            .fold(0.0, f64::max)
    };
    let (mut measured, mut heights, mut time) = (Measured::default(), 0.0, 0.0);
    let (start, mut impulse, mut pulled) = (float.momentum(), DVec3::ZERO, 0.0);
    while float.simulation.time() < end {
        let particles = float.simulation.particles().len() as f64;
        let dt = float.simulation.step()?.dt;
        let weight = (particles * float.mass[0] + float.mass[1]) * GRAVITY * dt;
        pulled += weight;
        impulse += DVec3::NEG_Y * weight - float.simulation.load(0).impulse;
        let surface = float.surface();
        measured.gap = measured.gap.max((float.momentum() - start - impulse).length() / pulled);
        measured.strain = measured.strain.max(strain(&surface));
        if float.simulation.time() > 0.5 * end {
            heights += dt * float.height();
            time += dt;
            measured.speed = surface.velocity.iter().map(|v| v.length()).fold(measured.speed, f64::max);
        }
    }
    measured.high = heights / time - float.archimedes();
    Ok(measured)
}

#[test]
fn a_block_of_springs_floats_as_deep_as_archimedes_says_and_stays_whole() -> Result<()> {
    // The steps that the motion allows are about 4 ms here.
    for (spacing, step) in [(0.02, f64::INFINITY), (0.02, 2e-3), (0.04 / 3.0, f64::INFINITY)] {
        // Too deep by half of its draft, it comes up and settles.
        let mut block = Float::new(spacing, 0.08, step.min(1.0))?;
        let found = float(&mut block, 3.0)?;
        // It is 0.08 to 0.13 spacings too deep, with steps of 1 to 4 ms and spacings of 20, 13 and 10 mm.
        let why = "a floating body displaces its weight; samples know where they end to a part of a spacing";
        law!("height over Archimedes [spacings]", found.high / spacing, near(0.0, 0.25), why, "{spacing} m");
        law!("gap of momentum", found.gap, below(1e-6), "what water loses solids receive", "{spacing} m");
        let why = "its weight presses it together by about one percent";
        law!("strain", found.strain, between(0.003, 0.03), why, "{spacing} m");
        law!("particles in it", block.swallowed() as f64, exactly(0.0), "its skin is tight", "{spacing} m");
        seen!("speed in the end [m/s]", found.speed, below(0.08), 0.016..=0.028, "{spacing} m");
    }
    Ok(())
}

#[test]
fn a_block_has_a_closed_skin_that_faces_outwards() {
    let params = BlockParams {
        cells: [3, 1, 2],
        edge: 0.5,
        centre: DVec3::new(1.0, -2.0, 3.0),
        mass: 3.0,
        stiffness: 10.0,
        gravity: DVec3::ZERO,
    };
    let surface = SpringBlock::new(&params).surface();
    let mesh = TriangleMesh { vertex: surface.position, triangle: surface.triangle };
    assert!((mesh.volume() - 6.0 * 0.125).abs() < 1e-12, "{}", mesh.volume());
}

#[test]
fn a_floating_block_has_the_same_bits_on_one_and_on_three_threads() -> Result<()> {
    let hash = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let mut block = Float::new(0.02, 0.08, 1.0)?;
            (0..40).try_for_each(|_| block.simulation.step().map(drop))?;
            Ok::<_, anyhow::Error>(block.simulation.state()?.hash())
        })
    };
    assert_eq!(hash(1)?, hash(3)?);
    Ok(())
}
