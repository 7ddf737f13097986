//! Point masses and springs, integrated implicitly.
//!
//! A step of length dt changes velocities by Δv, with
//! (M + dt² K) Δv = dt (f + M g) + J − dt² K v,
//! where J are impulses, f the springs' forces and K = Σ k n nᵀ their stiffness along their directions n, both at the start of the
//! step. Leaving out how directions change keeps K positive, so that no spring, however stiff, makes a step unstable; what springs
//! do acts along the lines between masses, so that momentum and angular momentum are kept.

use glam::DVec3;

/// A solve is done when its residual is this small, relative to its right side `[1]`.
const TOLERANCE: f64 = 1e-13;

/// One spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spring {
    /// The masses at its ends.
    pub ends: [u32; 2],
    /// Its length at rest `[m]`.
    pub length: f64,
    /// Its stiffness `[N/m]`.
    pub stiffness: f64,
}

/// Point masses and the springs between them.
#[derive(Debug, Clone, PartialEq)]
pub struct Springs {
    /// Of each point `[kg]`.
    pub mass: Vec<f64>,
    /// The springs.
    pub spring: Vec<Spring>,
}

impl Springs {
    /// How the velocities of points at `position` `[m]`, moving at `velocity` `[m/s]`, change within `dt` `[s]` under `gravity`
    /// `[m/s²]`, the springs and an impulse on each point `[N s]`.
    #[must_use]
    pub fn change(
        &self,
        [position, velocity]: [&[DVec3]; 2],
        gravity: DVec3,
        impulse: &[DVec3],
        dt: f64,
    ) -> Vec<DVec3> {
        let pulls: Vec<Pull> = self.spring.iter().map(|spring| Pull::of(spring, position)).collect();
        let mut right: Vec<DVec3> =
            self.mass.iter().zip(impulse).map(|(mass, impulse)| dt * *mass * gravity + *impulse).collect();
        for pull in &pulls {
            let [a, b] = pull.ends;
            let closing = (velocity[b] - velocity[a]).dot(pull.along);
            let given = dt * (pull.force + dt * pull.stiffness * closing) * pull.along;
            right[a] += given;
            right[b] -= given;
        }
        self.solve(&pulls, dt, right)
    }

    /// Conjugate gradients for (M + dt² K) Δv = `right`.
    fn solve(&self, pulls: &[Pull], dt: f64, right: Vec<DVec3>) -> Vec<DVec3> {
        let mut change = vec![DVec3::ZERO; right.len()];
        let mut residual = right;
        let mut direction = residual.clone();
        let mut square = dot(&residual, &residual);
        let enough = TOLERANCE * TOLERANCE * square;
        for _ in 0..10 * residual.len() {
            if square <= enough {
                break;
            }
            let image = self.image(pulls, dt, &direction);
            let way = square / dot(&direction, &image);
            add(&mut change, way, &direction);
            add(&mut residual, -way, &image);
            let next = dot(&residual, &residual);
            let kept = next / square;
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = *r + kept * *d);
            square = next;
        }
        change
    }

    /// (M + dt² K) u.
    fn image(&self, pulls: &[Pull], dt: f64, u: &[DVec3]) -> Vec<DVec3> {
        let mut image: Vec<DVec3> = self.mass.iter().zip(u).map(|(mass, u)| *mass * *u).collect();
        for Pull { ends: [a, b], along, stiffness, .. } in pulls {
            let given = dt * dt * stiffness * (u[*b] - u[*a]).dot(*along) * *along;
            image[*a] -= given;
            image[*b] += given;
        }
        image
    }

    /// The largest relative change of a spring's length `[1]`.
    #[must_use]
    pub fn strain(&self, position: &[DVec3]) -> f64 {
        let strain = |Spring { ends: [a, b], length, .. }: &Spring| {
            (position[*a as usize].distance(position[*b as usize]) / length - 1.0).abs()
        };
        self.spring.iter().map(strain).fold(0.0, f64::max)
    }
}

/// A spring where it is: pulls its first end along a direction towards the second.
struct Pull {
    ends: [usize; 2],
    along: DVec3,
    /// `[N]`
    force: f64,
    /// `[N/m]`
    stiffness: f64,
}

impl Pull {
    fn of(spring: &Spring, position: &[DVec3]) -> Self {
        let ends = spring.ends.map(|end| end as usize);
        let way = position[ends[1]] - position[ends[0]];
        let stiffness = spring.stiffness;
        let force = stiffness * (way.length() - spring.length);
        Self { ends, along: way.normalize_or_zero(), force, stiffness }
    }
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

fn add(to: &mut [DVec3], times: f64, what: &[DVec3]) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += times * *what);
}
