//! Numeric literals (PTX manual, "Integer Constants", "Floating-Point Constants") and the values of
//! constant expressions.

use crate::ast::Immediate;

/// The value of a constant expression: `.s64`, `.u64`, `.f64`, or a single-precision literal, which no
/// operator takes.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Signed(i64),
    Unsigned(u64),
    Single(u32),
    Double(f64),
}

impl Value {
    pub(super) fn immediate(self) -> Immediate {
        match self {
            Value::Signed(value) => Immediate::Integer(i128::from(value)),
            Value::Unsigned(value) => Immediate::Integer(i128::from(value)),
            Value::Single(bits) => Immediate::F32(bits),
            Value::Double(value) => Immediate::F64(value.to_bits()),
        }
    }

    /// The 64 bits of an integer.
    pub(super) fn bits(self) -> Option<u64> {
        match self {
            Value::Signed(value) => Some(value as u64),
            Value::Unsigned(value) => Some(value),
            Value::Single(_) | Value::Double(_) => None,
        }
    }
}

/// The value of a numeric literal, or a message and a remedy.
pub(super) fn literal(spelling: &str) -> Result<Value, (String, &'static str)> {
    let bytes = spelling.as_bytes();
    if bytes[0] == b'0' && bytes.len() > 1 {
        let digits = &spelling[2..];
        match bytes[1] | 0x20 {
            b'f' | b'd' => return float_bits(spelling, digits),
            b'x' => return integer(spelling, digits, 16),
            b'b' => return integer(spelling, digits, 2),
            b'0'..=b'9' => return integer(spelling, &spelling[1..], 8),
            _ => {}
        }
    }
    if !spelling.contains(['.', 'e', 'E']) {
        return integer(spelling, spelling, 10);
    }
    match spelling.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Value::Double(value)),
        _ => Err((
            format!("`{spelling}` is not a valid number"),
            "write 1.5, 1.5e-3, or the bits as 0f3FC00000",
        )),
    }
}

/// `0f` with eight hexadecimal digits or `0d` with sixteen.
fn float_bits(spelling: &str, digits: &str) -> Result<Value, (String, &'static str)> {
    let single = spelling.as_bytes()[1] | 0x20 == b'f';
    let hexadecimal = digits.bytes().all(|b| b.is_ascii_hexdigit());
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if hexadecimal && single && digits.len() == 8 => Ok(Value::Single(bits as u32)),
        Ok(bits) if hexadecimal && !single && digits.len() == 16 => {
            Ok(Value::Double(f64::from_bits(bits)))
        }
        _ => Err((
            format!("`{spelling}` is not a valid floating-point literal"),
            "`0f` takes eight hexadecimal digits and `0d` sixteen",
        )),
    }
}

/// A 64-bit integer in the given base, with or without the suffix `U`.
fn integer(spelling: &str, digits: &str, base: u32) -> Result<Value, (String, &'static str)> {
    let suffixed = digits.ends_with(['U', 'u']);
    let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
    let help = "integers have 64 bits and are decimal, hexadecimal (0x), binary (0b) or octal (0)";
    let wrong =
        || (format!("`{}` is not a valid 64-bit integer", super::shortened(spelling)), help);
    u64::from_str_radix(digits, base)
        .map(|value| match i64::try_from(value) {
            Ok(value) if !suffixed => Value::Signed(value),
            _ => Value::Unsigned(value),
        })
        .map_err(|_| wrong())
}
