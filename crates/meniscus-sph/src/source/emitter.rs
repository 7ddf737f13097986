//! Nozzles that push fluid into the scene, layer by layer.
//!
//! A layer of the rest lattice leaves the nozzle whenever the stream has moved by one spacing. Particles that are
//! less than one spacing away from the nozzle keep its velocity, so that the fluid in front cannot push the stream
//! back into it.

use crate::particles::Particles;
use glam::DVec3;
use meniscus_core::Dimension;
use serde::{Deserialize, Serialize};

/// The opening that fluid comes out of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Nozzle {
    /// Round, with this radius `[m]`.
    Disc {
        /// Radius `[m]`.
        radius: f64,
    },
    /// Rectangular.
    Box {
        /// Extent across the stream, horizontally `[m]`.
        width: f64,
        /// Extent across the stream, the other way `[m]`.
        height: f64,
    },
}

/// Description of an emitter.
#[derive(Debug, Clone, PartialEq)]
pub struct EmitterParams {
    /// The opening.
    pub nozzle: Nozzle,
    /// Its centre `[m]`.
    pub position: DVec3,
    /// Where it points to; any length.
    pub direction: DVec3,
    /// Speed of the stream `[m/s]`.
    pub speed: f64,
    /// When it opens `[s]`.
    pub start: f64,
    /// When it closes `[s]`.
    pub stop: f64,
    /// Most particles that it emits.
    pub max_particles: u64,
}

/// How far an emitter has come: all that a restart needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmitterState {
    /// Layers that have left the nozzle.
    pub layers: u64,
    /// Particles that have left the nozzle.
    pub particles: u64,
}

/// An emitter ready to work.
#[derive(Debug, Clone)]
pub struct Emitter {
    params: EmitterParams,
    direction: DVec3,
    spacing: f64,
    /// Lattice points of one layer, relative to the nozzle's centre `[m]`.
    layer: Vec<DVec3>,
    across: [DVec3; 2],
}

impl Emitter {
    /// Prepares an emitter for particles of this spacing `[m]`.
    #[must_use]
    pub fn new(params: EmitterParams, spacing: f64, dimension: Dimension) -> Self {
        let direction = params.direction.normalize_or(DVec3::X);
        let across = across(direction, dimension);
        let (half_width, half_height) = match params.nozzle {
            Nozzle::Disc { radius } => (radius, radius),
            Nozzle::Box { width, height } => (0.5 * width, 0.5 * height),
        };
        let line = |half: f64| {
            let n = ((2.0 * half / spacing).round() as i64).max(1);
            (0..n).map(move |i| (i as f64 - 0.5 * (n - 1) as f64) * spacing)
        };
        let depth: Vec<f64> =
            if dimension == Dimension::Two { vec![0.0] } else { line(half_height).collect() };
        let mut layer = Vec::new();
        for &b in &depth {
            for a in line(half_width) {
                let inside = match params.nozzle {
                    Nozzle::Disc { radius } => a * a + b * b <= radius * radius,
                    Nozzle::Box { .. } => true,
                };
                if inside {
                    layer.push(a * across[0] + b * across[1]);
                }
            }
        }
        if layer.is_empty() {
            layer.push(DVec3::ZERO);
        }
        Self { params, direction, spacing, layer, across }
    }

    /// Number of particles in a layer.
    #[must_use]
    pub fn layer_len(&self) -> usize {
        self.layer.len()
    }

    /// Adds the layers that have left the nozzle by time `time` `[s]`.
    pub fn emit(&self, state: &mut EmitterState, particles: &mut Particles, time: f64) {
        let EmitterParams { start, stop, speed, max_particles, position, .. } = self.params;
        loop {
            let birth = start + state.layers as f64 * self.spacing / speed;
            let full = state.particles + self.layer.len() as u64 > max_particles;
            if birth > time || birth >= stop || full {
                return;
            }
            let travelled = (time - birth) * speed;
            for &offset in &self.layer {
                particles.push(position + offset + travelled * self.direction, speed * self.direction);
            }
            state.layers += 1;
            state.particles += self.layer.len() as u64;
        }
    }

    /// Whether the emitter may still emit at time `time` `[s]`.
    #[must_use]
    pub fn is_open(&self, state: &EmitterState, time: f64) -> bool {
        let EmitterParams { start, stop, max_particles, .. } = self.params;
        time >= start && time < stop && state.particles + self.layer.len() as u64 <= max_particles
    }

    /// The velocity of the stream `[m/s]` if `x` is still in the mouth of the nozzle.
    #[must_use]
    pub fn prescribed_velocity(&self, x: DVec3) -> Option<DVec3> {
        let offset = x - self.params.position;
        let along = offset.dot(self.direction);
        let (a, b) = (offset.dot(self.across[0]), offset.dot(self.across[1]));
        let inside = match self.params.nozzle {
            Nozzle::Disc { radius } => a * a + b * b <= (radius + 0.5 * self.spacing).powi(2),
            Nozzle::Box { width, height } => {
                2.0 * a.abs() <= width + self.spacing && 2.0 * b.abs() <= height + self.spacing
            }
        };
        (inside && (-self.spacing..self.spacing).contains(&along)).then(|| self.params.speed * self.direction)
    }

    /// Speed of the stream `[m/s]`.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.params.speed
    }
}

/// A stream is nearly upright if the cosine between it and the y axis is above this `[1]`.
const NEARLY_UPRIGHT: f64 = 0.9;

/// Two directions across the stream; in the plane the first lies in it.
fn across(direction: DVec3, dimension: Dimension) -> [DVec3; 2] {
    if dimension == Dimension::Two {
        return [DVec3::new(-direction.y, direction.x, 0.0), DVec3::Z];
    }
    let helper = if direction.y.abs() > NEARLY_UPRIGHT { DVec3::X } else { DVec3::Y };
    let first = helper.cross(direction).normalize();
    [first, direction.cross(first)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn emitter() -> Emitter {
        let params = EmitterParams {
            nozzle: Nozzle::Disc { radius: 0.05 },
            position: DVec3::new(0.0, 1.0, 0.0),
            direction: DVec3::new(2.0, 0.0, 0.0),
            speed: 2.0,
            start: 0.1,
            stop: 0.6,
            max_particles: u64::MAX,
        };
        Emitter::new(params, 0.01, Dimension::Three)
    }

    #[test]
    fn the_flow_rate_is_area_times_speed() {
        let emitter = emitter();
        let (mut particles, mut state) = (Particles::default(), EmitterState::default());
        for n in 0..=1000 {
            emitter.emit(&mut state, &mut particles, f64::from(n) * 1e-3);
        }
        let volume = particles.len() as f64 * 1e-6;
        let exact = std::f64::consts::PI * 0.05_f64.powi(2) * 2.0 * 0.5;
        assert!((volume / exact - 1.0).abs() < 0.05, "{volume} against {exact}");
    }

    #[test]
    fn layers_are_one_spacing_apart_whatever_the_step() {
        let emitter = emitter();
        let (mut particles, mut state) = (Particles::default(), EmitterState::default());
        emitter.emit(&mut state, &mut particles, 0.1 + 0.013);
        let mut x: Vec<f64> = particles.position.iter().map(|x| x.x).collect();
        x.dedup();
        assert_eq!(x.len(), 3);
        assert!(x.windows(2).all(|w| (w[0] - w[1] - 0.01).abs() < 1e-12), "{x:?}");
    }
}
