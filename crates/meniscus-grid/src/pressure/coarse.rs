//! Coarser graphs: rooms of 2 × 2 × 2 cells that doors connect become one.
//!
//! Fluid on two sides of a sheet is not connected within such a block, so it stays two rooms, and the coarse solution does not
//! glue together what the sheet holds apart. A coarse door is half the sum of the doors that it stands for: their area over
//! twice the distance, in units of the coarse spacing. Coarsening goes on to a single cell. The rooms there are the regions of the
//! fluid that no door connects, which is all that flood filling (\[Guendelman2006\] Sec. 6.3.4) would tell.

use super::graph::{Graph, NOWHERE, is_black, place};

/// A coarse graph, and what of the finer one its rooms are made of.
#[derive(Debug, Clone, Default)]
pub struct Coarse {
    pub(crate) graph: Graph,
    /// Of each room of the finer graph: the room that it is part of.
    pub(crate) parent: Vec<u32>,
    /// Of each coarse room: where its parts begin in `part`; one entry more at the end.
    pub(crate) part_start: Vec<u32>,
    /// The parts.
    pub(crate) part: Vec<u32>,
}

/// Most rooms that a block may be looked at with; what is more would be in 8 cells cut by many sheets.
#[derive(Default)]
struct Block {
    room: Vec<u32>,
    label: Vec<u32>,
}

impl Block {
    /// Finds the rooms of a coarse cell, and which of them doors connect; returns how many pieces there are.
    fn find(&mut self, fine: &Graph, cell: [usize; 3]) -> u32 {
        self.room.clear();
        for corner in 0..8 {
            let child = [0, 1, 2].map(|axis| 2 * cell[axis] + (corner >> axis & 1));
            if (0..3).all(|axis| child[axis] < fine.cells[axis]) {
                let [i, j, k] = child;
                let (first, count) = fine.rooms_of[i + fine.cells[0] * (j + fine.cells[1] * k)];
                self.room.extend(first..first + count);
            }
        }
        self.connect(fine)
    }

    fn connect(&mut self, fine: &Graph) -> u32 {
        let Self { room, label } = self;
        label.clear();
        label.resize(room.len(), NOWHERE);
        let mut pieces = 0;
        let mut stack = Vec::new();
        for seed in 0..room.len() {
            if label[seed] != NOWHERE {
                continue;
            }
            label[seed] = pieces;
            stack.push(seed);
            while let Some(n) = stack.pop() {
                for (to, _) in fine.doors(room[n] as usize) {
                    if let Some(m) = room.iter().position(|other| *other as usize == to)
                        && label[m] == NOWHERE
                    {
                        label[m] = pieces;
                        stack.push(m);
                    }
                }
            }
            pieces += 1;
        }
        pieces
    }
}

impl Coarse {
    /// The next coarser graph.
    #[must_use]
    pub fn of(fine: &Graph) -> Self {
        let cells = fine.cells.map(|n| n.div_ceil(2));
        let mut coarse = Self { parent: vec![NOWHERE; fine.len()], ..Self::default() };
        coarse.graph.cells = cells;
        coarse.graph.rooms_of = vec![(0, 0); cells.iter().product()];
        let mut block = Block::default();
        let mut rooms = 0;
        for black in [false, true] {
            for number in 0..coarse.graph.rooms_of.len() {
                let cell = place(number, cells);
                if is_black(cell) != black {
                    continue;
                }
                let pieces = block.find(fine, cell);
                coarse.graph.rooms_of[number] = (rooms, pieces);
                for (room, label) in block.room.iter().zip(&block.label) {
                    coarse.parent[*room as usize] = rooms + label;
                }
                coarse.graph.cell.extend((0..pieces).map(|_| number as u32));
                rooms += pieces;
            }
            if !black {
                coarse.graph.red = rooms as usize;
            }
        }
        coarse.find_parts(rooms as usize);
        coarse.find_doors(fine);
        coarse.graph.find_inverse();
        coarse
    }

    fn find_parts(&mut self, rooms: usize) {
        let mut start = vec![0_u32; rooms + 1];
        for parent in &self.parent {
            start[*parent as usize + 1] += 1;
        }
        for n in 0..rooms {
            start[n + 1] += start[n];
        }
        let mut next = start.clone();
        self.part = vec![0; self.parent.len()];
        for (room, parent) in (0..).zip(&self.parent) {
            let place = &mut next[*parent as usize];
            self.part[*place as usize] = room;
            *place += 1;
        }
        self.part_start = start;
    }

    /// The parts of a coarse room: red ones first.
    pub(crate) fn parts(&self, room: usize) -> &[u32] {
        &self.part[self.part_start[room] as usize..self.part_start[room + 1] as usize]
    }

    fn find_doors(&mut self, fine: &Graph) {
        let rooms = self.part_start.len() - 1;
        let (mut start, mut to, mut width) = (vec![0_u32], Vec::new(), Vec::new());
        let mut outlet = Vec::with_capacity(rooms);
        let mut doors: Vec<(u32, f32)> = Vec::new();
        for room in 0..rooms {
            doors.clear();
            let mut out = 0.0;
            for &part in self.parts(room) {
                out += fine.outlet[part as usize];
                for (other, width) in fine.doors(part as usize) {
                    let parent = self.parent[other];
                    if parent as usize == room {
                        continue;
                    }
                    match doors.iter_mut().find(|(to, _)| *to == parent) {
                        Some((_, sum)) => *sum += width,
                        None => doors.push((parent, width)),
                    }
                }
            }
            doors.sort_unstable_by_key(|(to, _)| *to);
            // Rooms of the other colour are counted from their first one.
            let offset = if room < self.graph.red { self.graph.red as u32 } else { 0 };
            to.extend(doors.iter().map(|(to, _)| to - offset));
            width.extend(doors.iter().map(|(_, width)| 0.5 * width));
            start.push(to.len() as u32);
            outlet.push(0.5 * out);
        }
        let graph = &mut self.graph;
        (graph.start, graph.to, graph.width, graph.outlet) = (start, to, width, outlet);
    }
}
