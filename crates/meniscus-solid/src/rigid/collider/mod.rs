//! The shape with which a body meets others: a distance that others are looked up in, and points that are looked up in others.
//!
//! \[Guendelman2006\] Sec. 2.3: each body has both, in its own frame. A body without a distance is a thin shell, which
//! meets bodies that have one but no other shell (Sec. 2.14); one without points is a wall.

mod mesh;
mod primitives;
pub(crate) mod samples;

use std::sync::Arc;

use glam::DVec3;
use meniscus_geometry::{Aabb, Side, SignedDistance, TriangleMesh};

use samples::Samples;

/// What a collider shape was made from, for engines that have shapes of their own.
#[derive(Debug, Clone)]
pub enum ColliderGeometry {
    /// A box, ball, cylinder or plane, or the room in one.
    Exact {
        /// The shape.
        shape: meniscus_geometry::Shape,
        /// Where its matter is.
        side: Side,
    },
    /// A capsule along y.
    Capsule {
        /// Its radius `[m]`.
        radius: f64,
        /// Half of the distance between the centres of its caps `[m]`.
        half_height: f64,
    },
    /// A triangle mesh.
    Mesh(Arc<TriangleMesh>),
    /// A distance alone.
    Field,
}

/// The shape of a body in its own frame. Bodies of the same shape share it.
#[derive(Clone)]
pub struct ColliderShape {
    geometry: ColliderGeometry,
    pub(crate) field: Option<Arc<dyn SignedDistance>>,
    pub(crate) samples: Samples,
    /// Around field and samples; infinite for walls.
    pub(crate) bounds: Aabb,
    /// Convex pieces that it consists of, for engines that need them `[m]`.
    #[cfg_attr(
        not(feature = "rapier"),
        expect(dead_code, reason = "an engine for convex bodies reads them")
    )]
    pub(crate) parts: Vec<Vec<DVec3>>,
    /// How deep the deepest point inside is, infinite for walls and zero for shells `[m]`.
    pub(crate) half_thickness: f64,
}

/// What a mesh collider is the surface of.
#[derive(Clone)]
pub enum MeshCollider {
    /// A volume with this distance.
    Volume(Arc<dyn SignedDistance>),
    /// A thin shell.
    Shell {
        /// Half of its thickness `[m]`.
        half_thickness: f64,
    },
}

impl std::fmt::Debug for ColliderShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match &self.geometry {
            ColliderGeometry::Exact { shape, .. } => format!("{shape:?}"),
            ColliderGeometry::Capsule { .. } => "capsule".to_owned(),
            ColliderGeometry::Mesh(_) => "mesh".to_owned(),
            ColliderGeometry::Field => "field".to_owned(),
        };
        write!(f, "ColliderShape({name}, {} points)", self.samples.vertex.len())
    }
}

impl ColliderShape {
    /// What it was made from.
    #[must_use]
    pub fn geometry(&self) -> &ColliderGeometry {
        &self.geometry
    }

    /// The same shape with the corners of convex pieces `[m]` whose union it is, for engines that cannot use a distance.
    #[must_use]
    pub fn with_convex_parts(&self, parts: Vec<Vec<DVec3>>) -> Arc<Self> {
        Arc::new(Self { parts, ..self.clone() })
    }

    /// Its distance, unless it is a shell.
    #[must_use]
    pub fn field(&self) -> Option<&Arc<dyn SignedDistance>> {
        self.field.as_ref()
    }

    /// How deep the deepest point inside is, infinite for walls and zero for shells `[m]`.
    #[must_use]
    pub fn half_thickness(&self) -> f64 {
        self.half_thickness
    }

    /// Whether it is everywhere, so that no box is around it.
    pub(crate) fn is_wall(&self) -> bool {
        !self.bounds.size().is_finite()
    }
}
