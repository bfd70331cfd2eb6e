//! A host program that is loaded and runs.

use crate::assemble::{Addresses, FUNCTION_STEP, assemble};
use crate::code::Code;
use crate::files::Files;
use crate::interpret::{Place, run};
use crate::library::{External, LIBRARY, random::GlibcRandom};
use crate::memory::{BadAccess, HostMemory};
use lanework_ssa::{RelocationTarget, SsaModule};
use std::any::Any;
use std::rc::Rc;
use std::time::Instant;

/// The address of the first function. No memory is there.
pub(crate) const FUNCTIONS: u64 = 0x1000_0000;
/// Bytes of the stack.
const STACK: u64 = 64 << 20;

/// Why a program stops before a function returns.
#[derive(Clone, Debug)]
pub enum Stop {
    /// It ended itself with a code.
    Exit(i32),
    /// It did what it must not.
    Fault(HostFault),
}

/// A fault of host code.
#[derive(Clone, Debug)]
pub struct HostFault {
    /// What happened.
    pub message: String,
    /// A hint; may be empty.
    pub help: String,
    /// Function, file and line of each active call, innermost first.
    pub places: Vec<(String, String, u32)>,
}

/// A loaded host program.
pub struct Process {
    /// Its memory.
    pub memory: HostMemory,
    /// What the caller keeps for its functions.
    pub environment: Box<dyn Any>,
    pub(crate) files: Files,
    pub(crate) random: GlibcRandom,
    pub(crate) started: Instant,
    pub(crate) registers: Vec<u64>,
    pub(crate) base: usize,
    pub(crate) stack: u64,
    pub(crate) places: Vec<Place>,
    codes: Vec<Rc<Code>>,
    externals: Vec<External>,
    names: Vec<String>,
    sources: Vec<String>,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("functions", &self.names.len()).finish_non_exhaustive()
    }
}

impl Process {
    /// Loads an optimized module. Declared functions are those of the C library, or of `more`, by name.
    ///
    /// # Errors
    /// If the host has not enough memory.
    pub fn load(
        module: &SsaModule,
        more: &[&[(&'static str, External)]],
        environment: Box<dyn Any>,
    ) -> Result<Process, String> {
        let no_memory = || "there is not enough memory for the host program".to_owned();
        let mut memory = HostMemory::new(STACK).ok_or_else(no_memory)?;
        let mut globals = Vec::new();
        for global in &module.globals {
            let address = memory
                .place_global(global.size.max(1), u64::from(global.align), &global.name)
                .ok_or_else(no_memory)?;
            globals.push(address);
        }
        for (global, address) in module.globals.iter().zip(&globals) {
            let Some(initial) = &global.initial else { continue };
            let mut bytes = initial.bytes.clone();
            bytes.truncate(global.size as usize);
            for relocation in &initial.relocations {
                let target = match relocation.target {
                    RelocationTarget::Global(id) => globals.get(id.index()).map_or(0, |at| *at),
                    RelocationTarget::Function(id) => FUNCTIONS + id.index() as u64 * FUNCTION_STEP,
                };
                let target = target.wrapping_add_signed(relocation.addend);
                let at = relocation.offset as usize;
                if let Some(place) = bytes.get_mut(at..at + 8) {
                    place.copy_from_slice(&target.to_le_bytes());
                }
            }
            memory.write(*address, &bytes).map_err(|_| no_memory())?;
        }
        let mut externals = Vec::new();
        let addresses = Addresses { globals: &globals, functions: FUNCTIONS };
        let mut codes = Vec::new();
        for function in &module.functions {
            let mut code = assemble(function, &addresses);
            if function.blocks.is_empty() {
                let known = LIBRARY.iter().chain(more).copied().flatten();
                if let Some((_, external)) = { known }.find(|(name, _)| *name == function.name) {
                    code.external = Some(externals.len());
                    externals.push(*external);
                }
            }
            codes.push(Rc::new(code));
        }
        let stack = memory.stack().end;
        Ok(Process {
            memory,
            environment,
            files: Files::default(),
            random: GlibcRandom::new(1),
            started: Instant::now(),
            registers: Vec::new(),
            base: 0,
            stack,
            places: Vec::new(),
            codes,
            externals,
            names: module.functions.iter().map(|function| function.name.clone()).collect(),
            sources: module.files.clone(),
        })
    }

    /// Runs `main` with arguments, after the function that initializes global variables, if there is one.
    ///
    /// # Errors
    /// When the program faults.
    pub fn main(&mut self, arguments: &[String]) -> Result<i32, HostFault> {
        let ended = self.main_inner(arguments);
        self.files.flush();
        match ended {
            Ok(code) | Err(Stop::Exit(code)) => Ok(code),
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// Keeps standard output from now on, in place of writing it.
    pub fn keep_output(&mut self) {
        self.files.kept = Some(Vec::new());
    }

    /// The standard output that was kept.
    pub fn take_output(&mut self) -> Vec<u8> {
        self.files.flush();
        self.files.kept.replace(Vec::new()).unwrap_or_default()
    }

    /// Writes out buffered output.
    pub fn flush(&mut self) {
        self.files.flush();
    }

    fn main_inner(&mut self, arguments: &[String]) -> Result<i32, Stop> {
        let mut pointers = Vec::new();
        for argument in arguments {
            let mut bytes = argument.clone().into_bytes();
            bytes.push(0);
            let address = self.memory.allocate(bytes.len() as u64, 1);
            if self.memory.write(address, &bytes).is_err() {
                return Err(self.fault("there is not enough memory for the arguments", ""));
            }
            pointers.extend(address.to_le_bytes());
        }
        pointers.extend([0; 8]);
        let list = self.memory.allocate(pointers.len() as u64, 8);
        if self.memory.write(list, &pointers).is_err() {
            return Err(self.fault("there is not enough memory for the arguments", ""));
        }
        let Some(main) = self.number_of("main") else {
            return Err(self.fault("the program has no `main`", ""));
        };
        let results = run(self, main, &[arguments.len() as u64, list])?;
        let code = results.first().copied().unwrap_or(0);
        if let Some(finish) = self.number_of("__lw_finish") {
            run(self, finish, &[code])?;
        }
        Ok(code as i32)
    }

    /// The number of a function by its symbol.
    fn number_of(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    pub(crate) fn functions(&self) -> usize {
        self.codes.len()
    }

    pub(crate) fn code(&self, number: usize) -> Rc<Code> {
        self.codes[number].clone()
    }

    pub(crate) fn call_external(&mut self, number: usize, arguments: &[u64]) -> Result<u64, Stop> {
        (self.externals[number])(self, arguments)
    }

    /// Calls a function of the program through its address.
    ///
    /// # Errors
    /// When the program ends or faults.
    pub fn call(&mut self, address: u64, arguments: &[u64]) -> Result<u64, Stop> {
        match self.function_at(address) {
            Some(number) => Ok(run(self, number, arguments)?.first().copied().unwrap_or(0)),
            None => Err(self.fault("a callback is no function of the host", "")),
        }
    }

    /// The symbol of the function or variable at an address.
    pub fn symbol_at(&self, address: u64) -> Option<&str> {
        match self.function_at(address) {
            Some(number) => Some(&self.names[number]),
            None => self.memory.global_at(address),
        }
    }

    /// A fault at the current place.
    pub fn fault(&self, message: &str, help: &str) -> Stop {
        let name = |place: &Place| {
            let file = (place.position.file as usize).checked_sub(1);
            let file = file.and_then(|file| self.sources.get(file)).cloned().unwrap_or_default();
            (place.function.clone(), file, place.position.line)
        };
        let places = self.places.iter().map(name).collect();
        Stop::Fault(HostFault { message: message.to_owned(), help: help.to_owned(), places })
    }

    /// The fault of a bad access.
    pub fn bad_access(&self, access: BadAccess, verb: &str) -> Stop {
        let BadAccess { address, bytes } = access;
        let near = self.memory.describe(address);
        let help = match address {
            0 => "the pointer is null",
            _ if near.starts_with("no memory") => {
                "host code reaches memory of the device by `cudaMemcpy` only"
            }
            _ => "",
        };
        self.fault(&format!("invalid {verb} of {bytes} bytes at {address:#x}: {near}"), help)
    }

    /// The result of an access, or its fault.
    ///
    /// # Errors
    /// If the access is bad.
    pub fn accessed<T>(&self, result: Result<T, BadAccess>, verb: &str) -> Result<T, Stop> {
        result.map_err(|access| self.bad_access(access, verb))
    }

    /// The C string at an address.
    ///
    /// # Errors
    /// If the program must not access some of its bytes.
    pub fn text(&self, address: u64) -> Result<Vec<u8>, Stop> {
        self.accessed(self.memory.text(address), "read")
    }
}
