//! Incomplete Cholesky, without fill, as a preconditioner: the reference (\[Guendelman2006\] Sec. 4.4.4).
//!
//! A ≈ L Lᵀ where L has the entries of A only (\[Meijerink1977\]). Rooms go in the order of their cells. It is serial.

use super::graph::Graph;

/// L, by rows, and the order of the rooms.
#[derive(Debug, Clone, Default)]
pub struct IncompleteCholesky {
    order: Vec<u32>,
    /// Of each place in the order: where the entries left of the diagonal begin; one entry more at the end.
    start: Vec<u32>,
    column: Vec<u32>,
    entry: Vec<f64>,
    /// One over each diagonal entry.
    inverse: Vec<f64>,
    y: Vec<f64>,
}

impl IncompleteCholesky {
    /// Factors the matrix of a graph.
    pub fn rebuild(&mut self, graph: &Graph) {
        let rooms = graph.len();
        self.order = (0..rooms as u32).collect();
        self.order.sort_unstable_by_key(|room| (graph.cell[*room as usize], *room));
        let mut rank = vec![0_u32; rooms];
        for (place, room) in (0..).zip(&self.order) {
            rank[*room as usize] = place;
        }
        (self.start, self.column, self.entry) = (vec![0], Vec::new(), Vec::new());
        self.inverse = Vec::with_capacity(rooms);
        let mut row: Vec<(u32, f64)> = Vec::new();
        for place in 0..rooms {
            let room = self.order[place] as usize;
            row.clear();
            let mut diagonal = f64::from(graph.outlet[room]);
            for (other, width) in graph.doors(room) {
                diagonal += f64::from(width);
                if (rank[other] as usize) < place {
                    row.push((rank[other], -f64::from(width)));
                }
            }
            row.sort_unstable_by_key(|(column, _)| *column);
            let mut rest = diagonal;
            for (column, value) in &row {
                // No two neighbours of a room are neighbours of each other, so nothing else enters here.
                let entry = value * self.inverse[*column as usize];
                rest -= entry * entry;
                self.column.push(*column);
                self.entry.push(entry);
            }
            // The last pivot of a region without a given pressure is zero but for rounding.
            let pivot = if rest > 1e-9 * diagonal { rest } else { diagonal.max(f64::MIN_POSITIVE) };
            self.inverse.push(1.0 / pivot.sqrt());
            self.start.push(self.column.len() as u32);
        }
        self.y = vec![0.0; rooms];
    }

    /// z = (L Lᵀ)⁻¹ r.
    pub fn precondition(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { order, start, column, entry, inverse, y } = self;
        let row = |place: usize| start[place] as usize..start[place + 1] as usize;
        for place in 0..order.len() {
            let mut sum = r[order[place] as usize];
            for n in row(place) {
                sum -= entry[n] * y[column[n] as usize];
            }
            y[place] = sum * inverse[place];
        }
        for place in (0..order.len()).rev() {
            let value = y[place] * inverse[place];
            y[place] = value;
            for n in row(place) {
                y[column[n] as usize] -= entry[n] * value;
            }
        }
        for (room, value) in order.iter().zip(y) {
            z[*room as usize] = *value;
        }
    }
}
