//! The arithmetic of `mma` and `wmma`: registers to matrices, products, matrices to registers.
//!
//! Integer products are added exactly, and f64 products by fused multiply-adds in the order of `k`.
//! Other floats are added as [`super::sum`] says.

use crate::ablation::FastPath;
use crate::instructions::matrix::Plan;
use crate::instructions::matrix::narrow::{self, Chunks, FactorArrays, MOST_OF_B, TileFactors};
use crate::instructions::matrix::registers::{Order, Registers, read_registers, write_registers};
use crate::instructions::matrix::sum::{
    Adder, SIDE, Term, Terms, add_group, add_special, half, rounded,
};
use crate::instructions::matrix::tile::{
    decode_tile, encode_tile, is_finite, read_columns, read_rows, read_tile, write_tile,
};
use crate::machine::Warp;
use crate::machine::lanes::fetch_cold;
use crate::number::narrow::widen16;
use half::f16;
use lanework_ptx_ir::opcode::matrix::{BitOp, ElementType, Multiply, Shape, Sparse};

/// The number of bits set after combining 32 bits of A and B.
#[inline(always)]
pub fn count(op: BitOp, a: i32, b: i32) -> i32 {
    let both = match op {
        BitOp::Xor => a ^ b,
        BitOp::And => a & b,
    };
    both.count_ones() as i32
}

/// Elements of the largest matrix A: 16 x 128 of nibbles.
const MOST: usize = 2048;

/// Yields every element of the lanes with its position.
#[inline(always)]
fn unpack(places: &[u16], words: &Registers, number: ElementType, mut to: impl FnMut(usize, u64)) {
    let (per, bits) = (number.per_register(), number.bits());
    for (i, places) in places.chunks_exact(32).enumerate() {
        let (word, shift) = (&words[i / per], bits * (i % per));
        for (place, word) in places.iter().zip(word) {
            to(usize::from(*place), word >> shift);
        }
    }
}

/// Registers from the elements at their places.
#[inline(always)]
fn pack(places: &[u16], number: ElementType, from: impl Fn(usize) -> u64) -> Registers {
    let (per, bits) = (number.per_register(), number.bits());
    let mut words: Registers = [[0; 32]; 8];
    for (i, places) in places.chunks_exact(32).enumerate() {
        let (word, shift) = (&mut words[i / per], bits * (i % per));
        for (place, word) in places.iter().zip(word) {
            *word |= from(usize::from(*place)) << shift;
        }
    }
    words
}

/// Multiplies floats of up to 32 bits.
///
/// # Safety
/// The plan's slots are registers of the warp; with `AVX2`, the host has it.
#[inline(always)]
pub unsafe fn floats<const AVX2: bool>(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        let Shape { m, n, k } = this.shape;
        let done = match (m * k).max(n * k) {
            _ if this.sparse.is_some() || !FastPath::NarrowProducts.on() => false,
            ..=MOST_OF_B => narrow_floats::<AVX2>(warp, this, plan),
            _ => false,
        };
        if !done {
            any_floats(warp, this, plan);
        }
    }
}

/// Multiplies dense floats whose products are added in f32; `false` if other sums are needed. A and B have at most [`MOST_OF_B`]
/// elements.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
unsafe fn narrow_floats<const AVX2: bool>(warp: &mut Warp, this: &Multiply, plan: &Plan) -> bool {
    let [of_a, of_b, _] = this.registers;
    let Shape { m, n, k } = this.shape;
    let (stride, rows) = (k.max(SIDE), m / SIDE);
    let Some([in_a, in_b]) = &plan.factors else { return false };
    // SAFETY: the warp's worker runs this handler, and this function does not call another one that uses the arrays.
    let FactorArrays { a, b } = unsafe { FactorArrays::of_worker(warp) };
    if stride != k {
        a.value[..m * stride].fill(0.0);
        b.value[..n * stride].fill(0.0);
    }
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        read_rows(warp, this.a, (in_a, &plan.src), (&mut a.value, stride));
        let to = b.value.as_chunks_mut::<SIDE>().0;
        read_columns(warp, this.b, (in_b, &plan.src[of_a..]), (to, stride));
    }
    let fit = a.find_powers(this.a, m * stride) && b.find_powers(this.b, n * stride);
    if !fit {
        return false;
    }
    let (b_value, b_power) = (b.value.as_chunks::<SIDE>().0, b.power.as_chunks::<SIDE>().0);
    let (adder, least) = (Adder::new(this.a, this.d, false), narrow::least(this.c));
    let mut tiles = [[[0.0; SIDE]; SIDE]; 4];
    for (i, tile) in tiles.iter_mut().enumerate().take(m * n / (SIDE * SIDE)) {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let [first, second] = unsafe { read_tile(warp, this.c, &plan.src[of_a + of_b..], i) };
        *tile = decode_tile(this.c, [&first.0, &second.0]);
        if !is_finite(tile) {
            return false;
        }
        let (row, column) = (i % rows * SIDE * stride, i / rows * stride);
        let factors = TileFactors {
            a: [&a.value[row..], &a.power[row..]],
            b: [&b_value[column..], &b_power[column..]],
            k: stride,
        };
        // SAFETY: the host has AVX2 if `AVX2`, as this function requires.
        if !unsafe { factors.add_to::<AVX2>(tile, adder, least) } {
            return false;
        }
    }
    for (i, tile) in tiles.iter().enumerate().take(m * n / (SIDE * SIDE)) {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write_tile(warp, this.d, &plan.dst, i, &encode_tile(this.d, tile)) }
    }
    true
}

/// Multiplies any floats of up to 32 bits.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(never)]
unsafe fn any_floats(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let Shape { m, n, k } = this.shape;
    let mut special = false;
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let mut decode = |number: ElementType, bits: u64| {
        let term = Term::decode(number, bits);
        special |= !term.value.is_finite();
        term
    };
    let mut a = [Term::default(); MOST / 2];
    unpack(&places.a, &a_words, this.a, |place, bits| {
        a[place & (MOST / 2 - 1)] = decode(this.a, bits);
    });
    let mut b = [Terms::default(); 64];
    unpack(&places.b, &b_words, this.b, |place, bits| {
        b[(place / SIDE) & 63].set(place % SIDE, decode(this.b, bits));
    });
    let mut c = [Terms::default(); 32];
    unpack(&places.c, &c_words, this.c, |place, bits| {
        c[(place / SIDE) & 31].set(place % SIDE, decode(this.c, bits));
    });
    if let Some(sparse) = this.sparse {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let chunks = unsafe { chunks(warp, this, sparse, plan) };
        let order = Order::new(this);
        let stored = a;
        a = [Term::ABSENT; MOST / 2];
        chunks.spread(&stored, |row, at, term| a[row * k + order.of_column(at)] = term);
    }
    let adder = Adder::new(this.a, this.d, false);
    let group = adder.group * if this.sparse.is_some() { 2 } else { 1 };
    // A product of 8-bit floats consists of two products, however small it is.
    let group = group.min(if adder.apart { k / 2 } else { k });
    for row in 0..m {
        for block in 0..n / SIDE {
            let at = row * (n / SIDE) + block;
            let start = c[at];
            let mut sum = if adder.apart { Terms::default() } else { start };
            for first in (0..k).step_by(group) {
                let a = &a[row * k + first..][..group];
                let b = &b[block * k + first..][..group];
                let exact = if special {
                    add_special(adder.kept, a, b, &sum)
                } else {
                    add_group(adder.kept, a, b, &sum)
                };
                for j in 0..SIDE {
                    let term = Term::new(rounded(adder.round, exact[j]), adder.least());
                    special |= !term.value.is_finite();
                    sum.set(j, term);
                }
            }
            if adder.apart {
                for j in 0..SIDE {
                    sum.value[j] = adder.add_apart(sum.value[j], start.value[j]);
                }
            }
            c[at] = sum;
        }
    }
    let words =
        pack(&places.d, this.d, |place| encode(this.d, c[(place / SIDE) & 31].value[place % SIDE]));
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// The bits of a value that is already rounded to f16 or f32.
#[inline(always)]
pub fn encode(d: ElementType, value: f64) -> u64 {
    match d {
        ElementType::F16 => u64::from(half(value).to_bits()),
        _ if value.is_nan() => 0x7fff_ffff,
        _ => u64::from((value as f32).to_bits()),
    }
}

/// The places of the elements of a sparse A, from the metadata of the warp's lanes.
///
/// # Safety
/// The plan's slots are registers of the warp; the metadata is the source after C.
unsafe fn chunks(warp: &Warp, this: &Multiply, sparse: Sparse, plan: &Plan) -> Chunks {
    let slot = plan.src[this.registers.iter().sum::<usize>()];
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    let metadata = unsafe { fetch_cold::<u32>(warp, slot).0 };
    Chunks::new(this.a, this.shape.k, sparse, &metadata)
}

/// Multiplies integers, or bits.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
pub unsafe fn integers(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let Shape { m, n, k } = this.shape;
    // Single bits are taken as words.
    let k = if this.a == ElementType::B1 { k / 32 } else { k };
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        match (m * k).max(n * k) {
            ..=512 => integers_of::<512>(warp, this, k, plan),
            _ => integers_of::<MOST>(warp, this, k, plan),
        }
    }
}

/// Multiplies matrices A and B of at most `MOST` integers, with `k` in a row.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
unsafe fn integers_of<const MOST: usize>(warp: &mut Warp, this: &Multiply, k: usize, plan: &Plan) {
    let [of_a, of_b, _] = this.registers;
    let (rows, stored) = (this.shape.m / SIDE, if this.sparse.is_some() { k / 2 } else { k });
    let Some([in_a, in_b]) = &plan.factors else { return };
    let (mut a, mut b) = ([0i32; MOST], [0i32; MOST]);
    let (of_columns, _) = b.as_chunks_mut::<SIDE>();
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        read_rows(warp, this.a, (in_a, &plan.src), (&mut a, stored));
        read_columns(warp, this.b, (in_b, &plan.src[of_a..]), (&mut *of_columns, k));
    }
    if let Some(sparse) = this.sparse {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let chunks = unsafe { chunks(warp, this, sparse, plan) };
        let stored = a;
        a = [0; MOST];
        chunks.spread(&stored, |row, at, number| a[row * k + at] = number);
    }
    let tiles = this.shape.m * this.shape.n / (SIDE * SIDE);
    let mut results = [[[0; 32]; 2]; 4];
    for (i, result) in results.iter_mut().enumerate().take(tiles) {
        let (row, column) = (i % rows * SIDE, i / rows * k);
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let c = unsafe { read_tile(warp, this.c, &plan.src[of_a + of_b..], i) };
        let b = &of_columns[column..][..k];
        for line in 0..SIDE {
            let mut sum = [0i32; SIDE];
            for (a, b) in a[(row + line) * k..][..k].iter().zip(b) {
                match this.bits {
                    None => {
                        for j in 0..SIDE {
                            sum[j] += a * b[j];
                        }
                    }
                    Some(bits) => {
                        for j in 0..SIDE {
                            sum[j] += count(bits, *a, b[j]);
                        }
                    }
                }
            }
            for j in 0..SIDE {
                let (lane, register) = (4 * line + j / 2, j % 2);
                let c = c[register].0[lane] as i32;
                result[register][lane] = match this.saturate {
                    true => c.saturating_add(sum[j]),
                    false => c.wrapping_add(sum[j]),
                } as u32;
            }
        }
    }
    for (i, words) in results.iter().enumerate().take(tiles) {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        unsafe { write_tile(warp, this.d, &plan.dst, i, words) }
    }
}

/// Multiplies doubles.
///
/// # Safety
/// As for [`floats`].
#[inline(always)]
pub unsafe fn doubles(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let Shape { m, k, .. } = this.shape;
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let (mut a, mut b, mut c) = ([0.0f64; 256], [[0.0f64; SIDE]; 16], [[0.0f64; SIDE]; 16]);
    let of = f64::from_bits;
    unpack(&places.a, &a_words, ElementType::F64, |place, bits| a[place & 255] = of(bits));
    unpack(&places.b, &b_words, ElementType::F64, |place, bits| {
        b[(place / SIDE) & 15][place % SIDE] = of(bits);
    });
    unpack(&places.c, &c_words, ElementType::F64, |place, bits| {
        c[(place / SIDE) & 15][place % SIDE] = of(bits);
    });
    for (row, sums) in c.iter_mut().enumerate().take(m) {
        for at in 0..k {
            let (a, b) = (a[row * k + at], &b[at]);
            let before = *sums;
            for j in 0..SIDE {
                sums[j] = a.mul_add(b[j], before[j]);
            }
            if sums.iter().any(|sum| sum.is_nan()) {
                for j in 0..SIDE {
                    sums[j] = fused(a, b[j], before[j]);
                }
            }
        }
    }
    let words =
        pack(&places.d, ElementType::F64, |place| c[(place / SIDE) & 15][place % SIDE].to_bits());
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// A fused multiply-add. Of several NaNs, the first factor's has priority and the addend's comes
/// last; an invalid sum or product gives the default NaN.
#[cold]
fn fused(a: f64, b: f64, c: f64) -> f64 {
    let quiet = |x: f64| f64::from_bits(x.to_bits() | 1 << 51);
    match [a, b, c].into_iter().find(|x| x.is_nan()) {
        Some(nan) => quiet(nan),
        None => {
            let sum = a.mul_add(b, c);
            if sum.is_nan() { f64::from_bits(0xfff8_0000_0000_0000) } else { sum }
        }
    }
}

/// The f16 at half `i` of a lane's registers.
fn element(words: &Registers, lane: usize, i: usize) -> f32 {
    widen16(f16::from_bits((words[i / 2][lane] >> (16 * (i % 2))) as u16))
}

/// The lane and the element that hold `(line, k)` of A or B; `along` says whether a lane holds
/// the four `k` of one line, or four lines of one `k`.
fn factor(product: usize, line: usize, k: usize, along: bool) -> (usize, usize) {
    let first = 4 * product + if line >= 4 { 16 } else { 0 };
    if along { (first + line % 4, k) } else { (first + k, line % 4) }
}

/// The lane and the element of an accumulator.
fn accumulator(product: usize, row: usize, column: usize, number: ElementType) -> (usize, usize) {
    let first = 4 * product + if row >= 4 { 16 } else { 0 };
    if number == ElementType::F16 {
        return (first + row % 4, column);
    }
    let lane = first + (row & 1) + (column & 2);
    (lane, (row & 2) + (column & 4) + (column & 1))
}

/// Multiplies.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn multiply(warp: &mut Warp, this: &Multiply, by_rows: [bool; 2], plan: &Plan) {
    let [of_a, of_b, _] = this.registers;
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    let [a, b, c] = unsafe {
        [
            read_registers(warp, this.a, &plan.src[..of_a]),
            read_registers(warp, this.b, &plan.src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &plan.src[of_a + of_b..]),
        ]
    };
    let mut words: Registers = [[0; 32]; 8];
    for product in 0..4 {
        for at in 0..64 {
            let (row, column) = (at / 8, at % 8);
            let (lane, i) = accumulator(product, row, column, this.c);
            let start = match this.c {
                ElementType::F16 => element(&c, lane, i),
                _ => f32::from_bits(c[i][lane] as u32),
            };
            let pairs: [(f32, f32); 4] = std::array::from_fn(|k| {
                let (lane_a, i_a) = factor(product, row, k, by_rows[0]);
                let (lane_b, i_b) = factor(product, column, k, !by_rows[1]);
                (element(&a, lane_a, i_a), element(&b, lane_b, i_b))
            });
            let fused = |sum: f32, (x, y): (f32, f32)| x.mul_add(y, sum);
            let sum = match (this.c, this.d) {
                (ElementType::F16, ElementType::F16) => {
                    let half = |first: (f32, f32), second| fused(first.0 * first.1, second);
                    start + half(pairs[0], pairs[1]) + half(pairs[2], pairs[3])
                }
                _ => pairs.into_iter().fold(0.0, fused) + start,
            };
            let (lane, i) = accumulator(product, row, column, this.d);
            match this.d {
                ElementType::F16 => {
                    let bits = encode(ElementType::F16, f64::from(sum));
                    words[i / 2][lane] |= bits << (16 * (i % 2));
                }
                _ => words[i][lane] = encode(ElementType::F32, f64::from(sum)),
            }
        }
    }
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}
