//! Loads a program, and runs it from `main` to its end.

use crate::assemble::{Addresses, FUNCTION_STEP, assemble};
use crate::interpret::run;
use crate::library::{LIBRARY, direct};
use crate::library_state::{Files, GlibcRandom};
use crate::memory::HostMemory;
use crate::process::{
    External, FUNCTIONS, HostExecution, HostFault, LoadedExternal, Process, Stop,
};

use lanework_ssa::{RelocationTarget, SsaModule};
use std::any::Any;
use std::rc::Rc;
use std::time::Instant;

/// Bytes of the stack; fewer on a 32-bit host, whose arena is small.
const STACK: u64 = if cfg!(target_pointer_width = "64") { 64 << 20 } else { 8 << 20 };

impl Process {
    /// Loads an optimized module. The C library and `more` supply the functions that it only declares, by name.
    ///
    /// # Errors
    /// If the host is out of memory.
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
                let library = LIBRARY.iter().copied().flatten().map(|known| (known, false));
                let given = more.iter().copied().flatten().map(|known| (known, true));
                let found = given.chain(library).find(|((name, _), _)| *name == function.name);
                if let Some(((name, function), is_given)) = found {
                    code.external = Some(externals.len());
                    let direct = direct(name).filter(|_| !is_given);
                    externals.push(LoadedExternal { function: *function, is_given, direct });
                }
            }
            codes.push(Rc::new(code));
        }
        let stack = memory.stack().end;
        let mut process = Process {
            memory,
            environment,
            files: Files::default(),
            random: GlibcRandom::new(1),
            started: Instant::now(),
            stack,
            places: Vec::new(),
            heat: Vec::new(),
            machine: None,
            waiting_machine: None,
            spare_registers: Vec::new(),
            codes,
            externals,
            watch: None,
            names: module.functions.iter().map(|function| function.name.clone()).collect(),
            sources: module.files.clone(),
        };
        process.execute(HostExecution::Automatic);
        process.machine = crate::native::machine_code();
        Ok(process)
    }

    /// Runs `main` with arguments, after the function that initializes global variables, if there is one.
    ///
    /// # Errors
    /// If the program faults.
    pub fn main(&mut self, arguments: &[String]) -> Result<i32, HostFault> {
        let ended = self.main_inner(arguments);
        self.files.flush();
        match ended {
            Ok(code) | Err(Stop::Exit(code)) => Ok(code),
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// Calls a function of the program while the program waits for a function that the embedding program supplied.
    ///
    /// # Errors
    /// If the function faults, or ends the program.
    pub fn call(&mut self, address: u64, arguments: &[u64]) -> Result<u64, Stop> {
        let Some(number) = self.function_at(address) else {
            return Err(self.fault("a call of an address that is not a function's", ""));
        };
        Ok(run(self, number, arguments)?.first().copied().unwrap_or(0))
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
}
