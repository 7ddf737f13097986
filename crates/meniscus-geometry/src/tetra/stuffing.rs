//! From signs at the vertices of a tetrahedron to tetrahedra of what is inside.

/// A corner of a new tetrahedron: a corner of the old one, or where its edge from inside to outside is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Corner {
    Vertex(usize),
    Cut(usize, usize),
}

use Corner::{Cut, Vertex};

/// The parts of a tetrahedron that are inside, of at most three tetrahedra.
///
/// `sign` is negative inside, 0 on the surface. The long edges are 0–1 and 2–3. `parity` is by vertex: of vertices that
/// a long edge joins, one is even; `ahead` says of each whether it is the later one of its long edge. Both are
/// properties of the vertices, so that tetrahedra with a common face cut it in the same way.
pub(super) fn inside(sign: [i8; 4], odd: [bool; 4], ahead: [bool; 4], mut add: impl FnMut([Corner; 4])) {
    let pick = |wanted: fn(i8) -> bool| (0..4).filter(move |&i| wanted(sign[i]));
    let negative: Vec4 = pick(|s| s < 0).collect();
    let positive: Vec4 = pick(|s| s > 0).collect();
    // From which of two inner vertices the diagonal of the face with the outer vertex p leaves, to the cut of the other
    // one.
    let leaves = |m: usize, n: usize, p: usize| {
        let to_m = is_long(n, p) || (!is_long(m, p) && ahead[m] == odd[p]);
        if to_m { m } else { n }
    };
    match (negative.as_slice(), positive.as_slice()) {
        ([], _) => {}
        (_, []) => add([0, 1, 2, 3].map(Vertex)),
        (&[n], _) => add([0, 1, 2, 3].map(|i| if sign[i] > 0 { Cut(n, i) } else { Vertex(i) })),
        (&[m, n], &[p]) => {
            let zero = 6 - m - n - p;
            let from = leaves(m, n, p);
            let to = m + n - from;
            pyramid(Vertex(zero), from, to, p, &mut add);
        }
        (&[m, n], &[p, q]) => {
            // The two diagonals leave different vertices, as the rules above are.
            let (a, b) = (leaves(m, n, p), leaves(m, n, q));
            let (p, q, a, b) = if a == b { (p, q, a, m + n - a) } else { (p, q, a, b) };
            add([Vertex(a), Vertex(b), Cut(b, p), Cut(a, q)]);
            add([Vertex(a), Cut(a, p), Cut(a, q), Cut(b, p)]);
            add([Vertex(b), Cut(b, p), Cut(b, q), Cut(a, q)]);
        }
        (&[l, m, n], &[p]) => {
            // One of the three is left by two diagonals.
            let sides = [(l, m), (m, n), (n, l)].map(|(a, b)| (leaves(a, b, p), a, b));
            let times = |v: usize| sides.iter().filter(|(from, _, _)| *from == v).count();
            let top = [l, m, n].into_iter().find(|&v| times(v) == 2).unwrap_or(l);
            let Some(&(from, a, b)) = sides.iter().find(|(_, a, b)| *a != top && *b != top) else { return };
            add([Vertex(top), Cut(top, p), Cut(a, p), Cut(b, p)]);
            pyramid(Vertex(top), from, a + b - from, p, &mut add);
        }
        _ => {}
    }
}

/// Over the face between two inner vertices and their cuts towards p, with the diagonal `from` – cut of `to`.
fn pyramid(top: Corner, from: usize, to: usize, p: usize, add: &mut impl FnMut([Corner; 4])) {
    add([top, Vertex(from), Vertex(to), Cut(to, p)]);
    add([top, Vertex(from), Cut(to, p), Cut(from, p)]);
}

fn is_long(a: usize, b: usize) -> bool {
    a / 2 == b / 2
}

/// Up to four numbers of vertices.
#[derive(Default)]
struct Vec4 {
    of: [usize; 4],
    len: usize,
}

impl Vec4 {
    fn as_slice(&self) -> &[usize] {
        &self.of[..self.len]
    }
}

impl FromIterator<usize> for Vec4 {
    fn from_iter<I: IntoIterator<Item = usize>>(numbers: I) -> Self {
        let mut list = Self::default();
        for (slot, number) in list.of.iter_mut().zip(numbers) {
            *slot = number;
            list.len += 1;
        }
        list
    }
}
