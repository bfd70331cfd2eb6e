//! Untyped values (constants, registers, special registers), their names in PTX, and Rust names as PTX identifiers.

use lanework_ptx::{Immediate, ScalarType};

/// A value while staging.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// A constant, by its bits (zero-extended).
    Constant(u64),
    /// A register.
    Register(Register),
    /// A special register that never changes in a thread, read once per kernel.
    Special(&'static str),
}

/// An index and its type.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    pub(crate) value: Value,
    pub(crate) ty: ScalarType,
}

impl Index {
    /// The index, if it is known while staging.
    pub(crate) fn known(self) -> Option<i128> {
        match self.value {
            Value::Constant(bits) => Some(integer(bits, self.ty)),
            _ => None,
        }
    }
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register {
    /// Its register class.
    pub class: Class,
    /// Number within its class.
    pub index: u32,
    /// Whether it is assigned more than once (`let mut`).
    pub mutable: bool,
}

impl Register {
    /// The register's name in the PTX.
    pub fn name(self) -> String {
        format!("{}{}", self.class.prefix(), self.index)
    }
}

/// The classes of virtual registers. Integers of 8 and 16 bits are kept extended in 32-bit
/// registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    Predicate,
    Half,
    Word,
    Long,
    Single,
    Double,
}

impl Class {
    /// Every class, in the order of declaration.
    pub const ALL: [Class; 6] =
        [Class::Predicate, Class::Half, Class::Word, Class::Long, Class::Single, Class::Double];

    /// The class that holds values of `ty`.
    pub fn of(ty: ScalarType) -> Class {
        use ScalarType::*;
        match ty {
            Pred => Class::Predicate,
            F16 | Bf16 | B16 => Class::Half,
            B8 | U8 | S8 | U16 | S16 | U32 | S32 | B32 | F16x2 | Bf16x2 => Class::Word,
            F32 => Class::Single,
            F64 => Class::Double,
            U64 | S64 | B64 | B128 | Texref | Samplerref | Surfref => Class::Long,
        }
    }

    /// The prefix of the class's register names.
    pub fn prefix(self) -> &'static str {
        match self {
            Class::Predicate => "%p",
            Class::Half => "%h",
            Class::Word => "%r",
            Class::Long => "%rd",
            Class::Single => "%f",
            Class::Double => "%fd",
        }
    }

    /// The type that registers of the class are declared with and moved as.
    pub fn bits_type(self) -> ScalarType {
        match self {
            Class::Predicate => ScalarType::Pred,
            Class::Half => ScalarType::B16,
            Class::Word => ScalarType::B32,
            Class::Long => ScalarType::B64,
            Class::Single => ScalarType::F32,
            Class::Double => ScalarType::F64,
        }
    }
}

/// The type that instructions compute `ty` in: 8- and 16-bit integers compute in 32 bits.
pub(crate) fn compute_type(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::U8 | ScalarType::U16 => ScalarType::U32,
        ScalarType::S8 | ScalarType::S16 => ScalarType::S32,
        other => other,
    }
}

/// The type that `ld` and `st` use for `ty`.
pub(crate) fn memory_type(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::F16 | ScalarType::Bf16 => ScalarType::B16,
        other => other,
    }
}

/// Whether `ty` is an integer narrower than its register.
pub(crate) fn is_narrow(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::U8 | ScalarType::U16 | ScalarType::S8 | ScalarType::S16)
}

/// The integer that `bits` represent in `ty`.
pub(crate) fn integer(bits: u64, ty: ScalarType) -> i128 {
    match ty {
        ScalarType::U8 => i128::from(bits as u8),
        ScalarType::U16 => i128::from(bits as u16),
        ScalarType::U32 => i128::from(bits as u32),
        ScalarType::S8 => i128::from(bits as i8),
        ScalarType::S16 => i128::from(bits as i16),
        ScalarType::S32 => i128::from(bits as i32),
        ScalarType::S64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// The bits of `value` wrapped to `ty`, zero-extended.
pub(crate) fn wrap(value: i128, ty: ScalarType) -> u64 {
    let bits = value as u64;
    match ty.size() {
        1 => u64::from(bits as u8),
        2 => u64::from(bits as u16),
        4 => u64::from(bits as u32),
        _ => bits,
    }
}

/// The value as a register holds it: a constant of a narrow signed type is sign-extended.
pub(crate) fn extended(value: Value, ty: ScalarType) -> Value {
    match value {
        Value::Constant(bits) if is_narrow(ty) => {
            Value::Constant(wrap(integer(bits, ty), compute_type(ty)))
        }
        other => other,
    }
}

/// The literal for `bits` of type `ty`.
pub(crate) fn literal(bits: u64, ty: ScalarType) -> Immediate {
    match ty {
        ScalarType::F32 => Immediate::F32(bits as u32),
        ScalarType::F64 => Immediate::F64(bits),
        _ => Immediate::Integer(integer(bits, ty)),
    }
}

/// The name as a valid PTX identifier.
pub(crate) fn identifier(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let reserved = RESERVED.split(' ').any(|word| word == name);
    if reserved || name.starts_with(|c: char| c.is_ascii_digit() || c == '_') {
        format!("k_{name}")
    } else {
        name
    }
}

/// Reserved words of PTX.
const RESERVED: &str = "\
    abs activemask add and atom bar bfe bfi bra brev brkpt call clz cnot copysign cos cp cvt cvta \
    discard div ex2 exit fence fma fns isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 mapa \
    match max mbarrier membar min mma mov mul mul24 nanosleep neg not or pmevent popc prefetch \
    prmt rcp red redux rem ret rsqrt sad selp set setp shf shfl shl shr sin sqrt st sub";
