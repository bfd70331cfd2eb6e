//! `printf` of host code: what device code lacks, `%n` and the flag `'`, and the rest as device code formats it.

use crate::process::{Process, Stop};

use lanework_numbers::c_text;
use std::cell::Cell;

/// Replacement of `%n`: it takes an address and prints nothing.
const COUNTER: &[u8] = b"%.0s";

/// A `%n`: its position in the format, and the bytes of the number that it stores.
#[derive(Debug, PartialEq)]
struct Counter {
    at: usize,
    bytes: u64,
}

/// Formats text as `printf` does, and stores the numbers that `%n` asks for.
pub(super) fn formatted(
    process: &mut Process,
    format: u64,
    arguments: u64,
) -> Result<Vec<u8>, Stop> {
    let (format, counters) = prepared(&process.text(format)?);
    let mut counts = Vec::new();
    let text = {
        let read = |address, bytes| process.accessed(process.memory.load(address, bytes), "read");
        let text = |at, most| process.accessed(process.memory.text_up_to(at, most), "read");
        for Counter { at, bytes } in &counters {
            // The `%.0s` in place of `%n` is the last conversion of this part: its argument is the address.
            let last = Cell::new(0);
            let note = |address, most| {
                last.set(address);
                text(address, most)
            };
            let before = c_text::format(&format[..*at + COUNTER.len()], arguments, &read, &note)?.0;
            counts.push((last.get(), before.len() as u64, *bytes));
        }
        c_text::format(&format, arguments, &read, &text)?.0
    };
    for (address, count, bytes) in counts {
        let written = process.memory.write(address, &count.to_le_bytes()[..bytes as usize]);
        process.accessed(written, "write")?;
    }
    Ok(text)
}

/// The format without the flag `'`, which does nothing in C's locale, and with `%.0s`, which prints nothing, for `%n`.
fn prepared(format: &[u8]) -> (Vec<u8>, Vec<Counter>) {
    let mut out = Vec::with_capacity(format.len());
    let mut counters = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.iter().position(|byte| *byte == b'%') {
        out.extend_from_slice(&rest[..start]);
        let spec = &rest[start..];
        let in_flags = |byte: &u8| b"-+ 0#'123456789.*lhzjtL".contains(byte);
        let length = 1 + spec[1..].iter().take_while(|byte| in_flags(byte)).count();
        let end = (length + 1).min(spec.len());
        match spec.get(length) {
            Some(b'n') => {
                let letters =
                    |letter| spec[..length].iter().filter(|byte| **byte == letter).count();
                let long = b"lzjtL".iter().any(|letter| letters(*letter) > 0);
                let bytes = if long { 8 } else { 4 >> letters(b'h').min(2) };
                counters.push(Counter { at: out.len(), bytes });
                out.extend_from_slice(COUNTER);
            }
            _ => out.extend(spec[..end].iter().filter(|byte| **byte != b'\'')),
        }
        rest = &spec[end..];
    }
    out.extend_from_slice(rest);
    (out, counters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_apostrophes_are_replaced() {
        let (format, counters) = prepared(b"a%'d%%%hhn%s%lln%n%5.1f%");
        assert_eq!(format, b"a%d%%%.0s%s%.0s%.0s%5.1f%");
        let sizes: Vec<u64> = counters.iter().map(|counter| counter.bytes).collect();
        assert_eq!(sizes, [1, 8, 4]);
        assert_eq!(counters[0].at, 5);
    }
}
