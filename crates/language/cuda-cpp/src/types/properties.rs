//! Sizes and layouts of types (Itanium C++ ABI), properties of arithmetic types, and the usual conversions between them.

use super::{RecordField, RecordId, TypeId, TypeKind, TypeTable};
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
        let TypeKind::Builtin(kind) = self.kind(id) else { return false };
        *kind != BuiltinType::Void && !self.is_float(id)
    }

    /// Whether a type is `float`, `double` or `long double`.
    pub fn is_float(&self, id: TypeId) -> bool {
        use BuiltinType::{Double, Float, LongDouble};
        matches!(self.kind(id), TypeKind::Builtin(Float | Double | LongDouble))
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

    /// The size of the scalars of an object, if all have the same size.
    pub fn unit(&self, id: TypeId) -> Option<u64> {
        match self.kind(id) {
            TypeKind::Array(element, _) => self.unit(*element),
            TypeKind::Record(record) => {
                let record = self.record(*record);
                if record.is_union || record.polymorphic {
                    return None;
                }
                let bases = record.bases.iter().map(|base| base.0);
                let mut units = bases
                    .chain(record.fields.iter().map(|field| field.kind))
                    .map(|part| self.unit(part));
                let first = units.next()??;
                units.all(|unit| unit == Some(first)).then_some(first)
            }
            TypeKind::Builtin(BuiltinType::Void) | TypeKind::Function(_) => None,
            _ => Some(self.size(id)),
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

    /// The type of a bit field of this type and width after integral promotion.
    pub fn promoted_bits(&self, id: TypeId, width: u8) -> TypeId {
        match width {
            _ if self.is_enumeration(id) => self.promoted(id),
            0..=31 => TypeId::INT,
            32 if self.is_signed(id) => TypeId::INT,
            32 => TypeId::UNSIGNED,
            _ => self.promoted(id),
        }
    }

    /// The common type of two arithmetic types.
    pub fn common(&self, a: TypeId, b: TypeId) -> TypeId {
        for kind in [TypeId::LONG_DOUBLE, TypeId::DOUBLE, TypeId::FLOAT] {
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

/// The location of a field found by name.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace {
    /// Its type, with the qualifiers of its declaration.
    pub kind: TypeId,
    /// Offset in bytes.
    pub offset: u64,
    /// First bit and width, for bit fields.
    pub bits: Option<(u8, u8)>,
    /// Whether it may change in a constant object.
    pub is_mutable: bool,
}

impl TypeTable {
    /// Size in bytes; 0 if unknown.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.kind(id) {
            TypeKind::Builtin(BuiltinType::Void) => 1,
            TypeKind::Builtin(_) | TypeKind::Enumeration(_) => u64::from(self.bits(id) / 8),
            TypeKind::Array(element, count) => {
                self.size(*element).saturating_mul(count.unwrap_or(0))
            }
            TypeKind::Record(record) => self.record(*record).size,
            TypeKind::Function(_) => 1,
            TypeKind::Auto | TypeKind::Error => 4,
            _ => 8,
        }
    }

    /// Alignment in bytes.
    pub fn align(&self, id: TypeId) -> u64 {
        match self.kind(id) {
            TypeKind::Array(element, _) => self.align(*element),
            TypeKind::Record(record) => self.record(*record).align.max(1),
            _ => self.size(id).max(1),
        }
    }

    /// Lays out the bases and fields of a class. `align` is the minimum alignment. Returns whether an access of its
    /// declared type can read every bit field.
    pub fn lay_out(&mut self, id: RecordId, align: u64) -> bool {
        let record = self.record(id).clone();
        let mut end = 0u64;
        let mut largest = align.max(1);
        let most = if record.pack == 0 { u64::MAX } else { u64::from(record.pack) };
        let mut bases = record.bases.clone();
        if record.polymorphic && record.primary.is_none() {
            // The pointer to the table of virtual functions comes first.
            (end, largest) = (8, largest.max(8));
        }
        let others = (0..bases.len()).filter(|at| Some(*at) != record.primary);
        for at in record.primary.into_iter().chain(others) {
            let base = bases[at].0;
            let empty = self.record_of(base).is_some_and(|base| self.is_empty(base));
            let align = self.align(base).min(most);
            largest = largest.max(align);
            let offset = if empty { 0 } else { end.next_multiple_of(align) };
            bases[at].1 = offset;
            if !empty {
                end = offset + self.size(base);
            }
        }
        // The bit after the last bit field, from the start of the class.
        let mut bit = end * 8;
        let mut size = end;
        let mut fields = record.fields;
        for field in &mut fields {
            let align = self.align(field.kind).min(most).max(field.align);
            let bytes = self.size(field.kind);
            if record.is_union {
                (end, bit) = (0, 0);
            }
            match field.bits {
                Some((_, width)) => {
                    let unit = bytes * 8;
                    if width == 0 {
                        bit = bit.next_multiple_of(unit.max(1));
                        continue;
                    }
                    if bit / unit != (bit + u64::from(width) - 1) / unit && most == u64::MAX {
                        bit = bit.next_multiple_of(unit);
                    }
                    // `fit` moves packed fields.
                    field.offset = bit / unit * bytes;
                    field.bits = Some(((bit % unit) as u8, width));
                    bit += u64::from(width);
                    end = bit.div_ceil(8);
                }
                None => {
                    field.offset = end.next_multiple_of(align);
                    end = field.offset.saturating_add(bytes);
                    bit = end.saturating_mul(8);
                }
            }
            largest = largest.max(align);
            size = size.max(end);
        }
        let size = size.max(1).checked_next_multiple_of(largest).unwrap_or(0);
        let fits = most == u64::MAX
            || fields.iter_mut().all(|field| {
                let bytes = self.size(field.kind);
                fit(field, bytes, size)
            });
        let record = self.record_mut(id);
        record.fields = fields;
        record.bases = bases;
        record.align = largest;
        record.size = size;
        record.complete = true;
        fits
    }

    /// Whether a class has no data.
    pub fn is_empty(&self, id: RecordId) -> bool {
        let record = self.record(id);
        record.fields.is_empty()
            && !record.polymorphic
            && record
                .bases
                .iter()
                .all(|(base, _)| self.record_of(*base).is_some_and(|base| self.is_empty(base)))
    }

    /// The offset of a base in a class, if the class has this base.
    pub fn base_offset(&self, derived: RecordId, base: RecordId) -> Option<u64> {
        if derived == base {
            return Some(0);
        }
        self.record(derived).bases.iter().find_map(|(direct, offset)| {
            let within = self.base_offset(self.record_of(*direct)?, base)?;
            Some(offset + within)
        })
    }

    /// Finds a field by name in the class, its bases, and its anonymous members.
    pub fn find_field(&self, id: RecordId, name: crate::lex::Name) -> Option<FieldPlace> {
        let record = self.record(id);
        for field in &record.fields {
            if field.name == name && name != crate::lex::known::EMPTY {
                return Some(FieldPlace {
                    kind: field.kind,
                    offset: field.offset,
                    bits: field.bits,
                    is_mutable: field.is_mutable,
                });
            }
            if field.name == crate::lex::known::EMPTY
                && let Some(inner) = self.record_of(field.kind)
                && let Some(place) = self.find_field(inner, name)
            {
                return Some(FieldPlace { offset: place.offset + field.offset, ..place });
            }
        }
        record.bases.iter().find_map(|(base, offset)| {
            let place = self.find_field(self.record_of(*base)?, name)?;
            Some(FieldPlace { offset: place.offset + offset, ..place })
        })
    }
}

/// Moves the access of a packed bit field, of `bytes` bytes, so that it contains the field and ends within the class.
/// Returns whether that is possible.
fn fit(field: &mut RecordField, bytes: u64, size: u64) -> bool {
    let Some((start, width)) = field.bits else { return true };
    let (first, last) = (field.offset * 8 + u64::from(start), u64::from(width));
    let last = first + last;
    let within =
        |offset: u64| offset * 8 <= first && last <= (offset + bytes) * 8 && offset + bytes <= size;
    let Some(offset) = [Some(field.offset), Some(first / 8), size.checked_sub(bytes)]
        .into_iter()
        .flatten()
        .find(|offset| within(*offset))
    else {
        return width == 0;
    };
    field.offset = offset;
    field.bits = Some(((first - offset * 8) as u8, width));
    true
}
