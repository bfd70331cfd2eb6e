//! Properties of arithmetic types, and the usual conversions between them.

use super::{TypeId, TypeKind, TypeTable};
use crate::syntax::BuiltinType;

impl TypeTable {
    /// The fundamental type. Enumerations give their underlying type.
    pub fn fundamental(&self, id: TypeId) -> Option<BuiltinType> {
        match self.kind(id) {
            TypeKind::Builtin(kind) => Some(*kind),
            TypeKind::Enumeration(id) => {
                self.fundamental(self.enumerations[id.0 as usize].underlying)
            }
            _ => None,
        }
    }

    /// Whether a type is an integer type, including `bool` but not enumerations.
    pub fn is_integer(&self, id: TypeId) -> bool {
        use BuiltinType::{Double, Float, Void};
        matches!(self.kind(id), TypeKind::Builtin(kind) if !matches!(kind, Void | Float | Double))
    }

    /// Whether a type is `float` or `double`.
    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Builtin(BuiltinType::Float | BuiltinType::Double))
    }

    /// Whether a type is a number.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || self.is_float(id)
    }

    /// Whether a type is an enumeration.
    pub fn is_enumeration(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Enumeration(_))
    }

    /// Whether a type is a scoped enumeration (no implicit conversions).
    pub fn is_scoped(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Enumeration(id) if self.enumerations[id.0 as usize].scoped)
    }

    /// Whether a type is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.kind(id), TypeKind::Pointer(_))
    }

    /// Whether an integer type is signed.
    pub fn is_signed(&self, id: TypeId) -> bool {
        use BuiltinType::*;
        matches!(
            self.fundamental(id),
            Some(Char | SignedChar | WideChar | Short | Int | Long | LongLong)
        )
    }

    /// Bits of a scalar type.
    pub fn bits(&self, id: TypeId) -> u32 {
        use BuiltinType::*;
        match self.fundamental(id) {
            Some(Void) => 0,
            Some(Bool | Char | SignedChar | UnsignedChar) => 8,
            Some(Char16 | Short | UnsignedShort) => 16,
            Some(WideChar | Char32 | Int | UnsignedInt | Float) => 32,
            _ => 64,
        }
    }

    /// The type after integral promotion.
    pub fn promoted(&self, id: TypeId) -> TypeId {
        let Some(kind) = self.fundamental(id) else { return id };
        use BuiltinType::*;
        match kind {
            Bool | Char | SignedChar | UnsignedChar | Char16 | Short | UnsignedShort | WideChar => {
                TypeId::INT
            }
            Char32 => TypeId::UNSIGNED,
            _ => TypeId::builtin(kind),
        }
    }

    /// The common type of two arithmetic types.
    pub fn common(&self, a: TypeId, b: TypeId) -> TypeId {
        for kind in [TypeId::DOUBLE, TypeId::FLOAT] {
            if self.fundamental(a) == self.fundamental(kind)
                || self.fundamental(b) == self.fundamental(kind)
            {
                return kind;
            }
        }
        let (a, b) = (self.promoted(a), self.promoted(b));
        if a == b {
            return a;
        }
        let rank = |id: TypeId| match self.fundamental(id) {
            Some(BuiltinType::LongLong | BuiltinType::UnsignedLongLong) => 3,
            Some(BuiltinType::Long | BuiltinType::UnsignedLong) => 2,
            _ => 1,
        };
        let (signed, unsigned) = match (self.is_signed(a), self.is_signed(b)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => return if rank(a) >= rank(b) { a } else { b },
        };
        if rank(unsigned) >= rank(signed) {
            return unsigned;
        }
        if self.bits(signed) > self.bits(unsigned) {
            return signed;
        }
        match self.fundamental(signed) {
            Some(BuiltinType::Long) => TypeId::UNSIGNED_LONG,
            _ => TypeId::UNSIGNED_LONG_LONG,
        }
    }

    /// Sign- or zero-extends a constant of a type to 64 bits.
    pub fn normalize(&self, id: TypeId, value: u64) -> u64 {
        if self.fundamental(id) == Some(BuiltinType::Bool) {
            return u64::from(value != 0);
        }
        let bits = self.bits(id);
        if bits == 0 || bits >= 64 || self.is_float(id) {
            return value;
        }
        let shift = 64 - bits;
        if self.is_signed(id) {
            (((value << shift) as i64) >> shift) as u64
        } else {
            (value << shift) >> shift
        }
    }
}

impl TypeTable {
    /// The fundamental type without qualifiers; `None` for enumerations.
    pub fn bare_kind(&self, id: TypeId) -> Option<BuiltinType> {
        match self.kind(id) {
            TypeKind::Builtin(kind) => Some(*kind),
            _ => None,
        }
    }
}
