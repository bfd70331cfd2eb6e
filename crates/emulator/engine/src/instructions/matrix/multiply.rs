//! The arithmetic of `mma` and `wmma`: registers to matrices, products, matrices to registers.
//!
//! Integer products are added exactly, and f64 products by fused multiply-adds in the order of `k`.
//! Other floats are added as [`super::sum`] says.

use crate::instructions::matrix::Plan;
use crate::instructions::matrix::narrow::{self, Chunks, FactorGroup, NarrowFactors};
use crate::instructions::matrix::registers::{
    Order, Registers, fragments, read_registers, write_registers,
};
use crate::instructions::matrix::sum::{
    Adder, SIDE, Term, Terms, add_group, add_special, half, rounded,
};
use crate::machine::Warp;
use crate::machine::lanes::{Source, fetch_cold};
use crate::machine::slot::{Lanes, Slot};
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
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn floats(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        let Shape { m, n, k } = this.shape;
        let done = match (m * k).max(n * k) {
            _ if this.sparse.is_some() => false,
            ..=256 => narrow_floats::<256>(warp, this, plan),
            257..=512 => narrow_floats::<512>(warp, this, plan),
            _ => false,
        };
        if !done {
            any_floats(warp, this, plan);
        }
    }
}

/// Multiplies dense floats whose products are added in f32; `false` if other sums are needed. A and B have at most `MOST` elements.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
unsafe fn narrow_floats<const MOST: usize>(warp: &mut Warp, this: &Multiply, plan: &Plan) -> bool {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let Shape { m, n, k } = this.shape;
    let (mut a, mut b) = (NarrowFactors::<MOST>::EMPTY, NarrowFactors::<MOST>::EMPTY);
    let mut c = [0.0f32; 256];
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe {
        place_elements(warp, this.a, &src[..of_a], &places.a, &mut a.value);
        place_elements(warp, this.b, &src[of_a..of_a + of_b], &places.b, &mut b.value);
        let of_c = &src[of_a + of_b..of_a + of_b + of_c];
        place_elements(warp, this.c, of_c, &places.c, &mut c);
    }
    let fit = [
        a.find_powers(m * k, narrow::least(this.a)),
        b.find_powers(n * k, narrow::least(this.b)),
        c.iter().all(|c| c.is_finite()),
    ];
    if fit != [true; 3] {
        return false;
    }
    let (b_value, b_power) = (b.value.as_chunks::<SIDE>().0, b.power.as_chunks::<SIDE>().0);
    let (sums, _) = c.as_chunks_mut::<SIDE>();
    let adder = Adder::new(this.a, this.d, false);
    let group = adder.group.min(if adder.apart { k / 2 } else { k });
    let least_c = narrow::least(this.c);
    for row in 0..m {
        for block in 0..n / SIDE {
            let c = &mut sums[row * n / SIDE + block];
            let (mut sum, mut least) = (if adder.apart { [0.0; SIDE] } else { *c }, least_c);
            for first in (0..k).step_by(group) {
                let (a_at, b_at) = (row * k + first, block * k + first);
                let group = FactorGroup {
                    a: (&a.value[a_at..][..group], &a.power[a_at..][..group]),
                    b: (&b_value[b_at..][..group], &b_power[b_at..][..group]),
                };
                let exact = narrow::add_group(adder.kept, &group, &sum, least);
                sum = narrow::round(adder.round, &exact);
                least = adder.least() as f32;
                if first + group.a.0.len() < k && sum.iter().any(|sum| !sum.is_finite()) {
                    return false;
                }
            }
            for j in 0..SIDE {
                let value = f64::from(sum[j]);
                let apart = || adder.add_apart(value, c[j].into()) as f32;
                c[j] = if adder.apart { apart() } else { sum[j] };
            }
        }
    }
    let bits = narrow::encode(this.d, &c);
    let words = pack(&places.d, this.d, |place| bits[place & 255].into());
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
    true
}

/// Decodes the elements in some registers and puts each in its place.
///
/// # Safety
/// The slots are registers of the warp.
#[inline(always)]
unsafe fn place_elements<const N: usize>(
    warp: &Warp,
    number: ElementType,
    slots: &[Slot],
    places: &[u16],
    to: &mut [f32; N],
) {
    const { assert!(N.is_power_of_two()) };
    let (per, bits) = (number.per_register(), number.bits());
    let (places, _) = places.as_chunks::<32>();
    for (slot, places) in slots.iter().zip(places.chunks(per)) {
        let mut copy = Lanes([0; 32]);
        // SAFETY: the slot is in the register file of this warp, as this function requires.
        let words = unsafe { u32::view(warp, *slot, &mut copy) };
        for (i, places) in places.iter().enumerate() {
            let values = narrow::decode(number, &words.0, bits * i);
            for lane in 0..32 {
                to[usize::from(places[lane]) & (N - 1)] = values[lane];
            }
        }
    }
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
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let [fragment_a, fragment_b, _] = fragments(this);
    let (m, n, k) = (this.shape.m, this.shape.n, fragment_b.shape.k);
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let mut a = [0i32; MOST];
    unpack(&places.a, &a_words, fragment_a.number, |place, bits| {
        a[place & (MOST - 1)] = integer(this.a, bits);
    });
    let mut b = [0i32; MOST];
    unpack(&places.b, &b_words, fragment_b.number, |place, bits| {
        b[place & (MOST - 1)] = integer(this.b, bits);
    });
    let mut c = [0i32; 256];
    unpack(&places.c, &c_words, ElementType::S32, |place, bits| c[place & 255] = bits as i32);
    if let Some(sparse) = this.sparse {
        // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
        let chunks = unsafe { chunks(warp, this, sparse, plan) };
        let stored = a;
        a = [0; MOST];
        chunks.spread(&stored, |row, at, number| a[row * k + at] = number);
    }
    for row in 0..m {
        for block in 0..n / SIDE {
            let mut sum = [0i32; SIDE];
            for at in 0..k {
                let a = a[row * k + at];
                let b = &b[(block * k + at) * SIDE..][..SIDE];
                match this.bits {
                    None => {
                        for j in 0..SIDE {
                            sum[j] += a * b[j];
                        }
                    }
                    Some(bits) => {
                        for j in 0..SIDE {
                            sum[j] += count(bits, a, b[j]);
                        }
                    }
                }
            }
            let c = &mut c[row * n + block * SIDE..][..SIDE];
            for j in 0..SIDE {
                c[j] = match this.saturate {
                    true => c[j].saturating_add(sum[j]),
                    false => c[j].wrapping_add(sum[j]),
                };
            }
        }
    }
    let words = pack(&places.d, ElementType::S32, |place| u64::from(c[place & 255] as u32));
    // SAFETY: the plan's slots are in the register file of this warp, as this function requires.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// An integer with these low bits; single bits stay packed in their word.
#[inline(always)]
pub fn integer(number: ElementType, bits: u64) -> i32 {
    match number {
        ElementType::S4 => ((bits as i32) << 28) >> 28,
        ElementType::U4 => (bits & 15) as i32,
        ElementType::S8 => i32::from(bits as i8),
        ElementType::U8 => i32::from(bits as u8),
        _ => bits as i32,
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
