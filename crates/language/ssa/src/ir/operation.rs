//! Operations of instructions. The operands are values in the instruction, so an operation contains only its
//! fixed properties.

use super::types::{FunctionId, ValueType};
use std::sync::Arc;

/// The operation of an instruction. Arguments and results are listed as `arguments -> results`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstructionKind {
    /// `a, b -> r`: integer arithmetic on operands of one type. Shift amounts are `I32`.
    Integer {
        /// The operation.
        op: IntegerBinary,
        /// Signed overflow is undefined behavior (arithmetic on C++'s signed types), so an extension to 64 bits may
        /// be applied to the operands instead.
        no_wrap: bool,
    },
    /// `a -> r`: integer operation on one operand.
    IntegerUnary(IntegerUnary),
    /// `a, b -> r`, `a -> r` or `a, b, c -> r`: floating-point arithmetic.
    Float {
        /// The operation.
        op: FloatArithmetic,
        /// Rounding and other modifiers.
        mode: FloatMode,
    },
    /// `a, b -> I1`: compares integers or pointers.
    CompareIntegers(IntegerCondition),
    /// `a, b -> I1`: compares floats. If `flush` is set, subnormal `f32` inputs count as zero.
    CompareFloats {
        /// The condition.
        condition: FloatCondition,
        /// Whether subnormal inputs count as zero.
        flush: bool,
    },
    /// `I1, a, b -> r`: `a` if true.
    Select,
    /// `a -> r`: converts to the type of the result.
    Convert(ValueConversion),
    /// `pointer, offset -> pointer`: adds bytes. The offset is `I64`, or `I32` for a shared pointer.
    PointerAdd,
    /// `pointer -> r...`: loads one value, or 2 or 4 of the same type as a vector.
    Load(MemoryFlags),
    /// `pointer, a... ->`: stores one value, or 2 or 4 of the same type as a vector.
    Store(MemoryFlags),
    /// `pointer, a -> old`, or `pointer, compare, a -> old` for compare-and-swap.
    Atomic {
        /// The operation.
        op: AtomicOperation,
        /// The threads with respect to which it is atomic.
        scope: ThreadScope,
        /// Ordering of other accesses.
        ordering: MemoryOrdering,
    },
    /// `-> I32` or `I64`: reads a special register.
    Special(SpecialValue),
    /// `to, from ->`: copies bytes between memory that does not overlap.
    CopyMemory {
        /// Number of bytes.
        size: u64,
        /// Alignment of both addresses.
        align: u32,
        /// Bytes of each member, if all have the same size; else 0.
        unit: u32,
    },
    /// `to ->`: fills memory with one byte.
    FillMemory {
        /// The byte.
        byte: u8,
        /// Number of bytes.
        size: u64,
        /// Alignment of the address.
        align: u32,
    },
    /// `arguments... -> results...`: calls a function of the module, which may be a declaration (`vprintf`, `malloc`).
    Call(FunctionId),
    /// `function, arguments... -> results...`: calls through a pointer.
    CallIndirect,
    /// `inputs... -> outputs...`: PTX text, for inline assembly and for all intrinsics that have no operation
    /// of their own.
    Ptx(Arc<PtxTemplate>),
}

/// Integer operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntegerBinary {
    Add,
    Subtract,
    Multiply,
    MultiplyHighSigned,
    MultiplyHighUnsigned,
    DivideSigned,
    DivideUnsigned,
    RemainderSigned,
    RemainderUnsigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    MinimumSigned,
    MinimumUnsigned,
    MaximumSigned,
    MaximumUnsigned,
}

impl IntegerBinary {
    /// Whether the second operand divides the first.
    pub fn divides(self) -> bool {
        use IntegerBinary::*;
        matches!(self, DivideSigned | DivideUnsigned | RemainderSigned | RemainderUnsigned)
    }
}

/// Integer operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerUnary {
    /// `~a`.
    Not,
    /// `-a`.
    Negate,
    /// `|a|`.
    Absolute,
    /// Number of bits set, an `I32`.
    CountOnes,
    /// Number of zeros above the highest bit set, an `I32`.
    LeadingZeros,
    /// Bits in reverse.
    ReverseBits,
}

/// Floating-point operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatArithmetic {
    /// `a + b`.
    Add,
    /// `a - b`.
    Subtract,
    /// `a * b`.
    Multiply,
    /// `a / b`, correctly rounded. The approximate variants are PTX templates.
    Divide,
    /// The smaller number; if one operand is NaN, the other one.
    Minimum,
    /// The larger number; if one operand is NaN, the other one.
    Maximum,
    /// `a * b + c`, rounded once.
    FusedMultiplyAdd,
    /// `-a`.
    Negate,
    /// `|a|`.
    Absolute,
    /// Square root, correctly rounded.
    SquareRoot,
    /// `1 / a`, correctly rounded.
    Reciprocal,
}

/// Modifiers of floating-point arithmetic and conversions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// Rounding of the result.
    pub rounding: RoundingMode,
    /// Flush subnormal `f32` to zero (`.ftz`).
    pub flush: bool,
    /// Clamp to \[0, 1\] (`.sat`).
    pub saturate: bool,
    /// The product or sum may become part of a fused multiply-add, as with nvcc's default `-fmad=true`. Both the
    /// product and the sum must allow it.
    pub contract: bool,
}

impl FloatMode {
    /// Arithmetic of C++ operators: rounds to nearest, and allows contraction.
    pub const CONTRACT: FloatMode = FloatMode {
        rounding: RoundingMode::Nearest,
        flush: false,
        saturate: false,
        contract: true,
    };
}

/// Rounding to a float (`.rn` etc.) or, in a conversion to integers, to an integer (`.rni` etc.).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Toward zero.
    Zero,
    /// Toward positive infinity.
    Up,
    /// Toward negative infinity.
    Down,
}

/// Conditions of integer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum IntegerCondition {
    Equal,
    NotEqual,
    LessSigned,
    LessOrEqualSigned,
    GreaterSigned,
    GreaterOrEqualSigned,
    LessUnsigned,
    LessOrEqualUnsigned,
    GreaterUnsigned,
    GreaterOrEqualUnsigned,
}

impl IntegerCondition {
    /// The condition that holds when this one does not.
    pub fn opposite(self) -> IntegerCondition {
        use IntegerCondition::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            LessSigned => GreaterOrEqualSigned,
            LessOrEqualSigned => GreaterSigned,
            GreaterSigned => LessOrEqualSigned,
            GreaterOrEqualSigned => LessSigned,
            LessUnsigned => GreaterOrEqualUnsigned,
            LessOrEqualUnsigned => GreaterUnsigned,
            GreaterUnsigned => LessOrEqualUnsigned,
            GreaterOrEqualUnsigned => LessUnsigned,
        }
    }

    /// The equivalent condition for exchanged operands.
    pub fn swapped(self) -> IntegerCondition {
        use IntegerCondition::*;
        match self {
            Equal | NotEqual => self,
            LessSigned => GreaterSigned,
            LessOrEqualSigned => GreaterOrEqualSigned,
            GreaterSigned => LessSigned,
            GreaterOrEqualSigned => LessOrEqualSigned,
            LessUnsigned => GreaterUnsigned,
            LessOrEqualUnsigned => GreaterOrEqualUnsigned,
            GreaterUnsigned => LessUnsigned,
            GreaterOrEqualUnsigned => LessOrEqualUnsigned,
        }
    }
}

/// Conditions of floating-point comparisons. C++'s `!=` is `NotEqualOrUnordered`; its other operators are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FloatCondition {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    EqualOrUnordered,
    NotEqualOrUnordered,
    LessOrUnordered,
    LessOrEqualOrUnordered,
    GreaterOrUnordered,
    GreaterOrEqualOrUnordered,
    Ordered,
    Unordered,
}

/// Conversions from the type of the argument to the type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueConversion {
    /// To a wider integer, with sign extension.
    SignExtend,
    /// To a wider integer, with zero extension.
    ZeroExtend,
    /// To a narrower integer. To `I1`, the lowest bit.
    Truncate,
    /// Signed integer to float.
    SignedToFloat(RoundingMode),
    /// Unsigned integer to float.
    UnsignedToFloat(RoundingMode),
    /// Float to signed integer; values out of range give the nearest integer.
    FloatToSigned {
        /// Rounding; C++'s casts round toward zero.
        rounding: RoundingMode,
        /// Subnormal inputs count as zero.
        flush: bool,
    },
    /// Float to unsigned integer; values out of range give the nearest integer.
    FloatToUnsigned {
        /// Rounding; C++'s casts round toward zero.
        rounding: RoundingMode,
        /// Subnormal inputs count as zero.
        flush: bool,
    },
    /// Float to a float of another type.
    FloatToFloat(FloatMode),
    /// Float to a float of the same type with an integral value: `floor`, `ceil`, `trunc`, `rint`.
    RoundToIntegral {
        /// Rounding.
        rounding: RoundingMode,
        /// Flush subnormal numbers to zero.
        flush: bool,
    },
    /// The same bits as another type of the same size. Pointers are converted to integers of their size in this way.
    Reinterpret,
    /// A pointer to another address space: to generic space, or from generic space to the space that it
    /// is known to be in.
    Space,
}

/// Flags of a load or store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryFlags {
    /// Alignment in bytes of the address, a power of two.
    pub align: u32,
    /// Never removed, merged or moved.
    pub volatile: bool,
    /// Constant while the kernel runs (`__ldg`, `const T* __restrict__`).
    pub invariant: bool,
    /// The cache operator or memory order of `ld` or `st`.
    pub cache: CacheOperator,
}

impl MemoryFlags {
    /// A plain access with this alignment.
    pub fn aligned(align: u32) -> MemoryFlags {
        MemoryFlags { align, volatile: false, invariant: false, cache: CacheOperator::Default }
    }
}

/// Cache operators (`__ldcg` and its variants).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CacheOperator {
    /// None.
    #[default]
    Default,
    /// `.ca`: cached at all levels.
    All,
    /// `.cg`: cached in L2 only.
    Global,
    /// `.cs`: streaming.
    Streaming,
    /// `.lu`: last use (loads).
    LastUse,
    /// `.cv`: do not cache (loads).
    Volatile,
    /// `.wb`: write back (stores).
    WriteBack,
    /// `.wt`: write through (stores).
    WriteThrough,
}

/// Atomic operations; the type is the operand's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum AtomicOperation {
    Add,
    AddFloat,
    And,
    Or,
    Xor,
    Exchange,
    CompareExchange,
    MinimumSigned,
    MinimumUnsigned,
    MaximumSigned,
    MaximumUnsigned,
    /// `old >= a ? 0 : old + 1`.
    Increment,
    /// `old == 0 || old > a ? a : old - 1`.
    Decrement,
}

/// The threads that observe an atomic operation or a fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ThreadScope {
    Block,
    Cluster,
    #[default]
    Device,
    System,
}

/// The memory order of an atomic operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MemoryOrdering {
    /// The order of CUDA's `atomicAdd` and similar functions.
    #[default]
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

/// Special registers whose range passes know. Other registers are read by PTX templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpecialValue {
    /// `threadIdx`, by axis 0 to 2.
    ThreadIndex(u8),
    /// `blockDim`.
    BlockSize(u8),
    /// `blockIdx`.
    BlockIndex(u8),
    /// `gridDim`.
    GridSize(u8),
    /// `%laneid`.
    Lane,
    /// `%warpid`.
    WarpIndex,
}

/// PTX text with placeholders, and the effects of executing it.
///
/// `%0`, `%1`, ... are the operands: outputs first, then inputs. `%%` is a percent sign.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PtxTemplate {
    /// One or more statements; a semicolon after the last is optional.
    pub text: String,
    /// Types of the outputs.
    pub outputs: Vec<ValueType>,
    /// Whether constant inputs are written as literals. Inline assembly expects registers, as with nvcc.
    pub literals: bool,
    /// `(input, output)` pairs of read-write operands (`"+r"`): the output's register initially holds the input's
    /// value. Both are counted from 0.
    pub tied: Vec<(u32, u32)>,
    /// Effects.
    pub effects: PtxEffects,
}

/// Effects of PTX text besides computing its outputs from its inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PtxEffects {
    /// Reads memory.
    pub reads: bool,
    /// Writes memory, or orders accesses.
    pub writes: bool,
    /// Must not be removed or duplicated (`asm volatile`).
    pub volatile: bool,
    /// All threads of a warp or block execute it together, so it must not be moved into or out of a conditional.
    pub convergent: bool,
}

impl PtxEffects {
    /// No effects: outputs depend only on inputs.
    pub const PURE: PtxEffects =
        PtxEffects { reads: false, writes: false, volatile: false, convergent: false };
    /// Exchanges values within a warp (shuffles, votes).
    pub const CONVERGENT: PtxEffects =
        PtxEffects { reads: false, writes: false, volatile: true, convergent: true };
    /// A barrier or fence: no memory access moves across it.
    pub const BARRIER: PtxEffects =
        PtxEffects { reads: true, writes: true, volatile: true, convergent: true };
    /// `asm volatile` with a memory clobber.
    pub const VOLATILE: PtxEffects =
        PtxEffects { reads: true, writes: true, volatile: true, convergent: false };
}
