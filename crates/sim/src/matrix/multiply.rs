//! The arithmetic of `mma` and `wmma`: registers to matrices, products, matrices to registers.
//!
//! Integer products are added without any rounding and f64 ones by fused additions in the order of `k`.
//! Other floats are added as [`super::sum`] says.

use super::ops::{Fragment, Multiply, Number, Part, Shape, Sparse};
use super::sparse::Chunks;
use super::sum::{Adder, SIDE, Terms, add_group, add_special, half, rounded};
use super::terms::Term;
use super::{Plan, Registers, read_registers, write_registers};
use crate::lanes::fetch_cold;
use crate::op::Warp;

/// Where each element of a lane belongs: the index in the matrix of element `i` of lane `l` is at
/// `l * elements + i`.
#[derive(Clone, Debug, Default)]
pub struct Places {
    a: Vec<u16>,
    b: Vec<u16>,
    c: Vec<u16>,
    d: Vec<u16>,
}

/// The fragments of a product: A as it is stored, B and C. Bits go in words.
fn fragments(this: &Multiply) -> [Fragment; 3] {
    let Shape { m, n, k } = this.shape;
    let words = if this.a == Number::B1 { 32 } else { 1 };
    let k = k / words;
    let stored = if this.sparse.is_some() { k / 2 } else { k };
    let number = |number| if number == Number::B1 { Number::S32 } else { number };
    [
        Fragment { part: Part::A, shape: Shape { m, n, k: stored }, number: number(this.a) },
        Fragment { part: Part::B, shape: Shape { m, n, k }, number: number(this.b) },
        Fragment { part: Part::C, shape: this.shape, number: this.c },
    ]
}

impl Places {
    /// The places of a product's elements. B lies in blocks of eight columns.
    pub fn of(this: &Multiply) -> Places {
        let [a, b, c] = fragments(this);
        let each = |fragment: Fragment, index: &dyn Fn(usize, usize) -> usize| {
            let elements = fragment.elements();
            let place = |at: usize| fragment.place(at / elements, at % elements);
            (0..32 * elements).map(|at| place(at)).map(|(r, c)| index(r, c) as u16).collect()
        };
        let (stored, k, n) = (a.shape.k, b.shape.k, b.shape.n);
        let order = Order::of(this);
        let accumulators = |row: usize, column: usize| row * n + column;
        Places {
            // A sparse matrix is put in order when it is spread out.
            a: match this.sparse {
                Some(_) => each(a, &|row, at| row * stored + at),
                None => each(a, &|row, at| row * k + order.of_column(at)),
            },
            b: each(b, &|at, column| {
                (column / SIDE * k + order.of_column(at)) * SIDE + column % SIDE
            }),
            c: each(c, &accumulators),
            d: each(Fragment { number: this.d, ..c }, &accumulators),
        }
    }
}

/// The order in which products are added. A warp's product of 8-bit floats is made of two of f16: the
/// first takes the lower halves of all registers, the second the upper ones.
#[derive(Clone, Copy)]
struct Order {
    k: usize,
    halves: bool,
    /// Elements of the dense matrix in half a register.
    span: usize,
}

impl Order {
    fn of(this: &Multiply) -> Order {
        let eight_bits = matches!(this.a, Number::E4m3 | Number::E5m2);
        let span = if this.sparse.is_some() { 4 } else { 2 };
        Order { k: this.shape.k, halves: eight_bits, span }
    }

    fn of_column(self, k: usize) -> usize {
        if !self.halves {
            return k;
        }
        let (pair, within) = (k / self.span, k % self.span);
        pair % 2 * (self.k / 2) + pair / 2 * self.span + within
    }
}

/// Elements of the largest matrix A: 16 x 128 of nibbles.
const MOST: usize = 2048;

/// Bits of the element at `at` of lane `lane`.
#[inline(always)]
fn element(words: &Registers, number: Number, lane: usize, i: usize) -> u64 {
    let (per, bits) = (number.per_register(), number.bits());
    words[i / per][lane] >> (bits * (i % per))
}

/// Multiplies floats of up to 32 bits.
///
/// # Safety
/// The plan's slots are registers of the warp.
#[inline(always)]
pub unsafe fn floats(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let Shape { m, n, k } = this.shape;
    let mut special = false;
    // SAFETY: by the caller.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let mut decode = |number: Number, words: &Registers, lane: usize, i: usize| {
        let term = Term::decode(number, element(words, number, lane, i));
        special |= !term.value.is_finite();
        term
    };
    let mut a = [Term::default(); MOST / 2];
    let each = places.a.len() / 32;
    for (at, place) in places.a.iter().enumerate() {
        a[*place as usize & (MOST / 2 - 1)] = decode(this.a, &a_words, at / each, at % each);
    }
    let mut b = [Terms::default(); 64];
    let each = places.b.len() / 32;
    for (at, place) in places.b.iter().enumerate() {
        let term = decode(this.b, &b_words, at / each, at % each);
        let place = *place as usize;
        let to = &mut b[(place / SIDE) & 63];
        to.value[place % SIDE] = term.value;
        to.power[place % SIDE] = term.power;
    }
    let mut c = [Terms::default(); 32];
    let each = places.c.len() / 32;
    for (at, place) in places.c.iter().enumerate() {
        let term = decode(this.c, &c_words, at / each, at % each);
        let place = *place as usize;
        let to = &mut c[(place / SIDE) & 31];
        to.value[place % SIDE] = term.value;
        to.power[place % SIDE] = term.power;
    }
    if let Some(sparse) = this.sparse {
        // SAFETY: by the caller.
        let chunks = unsafe { chunks(warp, this, sparse, plan) };
        let order = Order::of(this);
        let stored = a;
        a = [Term::ABSENT; MOST / 2];
        chunks.spread(&stored, |row, at, term| a[row * k + order.of_column(at)] = term);
    }
    let adder = Adder::of(this.a, this.d, false);
    let group = adder.group * if this.sparse.is_some() { 2 } else { 1 };
    // A product of 8-bit floats is two products, however small it is.
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
                    sum.value[j] = term.value;
                    sum.power[j] = term.power;
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
    let mut words: Registers = [[0; 32]; 8];
    let (per, bits) = (this.d.per_register(), this.d.bits());
    let each = places.d.len() / 32;
    for (at, place) in places.d.iter().enumerate() {
        let (lane, i) = (at / each, at % each);
        let value = c[(*place as usize / SIDE) & 31].value[*place as usize % SIDE];
        words[i / per][lane] |= encode(this.d, value) << (bits * (i % per));
    }
    // SAFETY: by the caller.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// The bits of a value that is already rounded to f16 or f32.
#[inline(always)]
pub fn encode(d: Number, value: f64) -> u64 {
    match d {
        Number::F16 => u64::from(half(value).to_bits()),
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
    // SAFETY: by the caller.
    let metadata = unsafe { fetch_cold::<u32>(warp, slot).0 };
    Chunks::of(this.a, this.shape.k, sparse, &metadata)
}

/// Multiplies integers, or bits.
///
/// # Safety
/// As for [`floats`].
pub unsafe fn integers(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let [fragment_a, fragment_b, fragment_c] = fragments(this);
    let (m, n, k) = (this.shape.m, this.shape.n, fragment_b.shape.k);
    // SAFETY: by the caller.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let mut a = [0i32; MOST];
    for (at, place) in places.a.iter().enumerate() {
        let (lane, i) = (at / fragment_a.elements(), at % fragment_a.elements());
        a[*place as usize] = integer(this.a, element(&a_words, fragment_a.number, lane, i));
    }
    let mut b = [0i32; MOST];
    for (at, place) in places.b.iter().enumerate() {
        let (lane, i) = (at / fragment_b.elements(), at % fragment_b.elements());
        b[*place as usize] = integer(this.b, element(&b_words, fragment_b.number, lane, i));
    }
    let mut c = [0i32; 256];
    for (at, place) in places.c.iter().enumerate() {
        let (lane, i) = (at / fragment_c.elements(), at % fragment_c.elements());
        c[*place as usize] = c_words[i][lane] as i32;
    }
    if let Some(sparse) = this.sparse {
        // SAFETY: by the caller.
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
                for j in 0..SIDE {
                    sum[j] += match this.bits {
                        None => a * b[j],
                        Some(bits) => bits.count(a, b[j]),
                    };
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
    let mut words: Registers = [[0; 32]; 8];
    for (at, place) in places.d.iter().enumerate() {
        let (lane, i) = (at / fragment_c.elements(), at % fragment_c.elements());
        words[i][lane] = u64::from(c[*place as usize] as u32);
    }
    // SAFETY: by the caller.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// An integer with these low bits; bits stay in their word.
#[inline(always)]
pub fn integer(number: Number, bits: u64) -> i32 {
    match number {
        Number::S4 => ((bits as i32) << 28) >> 28,
        Number::U4 => (bits & 15) as i32,
        Number::S8 => i32::from(bits as i8),
        Number::U8 => i32::from(bits as u8),
        _ => bits as i32,
    }
}

/// Multiplies doubles.
///
/// # Safety
/// As for [`floats`].
pub unsafe fn doubles(warp: &mut Warp, this: &Multiply, plan: &Plan) {
    let (src, places) = (&plan.src, &plan.places);
    let [of_a, of_b, of_c] = this.registers;
    let Shape { m, n, k } = this.shape;
    // SAFETY: by the caller.
    let [a_words, b_words, c_words] = unsafe {
        [
            read_registers(warp, this.a, &src[..of_a]),
            read_registers(warp, this.b, &src[of_a..of_a + of_b]),
            read_registers(warp, this.c, &src[of_a + of_b..of_a + of_b + of_c]),
        ]
    };
    let fill = |to: &mut [f64], places: &[u16], words: &Registers| {
        let each = places.len() / 32;
        for (at, place) in places.iter().enumerate() {
            to[*place as usize] = f64::from_bits(words[at % each][at / each]);
        }
    };
    let (mut a, mut b, mut c) = ([0.0; 256], [0.0; 128], [0.0; 128]);
    fill(&mut a, &places.a, &a_words);
    fill(&mut b, &places.b, &b_words);
    fill(&mut c, &places.c, &c_words);
    for row in 0..m {
        for at in 0..k {
            let a = a[row * k + at];
            for column in 0..n {
                let sum = &mut c[row * n + column];
                *sum = fused(a, b[at * SIDE + column], *sum);
            }
        }
    }
    let mut words: Registers = [[0; 32]; 8];
    let each = places.d.len() / 32;
    for (at, place) in places.d.iter().enumerate() {
        words[at % each][at / each] = c[*place as usize].to_bits();
    }
    // SAFETY: by the caller.
    unsafe { write_registers(warp, this.d, &plan.dst, &words) }
}

/// A fused addition; of several NaNs the first factor's counts first and the sum's last, and an
/// invalid sum or product gives the default one.
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
