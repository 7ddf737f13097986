//! Which joints a body has, found without a look at all of them.

use crate::rigid::joint::Frame;

/// The joints of each body.
#[derive(Debug)]
pub(crate) struct Links {
    /// Where the list of each body starts, and the end of the last.
    start: Vec<u32>,
    joint: Vec<u32>,
}

impl Links {
    /// Those of so many bodies.
    pub fn new(bodies: usize, joints: &[Frame]) -> Self {
        let mut ends: Vec<[u32; 2]> = (0..)
            .zip(joints)
            .flat_map(|(k, joint)| joint.body.into_iter().flatten().map(move |body| [body, k]))
            .collect();
        ends.sort_unstable();
        let start =
            (0..=bodies as u32).map(|body| ends.partition_point(|end| end[0] < body) as u32).collect();
        Self { start, joint: ends.into_iter().map(|[_, joint]| joint).collect() }
    }

    /// Those of a body, in ascending order.
    pub fn of(&self, body: usize) -> &[u32] {
        &self.joint[self.start[body] as usize..self.start[body + 1] as usize]
    }
}
