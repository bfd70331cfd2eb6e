//! C's conversions of numbers to text, `%d` to `%a`.

use std::fmt::Write;

/// One `%` conversion.
#[derive(Default)]
pub(super) struct Spec {
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    pub(super) hash: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
    pub(super) long: bool,
}

impl Spec {
    /// Pads a number or text to the width.
    pub(super) fn pad(&self, sign: &str, digits: &str, numeric: bool) -> String {
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
    pub(super) fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

/// An integer of these digits.
pub(super) fn integer(spec: &Spec, sign: &str, digits: &str) -> String {
    let least = spec.precision.unwrap_or(1);
    let digits = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
    spec.pad(sign, &digits, spec.precision.is_none())
}

/// A number by `%f`, `%e`, `%g` or `%a`.
pub(super) fn real(spec: &Spec, conversion: u8, value: f64) -> String {
    let sign = spec.sign(value.is_sign_negative());
    let magnitude = value.abs();
    let upper = conversion.is_ascii_uppercase();
    let digits = if magnitude.is_nan() {
        "nan".to_owned()
    } else if magnitude.is_infinite() {
        "inf".to_owned()
    } else {
        let precision = spec.precision.unwrap_or(6);
        match conversion.to_ascii_lowercase() {
            b'f' => format!("{magnitude:.precision$}"),
            b'e' => exponent(magnitude, precision),
            b'g' => general(magnitude, precision.max(1), spec.hash),
            _ => hexadecimal(magnitude),
        }
    };
    let digits = if upper { digits.to_uppercase() } else { digits };
    spec.pad(sign, &digits, value.is_finite())
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
    if value == 0.0 {
        return "0".to_owned();
    }
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

/// C's `%a`.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (power, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
    let (lead, power) = match (power, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, power - 1023),
    };
    let mut text = format!("0x{lead}");
    if fraction != 0 {
        let _ = write!(text, ".{}", format!("{fraction:013x}").trim_end_matches('0'));
    }
    let _ = write!(text, "p{power:+}");
    text
}
