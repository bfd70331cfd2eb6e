//! `vprintf`: C formatting of device arguments.

use crate::fault::{FaultKind, RawFault};
use crate::machine::context::{Context, fault};
use crate::machine::handler::Body;
use crate::machine::lanes::{Sink, Source};
use crate::machine::slot::{BITS, Lanes};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
use std::fmt::Write;

/// Longest format or string that is printed.
const LONGEST: u64 = 1 << 16;

/// `vprintf(b, c) -> a`, lane after lane.
pub struct Print;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Print {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; memory is
        // read through checked accesses.
        unsafe {
            let (formats, arguments) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            let mut results = Lanes([0u32; 32]);
            for lane in 0..32u32 {
                let i = lane as usize;
                if warp.mask & BITS[i] == 0 {
                    continue;
                }
                let context = &mut *warp.context;
                let reader = Reader { context, warp: warp.index, lane };
                match format(&reader, formats.0[i], arguments.0[i]) {
                    Ok((text, count)) => {
                        context.printed.push_str(&text);
                        results.0[i] = count;
                    }
                    Err(address) => {
                        let raw = RawFault {
                            kind: FaultKind::OutOfBounds,
                            lane,
                            address: Some(address),
                            bytes: 1,
                            space: MemorySpace::Generic,
                            access: Some(crate::instrument::event::AccessKind::Load),
                            note: String::new(),
                        };
                        return fault(warp, op, raw);
                    }
                }
            }
            u32::put(warp, op.a, results);
            op.leave()
        }
    }
}

/// The texts at three addresses of the first active lane, for an assertion; none where one cannot be read.
///
/// # Safety
/// The slots hold 64-bit values of the warp's register file.
pub unsafe fn texts(warp: &mut Warp, slots: [u32; 3]) -> Vec<String> {
    let lane = warp.mask.trailing_zeros() & 31;
    // SAFETY: the slots are the warp's (contract of this function), and its context lives as long as it runs.
    let (addresses, context) =
        unsafe { (slots.map(|slot| u64::fetch(warp, slot).0[lane as usize]), &*warp.context) };
    let reader = Reader { context, warp: warp.index, lane };
    let texts = addresses.iter().map(|address| reader.text(*address).ok());
    let texts: Option<Vec<Vec<u8>>> = texts.collect();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    texts.unwrap_or_default().into_iter().map(text).collect()
}

/// Reads guest memory as one lane sees it.
struct Reader<'a> {
    context: &'a Context,
    warp: u32,
    lane: u32,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&self, address: u64) -> Result<[u8; N], u64> {
        let host =
            self.context.lane_host(MemorySpace::Generic, self.warp, self.lane, address, N as u64);
        match host {
            Some(host) => {
                let mut bytes = [0; N];
                // SAFETY: `lane_host` checked the range.
                unsafe { guest::read_bytes(host, &mut bytes) };
                Ok(bytes)
            }
            None => Err(address),
        }
    }

    fn text(&self, address: u64) -> Result<Vec<u8>, u64> {
        let mut text = Vec::new();
        for i in 0..LONGEST {
            match self.bytes::<1>(address.wrapping_add(i))?[0] {
                0 => break,
                byte => text.push(byte),
            }
        }
        Ok(text)
    }
}

/// The text and the number of arguments used.
fn format(reader: &Reader<'_>, format: u64, arguments: u64) -> Result<(String, u32), u64> {
    let format = reader.text(format)?;
    let mut out = Vec::new();
    let (mut at, mut used) = (0, 0u32);
    let mut next_argument = |bytes: u64| -> Result<u64, u64> {
        at = (at + bytes - 1) & !(bytes - 1);
        let address = arguments.wrapping_add(at);
        at += bytes;
        used += 1;
        if bytes == 8 {
            Ok(u64::from_le_bytes(reader.bytes::<8>(address)?))
        } else {
            Ok(u64::from(u32::from_le_bytes(reader.bytes::<4>(address)?)))
        }
    };
    let mut i = 0;
    while i < format.len() {
        if format[i] != b'%' {
            out.push(format[i]);
            i += 1;
            continue;
        }
        i += 1;
        let mut spec = Spec::default();
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
            spec.precision = Some(if format.get(i) == Some(&b'*') {
                i += 1;
                (next_argument(4)? as i32).clamp(0, 4096) as usize
            } else {
                number(&mut i)
            });
        }
        while let Some(b'l' | b'h' | b'z' | b'j' | b't' | b'L') = format.get(i) {
            spec.long |= format[i] != b'h';
            i += 1;
        }
        let Some(&conversion) = format.get(i) else { break };
        i += 1;
        let bytes = if spec.long { 8 } else { 4 };
        let text = match conversion {
            b'%' => "%".to_owned(),
            b'd' | b'i' => {
                let raw = next_argument(bytes)?;
                let value = if spec.long { raw as i64 } else { i64::from(raw as i32) };
                integer(&spec, spec.sign(value < 0), &value.unsigned_abs().to_string())
            }
            b'u' => integer(&spec, "", &next_argument(bytes)?.to_string()),
            b'x' => {
                let value = next_argument(bytes)?;
                integer(
                    &spec,
                    if spec.hash && value != 0 { "0x" } else { "" },
                    &format!("{value:x}"),
                )
            }
            b'X' => {
                let value = next_argument(bytes)?;
                integer(
                    &spec,
                    if spec.hash && value != 0 { "0X" } else { "" },
                    &format!("{value:X}"),
                )
            }
            b'o' => integer(&spec, "", &format!("{:o}", next_argument(bytes)?)),
            b'p' => spec.pad("", &format!("{:#x}", next_argument(8)?), false),
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
                let mut text = reader.text(address)?;
                text.truncate(spec.precision.unwrap_or(usize::MAX));
                spec.pad("", &String::from_utf8_lossy(&text), false)
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                real(&spec, conversion, f64::from_bits(next_argument(8)?))
            }
            other => format!("%{}", other as char),
        };
        out.extend_from_slice(text.as_bytes());
    }
    Ok((String::from_utf8_lossy(&out).into_owned(), used))
}

/// One `%` conversion.
#[derive(Default)]
pub(crate) struct Spec {
    pub(crate) minus: bool,
    pub(crate) plus: bool,
    pub(crate) space: bool,
    pub(crate) zero: bool,
    pub(crate) hash: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
    pub(crate) long: bool,
}

impl Spec {
    /// Pads a number or text to the width.
    pub(crate) fn pad(&self, sign: &str, digits: &str, numeric: bool) -> String {
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
    pub(crate) fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

/// An integer of these digits.
pub(crate) fn integer(spec: &Spec, sign: &str, digits: &str) -> String {
    let least = spec.precision.unwrap_or(1);
    let digits = format!("{}{digits}", "0".repeat(least.saturating_sub(digits.len())));
    spec.pad(sign, &digits, spec.precision.is_none())
}

/// A number by `%f`, `%e`, `%g` or `%a`.
pub(crate) fn real(spec: &Spec, conversion: u8, value: f64) -> String {
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
