//! Packed 16-bit floats of a warp: 64 numbers in 32 words.

use crate::number::narrow::{Narrow, bf16_bits, chosen16, fused, fused16, wide_to_bf16};
use crate::number::single::canonical;
use half::bf16;

/// Applies `f` to the f16 of 32 words; each result is rounded once.
///
/// # Safety
/// On x86-64, the host has F16C.
#[inline(always)]
pub unsafe fn map16<const N: usize>(x: [&[u32; 32]; N], f: impl Fn([f32; N]) -> f32) -> [u32; 32] {
    let mut wide = [[0.0; 64]; N];
    for n in 0..N {
        // SAFETY: the host has F16C, as this function requires.
        wide[n] = unsafe { widen(x[n]) };
    }
    let mut results = [0.0; 64];
    for i in 0..64 {
        let mut operands = [0.0; N];
        for n in 0..N {
            operands[n] = wide[n][i];
        }
        results[i] = canonical(f(operands));
    }
    // SAFETY: the host has F16C, as this function requires.
    unsafe { narrow(&results) }
}

/// The same for the f16 in the low halves of 32 words. The high halves of the results are 0.
///
/// # Safety
/// On x86-64, the host has F16C.
#[inline(always)]
pub unsafe fn map16_low<const N: usize>(
    x: [&[u32; 32]; N],
    f: impl Fn([f32; N]) -> f32,
) -> [u32; 32] {
    let mut wide = [[0.0; 32]; N];
    for n in 0..N {
        // SAFETY: the host has F16C, as this function requires.
        wide[n] = unsafe { widen_low(x[n]) };
    }
    let mut results = [0.0; 32];
    for i in 0..32 {
        let mut operands = [0.0; N];
        for n in 0..N {
            operands[n] = wide[n][i];
        }
        results[i] = f(operands);
    }
    // SAFETY: the host has F16C, as this function requires.
    unsafe { narrow_low(&results) }
}

/// # Safety
/// The host has F16C.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn widen(words: &[u32; 32]) -> [f32; 64] {
    // SAFETY: the host has F16C, as this function requires; 32 words are 64 halves.
    unsafe { widen_halves(words.as_ptr().cast()) }
}

/// # Safety
/// The host has F16C.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn widen_low(words: &[u32; 32]) -> [f32; 32] {
    let mut halves = [0u16; 32];
    for i in 0..32 {
        halves[i] = words[i] as u16;
    }
    // SAFETY: the host has F16C, as this function requires.
    unsafe { widen_halves(halves.as_ptr()) }
}

/// Widens some halves, a multiple of 8.
///
/// # Safety
/// The host has F16C, and `halves` points to so many halves.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn widen_halves<const COUNT: usize>(halves: *const u16) -> [f32; COUNT] {
    use std::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};
    let mut out = [0.0; COUNT];
    for i in 0..COUNT / 8 {
        // SAFETY: the host has F16C, as this function requires; the halves `8 * i` to `8 * i + 7` are there, and the
        // floats with these numbers are in their array.
        unsafe {
            let eight = _mm_loadu_si128(halves.add(8 * i).cast());
            _mm256_storeu_ps(out.as_mut_ptr().add(8 * i), _mm256_cvtph_ps(eight));
        }
    }
    out
}

/// Rounds to the nearest; the NaN of f32 arithmetic becomes the NaN of f16.
///
/// # Safety
/// The host has F16C.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn narrow(floats: &[f32; 64]) -> [u32; 32] {
    let mut out = [0; 32];
    // SAFETY: the host has F16C, as this function requires; 32 words are 64 halves.
    unsafe { narrow_halves(floats, out.as_mut_ptr().cast()) };
    out
}

/// Rounds 32 floats to the nearest f16, each in the low half of a word; NaN becomes the NaN of f16.
///
/// # Safety
/// The host has F16C.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn narrow_low(floats: &[f32; 32]) -> [u32; 32] {
    let (mut numbers, mut halves, mut out) = ([0.0; 32], [0u16; 32], [0; 32]);
    for i in 0..32 {
        numbers[i] = canonical(floats[i]);
    }
    // SAFETY: the host has F16C, as this function requires.
    unsafe { narrow_halves(&numbers, halves.as_mut_ptr()) };
    for i in 0..32 {
        out[i] = halves[i].into();
    }
    out
}

/// Rounds floats, a multiple of 8, to the nearest f16.
///
/// # Safety
/// The host has F16C, and `out` has room for so many halves.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn narrow_halves<const COUNT: usize>(floats: &[f32; COUNT], out: *mut u16) {
    use std::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm_storeu_si128, _mm256_cvtps_ph, _mm256_loadu_ps,
    };
    for i in 0..COUNT / 8 {
        // SAFETY: the host has F16C, as this function requires; the floats `8 * i` to `8 * i + 7` are in their array,
        // and there is room for the halves with these numbers.
        unsafe {
            let eight = _mm256_loadu_ps(floats.as_ptr().add(8 * i));
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(eight);
            _mm_storeu_si128(out.add(8 * i).cast(), halves);
        }
    }
}

/// # Safety
/// None: only the x86-64 version needs F16C.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn widen(words: &[u32; 32]) -> [f32; 64] {
    let mut out = [0.0; 64];
    for i in 0..32 {
        out[2 * i] = crate::number::narrow::f16_value(words[i] & 0xffff);
        out[2 * i + 1] = crate::number::narrow::f16_value(words[i] >> 16);
    }
    out
}

/// # Safety
/// None: only the x86-64 version needs F16C.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn narrow(floats: &[f32; 64]) -> [u32; 32] {
    use crate::number::narrow::f16_bits;
    let mut out = [0; 32];
    for i in 0..32 {
        out[i] = f16_bits(floats[2 * i]) | f16_bits(floats[2 * i + 1]) << 16;
    }
    out
}

/// # Safety
/// None: only the x86-64 version needs F16C.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
unsafe fn widen_low(words: &[u32; 32]) -> [f32; 32] {
    let mut out = [0.0; 32];
    for i in 0..32 {
        out[i] = crate::number::narrow::f16_value(words[i] & 0xffff);
    }
    out
}

/// # Safety
/// None: only the x86-64 version needs F16C.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub unsafe fn narrow_low(floats: &[f32; 32]) -> [u32; 32] {
    let mut out = [0; 32];
    for i in 0..32 {
        out[i] = crate::number::narrow::f16_bits(floats[i]);
    }
    out
}

/// [`chosen16`] of the halves of 32 words.
#[inline(always)]
pub fn chosen(a: &[u32; 32], b: &[u32; 32], choice: (bool, bool), infinity: u16) -> [u32; 32] {
    let (a, b) = (as_halves(a), as_halves(b));
    let mut out = [0; 32];
    let halves = as_halves_mut(&mut out);
    for i in 0..64 {
        halves[i] = chosen16(a[i], b[i], choice, infinity);
    }
    out
}

/// The halves of 32 words, in the host's order.
#[inline(always)]
fn as_halves(words: &[u32; 32]) -> &[u16; 64] {
    // SAFETY: both arrays have the same bytes, all of which are initialized, and halves need less alignment.
    unsafe { &*words.as_ptr().cast() }
}

/// The same, to change them.
#[inline(always)]
fn as_halves_mut(words: &mut [u32; 32]) -> &mut [u16; 64] {
    // SAFETY: as in `as_halves`, and every value of the halves is a value of the words.
    unsafe { &mut *words.as_mut_ptr().cast() }
}

/// `a * b + c` of the bf16 in 32 words, each rounded once.
///
/// The host's fused sum is rounded to f32. Rounding it again is wrong only if it is halfway between two bf16: then it is rounded to
/// odd first.
#[inline(always)]
pub fn bf16_fma(a: &[u32; 32], b: &[u32; 32], c: &[u32; 32]) -> [u32; 32] {
    let (mut out, mut halfway) = ([0; 32], 0);
    for i in 0..32 {
        let low = |x: u32| f32::from_bits(x << 16);
        let high = |x: u32| f32::from_bits(x & 0xffff_0000);
        let sums =
            [low(a[i]).mul_add(low(b[i]), low(c[i])), high(a[i]).mul_add(high(b[i]), high(c[i]))];
        let at_half = |sum: f32| u32::from(sum.to_bits() & 0xffff == 0x8000);
        halfway |= at_half(sums[0]) | at_half(sums[1]);
        out[i] = bf16_bits(sums[0]) | bf16_bits(sums[1]) << 16;
    }
    if halfway != 0 && !bf16_fma_to_odd(a, b, c, &mut out) {
        exact_bf16_fma(a, b, c, &mut out);
    }
    out
}

/// The same by sums rounded to odd, which are rounded once more. The product of two bf16 is exact in f32 unless it is too small or
/// too large; `false` if a lane has such a product.
#[inline(always)]
fn bf16_fma_to_odd(a: &[u32; 32], b: &[u32; 32], c: &[u32; 32], out: &mut [u32; 32]) -> bool {
    let mut inexact = 0;
    for i in 0..32 {
        let low = |x: u32| f32::from_bits(x << 16);
        let high = |x: u32| f32::from_bits(x & 0xffff_0000);
        let mut half = |a: f32, b: f32, c: f32| {
            let size = (a * b).abs();
            let normal = (f32::MIN_POSITIVE..f32::INFINITY).contains(&size);
            inexact |= u32::from(!(normal | (a == 0.0) | (b == 0.0)));
            // The same sum with the same error as for f16.
            bf16_bits(fused16(a, b, c))
        };
        out[i] =
            half(low(a[i]), low(b[i]), low(c[i])) | half(high(a[i]), high(b[i]), high(c[i])) << 16;
    }
    inexact == 0
}

#[inline(never)]
fn exact_bf16_fma(a: &[u32; 32], b: &[u32; 32], c: &[u32; 32], out: &mut [u32; 32]) {
    let one = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|x| bf16::from_bits(x as u16).widen());
        u32::from(wide_to_bf16(fused(a, b, c)).to_bits())
    };
    for i in 0..32 {
        out[i] = one(a[i], b[i], c[i]) | one(a[i] >> 16, b[i] >> 16, c[i] >> 16) << 16;
    }
}

#[cfg(test)]
mod tests {
    use crate::number::narrow::lanes::{bf16_fma, map16};
    use crate::number::narrow::{fused, fused16, to_f16, wide_to_bf16, wide_to_f16, widen16};
    use half::{bf16, f16};

    /// Words from a linear congruence; every third has few digits, so that halves of a last place occur.
    fn words(seed: &mut u64) -> [u32; 32] {
        std::array::from_fn(|i| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let word = (*seed >> 32) as u32;
            if i % 3 == 0 { word & 0xfff0_ffe0 } else { word }
        })
    }

    fn halves(words: &[u32; 32]) -> [u16; 64] {
        std::array::from_fn(|i| (words[i / 2] >> (16 * (i % 2))) as u16)
    }

    #[test]
    fn every_f16_widens_and_narrows_to_itself_and_every_f32_between_to_the_nearest() {
        for bits in 0..=u16::MAX {
            let (x, y) = (f16::from_bits(bits), f16::from_bits(bits).to_f32());
            assert_eq!(y.is_nan(), widen16(x).is_nan());
            if y.is_nan() {
                continue;
            }
            assert_eq!(widen16(x).to_bits(), y.to_bits());
            for step in -3..=3 {
                for middle in [0, 0x800, 0x1000, 0x1800] {
                    let near = f32::from_bits(y.to_bits().wrapping_add_signed(step) ^ middle);
                    if !near.is_nan() {
                        assert_eq!(to_f16(near), f16::from_f32(near), "{near:e}");
                    }
                }
            }
        }
    }

    /// Compares this many rounds of 64 numbers.
    fn compare(rounds: u32) {
        #[cfg(target_arch = "x86_64")]
        if !is_x86_feature_detected!("f16c") {
            return;
        }
        let mut seed = 1;
        for _ in 0..rounds {
            let [a, b, c] = [0; 3].map(|_: u32| words(&mut seed));
            // SAFETY: the host was found to have F16C.
            let sums = unsafe { map16([&a, &b, &c], |[a, b, c]| fused16(a, b, c)) };
            let products = bf16_fma(&a, &b, &c);
            let [a, b, c, sums, products] = [a, b, c, sums, products].map(|x| halves(&x));
            for i in 0..64 {
                let [x, y, z] = [a[i], b[i], c[i]].map(|x| widen16(f16::from_bits(x)));
                let want = wide_to_f16(fused(x, y, z)).to_bits();
                assert_eq!(sums[i], want, "f16 {:#x} * {:#x} + {:#x}", a[i], b[i], c[i]);
                let [x, y, z] = [a[i], b[i], c[i]].map(|x| bf16::from_bits(x).to_f32());
                let want = wide_to_bf16(fused(x, y, z)).to_bits();
                assert_eq!(products[i], want, "bf16 {:#x} * {:#x} + {:#x}", a[i], b[i], c[i]);
            }
        }
    }

    /// Halves that are zero, infinite, NaN and ordinary numbers of both signs.
    #[test]
    fn the_larger_and_the_smaller_number_are_those_of_wider_floats() {
        use crate::number::narrow::{NAN16, chosen16x2, lanes::chosen};
        use crate::number::single::{max32, min32, or_nan};
        let kinds = [0, 1, 0x3ff, 0x400, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f80];
        let all: Vec<u16> =
            kinds.iter().chain(&[0x7f81, 0x7fff]).flat_map(|half| [*half, half | 0x8000]).collect();
        for (infinity, bf16) in [(0x7c00, false), (0x7f80, true)] {
            let widen = |half: u16| match bf16 {
                true => f32::from_bits(u32::from(half) << 16),
                false => widen16(f16::from_bits(half)),
            };
            let narrow = |x: f32| match bf16 {
                _ if x.is_nan() => NAN16,
                true => bf16::from_f32(x).to_bits(),
                false => to_f16(x).to_bits(),
            };
            for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                let (x, y) = (widen(a), widen(b));
                let expected = [
                    ((false, false), min32(x, y)),
                    ((true, false), max32(x, y)),
                    ((false, true), or_nan(min32, x, y)),
                    ((true, true), or_nan(max32, x, y)),
                ];
                for (choice, expected) in expected {
                    let pair = |half: u16| u32::from(half) | u32::from(!half) << 16;
                    let got = chosen16x2(pair(a), pair(b), choice, infinity);
                    assert_eq!(got as u16, narrow(expected), "{choice:?} {a:#x} {b:#x} {bf16}");
                    let lanes = chosen(&[pair(a); 32], &[pair(b); 32], choice, infinity);
                    assert_eq!(lanes, [got; 32], "{choice:?} {a:#x} {b:#x} {bf16}");
                }
            }
        }
    }

    #[test]
    fn fused_operations_round_once() {
        compare(20_000);
    }

    #[test]
    #[ignore = "slow: a billion operations, one minute"]
    fn fused_operations_round_once_for_a_billion_operands() {
        compare(1 << 24);
    }
}
