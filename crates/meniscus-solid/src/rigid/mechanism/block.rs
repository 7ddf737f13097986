//! Blocks of six by six, one for a body and one for a joint, and what is done with them.

pub(crate) type Block = [[f64; 6]; 6];
pub(crate) type Six = [f64; 6];

pub(crate) const ZERO: Block = [[0.0; 6]; 6];

/// a b.
pub(crate) fn product(a: &Block, b: &Block) -> Block {
    let mut c = ZERO;
    for (c, a) in c.iter_mut().zip(a) {
        for (a, b) in a.iter().zip(b) {
            for (c, b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
    c
}

/// c − a b.
pub(crate) fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for (c, a) in c.iter_mut().zip(a) {
        for (a, b) in a.iter().zip(b) {
            for (c, b) in c.iter_mut().zip(b) {
                *c -= a * b;
            }
        }
    }
}

/// a x.
pub(crate) fn apply(a: &Block, x: &Six) -> Six {
    a.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
}

/// y − a x.
pub(crate) fn subtract_apply(y: &mut Six, a: &Block, x: &Six) {
    for (y, a) in y.iter_mut().zip(apply(a, x)) {
        *y -= a;
    }
}

/// The inverse, by elimination with row pivots. Without a pivot the result is not finite.
pub(crate) fn inverse(a: &Block) -> Block {
    let (mut a, mut b) = (*a, ZERO);
    for (i, row) in b.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for k in 0..6 {
        let pivot = (k + 1..6).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        a.swap(k, pivot);
        b.swap(k, pivot);
        let scale = a[k][k].recip();
        a[k].iter_mut().chain(&mut b[k]).for_each(|x| *x *= scale);
        let (row, right) = (a[k], b[k]);
        for i in (0..6).filter(|i| *i != k) {
            let share = a[i][k];
            if share != 0.0 {
                a[i].iter_mut().zip(&row).for_each(|(x, y)| *x -= share * y);
                b[i].iter_mut().zip(&right).for_each(|(x, y)| *x -= share * y);
            }
        }
    }
    b
}
