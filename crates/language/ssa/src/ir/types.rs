//! Types of values, address spaces, and the numbers that name values, blocks, functions and variables.

use std::fmt;

/// The address space that a pointer refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AddressSpace {
    /// Any of global, shared, local and constant space. C++ pointers are generic.
    Generic,
    /// Device memory.
    Global,
    /// Per-block memory. Pointers have 32 bits.
    Shared,
    /// `__constant__` memory.
    Constant,
    /// Per-thread memory; stack slots are in it.
    Local,
    /// Read-only parameters of a kernel.
    Parameter,
}

/// The type of a value.
///
/// Packed pairs (`half2`, `bf16x2`) and fragments of matrix instructions are `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueType {
    /// A Boolean; a predicate register in PTX.
    I1,
    /// 8 bits.
    I8,
    /// 16 bits.
    I16,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    BF16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// A pointer: 32 bits in shared space, otherwise 64.
    Pointer(AddressSpace),
}

impl ValueType {
    /// A generic pointer, the type of C++ pointers.
    pub const POINTER: ValueType = ValueType::Pointer(AddressSpace::Generic);

    /// Size in bytes; `I1` counts as 1.
    pub fn bytes(self) -> u32 {
        match self {
            ValueType::I1 | ValueType::I8 => 1,
            ValueType::I16 | ValueType::F16 | ValueType::BF16 => 2,
            ValueType::I32 | ValueType::F32 | ValueType::Pointer(AddressSpace::Shared) => 4,
            ValueType::I64 | ValueType::F64 | ValueType::Pointer(_) => 8,
        }
    }

    /// Size in bits; `I1` has 1.
    pub fn bits(self) -> u32 {
        if self == ValueType::I1 { 1 } else { 8 * self.bytes() }
    }

    /// Whether it is an integer type, including `I1`.
    pub fn is_integer(self) -> bool {
        use ValueType::*;
        matches!(self, I1 | I8 | I16 | I32 | I64)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        use ValueType::*;
        matches!(self, F16 | BF16 | F32 | F64)
    }

    /// The address space of a pointer.
    pub fn space(self) -> Option<AddressSpace> {
        match self {
            ValueType::Pointer(space) => Some(space),
            _ => None,
        }
    }

    /// The integer type with `bits` bits (1, 8, 16, 32 or 64).
    pub fn integer(bits: u32) -> Option<ValueType> {
        use ValueType::*;
        [I1, I8, I16, I32, I64].into_iter().find(|ty| ty.bits() == bits)
    }

    /// A mask with all bits of this type set.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ValueType::*;
        let name = match self {
            I1 => "i1",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            F16 => "f16",
            BF16 => "bf16",
            F32 => "f32",
            F64 => "f64",
            Pointer(AddressSpace::Generic) => "ptr",
            Pointer(AddressSpace::Global) => "ptr.global",
            Pointer(AddressSpace::Shared) => "ptr.shared",
            Pointer(AddressSpace::Constant) => "ptr.const",
            Pointer(AddressSpace::Local) => "ptr.local",
            Pointer(AddressSpace::Parameter) => "ptr.param",
        };
        f.write_str(name)
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A value of one function.
    ValueId "v";
    /// An instruction of one function.
    InstructionId "inst";
    /// A basic block of one function.
    BlockId "block";
    /// A stack slot of one function.
    SlotId "slot";
    /// A mutable variable of the builder; SSA values replace it.
    VariableId "var";
    /// A function of the module.
    FunctionId "fn";
    /// A variable at module scope.
    GlobalId "global";
}

/// A position in the source: `.loc` in PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    /// Index into [`SsaModule::files`](crate::SsaModule::files), from 1; 0 if unknown.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, or 0 if unknown.
    pub column: u32,
    /// Index into [`SsaFunction::inlined`](crate::SsaFunction::inlined), from 1, of the call that brought the code here; 0
    /// for the function's own code.
    pub inlined: u32,
}
