//! What a mesh is like, what was mended, and what is still wrong.

use std::fmt;

use glam::DVec3;

use super::clean;
use super::clean::Seams;
use super::orient::{Orientation, orient};
use crate::{Aabb, MeshError, TriangleMesh};

/// The most components that are described one by one.
const LISTED: usize = 8;

/// Why a component was turned over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Its triangles faced inward.
    InsideOut,
    /// It lies inside of another component, so it bounds a cavity, but its triangles faced outward.
    Cavity,
}

/// Triangles that are connected through edges.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentReport {
    /// How many `[1]`.
    pub triangles: usize,
    /// Whether it encloses a volume.
    pub is_closed: bool,
    /// Whether its triangles can all be turned the same way; those of a Möbius strip cannot.
    pub is_orientable: bool,
    /// Inside of how many other closed components it lies; if the number is odd, it is a cavity `[1]`.
    pub depth: usize,
    /// Whether and why it was turned over.
    pub turned: Option<Turn>,
    /// What it adds to the volume, negative for a cavity; meaningless if it is not closed `[m^3]`.
    pub volume: f64,
    /// Its area `[m^2]`.
    pub area: f64,
    /// A box around it.
    pub bounds: Aabb,
}

/// What a mesh is like after it was mended, what was mended, and what is wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Vertices that are left `[1]`.
    pub vertices: usize,
    /// Triangles that are left `[1]`.
    pub triangles: usize,
    /// Vertices that had the place of another one and were joined with it `[1]`.
    pub duplicate_vertices: usize,
    /// Vertices without a triangle, left out `[1]`.
    pub unused_vertices: usize,
    /// Triangles without an area, left out `[1]`.
    pub degenerate_triangles: usize,
    /// Triangles that were there already, left out `[1]`.
    pub repeated_triangles: usize,
    /// Triangles that faced another way than those around them, turned `[1]`.
    pub turned_triangles: usize,
    /// Edges with a triangle missing `[1]`.
    pub open_edges: usize,
    /// Edges whose triangles cannot be turned to fit `[1]`.
    pub clashing_edges: usize,
    /// Edges with more than two triangles `[1]`.
    pub non_manifold_edges: usize,
    /// Where the first edge is at which the mesh is not closed `[m]`.
    pub first_bad_edge: Option<[DVec3; 2]>,
    /// The parts of the mesh, in the order of their first triangles.
    pub component: Vec<ComponentReport>,
    /// Pairs of components of which one is partly inside of the other, as far as some of their triangles tell.
    pub overlap: Vec<[usize; 2]>,
    /// Whether components were compared with each other; with very many they are not, and count as side by side.
    pub nesting_is_known: bool,
    /// The enclosed volume; meaningless if the mesh is not closed `[m^3]`.
    pub volume: f64,
    /// The area `[m^2]`.
    pub area: f64,
    /// A box around the mesh.
    pub bounds: Aabb,
}

impl MeshReport {
    /// Mends a mesh: joins vertices, drops useless triangles, turns the others.
    pub(crate) fn mend(mesh: &mut TriangleMesh) -> Result<(Self, Seams), MeshError> {
        clean::check(mesh)?;
        let (duplicate, unused) = clean::merge_vertices(mesh);
        let (degenerate, repeated) = clean::drop_repeated(mesh);
        // Before triangles without area go: they close seams, although they add nothing to the surface.
        let Orientation { component, turned, overlap, nesting_is_known } = orient(mesh);
        let seams = Seams::of(mesh);
        let flat = clean::drop_flat(mesh);
        // Again, because a dropped triangle may leave a vertex behind that no other one uses.
        clean::merge_vertices(mesh);
        let report = Self {
            vertices: mesh.vertex.len(),
            triangles: mesh.triangle.len(),
            duplicate_vertices: duplicate,
            unused_vertices: unused,
            degenerate_triangles: degenerate + flat,
            repeated_triangles: repeated,
            turned_triangles: turned,
            open_edges: seams.open,
            clashing_edges: seams.turned,
            non_manifold_edges: seams.crowded,
            first_bad_edge: seams.first,
            component,
            overlap,
            nesting_is_known,
            volume: mesh.volume(),
            area: mesh.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum(),
            bounds: mesh.bounds(),
        };
        Ok((report, seams))
    }

    /// Whether the mesh encloses a volume.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.first_bad_edge.is_none()
    }

    /// What was mended, a line for each kind.
    #[must_use]
    pub fn mended(&self) -> Vec<String> {
        let counts = [
            (self.duplicate_vertices, "vertices at the place of another one were joined with it"),
            (self.unused_vertices, "vertices without a triangle were left out"),
            (self.degenerate_triangles, "triangles without an area were left out"),
            (self.repeated_triangles, "triangles that were there already were left out"),
            (self.turned_triangles, "triangles that faced another way than their neighbours were turned"),
            (self.turned(Turn::InsideOut), "components were inside out and were turned"),
            (
                self.turned(Turn::Cavity),
                "components lie inside of another one and were turned to be cavities",
            ),
        ];
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
    }

    fn turned(&self, why: Turn) -> usize {
        self.component.iter().filter(|c| c.turned == Some(why)).count()
    }

    /// What is wrong and what to do, a line for each kind; nothing if the mesh can be used for anything.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let place = self.first_bad_edge.map_or_else(String::new, |[a, b]| {
            format!(", the first from ({}, {}, {}) to ({}, {}, {})", a.x, a.y, a.z, b.x, b.y, b.z)
        });
        if self.open_edges > 0 {
            lines.push(format!(
                "{} open edges{place}: the mesh has no inside; close the holes, or join vertices that should be the same",
                self.open_edges
            ));
        }
        let strips = self.component.iter().filter(|c| !c.is_orientable).count();
        if strips > 0 {
            lines.push(format!(
                "{strips} components cannot be turned one way, like a Möbius strip: they have no inside; cut them"
            ));
        } else if self.clashing_edges > 0 {
            lines.push(format!("{} edges whose triangles face opposite ways{place}", self.clashing_edges));
        }
        if self.non_manifold_edges > 0 {
            lines.push(format!(
                "{} edges with more than two triangles: remove walls inside of the body and double surfaces",
                self.non_manifold_edges
            ));
        }
        if self.is_closed() && self.volume <= 1e-13 * self.area * self.bounds.size().length() {
            lines.push("no volume although there are no holes: the surface folds back on itself".to_owned());
        }
        if let Some([a, b]) = self.overlap.first() {
            lines.push(format!(
                "{} pairs of components overlap, the first are {} and {}: what they share counts twice in the volume \
                 and keeps its inner surface; unite them into one",
                self.overlap.len(),
                a + 1,
                b + 1
            ));
        }
        if !self.nesting_is_known {
            lines.push("too many components to look for cavities: every one counts as a body".to_owned());
        }
        lines
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.component.len() == 1 { "" } else { "s" };
        let (size, min, max) = (self.bounds.size(), self.bounds.min, self.bounds.max);
        writeln!(
            f,
            "mesh         {} triangles, {} vertices, {} component{plural}",
            self.triangles,
            self.vertices,
            self.component.len()
        )?;
        writeln!(f, "size         {:.6} x {:.6} x {:.6} m", size.x, size.y, size.z)?;
        writeln!(f, "from         ({:.6}, {:.6}, {:.6}) m", min.x, min.y, min.z)?;
        writeln!(f, "to           ({:.6}, {:.6}, {:.6}) m", max.x, max.y, max.z)?;
        writeln!(f, "area         {:.6e} m^2", self.area)?;
        if self.is_closed() {
            write!(f, "volume       {:.6e} m^3, closed", self.volume)?;
        } else {
            write!(f, "volume       none, not closed")?;
        }
        self.parts(f)?;
        for (title, lines) in [("mended", self.mended()), ("wrong", self.warnings())] {
            for line in &lines {
                write!(f, "\n{title:<12} {line}")?;
            }
        }
        Ok(())
    }
}

impl MeshReport {
    /// One line for each of the first components, if there are several.
    fn parts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.component.len() < 2 {
            return Ok(());
        }
        for (index, part) in self.component.iter().take(LISTED).enumerate() {
            let kind = match (part.is_closed, part.depth % 2) {
                (false, _) => "open".to_owned(),
                (true, 0) => format!("body, {:.6e} m^3", part.volume),
                (true, _) => format!("cavity, {:.6e} m^3", part.volume),
            };
            write!(f, "\n  part {:<6} {} triangles, {kind}", index + 1, part.triangles)?;
        }
        match self.component.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "\n             and {more} more"),
        }
    }
}
