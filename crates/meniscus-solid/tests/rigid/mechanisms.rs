//! Random mechanisms, and what a run shows of their energy and their gaps.

use glam::{DQuat, DVec3};
use meniscus_core::BodyId;
use meniscus_geometry::{MassProperties, Pose};
use meniscus_solid::{
    BodyParams, ColliderShape, JointParams, JointType, RigidEngine, SolidError, SurfaceMaterial,
};

const G: f64 = 9.81;

/// Numbers that look random and are the same everywhere (splitmix64).
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `least` to `most`.
    pub fn within(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * (self.bits() >> 11) as f64 / 2_f64.powi(53)
    }

    /// Below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    fn chance(&mut self, share: f64) -> bool {
        self.within(0.0, 1.0) < share
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.within(-1.0, 1.0), self.within(-1.0, 1.0), self.within(-1.0, 1.0));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }
}

/// How links are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Each to the one before.
    Chain,
    /// Each to any before.
    Tree,
    /// A chain or tree with joints that close loops.
    Loop,
}

/// A mechanism to be tried.
pub struct Mechanism {
    pub shape: Shape,
    pub bodies: Vec<BodyParams>,
    pub joints: Vec<JointParams>,
    /// Links, without what they fall on.
    pub links: usize,
    /// The shortest link `[m]`.
    pub length: f64,
    /// What energies are compared with: the work of gravity over the reach of all links, and the motion at the start `[J]`.
    pub scale: f64,
}

struct Link {
    from: DVec3,
    to: DVec3,
    thickness: f64,
}

impl Mechanism {
    /// One of 1 to `most` links of 1 to 100 kg. Those that do not touch anything have bodies too small to meet; others are
    /// bars above a floor.
    pub fn random(seed: u64, most: usize, touching: bool) -> Result<Self, SolidError> {
        let mut random = Random(seed);
        let shape = [Shape::Chain, Shape::Tree, Shape::Loop][random.below(3)];
        let count = 1 + random.below(most);
        let tree = shape == Shape::Tree || shape == Shape::Loop && random.chance(0.5);
        let held = random.chance(0.7);
        let spin = random.within(0.0, 2.0) * random.direction();
        let mut links: Vec<Link> = Vec::new();
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        let top = if touching { 0.5 * count as f64 } else { 0.0 };
        for k in 0..count {
            let parent = if k == 0 {
                None
            } else if tree {
                Some(random.below(k))
            } else {
                Some(k - 1)
            };
            let length = random.within(0.5, 2.0);
            let thickness = length * random.within(0.05, 0.2);
            let Some((point, gap, along)) = place(&mut random, &links, parent, top, length, touching) else {
                break;
            };
            let (from, centre) = (point + gap, point + gap + 0.5 * length * along);
            let kind = kind(&mut random, point, gap);
            if parent.is_some() || held {
                joints.push(joint(k, parent, from, kind));
            }
            let bar = bar(&mut random, centre, along, [length, thickness], touching)?;
            bodies.push(bar.moving(spin.cross(centre - DVec3::Y * top), spin));
            links.push(Link { from, to: from + length * along, thickness });
        }
        if shape == Shape::Loop {
            close(&mut random, &links, held, &mut joints);
        }
        let count = links.len();
        if touching {
            let rough = SurfaceMaterial { friction: 0.5, ..SurfaceMaterial::default() };
            bodies.push(BodyParams::fixed(ColliderShape::half_space(), Pose::IDENTITY).with_material(rough));
        }
        let lengths = links.iter().map(|l| l.from.distance(l.to));
        let (length, reach) = lengths.fold((f64::INFINITY, 0.0), |(least, sum), l| (l.min(least), l + sum));
        let motion = |b: &BodyParams| match &b.kind {
            meniscus_solid::BodyType::Dynamic(m) => m.mass * (G * reach + 0.5 * b.velocity.length_squared()),
            _ => 0.0,
        };
        let scale = bodies.iter().map(motion).sum();
        Ok(Self { shape, bodies, joints, links: count, length, scale })
    }

    /// Runs for `seconds` in steps of `dt` `[s]`.
    pub fn run(&self, world: &mut dyn RigidEngine, dt: f64, seconds: f64) -> Result<Outcome, SolidError> {
        let gauges: Vec<Gauge> = self.joints.iter().map(|j| Gauge::new(j, world)).collect();
        // The first step takes out what the joints do not allow of the motion at the start.
        world.advance(dt)?;
        let start = energy(world);
        let (mut gain, mut gap, mut lowest) = (0.0_f64, 0.0_f64, start);
        for _ in 1..(seconds / dt).round() as u32 {
            world.advance(dt)?;
            let now = energy(world);
            // Also if it is not a number.
            gain = if now - lowest <= gain { gain } else { now - lowest };
            lowest = lowest.min(now);
            gap = gauges.iter().map(|g| g.gap(world)).fold(gap, f64::max);
        }
        let lost = (start - energy(world)) / self.scale;
        Ok(Outcome { gain: gain / self.scale, lost, gap: gap / self.length })
    }
}

/// What a run shows.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// The largest rise of the energy above its lowest before, as a share of the scale; not a number if it exploded `[1]`.
    pub gain: f64,
    /// What was lost in the end, as a share of the scale `[1]`.
    pub lost: f64,
    /// The largest gap of a joint, as a share of the shortest link `[1]`.
    pub gap: f64,
}

/// Kinetic and potential energy of all bodies, whose centres are their origins `[J]`.
pub fn energy(world: &dyn RigidEngine) -> f64 {
    let of = |k: u32| {
        let Some(matter) = world.matter(BodyId(k)) else { return 0.0 };
        let now = world.kinematics(BodyId(k));
        let spin = now.pose.rotation.conjugate() * now.angular_velocity;
        let motion = matter.mass * now.velocity.length_squared() + spin.dot(matter.inertia * spin);
        0.5 * motion + matter.mass * G * now.pose.translation.y
    };
    (0..world.count() as u32).map(of).sum()
}

fn joint(first: usize, second: Option<usize>, point: DVec3, kind: JointType) -> JointParams {
    let second = second.map(|b| BodyId(b as u32));
    JointParams { first: BodyId(first as u32), second, point, kind, collide: false }
}

/// Where the next link begins: the point of the one before, the way from there, and the link's direction.
fn place(
    random: &mut Random,
    links: &[Link],
    parent: Option<usize>,
    top: f64,
    length: f64,
    touching: bool,
) -> Option<(DVec3, DVec3, DVec3)> {
    for _ in 0..50 {
        let share = if links.len() < 2 || !touching { 1.0 } else { random.within(0.6, 1.0) };
        let point = parent.map_or(DVec3::Y * top, |p| links[p].from.lerp(links[p].to, share));
        let along = random.direction();
        let gap = 0.2 * length * along;
        let own = Link { from: point + gap, to: point + gap + length * along, thickness: 0.2 * length };
        let others = links.iter().enumerate().filter(|(k, _)| Some(*k) != parent);
        let clear = |other: &Link| distance(&own, other) > 0.8 * (own.thickness + other.thickness);
        let above = own.from.y.min(own.to.y) > own.thickness;
        if !touching || above && others.map(|(_, l)| l).all(clear) {
            return Some((point, gap, along));
        }
    }
    None
}

/// The distance of two links, from points along them.
fn distance(a: &Link, b: &Link) -> f64 {
    let points =
        |l: &Link| -> Vec<DVec3> { (0..=20).map(|k| l.from.lerp(l.to, f64::from(k) / 20.0)).collect() };
    let others = points(b);
    points(a).iter().flat_map(|p| others.iter().map(move |q| p.distance(*q))).fold(f64::INFINITY, f64::min)
}

/// A kind of joint between a link that begins at `point` + `gap` and what is at `point`.
fn kind(random: &mut Random, point: DVec3, gap: DVec3) -> JointType {
    let limits = |random: &mut Random, most: f64| {
        random.chance(0.3).then(|| [-random.within(0.0, most), random.within(0.0, most)])
    };
    match random.below(10) {
        0..3 => JointType::Ball,
        3..6 => JointType::Hinge { axis: random.direction(), limits: limits(random, 3.0), motor: None },
        6 => JointType::Slider {
            axis: random.direction(),
            limits: Some([-random.within(0.0, 0.5), random.within(0.0, 0.5)]),
            motor: None,
        },
        7 => JointType::Fixed,
        8 => JointType::Distance { other: point, range: [gap.length(); 2] },
        _ => JointType::Distance { other: point, range: [0.0, random.within(1.0, 1.5) * gap.length()] },
    }
}

fn bar(
    random: &mut Random,
    centre: DVec3,
    along: DVec3,
    size: [f64; 2],
    touching: bool,
) -> Result<BodyParams, SolidError> {
    let mass = 100_f64.powf(random.within(0.0, 1.0));
    let size = DVec3::new(size[0], size[1], size[1]);
    let shape = ColliderShape::cuboid(if touching { size } else { DVec3::splat(1e-6) })?;
    let pose = Pose { translation: centre, rotation: DQuat::from_rotation_arc(DVec3::X, along) };
    let material = SurfaceMaterial { friction: 0.5, ..SurfaceMaterial::default() };
    Ok(BodyParams::dynamic(shape, MassProperties::cuboid(mass, size), pose).with_material(material))
}

/// Adds joints that close loops: rods between any two links, or balls where a link ends.
fn close(random: &mut Random, links: &[Link], held: bool, joints: &mut Vec<JointParams>) {
    for _ in 0..=random.below(3) {
        let (a, b) = (random.below(links.len()), random.below(links.len()));
        let end = links[a].to;
        let second = (a != b && (!held || random.chance(0.7))).then_some(b);
        if second.is_none() && !held {
            continue;
        }
        let other = second.map_or(end + 0.7 * DVec3::Y, |b| links[b].from.lerp(links[b].to, 0.3));
        let rod = JointType::Distance { other, range: [end.distance(other); 2] };
        let kind = if random.chance(0.5) { JointType::Ball } else { rod };
        joints.push(joint(a, second, end, kind));
    }
}

/// Measures the gap of a joint from outside.
struct Gauge {
    body: [Option<BodyId>; 2],
    anchor: [DVec3; 2],
    axis: DVec3,
    kind: JointType,
}

impl Gauge {
    fn new(joint: &JointParams, world: &dyn RigidEngine) -> Self {
        let body = [Some(joint.first), joint.second];
        let other = if let JointType::Distance { other, .. } = joint.kind { other } else { joint.point };
        let axis = if let JointType::Slider { axis, .. } = joint.kind { axis } else { DVec3::X };
        let pose = body.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b)));
        let anchor = [pose[0].to_local(joint.point), pose[1].to_local(other)];
        Self { body, anchor, axis: pose[1].rotation.conjugate() * axis, kind: joint.kind }
    }

    fn gap(&self, world: &dyn RigidEngine) -> f64 {
        let pose = self.body.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b)));
        let apart = pose[0].to_world(self.anchor[0]) - pose[1].to_world(self.anchor[1]);
        match self.kind {
            JointType::Slider { .. } => {
                apart.reject_from((pose[1].rotation * self.axis).normalize()).length()
            }
            JointType::Distance { range, .. } => {
                let length = apart.length();
                (length - range[1]).max(range[0] - length).max(0.0)
            }
            JointType::Ball | JointType::Hinge { .. } | JointType::Fixed => apart.length(),
        }
    }
}
