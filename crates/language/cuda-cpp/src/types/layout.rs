//! Sizes and layouts, according to the Itanium C++ ABI.

use super::{RecordId, TypeId, TypeKind, TypeTable};
use crate::syntax::BuiltinType;

/// The location of a field found by name.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace {
    /// Its type, with the qualifiers of its declaration.
    pub kind: TypeId,
    /// Offset in bytes.
    pub offset: u64,
    /// First bit and width, for bit fields.
    pub bits: Option<(u8, u8)>,
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

    /// Lays out the bases and fields of a class. `align` is the minimum alignment.
    pub fn lay_out(&mut self, id: RecordId, align: u64) {
        let record = self.record(id).clone();
        let mut end = 0u64;
        let mut largest = align.max(1);
        let mut bases = Vec::new();
        for (base, _) in &record.bases {
            let empty = self.record_of(*base).is_some_and(|base| self.is_empty(base));
            let align = self.align(*base);
            largest = largest.max(align);
            let offset = if empty { 0 } else { end.next_multiple_of(align) };
            bases.push((*base, offset));
            if !empty {
                end = offset + self.size(*base);
            }
        }
        // The bit after the last bit field, from the start of the class.
        let mut bit = end * 8;
        let mut size = end;
        let mut fields = record.fields;
        for field in &mut fields {
            let (align, bytes) = (self.align(field.kind), self.size(field.kind));
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
                    if bit / unit != (bit + u64::from(width) - 1) / unit {
                        bit = bit.next_multiple_of(unit);
                    }
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
        let record = self.record_mut(id);
        record.fields = fields;
        record.bases = bases;
        record.align = largest;
        record.size = size.max(1).checked_next_multiple_of(largest).unwrap_or(0);
        record.complete = true;
    }

    /// Whether a class has no data.
    pub fn is_empty(&self, id: RecordId) -> bool {
        let record = self.record(id);
        record.fields.is_empty()
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
            if field.name == name && name != crate::lex::names::known::EMPTY {
                return Some(FieldPlace {
                    kind: field.kind,
                    offset: field.offset,
                    bits: field.bits,
                });
            }
            if field.name == crate::lex::names::known::EMPTY
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
