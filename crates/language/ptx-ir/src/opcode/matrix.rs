//! Matrices distributed over the registers of a warp or warpgroup: operations, and which lane holds which element (PTX manual,
//! "Warp Level Matrix Instructions", "Asynchronous Warpgroup Level Matrix Instructions").

use crate::types::MemorySpace;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
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

/// Which matrix of `D = A B + C`.
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
    /// Of which shape.
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

    /// Elements of a lane that lie side by side in a row of A or C, or in a column of B.
    pub fn run(self) -> usize {
        match self.part {
            MatrixOperand::C => 2,
            MatrixOperand::A | MatrixOperand::B => self.number.per_register(),
        }
    }

    /// The row and column of element `i` of a lane (PTX manual, "Matrix Fragments for mma"): a lane's
    /// quad chooses the row of A and C and the column of B, its place in the quad the run along it.
    /// `wmma` leaves the layout to the machine; here it is the same.
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

/// What a matrix instruction does.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// Bits that differ.
    Xor,
    /// Bits that both are 1.
    And,
}

/// How a sparse A is told.
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

/// A warpgroup's product. Its sources: B's descriptor, the predicate that says whether the accumulator
/// counts, A's descriptor or its four registers, the accumulator's registers, and metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupMultiply {
    /// Columns of B.
    pub n: usize,
    /// Columns of A, all of them where it is sparse.
    pub k: usize,
    /// Elements of A.
    pub a: ElementType,
    /// Elements of B.
    pub b: ElementType,
    /// Elements of the accumulator.
    pub d: ElementType,
    /// Whether A comes from registers.
    pub registers: bool,
    /// Whether the accumulator counts where the predicate is false.
    pub inverted: bool,
    /// Whether products change their sign.
    pub negated: bool,
    /// Whether M or N is contiguous in memory, of A and B.
    pub across: [bool; 2],
    /// Whether integer results are clamped.
    pub saturate: bool,
    /// Whether bits are counted that both are 1.
    pub bits: bool,
    /// Whether A is sparse.
    pub sparse: Option<Sparse>,
}

impl GroupMultiply {
    /// Registers of the accumulator.
    pub fn accumulators(&self) -> usize {
        self.n / 2 / self.d.per_register()
    }

    /// Bytes along K of a row of A as it is stored, or of B.
    pub fn bytes_along(&self, number: ElementType, a: bool) -> usize {
        let k = if a && self.sparse.is_some() { self.k / 2 } else { self.k };
        k * number.bits() / 8
    }
}
