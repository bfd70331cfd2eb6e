//! The state of a running host program.

use crate::assemble::FUNCTION_STEP;
use crate::code::FunctionCode;
use crate::direct::DirectFunction;
use crate::library_state::{Files, GlibcRandom};
use crate::memory::{BadAccess, HostMemory, SHARED};

use lanework_ssa::SourcePosition;
use std::any::Any;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// The address of the first function. It is not in any memory.
pub(crate) const FUNCTIONS: u64 = 0x1000_0000;

/// A function that the program calls.
pub type External = fn(&mut Process, &[u64]) -> Result<u64, Stop>;

/// Library functions by name.
pub(crate) type LibraryFunctions = &'static [(&'static str, External)];

/// An argument; 0 if it is missing.
///
/// ```
/// assert_eq!(lanework_host::word(&[7], 0), 7);
/// assert_eq!(lanework_host::word(&[7], 1), 0);
/// ```
pub fn word(arguments: &[u64], at: usize) -> u64 {
    arguments.get(at).copied().unwrap_or(0)
}

/// A function and a position in it, for messages.
#[derive(Clone, Debug)]
pub struct CodePlace {
    /// The function's name.
    pub function: String,
    /// File number, from 1, and line.
    pub position: SourcePosition,
    /// The function's number.
    pub(crate) number: usize,
    /// Whether the operation is a `volatile` access, as those of atomic objects are.
    pub(crate) is_volatile: bool,
}

/// The reason why a program stops before a function returns.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The program called `exit` with this code.
    Exit(i32),
    /// The program faulted.
    Fault(HostFault),
}

/// A fault of host code.
#[derive(Clone, Debug)]
pub struct HostFault {
    /// Description.
    pub message: String,
    /// A hint; may be empty.
    pub help: String,
    /// The active calls, innermost first.
    pub places: Vec<HostPlace>,
}

/// Function, file and line of an active call. The line is 0 if it is unknown, as in built-in headers.
pub type HostPlace = (String, String, u32);

/// Notices about a host program that the embedding program asks for.
#[derive(Clone, Copy)]
pub struct HostWatch {
    /// Receives the active calls, innermost first, before a call of a function that the embedding program supplied, and
    /// before an access to a guarded address of a registered range.
    pub at: fn(Vec<HostPlace>),
    /// Whether an address is guarded.
    pub guards: fn(u64) -> bool,
    /// Whether any address is.
    pub any_guard: fn() -> bool,
    /// The host functions of streams whose memory is watched ([`HostMemory::pend`]).
    pub functions: Option<FunctionWatch>,
}

/// Notices about accesses to memory of host functions of streams.
#[derive(Clone, Copy)]
pub struct FunctionWatch {
    /// Whether the program has waited for a function.
    pub has_ended: fn(u64) -> bool,
    /// The program has read by a `volatile` access what the function wrote: it knows that the function has ended.
    pub ended: fn(u64),
    /// The program makes an access to this address, whether it writes or not, that conflicts with a function. The active
    /// calls are known ([`HostWatch::at`]).
    pub conflict: fn(u64, u64, bool),
}

/// A function of the C library or of the embedding program.
#[derive(Clone, Copy)]
pub(crate) struct LoadedExternal {
    pub(crate) function: External,
    /// Whether the embedding program supplied it.
    pub(crate) is_given: bool,
    /// How machine code calls it, if it needs no helper.
    #[allow(dead_code, reason = "only machine code uses it")]
    pub(crate) direct: Option<DirectFunction>,
}

/// How a program's functions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostExecution {
    /// The interpreter runs everything.
    Interpreted,
    /// The interpreter starts; functions that run often become machine code, where the host supports that.
    Automatic,
    /// Each function becomes machine code before it runs, where the host supports that.
    Compiled,
    /// Each function becomes machine code when the interpreter has run this many of its operations.
    CompiledAfter(u32),
}

/// Operations of a function that the interpreter runs before the function becomes machine code: this many, and this many
/// more for each operation that must be compiled. By then the interpreter has taken about as long as the compilation will,
/// so that a program never takes more than twice as long as with the better choice.
const HOT: u32 = 50_000;
const HOT_PER_OPERATION: u32 = 6_000;

/// The cost of a call besides the operations of the function, as a number of operations.
const CALL_COST: u32 = 20;

/// A heat that no function loses.
const NEVER_HOT: u32 = u32::MAX;

/// Alignment of stack frames.
pub(crate) const FRAME_ALIGN: u64 = 64;

/// The heat of a function that was hot where machine code could not be entered.
const HOT_LATER: u32 = 1_000_000;

/// Machine code of a process. Each method returns `None` if the function cannot be compiled; then nothing has run.
pub(crate) trait MachineCode {
    /// The functions that have machine code.
    fn compiled(&self) -> BTreeSet<usize>;

    /// Calls a function. `callers` are the innermost of the `depth` active calls, outermost first.
    fn call(
        &mut self,
        process: &mut Process,
        number: usize,
        callers: &[u64],
        depth: usize,
        arguments: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>>;

    /// Runs a function from a position on to its end, with the interpreter's registers and frame.
    fn resume(
        &mut self,
        process: &mut Process,
        place: (usize, usize),
        callers: &[u64],
        depth: usize,
        registers: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>>;
}

/// An active call as one word: the calling function's number, and the position of the call in its code.
pub(crate) fn active_call(number: usize, at: usize) -> u64 {
    (number as u64) << 32 | at as u64
}

/// A loaded host program.
pub struct Process {
    /// The program's memory.
    pub memory: HostMemory,
    /// Data of the embedding program for its own functions.
    pub environment: Box<dyn Any>,
    pub(crate) files: Files,
    pub(crate) random: GlibcRandom,
    pub(crate) started: Instant,
    pub(crate) stack: u64,
    pub(crate) places: Vec<CodePlace>,
    pub(crate) codes: Vec<Rc<FunctionCode>>,
    /// By function: operations until it becomes machine code.
    pub(crate) heat: Vec<u32>,
    pub(crate) machine: Option<Box<dyn MachineCode>>,
    /// The machine code that waits for the interpreter: it can be entered again.
    pub(crate) waiting_machine: Option<Box<dyn MachineCode>>,
    /// Registers of interpreters that have ended.
    pub(crate) spare_registers: Vec<Vec<u64>>,
    pub(crate) externals: Vec<LoadedExternal>,
    pub(crate) watch: Option<HostWatch>,
    pub(crate) names: Vec<String>,
    pub(crate) sources: Vec<String>,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("functions", &self.names.len()).finish_non_exhaustive()
    }
}

impl Process {
    /// Keeps standard output from now on, instead of writing it.
    pub fn keep_output(&mut self) {
        self.files.kept = Some(Vec::new());
    }

    /// Takes the standard output kept so far.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.files.flush();
        self.files.kept.replace(Vec::new()).unwrap_or_default()
    }

    /// Flushes buffered output.
    pub fn flush(&mut self) {
        self.files.flush();
    }

    /// The number of a function by its symbol.
    pub(crate) fn number_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    pub(crate) fn functions(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn code(&self, number: usize) -> Rc<FunctionCode> {
        self.codes[number].clone()
    }

    /// Tells the embedding program where the host program calls its functions and accesses guarded memory.
    pub fn watch(&mut self, watch: HostWatch) {
        self.watch = Some(watch);
        self.memory.guard(watch.guards);
    }

    /// Tells the place of an access, if the access failed only for lack of it. The access may then be tried again.
    pub(crate) fn tell(
        &mut self,
        access: BadAccess,
        verb: &str,
        places: impl FnOnce(&Process) -> Vec<CodePlace>,
    ) -> bool {
        if let Some(watch) = self.watch
            && let Some(functions) = watch.functions
            && let Some((function, writes)) = self.conflict(access, verb)
        {
            self.places = places(self);
            if self.places.first().is_some_and(|place| place.is_volatile) {
                if self.memory.is_pending_write(access.address, access.bytes) {
                    (functions.ended)(function);
                }
            } else {
                (watch.at)(self.active_calls());
                (functions.conflict)(function, access.address, writes);
            }
            self.memory.end_pending(function);
            return true;
        }
        let Some(watch) = self.watch.filter(|_| self.memory.is_untold(access)) else {
            return false;
        };
        self.places = places(self);
        (watch.at)(self.active_calls());
        // A copy checks two ranges.
        self.memory.tell(if verb == "copy" { 2 } else { 1 });
        true
    }

    /// The host function with which an access conflicts, and whether the access writes.
    fn conflict(&self, access: BadAccess, verb: &str) -> Option<(u64, bool)> {
        let BadAccess { address, bytes } = access;
        let of = |writes| Some((self.memory.conflict(address, bytes, writes)?, writes));
        match verb {
            "read" => of(false),
            "copy" => of(false).or_else(|| of(true)),
            _ => of(true),
        }
    }

    /// The names of the functions that have become machine code.
    pub fn compiled_functions(&self) -> Vec<&str> {
        let numbers = self.machine.as_ref().map(|machine| machine.compiled()).unwrap_or_default();
        numbers.into_iter().map(|number| self.names[number].as_str()).collect()
    }

    /// Chooses how the program runs, before it starts.
    pub fn execute(&mut self, how: HostExecution) {
        let heat = |code: &Rc<FunctionCode>| match how {
            HostExecution::Interpreted => NEVER_HOT,
            HostExecution::Automatic => {
                HOT_PER_OPERATION.saturating_mul(code.ops.len() as u32).saturating_add(HOT)
            }
            HostExecution::Compiled => 0,
            HostExecution::CompiledAfter(operations) => operations,
        };
        self.heat = self.codes.iter().map(heat).collect();
    }

    /// Counts a call, with the operations outside of loops that it will run: about a quarter of the function, because the
    /// paths that most functions have for rare cases are long. Returns whether the function should run as machine code.
    #[inline(always)]
    pub(crate) fn is_hot_call(&mut self, number: usize) -> bool {
        let operations = CALL_COST + self.codes[number].ops.len() as u32 / 4;
        self.is_hot(number, operations)
    }

    /// Counts operations of a function: an iteration counts by the length of the loop. Returns whether it should run as machine code.
    #[inline(always)]
    pub(crate) fn is_hot(&mut self, number: usize, operations: u32) -> bool {
        let heat = &mut self.heat[number];
        *heat = heat.saturating_sub(operations);
        // Machine code does not record its accesses.
        *heat == 0 && !self.memory.is_recording()
    }

    /// Runs something with the machine code. If that cannot run a function, it is not asked again soon.
    fn with_machine(
        &mut self,
        number: usize,
        run: impl FnOnce(&mut dyn MachineCode, &mut Process) -> Option<Result<Vec<u64>, Stop>>,
    ) -> Option<Result<Vec<u64>, Stop>> {
        let is_waiting = self.machine.is_none();
        let machine = if is_waiting { self.waiting_machine.take() } else { self.machine.take() };
        let Some(mut machine) = machine else {
            self.heat[number] = HOT_LATER;
            return None;
        };
        let done = run(&mut *machine, self);
        if done.is_none() {
            self.heat[number] = NEVER_HOT;
        }
        *(if is_waiting { &mut self.waiting_machine } else { &mut self.machine }) = Some(machine);
        done
    }

    /// Calls a function as machine code, if that is possible.
    pub(crate) fn call_machine(
        &mut self,
        number: usize,
        callers: &[u64],
        depth: usize,
        arguments: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        self.with_machine(number, |machine, process| {
            machine.call(process, number, callers, depth, arguments)
        })
    }

    /// Runs a function from a position on as machine code, if that is possible.
    pub(crate) fn resume_machine(
        &mut self,
        number: usize,
        at: usize,
        callers: &[u64],
        depth: usize,
        registers: &[u64],
    ) -> Option<Result<Vec<u64>, Stop>> {
        self.with_machine(number, |machine, process| {
            machine.resume(process, (number, at), callers, depth, registers)
        })
    }

    /// The places of a position and of the innermost active calls, which are given outermost first.
    pub(crate) fn places_of(&self, here: u64, callers: &[u64]) -> Vec<CodePlace> {
        let all = std::iter::once(&here).chain(callers.iter().rev().take(16));
        all.map(|call| {
            let code = &self.codes[(call >> 32) as usize];
            let position = code.positions.get(*call as u32 as usize).copied();
            CodePlace {
                number: (call >> 32) as usize,
                function: code.name.clone(),
                position: position.unwrap_or_default(),
                is_volatile: code.volatile.contains(&(*call as u32)),
            }
        })
        .collect()
    }

    /// Whether the place of a call of this function matters before it fails.
    pub(crate) fn watches(&self, number: usize) -> bool {
        let given = self.externals[number].is_given;
        self.watch.is_some_and(|watch| {
            given || (watch.any_guard)() || watch.functions.is_some() && self.memory.has_pending()
        })
    }

    pub(crate) fn call_external(&mut self, number: usize, arguments: &[u64]) -> Result<u64, Stop> {
        // A function that calls back into the program does not know the calls that are active.
        let waiting = self.waiting_machine.take();
        let told = self.watches(number);
        if told {
            if let Some(watch) = self.watch {
                (watch.at)(self.active_calls());
            }
            self.memory.tell(u32::MAX);
        }
        let functions = self.watch.and_then(|watch| watch.functions);
        let functions = functions.filter(|_| self.memory.has_pending());
        if functions.is_some() {
            self.memory.let_conflicts_pass(true);
        }
        let result = (self.externals[number].function)(self, arguments);
        if told {
            self.memory.tell(0);
        }
        if let Some(functions) = functions {
            if let Some((function, address, writes)) = self.memory.let_conflicts_pass(false) {
                (functions.conflict)(function, address, writes);
                self.memory.end_pending(function);
            }
            let ended = self.memory.pending().into_iter().filter(|one| (functions.has_ended)(*one));
            ended.for_each(|function| self.memory.end_pending(function));
        }
        self.waiting_machine = waiting;
        result
    }

    /// The number of the function at an address.
    pub(crate) fn function_at(&self, address: u64) -> Option<usize> {
        let offset = address.checked_sub(FUNCTIONS)?;
        let number = (offset / FUNCTION_STEP) as usize;
        (offset % FUNCTION_STEP == 0 && number < self.functions()).then_some(number)
    }

    /// The symbol of the function or variable at an address.
    pub fn symbol_at(&self, address: u64) -> Option<&str> {
        match self.function_at(address) {
            Some(number) => Some(&self.names[number]),
            None => self.memory.global_at(address),
        }
    }

    fn active_calls(&self) -> Vec<HostPlace> {
        let name = |place: &CodePlace| {
            let file = (place.position.file as usize).checked_sub(1);
            let file = file.and_then(|file| self.sources.get(file)).cloned().unwrap_or_default();
            (place.function.clone(), file, place.position.line)
        };
        self.places.iter().map(name).collect()
    }

    /// A fault at the current place.
    pub fn fault(&self, message: &str, help: &str) -> Stop {
        let places = self.active_calls();
        Stop::Fault(HostFault { message: message.to_owned(), help: help.to_owned(), places })
    }

    /// The fault of a bad access.
    pub fn bad_access(&self, access: BadAccess, verb: &str) -> Stop {
        let BadAccess { address, bytes } = access;
        let mut near = self.memory.describe(address);
        let help = match address {
            0 => "the pointer is null",
            _ if self.memory.is_unused(address) => {
                "no object of the program is there: check the index or the pointer"
            }
            _ if near.starts_with("no memory") => {
                "check the index and the pointer; if the pointer is to device memory, host code must copy the data with `cudaMemcpy`"
            }
            _ if near.contains(&format!("freed {SHARED}")) => {
                "the program freed this memory before (`cudaFree`, `cudaFreeHost`): free it after its last use"
            }
            _ if near.ends_with("bytes") && near.contains(SHARED) => {
                "the access goes beyond the end of page-locked or managed memory: check its bytes or the index, or allocate more"
            }
            _ => "",
        };
        let open = self.memory.accessible(address, bytes);
        if open > 0 {
            near.push_str(&format!("; only the first {open} bytes are accessible"));
        }
        self.fault(&format!("invalid {verb} of {bytes} bytes at {address:#x}: {near}"), help)
    }

    /// Describes the object at an address, while the program calls a function that the embedding program supplied. `None` if
    /// the address is not in the program's own memory. `readable` converts mangled names.
    pub fn object_at(&self, address: u64, readable: impl Fn(&str) -> String) -> Option<String> {
        if !self.memory.stack().contains(&address) {
            return self.memory.is_own(address).then(|| self.memory.describe(address));
        }
        let mut base = self.stack;
        for place in &self.places {
            let code = &self.codes[place.number];
            let mut slots = code.slots.iter().zip(&code.slot_names);
            let inside = |(offset, bytes): &(u32, u64)| {
                address.wrapping_sub(base + u64::from(*offset)) < *bytes
            };
            if let Some((_, name)) = slots.find(|(slot, _)| inside(slot)) {
                let of = readable(&place.function);
                return Some(match name {
                    Some(name) => format!("the local variable `{name}` of `{of}`"),
                    None => format!("a local variable of `{of}`"),
                });
            }
            base += code.frame.next_multiple_of(FRAME_ALIGN);
        }
        Some("a local variable".to_owned())
    }

    /// Converts the error of an access to a fault.
    ///
    /// # Errors
    /// If the access is invalid.
    pub fn accessed<T>(&self, result: Result<T, BadAccess>, verb: &str) -> Result<T, Stop> {
        result.map_err(|access| self.bad_access(access, verb))
    }

    /// The C string at an address.
    ///
    /// # Errors
    /// If some of its bytes are inaccessible.
    pub fn text(&self, address: u64) -> Result<Vec<u8>, Stop> {
        self.accessed(self.memory.text(address), "read")
    }
}
