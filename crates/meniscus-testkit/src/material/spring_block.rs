//! A block of point masses and springs: the smallest solid that is not rigid.

use super::springs::{Spring, Springs};
use glam::{DMat3, DVec3};
use meniscus_core::{
    BodyId, Carrier, DeformingMotion, Kinematics, Loading, Loads, Mobility, MotionChange, MovingSurface,
    SolidEngine, SolidError, SolidMotion, SolidReport, SolidRow, Solids, StepContext,
};
use std::collections::BTreeSet;

/// A block of cubic cells with a point mass at each corner and a spring between any two corners of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockParams {
    /// Cells along each axis.
    pub cells: [u32; 3],
    /// Edge of a cell `[m]`.
    pub edge: f64,
    /// Centre of the block `[m]`.
    pub centre: DVec3,
    /// Mass of the block, the same for all points `[kg]`.
    pub mass: f64,
    /// Stiffness of each spring `[N/m]`.
    pub stiffness: f64,
    /// `[m/s²]`
    pub gravity: DVec3,
}

/// One deformable body.
#[derive(Debug, Clone)]
pub struct SpringBlock {
    springs: Springs,
    gravity: DVec3,
    triangle: Vec<[u32; 3]>,
    position: Vec<DVec3>,
    velocity: Vec<DVec3>,
    /// Positions and velocities before the last step.
    before: Option<(Vec<DVec3>, Vec<DVec3>)>,
    /// Of the step that is being foreseen `[s]`.
    dt: f64,
}

impl SpringBlock {
    /// The block at rest.
    #[must_use]
    pub fn new(params: &BlockParams) -> Self {
        let BlockParams { cells, edge, centre, mass, stiffness, gravity } = *params;
        let points = cells.map(|n| n + 1);
        let corner = |[x, y, z]: [u32; 3]| (z * points[1] + y) * points[0] + x;
        let half = 0.5 * DVec3::from(cells.map(f64::from));
        let position: Vec<DVec3> =
            lattice(points).map(|place| centre + edge * (DVec3::from(place.map(f64::from)) - half)).collect();
        let mut pairs = BTreeSet::new();
        for [x, y, z] in lattice(cells) {
            let corners: Vec<u32> = lattice([2; 3]).map(|[a, b, c]| corner([x + a, y + b, z + c])).collect();
            pairs.extend(corners.iter().flat_map(|a| corners.iter().map(move |b| [*a, *b])));
        }
        let spring = |ends: [u32; 2]| {
            let length = position[ends[0] as usize].distance(position[ends[1] as usize]);
            Spring { ends, length, stiffness }
        };
        let spring = pairs.into_iter().filter(|[a, b]| a < b).map(spring).collect();
        let springs = Springs { mass: vec![mass / position.len() as f64; position.len()], spring };
        let velocity = vec![DVec3::ZERO; position.len()];
        Self { springs, gravity, triangle: skin(cells, corner), position, velocity, before: None, dt: 0.0 }
    }

    /// The block with all of it moving at `velocity` `[m/s]`.
    #[must_use]
    pub fn thrown(mut self, velocity: DVec3) -> Self {
        self.velocity.fill(velocity);
        self
    }

    /// Where its points are `[m]`.
    #[must_use]
    pub fn position(&self) -> &[DVec3] {
        &self.position
    }

    /// How far it is from its shape at rest: the largest relative change of a distance within a cell `[1]`.
    #[must_use]
    pub fn strain(&self) -> f64 {
        self.springs.strain(&self.position)
    }

    /// Its surface as it is now, moving as it does.
    #[must_use]
    pub fn surface(&self) -> MovingSurface {
        let Self { position, velocity, triangle, .. } = self;
        MovingSurface {
            position: position.clone(),
            velocity: velocity.clone(),
            triangle: triangle.clone(),
            thickness: 0.0,
        }
    }

    fn show(&self, motion: &mut SolidMotion, dt: f64) {
        *motion = SolidMotion::Deforming(DeformingMotion { surface: self.surface(), dt, present: true });
    }

    fn change(&self, loads: &Loads, dt: f64) -> Vec<DVec3> {
        self.springs.change([&self.position, &self.velocity], self.gravity, &loads.node[0], dt)
    }
}

/// The places of a lattice, x fastest.
fn lattice(count: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [nx, ny, nz] = count;
    (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
}

/// The triangles of a block's surface, counter-clockwise for a viewer outside.
fn skin(cells: [u32; 3], corner: impl Fn([u32; 3]) -> u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (level, outward) in [(0, false), (cells[axis], true)] {
            for (a, b) in (0..cells[u]).flat_map(|a| (0..cells[v]).map(move |b| (a, b))) {
                let at = |da: u32, db: u32| {
                    let mut place = [0; 3];
                    (place[axis], place[u], place[v]) = (level, a + da, b + db);
                    corner(place)
                };
                for [p, q, r] in [[at(0, 0), at(1, 0), at(1, 1)], [at(0, 0), at(1, 1), at(0, 1)]] {
                    triangles.push(if outward { [p, q, r] } else { [p, r, q] });
                }
            }
        }
    }
    triangles
}

impl Solids for SpringBlock {
    fn count(&self) -> usize {
        1
    }

    fn loading(&self, _body: BodyId) -> Loading {
        Loading::Nodes(self.position.len() as u32)
    }

    fn kinematics(&self, _body: BodyId) -> Option<Kinematics> {
        None
    }

    fn speed(&self, _body: BodyId) -> f64 {
        self.velocity.iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        for motion in motion {
            self.show(motion, 0.0);
        }
    }

    fn carriers(&self, body: BodyId, list: &mut Vec<Carrier>) {
        let points = (0..).zip(&self.position).zip(&self.springs.mass);
        list.extend(points.map(|((node, &centre), mass)| {
            let linear = DMat3::from_diagonal(DVec3::splat(1.0 / mass));
            Carrier { body, node: Some(node), centre, mobility: Mobility { linear, ..Mobility::default() } }
        }));
    }

    fn begin_response(&mut self, dt: f64) {
        self.dt = dt;
    }

    fn respond(&mut self, loads: &Loads, change: &mut MotionChange) {
        change.node[0] = self.change(loads, self.dt);
    }
}

impl SolidEngine for SpringBlock {
    fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]) {
        for motion in motion {
            self.show(motion, step.dt);
        }
    }

    fn advance(&mut self, step: &StepContext, loads: &Loads) -> Result<SolidReport, SolidError> {
        let change = self.change(loads, step.dt);
        let velocity: Vec<DVec3> =
            self.velocity.iter().zip(&change).map(|(v, change)| *v + *change).collect();
        let position: Vec<DVec3> =
            self.position.iter().zip(&velocity).map(|(x, v)| *x + step.dt * *v).collect();
        if !velocity.iter().chain(&position).all(|x| x.is_finite()) {
            return Err(SolidError::NotFinite { body: BodyId(0), name: "the block".to_owned() });
        }
        let position = std::mem::replace(&mut self.position, position);
        self.before = Some((position, std::mem::replace(&mut self.velocity, velocity)));
        Ok(SolidReport { substeps: 1, ..SolidReport::default() })
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        let nothing = || SolidError::State("there is no step to undo".to_owned());
        (self.position, self.velocity) = self.before.take().ok_or_else(nothing)?;
        Ok(())
    }

    fn row(&self, gravity: DVec3) -> SolidRow {
        let mut row = SolidRow::default();
        for ((mass, x), v) in self.springs.mass.iter().zip(&self.position).zip(&self.velocity) {
            row.kinetic_energy += 0.5 * mass * v.length_squared();
            row.potential_energy -= mass * gravity.dot(*x);
            row.momentum += *mass * *v;
            row.angular_momentum += x.cross(*mass * *v);
        }
        row
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), SolidError> {
        let numbers = self.position.iter().chain(&self.velocity).flat_map(DVec3::to_array);
        bytes.extend(numbers.flat_map(f64::to_le_bytes));
        Ok(())
    }

    fn restore(&mut self, _time: f64, bytes: &[u8]) -> Result<(), SolidError> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let (vectors, odd) = numbers.as_chunks::<3>();
        let count = self.position.len();
        let whole = rest.is_empty() && odd.is_empty() && vectors.len() == 2 * count;
        if !whole || !numbers.iter().all(|x| x.is_finite()) {
            return Err(SolidError::State("its bytes are not those of this block".to_owned()));
        }
        let vectors: Vec<DVec3> = vectors.iter().map(|x| DVec3::from(*x)).collect();
        self.position.copy_from_slice(&vectors[..count]);
        self.velocity.copy_from_slice(&vectors[count..]);
        Ok(())
    }
}
