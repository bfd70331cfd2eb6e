//! The registers of fragments, read and written for the whole warp.

use crate::instructions::matrix::sum::SIDE;
use crate::machine::Warp;
use crate::machine::lanes::{fetch_cold, put_cold};
use crate::machine::slot::{Lanes, NO_SLOT, Slot};
use lanework_ptx_ir::opcode::matrix::{ElementType, Fragment, MatrixOperand, Multiply, Shape};

/// The contents of up to 8 registers in each lane.
pub type Registers = [[u64; 32]; 8];

/// Reads the registers of a fragment of `number`.
///
/// # Safety
/// The slots are registers of the warp.
pub unsafe fn read_registers(warp: &Warp, number: ElementType, slots: &[Slot]) -> Registers {
    let mut words = [[0; 32]; 8];
    for (to, slot) in words.iter_mut().zip(slots) {
        // SAFETY: the slots are in this warp's register file, as this function requires.
        unsafe {
            match number {
                ElementType::F64 => *to = fetch_cold::<u64>(warp, *slot).0,
                _ => {
                    let lanes = fetch_cold::<u32>(warp, *slot);
                    for i in 0..32 {
                        to[i] = lanes.0[i].into();
                    }
                }
            }
        }
    }
    words
}

/// Writes the registers of a fragment of `number`.
///
/// # Safety
/// The slots are registers of the warp.
pub unsafe fn write_registers(
    warp: &mut Warp,
    number: ElementType,
    slots: &[Slot],
    words: &Registers,
) {
    for (word, slot) in words.iter().zip(slots).filter(|(_, slot)| **slot != NO_SLOT) {
        // SAFETY: the slots are in this warp's register file, as this function requires.
        unsafe {
            match number {
                ElementType::F64 => put_cold(warp, *slot, Lanes(*word)),
                _ => {
                    let mut lanes = Lanes([0u32; 32]);
                    for i in 0..32 {
                        lanes.0[i] = word[i] as u32;
                    }
                    put_cold(warp, *slot, lanes);
                }
            }
        }
    }
}

/// The position of each element: the matrix index of element `i` of lane `l` is at `32 * i + l`.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Positions of the elements of A.
    pub a: Vec<u16>,
    /// Positions of the elements of B.
    pub b: Vec<u16>,
    /// Positions of the elements of C.
    pub c: Vec<u16>,
    /// Positions of the elements of D.
    pub d: Vec<u16>,
}

/// The fragments of a product: A as stored, B and C. Single bits are packed in words.
pub fn fragments(this: &Multiply) -> [Fragment; 3] {
    let Shape { m, n, k } = this.shape;
    let words = if this.a == ElementType::B1 { 32 } else { 1 };
    let k = k / words;
    let stored = if this.sparse.is_some() { k / 2 } else { k };
    let number = |number| if number == ElementType::B1 { ElementType::S32 } else { number };
    [
        Fragment {
            part: MatrixOperand::A,
            shape: Shape { m, n, k: stored },
            number: number(this.a),
        },
        Fragment { part: MatrixOperand::B, shape: Shape { m, n, k }, number: number(this.b) },
        Fragment { part: MatrixOperand::C, shape: this.shape, number: this.c },
    ]
}

impl Places {
    /// The places of a product's elements. B is in blocks of eight columns.
    pub fn new(this: &Multiply) -> Places {
        let [a, b, c] = fragments(this);
        let each = |fragment: Fragment, index: &dyn Fn(usize, usize) -> usize| {
            let elements = fragment.elements();
            let place = |at: usize| fragment.place(at % 32, at / 32);
            (0..32 * elements).map(place).map(|(r, c)| index(r, c) as u16).collect()
        };
        let (stored, k, n) = (a.shape.k, b.shape.k, b.shape.n);
        let order = Order::new(this);
        let accumulators = |row: usize, column: usize| row * n + column;
        Places {
            // A sparse matrix is put in order when it is expanded.
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

/// The order in which products are added. A warp's product of 8-bit floats consists of two products like those of f16: the
/// first takes the lower halves of all registers, the second the upper ones.
#[derive(Clone, Copy)]
pub struct Order {
    k: usize,
    halves: bool,
    /// Elements of the dense matrix in half a register.
    span: usize,
}

impl Order {
    /// Elements in the order of the matrix.
    pub const PLAIN: Order = Order { k: 0, halves: false, span: 2 };

    /// The order of a product's operands.
    pub fn new(this: &Multiply) -> Order {
        let eight_bits = matches!(this.a, ElementType::E4m3 | ElementType::E5m2);
        let span = if this.sparse.is_some() { 4 } else { 2 };
        Order { k: this.shape.k, halves: eight_bits, span }
    }

    /// The position of a column of A in this order.
    #[inline(always)]
    pub fn of_column(self, k: usize) -> usize {
        if !self.halves {
            return k;
        }
        let (pair, within) = (k / self.span, k % self.span);
        pair % 2 * (self.k / 2) + pair / 2 * self.span + within
    }
}
