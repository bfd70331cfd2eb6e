//! `scanf` and related functions, and the conversion of text to numbers.

use crate::process::{LibraryFunctions, Process, Stop, word};

/// Bytes to scan, and how many were taken.
struct ScanInput {
    source: ScanSource,
    taken: u32,
}

enum ScanSource {
    Text(Vec<u8>),
    File(u64),
}

impl ScanInput {
    fn next(&mut self, process: &mut Process) -> Option<u8> {
        let byte = match &self.source {
            ScanSource::Text(text) => text.get(self.taken as usize).copied(),
            ScanSource::File(handle) => process.files.byte(*handle),
        };
        self.taken += u32::from(byte.is_some());
        byte
    }

    fn back(&mut self, process: &mut Process, byte: Option<u8>) {
        let Some(byte) = byte else { return };
        self.taken -= 1;
        if let ScanSource::File(handle) = &self.source {
            process.files.unread(*handle, byte);
        }
    }

    fn skip_space(&mut self, process: &mut Process) -> Option<u8> {
        loop {
            let byte = self.next(process);
            if !byte.is_some_and(|byte| byte.is_ascii_whitespace()) {
                self.back(process, byte);
                return byte;
            }
        }
    }

    /// The longest run of at most `width` bytes that `takes` accepts.
    fn run(
        &mut self,
        process: &mut Process,
        width: usize,
        takes: &dyn Fn(&[u8], u8) -> bool,
    ) -> Vec<u8> {
        let mut found = Vec::new();
        while found.len() < width {
            match self.next(process) {
                Some(byte) if takes(&found, byte) => found.push(byte),
                other => {
                    self.back(process, other);
                    break;
                }
            }
        }
        found
    }
}

/// Whether a byte continues an integer. Base 0 means that the prefix selects the base.
fn continues_integer(before: &[u8], byte: u8, base: u32) -> bool {
    let digits = before.strip_prefix(b"+").or(before.strip_prefix(b"-")).unwrap_or(before);
    let prefixed = digits.starts_with(b"0x") || digits.starts_with(b"0X");
    match byte {
        b'+' | b'-' => before.is_empty(),
        b'x' | b'X' => matches!(base, 0 | 16) && digits == b"0",
        _ => {
            let base = match base {
                0 if prefixed => 16,
                0 if digits.starts_with(b"0") => 8,
                0 => 10,
                base => base,
            };
            char::from(byte).is_digit(base)
        }
    }
}

/// Whether a byte continues a floating-point number.
fn continues_real(before: &[u8], byte: u8) -> bool {
    let mut text = before.to_vec();
    text.push(byte);
    start_of_real(&text) == text.len()
}

/// The length of the longest prefix that more bytes may complete to a number: `1e+`, `0x1.`, `infin`.
fn start_of_real(text: &[u8]) -> usize {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let rest = &text[sign..];
    for word in [&b"infinity"[..], b"nan"] {
        let same = rest.iter().zip(word).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
        if same > 0 {
            return sign + same;
        }
    }
    let hexadecimal = rest.first() == Some(&b'0') && matches!(rest.get(1), Some(b'x' | b'X'));
    let mut at = if hexadecimal { sign + 2 } else { sign };
    let (mut digits, mut point) = (0, false);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'.' if !point => point = true,
            _ if byte.is_ascii_digit() || hexadecimal && byte.is_ascii_hexdigit() => digits += 1,
            _ => break,
        }
        at += 1;
    }
    let letter = if hexadecimal { b'p' } else { b'e' };
    if digits > 0 && text.get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(&letter)) {
        at += 1;
        at += usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        at += text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    at
}

/// The bytes that a set in brackets names: single ones, and ranges as `a-z`.
fn bytes_of_set(set: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while let Some(&first) = set.get(at) {
        match (set.get(at + 1), set.get(at + 2)) {
            (Some(b'-'), Some(&last)) if first <= last => {
                bytes.extend(first..=last);
                at += 3;
            }
            _ => {
                bytes.push(first);
                at += 1;
            }
        }
    }
    bytes
}

/// The number at the start of a text, and its length.
fn real_prefix(text: &[u8]) -> (f64, usize) {
    let text = text.get(..start_of_real(text)).unwrap_or_default();
    // Only an incomplete exponent or word follows the number.
    (1..=text.len())
        .rev()
        .take(8)
        .find_map(|end| Some((real(&text[..end])?, end)))
        .unwrap_or((0.0, 0))
}

/// The value of a whole text, decimal or hexadecimal.
fn real(text: &[u8]) -> Option<f64> {
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let Some(digits) = digits.strip_prefix(b"0x").or(digits.strip_prefix(b"0X")) else {
        return std::str::from_utf8(text).ok()?.parse().ok();
    };
    let split = digits.iter().position(|byte| matches!(byte, b'p' | b'P'));
    let (digits, power) = digits.split_at(split.unwrap_or(digits.len()));
    let mut exponent: i32 = match power.get(1..) {
        Some(power) => std::str::from_utf8(power).ok()?.parse::<i32>().ok()?.clamp(-9999, 9999),
        None => 0,
    };
    let (mut mantissa, mut any, mut fraction) = (0u64, false, false);
    for &byte in digits {
        let Some(digit) = char::from(byte).to_digit(16) else {
            fraction = true;
            continue;
        };
        any = true;
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if fraction { 4 } else { 0 };
        } else {
            // The digits beyond the precision only decide the rounding.
            mantissa |= u64::from(digit != 0);
            exponent += if fraction { 0 } else { 4 };
        }
    }
    let half = exponent / 2;
    let value = mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half);
    any.then_some(if text.first() == Some(&b'-') { -value } else { value })
}

/// The integer at the start of a text, saturated, and its length. Base 0 means that the prefix selects the base.
fn integer_prefix(text: &[u8], base: u32) -> (i128, usize) {
    let mut at = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let negative = text.get(at) == Some(&b'-');
    if matches!(text.get(at), Some(b'-' | b'+')) {
        at += 1;
    }
    let hexadecimal = text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X'));
    let base = match base {
        0 if hexadecimal => 16,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base.clamp(2, 36),
    };
    let after_prefix = text.get(at + 2).is_some_and(u8::is_ascii_hexdigit);
    if base == 16 && hexadecimal && after_prefix {
        at += 2;
    }
    let start = at;
    let mut value = 0i128;
    while let Some(digit) = text.get(at).and_then(|byte| char::from(*byte).to_digit(base)) {
        value = value.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
        at += 1;
    }
    if at == start {
        return (0, 0);
    }
    (if negative { -value } else { value }, at)
}

/// Scans input by a format. Returns the number of values stored, or -1 at the end of the input.
fn scan(
    process: &mut Process,
    mut input: ScanInput,
    format: u64,
    arguments: u64,
) -> Result<u64, Stop> {
    let format = process.text(format)?;
    let (mut at, mut stored, mut next) = (0, 0u32, arguments);
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte.is_ascii_whitespace() {
            input.skip_space(process);
            continue;
        }
        if byte != b'%' {
            let found = input.next(process);
            if found != Some(byte) {
                input.back(process, found);
                break;
            }
            continue;
        }
        let skip = format.get(at) == Some(&b'*');
        at += usize::from(skip);
        let mut width = 0usize;
        while let Some(digit) = format.get(at).filter(|byte| byte.is_ascii_digit()) {
            width = width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
            at += 1;
        }
        let width = if width == 0 { usize::MAX } else { width };
        let (mut long, mut short) = (0, 0);
        while let Some(modifier @ (b'l' | b'h' | b'z' | b'j' | b't' | b'L')) = format.get(at) {
            if *modifier == b'h' {
                short += 1
            } else {
                long += 1
            }
            at += 1;
        }
        let Some(&kind) = format.get(at) else { break };
        at += 1;
        let first = match kind {
            b'n' => Some(0),
            b'c' | b'[' => {
                let byte = input.next(process);
                input.back(process, byte);
                byte
            }
            _ => input.skip_space(process),
        };
        if first.is_none() {
            return Ok(if stored == 0 { u64::from(u32::MAX) } else { u64::from(stored) });
        }
        let size = if long > 0 { 8 } else { 4 >> short.min(2) };
        let bytes: Vec<u8> = match kind {
            b'%' => {
                let found = input.next(process);
                if found != Some(b'%') {
                    input.back(process, found);
                    break;
                }
                continue;
            }
            b'n' => u64::from(input.taken).to_le_bytes()[..size].to_vec(),
            b'd' | b'u' | b'i' | b'x' | b'X' | b'o' => {
                let base = match kind {
                    b'd' | b'u' => 10,
                    b'i' => 0,
                    b'o' => 8,
                    _ => 16,
                };
                let takes = |before: &[u8], byte: u8| continues_integer(before, byte, base);
                let digits = input.run(process, width, &takes);
                let (value, used) = integer_prefix(&digits, base);
                if used == 0 {
                    break;
                }
                (value as i64).to_le_bytes()[..size].to_vec()
            }
            b'f' | b'e' | b'g' | b'a' | b'E' | b'G' | b'A' => {
                let digits = input.run(process, width, &continues_real);
                let (value, used) = real_prefix(&digits);
                if used == 0 {
                    break;
                }
                if long > 0 {
                    value.to_le_bytes().to_vec()
                } else {
                    (value as f32).to_le_bytes().to_vec()
                }
            }
            b's' => {
                let mut text = input.run(process, width, &|_, byte| !byte.is_ascii_whitespace());
                text.push(0);
                text
            }
            b'c' => {
                let count = if width == usize::MAX { 1 } else { width };
                let text = input.run(process, count, &|_, _| true);
                if text.is_empty() {
                    break;
                }
                text
            }
            b'[' => {
                let inverted = format.get(at) == Some(&b'^');
                at += usize::from(inverted);
                let end = format.iter().skip(at + 1).position(|byte| *byte == b']');
                let end = end.map_or(format.len(), |end| at + 1 + end);
                let set = bytes_of_set(&format[at.min(end)..end]);
                at = end + 1;
                let mut text =
                    input.run(process, width, &|_, byte| set.contains(&byte) != inverted);
                if text.is_empty() {
                    break;
                }
                text.push(0);
                text
            }
            _ => break,
        };
        if skip {
            continue;
        }
        let target = process.accessed(process.memory.load(next, 8), "read")?;
        next += 8;
        let written = process.memory.write(target, &bytes);
        process.accessed(written, "write")?;
        stored += u32::from(kind != b'n');
    }
    Ok(u64::from(stored))
}

/// C's `ERANGE`.
const OUT_OF_RANGE: u32 = 34;

pub const FUNCTIONS: LibraryFunctions = &[
    ("__lw_scan_text", |process, a| {
        let text = process.text(word(a, 0))?;
        scan(
            process,
            ScanInput { source: ScanSource::Text(text), taken: 0 },
            word(a, 1),
            word(a, 2),
        )
    }),
    ("__lw_scan_file", |process, a| {
        let source = ScanSource::File(word(a, 0));
        scan(process, ScanInput { source, taken: 0 }, word(a, 1), word(a, 2))
    }),
    ("__lw_text_to_real", |process, a| {
        let text = process.text(word(a, 0))?;
        let spaces = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let (value, used) = real_prefix(&text[spaces..]);
        if word(a, 1) != 0 {
            let end = word(a, 0) + if used == 0 { 0 } else { (spaces + used) as u64 };
            let written = process.memory.write(word(a, 1), &end.to_le_bytes());
            process.accessed(written, "write")?;
        }
        Ok(value.to_bits())
    }),
    ("__lw_text_to_integer", |process, a| {
        let text = process.text(word(a, 0))?;
        let (value, used) = integer_prefix(&text, word(a, 2) as u32);
        if word(a, 1) != 0 {
            let written =
                process.memory.write(word(a, 1), &(word(a, 0) + used as u64).to_le_bytes());
            process.accessed(written, "write")?;
        }
        let is_unsigned = word(a, 3) as u32 != 0;
        let (low, high) = match is_unsigned {
            true => (-i128::from(u64::MAX), i128::from(u64::MAX)),
            false => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        if (low..=high).contains(&value) {
            return Ok(value as u64);
        }
        let written = process.memory.write(word(a, 4), &OUT_OF_RANGE.to_le_bytes());
        process.accessed(written, "write")?;
        Ok(if value < low && !is_unsigned { i64::MIN as u64 } else { high as u64 })
    }),
];
