//! Time, the environment, the end of the program, and random numbers.

use crate::process::{LibraryFunctions, Stop, word};
use crate::random::GlibcRandom;
use std::time::{SystemTime, UNIX_EPOCH};

/// Time since 1970 in nanoseconds.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

pub const FUNCTIONS: LibraryFunctions = &[
    ("__lw_exit", |_, a| Err(Stop::Exit(word(a, 0) as i32))),
    ("abort", |process, _| Err(process.fault("the program called `abort`", ""))),
    ("__lw_fault", |process, a| {
        let message = process.text(word(a, 0))?;
        Err(process.fault(&String::from_utf8_lossy(&message), ""))
    }),
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
