//! Addition of groups of products in f32 and integers: the common case of [`super::sum`], at half its cost. Also the
//! metadata of sparse matrices ([`Chunks`]).
//!
//! Every factor is an f32 of at most 12 bits, so products are exact. If their powers of two are between [`LOWEST`] and
//! [`HIGHEST`], aligned products are exact, too: their whole part is below 2^27, so 32 bits hold the sum of eight products
//! and an accumulator.

use crate::instructions::matrix::sum::{Round, SIDE, rounded, single};
use crate::number::eight::E4M3;
use crate::number::narrow::{f16_bits, f16_value};
use lanework_ptx_ir::opcode::matrix::{ElementType, Sparse};

/// The least power of two of a factor that is added in f32: for all products, `2^kept / power` is then a normal f32.
const LOWEST: f32 = 1.0 / (1u64 << 45) as f32;

/// The largest such power.
const HIGHEST: f32 = (1u64 << 60) as f32;

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

    /// Finds the powers of the first `count` values; `false` if some is outside of the range, infinite or NaN.
    #[inline(always)]
    pub fn find_powers(&mut self, count: usize, least: f32) -> bool {
        let mut outside = 0;
        for i in 0..count.min(N) {
            let value = self.value[i];
            let power = f32::from_bits(value.to_bits() & 0x7f80_0000);
            let power = if power < least { least } else { power };
            let power = if value == 0.0 { 0.0 } else { power };
            let (low, high) = ((power < LOWEST) & (power != 0.0), power > HIGHEST);
            outside |= u32::from(low | high);
            self.power[i] = power;
        }
        outside == 0
    }
}

/// The smallest normal number of a type of factors.
pub fn least(number: ElementType) -> f32 {
    crate::instructions::matrix::sum::least(number) as f32
}

/// The f32 of the elements at one place of the lanes' words, `shift` bits up.
#[inline(always)]
pub fn decode(number: ElementType, words: &[u32; 32], shift: usize) -> [f32; 32] {
    let mut out = [0.0; 32];
    /// A loop for each type, so that each vectorizes.
    macro_rules! each {
        ($($type:ident)*) => {
            match number {
                $(ElementType::$type => {
                    for i in 0..32 {
                        out[i] = value(ElementType::$type, words[i] >> shift);
                    }
                })*
                _ => {
                    for i in 0..32 {
                        out[i] = value(ElementType::F32, words[i] >> shift);
                    }
                }
            }
        };
    }
    each!(F16 Bf16 Tf32 E4m3 E5m2);
    out
}

/// The bits of accumulators that are numbers of type `d` or infinite.
#[inline(always)]
pub fn encode<const N: usize>(d: ElementType, values: &[f32; N]) -> [u32; N] {
    let mut bits = [0; N];
    // A loop for each type, so that each vectorizes.
    if d == ElementType::F16 {
        for i in 0..N {
            bits[i] = f16_bits(values[i]);
        }
    } else {
        for i in 0..N {
            bits[i] = values[i].to_bits();
        }
    }
    bits
}

/// Values and powers: of some factors of a row of A, and of the factors of eight columns of B.
pub struct FactorGroup<'a> {
    /// Of A.
    pub a: (&'a [f32], &'a [f32]),
    /// Of B.
    pub b: (&'a [[f32; SIDE]], &'a [[f32; SIDE]]),
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

/// The exact sums of one group and accumulators, as [`super::sum::add_group`] gives them; `least` is the smallest normal
/// accumulator.
#[inline(always)]
pub fn add_group(kept: i32, group: &FactorGroup<'_>, c: &[f32; SIDE], least: f32) -> [f64; SIDE] {
    let mut of_products = [0.0f32; SIDE];
    for (a, b) in group.a.1.iter().zip(group.b.1) {
        for j in 0..SIDE {
            let power = a * b[j];
            of_products[j] = if power > of_products[j] { power } else { of_products[j] };
        }
    }
    let scale = (1u32 << kept) as f32;
    let (mut top, mut up) = ([0.0f32; SIDE], [0.0f32; SIDE]);
    for j in 0..SIDE {
        let power = f32::from_bits(c[j].to_bits() & 0x7f80_0000);
        let power = if power < least { least } else { power };
        let power = if c[j] == 0.0 { 0.0 } else { power };
        let most = if power > of_products[j] { power } else { of_products[j] };
        top[j] = if most > LEAST_TOP { most } else { LEAST_TOP };
        up[j] = scale / top[j];
    }
    let mut whole = [0i32; SIDE];
    for j in 0..SIDE {
        // SAFETY: the accumulator is finite and less than twice its power, so the number is below 2^(kept + 1).
        whole[j] = unsafe { (c[j] * up[j]).to_int_unchecked() };
    }
    let mut sum = [0.0f64; SIDE];
    for (a, b) in group.a.0.chunks(8).zip(group.b.0.chunks(8)) {
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
        let aligned = sum[j] * (f64::from(top[j]) * down);
        // Without products, the accumulator keeps all its digits.
        sum[j] = if of_products[j] > 0.0 { aligned } else { f64::from(c[j]) };
    }
    sum
}

/// Rounds the sums of a group to accumulators.
#[inline(always)]
pub fn round(to: Round, sums: &[f64; SIDE]) -> [f32; SIDE] {
    let mut out = [0.0; SIDE];
    // A loop of its own, which vectorizes.
    if to == Round::Single {
        for j in 0..SIDE {
            // A sum that vanishes is not negative.
            out[j] = 0.0 + single(sums[j]);
        }
    } else {
        for j in 0..SIDE {
            out[j] = rounded(to, sums[j]) as f32;
        }
    }
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
