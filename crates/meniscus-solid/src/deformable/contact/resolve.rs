//! The sequence: repulsions, collisions in passes, impact zones.

use glam::DVec3;
use meniscus_geometry::collision::SweptTree;

use super::carrier::{BodyMotion, Carriers};
use super::constraint::Constraint;
use super::detect::{self, Hit, Near};
use super::zone::Zones;
use super::{ContactError, ContactParams, ContactReport, ContactSurface};

/// Sweeps end when no gap moves by more than this part of its thickness `[1]`.
const SETTLED: f64 = 2e-2;
/// Most searches with impact zones `[1]`. Each makes zones larger, until at worst everything is in one.
const ZONE_PASSES: u32 = 200;

/// Resolves the contacts of a surface, step after step.
#[derive(Debug, Clone)]
pub struct ContactSolver {
    tree: SweptTree,
    params: ContactParams,
    constraint: Vec<Constraint>,
    near: Vec<Vec<Near>>,
    hit: Vec<Vec<Hit>>,
    zones: Zones,
    changed: Vec<bool>,
    before: Vec<DVec3>,
}

impl ContactSolver {
    /// Sorts a surface where it is now.
    #[must_use]
    pub fn new(surface: &ContactSurface, position: &[DVec3], params: ContactParams) -> Self {
        Self {
            tree: SweptTree::new(&surface.surface, position, &surface.set),
            params,
            constraint: Vec::new(),
            near: Vec::new(),
            hit: Vec::new(),
            zones: Zones::default(),
            changed: Vec::new(),
            before: Vec::new(),
        }
    }

    /// Moves the ends of a step so that nothing meets on the way from `start` to `end`, each vertex in a straight line.
    /// Nothing may meet at the start.
    ///
    /// `end` has to have the ends of vertices of bodies as [`BodyMotion::carry`] gives them, and has them afterwards.
    /// The change of an end over the length of the step is the change of velocity.
    ///
    /// # Errors
    /// If something meets at the start, if something is caught between what is held, or if the input makes no sense;
    /// `end` and `bodies` are then of no use.
    pub fn resolve(
        &mut self,
        surface: &ContactSurface,
        start: &[DVec3],
        end: &mut [DVec3],
        bodies: &mut [BodyMotion],
    ) -> Result<ContactReport, ContactError> {
        surface.check([start.len(), end.len()], bodies.len())?;
        for (vertex, (from, to)) in start.iter().zip(&*end).enumerate() {
            if !(from.is_finite() && to.is_finite()) {
                return Err(ContactError::NotFinite { vertex: vertex as u32 });
            }
        }
        let mut carriers = Carriers { of: surface, start, end, bodies };
        let mut report = ContactReport::default();
        self.constraint.clear();
        self.zones.clear(start.len(), carriers.bodies.len());
        self.repel(&mut carriers, &mut report);
        self.changed.clear();
        self.changed.resize(start.len(), true);
        while report.passes < self.params.passes {
            if !self.search(&carriers, &mut report)? {
                return Ok(report);
            }
            self.collide(&mut carriers);
        }
        self.make_zones(&mut carriers, &mut report)?;
        Ok(report)
    }

    /// Pushes pairs apart that are within their thickness.
    fn repel(&mut self, carriers: &mut Carriers<'_>, report: &mut ContactReport) {
        let reach = &carriers.of.reach;
        self.tree.refit(carriers.start, carriers.start, |v| reach[v]);
        self.tree.activate(|_| true);
        detect::near(&self.tree, carriers, &mut self.near);
        for near in self.near.iter().flatten() {
            let Near { pair, distance, thickness } = *near;
            let gap = distance.distance + self.params.recovery * (thickness - distance.distance);
            let new = Constraint::new(carriers, pair, distance.weight, distance.normal, gap);
            self.constraint.extend(new);
        }
        report.repulsions = self.constraint.len();
        self.sweep(carriers);
    }

    /// Looks for pairs that meet; whether there are any.
    fn search(&mut self, carriers: &Carriers<'_>, report: &mut ContactReport) -> Result<bool, ContactError> {
        report.passes += 1;
        let part = self.params.separation;
        let reach = &carriers.of.reach;
        // Twice as far as necessary, so that the rounding of ends does not matter.
        self.tree.refit(carriers.start, carriers.end, |v| 2.0 * part * reach[v]);
        self.tree.activate(|v| self.changed[v]);
        detect::hits(&self.tree, carriers, &self.params, &self.zones.of, &self.changed, &mut self.hit);
        self.changed.fill(false);
        let mut found = 0;
        for hit in self.hit.iter().flatten() {
            found += 1;
            if hit.touching {
                return Err(ContactError::Touching { place: carriers.start[hit.pair.vertex[0] as usize] });
            }
        }
        report.collisions += found;
        Ok(found > 0)
    }

    /// Pushes the pairs apart that were found, together with all found before.
    fn collide(&mut self, carriers: &mut Carriers<'_>) {
        for hit in self.hit.iter().flatten() {
            let gap = wanted_gap(hit, self.params.recovery);
            let new = Constraint::new(carriers, hit.pair, hit.distance.weight, hit.distance.normal, gap);
            // One that was found before stays on the list, as its push has been made; the pair meets in another
            // direction now.
            self.constraint.extend(new);
        }
        self.sweep(carriers);
    }

    fn sweep(&mut self, carriers: &mut Carriers<'_>) {
        self.before.clear();
        self.before.extend_from_slice(carriers.end);
        for _ in 0..self.params.sweeps {
            let mut moved = 0.0f64;
            for constraint in &mut self.constraint {
                moved = moved.max(constraint.relax(carriers));
            }
            if moved < SETTLED * carriers.of.reach.iter().copied().fold(0.0, f64::max) {
                break;
            }
        }
        carriers.settle();
        self.note_changes(carriers);
    }

    fn note_changes(&mut self, carriers: &Carriers<'_>) {
        self.changed.resize(carriers.end.len(), true);
        for ((changed, before), end) in self.changed.iter_mut().zip(&self.before).zip(&*carriers.end) {
            *changed |= before != end;
        }
    }

    /// Makes zones of what meets, until nothing does.
    fn make_zones(
        &mut self,
        carriers: &mut Carriers<'_>,
        report: &mut ContactReport,
    ) -> Result<(), ContactError> {
        for _ in 0..ZONE_PASSES {
            if !self.search(carriers, report)? {
                (report.zones, report.zone_members) = self.zones.count();
                return Ok(());
            }
            let mut least = f64::INFINITY;
            for hit in self.hit.iter().flatten() {
                self.zones.join(carriers, &hit.pair);
                least = least.min(hit.separation);
            }
            self.zones.settle(carriers);
            self.before.clear();
            self.before.extend_from_slice(carriers.end);
            self.zones.carry(carriers, least)?;
            carriers.settle();
            self.note_changes(carriers);
        }
        let place = self
            .hit
            .iter()
            .flatten()
            .next()
            .map_or(DVec3::ZERO, |h| carriers.start[h.pair.vertex[0] as usize]);
        Err(ContactError::Caught { place })
    }
}

/// The gap at which a pair that would meet is to end: where it started, but not beyond its thickness; a little wider if
/// that is no more than the separation.
fn wanted_gap(hit: &Hit, recovery: f64) -> f64 {
    let kept = hit.before.min(hit.thickness);
    kept.max(hit.separation) + recovery * hit.separation
}
