//! Addition of groups of products in f32 and integers: the common case of [`super::sum`], at half its cost. Also the
//! metadata of sparse matrices ([`Chunks`]).
//!
//! Every factor is an f32 of at most 12 bits, so products are exact. If their powers of two are between [`LOWEST`] and
//! [`HIGHEST`], aligned products are exact, too: their whole part is below 2^27, so 32 bits hold the sum of eight products
//! and an accumulator.

use crate::instructions::matrix::sum::{Adder, Round, SIDE, Term, rounded};
use crate::machine::Warp;
use crate::number::eight::E4M3;
use crate::number::narrow::f16_value;
use lanework_ptx_ir::opcode::matrix::{ElementType, Sparse};

/// The least power of two of a factor that is added in f32: for all products, `2^kept / power` is then a normal f32.
const LOWEST: f32 = 1.0 / (1u64 << 45) as f32;

/// The largest such power.
const HIGHEST: f32 = (1u64 << 60) as f32;

/// The largest power of an f16. [`decode`] gives twice as large ones for infinities and NaN.
const HIGHEST_HALF: f32 = 32768.0;

/// The least power that terms are aligned to; every product's power is greater.
const LEAST_TOP: f32 = LOWEST * LOWEST / 1024.0;

/// Elements of a matrix as f32, and their powers of two.
pub struct NarrowFactors<const N: usize> {
    /// The values.
    pub value: [f32; N],
    /// The powers of two, as in [`super::sum::Term`].
    pub power: [f32; N],
}

impl<const N: usize> NarrowFactors<N> {
    /// All zeros, before its elements are set.
    pub const EMPTY: NarrowFactors<N> = NarrowFactors { value: [0.0; N], power: [0.0; N] };

    /// Sets an element; `None` if its power is outside of the range, infinite or NaN.
    #[inline(always)]
    pub fn set(&mut self, place: usize, term: Term) -> Option<()> {
        let power = term.power as f32;
        (self.value[place], self.power[place]) = (term.value as f32, power);
        (term.power == 0.0 || (LOWEST..=HIGHEST).contains(&power)).then_some(())
    }

    /// Finds the powers of the first `count` values, which [`decode`] gave; `false` if some is outside of the range, infinite or
    /// NaN. `count` is a multiple of [`SIDE`].
    #[inline(always)]
    pub fn find_powers(&mut self, number: ElementType, count: usize) -> bool {
        // Positive floats compare as integers, which need no care for NaN.
        let (mut low, mut high) = ([i32::MAX; SIDE], [0; SIDE]);
        let least = least(number).to_bits() as i32;
        let highest = match number {
            ElementType::F16 | ElementType::E5m2 => HIGHEST_HALF,
            _ => HIGHEST,
        };
        // Eight at a time: a loop over single elements did not vectorize, and took a third of a product's time.
        let values = self.value.as_chunks::<SIDE>().0.iter();
        let powers = self.power.as_chunks_mut::<SIDE>().0.iter_mut();
        for (value, to) in values.zip(powers).take(count / SIDE) {
            for j in 0..SIDE {
                let bits = value[j].to_bits() as i32;
                let power = (bits & 0x7f80_0000).max(least);
                let zero = bits << 1 == 0;
                let power = if zero { 0 } else { power };
                low[j] = low[j].min(if zero { i32::MAX } else { power });
                high[j] = high[j].max(power);
                to[j] = f32::from_bits(power as u32);
            }
        }
        let (mut lowest, mut most) = (i32::MAX, 0);
        for j in 0..SIDE {
            lowest = lowest.min(low[j]);
            most = most.max(high[j]);
        }
        lowest >= LOWEST.to_bits() as i32 && most <= highest.to_bits() as i32
    }
}

/// Elements of the largest A whose products are added in f32: 16 rows.
pub const MOST_OF_A: usize = 1024;

/// Elements of the largest such B: eight columns of a warpgroup's product, or all of a warp's.
pub const MOST_OF_B: usize = 512;

/// Arrays for the factors of a product.
pub struct FactorArrays {
    /// A.
    pub a: NarrowFactors<MOST_OF_A>,
    /// B.
    pub b: NarrowFactors<MOST_OF_B>,
}

impl FactorArrays {
    /// The arrays of the worker that runs a warp. They hold the factors of its last product.
    ///
    /// # Safety
    /// The warp's context is live, and the caller drops the reference before it calls this again.
    #[inline(always)]
    pub unsafe fn of_worker<'a>(warp: &Warp) -> &'a mut FactorArrays {
        let new = || Box::new(FactorArrays { a: NarrowFactors::EMPTY, b: NarrowFactors::EMPTY });
        // SAFETY: the worker owns the context for as long as its warps run (`Body::run`); only products use this field, one
        // reference at a time, as this function requires.
        unsafe { (*warp.context).factors.get_or_insert_with(new) }
    }
}

/// Accumulators of eight rows and eight columns.
pub type AccumulatorTile = [[f32; SIDE]; SIDE];

/// The smallest normal number of a type of factors.
pub fn least(number: ElementType) -> f32 {
    crate::instructions::matrix::sum::least(number) as f32
}

/// The factors that start at bit `shift` of each lane's word, as f32.
#[inline(always)]
pub fn decode(number: ElementType, words: &[u32; 32], shift: usize) -> [f32; 32] {
    let mut out = [0.0; 32];
    /// A loop for each type, so that each vectorizes.
    macro_rules! each {
        ($($type:ident: $bits:ident => $value:expr,)* _: $rest:ident => $other:expr) => {
            match number {
                $(ElementType::$type => {
                    for i in 0..32 {
                        let $bits = words[i] >> shift;
                        out[i] = $value;
                    }
                })*
                _ => {
                    for i in 0..32 {
                        let $rest = words[i] >> shift;
                        out[i] = $other;
                    }
                }
            }
        };
    }
    each! {
        F16: bits => finite_f16(bits),
        Bf16: bits => value(ElementType::Bf16, bits),
        Tf32: bits => value(ElementType::Tf32, bits),
        E4m3: bits => value(ElementType::E4m3, bits),
        E5m2: bits => finite_f16(bits << 8),
        _: bits => f32::from_bits(bits)
    }
    out
}

/// The f32 of the low 16 bits, an f16. Infinities and NaN become numbers with the next exponent.
#[inline(always)]
fn finite_f16(bits: u32) -> f32 {
    // 2^112 moves the exponent's bias from 15 to 127, subnormals included.
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits(0x7780_0000);
    f32::from_bits(magnitude.to_bits() | (bits & 0x8000) << 16)
}

/// Rows of A, and rows of eight columns of B: their values and their powers.
pub struct TileFactors<'a> {
    /// A, row by row.
    pub a: [&'a [f32]; 2],
    /// B, row by row.
    pub b: [&'a [[f32; SIDE]]; 2],
    /// Columns of A and rows of B: a multiple of [`SIDE`], padded with zeros if the product has fewer.
    pub k: usize,
}

impl TileFactors<'_> {
    /// Adds the product to the accumulators of eight rows and columns, whose smallest normal number is `least`. `false` if the
    /// product is formed in groups and a sum before the last is infinite.
    ///
    /// # Safety
    /// With `AVX2`, the host has it.
    #[inline(always)]
    pub unsafe fn add_to<const AVX2: bool>(
        &self,
        tile: &mut AccumulatorTile,
        adder: Adder,
        least: f32,
    ) -> bool {
        let k = self.k;
        let group = if adder.apart { k / 2 } else { k };
        let group = adder.group.min(group).max(SIDE);
        for (row, c) in tile.iter_mut().enumerate() {
            let (mut sum, mut least) = (if adder.apart { [0.0; SIDE] } else { *c }, least);
            for first in (0..k).step_by(group) {
                if first > 0 && sum.iter().any(|sum| !sum.is_finite()) {
                    return false;
                }
                let at = row * k + first;
                let a = [&self.a[0][at..][..group], &self.a[1][at..][..group]];
                let b = [&self.b[0][first..][..group], &self.b[1][first..][..group]];
                sum = match AVX2 {
                    // SAFETY: the host has AVX2, as this function requires.
                    #[cfg(target_arch = "x86_64")]
                    true => unsafe { add_group_avx2(adder, a, b, &sum, least) },
                    _ => add_group(adder, a, b, &sum, least),
                };
                least = adder.least() as f32;
            }
            if !adder.apart {
                *c = sum;
                continue;
            }
            for j in 0..SIDE {
                c[j] = adder.add_apart(sum[j].into(), c[j].into()) as f32;
            }
        }
        true
    }
}

/// The f32 of an element.
#[inline(always)]
pub fn value(number: ElementType, bits: u32) -> f32 {
    match number {
        ElementType::F16 => f16_value(bits & 0xffff),
        ElementType::Bf16 => f32::from_bits(bits << 16),
        ElementType::Tf32 => f32::from_bits(bits & !0x1fff),
        ElementType::E4m3 => E4M3[bits as usize & 0xff],
        ElementType::E5m2 => f16_value(bits << 8 & 0xffff),
        _ => f32::from_bits(bits),
    }
}

/// Adds one group of products to accumulators, as [`super::sum::add_group`] and [`rounded`] do; `least` is the smallest normal
/// accumulator. The group has a multiple of [`SIDE`] products.
#[inline(always)]
fn add_group(
    adder: Adder,
    [a, a_power]: [&[f32]; 2],
    [b, b_power]: [&[[f32; SIDE]]; 2],
    c: &[f32; SIDE],
    least: f32,
) -> [f32; SIDE] {
    let mut of_products = [0.0f32; SIDE];
    for (a, b) in a_power.iter().zip(b_power) {
        for j in 0..SIDE {
            let power = a * b[j];
            of_products[j] = if power > of_products[j] { power } else { of_products[j] };
        }
    }
    let scale = (1u32 << adder.kept) as f32;
    let (mut top, mut up, mut whole) = ([0.0f32; SIDE], [0.0f32; SIDE], [0i32; SIDE]);
    for j in 0..SIDE {
        let power = f32::from_bits(c[j].to_bits() & 0x7f80_0000);
        let power = if power < least { least } else { power };
        let power = if c[j] == 0.0 { 0.0 } else { power };
        let most = if power > of_products[j] { power } else { of_products[j] };
        top[j] = if most > LEAST_TOP { most } else { LEAST_TOP };
        up[j] = scale / top[j];
        // SAFETY: the accumulator is finite and less than twice its power, so the number is below 2^(kept + 1).
        whole[j] = unsafe { (c[j] * up[j]).to_int_unchecked() };
    }
    let mut sum = [0.0f64; SIDE];
    for (a, b) in a.as_chunks::<SIDE>().0.iter().zip(b.as_chunks::<SIDE>().0) {
        for (a, b) in a.iter().zip(b) {
            for j in 0..SIDE {
                // SAFETY: factors are finite and less than twice their powers, whose products `top` is not below, so
                // the number is below 2^(kept + 2).
                whole[j] += unsafe { (a * b[j] * up[j]).to_int_unchecked::<i32>() };
            }
        }
        for j in 0..SIDE {
            sum[j] += f64::from(whole[j]);
            whole[j] = 0;
        }
    }
    let down = 1.0 / f64::from(scale);
    for j in 0..SIDE {
        sum[j] *= f64::from(top[j]) * down;
    }
    let mut out = [0.0; SIDE];
    if adder.round == Round::Half {
        for j in 0..SIDE {
            // Without products, the accumulator keeps all its digits.
            let exact = if of_products[j] > 0.0 { sum[j] } else { c[j].into() };
            out[j] = rounded(adder.round, exact) as f32;
        }
        return out;
    }
    for j in 0..SIDE {
        // Aligned sums are 0 or at least 2^-125, so a f32 lacks the last 29 digits of their mantissa.
        let cut = f64::from_bits(sum[j].to_bits() & !0x1fff_ffff) as f32;
        let value = if of_products[j] > 0.0 { cut } else { c[j] };
        let digits = if adder.round == Round::Short { !0x3ff } else { u32::MAX };
        // A sum of zero is positive.
        out[j] = 0.0 + f32::from_bits(value.to_bits() & digits);
    }
    out
}

/// [`add_group`] by AVX2: the compiler does not vectorize all of its loops reliably.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn add_group_avx2(
    adder: Adder,
    [a, a_power]: [&[f32]; 2],
    [b, b_power]: [&[[f32; SIDE]]; 2],
    c: &[f32; SIDE],
    least: f32,
) -> [f32; SIDE] {
    use std::arch::x86_64::*;
    // SAFETY: a row has eight floats.
    let load = |row: &[f32; SIDE]| unsafe { _mm256_loadu_ps(row.as_ptr()) };
    // Four maxima, because each waits for the one before.
    let mut most = [_mm256_setzero_ps(); 4];
    for (a, b) in a_power.as_chunks::<4>().0.iter().zip(b_power.as_chunks::<4>().0) {
        for i in 0..4 {
            most[i] = _mm256_max_ps(most[i], _mm256_mul_ps(_mm256_set1_ps(a[i]), load(&b[i])));
        }
    }
    let of_products =
        _mm256_max_ps(_mm256_max_ps(most[0], most[1]), _mm256_max_ps(most[2], most[3]));
    let (start, zero) = (load(c), _mm256_setzero_ps());
    let exponent = _mm256_and_ps(start, _mm256_set1_ps(f32::INFINITY));
    let power = _mm256_max_ps(exponent, _mm256_set1_ps(least));
    let power = _mm256_andnot_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(start, zero), power);
    let top = _mm256_max_ps(_mm256_max_ps(power, of_products), _mm256_set1_ps(LEAST_TOP));
    let scale = (1u32 << adder.kept) as f32;
    let up = _mm256_div_ps(_mm256_set1_ps(scale), top);
    let mut whole = _mm256_cvttps_epi32(_mm256_mul_ps(start, up));
    let mut sums = [_mm256_setzero_pd(); 2];
    for (a, b) in a.as_chunks::<SIDE>().0.iter().zip(b.as_chunks::<SIDE>().0) {
        for (a, b) in a.iter().zip(b) {
            let product = _mm256_mul_ps(_mm256_set1_ps(*a), load(b));
            whole = _mm256_add_epi32(whole, _mm256_cvttps_epi32(_mm256_mul_ps(product, up)));
        }
        let halves = [_mm256_castsi256_si128(whole), _mm256_extracti128_si256::<1>(whole)];
        for i in 0..2 {
            sums[i] = _mm256_add_pd(sums[i], _mm256_cvtepi32_pd(halves[i]));
        }
        whole = _mm256_setzero_si256();
    }
    let tops = [_mm256_castps256_ps128(top), _mm256_extractf128_ps::<1>(top)];
    let down = _mm256_set1_pd(1.0 / f64::from(scale));
    for i in 0..2 {
        sums[i] = _mm256_mul_pd(sums[i], _mm256_mul_pd(_mm256_cvtps_pd(tops[i]), down));
    }
    let mut out = [0.0; SIDE];
    let multiplied = _mm256_cmp_ps::<_CMP_GT_OQ>(of_products, zero);
    if adder.round == Round::Half {
        let (mut exact, with) = ([0.0; SIDE], _mm256_movemask_ps(multiplied));
        // SAFETY: each half of the array has four numbers.
        unsafe {
            _mm256_storeu_pd(exact.as_mut_ptr(), sums[0]);
            _mm256_storeu_pd(exact.as_mut_ptr().add(4), sums[1]);
        }
        for j in 0..SIDE {
            exact[j] = if with >> j & 1 != 0 { exact[j] } else { c[j].into() };
            out[j] = rounded(adder.round, exact[j]) as f32;
        }
        return out;
    }
    let digits = _mm256_castsi256_pd(_mm256_set1_epi64x(!0x1fff_ffff));
    let cut = _mm256_set_m128(
        _mm256_cvtpd_ps(_mm256_and_pd(sums[1], digits)),
        _mm256_cvtpd_ps(_mm256_and_pd(sums[0], digits)),
    );
    let digits = if adder.round == Round::Short { !0x3ff } else { -1 };
    let value = _mm256_blendv_ps(start, cut, multiplied);
    let value = _mm256_and_ps(value, _mm256_castsi256_ps(_mm256_set1_epi32(digits)));
    // SAFETY: the array has eight floats.
    unsafe { _mm256_storeu_ps(out.as_mut_ptr(), _mm256_add_ps(value, zero)) };
    out
}

/// The metadata of a warp's 16 rows of a sparse matrix A, put in order. Each chunk of a row stores half of its elements,
/// and the metadata gives their positions (PTX manual, "Sparse matrix storage").
pub struct Chunks {
    /// Two-bit indices, lowest first, by row.
    rows: [u64; 16],
    /// Elements of a chunk: 2, 4 or 8.
    chunk: usize,
    /// Columns of the dense matrix.
    k: usize,
}

impl Chunks {
    /// The lanes' metadata for a matrix of `k` columns. Each row has 16, 32 or 64 bits; the selector
    /// names the one or two lanes of a quad that hold them.
    pub fn new(number: ElementType, k: usize, sparse: Sparse, metadata: &[u32; 32]) -> Chunks {
        let chunk = match number.bits() {
            32 => 2,
            4 => 8,
            _ => 4,
        };
        let selector = sparse.selector as usize & 3;
        let mut rows = [0u64; 16];
        for (row, bits) in rows.iter_mut().enumerate() {
            let (quad, upper) = (row % 8 * 4, row / 8);
            let half =
                |lane: usize| u64::from(metadata[quad + (lane & 3)] >> (16 * upper) & 0xffff);
            let word = |lane: usize| u64::from(metadata[quad + (lane & 3)]);
            *bits = match k / chunk {
                4 => half(selector),
                8 if number.bits() <= 8 => word(2 * selector + upper),
                8 => half(2 * selector) | half(2 * selector + 1) << 16,
                _ => word(upper) | word(upper + 2) << 32,
            };
        }
        Chunks { rows, chunk, k }
    }

    /// Moves the stored elements, by rows of `k / 2`, to their places.
    #[inline(always)]
    pub fn spread<T: Copy>(&self, stored: &[T], mut put: impl FnMut(usize, usize, T)) {
        for (row, bits) in self.rows.iter().enumerate() {
            for at in 0..self.k / 2 {
                let column = self.column(*bits, at);
                put(row, column, stored[row * (self.k / 2) + at]);
            }
        }
    }

    /// The column of stored element `at` of a row.
    pub fn column(&self, bits: u64, at: usize) -> usize {
        let kept = self.chunk / 2;
        let (number, within) = (at / kept, at % kept);
        let nibble = bits >> (4 * number) & 15;
        let index = |i: usize| (nibble >> (2 * i) & 3) as usize;
        self.chunk * number
            + match self.chunk {
                // One of two, encoded as a pair of halves.
                2 => index(0) / 2,
                4 => index(within),
                // Pairs stay together.
                _ => 2 * index(within / 2) + within % 2,
            }
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::matrix::narrow::*;
    use crate::instructions::matrix::sum::{Terms, add_group as add_terms};

    /// Numbers of a type with exponents of any size, and sometimes close to each other.
    fn draw(seed: &mut u64, number: ElementType, near: bool) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let bits = *seed >> 33;
        match number {
            _ if bits.is_multiple_of(7) => 0,
            ElementType::F16 if near => bits & 0x8fff | 0x3000,
            ElementType::F16 => bits & 0xbfff,
            ElementType::Bf16 if near => bits & 0x83ff | 0x3c00,
            ElementType::Bf16 => bits & 0x8fff | 0x3000,
            ElementType::Tf32 | ElementType::F32 if near => bits & 0x83ff_ffff | 0x3c00_0000,
            ElementType::Tf32 | ElementType::F32 => bits & 0x8fff_ffff | 0x3000_0000,
            ElementType::E4m3 => bits & 0xbf,
            _ => bits & 0xbb,
        }
    }

    fn compare(rounds: usize) {
        use ElementType::{Bf16, E4m3, E5m2, F16, F32, Tf32};
        const K: usize = 32;
        let mut seed = 1;
        let mut compared = 0;
        for round in 0..rounds {
            let number = [F16, Bf16, Tf32, E4m3, E5m2][round % 5];
            let d = if round / 5 % 3 == 0 { F16 } else { F32 };
            let adder = Adder::new(number, d, round / 15 % 2 == 0);
            let mut next = |number| draw(&mut seed, number, round / 30 % 2 == 0);
            let a: Vec<Term> = (0..SIDE * K).map(|_| Term::decode(number, next(number))).collect();
            let b: Vec<Term> = (0..SIDE * K).map(|_| Term::decode(number, next(number))).collect();
            let c: Vec<Term> = (0..SIDE * SIDE).map(|_| Term::decode(d, next(d))).collect();
            let (mut of_a, mut of_b) =
                (NarrowFactors::<{ SIDE * K }>::EMPTY, NarrowFactors::<{ SIDE * K }>::EMPTY);
            for i in 0..SIDE * K {
                of_a.set(i, a[i]).expect("a small number");
                of_b.value[i] = b[i].value as f32;
            }
            assert!(of_b.find_powers(number, SIDE * K));
            let mut tile: AccumulatorTile = [[0.0; SIDE]; SIDE];
            for (i, c) in c.iter().enumerate() {
                tile[i / SIDE][i % SIDE] = c.value as f32;
            }
            let factors = TileFactors {
                a: [&of_a.value, &of_a.power],
                b: [of_b.value.as_chunks().0, of_b.power.as_chunks().0],
                k: K,
            };
            #[cfg(target_arch = "x86_64")]
            let start = tile;
            // SAFETY: without AVX2, nothing is required of the host.
            if !unsafe { factors.add_to::<false>(&mut tile, adder, least(d)) } {
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut wide = start;
                // SAFETY: the host was found to have AVX2.
                assert!(unsafe { factors.add_to::<true>(&mut wide, adder, least(d)) });
                let bits = |tile: AccumulatorTile| tile.map(|row| row.map(f32::to_bits));
                assert_eq!(bits(wide), bits(tile), "round {round}: {number:?} to {d:?}");
            }
            compared += 1;
            let mut rows = [Terms::default(); K];
            for (i, term) in b.iter().enumerate() {
                rows[i / SIDE].set(i % SIDE, *term);
            }
            let group = if adder.apart { K / 2 } else { adder.group };
            for (line, found) in tile.iter().enumerate() {
                let mut sum = Terms::default();
                for j in 0..SIDE {
                    let start = if adder.apart { Term::default() } else { c[line * SIDE + j] };
                    sum.set(j, start);
                }
                for first in (0..K).step_by(group) {
                    let a = &a[line * K + first..][..group];
                    let exact = add_terms(adder.kept, a, &rows[first..][..group], &sum);
                    for j in 0..SIDE {
                        sum.set(j, Term::new(rounded(adder.round, exact[j]), adder.least()));
                    }
                }
                for j in 0..SIDE {
                    let want = match adder.apart {
                        true => adder.add_apart(sum.value[j], c[line * SIDE + j].value),
                        false => sum.value[j],
                    };
                    let what = format!("round {round}: {number:?} to {d:?}, {line}, {j}");
                    assert_eq!(f64::from(found[j]), want, "{what}");
                }
            }
        }
        assert!(compared > rounds / 2);
    }

    #[test]
    fn sums_in_integers_are_those_in_f64() {
        compare(if cfg!(miri) { 60 } else { 6000 });
    }
}
