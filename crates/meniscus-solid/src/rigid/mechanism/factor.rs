//! A sparse matrix of blocks, its factors, and some of its inverse.

use super::block::{Block, Six, ZERO, apply, inverse, product, subtract_apply, subtract_product};
use super::pattern::Pattern;

/// A matrix of blocks of six by six whose places a [`Pattern`] knows; once factorised, its factors.
#[derive(Debug, Default)]
pub(crate) struct Matrix {
    pub block: Vec<Block>,
}

impl Matrix {
    /// All zero.
    pub fn clear(&mut self, pattern: &Pattern) {
        self.block.clear();
        self.block.resize(pattern.blocks, ZERO);
    }

    /// Replaces the matrix by its factors L D U: inverse pivots, L below and what the elimination leaves to the right of them.
    pub fn factorise(&mut self, pattern: &Pattern) {
        for pivot in &pattern.pivot {
            let own = inverse(&self.block[pivot.node as usize]);
            self.block[pivot.node as usize] = own;
            let count = pivot.later.len();
            for (i, row) in pivot.later.iter().enumerate() {
                let share = product(&self.block[row.below as usize], &own);
                self.block[row.below as usize] = share;
                for (j, column) in pivot.later.iter().enumerate() {
                    let right = self.block[column.right as usize];
                    subtract_product(&mut self.block[pivot.target[i * count + j] as usize], &share, &right);
                }
            }
        }
    }

    /// Solves in place, after it was factorised.
    pub fn solve(&self, pattern: &Pattern, x: &mut [Six]) {
        for pivot in &pattern.pivot {
            let own = x[pivot.node as usize];
            for later in &pivot.later {
                subtract_apply(&mut x[later.node as usize], &self.block[later.below as usize], &own);
            }
        }
        for pivot in pattern.pivot.iter().rev() {
            let mut own = x[pivot.node as usize];
            for later in &pivot.later {
                subtract_apply(&mut own, &self.block[later.right as usize], &x[later.node as usize]);
            }
            x[pivot.node as usize] = apply(&self.block[pivot.node as usize], &own);
        }
    }

    /// The blocks of the inverse in the places of the pattern, the diagonal ones included, from the factors. From the last
    /// pivot back each needs only what those after it have left.
    pub fn inverse(&self, pattern: &Pattern) -> Self {
        let mut block = vec![ZERO; pattern.blocks];
        for pivot in pattern.pivot.iter().rev() {
            let own = self.block[pivot.node as usize];
            let count = pivot.later.len();
            let shares: Vec<Block> =
                pivot.later.iter().map(|l| product(&own, &self.block[l.right as usize])).collect();
            let mut diagonal = own;
            for (j, column) in pivot.later.iter().enumerate() {
                let (mut right, mut below) = (ZERO, ZERO);
                for (i, row) in pivot.later.iter().enumerate() {
                    let (across, back) = (pivot.target[i * count + j], pivot.target[j * count + i]);
                    subtract_product(&mut right, &shares[i], &block[across as usize]);
                    subtract_product(&mut below, &block[back as usize], &self.block[row.below as usize]);
                }
                block[column.right as usize] = right;
                block[column.below as usize] = below;
            }
            for (share, later) in shares.iter().zip(&pivot.later) {
                subtract_product(&mut diagonal, share, &block[later.below as usize]);
            }
            block[pivot.node as usize] = diagonal;
        }
        Self { block }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_and_inverses_are_those_of_the_whole_matrix() {
        // A ring of five with a tail, symmetric and dominated by its diagonal.
        let joints: Vec<[Option<usize>; 2]> = (0..5)
            .map(|k| [Some(k), Some((k + 1) % 5)])
            .chain([[Some(5), Some(2)], [Some(5), None]])
            .collect();
        let pattern = Pattern::new(6, &joints);
        let mut matrix = Matrix::default();
        matrix.clear(&pattern);
        let mut random = 1_u64;
        let mut draw = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as f64 / 2_f64.powi(31) - 0.5
        };
        for node in 0..13 {
            for i in 0..6 {
                for j in 0..=i {
                    let value = draw() + if i == j { 20.0 } else { 0.0 };
                    (matrix.block[node][i][j], matrix.block[node][j][i]) = (value, value);
                }
            }
        }
        let mut pairs = Vec::new();
        for (k, ends) in joints.iter().enumerate() {
            pairs.extend(ends.iter().flatten().map(|b| (*b, 6 + k)));
        }
        for &(a, b) in &pairs {
            for i in 0..6 {
                for j in 0..6 {
                    let value = draw();
                    matrix.block[pattern.place(a, b)][i][j] = value;
                    matrix.block[pattern.place(b, a)][j][i] = value;
                }
            }
        }
        let whole = matrix.block.clone();
        matrix.factorise(&pattern);
        let inverse = matrix.inverse(&pattern);
        for column in 0..6 {
            let mut x = vec![[0.0; 6]; 13];
            x[3][column] = 1.0;
            matrix.solve(&pattern, &mut x);
            for (row, x) in inverse.block[3].iter().zip(x[3]) {
                assert!((row[column] - x).abs() < 1e-13);
            }
            for node in 0..13 {
                let mut sum = apply(&whole[node], &x[node]);
                for &(a, b) in pairs.iter().filter(|(a, b)| *a == node || *b == node) {
                    let other = if a == node { b } else { a };
                    let part = apply(&whole[pattern.place(node, other)], &x[other]);
                    sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
                }
                for (i, s) in sum.iter().enumerate() {
                    let wanted = if node == 3 && i == column { 1.0 } else { 0.0 };
                    assert!((s - wanted).abs() < 1e-12, "{node} {i}: {s}");
                }
            }
        }
    }
}
