//! Matrices distributed over the registers of a warp or warpgroup: operations, and which lane holds which element (PTX manual,
//! "Warp Level Matrix Instructions", "Asynchronous Warpgroup Level Matrix Instructions").

use crate::types::MemorySpace;

/// The element type of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// IEEE half precision.
    F16,
    /// The upper half of an f32.
    Bf16,
    /// An f32 whose low 13 bits are ignored.
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

impl ElementType {
    /// Bits of an element.
    pub fn bits(self) -> usize {
        match self {
            ElementType::B1 => 1,
            ElementType::S4 | ElementType::U4 => 4,
            ElementType::S8 | ElementType::U8 | ElementType::E4m3 | ElementType::E5m2 => 8,
            ElementType::F16 | ElementType::Bf16 => 16,
            ElementType::Tf32 | ElementType::F32 | ElementType::S32 => 32,
            ElementType::F64 => 64,
        }
    }

    /// Whether sums of products of such numbers are integers.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            ElementType::S8
                | ElementType::U8
                | ElementType::S4
                | ElementType::U4
                | ElementType::B1
                | ElementType::S32
        )
    }

    /// Elements in one register.
    pub fn per_register(self) -> usize {
        (32 / self.bits()).max(1)
    }
}

/// `m x n` results, each a sum of `k` products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A and of the result.
    pub m: usize,
    /// Columns of B and of the result.
    pub n: usize,
    /// Columns of A and rows of B.
    pub k: usize,
}

/// A matrix of `D = A B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOperand {
    /// `m x k`.
    A,
    /// `k x n`.
    B,
    /// `m x n`: the accumulator or the result.
    C,
}

/// A matrix spread over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fragment {
    /// Which matrix.
    pub part: MatrixOperand,
    /// The shape of the product.
    pub shape: Shape,
    /// Its elements.
    pub number: ElementType,
}

impl Fragment {
    /// Rows and columns.
    pub fn extents(self) -> (usize, usize) {
        let Shape { m, n, k } = self.shape;
        match self.part {
            MatrixOperand::A => (m, k),
            MatrixOperand::B => (k, n),
            MatrixOperand::C => (m, n),
        }
    }

    /// The same fragment with `packed` elements along `k` taken together as a 32-bit word.
    pub fn of_words(self, packed: usize) -> Fragment {
        let shape = Shape { k: self.shape.k / packed, ..self.shape };
        Fragment { shape, number: ElementType::S32, ..self }
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

    /// Contiguous elements of a lane, along a row of A or C or along a column of B.
    pub fn run(self) -> usize {
        match self.part {
            MatrixOperand::C => 2,
            MatrixOperand::A | MatrixOperand::B => self.number.per_register(),
        }
    }

    /// Bytes that a lane of `wmma.load` or `wmma.store` accesses at a time, in a matrix stored by rows or by columns.
    /// Elements smaller than a byte are accessed as words.
    pub fn bytes_together(self, by_rows: bool) -> usize {
        let this = match self.number.bits() {
            bits @ ..8 => self.of_words(32 / bits),
            _ => self,
        };
        let along = by_rows == (this.part != MatrixOperand::B);
        this.number.bits() / 8 * if along { this.run() } else { 1 }
    }

    /// The row and column of element `i` of a lane (PTX manual, "Matrix Fragments for mma"): a lane's
    /// quad chooses the row of A and C and the column of B, its place in the quad the run along it.
    /// `wmma` leaves the layout to the machine; the emulator uses the same one.
    pub fn place(self, lane: usize, i: usize) -> (usize, usize) {
        let Shape { m, n, .. } = self.shape;
        let run = self.run();
        let lines = if self.part == MatrixOperand::B { n / 8 } else { m / 8 };
        let (word, rest) = (i / run, i % run);
        let line = lane / 4 + 8 * (word % lines);
        let along = run * (lane % 4 + 4 * (word / lines)) + rest;
        if self.part == MatrixOperand::B { (along, line) } else { (line, along) }
    }
}

/// A matrix operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOp {
    /// `ldmatrix` and `stmatrix`: sources are the address and, to store, the registers.
    Rows {
        /// Whether it stores.
        store: bool,
        /// 8x8 matrices of 16-bit elements: 1, 2 or 4.
        count: usize,
        /// Whether rows and columns are exchanged on the way.
        transposed: bool,
        /// The state space of the rows.
        space: MemorySpace,
        /// Bytes added to the address.
        offset: u64,
    },
    /// `wmma.load` and `wmma.store`: sources are the address, the elements from one row (or column)
    /// to the next and, to store, the registers.
    Tile {
        /// Whether it stores.
        store: bool,
        /// The fragment.
        fragment: Fragment,
        /// Whether rows, not columns, are contiguous in memory.
        by_rows: bool,
        /// The state space of the matrix.
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

/// How a single-bit product combines bits before counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// Bits that differ.
    Xor,
    /// Bits that both are 1.
    And,
}

/// The metadata layout of a sparse A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sparse {
    /// Which lanes of each quad have the metadata.
    pub selector: u32,
}

/// The types of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Multiply {
    /// Its shape.
    pub shape: Shape,
    /// Elements of A.
    pub a: ElementType,
    /// Elements of B.
    pub b: ElementType,
    /// Elements of the accumulator.
    pub c: ElementType,
    /// Elements of the result.
    pub d: ElementType,
    /// Whether integer results are clamped instead of wrapping around.
    pub saturate: bool,
    /// The bit operation of a single-bit product.
    pub bits: Option<BitOp>,
    /// Whether A is sparse; its metadata is the source after C.
    pub sparse: Option<Sparse>,
    /// For `m8n8k4` in f16: whether A and B are row-major. `None` is `.row.col`.
    pub quads: Option<[bool; 2]>,
    /// Registers of A, B and C: `wmma` has more for A and B than it needs.
    pub registers: [usize; 3],
}

impl Multiply {
    /// A product of types `[a, b, c, d]`.
    pub fn new(shape: Shape, types: [ElementType; 4], registers: [usize; 3]) -> Multiply {
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

/// A warpgroup product. Sources: the descriptor of B, the predicate that enables the accumulator, the descriptor or four
/// registers of A, the accumulator registers, and metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupMultiply {
    /// Columns of B.
    pub n: usize,
    /// Columns of A, including the zeros of a sparse A.
    pub k: usize,
    /// Elements of A.
    pub a: ElementType,
    /// Elements of B.
    pub b: ElementType,
    /// Elements of the accumulator.
    pub d: ElementType,
    /// Whether A comes from registers.
    pub registers: bool,
    /// Whether the predicate is inverted: the product is added to the accumulator if it is false.
    pub inverted: bool,
    /// Whether products are negated.
    pub negated: bool,
    /// For A and B: whether M or N (not K) is contiguous in memory.
    pub across: [bool; 2],
    /// Whether integer results are clamped.
    pub saturate: bool,
    /// Whether it is the single-bit product (`.and.popc`).
    pub bits: bool,
    /// Whether A is sparse.
    pub sparse: Option<Sparse>,
}

impl GroupMultiply {
    /// Registers of the accumulator.
    pub fn accumulators(&self) -> usize {
        self.n / 2 / self.d.per_register()
    }

    /// Stored bytes along K of A or B.
    pub fn bytes_along(&self, number: ElementType, a: bool) -> usize {
        let k = if a && self.sparse.is_some() { self.k / 2 } else { self.k };
        k * number.bits() / 8
    }
}
