//! Compile-time configuration of a reduction kernel: operation, element type, and work distribution. One Rust kernel
//! generates the PTX of every case.

/// Operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReductionOperation {
    Sum,
    Squares,
    Dot,
    Norm,
    Min,
    Max,
    ArgMin,
    ArgMax,
}

impl ReductionOperation {
    /// Whether it is a sum; if not, it is an extremum.
    pub fn adds(self) -> bool {
        matches!(
            self,
            ReductionOperation::Sum
                | ReductionOperation::Squares
                | ReductionOperation::Dot
                | ReductionOperation::Norm
        )
    }

    /// Whether the result is the position of the extremum.
    pub fn finds(self) -> bool {
        matches!(self, ReductionOperation::ArgMin | ReductionOperation::ArgMax)
    }

    /// The name of the public function.
    pub fn name(self) -> &'static str {
        match self {
            ReductionOperation::Sum => "sum",
            ReductionOperation::Squares => "sum_of_squares",
            ReductionOperation::Dot => "dot",
            ReductionOperation::Norm => "norm2",
            ReductionOperation::Min => "min",
            ReductionOperation::Max => "max",
            ReductionOperation::ArgMin => "argmin",
            ReductionOperation::ArgMax => "argmax",
        }
    }
}

/// Element types as runtime values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberType {
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

impl NumberType {
    /// Bytes of an element.
    pub(crate) fn size(self) -> usize {
        match self {
            NumberType::F16 | NumberType::Bf16 => 2,
            NumberType::I32 | NumberType::U32 | NumberType::F32 => 4,
            NumberType::I64 | NumberType::U64 | NumberType::F64 => 8,
        }
    }

    /// The accumulator type.
    pub(crate) fn accumulator(self) -> NumberType {
        match self {
            NumberType::I32 | NumberType::U32 | NumberType::I64 | NumberType::U64 => {
                NumberType::I64
            }
            NumberType::F16 | NumberType::Bf16 | NumberType::F32 => NumberType::F32,
            NumberType::F64 => NumberType::F64,
        }
    }
}

/// Element types as kernel constants: `config.element == BF16`.
pub(super) const F16: u32 = NumberType::F16 as u32;
pub(super) const BF16: u32 = NumberType::Bf16 as u32;
pub(super) const F32: u32 = NumberType::F32 as u32;
pub(super) const I32: u32 = NumberType::I32 as u32;
pub(super) const U32: u32 = NumberType::U32 as u32;
pub(super) const I64: u32 = NumberType::I64 as u32;
pub(super) const U64: u32 = NumberType::U64 as u32;
pub(super) const F64: u32 = NumberType::F64 as u32;

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
    /// Number of dimensions of the results, and of reduced dimensions besides the innermost one.
    pub kept: u32,
    pub outer: u32,
}

/// Compile-time constants of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReductionConfig {
    /// Element type, as a number.
    pub element: u32,
    /// Whether it is a sum; otherwise an extremum.
    pub adds: bool,
    /// Whether the terms are products, and whether they are products of two arrays.
    pub multiplies: bool,
    pub dot: bool,
    /// Whether the result is the square root of the sum.
    pub root: bool,
    /// Whether the extremum is a maximum; if not, it is a minimum.
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

impl ReductionConfig {
    /// The constants of an operation on an element type.
    pub fn new(
        operation: ReductionOperation,
        element: NumberType,
        compensated: bool,
        sharing: Sharing,
        overlaps: bool,
    ) -> ReductionConfig {
        let accumulator = element.accumulator();
        let compensated = compensated && operation.adds() && accumulator != NumberType::I64;
        let width = if accumulator == NumberType::F32 { 1 } else { 2 };
        let values = if compensated { 2 * width } else { width };
        ReductionConfig {
            element: element as u32,
            adds: operation.adds(),
            multiplies: matches!(
                operation,
                ReductionOperation::Squares | ReductionOperation::Dot | ReductionOperation::Norm
            ),
            dot: operation == ReductionOperation::Dot,
            root: operation == ReductionOperation::Norm,
            upwards: matches!(operation, ReductionOperation::Max | ReductionOperation::ArgMax),
            finds: operation.finds(),
            compensated,
            single: accumulator == NumberType::F32,
            double: accumulator == NumberType::F64,
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
