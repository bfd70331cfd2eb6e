//! Loaded modules: their kernels, lowered when they are loaded or first used, and assembled code by block shape.

pub(crate) mod variables;

use crate::assemble::code::Assembled;
use crate::fault::{LoadError, SourceLocation};
use crate::instrument::attached::Instrumentation;
use crate::instrument::hook::Wants;
use crate::instrument::observer::NullObserver;
use crate::memory::lock::MemoryLock;
use crate::program::variables::ModuleVariables;
use lanework_ptx::{Function, Module};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::pressure::{RegisterPressure, pressure};
use lanework_ptx_ir::kernel::Kernel;
use lanework_ptx_ir::lower::{Lowering, LoweringOptions};
use lanework_ptx_ir::module::{ModuleNames, PlacedModule};
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A loaded module. Its variables live in device memory until it is dropped.
pub struct Program {
    entries: Vec<Entry>,
    /// The place of each entry in `entries`, by name.
    numbers: HashMap<String, usize>,
    /// The module from which entries are lowered on first use.
    module: Option<Arc<Module>>,
    names: ModuleNames,
    variables: ModuleVariables,
    assembled: Mutex<HashMap<Key, Arc<Assembled>>>,
    gaps: bool,
    verify: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    kernel: usize,
    block: [u32; 3],
    instrument: TypeId,
    wants: Wants,
    all_varying: bool,
}

/// An entry of the module, and the result of lowering it.
struct Entry {
    name: String,
    lowered: OnceLock<Result<Loaded, LoadError>>,
}

/// A kernel and its analyses for all launches.
struct Loaded {
    kernel: Arc<Kernel>,
    analyses: Arc<Analyses>,
}

impl Program {
    /// Loads a module; an unsupported entry is kept with the reason.
    ///
    /// # Errors
    /// If a variable cannot be allocated, or no entry can run, with the first reason.
    pub fn load(
        module: &Module,
        memory: &Arc<MemoryLock>,
        gaps: bool,
        verify: bool,
    ) -> Result<Program, LoadError> {
        let program = Program::placed(module, memory, gaps, verify)?;
        for (entry, of) in module.entries().zip(&program.entries) {
            of.lowered.get_or_init(|| program.lower(module, entry));
        }
        let refused = program.refused().next().map(|(_, error)| error.clone());
        match refused {
            Some(error) if program.entries().next().is_none() => Err(error),
            _ => Ok(program),
        }
    }

    /// As [`Program::load`], but an entry is lowered on first use: only then is it known whether it can run.
    ///
    /// # Errors
    /// When a variable cannot be placed.
    pub fn load_on_demand(
        module: &Arc<Module>,
        memory: &Arc<MemoryLock>,
        gaps: bool,
        verify: bool,
    ) -> Result<Program, LoadError> {
        let mut program = Program::placed(module, memory, gaps, verify)?;
        program.module = Some(Arc::clone(module));
        Ok(program)
    }

    /// A program whose variables are in memory, with no entry lowered yet.
    fn placed(
        module: &Module,
        memory: &Arc<MemoryLock>,
        gaps: bool,
        verify: bool,
    ) -> Result<Program, LoadError> {
        let entry = |entry: &Function| Entry { name: entry.name.clone(), lowered: OnceLock::new() };
        let entries: Vec<Entry> = module.entries().map(entry).collect();
        let numbers = entries.iter().enumerate().map(|(i, entry)| (entry.name.clone(), i));
        Ok(Program {
            numbers: numbers.collect(),
            entries,
            module: None,
            names: ModuleNames::new(module),
            variables: ModuleVariables::place(module, memory)?,
            assembled: Mutex::new(HashMap::new()),
            gaps,
            verify,
        })
    }

    /// The result of lowering an entry, which is lowered now if it was not; `None` if the module lacks the entry.
    fn lowered(&self, name: &str) -> Option<(usize, &Result<Loaded, LoadError>)> {
        let index = *self.numbers.get(name)?;
        let of = &self.entries[index];
        if let Some(known) = of.lowered.get() {
            return Some((index, known));
        }
        let module = self.module.as_ref()?;
        let entry = module.entry(name)?;
        Some((index, of.lowered.get_or_init(|| self.lower(module, entry))))
    }

    /// A kernel that can run, with its number.
    fn loaded(&self, name: &str) -> Option<(usize, &Loaded)> {
        let (index, lowered) = self.lowered(name)?;
        Some((index, lowered.as_ref().ok()?))
    }

    fn placed_module<'m>(&'m self, module: &'m Module) -> PlacedModule<'m> {
        PlacedModule { module, names: &self.names, addresses: self.variables.addresses() }
    }

    fn lower(&self, module: &Module, entry: &Function) -> Result<Loaded, LoadError> {
        let options = LoweringOptions { gaps: self.gaps, names: false };
        let kernel = Lowering::entry(self.placed_module(module), entry, options)?;
        let analyses = Analyses::new(&kernel);
        Ok(Loaded { kernel: Arc::new(kernel), analyses: Arc::new(analyses) })
    }

    /// The names of the kernels that can run.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        names.filter(|name| self.loaded(name).is_some())
    }

    /// The kernels that cannot run on the emulator, each with its first unsupported construct. Launching one
    /// returns the same reason.
    pub fn refused(&self) -> impl Iterator<Item = (&str, &LoadError)> {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        names.filter_map(|name| Some((name, self.refusal(name)?)))
    }

    /// Why a kernel cannot run on the emulator.
    pub fn refusal(&self, entry: &str) -> Option<&LoadError> {
        self.lowered(entry)?.1.as_ref().err()
    }

    /// The device functions of `module`, which this program was loaded from, that no entry reaches and that the
    /// emulator does not support, each with the reason.
    pub fn refused_functions(&self, module: &Module) -> Vec<(String, LoadError)> {
        lanework_ptx_ir::lower::unreached::refused_functions(self.placed_module(module))
    }

    /// The device address and size in bytes of a variable in global or constant memory.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.find(name)
    }

    /// Bytes of static shared memory that a kernel uses per block.
    pub fn static_shared(&self, entry: &str) -> Option<u32> {
        self.kernel(entry).map(|k| k.declared_shared)
    }

    /// A kernel by name.
    pub fn kernel(&self, entry: &str) -> Option<&Arc<Kernel>> {
        self.loaded(entry).map(|(_, loaded)| &loaded.kernel)
    }

    /// A kernel assembled for a block shape; made on first use.
    pub fn assembled(
        &self,
        entry: &str,
        block: [u32; 3],
        instrumentation: &Instrumentation,
        all_varying: bool,
    ) -> Option<Arc<Assembled>> {
        let (kernel, loaded) = self.loaded(entry)?;
        let (instrument, wants) = (instrumentation.id, instrumentation.wants);
        let key = Key { kernel, block, instrument, wants, all_varying };
        let mut cache = self.assembled.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache.entry(key).or_insert_with(|| {
            let how = (all_varying, self.verify);
            Arc::new(Assembled::new(
                (&loaded.kernel, &loaded.analyses),
                block,
                instrumentation,
                how,
            ))
        });
        Some(Arc::clone(found))
    }

    /// An estimate of the registers that a kernel needs.
    pub fn register_pressure(&self, entry: &str) -> Option<RegisterPressure> {
        let (_, loaded) = self.loaded(entry)?;
        Some(pressure(&loaded.kernel, &loaded.analyses))
    }

    /// Whether blocks of a kernel may poll memory that other blocks write.
    pub fn polls(&self, entry: &str) -> bool {
        self.loaded(entry).is_some_and(|(_, loaded)| loaded.analyses.polls)
    }

    /// The name of a kernel's instruction, as PTX writes it; the index is [`crate::instrument::event::Place::instruction`].
    pub fn instruction_name(&self, entry: &str, instruction: u32) -> Option<&str> {
        let kernel = self.kernel(entry)?;
        kernel.origins.get(instruction as usize).map(|o| o.name.as_str())
    }

    /// The source positions of a kernel's instructions, in the order of
    /// [`crate::instrument::event::Place::instruction`].
    pub fn origins(&self, entry: &str) -> &[lanework_ptx_ir::kernel::Origin] {
        self.kernel(entry).map_or(&[], |kernel| &kernel.origins)
    }

    /// The distinct instruction names of a kernel and of the functions it calls.
    pub fn instructions(&self, entry: &str) -> Option<Vec<&str>> {
        let kernel = self.kernel(entry)?;
        let mut names: Vec<&str> = kernel
            .insts
            .iter()
            .filter(|inst| kernel.origins[inst.origin as usize].text_line > 0)
            .map(|inst| kernel.origins[inst.origin as usize].name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// The source position of a kernel's instruction.
    pub fn location(&self, entry: &str, instruction: u32) -> Option<SourceLocation> {
        self.kernel(entry)?.origins.get(instruction as usize)?.location.clone()
    }

    /// How many of a kernel's registers the analysis found to be predicates, in scalar form, and varying, for a block
    /// shape.
    pub fn register_forms(&self, entry: &str, block: [u32; 3]) -> Option<[usize; 3]> {
        let assembled =
            self.assembled(entry, block, &Instrumentation::new(&NullObserver), false)?;
        Some(assembled.register_forms())
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.entries.iter().map(|entry| &entry.name);
        f.debug_struct("Program").field("entries", &names.collect::<Vec<_>>()).finish()
    }
}
