//! The ways from the interpreter to machine code and back. Machine code calls functions that are not hot yet through
//! [`nested`], which interprets them; in their loops and calls, the interpreter may enter machine code again.

use super::context::Context;
use super::layout::HelperResult;
use super::pages::{Entry, on_stack};
use crate::interpret::{DEEPEST, LISTED, interpret};
use crate::process::{MachineCode, Process, Stop};
use std::collections::BTreeSet;

/// Machine code that waits for a helper, in which the interpreter runs.
struct WaitingCode {
    context: *mut Context,
}

impl MachineCode for WaitingCode {
    fn compiled(&self) -> BTreeSet<usize> {
        BTreeSet::new()
    }

    fn call(
        &mut self,
        process: &mut Process,
        number: usize,
        callers: &[u64],
        depth: usize,
        arguments: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        // SAFETY: the context is valid while its machine code waits.
        unsafe { call(self.context, process, number, (callers, depth), arguments) }
    }

    fn resume(
        &mut self,
        process: &mut Process,
        place: (usize, usize),
        callers: &[u64],
        depth: usize,
        registers: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        // SAFETY: as in `call`.
        unsafe { resume(self.context, process, place, (callers, depth), registers) }
    }
}

/// Calls a function as machine code. The interpreter has `depth` active calls; the given ones are the innermost.
///
/// # Safety
/// The context must be valid, and its machine code must not run, or wait for a helper.
pub unsafe fn call(
    context: *mut Context,
    process: &mut Process,
    number: usize,
    active: (&[u64], usize),
    arguments: &[u64],
) -> Option<Result<Vec<u64>, Stop>> {
    // SAFETY: the caller upholds the contract; nothing refers to the context.
    unsafe {
        let code = (*context).compiled(process, number)?;
        let mut words = arguments.to_vec();
        words.resize(process.code(number).parameter_count as usize, 0);
        run(context, process, number, code, active, &words)
    }
}

/// Runs a function from a position on as machine code.
///
/// # Safety
/// As for [`call`].
pub unsafe fn resume(
    context: *mut Context,
    process: &mut Process,
    (number, at): (usize, usize),
    active: (&[u64], usize),
    registers: &[u64],
) -> Option<Result<Vec<u64>, Stop>> {
    // SAFETY: as in `call`.
    unsafe {
        let code = (*context).compiled_loop(process, number, at)?;
        let words = [registers.as_ptr() as u64, process.stack];
        run(context, process, number, code, active, &words)
    }
}

/// Runs a function's machine code with arguments.
///
/// # Safety
/// As for [`call`]; the code must be the context's.
unsafe fn run(
    context: *mut Context,
    process: &mut Process,
    number: usize,
    code: u64,
    active: (&[u64], usize),
    words: &[u64],
) -> Option<Result<Vec<u64>, Stop>> {
    let results = process.code(number).returns.iter().map(Vec::len).max().unwrap_or(0);
    // SAFETY: as in `call`. The code and the bridge are the context's, and the words live until the code returns.
    unsafe {
        let bridge = (*context).bridge(words.len())?;
        let entry = Entry { bridge, code, top: 0, words: words.as_ptr() as u64 };
        Some(enter(context, process, active, results, entry))
    }
}

// Machine code and its helpers use the context while these functions wait for them. The functions therefore hold no
// reference to it during that time.

/// Runs machine code, which returns `results` values. The interpreter has `depth` active calls; `callers` are the
/// innermost ones.
///
/// # Safety
/// The context must be valid. The entry must have the addresses of code that the context compiled and of its arguments.
unsafe fn enter(
    context: *mut Context,
    process: &mut Process,
    (callers, depth): (&[u64], usize),
    results: usize,
    mut entry: Entry,
) -> Result<Vec<u64>, Stop> {
    // SAFETY: the context is valid. The interpreter takes the machine code from the process before it enters the code.
    // Therefore no reference to the context lives while machine code runs. No other code uses the stack, unless machine
    // code waits: then this thread is on that stack already.
    unsafe {
        entry.top = (*context).take_calls(callers, depth);
        (*context).shared.stack = process.stack;
        let outer = std::mem::replace(&mut (*context).process, std::ptr::from_mut(process));
        let HelperResult { status, value } = if outer.is_null() {
            on_stack((*context).stack.end(), &mut entry)
        } else {
            let bridge: extern "sysv64" fn(u64, u64, *const u64) -> HelperResult =
                std::mem::transmute(entry.bridge as usize);
            bridge(entry.code, entry.top, entry.words as *const u64)
        };
        (*context).process = outer;
        process.stack = (*context).shared.stack;
        (*context).stopped(process, status)?;
        Ok((*context).take_results(results, value))
    }
}

/// The memory for a call's results.
///
/// # Safety
/// The context must be valid, and machine code must not run while the result is used.
unsafe fn results_of<'a>(context: *mut Context) -> &'a mut [u64] {
    // SAFETY: the caller upholds this function's contract.
    unsafe { &mut (*context).results }
}

/// Calls a function for machine code, which waits for it at `call`. Returns the first result and stores the others;
/// `None` if the calls are too deep.
///
/// # Safety
/// The context must be valid, and its machine code must wait for a helper whose process is `process`.
pub unsafe fn nested(
    context: *mut Context,
    process: &mut Process,
    call: u64,
    top: u64,
    number: usize,
    arguments: &[u64],
) -> Option<Result<u64, Stop>> {
    // SAFETY: the context is valid, and no reference to it lives while machine code runs. The bridge is compiled code
    // with these parameters, and passes `arity` words to the function. This thread already uses the stack of machine
    // code.
    unsafe {
        let depth = (top - (*context).calls.as_ptr() as u64) as usize / size_of::<u64>();
        if depth >= DEEPEST {
            return None;
        }
        (&mut (*context).calls)[depth] = call;
        let arity = process.code(number).parameter_count as usize;
        let code =
            if process.is_hot_call(number) { (*context).compiled(process, number) } else { None };
        let both = code.and_then(|code| Some((code, (*context).bridge(arity)?)));
        if let Some((code, bridge)) = both {
            let mut words = arguments.to_vec();
            words.resize(arity, 0);
            let top = top + size_of::<u64>() as u64;
            let outer = (*context).process;
            (*context).process = std::ptr::from_mut(process);
            let bridge: extern "sysv64" fn(u64, u64, *const u64) -> HelperResult =
                std::mem::transmute(bridge as usize);
            let HelperResult { status, value } = bridge(code, top, words.as_ptr());
            (*context).process = outer;
            return Some((*context).stopped(process, status).map(|()| value));
        }
        process.stack = (*context).shared.stack;
        let listed = (depth + 1).saturating_sub(LISTED);
        let calls = (&(*context).calls)[listed..=depth].to_vec();
        let waiting = Box::new(WaitingCode { context });
        let outer = process.waiting_machine.replace(waiting);
        let done = interpret(process, number, arguments, &calls, depth + 1);
        process.waiting_machine = outer;
        (*context).shared.stack = process.stack;
        Some(done.map(|results| {
            for (to, value) in results_of(context).iter_mut().zip(&results) {
                *to = *value;
            }
            results.first().copied().unwrap_or(0)
        }))
    }
}
