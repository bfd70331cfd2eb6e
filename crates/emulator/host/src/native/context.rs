//! The state of machine code: the address of each function's code, the active calls, and the reason for a stop.

use super::compiler::Compiler;
use super::layout::{CodeLayout, HelperResult, Helpers, Shared, Start, TableEntry};
use super::pages::{CodePages, Entry, Pages, on_stack};
use crate::code::FunctionCode;
use crate::interpret::{DEEPEST, interpret};
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
    loops: HashMap<(usize, usize), Option<u64>>,
    bridges: HashMap<usize, u64>,
    failed: Vec<bool>,
    helpers: Helpers,
    compiler: Compiler,
    pages: CodePages,
    stack: Pages,
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
    fn stopped(&mut self, process: &Process, status: u64) -> Result<(), Stop> {
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
    fn take_calls(&mut self, callers: &[u64], depth: usize) -> u64 {
        let start = depth.saturating_sub(callers.len());
        self.calls[start..depth].copy_from_slice(&callers[callers.len() - (depth - start)..]);
        self.calls.as_mut_ptr().wrapping_add(depth) as u64
    }

    /// The results of a call; `first` is its first result.
    fn take_results(&mut self, count: usize, first: u64) -> Vec<u64> {
        let mut all = self.results[..count].to_vec();
        if let Some(place) = all.first_mut() {
            *place = first;
        }
        all
    }
}

// Machine code and its helpers use the context while these functions wait for them. The functions therefore hold no
// reference to it during that time.

/// Runs machine code, which returns `results` values. The interpreter has `depth` active calls; `callers` are the
/// innermost ones.
///
/// # Safety
/// The context must be valid. The entry must have the addresses of code that the context compiled and of its arguments.
pub unsafe fn enter(
    context: *mut Context,
    process: &mut Process,
    (callers, depth): (&[u64], usize),
    results: usize,
    mut entry: Entry,
) -> Result<Vec<u64>, Stop> {
    // SAFETY: the context is valid. The interpreter takes the machine code from the process before it enters the code.
    // Therefore no reference to the context lives while machine code runs, and no other code uses the stack.
    unsafe {
        entry.top = (*context).take_calls(callers, depth);
        (*context).shared.stack = process.stack;
        let stack = (*context).stack.end();
        (*context).process = std::ptr::from_mut(process);
        let HelperResult { status, value } = on_stack(stack, &mut entry);
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
        let code = (*context).compiled(process, number);
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
        let calls = (&(*context).calls)[..=depth].to_vec();
        let done = interpret(process, number, arguments, &calls, depth + 1);
        (*context).shared.stack = process.stack;
        Some(done.map(|results| {
            for (to, value) in results_of(context).iter_mut().zip(&results) {
                *to = *value;
            }
            results.first().copied().unwrap_or(0)
        }))
    }
}
