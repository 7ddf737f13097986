//! Figures of a fluid on a grid: energies, momenta, smoke, limits of the step, and what can be seen of it.

use crate::fluid::GridFluid;
use crate::lattice::Site;
use crate::sample::Flow;
use crate::setup::GridSetup;
use crate::state::{Fields, GridTotals};
use glam::DVec3;
use meniscus_core::{BodyId, Kinematics, ParticleFrame, Solids, StepContext, StepDemand, Value, reduce};

/// Thinner smoke is not shown `[1]`.
const VISIBLE: f64 = 1e-3;

impl GridFluid {
    /// Its columns in a series.
    ///
    /// Energy `[J]` and momentum `[kg m/s]` of the fluid; what others than solids have given it so far: sides, forces, sources and
    /// transport `[N s]`; smoke in full cells' volumes `[m^d]`; the largest divergence that the projection left `[1/s]`, found
    /// from the velocities; iterations of the pressure's solve.
    pub const COLUMNS: [&'static str; 10] = [
        "kinetic_energy",
        "momentum_x",
        "momentum_y",
        "momentum_z",
        "outside_impulse_x",
        "outside_impulse_y",
        "outside_impulse_z",
        "smoke",
        "divergence",
        "pressure_iterations",
    ];

    pub(crate) fn row(&self) -> impl Iterator<Item = Value> {
        let Fields { totals, outside, divergence, iterations, .. } = &self.fields;
        let GridTotals { kinetic_energy, momentum, smoke } = totals;
        let [px, py, pz] = momentum.to_array();
        let [ox, oy, oz] = outside.to_array();
        let numbers = [*kinetic_energy, px, py, pz, ox, oy, oz, *smoke, *divergence];
        numbers.map(Value::Number).into_iter().chain([Value::Count(u64::from(*iterations))])
    }

    /// Momentum of the new state: open shares of faces times a cell's mass.
    pub(crate) fn momentum(&self) -> DVec3 {
        let mut momentum = DVec3::ZERO;
        for axis in self.setup.lattice.axes() {
            let (area, velocity) = (&self.cut.area[axis], &self.next.velocity[axis]);
            let sum = reduce::sum(area.len(), |n| f64::from(area[n]) * velocity[n]);
            momentum[axis] = self.setup.cell_mass() * sum;
        }
        momentum
    }

    /// Notes sums of the new state.
    pub(crate) fn measure(&mut self) {
        let (mass, volume) = (self.setup.cell_mass(), self.setup.lattice.cell_volume());
        let energy = |axis: usize| {
            let (area, velocity) = (&self.cut.area[axis], &self.next.velocity[axis]);
            reduce::sum(area.len(), |n| f64::from(area[n]) * velocity[n] * velocity[n])
        };
        let open = &self.cut.open;
        let smoke = reduce::sum(open.len(), |n| f64::from(open[n]) * self.next.smoke[n]);
        self.next.totals = GridTotals {
            kinetic_energy: 0.5 * mass * self.setup.lattice.axes().map(energy).sum::<f64>(),
            momentum: self.momentum(),
            smoke: volume * smoke,
        };
    }

    /// The largest entry of three channels on the faces of cells.
    pub(crate) fn fastest(&self, velocity: &[Vec<f64>; 3]) -> f64 {
        let lattice = &self.setup.lattice;
        let largest = |axis: usize| {
            let range = lattice.face_range(axis);
            let size = lattice.size();
            let rows = size[1] * size[2];
            reduce::by_chunk(
                rows,
                0.0,
                |rows| {
                    let mut largest: f64 = 0.0;
                    for row in rows {
                        if range[1].contains(&(row % size[1])) && range[2].contains(&(row / size[1])) {
                            let first = row * size[0];
                            let values = &velocity[axis][first + range[0].start..first + range[0].end];
                            largest = values.iter().fold(largest, |largest, u| largest.max(u.abs()));
                        }
                    }
                    largest
                },
                f64::max,
            )
        };
        lattice.axes().map(largest).fold(0.0, f64::max)
    }

    /// The largest divergence in cells with fluid `[1/s]`, from the velocities and how walls move.
    pub(crate) fn largest_divergence(&self) -> f64 {
        let (lattice, cut) = (&self.setup.lattice, &self.cut);
        let (stride, velocity) = (lattice.stride(), &self.next.velocity);
        let cells = lattice.cells();
        let first = [1, 1, usize::from(lattice.axes().len() == 3)];
        let largest = reduce::max(cells.iter().product(), 0.0, |cell| {
            let [i, j, k] = [cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1])];
            let n = lattice.index([i + first[0], j + first[1], k + first[2]]);
            let is_open = |axis: usize| cut.area[axis][n] > 0.0 || cut.area[axis][n + stride[axis]] > 0.0;
            if !lattice.axes().any(is_open) {
                return 0.0;
            }
            let net = |axis: usize| cut.flux(axis, n + stride[axis], velocity) - cut.flux(axis, n, velocity);
            lattice.axes().map(net).sum::<f64>().abs()
        });
        largest / lattice.spacing()
    }

    pub(crate) fn step_demand(&self, solids: &dyn Solids, step: &StepContext) -> StepDemand {
        let GridSetup { lattice, sides, buoyancy, acceleration, viscosity, .. } = &self.setup;
        let sides = sides.iter().map(crate::side::GridSide::speed).fold(0.0, f64::max);
        let bodies = (0..solids.count()).map(|body| self.speed_of(body, solids)).fold(0.0, f64::max);
        let speed = self
            .fastest(&self.fields.velocity)
            .max(sides)
            .max(bodies)
            .max(self.sources.speed(step.clock.time));
        let lift = if buoyancy.is_none() {
            0.0
        } else {
            let (smoke, temperature) = (&self.fields.smoke, &self.fields.temperature);
            let gravity = step.gravity.length();
            reduce::max(smoke.len(), 0.0, |n| buoyancy.acceleration(gravity, smoke[n], temperature[n]).abs())
        };
        let stable = crate::viscosity::longest_step(lattice, *viscosity);
        StepDemand { spacing: lattice.spacing(), speed, acceleration: lift + acceleration.length(), stable }
    }

    /// The fastest that any point of a body moves `[m/s]`.
    fn speed_of(&self, body: usize, solids: &dyn Solids) -> f64 {
        let solid = self.setup.bodies.get(body).and_then(|body| body.solid.as_ref());
        let id = BodyId(body as u32);
        let (Some(solid), Some(now), true) = (solid, solids.kinematics(id), solids.is_present(id)) else {
            return 0.0;
        };
        let Kinematics { pose, velocity, angular_velocity } = now;
        let bounds = solid.at(pose).bounds();
        let reach = (bounds.max - pose.translation).abs().max((bounds.min - pose.translation).abs()).length();
        velocity.length() + angular_velocity.length() * reach.min(self.setup.lattice.extent().length())
    }

    /// What of the new state is not a number.
    pub(crate) fn not_finite(&self) -> Option<&'static str> {
        let Fields { velocity, smoke, temperature, pressure, outside, .. } = &self.next;
        let bad = |channel: &[f64]| {
            reduce::by_chunk(
                channel.len(),
                false,
                |n| channel[n].iter().any(|v| !v.is_finite()),
                |a, b| a || b,
            )
        };
        let [u, v, w] = velocity;
        let named = [
            (u, "velocity"),
            (v, "velocity"),
            (w, "velocity"),
            (smoke, "smoke"),
            (temperature, "temperature"),
        ];
        let found = named.into_iter().chain([(pressure, "pressure")]).find(|(channel, _)| bad(channel));
        found.map(|(_, name)| name).or((!outside.is_finite()).then_some("momentum"))
    }

    /// Cells with smoke as particles, in the order of the grid: their middles, velocities, concentrations in place of densities, and
    /// pressures. All cells with fluid if there is no smoke anywhere and no source of it.
    pub(crate) fn visible(&self, index: u32, step: &StepContext) -> ParticleFrame {
        let lattice = &self.setup.lattice;
        let Fields { velocity, smoke, pressure, totals, .. } = &self.fields;
        let everything = totals.smoke <= 0.0 && !self.sources.smokes();
        let flow = Flow { lattice, velocity };
        let mut frame =
            ParticleFrame { index, step: step.clock.step, time: step.clock.time, ..ParticleFrame::default() };
        for (slot, n) in lattice.each(&lattice.cell_range()) {
            if self.cut.open[n] <= 0.0 || (!everything && smoke[n] < VISIBLE) {
                continue;
            }
            frame.id.push(n as u64);
            frame.position.push(lattice.position(Site::Cell, slot));
            frame.velocity.push(flow.at_slot(Site::Cell, n));
            frame.density.push(smoke[n] as f32);
            frame.pressure.push(pressure[n] as f32);
        }
        frame
    }
}
