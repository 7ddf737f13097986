//! Sources and drains: places where smoke, warmth or a velocity are given.

use crate::lattice::{CellLattice, Site};
use crate::state::Fields;
use glam::DVec3;
use meniscus_geometry::Solid;

/// A place where values are given while it is open. A drain is one that gives no smoke and no warmth.
#[derive(Debug, Clone)]
pub struct GridSource {
    /// The place; its matter is where values are given.
    pub place: Solid,
    /// Concentration of smoke, if it is given `[1]`.
    pub smoke: Option<f64>,
    /// How much warmer than around the box, if that is given `[K]`.
    pub temperature: Option<f64>,
    /// Velocity of the fluid, if it is given `[m/s]`.
    pub velocity: Option<DVec3>,
    /// When it opens `[s]`.
    pub start: f64,
    /// When it closes `[s]`.
    pub end: f64,
}

/// The slots in a source.
#[derive(Debug, Clone, Default)]
struct Reach {
    cells: Vec<u32>,
    faces: [Vec<u32>; 3],
}

/// All sources of a fluid.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    source: Vec<GridSource>,
    reach: Vec<Reach>,
}

impl Sources {
    /// Finds the slots of sources.
    #[must_use]
    pub fn new(lattice: &CellLattice, source: Vec<GridSource>) -> Self {
        let reach = source.iter().map(|source| Reach::of(lattice, &source.place)).collect();
        Self { source, reach }
    }

    /// Sets what is given at `time` `[s]`.
    pub fn apply(&self, time: f64, fields: &mut Fields) {
        for (source, reach) in self.source.iter().zip(&self.reach) {
            if !(source.start..source.end).contains(&time) {
                continue;
            }
            for (given, channel) in
                [(source.smoke, &mut fields.smoke), (source.temperature, &mut fields.temperature)]
            {
                if let Some(value) = given {
                    reach.cells.iter().for_each(|n| channel[*n as usize] = value);
                }
            }
            if let Some(velocity) = source.velocity {
                for (axis, faces) in reach.faces.iter().enumerate() {
                    for n in faces {
                        fields.velocity[axis][*n as usize] = velocity[axis];
                    }
                }
            }
        }
    }

    /// The fastest fluid that is given at `time` `[s]` `[m/s]`.
    #[must_use]
    pub fn speed(&self, time: f64) -> f64 {
        let open = self.source.iter().filter(|source| (source.start..source.end).contains(&time));
        open.filter_map(|source| source.velocity).map(|v| v.abs().max_element()).fold(0.0, f64::max)
    }

    /// Whether any gives smoke.
    #[must_use]
    pub fn smokes(&self) -> bool {
        self.source.iter().any(|source| source.smoke.is_some_and(|smoke| smoke > 0.0))
    }
}

impl Reach {
    fn of(lattice: &CellLattice, place: &Solid) -> Self {
        let inside = |site: Site| {
            let slots = lattice.each(&lattice.range(site));
            let within =
                |slot| place.signed_distance(lattice.position(site, slot), lattice.dimension()) < 0.0;
            slots.filter(|(slot, _)| within(*slot)).map(|(_, n)| n as u32).collect()
        };
        let mut faces: [Vec<u32>; 3] = Default::default();
        for axis in lattice.axes() {
            faces[axis] = inside(Site::Face(axis));
        }
        Self { cells: inside(Site::Cell), faces }
    }
}
