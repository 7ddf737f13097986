//! The fluid on a grid.

use crate::model::{
    AdvectionSpec, Face, GridPlace, GridSourceSpec, GridSpec, PreconditionerSpec, Scene, SideKind, SideSpec,
    SplittingSpec,
};
use glam::DVec3;
use meniscus_core::{Dimension, Pose};
use meniscus_coupling::Body;
use meniscus_geometry::{OpenFaces, Shape, Side as Matter, Solid};
use meniscus_grid::{
    Advection, Buoyancy, CellLattice, GridBody, GridSetup, GridSide, GridSource, LatticeError,
    Preconditioner, PressureParams, Splitting,
};

/// Lengths that differ from whole cells by less are whole `[1]`.
const ROUNDING: f64 = 1e-6;

/// The grid that a scene asks for.
pub(crate) fn lattice(spec: &GridSpec, dimension: Dimension) -> Result<CellLattice, LatticeError> {
    let cells = [0, 1, 2].map(|axis| {
        let along = (spec.max[axis] - spec.min[axis]) / spec.spacing;
        // Casting stops at the ends of the range.
        (along + ROUNDING).floor().max(0.0) as usize
    });
    CellLattice::new(dimension, cells, spec.spacing, DVec3::from(spec.min))
}

/// The fluid on a grid; nothing if the scene has none, or if the grid cannot be, which checks have reported.
pub(crate) fn build(scene: &Scene, bodies: &[Body]) -> Option<GridSetup> {
    let spec = scene.grid.as_ref()?;
    let lattice = lattice(spec, scene.dimension).ok()?;
    let is_viscous = spec.viscosity > 0.0;
    let mut sides = [GridSide::Wall { velocity: DVec3::ZERO, slip: !is_viscous }; 6];
    for given in &spec.sides {
        sides[place(given.face)] = side(given, is_viscous);
    }
    let friction = spec.friction.unwrap_or(if is_viscous { 1.0 } else { 0.0 });
    let felt = |body: &Body| GridBody { solid: Some(body.solid.clone()), friction };
    Some(GridSetup {
        lattice,
        sides,
        density: spec.density,
        viscosity: spec.viscosity,
        advection: match spec.advection {
            AdvectionSpec::MacCormack => Advection::MacCormack,
            AdvectionSpec::SemiLagrangian => Advection::SemiLagrangian,
        },
        splitting: match spec.splitting {
            SplittingSpec::Reflection => Splitting::Reflection,
            SplittingSpec::Projection => Splitting::Projection,
        },
        pressure: PressureParams {
            preconditioner: match spec.pressure.preconditioner {
                PreconditionerSpec::Multigrid => Preconditioner::Multigrid,
                PreconditionerSpec::IncompleteCholesky => Preconditioner::IncompleteCholesky,
            },
            tolerance: spec.pressure.tolerance,
            max_iterations: spec.pressure.max_iterations,
            accept_unconverged: spec.pressure.accept_unconverged,
        },
        buoyancy: Buoyancy { weight: spec.buoyancy.weight, expansion: spec.buoyancy.expansion },
        confinement: spec.confinement,
        acceleration: spec.acceleration.into(),
        velocity: spec.velocity.into(),
        sources: spec.sources.iter().map(source).collect(),
        bodies: bodies.iter().map(felt).collect(),
    })
}

/// Which side of the box a face is, in the order −x, +x, −y, +y, −z, +z.
pub(crate) fn place(face: Face) -> usize {
    match face {
        Face::NegX => 0,
        Face::PosX => 1,
        Face::NegY => 2,
        Face::PosY => 3,
        Face::NegZ => 4,
        Face::PosZ => 5,
    }
}

fn side(given: &SideSpec, is_viscous: bool) -> GridSide {
    let velocity = given.velocity.into();
    match given.kind {
        SideKind::Wall => GridSide::Wall { velocity, slip: given.slip.unwrap_or(!is_viscous) },
        SideKind::Open => GridSide::Open,
        SideKind::Inflow => GridSide::Inflow { velocity, smoke: given.smoke, temperature: given.temperature },
    }
}

fn source(given: &GridSourceSpec) -> GridSource {
    let (shape, centre) = match &given.place {
        GridPlace::Box(volume) => {
            let (min, max) = (DVec3::from(volume.min), DVec3::from(volume.max));
            (Shape::Box { size: max - min, open: OpenFaces::NONE }, 0.5 * (min + max))
        }
        GridPlace::Sphere(ball) => (Shape::Sphere { radius: ball.radius }, ball.center.into()),
    };
    GridSource {
        place: Solid { shape, pose: Pose::at(centre), side: Matter::Solid },
        smoke: given.smoke,
        temperature: given.temperature,
        velocity: given.velocity.map(DVec3::from),
        start: given.start,
        end: given.stop.unwrap_or(f64::INFINITY),
    }
}
