//! Scalar types and state spaces of PTX, with their names in the text, and the suffixes of targets.

use std::fmt;

/// A scalar type (PTX manual, "Fundamental Types" and the packed and alternate formats).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
    /// A texture reference: an opaque handle of 8 bytes.
    Texref,
    /// A sampler reference.
    Samplerref,
    /// A surface reference.
    Surfref,
}

pub(crate) const SCALAR_NAMES: [(ScalarType, &str); 23] = [
    (ScalarType::Pred, "pred"),
    (ScalarType::B8, "b8"),
    (ScalarType::B16, "b16"),
    (ScalarType::B32, "b32"),
    (ScalarType::B64, "b64"),
    (ScalarType::B128, "b128"),
    (ScalarType::U8, "u8"),
    (ScalarType::U16, "u16"),
    (ScalarType::U32, "u32"),
    (ScalarType::U64, "u64"),
    (ScalarType::S8, "s8"),
    (ScalarType::S16, "s16"),
    (ScalarType::S32, "s32"),
    (ScalarType::S64, "s64"),
    (ScalarType::F16, "f16"),
    (ScalarType::F16x2, "f16x2"),
    (ScalarType::Bf16, "bf16"),
    (ScalarType::Bf16x2, "bf16x2"),
    (ScalarType::F32, "f32"),
    (ScalarType::F64, "f64"),
    (ScalarType::Texref, "texref"),
    (ScalarType::Samplerref, "samplerref"),
    (ScalarType::Surfref, "surfref"),
];

impl ScalarType {
    /// The name without its dot, such as `f32`.
    pub fn name(self) -> &'static str {
        SCALAR_NAMES.iter().find(|(ty, _)| *ty == self).map_or("", |(_, name)| name)
    }

    /// The type called `name` (no dot).
    pub fn from_name(name: &str) -> Option<Self> {
        SCALAR_NAMES.iter().find(|(_, n)| *n == name).map(|(ty, _)| *ty)
    }

    /// Size in bytes; a predicate counts as 1.
    pub fn size(self) -> u32 {
        use ScalarType::*;
        match self {
            Pred | B8 | U8 | S8 => 1,
            B16 | U16 | S16 | F16 | Bf16 => 2,
            B32 | U32 | S32 | F16x2 | Bf16x2 | F32 => 4,
            B64 | U64 | S64 | F64 | Texref | Samplerref | Surfref => 8,
            B128 => 16,
        }
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        use ScalarType::*;
        matches!(self, S8 | S16 | S32 | S64)
    }

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        use ScalarType::*;
        matches!(self, F16 | F16x2 | Bf16 | Bf16x2 | F32 | F64)
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// A state space (PTX manual, "State Spaces").
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateSpace {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
}

impl StateSpace {
    /// The name without its dot.
    pub fn name(self) -> &'static str {
        match self {
            StateSpace::Reg => "reg",
            StateSpace::Const => "const",
            StateSpace::Global => "global",
            StateSpace::Local => "local",
            StateSpace::Param => "param",
            StateSpace::Shared => "shared",
        }
    }

    /// The space called `name` (no dot).
    pub fn from_name(name: &str) -> Option<Self> {
        use StateSpace::*;
        [Reg, Const, Global, Local, Param, Shared].into_iter().find(|s| s.name() == name)
    }
}

impl fmt::Display for StateSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// The suffix of a target architecture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Specific {
    /// None: runs on this architecture and all later ones.
    #[default]
    Portable,
    /// `f`: this family only.
    Family,
    /// `a`: this architecture only.
    Architecture,
}
