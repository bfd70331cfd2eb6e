//! The state of machine code: the address of each function's code, the active calls, and the reason for a stop.

use super::compiler::Compiler;
use super::layout::{CodeLayout, Helpers, Shared, Start, TableEntry};
use super::pages::{CodePages, Pages};
use crate::code::FunctionCode;
use crate::interpret::DEEPEST;
use crate::process::{Process, Stop};
use std::any::Any;
use std::collections::HashMap;

/// Size in bytes of machine code's stack. The system commits only used pages.
const STACK: usize = 512 << 20;
/// Bytes of that stack that are reserved for helpers and the functions that they call.
const RESERVE: u64 = 16 << 20;

/// The state of a program's machine code. Its address is fixed, because the code contains it.
pub struct Context {
    /// Machine code accesses this field and the next three by their addresses.
    pub shared: Box<Shared>,
    pub table: Box<[TableEntry]>,
    /// One word per active call: the calling function's number, and the call's position in it.
    pub calls: Box<[u64]>,
    /// Results of a call after the first.
    pub results: Box<[u64]>,
    /// The process, while its machine code runs.
    pub process: *mut Process,
    /// Why a helper stopped the program.
    pub stop: Option<Stop>,
    /// A helper's panic, to resume outside machine code.
    pub panic: Option<Box<dyn Any + Send>>,
    /// By function and position: the code that starts there, if it could be compiled.
    pub loops: HashMap<(usize, usize), Option<u64>>,
    bridges: HashMap<usize, u64>,
    failed: Vec<bool>,
    helpers: Helpers,
    compiler: Compiler,
    pages: CodePages,
    pub stack: Pages,
}

impl Context {
    /// The state for a process that has no machine code yet.
    pub fn new(process: &Process, helpers: Helpers) -> Option<Box<Context>> {
        let stack = Pages::new(STACK)?;
        let widest = |code: &FunctionCode| {
            let returned = code.returns.iter().map(Vec::len).max().unwrap_or(0);
            let taken = code.calls.iter().map(|call| call.results.len()).max().unwrap_or(0);
            returned.max(taken)
        };
        let codes = (0..process.functions()).map(|number| process.code(number));
        let results = codes.map(|code| widest(&code)).max().unwrap_or(0);
        let lowest = stack.start() + RESERVE;
        Some(Box::new(Context {
            shared: Box::new(Shared { stack: 0, lowest }),
            table: vec![TableEntry::default(); process.functions()].into_boxed_slice(),
            calls: vec![0; DEEPEST + 1].into_boxed_slice(),
            results: vec![0; results.max(1)].into_boxed_slice(),
            process: std::ptr::null_mut(),
            stop: None,
            panic: None,
            loops: HashMap::new(),
            bridges: HashMap::new(),
            failed: vec![false; process.functions()],
            helpers,
            compiler: Compiler::new()?,
            pages: CodePages::default(),
            stack,
        }))
    }

    /// The addresses that translated code contains.
    fn layout(&mut self, process: &Process) -> CodeLayout {
        let (arena, shadow) = process.memory.checked_arena();
        CodeLayout {
            context: std::ptr::from_mut(self) as u64,
            shared: std::ptr::from_mut(&mut *self.shared) as u64,
            table: self.table.as_mut_ptr() as u64,
            functions: self.table.len() as u64,
            results: self.results.as_mut_ptr() as u64,
            deepest: self.calls.as_mut_ptr().wrapping_add(DEEPEST) as u64,
            stack_low: process.memory.stack().start,
            arena,
            shadow,
            recent: process.memory.recent_ranges().filter(|_| process.watch.is_none()),
            helpers: self.helpers,
        }
    }

    /// The address of a function's machine code. Compiles the function on the first call.
    pub fn compiled(&mut self, process: &Process, number: usize) -> Option<u64> {
        if self.table[number].code != 0 {
            return Some(self.table[number].code);
        }
        if self.failed[number] {
            return None;
        }
        let layout = self.layout(process);
        let bytes = self.compiler.function(process, number, Start::Call, &layout);
        let code = bytes.and_then(|bytes| self.pages.add(&bytes));
        self.failed[number] = code.is_none();
        let code = code?;
        let parameters = u64::from(process.code(number).parameter_count);
        self.table[number] = TableEntry { code, parameters };
        Some(code)
    }

    /// The address of machine code that starts at a position in a function, with given registers.
    pub fn compiled_loop(&mut self, process: &Process, number: usize, at: usize) -> Option<u64> {
        if let Some(known) = self.loops.get(&(number, at)) {
            return *known;
        }
        let layout = self.layout(process);
        let bytes = self.compiler.function(process, number, Start::Loop(at), &layout);
        let code = bytes.and_then(|bytes| self.pages.add(&bytes));
        self.loops.insert((number, at), code);
        code
    }

    /// The address of code that calls a function with `arity` parameters from an [`Entry`].
    pub fn bridge(&mut self, arity: usize) -> Option<u64> {
        if let Some(known) = self.bridges.get(&arity) {
            return Some(*known);
        }
        let bytes = self.compiler.bridge(arity)?;
        let code = self.pages.add(&bytes)?;
        self.bridges.insert(arity, code);
        Some(code)
    }

    /// Returns the reason if machine code stopped the program. Resumes a helper's panic.
    pub fn stopped(&mut self, process: &Process, status: u64) -> Result<(), Stop> {
        if let Some(panic) = self.panic.take() {
            std::panic::resume_unwind(panic);
        }
        if status == 0 {
            return Ok(());
        }
        let unknown = || process.fault("internal error: machine code stopped without a reason", "");
        Err(self.stop.take().unwrap_or_else(unknown))
    }

    /// Copies the interpreter's innermost active calls. `depth` is the number of all its active calls. Returns the top
    /// of the calls.
    pub fn take_calls(&mut self, callers: &[u64], depth: usize) -> u64 {
        let start = depth.saturating_sub(callers.len());
        self.calls[start..depth].copy_from_slice(&callers[callers.len() - (depth - start)..]);
        self.calls.as_mut_ptr().wrapping_add(depth) as u64
    }

    /// The results of a call; `first` is its first result.
    pub fn take_results(&mut self, count: usize, first: u64) -> Vec<u64> {
        let mut all = self.results[..count].to_vec();
        if let Some(place) = all.first_mut() {
            *place = first;
        }
        all
    }
}
