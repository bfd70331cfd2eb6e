//! `a * b + c` of floats, rounded once. WebAssembly has no such instruction, so `mul_add` would call a function for each lane;
//! there, two other ways compute it side by side.
//!
//! With relaxed SIMD, `relaxed_madd` does it. It may also round twice, depending on the processor: a program that enables relaxed SIMD
//! promises that it fuses (the page of the lab asks before it chooses that module).
//!
//! Without, the product is exact in 64 bits, the sum is rounded to odd in 64 bits, and then to the nearest in 32 bits: the result is
//! that of one rounding, since 53 >= 2 * 24 + 2 (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums", 2008). The error
//! of the sum comes from Knuth's TwoSum.

/// `a * b + c`.
#[inline(always)]
pub fn fused(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_family = "wasm") { by_doubles(a, b, c) } else { a.mul_add(b, c) }
}

/// `sum[i] + a[i] * b[i]` of 16 lanes.
#[inline(always)]
pub fn add_products(a: &[f32; 16], b: &[f32; 16], sum: &mut [f32; 16]) {
    #[cfg(all(target_family = "wasm", target_feature = "relaxed-simd"))]
    for i in (0..16).step_by(4) {
        use std::arch::wasm32::{f32x4_relaxed_madd, v128_load, v128_store};
        // SAFETY: the lanes `i` to `i + 3` are in their arrays, and these accesses need no alignment.
        unsafe {
            let [a, b, c] =
                [a.as_ptr(), b.as_ptr(), sum.as_ptr()].map(|at| v128_load(at.add(i).cast()));
            v128_store(sum.as_mut_ptr().add(i).cast(), f32x4_relaxed_madd(a, b, c));
        }
    }
    #[cfg(not(all(target_family = "wasm", target_feature = "relaxed-simd")))]
    for i in 0..16 {
        sum[i] = fused(a[i], b[i], sum[i]);
    }
}

/// By arithmetic in 64 bits, without a branch.
#[inline(always)]
fn by_doubles(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let from_c = sum - product;
    let error = (product - (sum - from_c)) + (c - from_c);
    let bits = sum.to_bits();
    // The error of infinities and NaNs is NaN, which is neither greater nor less.
    let inexact = (error > 0.0) | (error < 0.0);
    let is_even = bits & 1 == 0;
    // Toward the exact sum, by one unit in the last place: away from zero if the error has the sign of the sum.
    let step = if (error > 0.0) == (sum > 0.0) { 1 } else { u64::MAX };
    f64::from_bits(if inexact & is_even { bits.wrapping_add(step) } else { bits }) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floats of all kinds: random bits, numbers near each other, ends of the range.
    fn samples() -> impl FnMut() -> f32 {
        let mut state = 1u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (kind, bits) = (state >> 60, (state >> 20) as u32);
            match kind {
                0..=5 => f32::from_bits(bits),
                6..=8 => f32::from_bits(0x3f80_0000 | bits & 0x80ff_ffff),
                9..=10 => f32::from_bits(bits & 0x80ff_ffff),
                11 => f32::from_bits(0x7f00_0000 | bits & 0x80ff_ffff),
                12..=13 => (bits % 4096) as f32 / 64.0,
                _ => [0.0, -0.0, f32::INFINITY, f32::MIN_POSITIVE, 1e-45, f32::MAX, 1.0, f32::NAN]
                    [bits as usize % 8],
            }
        }
    }

    #[test]
    fn doubles_round_as_a_fused_multiply_add() {
        let mut next = samples();
        for _ in 0..2_000_000 {
            let [a, b, c] = [next(), next(), next()];
            let (found, expected) = (by_doubles(a, b, c), a.mul_add(b, c));
            let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
            assert!(same, "{a:e} * {b:e} + {c:e} = {expected:e}, found {found:e}");
        }
        // Sums that cancel, whose errors are products of the last bits.
        for _ in 0..200_000 {
            let [a, b] = [next(), next()];
            let c = -(a * b);
            let (found, expected) = (by_doubles(a, b, c), a.mul_add(b, c));
            assert!(found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan());
        }
    }

    #[test]
    fn lanes_are_computed_like_one() {
        let mut next = samples();
        let [a, b, c]: [[f32; 16]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let mut sum = c;
        add_products(&a, &b, &mut sum);
        for i in 0..16 {
            let expected = a[i].mul_add(b[i], c[i]);
            assert!(sum[i].to_bits() == expected.to_bits() || sum[i].is_nan() && expected.is_nan());
        }
    }
}
