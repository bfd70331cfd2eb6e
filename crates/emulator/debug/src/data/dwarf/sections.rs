//! The debug sections of a PTX text as bytes. Their addresses are labels between instructions; here, the address of a label
//! is its line in the text.

use std::collections::HashMap;

/// Addresses from here on are variables of the module, by their positions in [`DebugSections::symbols`].
const SYMBOLS: u64 = 1 << 48;

/// The debug sections of a module.
#[derive(Debug, Default)]
pub struct DebugSections {
    bytes: HashMap<String, Vec<u8>>,
    symbols: Vec<String>,
}

/// A number of a section: its size in bytes, and its text.
type SectionNumber<'t> = (usize, &'t str);

/// A section of the text.
#[derive(Default)]
struct SectionText<'t> {
    name: &'t str,
    numbers: Vec<SectionNumber<'t>>,
    /// Labels by their offsets.
    labels: Vec<(&'t str, u64)>,
}

impl DebugSections {
    /// Reads the sections of a text; none if it has no debug information.
    pub fn of(text: &str) -> DebugSections {
        let (mut labels, mut sections) = (HashMap::new(), Vec::new());
        let mut open: Option<(SectionText<'_>, u64)> = None;
        for (index, line) in text.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default().trim();
            let line = line.trim_start_matches('{').trim();
            if let Some(rest) = line.strip_prefix(".section") {
                let name = rest.trim().trim_end_matches('{').trim();
                open = Some((SectionText { name, ..SectionText::default() }, 0));
                continue;
            }
            let label = line.split_once(':').map(|(label, _)| label.trim());
            let label = label.filter(|label| !label.contains(char::is_whitespace));
            let Some((section, size)) = &mut open else {
                labels.extend(label.map(|label| (label, index as u64 + 1)));
                continue;
            };
            let rest = match label {
                Some(label) => {
                    section.labels.push((label, *size));
                    line.split_once(':').map_or("", |(_, rest)| rest.trim())
                }
                None => line,
            };
            let (numbers, ends) = match rest.split_once('}') {
                Some((numbers, _)) => (numbers, true),
                None => (rest, false),
            };
            if let Some((kind, values)) = numbers.split_once(char::is_whitespace) {
                let bytes = match kind {
                    ".b8" => 1,
                    ".b16" => 2,
                    ".b32" => 4,
                    ".b64" => 8,
                    _ => 0,
                };
                for value in values.split(',').filter(|_| bytes > 0) {
                    section.numbers.push((bytes, value.trim()));
                    *size += bytes as u64;
                }
            }
            if ends {
                sections.extend(open.take().map(|(section, _)| section));
            }
        }
        for section in &sections {
            labels.insert(section.name, 0);
            labels.extend(section.labels.iter().copied());
        }
        let mut found = DebugSections::default();
        for section in sections {
            let mut bytes = Vec::new();
            for (size, text) in section.numbers {
                let value = found.value(text, &labels);
                bytes.extend_from_slice(&value.to_le_bytes()[..size]);
            }
            found.bytes.insert(section.name.to_owned(), bytes);
        }
        found
    }

    /// The value of a number, a label, or a label and an offset.
    fn value(&mut self, text: &str, labels: &HashMap<&str, u64>) -> u64 {
        let number = |text: &str| {
            let text = text.trim().trim_end_matches('U');
            match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => text.parse::<i64>().ok().map(|value| value as u64),
            }
        };
        if let Some(value) = number(text) {
            return value;
        }
        // The first character may be a sign, and is never an operator.
        let operator = text.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-'));
        let (name, rest) = match operator {
            Some((at, _)) => text.split_at(at),
            None => (text, ""),
        };
        let (name, rest) = (name.trim(), rest.trim());
        let base = match labels.get(name) {
            Some(value) => *value,
            None => {
                let known = self.symbols.iter().position(|symbol| symbol == name);
                let index = known.unwrap_or_else(|| {
                    self.symbols.push(name.to_owned());
                    self.symbols.len() - 1
                });
                SYMBOLS + index as u64
            }
        };
        let by = rest.get(1..).map_or(0, |rest| {
            number(rest).or_else(|| labels.get(rest.trim()).copied()).unwrap_or(0)
        });
        if rest.starts_with('-') { base.wrapping_sub(by) } else { base.wrapping_add(by) }
    }

    /// The bytes of a section; empty if the module lacks it.
    pub fn section(&self, name: &str) -> &[u8] {
        self.bytes.get(name).map_or(&[], Vec::as_slice)
    }

    /// The variable of the module at an address.
    pub fn symbol(&self, address: u64) -> Option<&str> {
        let index = address.checked_sub(SYMBOLS)?;
        self.symbols.get(index as usize).map(String::as_str)
    }
}

/// Reads numbers from the front of bytes.
#[derive(Clone, Copy)]
pub struct ByteReader<'b>(pub &'b [u8]);

impl<'b> ByteReader<'b> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A little-endian number of `count` bytes, at most 8.
    pub fn number(&mut self, count: usize) -> Option<u64> {
        let bytes = self.take(count)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    /// An unsigned LEB128 number.
    pub fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..).step_by(7) {
            let byte = self.number(1)?;
            if shift < 64 {
                value |= (byte & 0x7f) << shift;
            }
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A text that ends with a zero byte.
    pub fn text(&mut self) -> Option<String> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(end + 1)?;
        Some(String::from_utf8_lossy(&text[..end]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_lines_and_variables_are_symbols() {
        let text = "\
mov.u32 %r1, 1;
$L__tmp0:
ret;
.section .debug_str
{
$L__text:
.b8 104,105
.b8 0
}
	.section	.debug_info {
.b64 $L__tmp0
.b32 .debug_str+1
.b32 $L__text
.b64 tile
.b16 0x1ff
.b8 -1 }";
        let sections = DebugSections::of(text);
        assert_eq!(sections.section(".debug_str"), b"hi\0");
        let mut info = ByteReader(sections.section(".debug_info"));
        assert_eq!(info.number(8), Some(2));
        assert_eq!((info.number(4), info.number(4)), (Some(1), Some(0)));
        let tile = info.number(8).unwrap();
        assert_eq!((sections.symbol(tile), sections.symbol(2)), (Some("tile"), None));
        assert_eq!((info.number(2), info.number(1)), (Some(0x1ff), Some(0xff)));
        assert_eq!(info.number(1), None);
    }
}
