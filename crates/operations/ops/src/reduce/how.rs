//! What a reduction's kernel is staged for: the operation, the element type, and how threads share the work. All of it is known
//! when the kernel is built, so that one kernel in Rust becomes the PTX of each case.

/// How several numbers become one.
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
    /// Whether numbers are added; else the extreme one is taken.
    pub fn adds(self) -> bool {
        matches!(self, Operation::Sum | Operation::Squares | Operation::Dot | Operation::Norm)
    }

    /// Whether the position of the extreme one is the result.
    pub fn finds(self) -> bool {
        matches!(self, Operation::ArgMin | Operation::ArgMax)
    }

    /// The name of the function that makes it.
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

/// Element types, as kernels tell them apart.
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

    /// The type that numbers of this one are added and compared in.
    pub(crate) fn accumulator(self) -> Kind {
        match self {
            Kind::I32 | Kind::U32 | Kind::I64 | Kind::U64 => Kind::I64,
            Kind::F16 | Kind::Bf16 | Kind::F32 => Kind::F32,
            Kind::F64 => Kind::F64,
        }
    }
}

/// A number type, where kernels ask for it: `how.element == BF16`.
pub(super) const F16: u32 = Kind::F16 as u32;
pub(super) const BF16: u32 = Kind::Bf16 as u32;
pub(super) const F32: u32 = Kind::F32 as u32;
pub(super) const I32: u32 = Kind::I32 as u32;
pub(super) const U32: u32 = Kind::U32 as u32;
pub(super) const I64: u32 = Kind::I64 as u32;
pub(super) const U64: u32 = Kind::U64 as u32;
pub(super) const F64: u32 = Kind::F64 as u32;

/// How the threads of a launch share the work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that must fit on a multiprocessor.
    pub resident: u32,
    /// Loads that a thread has in flight.
    pub loads: u32,
    /// Loads are of 16 bytes.
    pub vectors: bool,
    /// Rows of vectors begin and end with elements outside of them.
    pub peeled: bool,
    /// Threads of a block that share one result.
    pub group: u32,
    /// Neighbouring threads belong to neighbouring results, not to one.
    pub columns: bool,
    /// Several blocks share one result.
    pub split: bool,
    /// Dimensions of the results, and dimensions that are reduced besides the innermost one.
    pub kept: u32,
    pub outer: u32,
}

/// Constants of a launch, as its kernel asks for them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// A [`Kind`], as a number.
    pub element: u32,
    /// Numbers are added; else the extreme one is taken.
    pub adds: bool,
    /// The terms of the sum are products, and those of two arrays.
    pub multiplies: bool,
    pub dot: bool,
    /// The square root of the sum is the result.
    pub root: bool,
    /// The largest number is looked for, not the smallest.
    pub upwards: bool,
    /// The position of the extreme number is the result.
    pub finds: bool,
    /// Sums carry what rounding took from them.
    pub compensated: bool,
    /// Accumulators are `f32`; else, `f64`; else `i64`.
    pub single: bool,
    pub double: bool,
    /// Elements of 16 bytes.
    pub per_vector: u32,
    /// 32-bit words of an accumulator, and of a partial result.
    pub width: u32,
    pub words: u32,
    /// Results of a block.
    pub tile: u32,
    /// How the threads share the work.
    pub sharing: Sharing,
    /// The launch may begin while the one before it ends, and lets the next one do so (sm_90).
    pub overlaps: bool,
    /// L2 fetches what each block reads first before the launch before has ended.
    pub fetches: bool,
}

impl How {
    /// The constants of an operation on elements of a type.
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
