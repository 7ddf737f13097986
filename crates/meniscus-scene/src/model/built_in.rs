//! Built-in shapes that are made as meshes.

use super::BodyShape;
use meniscus_geometry::shape::builtin::{self, BoatHull, Bone, Duck, Gear, PaddleWheel, Statue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A cylinder along its y axis with half a ball at each end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CapsuleBody {
    /// The radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
    /// The length from end to end, more than twice the radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.5]))]
    pub height: f64,
    /// How many chords its largest circle is made of `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// A cone along its y axis, the tip up. Its position is half way between base and tip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ConeBody {
    /// The radius of the base `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
    /// The distance from base to tip `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub height: f64,
    /// How many chords its largest circle is made of `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// A ring about its y axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct TorusBody {
    /// From the middle of the ring to the middle of its tube `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.2]))]
    pub radius: f64,
    /// The radius of the tube, smaller than `radius` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.05]))]
    pub tube: f64,
    /// How many chords its largest circle is made of `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// The lower half of a hollow ball, open above. Its position is the middle of its rim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BowlBody {
    /// The outer radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.2]))]
    pub radius: f64,
    /// The thickness of the wall, smaller than `radius` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.02]))]
    pub thickness: f64,
    /// How many chords its largest circle is made of `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// A hollow ball, closed all around.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct HollowSphereBody {
    /// The outer radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.2]))]
    pub radius: f64,
    /// The thickness of the wall, smaller than `radius` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.02]))]
    pub thickness: f64,
    /// About how many edges go once around it `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// A cylindrical cup along its y axis, open above.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CupBody {
    /// The outer radius `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub radius: f64,
    /// The outer height `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.2]))]
    pub height: f64,
    /// The thickness of wall and bottom, smaller than `radius` and `height` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.01]))]
    pub thickness: f64,
    /// How many chords its largest circle is made of `[1]`.
    #[serde(default = "default_seg")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// An open boat whose bow points along its x axis. Its position is the middle of its length and breadth, at half its height amidships.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BoatBody {
    /// From stern to bow `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [1.5]))]
    pub length: f64,
    /// The largest breadth `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.6]))]
    pub beam: f64,
    /// From the bottom to the rim amidships `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub height: f64,
    /// The thickness of the wall, smaller than the height and half the beam and length `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.03]))]
    pub thickness: f64,
    /// How many edges its rim is made of `[1]`.
    #[serde(default = "default_rim")]
    #[schemars(range(min = 3, max = 2048))]
    pub segments: u32,
}

/// A hub with straight paddles; its axis is its z axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PaddleWheelBody {
    /// From the axis to the ends of the paddles `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub radius: f64,
    /// The radius of the hub, smaller than `radius` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub hub: f64,
    /// The thickness of a paddle; they must fit side by side around the hub `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.02]))]
    pub thickness: f64,
    /// The extent along the axis `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.2]))]
    pub width: f64,
    /// How many paddles `[1]`.
    #[serde(default = "default_paddles")]
    #[schemars(range(min = 3, max = 512))]
    pub paddles: u32,
}

/// A gear wheel; its axis is its z axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct GearBody {
    /// From the axis to the tips of the teeth `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub radius: f64,
    /// From the tips to the ground between the teeth, smaller than `radius` `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.06]))]
    pub tooth_depth: f64,
    /// The extent along the axis `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.1]))]
    pub width: f64,
    /// How many teeth `[1]`.
    #[serde(default = "default_teeth")]
    #[schemars(range(min = 3, max = 512))]
    pub teeth: u32,
    /// The radius of a hole along the axis, less than 0.9 times that of the ground between the teeth; if left out, there is none `[m]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub bore: Option<f64>,
}

/// A bent bone along its x axis with two knobs at each end. Its position is the middle of the box around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct BoneBody {
    /// From end to end `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub length: f64,
    /// How many triangles it is made of `[1]`.
    #[serde(default = "default_bone")]
    #[schemars(range(min = 500, max = 20_000))]
    pub triangles: u32,
}

/// A rubber duck that looks along its x axis. Its position is the middle of the box around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DuckBody {
    /// From tail to beak `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [0.3]))]
    pub length: f64,
    /// How many triangles it is made of `[1]`.
    #[serde(default = "default_duck")]
    #[schemars(range(min = 500, max = 20_000))]
    pub triangles: u32,
}

/// A robed figure on a plinth that looks along its x axis. Its position is the middle of the box around it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct StatueBody {
    /// From the bottom of the plinth to the raised hand `[m]`.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    #[schemars(extend("examples" = [1.0]))]
    pub height: f64,
    /// How many triangles it is made of `[1]`.
    #[serde(default = "default_statue")]
    #[schemars(range(min = 500, max = 20_000))]
    pub triangles: u32,
}

fn default_seg() -> u32 {
    builtin::SEGMENTS
}

fn default_rim() -> u32 {
    BoatHull::SEGMENTS
}

fn default_paddles() -> u32 {
    PaddleWheel::PADDLES
}

fn default_teeth() -> u32 {
    Gear::TEETH
}

fn default_bone() -> u32 {
    Bone::TRIANGLES
}

fn default_duck() -> u32 {
    Duck::TRIANGLES
}

fn default_statue() -> u32 {
    Statue::TRIANGLES
}

/// A length that must be smaller than another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Order {
    /// The key of the smaller one.
    pub key: &'static str,
    /// Its value `[m]`.
    pub value: f64,
    /// What it must be smaller than `[m]`.
    pub limit: f64,
    /// That in words.
    pub name: &'static str,
}

impl BodyShape {
    /// The lengths of a built-in mesh by their keys `[m]`; none of other shapes.
    pub(crate) fn lengths(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Capsule(s) => vec![("radius", s.radius), ("height", s.height)],
            Self::Cone(s) => vec![("radius", s.radius), ("height", s.height)],
            Self::Torus(s) => vec![("radius", s.radius), ("tube", s.tube)],
            Self::Bowl(s) => vec![("radius", s.radius), ("thickness", s.thickness)],
            Self::HollowSphere(s) => vec![("radius", s.radius), ("thickness", s.thickness)],
            Self::Cup(s) => vec![("radius", s.radius), ("height", s.height), ("thickness", s.thickness)],
            Self::Boat(s) => {
                vec![("length", s.length), ("beam", s.beam), ("height", s.height), ("thickness", s.thickness)]
            }
            Self::PaddleWheel(s) => {
                vec![("radius", s.radius), ("hub", s.hub), ("thickness", s.thickness), ("width", s.width)]
            }
            Self::Gear(s) => {
                let sizes = [("radius", s.radius), ("tooth_depth", s.tooth_depth), ("width", s.width)];
                sizes.into_iter().chain(s.bore.map(|bore| ("bore", bore))).collect()
            }
            Self::Bone(s) => vec![("length", s.length)],
            Self::Duck(s) => vec![("length", s.length)],
            Self::Statue(s) => vec![("height", s.height)],
            _ => Vec::new(),
        }
    }

    /// Which lengths of a built-in mesh must be smaller than others.
    pub(crate) fn orders(&self) -> Vec<Order> {
        let order = |key, value, limit, name| Order { key, value, limit, name };
        match self {
            Self::Capsule(s) => vec![order("radius", s.radius, 0.5 * s.height, "half of `height`")],
            Self::Torus(s) => vec![order("tube", s.tube, s.radius, "`radius`")],
            Self::Bowl(s) => vec![order("thickness", s.thickness, s.radius, "`radius`")],
            Self::HollowSphere(s) => vec![order("thickness", s.thickness, s.radius, "`radius`")],
            Self::Cup(s) => vec![
                order("thickness", s.thickness, s.radius, "`radius`"),
                order("thickness", s.thickness, s.height, "`height`"),
            ],
            Self::Boat(s) => vec![
                order("thickness", s.thickness, s.height, "`height`"),
                order("thickness", s.thickness, 0.5 * s.beam, "half of `beam`"),
                order("thickness", s.thickness, 0.5 * s.length, "half of `length`"),
            ],
            Self::PaddleWheel(s) => {
                let room = builtin::short(1.9 * s.hub * (PI / f64::from(s.paddles)).sin());
                vec![
                    order("hub", s.hub, s.radius, "`radius`"),
                    order("thickness", s.thickness, room, "the room for a paddle at the hub"),
                ]
            }
            Self::Gear(s) => {
                let room = builtin::short(0.9 * (s.radius - s.tooth_depth));
                let bore = s.bore.filter(|_| room > 0.0);
                let bore =
                    bore.map(|bore| order("bore", bore, room, "0.9 times the radius between the teeth"));
                [order("tooth_depth", s.tooth_depth, s.radius, "`radius`")].into_iter().chain(bore).collect()
            }
            _ => Vec::new(),
        }
    }
}
