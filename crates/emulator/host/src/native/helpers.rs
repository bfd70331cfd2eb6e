//! The functions that machine code calls: accesses that need more than the inline check, calls of library functions,
//! operations that the interpreter computes, and faults. Each helper takes the context, the top of the active calls,
//! the current operation, and three operands.

use super::context::Context;
use super::entry::nested;
use super::layout::{CodeFault, HelperResult, Helpers};
use crate::interpret::compute;
use crate::memory::{BadAccess, HostMemory};
use crate::process::{CodePlace, Process, Stop, active_call};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A helper: context, top of the active calls, current operation, and operands.
type Helper = extern "C" fn(*mut Context, u64, u64, u64, u64, u64) -> HelperResult;

/// The addresses of all helpers.
pub fn helpers() -> Helpers {
    let address = |helper: Helper| helper as usize as u64;
    Helpers {
        load: address(load),
        store: address(store),
        copy: address(copy),
        fill: address(fill),
        open_slot: address(open_slot),
        close_frame: address(close_frame),
        other: address(other),
        call: address(call),
        call_indirect: address(call_indirect),
        fault: address(fault),
        random: address(random),
    }
}

/// The current operation of machine code.
struct Site {
    top: u64,
    number: usize,
    at: usize,
}

/// Runs a helper's body. Stores the reason if the body stops the program, and its panic if it panics, because neither
/// can pass through machine code.
fn guarded(
    context: *mut Context,
    top: u64,
    site: u64,
    body: impl FnOnce(&mut Process, *mut Context, &Site) -> Result<u64, Stop>,
) -> HelperResult {
    let site = Site { top, number: (site >> 32) as usize, at: site as u32 as usize };
    // SAFETY: only machine code calls helpers, with the address of its context, whose process is valid while it runs.
    // The function that entered machine code does not use the process until machine code returns.
    let process = unsafe { &mut *(*context).process };
    match catch_unwind(AssertUnwindSafe(|| body(process, context, &site))) {
        Ok(Ok(value)) => HelperResult { status: 0, value },
        Ok(Err(stop)) => {
            // SAFETY: as above; the body has returned.
            unsafe { (*context).stop = Some(stop) };
            HelperResult { status: 1, value: 0 }
        }
        Err(panic) => {
            // SAFETY: as above.
            unsafe { (*context).panic = Some(panic) };
            HelperResult { status: 1, value: 0 }
        }
    }
}

/// The active calls, innermost first.
fn places(process: &Process, context: *mut Context, site: &Site) -> Vec<CodePlace> {
    // SAFETY: machine code of this context waits for the helper, so it does not change the calls.
    let calls = unsafe { &(*context).calls };
    let depth = (site.top - calls.as_ptr() as u64) as usize / size_of::<u64>();
    process.places_of(active_call(site.number, site.at), &calls[..depth])
}

/// Creates a fault at the current operation.
fn fault_at(
    process: &mut Process,
    context: *mut Context,
    site: &Site,
    message: &str,
    help: &str,
) -> Stop {
    process.places = places(process, context, site);
    process.fault(message, help)
}

/// Tries an access. If it failed only because the watch did not know its place, reports the place and tries again.
/// Converts an error to a fault.
fn accessed<T>(
    process: &mut Process,
    context: *mut Context,
    site: &Site,
    verb: &str,
    mut access: impl FnMut(&mut HostMemory) -> Result<T, BadAccess>,
) -> Result<T, Stop> {
    loop {
        match access(&mut process.memory) {
            Ok(done) => return Ok(done),
            Err(bad) if process.tell(bad, verb, |process| places(process, context, site)) => {}
            Err(bad) => {
                process.places = places(process, context, site);
                return Err(process.bad_access(bad, verb));
            }
        }
    }
}

extern "C" fn load(
    c: *mut Context,
    top: u64,
    site: u64,
    address: u64,
    n: u64,
    _: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        accessed(process, context, site, "read", |memory| memory.load(address, n))
    })
}

extern "C" fn store(
    c: *mut Context,
    top: u64,
    site: u64,
    to: u64,
    n: u64,
    value: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        accessed(process, context, site, "write", |memory| memory.store(to, n, value)).map(|()| 0)
    })
}

extern "C" fn copy(
    c: *mut Context,
    top: u64,
    site: u64,
    to: u64,
    from: u64,
    n: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        accessed(process, context, site, "copy", |memory| memory.copy(to, from, n)).map(|()| 0)
    })
}

extern "C" fn fill(
    c: *mut Context,
    top: u64,
    site: u64,
    to: u64,
    byte: u64,
    n: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        let byte = byte as u8;
        accessed(process, context, site, "write", |memory| memory.fill(to, byte, n)).map(|()| 0)
    })
}

extern "C" fn open_slot(
    c: *mut Context,
    top: u64,
    site: u64,
    at: u64,
    n: u64,
    _: u64,
) -> HelperResult {
    guarded(c, top, site, |process, _, _| {
        process.memory.open_slot(at, n);
        Ok(0)
    })
}

extern "C" fn close_frame(
    c: *mut Context,
    top: u64,
    site: u64,
    at: u64,
    n: u64,
    _: u64,
) -> HelperResult {
    guarded(c, top, site, |process, _, _| {
        process.memory.close_frame(at, n);
        Ok(0)
    })
}

/// The words that machine code passes.
fn words<'a>(from: u64, count: u64) -> &'a [u64] {
    if count == 0 {
        return &[];
    }
    // SAFETY: machine code has stored `count` words there, in its own stack frame, and waits for the helper.
    unsafe { std::slice::from_raw_parts(from as *const u64, count as usize) }
}

extern "C" fn other(
    c: *mut Context,
    top: u64,
    site: u64,
    index: u64,
    from: u64,
    n: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        let other = &process.codes[site.number].others[index as usize];
        compute(other, words(from, n)).map_err(|why| fault_at(process, context, site, &why, ""))
    })
}

extern "C" fn call(
    c: *mut Context,
    top: u64,
    site: u64,
    number: u64,
    from: u64,
    n: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        call_function(process, context, site, number as usize, words(from, n))
    })
}

extern "C" fn call_indirect(
    c: *mut Context,
    top: u64,
    site: u64,
    at: u64,
    from: u64,
    n: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        let Some(number) = process.function_at(at) else {
            let message = format!("call through the pointer {at:#x}, which is not a host function");
            return Err(fault_at(process, context, site, &message, ""));
        };
        call_function(process, context, site, number, words(from, n))
    })
}

/// Calls a function: a library function, compiled machine code, or otherwise the interpreter.
fn call_function(
    process: &mut Process,
    context: *mut Context,
    site: &Site,
    number: usize,
    arguments: &[u64],
) -> Result<u64, Stop> {
    if let Some(external) = process.codes[number].external {
        process.places.clear();
        if process.watches(external) {
            process.places = places(process, context, site);
        }
        // The library function may call back into the program, which then runs in the interpreter.
        // SAFETY: machine code of this context waits for this helper.
        process.stack = unsafe { (*context).shared.stack };
        return match process.call_external(external, arguments) {
            Err(Stop::Fault(fault)) if fault.places.is_empty() => {
                Err(fault_at(process, context, site, &fault.message, &fault.help))
            }
            done => done,
        };
    }
    let code = &process.codes[number];
    if code.ops.is_empty() {
        let message = format!("call of `{}`, which is declared but not defined", code.name);
        return Err(fault_at(process, context, site, &message, ""));
    }
    let call = active_call(site.number, site.at);
    // SAFETY: machine code of this context waits for this helper.
    match unsafe { nested(context, process, call, site.top, number, arguments) } {
        Some(done) => done,
        None => {
            Err(fault_at(process, context, site, "stack overflow", "the recursion is too deep"))
        }
    }
}

extern "C" fn fault(
    c: *mut Context,
    top: u64,
    site: u64,
    kind: u64,
    _: u64,
    _: u64,
) -> HelperResult {
    guarded(c, top, site, |process, context, site| {
        let (message, help) = match kind {
            kind if kind == CodeFault::DivisionByZero as u64 => ("division by zero", ""),
            kind if kind == CodeFault::Trap as u64 => {
                ("the program executed a trap, or code that is marked as unreachable", "")
            }
            kind if kind == CodeFault::DeepRecursion as u64 => {
                ("stack overflow", "the recursion is too deep")
            }
            _ => ("stack overflow", "the recursion is too deep, or local variables are too large"),
        };
        Err(fault_at(process, context, site, message, help))
    })
}

extern "C" fn random(c: *mut Context, _: u64, _: u64, _: u64, _: u64, _: u64) -> HelperResult {
    // SAFETY: as in `guarded`. The generator cannot panic.
    let process = unsafe { &mut *(*c).process };
    HelperResult { status: 0, value: u64::from(process.random.next()) }
}
