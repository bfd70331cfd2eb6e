//! Compile-time configuration of a reduction kernel: operation, element type, and work distribution. One Rust kernel is staged into
//! the PTX of each case.

/// Operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Sum,
    Squares,
    Dot,
    Norm,
    Min,
    Max,
    ArgMin,
    ArgMax,
}

impl Operation {
    /// Whether it is a sum; otherwise an extremum.
    pub fn adds(self) -> bool {
        matches!(self, Operation::Sum | Operation::Squares | Operation::Dot | Operation::Norm)
    }

    /// Whether the result is the position of the extremum.
    pub fn finds(self) -> bool {
        matches!(self, Operation::ArgMin | Operation::ArgMax)
    }

    /// The name of the public function.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Sum => "sum",
            Operation::Squares => "sum_of_squares",
            Operation::Dot => "dot",
            Operation::Norm => "norm2",
            Operation::Min => "min",
            Operation::Max => "max",
            Operation::ArgMin => "argmin",
            Operation::ArgMax => "argmax",
        }
    }
}

/// Element types as runtime values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `i32`
    I32,
    /// `u32`
    U32,
    /// `i64`
    I64,
    /// `u64`
    U64,
    /// `f16`
    F16,
    /// `bf16`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Kind {
    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            Kind::F16 | Kind::Bf16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 => 8,
        }
    }

    /// The accumulator type.
    pub(crate) fn accumulator(self) -> Kind {
        match self {
            Kind::I32 | Kind::U32 | Kind::I64 | Kind::U64 => Kind::I64,
            Kind::F16 | Kind::Bf16 | Kind::F32 => Kind::F32,
            Kind::F64 => Kind::F64,
        }
    }
}

/// Element types as kernel constants: `how.element == BF16`.
pub(super) const F16: u32 = Kind::F16 as u32;
pub(super) const BF16: u32 = Kind::Bf16 as u32;
pub(super) const F32: u32 = Kind::F32 as u32;
pub(super) const I32: u32 = Kind::I32 as u32;
pub(super) const U32: u32 = Kind::U32 as u32;
pub(super) const I64: u32 = Kind::I64 as u32;
pub(super) const U64: u32 = Kind::U64 as u32;
pub(super) const F64: u32 = Kind::F64 as u32;

/// Work distribution over the threads of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// Threads of a block.
    pub threads: u32,
    /// Minimum resident blocks per multiprocessor.
    pub resident: u32,
    /// Loads in flight per thread.
    pub loads: u32,
    /// Whether loads are 16-byte vectors.
    pub vectors: bool,
    /// Whether rows of vectors begin and end with elements outside of them.
    pub peeled: bool,
    /// Threads of a block that share one result.
    pub group: u32,
    /// Whether neighboring threads have neighboring results instead of sharing one.
    pub columns: bool,
    /// Whether several blocks share one result.
    pub split: bool,
    /// Dimensions of the results, and reduced dimensions besides the innermost one.
    pub kept: u32,
    pub outer: u32,
}

/// Compile-time constants of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// An element type, as a number.
    pub element: u32,
    /// Whether it is a sum; otherwise an extremum.
    pub adds: bool,
    /// Whether the terms are products, and whether they are products of two arrays.
    pub multiplies: bool,
    pub dot: bool,
    /// Whether the result is the square root of the sum.
    pub root: bool,
    /// Whether it looks for the maximum instead of the minimum.
    pub upwards: bool,
    /// Whether the result is the position of the extremum.
    pub finds: bool,
    /// Whether sums carry their rounding errors.
    pub compensated: bool,
    /// Whether accumulators are `f32`, and whether they are `f64`; otherwise they are `i64`.
    pub single: bool,
    pub double: bool,
    /// Elements per 16 bytes.
    pub per_vector: u32,
    /// 32-bit words of an accumulator, and of a partial result.
    pub width: u32,
    pub words: u32,
    /// Results per block.
    pub tile: u32,
    /// Work distribution.
    pub sharing: Sharing,
    /// Programmatic dependent launch: the launch may begin before the previous one ends, and lets the next one do so (sm_90).
    pub overlaps: bool,
    /// Whether each block prefetches its first loads into L2 before the previous launch has ended.
    pub fetches: bool,
}

impl How {
    /// The constants of an operation on an element type.
    pub fn new(
        operation: Operation,
        element: Kind,
        compensated: bool,
        sharing: Sharing,
        overlaps: bool,
    ) -> How {
        let accumulator = element.accumulator();
        let compensated = compensated && operation.adds() && accumulator != Kind::I64;
        let width = if accumulator == Kind::F32 { 1 } else { 2 };
        let values = if compensated { 2 * width } else { width };
        How {
            element: element as u32,
            adds: operation.adds(),
            multiplies: matches!(operation, Operation::Squares | Operation::Dot | Operation::Norm),
            dot: operation == Operation::Dot,
            root: operation == Operation::Norm,
            upwards: matches!(operation, Operation::Max | Operation::ArgMax),
            finds: operation.finds(),
            compensated,
            single: accumulator == Kind::F32,
            double: accumulator == Kind::F64,
            per_vector: 16 / element.size() as u32,
            width,
            words: values + u32::from(operation.finds()),
            tile: sharing.threads / sharing.group,
            sharing,
            overlaps,
            fetches: false,
        }
    }
}
