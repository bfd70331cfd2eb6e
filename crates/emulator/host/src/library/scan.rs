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

fn is_integer_byte(before: &[u8], byte: u8) -> bool {
    byte.is_ascii_hexdigit()
        || (before.is_empty() && matches!(byte, b'+' | b'-'))
        || before.ends_with(b"0") && matches!(byte, b'x' | b'X')
}

fn is_decimal_byte(before: &[u8], byte: u8) -> bool {
    byte.is_ascii_digit() || (before.is_empty() && matches!(byte, b'+' | b'-'))
}

fn is_real_byte(before: &[u8], byte: u8) -> bool {
    let exponent = before.last().is_some_and(|last| matches!(last, b'e' | b'E'));
    byte.is_ascii_digit()
        || byte == b'.'
        || (matches!(byte, b'+' | b'-') && (before.is_empty() || exponent))
        || matches!(byte, b'e' | b'E') && !before.is_empty()
        || matches!(byte.to_ascii_lowercase(), b'i' | b'n' | b'f' | b'a')
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

/// The longest prefix that is a number.
fn real_prefix(text: &[u8]) -> (f64, usize) {
    let text = String::from_utf8_lossy(text).into_owned();
    (0..=text.len())
        .rev()
        .filter(|end| text.is_char_boundary(*end))
        .find_map(|end| Some((text[..end].parse::<f64>().ok()?, end)))
        .unwrap_or((0.0, 0))
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
    if base == 16 && hexadecimal {
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
        if !matches!(kind, b'c' | b'[' | b'n') && input.skip_space(process).is_none() {
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
                let takes = if matches!(kind, b'd' | b'u' | b'o') {
                    is_decimal_byte
                } else {
                    is_integer_byte
                };
                let digits = input.run(process, width, &takes);
                let base = match kind {
                    b'd' | b'u' => 10,
                    b'i' => 0,
                    b'o' => 8,
                    _ => 16,
                };
                let (value, used) = integer_prefix(&digits, base);
                if used == 0 {
                    break;
                }
                (value as i64).to_le_bytes()[..size].to_vec()
            }
            b'f' | b'e' | b'g' | b'E' | b'G' => {
                let digits = input.run(process, width, &is_real_byte);
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
        Ok(value.clamp(i128::from(i64::MIN), i128::from(u64::MAX)) as u64)
    }),
];
