//! All elements of a body, and what they sum to at its nodes.

use super::cloth::hinge::ShellPatch;
use super::cloth::membrane::Membrane;
use super::elastic::tetrahedron::{Linear, Quadratic};
use super::element::{Element, Motion};
use super::linear::LinearStencil;
use super::rope::Segment;
use super::sparse::{Gather, Pattern};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Elements and nodes that one thread takes at least.
const ELEMENTS: usize = 64;

/// The elements of a body.
#[derive(Debug, Clone, Default)]
pub(crate) struct Elements {
    pub(crate) membrane: Vec<Membrane>,
    pub(crate) shell: Vec<ShellPatch>,
    pub(crate) linear: Vec<Linear>,
    pub(crate) quadratic: Vec<Quadratic>,
    pub(crate) segment: Vec<Segment>,
    /// Energies that are quadratic in positions.
    pub(crate) stencil: Vec<LinearStencil>,
}

/// Does something with each list of elements.
macro_rules! each_list {
    ($elements:expr, $list:ident => $work:expr) => {{
        let elements = $elements;
        {
            let $list = &elements.membrane;
            $work
        }
        {
            let $list = &elements.shell;
            $work
        }
        {
            let $list = &elements.linear;
            $work
        }
        {
            let $list = &elements.quadratic;
            $work
        }
        {
            let $list = &elements.segment;
            $work
        }
    }};
}

/// Elements with where their shares go.
#[derive(Debug, Clone)]
pub(crate) struct System {
    elements: Elements,
    pub(crate) pattern: Pattern,
    /// The quadratic energies' matrix, in the pattern `[N/m]`.
    quadratic: Vec<f64>,
    to_node: Gather,
    to_block: Gather,
    /// What elements add to nodes and blocks.
    force: Vec<DVec3>,
    tangent: Vec<DMat3>,
    /// The assembled tangent `[N/m]`.
    pub(crate) block: Vec<DMat3>,
}

fn node_lists<E: Element>(list: &[E]) -> impl Iterator<Item = &[u32]> {
    list.iter().map(Element::nodes)
}

impl System {
    pub(crate) fn new(nodes: usize, elements: Elements) -> Self {
        let mut groups: Vec<&[u32]> = elements.stencil.iter().map(|stencil| &stencil.node[..]).collect();
        each_list!(&elements, list => groups.extend(node_lists(list)));
        let pattern = Pattern::new(nodes, groups.into_iter());
        let (mut node_of, mut block_of) = (Vec::new(), Vec::new());
        each_list!(&elements, list => for group in node_lists(list) {
            node_of.extend_from_slice(group);
            for &a in group {
                block_of.extend(group.iter().map(|&b| pattern.block(a, b) as u32));
            }
        });
        let mut quadratic = vec![0.0; pattern.column.len()];
        for LinearStencil { node, matrix } in &elements.stencil {
            for (a, row) in node.iter().zip(matrix.chunks(node.len())) {
                for (b, q) in node.iter().zip(row) {
                    quadratic[pattern.block(*a, *b)] += q;
                }
            }
        }
        Self {
            to_node: Gather::new(nodes, &node_of),
            to_block: Gather::new(pattern.column.len(), &block_of),
            force: vec![DVec3::ZERO; node_of.len()],
            tangent: vec![DMat3::ZERO; block_of.len()],
            block: vec![DMat3::ZERO; pattern.column.len()],
            quadratic,
            elements,
            pattern,
        }
    }

    /// The gradient of elastic and viscous potentials in a step, on each node `[N]`.
    pub(crate) fn gradient(&mut self, motion: &Motion<'_>, out: &mut [DVec3]) {
        fn fill<'a, E: Element>(list: &[E], motion: &Motion<'_>, slots: &'a mut [DVec3]) -> &'a mut [DVec3] {
            let (own, rest) = slots.split_at_mut(list.len() * E::NODES);
            let elements = own.par_chunks_exact_mut(E::NODES).zip(list).with_min_len(ELEMENTS);
            elements.for_each(|(slots, element)| element.gradient(motion, slots));
            rest
        }
        let Self { elements, pattern, quadratic, to_node, force, .. } = self;
        let mut slots = &mut force[..];
        each_list!(&*elements, list => slots = fill(list, motion, slots));
        debug_assert!(slots.is_empty());
        let bends = !elements.stencil.is_empty();
        let force = &*force;
        out.par_iter_mut().with_min_len(ELEMENTS).enumerate().for_each(|(node, out)| {
            let mut sum: DVec3 = to_node.of(node).iter().map(|&slot| force[slot as usize]).sum();
            if bends {
                for k in pattern.row(node) {
                    let other = pattern.column[k] as usize;
                    let middle = 0.5 * (motion.start[other] + motion.end[other]);
                    // Not damped: rates of these energies do not vanish when a bent body turns.
                    sum += quadratic[k] * middle;
                }
            }
            *out = sum;
        });
    }

    /// Assembles how that gradient changes with Δx, plus `inertia(node)` on the diagonal `[N/m]`.
    pub(crate) fn assemble(&mut self, motion: &Motion<'_>, inertia: impl Fn(usize) -> f64 + Sync) {
        fn fill<'a, E: Element>(list: &[E], motion: &Motion<'_>, slots: &'a mut [DMat3]) -> &'a mut [DMat3] {
            let (own, rest) = slots.split_at_mut(list.len() * E::NODES * E::NODES);
            let elements = own.par_chunks_exact_mut(E::NODES * E::NODES).zip(list).with_min_len(ELEMENTS);
            elements.for_each(|(slots, element)| element.tangent(motion, slots));
            rest
        }
        let Self { elements, pattern, quadratic, to_block, tangent, block, .. } = self;
        let mut slots = &mut tangent[..];
        each_list!(&*elements, list => slots = fill(list, motion, slots));
        debug_assert!(slots.is_empty());
        let (tangent, quadratic) = (&*tangent, &*quadratic);
        block.par_iter_mut().with_min_len(4 * ELEMENTS).enumerate().for_each(|(k, block)| {
            let sum: DMat3 =
                to_block.of(k).iter().fold(DMat3::ZERO, |sum, &slot| sum + tangent[slot as usize]);
            *block = sum + DMat3::from_diagonal(DVec3::splat(0.5 * quadratic[k]));
        });
        for (node, &k) in pattern.diagonal.iter().enumerate() {
            block[k as usize] += DMat3::from_diagonal(DVec3::splat(inertia(node)));
        }
    }

    /// Energy of stretching (and all that volumes store), and of bending `[J]`.
    pub(crate) fn energies(&self, x: &[DVec3]) -> (f64, f64) {
        fn sum<E: Element>(list: &[E], x: &[DVec3]) -> f64 {
            meniscus_core::reduce::sum(list.len(), |k| list[k].energy(x))
        }
        let Elements { membrane, shell, linear, quadratic, segment, stencil } = &self.elements;
        let elastic = sum(membrane, x) + sum(linear, x) + sum(quadratic, x) + sum(segment, x);
        let bent = meniscus_core::reduce::sum(stencil.len(), |k| stencil[k].energy(x));
        (elastic, sum(shell, x) + bent)
    }

    /// The largest stretch of an element: length over that at rest `[1]`.
    pub(crate) fn stretch(&self, x: &[DVec3]) -> f64 {
        let mut largest: f64 = 0.0;
        each_list!(&self.elements, list => {
            largest = meniscus_core::reduce::max(list.len(), largest, |k| list[k].stretch(x));
        });
        largest
    }
}
