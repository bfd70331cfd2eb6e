//! Compiles hot functions of a host program to machine code, with Cranelift.
//!
//! The interpreter counts calls and iterations. It hands a hot function to this module, either at a call or in the middle
//! of a loop (on-stack replacement, as in Hölzle and Ungar 1994). Machine code calls other functions only as machine
//! code, which it has compiled at their first call; functions that cannot be compiled go back to the interpreter.
//!
//! Both ways compute the same values, and find the same faults at the same places. `translate` turns code into Cranelift's
//! intermediate form with the help of `values`, `others` and `access`; `compiler` turns that into bytes and `pages` makes
//! them executable. `helpers` has the functions that machine code calls, on the state in `context`.

mod access;
mod compiler;
mod context;
mod helpers;
mod others;
mod pages;
mod translate;
mod values;

use crate::process::{MachineCode, Process, Stop};
use context::Context;
use helpers::Entry;

/// Starts compilation for a loaded process; `None` if this machine does not allow it.
pub fn machine_code(process: &Process) -> Option<Box<dyn MachineCode>> {
    Some(Box::new(Machine { context: Context::new(process)? }))
}

struct Machine {
    context: Box<Context>,
}

impl MachineCode for Machine {
    fn call(
        &mut self,
        process: &mut Process,
        number: usize,
        callers: &[u64],
        depth: usize,
        arguments: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        let code = self.context.compiled(process, number)?;
        let arity = process.code(number).parameter_count as usize;
        let mut words = arguments.to_vec();
        words.resize(arity, 0);
        self.enter(process, number, code, callers, depth, &words)
    }

    fn resume(
        &mut self,
        process: &mut Process,
        (number, at): (usize, usize),
        callers: &[u64],
        depth: usize,
        registers: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        let code = self.context.compiled_loop(process, number, at)?;
        let words = [registers.as_ptr() as u64, process.stack];
        self.enter(process, number, code, callers, depth, &words)
    }
}

impl Machine {
    /// Runs machine code of a function with arguments.
    fn enter(
        &mut self,
        process: &mut Process,
        number: usize,
        code: u64,
        callers: &[u64],
        depth: usize,
        words: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        let bridge = self.context.bridge(words.len())?;
        let entry = Entry { bridge, code, top: 0, words: words.as_ptr() as u64 };
        let results = process.code(number).returns.iter().map(Vec::len).max().unwrap_or(0);
        Some(self.context.enter(process, callers, depth, results, entry))
    }
}
