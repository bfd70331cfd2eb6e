//! The C library, by function name. A function takes its arguments as 64-bit words: integers, pointers, and the bits of
//! floats. Variable arguments are one word, the address of a block that holds each aligned to its size. This file has
//! memory, output, files, time, the environment, and random numbers.

mod format;
mod math;
mod scan;
mod sort;
mod system;

use crate::direct::DirectFunction;
use crate::library_state::GlibcRandom;
use crate::process::{LibraryFunctions, Process, Stop, word};
use format::formatted;
use std::time::{SystemTime, UNIX_EPOCH};

/// The function with this name, if machine code can call it directly.
pub fn direct(name: &str) -> Option<DirectFunction> {
    match name {
        "rand" => Some(DirectFunction::Random),
        _ => math::direct(name).map(DirectFunction::Math),
    }
}

/// All functions.
pub const LIBRARY: &[LibraryFunctions] = &[
    MEMORY,
    OUTPUT_AND_FILES,
    ENVIRONMENT,
    math::FUNCTIONS,
    scan::FUNCTIONS,
    sort::FUNCTIONS,
    system::FUNCTIONS,
];

/// `malloc` and related functions, and functions on bytes, which programs call with large blocks.
const MEMORY: LibraryFunctions = &[
    ("malloc", |process, a| Ok(process.memory.allocate(word(a, 0), 16))),
    ("aligned_alloc", |process, a| Ok(process.memory.allocate(word(a, 1), word(a, 0)))),
    ("calloc", |process, a| {
        let Some(bytes) = word(a, 0).checked_mul(word(a, 1)) else { return Ok(0) };
        let address = process.memory.allocate(bytes, 16);
        if address != 0 {
            let filled = process.memory.fill(address, 0, bytes);
            process.accessed(filled, "write")?;
        }
        Ok(address)
    }),
    ("free", |process, a| {
        if word(a, 0) == 0 {
            return Ok(0);
        }
        match process.memory.release(word(a, 0)) {
            Ok(()) => Ok(0),
            Err(why) => {
                let help = "pass what `malloc` or `new` returned; memory of `cudaMalloc` is freed by `cudaFree`";
                Err(process.fault(&format!("invalid `free` of {:#x}: {why}", word(a, 0)), help))
            }
        }
    }),
    ("realloc", |process, a| {
        let (old, bytes) = (word(a, 0), word(a, 1));
        let new = process.memory.allocate(bytes, 16);
        if old == 0 || new == 0 {
            return Ok(new);
        }
        let Some(before) = process.memory.block_bytes(old) else {
            return Err(process.fault(&format!("invalid `realloc` of {old:#x}"), ""));
        };
        let copied = process.memory.copy(new, old, before.min(bytes));
        process.accessed(copied, "copy")?;
        let released = process.memory.release(old);
        released.map_err(|why| process.fault(&why, ""))?;
        Ok(new)
    }),
    ("memcpy", |process, a| {
        let copied = process.memory.copy(word(a, 0), word(a, 1), word(a, 2));
        process.accessed(copied, "copy")?;
        Ok(word(a, 0))
    }),
    ("memmove", |process, a| {
        let copied = process.memory.copy(word(a, 0), word(a, 1), word(a, 2));
        process.accessed(copied, "copy")?;
        Ok(word(a, 0))
    }),
    ("memset", |process, a| {
        let filled = process.memory.fill(word(a, 0), word(a, 1) as u8, word(a, 2));
        process.accessed(filled, "write")?;
        Ok(word(a, 0))
    }),
    ("memcmp", |process, a| {
        let first = process.accessed(process.memory.read(word(a, 0), word(a, 2)), "read")?;
        let second = process.accessed(process.memory.read(word(a, 1), word(a, 2)), "read")?;
        Ok(first.cmp(&second) as i32 as u32 as u64)
    }),
    ("__lw_exchange_if", |process, a| {
        let done = process.memory.exchange_if(word(a, 0), word(a, 3), word(a, 1), word(a, 2));
        process.accessed(done, "access")
    }),
    ("strlen", |process, a| Ok(process.text(word(a, 0))?.len() as u64)),
    ("strcmp", |process, a| {
        let (first, second) = (process.text(word(a, 0))?, process.text(word(a, 1))?);
        Ok(first.cmp(&second) as i32 as u32 as u64)
    }),
    ("strncmp", |process, a| {
        let most = word(a, 2);
        let text = |at| process.accessed(process.memory.text_up_to(at, most), "read");
        let (first, second) = (text(word(a, 0))?, text(word(a, 1))?);
        Ok(first.cmp(&second) as i32 as u32 as u64)
    }),
];

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

/// Output, and files.
const OUTPUT_AND_FILES: LibraryFunctions = &[
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
    ("__lw_open", |process, a| {
        let name = String::from_utf8_lossy(&process.text(word(a, 0))?).into_owned();
        let mode = String::from_utf8_lossy(&process.text(word(a, 1))?).into_owned();
        match process.files.open(&name, &mode) {
            Ok(handle) => Ok(handle),
            Err(error) => {
                let written = process.memory.write(word(a, 2), &error.to_le_bytes());
                process.accessed(written, "write")?;
                Ok(0)
            }
        }
    }),
    ("__lw_reopen", |process, a| {
        let name = String::from_utf8_lossy(&process.text(word(a, 1))?).into_owned();
        let mode = String::from_utf8_lossy(&process.text(word(a, 2))?).into_owned();
        match process.files.reopen(word(a, 0), &name, &mode) {
            Ok(()) => Ok(0),
            Err(error) => {
                let written = process.memory.write(word(a, 3), &error.to_le_bytes());
                process.accessed(written, "write")?;
                Ok(1)
            }
        }
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

/// Time since 1970 in nanoseconds.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// Time, the environment, the end of the program, and random numbers.
const ENVIRONMENT: LibraryFunctions = &[
    ("__lw_exit", |_, a| Err(Stop::Exit(word(a, 0) as i32))),
    ("abort", |process, _| Err(process.fault("the program called `abort`", ""))),
    ("__lw_fault", |process, a| {
        let message = process.text(word(a, 0))?;
        Err(process.fault(&String::from_utf8_lossy(&message), ""))
    }),
    // Streams call functions of the program only if the embedding program supplies CUDA.
    ("lanework_set_in_host_function", |_, _| Ok(0)),
    ("__lw_now", |_, _| Ok(now())),
    ("__lw_elapsed", |process, _| Ok(process.started.elapsed().as_nanos() as u64)),
    ("__lw_environment", |process, a| {
        let name = String::from_utf8_lossy(&process.text(word(a, 0))?).into_owned();
        let Ok(value) = std::env::var(name) else { return Ok(0) };
        let mut bytes = value.into_bytes();
        bytes.push(0);
        let address = process.memory.allocate(bytes.len() as u64, 1);
        let written = process.memory.write(address, &bytes);
        process.accessed(written, "write")?;
        Ok(address)
    }),
    ("srand", |process, a| {
        process.random = GlibcRandom::new(word(a, 0) as u32);
        Ok(0)
    }),
    ("rand", |process, _| Ok(u64::from(process.random.next()))),
];
