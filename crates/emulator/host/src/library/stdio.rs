//! Output, and files.

use crate::process::{LibraryFunctions, Process, Stop, word};
use lanework_numbers::c_text;

/// The text of a format with its arguments.
pub fn formatted(process: &Process, format: u64, arguments: u64) -> Result<Vec<u8>, Stop> {
    let format = process.text(format)?;
    let read = |address, bytes| process.accessed(process.memory.load(address, bytes), "read");
    let text = |at, most| process.accessed(process.memory.text_up_to(at, most), "read");
    Ok(c_text::format(&format, arguments, &read, &text)?.0)
}

/// Writes a text into a buffer of `room` bytes as `snprintf` does.
fn put(process: &mut Process, to: u64, room: u64, text: &[u8]) -> Result<u64, Stop> {
    if room > 0 {
        let count = text.len().min(room as usize - 1);
        let mut bytes = text[..count].to_vec();
        bytes.push(0);
        let written = process.memory.write(to, &bytes);
        process.accessed(written, "write")?;
    }
    Ok(text.len() as u64)
}

pub const FUNCTIONS: LibraryFunctions = &[
    ("__lw_print", |process, a| {
        let text = formatted(process, word(a, 1), word(a, 2))?;
        process.files.write(word(a, 0), &text);
        Ok(text.len() as u64)
    }),
    ("__lw_format", |process, a| {
        let text = formatted(process, word(a, 2), word(a, 3))?;
        put(process, word(a, 0), word(a, 1), &text)
    }),
    ("__lw_write", |process, a| {
        let bytes = process.accessed(process.memory.read(word(a, 1), word(a, 2)), "read")?;
        Ok(u64::from(process.files.write(word(a, 0), &bytes)))
    }),
    ("fopen", |process, a| {
        let name = String::from_utf8_lossy(&process.text(word(a, 0))?).into_owned();
        let mode = String::from_utf8_lossy(&process.text(word(a, 1))?).into_owned();
        Ok(process.files.open(&name, &mode))
    }),
    ("fclose", |process, a| {
        Ok(if process.files.close(word(a, 0)) { 0 } else { u64::from(u32::MAX) })
    }),
    ("fflush", |process, _| {
        process.files.flush();
        Ok(0)
    }),
    ("fread", |process, a| {
        let (size, count) = (word(a, 1), word(a, 2));
        let mut bytes = Vec::new();
        for _ in 0..size.saturating_mul(count) {
            match process.files.byte(word(a, 3)) {
                Some(byte) => bytes.push(byte),
                None => break,
            }
        }
        let written = process.memory.write(word(a, 0), &bytes);
        process.accessed(written, "write")?;
        Ok((bytes.len() as u64).checked_div(size).unwrap_or(0))
    }),
    ("fgetc", |process, a| {
        Ok(process.files.byte(word(a, 0)).map_or(u64::from(u32::MAX), u64::from))
    }),
    ("ungetc", |process, a| {
        process.files.unread(word(a, 1), word(a, 0) as u8);
        Ok(word(a, 0))
    }),
    ("feof", |process, a| Ok(u64::from(process.files.ended(word(a, 0))))),
    ("fseek", |process, a| {
        let moved = process.files.seek(word(a, 0), word(a, 1) as i64, word(a, 2));
        Ok(if moved { 0 } else { u64::from(u32::MAX) })
    }),
    ("ftell", |process, a| Ok(process.files.tell(word(a, 0)).unwrap_or(u64::MAX))),
    ("remove", |process, a| {
        let name = String::from_utf8_lossy(&process.text(word(a, 0))?).into_owned();
        Ok(std::fs::remove_file(name).map_or(u64::from(u32::MAX), |()| 0))
    }),
];
