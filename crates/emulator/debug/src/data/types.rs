//! Types of values, and values as text.

use std::fmt;
use std::sync::Arc;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum DataType {
    /// `void`.
    Void,
    /// `bool`, in one byte.
    Bool,
    /// An integer.
    Integer {
        /// Its size.
        bytes: u8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number.
    Float(FloatKind),
    /// Bits of unknown meaning, such as a PTX register.
    Bits(u8),
    /// A pointer.
    Pointer(Arc<DataType>),
    /// An array.
    Array(Arc<DataType>, u64),
    /// A structure.
    Record(Arc<RecordType>),
}

/// A format of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    /// `half`.
    F16,
    /// bfloat16.
    BF16,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

/// A structure type.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its members.
    pub fields: Vec<RecordField>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// Its offset in bytes.
    pub offset: u64,
    /// Its type.
    pub ty: DataType,
}

impl DataType {
    /// `unsigned`.
    pub const U32: DataType = DataType::Integer { bytes: 4, signed: false };
    /// `int`.
    pub const I32: DataType = DataType::Integer { bytes: 4, signed: true };
    /// `float`.
    pub const F32: DataType = DataType::Float(FloatKind::F32);

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            DataType::Void => 0,
            DataType::Bool => 1,
            DataType::Integer { bytes, .. } | DataType::Bits(bytes) => u64::from(*bytes),
            DataType::Float(FloatKind::F16 | FloatKind::BF16) => 2,
            DataType::Float(FloatKind::F32) => 4,
            DataType::Float(FloatKind::F64) | DataType::Pointer(_) => 8,
            DataType::Array(element, count) => element.bytes().saturating_mul(*count),
            DataType::Record(record) => record.bytes,
        }
    }

    /// The type with a name from C, CUDA or the command line (`float`, `f32`, `unsigned int`); `*` makes it a pointer.
    pub fn named(name: &str) -> Option<DataType> {
        let name = name.trim();
        if let Some(pointee) = name.strip_suffix('*') {
            return Some(DataType::Pointer(Arc::new(DataType::named(pointee)?)));
        }
        let name = name.strip_prefix("const ").unwrap_or(name);
        let integer = |bytes, signed| DataType::Integer { bytes, signed };
        Some(match name {
            "void" => DataType::Void,
            "bool" => DataType::Bool,
            "i8" | "s8" | "char" | "signed char" | "int8_t" => integer(1, true),
            "u8" | "unsigned char" | "uint8_t" | "uchar" => integer(1, false),
            "i16" | "s16" | "short" | "int16_t" => integer(2, true),
            "u16" | "unsigned short" | "uint16_t" | "ushort" => integer(2, false),
            "i32" | "s32" | "int" | "int32_t" => integer(4, true),
            "u32" | "unsigned" | "unsigned int" | "uint32_t" | "uint" => integer(4, false),
            "i64" | "s64" | "long" | "long long" | "int64_t" => integer(8, true),
            "u64" | "unsigned long" | "unsigned long long" | "uint64_t" | "size_t" => {
                integer(8, false)
            }
            "f16" | "half" | "__half" => DataType::Float(FloatKind::F16),
            "bf16" | "__nv_bfloat16" | "nv_bfloat16" => DataType::Float(FloatKind::BF16),
            "f32" | "float" => DataType::F32,
            "f64" | "double" => DataType::Float(FloatKind::F64),
            "b8" => DataType::Bits(1),
            "b16" => DataType::Bits(2),
            "b32" => DataType::Bits(4),
            "b64" => DataType::Bits(8),
            _ => return None,
        })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataType::Void => f.write_str("void"),
            DataType::Bool => f.write_str("bool"),
            DataType::Integer { bytes, signed } => {
                write!(f, "{}{}", if *signed { "i" } else { "u" }, bytes * 8)
            }
            DataType::Float(FloatKind::BF16) => f.write_str("bf16"),
            DataType::Float(_) => write!(f, "f{}", self.bytes() * 8),
            DataType::Bits(bytes) => write!(f, "b{}", bytes * 8),
            DataType::Pointer(to) => write!(f, "{to}*"),
            DataType::Array(element, count) => write!(f, "{element}[{count}]"),
            DataType::Record(record) => f.write_str(&record.name),
        }
    }
}

/// The low bytes of a number, little-endian.
fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

/// Decodes a half-precision number.
fn half(bits: u16) -> f64 {
    let sign = if bits >> 15 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => sign * f64::INFINITY,
        0x1f => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// A number, for computation in an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumericValue {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl NumericValue {
    /// As a floating-point number.
    pub fn float(self) -> f64 {
        match self {
            NumericValue::Integer(value) => value as f64,
            NumericValue::Float(value) => value,
        }
    }

    /// Whether C treats the number as true.
    pub fn is_true(self) -> bool {
        self.float() != 0.0
    }
}

/// Decodes the bytes of a type as a number; `None` for arrays and structures.
pub fn number(ty: &DataType, bytes: &[u8]) -> Option<NumericValue> {
    let raw = bits(bytes);
    Some(match ty {
        DataType::Bool => NumericValue::Integer(i128::from(raw & 0xff != 0)),
        DataType::Integer { bytes, signed: true } => {
            let shift = 64 - 8 * u32::from(*bytes);
            NumericValue::Integer(i128::from((raw << shift) as i64 >> shift))
        }
        DataType::Integer { .. } | DataType::Bits(_) | DataType::Pointer(_) => {
            NumericValue::Integer(i128::from(raw))
        }
        DataType::Float(FloatKind::F16) => NumericValue::Float(half(raw as u16)),
        DataType::Float(FloatKind::BF16) => {
            NumericValue::Float(f32::from_bits((raw as u32) << 16).into())
        }
        DataType::Float(FloatKind::F32) => NumericValue::Float(f32::from_bits(raw as u32).into()),
        DataType::Float(FloatKind::F64) => NumericValue::Float(f64::from_bits(raw)),
        DataType::Void | DataType::Array(..) | DataType::Record(_) => return None,
    })
}

/// Maximum number of shown array elements.
const SHOWN: usize = 64;

/// Formats a value.
pub fn text(ty: &DataType, bytes: &[u8]) -> String {
    formatted(ty, bytes, false)
}

/// As [`text`], with `?` for each part that still has the emulator's fill pattern.
pub fn marked_text(ty: &DataType, bytes: &[u8]) -> String {
    formatted(ty, bytes, true)
}

/// Whether all bytes have the fill pattern of new memory.
fn is_fill(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| *byte == 0xcd)
}

/// Whether a shown part of an array or a structure has the fill pattern of new memory.
pub fn has_fill(ty: &DataType, bytes: &[u8]) -> bool {
    match ty {
        DataType::Array(element, _) => {
            let size = (element.bytes() as usize).max(1);
            bytes.chunks_exact(size).take(SHOWN).any(|own| has_fill(element, own))
        }
        DataType::Record(record) => record.fields.iter().any(|field| {
            let from = field.offset as usize;
            let own = bytes.get(from..from + field.ty.bytes() as usize);
            own.is_some_and(|own| has_fill(&field.ty, own))
        }),
        _ => is_fill(bytes),
    }
}

fn formatted(ty: &DataType, bytes: &[u8], marks: bool) -> String {
    match ty {
        _ if marks && is_fill(bytes) => "?".to_owned(),
        DataType::Void => "void".to_owned(),
        DataType::Bool => (bits(bytes) & 0xff != 0).to_string(),
        DataType::Float(FloatKind::F32) => format!("{:?}", f32::from_bits(bits(bytes) as u32)),
        DataType::Float(_) | DataType::Integer { .. } => match number(ty, bytes) {
            Some(NumericValue::Float(value)) => format!("{value:?}"),
            Some(NumericValue::Integer(value)) => value.to_string(),
            None => String::new(),
        },
        DataType::Pointer(_) => format!("{:#x}", bits(bytes)),
        DataType::Bits(1) if bits(bytes) < 2 => (bits(bytes) != 0).to_string(),
        DataType::Bits(count) => {
            let raw = bits(bytes);
            let float = match count {
                4 => format!(", f32 {:?}", f32::from_bits(raw as u32)),
                8 => format!(", f64 {:?}", f64::from_bits(raw)),
                _ => String::new(),
            };
            let shift = 64 - 8 * u32::from((*count).clamp(1, 8));
            format!(
                "{:#x} (i{} {}{float})",
                raw,
                u32::from(*count) * 8,
                (raw << shift) as i64 >> shift
            )
        }
        DataType::Array(element, _) => {
            let size = element.bytes().max(1) as usize;
            let elements = bytes.chunks_exact(size);
            let count = elements.len();
            let mut shown: Vec<String> =
                elements.take(SHOWN).map(|bytes| formatted(element, bytes, marks)).collect();
            if count > SHOWN {
                shown.push(format!("... {} more", count - SHOWN));
            }
            format!("[{}]", shown.join(", "))
        }
        DataType::Record(record) => {
            let field = |field: &RecordField| {
                let from = field.offset as usize;
                let own = bytes.get(from..from + field.ty.bytes() as usize).unwrap_or(&[]);
                format!("{}: {}", field.name, formatted(&field.ty, own, marks))
            };
            let fields: Vec<String> = record.fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_text_of_their_type() {
        let f32s = DataType::Array(Arc::new(DataType::F32), 2);
        let bytes = [1.5f32.to_le_bytes(), (-0.25f32).to_le_bytes()].concat();
        assert_eq!(text(&f32s, &bytes), "[1.5, -0.25]");
        assert_eq!(text(&DataType::I32, &(-3i32).to_le_bytes()), "-3");
        assert_eq!(text(&DataType::U32, &(-3i32).to_le_bytes()), "4294967293");
        assert_eq!(text(&DataType::Float(FloatKind::F16), &0x3e00u16.to_le_bytes()), "1.5");
        assert_eq!(text(&DataType::Float(FloatKind::BF16), &0x3fc0u16.to_le_bytes()), "1.5");
        let bits = text(&DataType::Bits(4), &1.0f32.to_le_bytes());
        assert_eq!(bits, "0x3f800000 (i32 1065353216, f32 1.0)");
    }

    #[test]
    fn parts_with_the_fill_pattern_are_marked() {
        let words = DataType::Array(Arc::new(DataType::U32), 3);
        let bytes = [5u32, 0xcdcd_cdcd, 6].map(u32::to_le_bytes).concat();
        assert!(has_fill(&words, &bytes) && !has_fill(&words, &[1; 12]));
        assert_eq!(marked_text(&words, &bytes), "[5, ?, 6]");
    }

    #[test]
    fn names_of_types_are_read_back() {
        for name in ["u8", "i16", "u32", "i64", "f16", "bf16", "f32", "f64", "b32", "f32*", "u8**"]
        {
            assert_eq!(DataType::named(name).map(|ty| ty.to_string()).as_deref(), Some(name));
        }
        assert_eq!(DataType::named("const unsigned int *").unwrap().to_string(), "u32*");
        assert_eq!(DataType::named("matrix"), None);
    }
}
