//! Values of number, character and string literals.

/// The value of a number literal.
#[derive(Clone, Debug, PartialEq)]
pub enum NumberLiteral {
    /// An integer with its suffix.
    Integer {
        /// The value.
        value: u64,
        /// Whether it has the suffix `u`.
        unsigned: bool,
        /// Number of `l` in the suffix.
        long: u8,
        /// Whether it is decimal: it then never becomes unsigned implicitly.
        decimal: bool,
    },
    /// A floating-point number.
    Float {
        /// The value, already rounded if `single`.
        value: f64,
        /// Whether it has the suffix `f`.
        single: bool,
    },
}

/// Parses a number literal.
///
/// # Errors
/// A message that says why the literal is invalid.
pub fn number(text: &str) -> Result<NumberLiteral, String> {
    let text = text.replace('\'', "");
    let lower = text.to_ascii_lowercase();
    let hex = lower.strip_prefix("0x");
    let is_float = match hex {
        Some(digits) => digits.contains(['.', 'p']),
        None => lower.contains(['.', 'e']) && !lower.starts_with("0b"),
    };
    if is_float {
        let single = lower.ends_with('f');
        let digits = lower.strip_suffix('f').or_else(|| lower.strip_suffix('l')).unwrap_or(&lower);
        let value = match digits.strip_prefix("0x") {
            Some(digits) => hex_float(digits),
            None => digits.parse::<f64>().ok().map(|value| {
                if single { digits.parse::<f32>().map_or(value, f64::from) } else { value }
            }),
        };
        let value = value.ok_or_else(|| format!("`{text}` is not a valid number"))?;
        return Ok(NumberLiteral::Float { value, single });
    }
    let digits = lower.trim_end_matches(['u', 'l', 'z']);
    let suffix = lower.get(digits.len()..).unwrap_or("");
    let (base, digits, decimal) = match (hex, lower.strip_prefix("0b")) {
        (Some(_), _) => (16, digits.get(2..).unwrap_or(""), false),
        (_, Some(_)) => (2, digits.get(2..).unwrap_or(""), false),
        _ if digits.len() > 1 && digits.starts_with('0') => (8, digits, false),
        _ => (10, digits, true),
    };
    let value = u64::from_str_radix(digits, base).map_err(|_| {
        if digits.bytes().all(|digit| char::from(digit).is_digit(base)) && !digits.is_empty() {
            format!("`{text}` exceeds 64 bits")
        } else {
            format!("`{text}` is not a valid number")
        }
    })?;
    let long = suffix.bytes().filter(|&byte| byte == b'l').count() as u8;
    let unsigned = suffix.contains(['u', 'z']);
    Ok(NumberLiteral::Integer {
        value,
        unsigned,
        long: long + u8::from(suffix.contains('z')),
        decimal,
    })
}

/// Splits a number into its digits with a suffix of the language, and a suffix that a literal operator defines.
pub fn split_number(text: &str) -> (&str, &str) {
    if let Some(at) = text.find('_') {
        return text.split_at(at);
    }
    // The library's suffixes: of `complex` and of durations.
    let own = ["ms", "us", "ns", "min", "h", "s", "il", "if", "i"];
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let found = own.iter().filter(|_| !hex).find(|suffix| text.ends_with(**suffix));
    text.split_at(text.len() - found.map_or(0, |suffix| suffix.len()))
}

/// Splits a character or string literal into the literal itself and a suffix that a literal operator defines.
pub fn split_quoted(text: &str) -> (&str, &str) {
    let last = text.rfind(['"', '\'']).map_or(text.len(), |at| at + 1);
    text.split_at(last)
}

/// A hexadecimal floating-point number after `0x`.
fn hex_float(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent = exponent.checked_sub(4 * fraction.len() as i32)?;
    // Scale in two steps, so subnormal results are rounded only once.
    let half = exponent.clamp(-2000, 2000) / 2;
    Some(value * 2f64.powi(half) * 2f64.powi(exponent.clamp(-2000, 2000) - half))
}

/// The code units of a literal, given without prefix and quotes. Characters above 127 become UTF-8
/// bytes, unless `wide`.
///
/// # Errors
/// A message that says why the literal is invalid.
pub fn unescape(text: &str, wide: bool) -> Result<Vec<u32>, String> {
    let quote = text.find(['"', '\'']).ok_or("missing quote")?;
    let mark = text.get(quote..=quote).unwrap_or("\"");
    let inner = text.get(quote + 1..).and_then(|rest| rest.strip_suffix(mark));
    let inner = inner.ok_or_else(|| format!("missing closing {mark}"))?;
    let mut units = Vec::new();
    let mut rest = inner.chars().peekable();
    let push = |c: char, units: &mut Vec<u32>| {
        if wide {
            units.push(c as u32);
        } else {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
    };
    while let Some(c) = rest.next() {
        if c != '\\' {
            push(c, &mut units);
            continue;
        }
        let simple = match rest.next().ok_or("incomplete escape")? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' => 27,
            digit @ '0'..='7' => {
                let mut value = digit as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(next) = rest.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + next;
                    rest.next();
                }
                value
            }
            'x' => {
                let mut value = 0u32;
                while let Some(next) = rest.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(next);
                    rest.next();
                }
                value
            }
            kind @ ('u' | 'U') => {
                let mut value = 0u32;
                for _ in 0..if kind == 'u' { 4 } else { 8 } {
                    let next =
                        rest.next().and_then(|c| c.to_digit(16)).ok_or("incomplete escape")?;
                    value = value.wrapping_mul(16).wrapping_add(next);
                }
                push(char::from_u32(value).unwrap_or('?'), &mut units);
                continue;
            }
            other => other as u32,
        };
        units.push(simple);
    }
    Ok(units)
}

/// The value of a character literal, and its number of characters. Without prefix, each of several characters is one
/// byte of an `int`.
///
/// # Errors
/// A message that says why the literal is invalid.
pub fn character(text: &str) -> Result<(i64, usize), String> {
    if !text.starts_with('\'') {
        let units = unescape(text, true)?;
        let first = units.first().ok_or("empty character literal")?;
        return Ok((i64::from(*first), units.len()));
    }
    match *unescape(text, false)? {
        [] => Err("empty character literal".to_owned()),
        [unit] => Ok((i64::from(unit as u8 as i8), 1)),
        ref units => {
            let value = units.iter().fold(0, |value: u32, unit| value << 8 | unit & 0xff);
            Ok((i64::from(value as i32), units.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_values() {
        let float = |text| match number(text) {
            Ok(NumberLiteral::Float { value, .. }) => value,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(float("1.5f"), 1.5);
        assert_eq!(float("0.1f"), f64::from(0.1f32));
        assert_eq!(float("0x1.8p1"), 3.0);
        assert_eq!(float("1e-3"), 1e-3);
        let integer =
            NumberLiteral::Integer { value: 255, unsigned: true, long: 2, decimal: false };
        assert_eq!(number("0xFFull"), Ok(integer));
        assert!(number("12abc").is_err());
        assert!(number("99999999999999999999").is_err());
    }

    #[test]
    fn string_escapes_are_resolved() {
        assert_eq!(unescape(r#""a\n\x41\101""#, false), Ok(vec![97, 10, 65, 65]));
        assert_eq!(unescape("'x'", false), Ok(vec![120]));
        assert!(unescape("\"open", false).is_err());
    }

    #[test]
    fn characters_have_their_values() {
        let value = |text| character(text).unwrap().0;
        assert_eq!((value("'a'"), value("'ab'"), value("'abcd'")), (97, 24930, 0x61626364));
        assert_eq!((value("'\\xff'"), value("L'\u{e9}'"), value("u'a'")), (-1, 0xe9, 97));
        assert!(character("''").is_err());
    }
}
