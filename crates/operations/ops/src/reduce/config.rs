//! Compile-time configuration of a reduction kernel (operation, element type, work distribution), and the arithmetic that it
//! selects: terms, partial results and their combination. One Rust kernel generates the PTX of every case.
//!
//! A partial result is a value, its rounding error (compensated sums), and a position (argmin, argmax). Compensated sums add by
//! TwoSum (Knuth, The Art of Computer Programming 2, 4.2.2) and multiply by TwoProduct with an FMA (Ogita, Rump and Oishi 2005,
//! "Accurate sum and dot product", Sum2 and Dot2): the result is as if computed with twice the digits and rounded once, unless a
//! sum overflows; then it is the plain result, infinity.

use half::f16;
use lanework::prelude::*;
use lanework_numbers::NumberType;

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
    /// Whether it is a sum; otherwise an extremum.
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

/// The accumulator type.
pub(super) fn accumulator(element: NumberType) -> NumberType {
    match element {
        NumberType::F64 => NumberType::F64,
        element if element.is_float() => NumberType::F32,
        _ => NumberType::I64,
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
    /// Whether the extremum is a maximum; otherwise a minimum.
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
        let accumulator = accumulator(element);
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
            per_vector: 16 / element.bytes() as u32,
            width,
            words: values + u32::from(operation.finds()),
            tile: sharing.threads / sharing.group,
            sharing,
            overlaps,
            fetches: false,
        }
    }
}

/// XOR mask that maps the order of `u64` to the order of `i64`, which comparisons use, and back.
pub(super) const SIGN: u64 = 1 << 63;

/// Element `i` of an array of type `kind`, from the slice of its element size.
#[device]
pub(super) fn element<A: Number>(
    halves: &[f16],
    shorts: &[u16],
    words: &[u32],
    longs: &[u64],
    i: u64,
    #[constant] config: ReductionConfig,
) -> A {
    let kind = config.element;
    if kind == F16 {
        halves[i] as A
    } else if kind == BF16 {
        f32_from_bits((shorts[i] as u32) << 16) as A
    } else if kind == F32 {
        f32_from_bits(words[i]) as A
    } else if kind == I32 {
        (words[i] as i32) as A
    } else if kind == U32 {
        words[i] as A
    } else if kind == F64 {
        f64_from_bits(longs[i]) as A
    } else if kind == U64 && !config.adds {
        ((longs[i] ^ SIGN) as i64) as A
    } else {
        (longs[i] as i64) as A
    }
}

/// Element `j` of 16 bytes that were loaded as words, or as 16-bit elements.
#[device]
pub(super) fn element_of<A: Number>(
    words: [u32; 4],
    halves: [f16; 8],
    #[constant] j: usize,
    #[constant] config: ReductionConfig,
) -> A {
    let kind = config.element;
    if kind == F16 {
        halves[j] as A
    } else if kind == BF16 && j & 1 == 0 {
        f32_from_bits(words[j / 2] << 16) as A
    } else if kind == BF16 {
        f32_from_bits(words[j / 2] & 0xffff_0000) as A
    } else if kind == F32 {
        f32_from_bits(words[j]) as A
    } else if kind == I32 {
        (words[j] as i32) as A
    } else if kind == U32 {
        words[j] as A
    } else if kind == F64 {
        f64_from_bits((words[2 * j + 1] as u64) << 32 | words[2 * j] as u64) as A
    } else if kind == U64 && !config.adds {
        (((words[2 * j + 1] as u64) << 32 | words[2 * j] as u64) ^ SIGN) as i64 as A
    } else {
        (((words[2 * j + 1] as u64) << 32 | words[2 * j] as u64) as i64) as A
    }
}

/// `x * y + z` with one rounding; for integers modulo 2^64.
#[device]
fn multiply_add<A: Number>(x: A, y: A, z: A, #[constant] config: ReductionConfig) -> A {
    if config.single {
        fma(x as f32, y as f32, z as f32) as A
    } else if config.double {
        fma(x as f64, y as f64, z as f64) as A
    } else {
        x * y + z
    }
}

/// Whether it is a NaN.
#[device]
fn is_nan<A: Number>(x: A, #[constant] config: ReductionConfig) -> bool {
    if config.single {
        (x as f32).is_nan()
    } else if config.double {
        (x as f64).is_nan()
    } else {
        false
    }
}

/// TwoSum: the rounded sum and its rounding error.
#[device]
fn two_sum<A: Number>(a: A, b: A) -> (A, A) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// Whether `x` precedes `y` in the order of the extremum; NaN precedes every number.
#[device]
fn is_ahead<A: Number>(x: A, y: A, #[constant] config: ReductionConfig) -> bool {
    if config.upwards { x > y } else { x < y }
}

/// Whether `x`, at a later position than `y`, replaces `y`: it precedes `y` in the order, or is the first NaN. Uses
/// two comparisons; one is true for NaN.
#[device]
fn passes<A: Number>(x: A, y: A, #[constant] config: ReductionConfig) -> bool {
    if config.single || config.double {
        let behind = if config.upwards { x <= y } else { x >= y };
        !behind && !is_nan::<A>(y, config)
    } else {
        is_ahead::<A>(x, y, config)
    }
}

/// Accumulates one element (or pair of elements) at position `at`; positions increase from call to call.
#[device]
pub(super) fn with<A: Number>(
    partial: (A, A, u32),
    x: A,
    y: A,
    at: u32,
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    let (value, error, position) = partial;
    if config.adds {
        if config.compensated {
            let mut term = x;
            let mut rest = A::ZERO;
            if config.multiplies {
                term = x * y;
                rest = multiply_add::<A>(x, y, A::ZERO - term, config);
            }
            let (sum, lost) = two_sum::<A>(value, term);
            (sum, error + (lost + rest), position)
        } else if config.multiplies {
            (multiply_add::<A>(x, y, value, config), error, position)
        } else {
            (value + x, error, position)
        }
    } else if passes::<A>(x, value, config) {
        (x, error, at)
    } else {
        (value, error, position)
    }
}

/// Combines two partial results.
#[device]
pub(super) fn joined<A: Number>(
    a: (A, A, u32),
    b: (A, A, u32),
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    if config.adds {
        if config.compensated {
            let (sum, lost) = two_sum::<A>(a.0, b.0);
            (sum, (a.1 + b.1) + lost, a.2)
        } else {
            (a.0 + b.0, a.1, a.2)
        }
    } else {
        let (a_nan, b_nan) = (is_nan::<A>(a.0, config), is_nan::<A>(b.0, config));
        // Both NaN, or equal: keep the earlier position.
        let ahead = (is_ahead::<A>(b.0, a.0, config) || b_nan) && !a_nan;
        let equal = a.0 == b.0 || a_nan && b_nan;
        if ahead || equal && b.2 < a.2 { b } else { a }
    }
}

/// The partial result of lane `lane ^ bits`.
#[device]
pub(super) fn of_lane<A: Number>(
    partial: (A, A, u32),
    bits: u32,
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    let value = shfl_xor_sync(FULL_MASK, partial.0, bits);
    let mut error = partial.1;
    if config.compensated {
        error = shfl_xor_sync(FULL_MASK, error, bits);
    }
    let mut position = partial.2;
    if config.finds {
        position = shfl_xor_sync(FULL_MASK, position, bits);
    }
    (value, error, position)
}

/// The final result from a complete partial result.
#[device]
pub(super) fn rounded<A: Number>(partial: (A, A, u32), #[constant] config: ReductionConfig) -> A {
    if config.compensated {
        let sum = partial.0 + partial.1;
        // The rounding error of an infinite sum is NaN.
        if is_nan::<A>(sum, config) { partial.0 } else { sum }
    } else {
        partial.0
    }
}
