//! Deformable bodies behind the seam of solids.

use super::body::DeformableBody;
use glam::{DMat3, DVec3};
use meniscus_core::{
    BodyId, Carrier, DeformationRow, DeformingMotion, Kinematics, Loading, Loads, Mobility, MotionChange,
    MovingSurface, SolidEngine, SolidError, SolidMotion, SolidReport, SolidRow, Solids, StepContext,
};

/// An engine of deformable bodies, which do not meet each other.
#[derive(Debug, Clone)]
pub struct DeformableSolids {
    body: Vec<DeformableBody>,
    gravity: DVec3,
    /// Of the step that is being foreseen `[s]`.
    dt: f64,
    undoable: bool,
}

impl DeformableSolids {
    /// Bodies in a field of gravity `[m/s²]`.
    #[must_use]
    pub fn new(body: Vec<DeformableBody>, gravity: DVec3) -> Self {
        Self { body, gravity, dt: 0.0, undoable: false }
    }

    /// The bodies.
    #[must_use]
    pub fn bodies(&self) -> &[DeformableBody] {
        &self.body
    }

    fn show(&self, motion: &mut [SolidMotion], dt: f64) {
        for (motion, body) in motion.iter_mut().zip(&self.body) {
            let surface = MovingSurface {
                position: body.position().to_vec(),
                velocity: body.velocity().to_vec(),
                triangle: body.surface().to_vec(),
                thickness: body.thickness(),
            };
            *motion = SolidMotion::Deforming(DeformingMotion { surface, dt, present: true });
        }
    }
}

impl Solids for DeformableSolids {
    fn count(&self) -> usize {
        self.body.len()
    }

    fn loading(&self, body: BodyId) -> Loading {
        Loading::Nodes(self.body[body.index()].position().len() as u32)
    }

    fn kinematics(&self, _body: BodyId) -> Option<Kinematics> {
        None
    }

    fn speed(&self, body: BodyId) -> f64 {
        self.body[body.index()].velocity().iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        self.show(motion, 0.0);
    }

    fn carriers(&self, body: BodyId, list: &mut Vec<Carrier>) {
        let own = &self.body[body.index()];
        let nodes = (0..).zip(own.position()).zip(own.mobility());
        list.extend(nodes.map(|((node, &centre), mobility)| {
            let linear = DMat3::from_diagonal(mobility);
            Carrier { body, node: Some(node), centre, mobility: Mobility { linear, ..Mobility::default() } }
        }));
    }

    fn begin_response(&mut self, dt: f64) {
        self.dt = dt;
        self.body.iter_mut().for_each(|body| body.begin_response(dt, self.gravity));
    }

    fn respond(&mut self, loads: &Loads, change: &mut MotionChange) {
        for ((body, impulse), change) in self.body.iter_mut().zip(&loads.node).zip(&mut change.node) {
            body.respond(self.dt, self.gravity, impulse, change);
        }
    }
}

impl SolidEngine for DeformableSolids {
    fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]) {
        self.show(motion, step.dt);
    }

    fn advance(&mut self, step: &StepContext, loads: &Loads) -> Result<SolidReport, SolidError> {
        let mut report = SolidReport::default();
        for k in 0..self.body.len() {
            match self.body[k].advance(step.end, self.gravity, &loads.node[k]) {
                Ok(substeps) => report.substeps = report.substeps.max(substeps),
                Err(error) => {
                    self.body[..k].iter_mut().for_each(DeformableBody::undo);
                    return Err(error);
                }
            }
        }
        self.undoable = true;
        Ok(report)
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        if !std::mem::take(&mut self.undoable) {
            return Err(SolidError::State("there is no step to undo".to_owned()));
        }
        self.body.iter_mut().for_each(DeformableBody::undo);
        Ok(())
    }

    fn row(&self, gravity: DVec3) -> SolidRow {
        let mut row = SolidRow::default();
        for body in &self.body {
            row.kinetic_energy += body.energies().kinetic;
            for ((mass, x), v) in body.mass().iter().zip(body.position()).zip(body.velocity()) {
                row.potential_energy -= mass * gravity.dot(*x);
                row.momentum += *mass * *v;
                row.angular_momentum += x.cross(*mass * *v);
            }
        }
        row
    }

    fn deformation(&self) -> Option<DeformationRow> {
        let mut row = DeformationRow::default();
        for body in &self.body {
            let energies = body.energies();
            row.elastic_energy += energies.elastic;
            row.bending_energy += energies.bending;
            row.largest_stretch = row.largest_stretch.max(body.stretch());
        }
        Some(row)
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), SolidError> {
        for body in &self.body {
            let numbers = body.position().iter().chain(body.velocity()).flat_map(DVec3::to_array);
            bytes.extend(numbers.flat_map(f64::to_le_bytes));
        }
        Ok(())
    }

    fn restore(&mut self, time: f64, bytes: &[u8]) -> Result<(), SolidError> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let (vectors, odd) = numbers.as_chunks::<3>();
        let nodes: usize = self.body.iter().map(|body| body.position().len()).sum();
        let whole = rest.is_empty() && odd.is_empty() && vectors.len() == 2 * nodes;
        if !whole || !numbers.iter().all(|x| x.is_finite()) {
            return Err(SolidError::State("its bytes are not those of these deformable bodies".to_owned()));
        }
        let vectors: Vec<DVec3> = vectors.iter().map(|x| DVec3::from(*x)).collect();
        let mut left = &vectors[..];
        for body in &mut self.body {
            let (position, others) = left.split_at(body.position().len());
            let (velocity, others) = others.split_at(position.len());
            body.continue_from(position, velocity, time);
            left = others;
        }
        Ok(())
    }
}
