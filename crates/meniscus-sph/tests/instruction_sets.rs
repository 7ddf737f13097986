//! Kernels have the same bits at every instruction-set level of this processor. (Rows choose the level themselves;
//! they are compared with a scalar reference in `neighbour_rows`.)

use fearless_simd::{Level, SimdFrom, dispatch, f32x8};
use meniscus_sph::kernel::{CubicSpline, KernelShape, WendlandC2};

fn levels() -> Vec<Level> {
    let best = Level::new();
    let mut levels = vec![best, Level::baseline()];
    #[cfg(target_arch = "x86_64")]
    {
        levels.extend(best.as_sse2().map(Level::Sse2));
        levels.extend(best.as_sse4_2().map(Level::Sse4_2));
        levels.extend(best.as_avx2().map(Level::Avx2));
    }
    levels
}

fn bits<K: KernelShape>(level: Level, q: [f32; 8]) -> [[u32; 8]; 2] {
    let (value, slope): ([f32; 8], [f32; 8]) = dispatch!(level, simd => {
        let q = f32x8::simd_from(simd, q);
        (K::value(simd, q).into(), K::slope_over_q(simd, q).into())
    });
    [value.map(f32::to_bits), slope.map(f32::to_bits)]
}

fn check<K: KernelShape>() {
    for n in 0..4000u16 {
        let q = std::array::from_fn(|lane| (f32::from(8 * n) + lane as f32 + 0.37) * 3.3e-5);
        let expected = bits::<K>(Level::new(), q);
        for level in levels() {
            assert_eq!(bits::<K>(level, q), expected, "{level:?} at {q:?}");
        }
    }
}

#[test]
fn kernels_do_not_depend_on_the_instruction_set() {
    check::<CubicSpline>();
    check::<WendlandC2>();
}
