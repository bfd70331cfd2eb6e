//! Formats numbers and text as C's `printf` does.

use std::fmt::Write;

/// Formats arguments; returns the text and the number of arguments used.
///
/// `arguments` is the address of the arguments, each aligned to its size. `read` reads 4 or 8 bytes at an address, and `text`
/// reads a string; its second argument is the maximum number of bytes.
///
/// # Errors
/// As `read` and `text`.
pub fn format<E>(
    format: &[u8],
    arguments: u64,
    read: &dyn Fn(u64, u64) -> Result<u64, E>,
    text: &dyn Fn(u64, u64) -> Result<Vec<u8>, E>,
) -> Result<(Vec<u8>, u32), E> {
    let mut out = Vec::new();
    let (mut at, mut used) = (0, 0u32);
    let mut next_argument = |bytes: u64| -> Result<u64, E> {
        at = (at + bytes - 1) & !(bytes - 1);
        let address = arguments.wrapping_add(at);
        at += bytes;
        used += 1;
        read(address, bytes)
    };
    let mut i = 0;
    while i < format.len() {
        if format[i] != b'%' {
            out.push(format[i]);
            i += 1;
            continue;
        }
        i += 1;
        let mut spec = Conversion::default();
        while let Some(flag) = format.get(i) {
            match flag {
                b'-' => spec.minus = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'0' => spec.zero = true,
                b'#' => spec.hash = true,
                _ => break,
            }
            i += 1;
        }
        let number = |i: &mut usize| {
            let mut n = 0usize;
            while let Some(digit) = format.get(*i).filter(|b| b.is_ascii_digit()) {
                n = n.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                *i += 1;
            }
            n.min(4096)
        };
        if format.get(i) == Some(&b'*') {
            i += 1;
            let width = next_argument(4)? as i32;
            spec.minus |= width < 0;
            spec.width = (width.unsigned_abs() as usize).min(4096);
        } else {
            spec.width = number(&mut i);
        }
        if format.get(i) == Some(&b'.') {
            i += 1;
            spec.precision = if format.get(i) == Some(&b'*') {
                i += 1;
                // A negative precision counts as none.
                usize::try_from(next_argument(4)? as i32).ok().map(|precision| precision.min(4096))
            } else {
                Some(number(&mut i))
            };
        }
        while let Some(b'l' | b'h' | b'z' | b'j' | b't' | b'L') = format.get(i) {
            spec.long |= format[i] != b'h';
            spec.short += u32::from(format[i] == b'h');
            i += 1;
        }
        let Some(&conversion) = format.get(i) else { break };
        i += 1;
        let bytes = if spec.long { 8 } else { 4 };
        let text = match conversion {
            b'%' => "%".to_owned(),
            b'd' | b'i' => {
                let raw = next_argument(bytes)?;
                let value = match (spec.long, spec.short) {
                    (true, _) => raw as i64,
                    (false, 0) => i64::from(raw as i32),
                    (false, 1) => i64::from(raw as i16),
                    _ => i64::from(raw as i8),
                };
                integer(&spec, spec.sign(value < 0), &value.unsigned_abs().to_string())
            }
            b'u' => integer(&spec, "", &spec.narrowed(next_argument(bytes)?).to_string()),
            b'x' => {
                let value = spec.narrowed(next_argument(bytes)?);
                integer(
                    &spec,
                    if spec.hash && value != 0 { "0x" } else { "" },
                    &format!("{value:x}"),
                )
            }
            b'X' => {
                let value = spec.narrowed(next_argument(bytes)?);
                integer(
                    &spec,
                    if spec.hash && value != 0 { "0X" } else { "" },
                    &format!("{value:X}"),
                )
            }
            b'o' => {
                let value = spec.narrowed(next_argument(bytes)?);
                // `#` requires a leading zero, which the precision may already give.
                let digits = format!("{}{value:o}", if spec.hash && value != 0 { "0" } else { "" });
                if spec.hash && spec.precision == Some(0) {
                    spec.precision = Some(1);
                }
                integer(&spec, "", &digits)
            }
            b'p' => match next_argument(8)? {
                0 => spec.pad("", "(nil)", false),
                address => spec.pad("", &format!("{address:#x}"), false),
            },
            b'c' => {
                let value = next_argument(4)? as u8;
                let pad = spec.width.saturating_sub(1);
                if !spec.minus {
                    out.resize(out.len() + pad, b' ');
                }
                out.push(value);
                if spec.minus {
                    out.resize(out.len() + pad, b' ');
                }
                continue;
            }
            b's' => {
                let address = next_argument(8)?;
                let most = spec.precision.map_or(u64::MAX, |most| most as u64);
                let text = text(address, most)?;
                spec.pad("", &String::from_utf8_lossy(&text), false)
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                real(&spec, conversion, f64::from_bits(next_argument(8)?))
            }
            other => format!("%{}", other as char),
        };
        out.extend_from_slice(text.as_bytes());
    }
    Ok((out, used))
}

/// One `%` conversion.
#[derive(Default)]
struct Conversion {
    minus: bool,
    plus: bool,
    space: bool,
    zero: bool,
    hash: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    /// Number of `h` before the conversion.
    short: u32,
}

impl Conversion {
    /// An unsigned argument in the type that `h` and `hh` name.
    fn narrowed(&self, value: u64) -> u64 {
        match (self.long, self.short) {
            (true, _) | (false, 0) => value,
            (false, 1) => value & 0xffff,
            _ => value & 0xff,
        }
    }

    /// Pads a number or text to the width.
    fn pad(&self, sign: &str, digits: &str, numeric: bool) -> String {
        let length = sign.len() + digits.chars().count();
        let fill = self.width.min(4096).saturating_sub(length);
        if self.minus {
            format!("{sign}{digits}{}", " ".repeat(fill))
        } else if self.zero && numeric {
            format!("{sign}{}{digits}", "0".repeat(fill))
        } else {
            format!("{}{sign}{digits}", " ".repeat(fill))
        }
    }

    /// The sign of a number.
    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

/// An integer with these digits, with the conversion's precision and width.
fn integer(conversion: &Conversion, sign: &str, digits: &str) -> String {
    let least = conversion.precision.unwrap_or(1);
    let digits = if least == 0 && digits == "0" { "" } else { digits };
    let digits = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
    conversion.pad(sign, &digits, conversion.precision.is_none())
}

/// A number in the format `%f`, `%e`, `%g` or `%a`.
fn real(conversion: &Conversion, letter: u8, value: f64) -> String {
    let sign = conversion.sign(value.is_sign_negative());
    let magnitude = value.abs();
    let upper = letter.is_ascii_uppercase();
    let digits = if magnitude.is_nan() {
        "nan".to_owned()
    } else if magnitude.is_infinite() {
        "inf".to_owned()
    } else {
        let precision = conversion.precision.unwrap_or(6);
        match letter.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.precision$}"),
            b'e' => exponent(magnitude, precision),
            b'g' => general(magnitude, precision.max(1), conversion.hash),
            _ => hexadecimal(magnitude, conversion.precision),
        }
    };
    let digits = if conversion.hash && value.is_finite() && !digits.contains('.') {
        // A decimal point even without decimals.
        let end = digits.find(['e', 'p']).unwrap_or(digits.len());
        format!("{}.{}", &digits[..end], &digits[end..])
    } else {
        digits
    };
    let digits = if upper { digits.to_uppercase() } else { digits };
    conversion.pad(sign, &digits, value.is_finite())
}

/// C's `%e`: at least two digits of exponent, with a sign.
fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// C's `%g`.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let scientific = exponent(value, precision - 1);
    let power: i32 = scientific.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
    let (mut digits, tail) = if power < -4 || power >= precision as i32 {
        let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
        (mantissa.to_owned(), format!("e{power}"))
    } else {
        let decimals = (precision as i32 - 1 - power).max(0) as usize;
        (format!("{value:.decimals$}"), String::new())
    };
    if digits.contains('.') && !keep_zeros {
        digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
    }
    digits + &tail
}

/// C's `%a`; without a precision, all digits that are not zero.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    let bits = value.to_bits();
    let (power, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (lead, power) = match (power, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, power - 1023),
    };
    let mut digits: u64 = lead << 52 | fraction;
    if let Some(precision @ 0..13) = precision {
        // Rounds to nearest, ties to even; a carry may make the first digit 2.
        let unit = 52 - 4 * precision;
        let (kept, rest, half) = (digits >> unit, digits & ((1 << unit) - 1), 1 << (unit - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        digits = (kept + u64::from(up)) << unit;
    }
    let (lead, fraction) = (digits >> 52, digits & ((1 << 52) - 1));
    let mut text = format!("0x{lead}");
    let mut decimals = format!("{fraction:013x}");
    match precision {
        Some(precision) => {
            decimals.truncate(precision);
            let _ = write!(decimals, "{:0<1$}", "", precision - decimals.len());
        }
        None => decimals.truncate(decimals.trim_end_matches('0').len()),
    }
    if !decimals.is_empty() {
        let _ = write!(text, ".{decimals}");
    }
    let _ = write!(text, "p{power:+}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One conversion of one argument.
    fn one(text: &str, argument: u64) -> String {
        let read =
            |_: u64, bytes: u64| Ok(if bytes == 4 { argument & 0xffff_ffff } else { argument });
        let (out, _) = format::<()>(text.as_bytes(), 0, &read, &|_, _| Ok(Vec::new())).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn integers_follow_flags_and_precision() {
        for (text, value, expected) in [
            ("%#o", 8, "010"),
            ("%#o", 0, "0"),
            ("%#.0o", 0, "0"),
            ("%#.3o", 8, "010"),
            ("%.0d|", 0, "|"),
            ("%3.0x|", 0, "   |"),
            ("%.0d", 7, "7"),
            ("%p", 0, "(nil)"),
            ("%8p", 0, "   (nil)"),
            ("%p", 0x10, "0x10"),
        ] {
            assert_eq!(one(text, value), expected, "{text} of {value}");
        }
    }

    #[test]
    fn numbers_keep_their_point_with_a_hash() {
        for (text, value, expected) in [
            ("%#g", 1.0, "1.00000"),
            ("%#g", 0.0, "0.00000"),
            ("%g", 0.0, "0"),
            ("%g", -0.0, "-0"),
            ("%#.0f", 3.0, "3."),
            ("%#.0e", 3.0, "3.e+00"),
            ("%#g", 123456.0, "123456."),
            ("%#G", f64::INFINITY, "INF"),
            ("%a", 1.5, "0x1.8p+0"),
            ("%.3a", 1.1, "0x1.19ap+0"),
            ("%.0a", 1.96875, "0x2p+0"),
            ("%.2a", 1.0, "0x1.00p+0"),
            ("%.15a", 1.1, "0x1.199999999999a00p+0"),
        ] {
            assert_eq!(one(text, f64::to_bits(value)), expected, "{text} of {value}");
        }
    }
}
