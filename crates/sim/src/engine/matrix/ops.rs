//! Instructions in which a warp holds matrices together: what they do and which lane holds what.

use super::group::GroupMultiply;
use crate::ir::kernel::MemorySpace;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// IEEE half precision.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// An f32 of which the low 13 bits are not read.
    Tf32,
    /// 8 bits: 4 of exponent, 3 of mantissa, no infinities.
    E4m3,
    /// 8 bits: 5 of exponent, 2 of mantissa.
    E5m2,
    /// Single precision, of accumulators.
    F32,
    /// Double precision.
    F64,
    /// Signed bytes.
    S8,
    /// Unsigned bytes.
    U8,
    /// Signed nibbles.
    S4,
    /// Unsigned nibbles.
    U4,
    /// Single bits.
    B1,
    /// 32-bit integers, of accumulators.
    S32,
}

impl Number {
    /// The type that a modifier names.
    pub fn from_name(name: &str) -> Option<Number> {
        Some(match name {
            "f16" => Number::F16,
            "bf16" => Number::Bf16,
            "tf32" => Number::Tf32,
            "e4m3" => Number::E4m3,
            "e5m2" => Number::E5m2,
            "f32" => Number::F32,
            "f64" => Number::F64,
            "s8" => Number::S8,
            "u8" => Number::U8,
            "s4" => Number::S4,
            "u4" => Number::U4,
            "b1" => Number::B1,
            "s32" => Number::S32,
            _ => return None,
        })
    }

    /// Bits of an element.
    pub fn bits(self) -> usize {
        match self {
            Number::B1 => 1,
            Number::S4 | Number::U4 => 4,
            Number::S8 | Number::U8 | Number::E4m3 | Number::E5m2 => 8,
            Number::F16 | Number::Bf16 => 16,
            Number::Tf32 | Number::F32 | Number::S32 => 32,
            Number::F64 => 64,
        }
    }

    /// Whether sums of products of such numbers are integers.
    pub fn is_integer(self) -> bool {
        matches!(self, Number::S8 | Number::U8 | Number::S4 | Number::U4 | Number::B1 | Number::S32)
    }

    /// Elements in one register.
    pub fn per_register(self) -> usize {
        (32 / self.bits()).max(1)
    }
}

/// `m x n` results, each a sum of `k` products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and of the result.
    pub m: usize,
    /// Columns of B and of the result.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

impl Shape {
    /// The shape that a modifier names, `m16n8k16`.
    pub fn from_name(name: &str) -> Option<Shape> {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }
}

/// Which matrix of `D = A B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `m x k`.
    A,
    /// `k x n`.
    B,
    /// `m x n`: the accumulator or the result.
    C,
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Which matrix.
    pub part: Part,
    /// Of which shape.
    pub shape: Shape,
    /// Its elements.
    pub number: Number,
}

impl Fragment {
    /// Rows and columns.
    pub fn extents(self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.part {
            Part::A => (m, k),
            Part::B => (k, n),
            Part::C => (m, n),
        }
    }

    /// The same fragment with `packed` elements along `k` taken together as a 32-bit word.
    pub fn of_words(self, packed: usize) -> Fragment {
        let shape = Shape { k: self.shape.k / packed, ..self.shape };
        Fragment { shape, number: Number::S32, ..self }
    }

    /// Elements that each lane holds.
    pub fn elements(self) -> usize {
        let (rows, columns) = self.extents();
        rows * columns / 32
    }

    /// Registers that each lane needs.
    pub fn registers(self) -> usize {
        self.elements().div_ceil(self.number.per_register())
    }

    /// Elements of a lane that lie side by side in a row of A or C, or in a column of B.
    pub fn run(self) -> usize {
        match self.part {
            Part::C => 2,
            Part::A | Part::B => self.number.per_register(),
        }
    }

    /// The row and column of element `i` of a lane (PTX manual, "Matrix Fragments for mma"): a lane's
    /// quad chooses the row of A and C and the column of B, its place in the quad the run along it.
    /// `wmma` leaves the layout to the machine; here it is the same.
    pub fn place(self, lane: usize, i: usize) -> (usize, usize) {
        let Shape { m, n, .. } = self.shape;
        let run = self.run();
        let lines = if self.part == Part::B { n / 8 } else { m / 8 };
        let (word, rest) = (i / run, i % run);
        let line = lane / 4 + 8 * (word % lines);
        let along = run * (lane % 4 + 4 * (word / lines)) + rest;
        if self.part == Part::B { (along, line) } else { (line, along) }
    }
}

/// What a matrix instruction does.
#[derive(Clone, Copy, Debug)]
pub enum MatrixOp {
    /// `ldmatrix` and `stmatrix`: sources are the address and, to store, the registers.
    Rows {
        /// Whether it stores.
        store: bool,
        /// 8x8 matrices of 16-bit elements: 1, 2 or 4.
        count: usize,
        /// Whether rows and columns are exchanged on the way.
        transposed: bool,
        /// Where the rows lie.
        space: MemorySpace,
        /// Bytes added to the address.
        offset: u64,
    },
    /// `wmma.load` and `wmma.store`: sources are the address, the elements from one row (or column)
    /// to the next and, to store, the registers.
    Tile {
        /// Whether it stores.
        store: bool,
        /// What is loaded or stored.
        fragment: Fragment,
        /// Whether rows, not columns, are contiguous in memory.
        by_rows: bool,
        /// Where the matrix lies.
        space: MemorySpace,
        /// Bytes added to the address.
        offset: u64,
    },
    /// `movmatrix`: exchanges rows and columns of a matrix of 16-bit elements.
    Transpose,
    /// `mma` and `wmma.mma`: sources are the registers of A, B and C.
    Multiply(Multiply),
    /// `wgmma.mma_async`.
    Group(GroupMultiply),
}

/// What a product of single bits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitOp {
    /// Bits that differ.
    Xor,
    /// Bits that both are 1.
    And,
}

impl BitOp {
    /// Of 32 bits each.
    #[inline(always)]
    pub fn count(self, a: i32, b: i32) -> i32 {
        let both = match self {
            BitOp::Xor => a ^ b,
            BitOp::And => a & b,
        };
        both.count_ones() as i32
    }
}

/// How a sparse A is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sparse {
    /// Which lanes of each quad have the metadata.
    pub selector: u32,
}

/// The types of a product.
#[derive(Clone, Copy, Debug)]
pub struct Multiply {
    /// Its shape.
    pub shape: Shape,
    /// Elements of A.
    pub a: Number,
    /// Elements of B.
    pub b: Number,
    /// Elements of the accumulator.
    pub c: Number,
    /// Elements of the result.
    pub d: Number,
    /// Whether integer results are clamped instead of wrapping around.
    pub saturate: bool,
    /// What is counted, of bits.
    pub bits: Option<BitOp>,
    /// Whether A is sparse; its metadata is the source after C.
    pub sparse: Option<Sparse>,
    /// Whether A and B of `m8n8k4` in f16 lie by rows; otherwise `.row.col`.
    pub quads: Option<[bool; 2]>,
    /// Registers of A, B and C: `wmma` has more for A and B than it needs.
    pub registers: [usize; 3],
}

impl Multiply {
    /// A product of types `[a, b, c, d]`.
    pub fn new(shape: Shape, types: [Number; 4], registers: [usize; 3]) -> Multiply {
        let [a, b, c, d] = types;
        Multiply {
            shape,
            a,
            b,
            c,
            d,
            saturate: false,
            bits: None,
            sparse: None,
            quads: None,
            registers,
        }
    }
}
