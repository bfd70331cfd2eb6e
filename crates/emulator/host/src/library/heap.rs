//! `malloc` and kin, and functions on bytes that are called with large blocks.

use crate::process::{LibraryFunctions, word};

pub const FUNCTIONS: LibraryFunctions = &[
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
                Err(process.fault(&format!("invalid `free` of {:#x}: {why}", word(a, 0)), ""))
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
