//! Compiles hot functions of a host program to machine code, with Cranelift.
//!
//! The interpreter counts calls and iterations. It hands a hot function to this module, either at a call or in the
//! middle of a loop (on-stack replacement, as in Hölzle and Ungar 1994). When machine code calls another function, that
//! function is compiled on the first call; if it cannot be compiled, it runs in the interpreter.
//!
//! The interpreter and machine code compute the same values and find the same faults at the same places. `translate`
//! turns code into Cranelift's intermediate form with the help of `values`, `others` and `access`. `compiler` turns
//! that form into bytes, and `pages` makes the bytes executable. `helpers` has the functions that machine code calls;
//! they work on the state in `context`. `entry` has the ways from the interpreter to machine code and back.

mod access;
mod calls;
mod compiler;
mod context;
mod entry;
mod flow;
mod helpers;
mod layout;
mod pages;
mod translate;
mod values;

use crate::process::{MachineCode, Process, Stop};
use context::Context;
use entry::{call, resume};
use std::collections::BTreeSet;

/// The machine code of a process.
pub fn machine_code() -> Option<Box<dyn MachineCode>> {
    Some(Box::new(CompiledFunctions::default()))
}

/// Machine code. Its context is created for the first hot function.
#[derive(Default)]
struct CompiledFunctions {
    /// From `Box::into_raw`, because machine code contains the address: a `Box` would claim to be its only owner.
    context: Option<*mut Context>,
    /// Whether this host cannot run machine code.
    is_refused: bool,
}

impl Drop for CompiledFunctions {
    fn drop(&mut self) {
        if let Some(context) = self.context.take() {
            // SAFETY: the pointer comes from `Box::into_raw`, and machine code no longer runs.
            drop(unsafe { Box::from_raw(context) });
        }
    }
}

impl MachineCode for CompiledFunctions {
    fn compiled(&self) -> BTreeSet<usize> {
        self.numbers()
    }

    fn call(
        &mut self,
        process: &mut Process,
        number: usize,
        callers: &[u64],
        depth: usize,
        arguments: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        let context = self.context(process)?;
        // SAFETY: the context is valid, and machine code does not run.
        unsafe { call(context, process, number, (callers, depth), arguments) }
    }

    fn resume(
        &mut self,
        process: &mut Process,
        place: (usize, usize),
        callers: &[u64],
        depth: usize,
        registers: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        let context = self.context(process)?;
        // SAFETY: as in `call`.
        unsafe { resume(context, process, place, (callers, depth), registers) }
    }
}

impl CompiledFunctions {
    /// The functions that have machine code, for the whole function or from a loop on.
    fn numbers(&self) -> BTreeSet<usize> {
        let Some(context) = self.context else { return BTreeSet::new() };
        // SAFETY: the context is valid, and machine code does not run while something refers to this object.
        let context = unsafe { &*context };
        let whole = context.table.iter().enumerate().filter(|(_, entry)| entry.code != 0);
        let loops = context.loops.iter().filter(|(_, code)| code.is_some());
        whole.map(|(number, _)| number).chain(loops.map(|((number, _), _)| *number)).collect()
    }

    /// The context, or `None` if this host cannot run machine code.
    fn context(&mut self, process: &Process) -> Option<*mut Context> {
        if self.context.is_none() && !self.is_refused {
            self.context = Context::new(process, helpers::helpers()).map(Box::into_raw);
            self.is_refused = self.context.is_none();
        }
        self.context
    }
}
