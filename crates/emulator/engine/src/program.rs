//! Loaded modules: their kernels, lowered when they are loaded or first used, assembled code by block shape, and variables in
//! device memory, which are placed and initialized when the module is loaded and freed when it is dropped.

use crate::assemble::code::Assembled;
use crate::fault::{LoadError, SourceLocation};
use crate::instructions::allocate;
use crate::instructions::texture::object::{Object, Sampler};
use crate::instrument::event::Wants;
use crate::instrument::observer::{Instrumentation, NullObserver};
use crate::memory::MemoryLock;
use lanework_ptx::{Function, Initializer, Module, ScalarType, StateSpace};
use lanework_ptx_ir::analysis::{Analyses, RegisterPressure, pressure};
use lanework_ptx_ir::kernel::{Kernel, MemorySpace};
use lanework_ptx_ir::lower::{Lowering, LoweringOptions, Unsupported};
use lanework_ptx_ir::module::constants::initial_bytes;
use lanework_ptx_ir::module::{
    ModuleNames, PlacedModule, StaticVariable, function_address, statics,
};
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
        Program::load_restored(module, memory, (gaps, verify), &HashMap::new())
    }

    /// As [`Program::load`], but these variables are in memory already, at these addresses.
    ///
    /// # Errors
    /// As [`Program::load`].
    pub fn load_restored(
        module: &Module,
        memory: &Arc<MemoryLock>,
        (gaps, verify): (bool, bool),
        variables: &HashMap<String, u64>,
    ) -> Result<Program, LoadError> {
        let program = Program::placed(module, memory, (gaps, verify), variables)?;
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
        let mut program = Program::placed(module, memory, (gaps, verify), &HashMap::new())?;
        program.module = Some(Arc::clone(module));
        Ok(program)
    }

    /// A program whose variables are in memory, with no entry lowered yet.
    fn placed(
        module: &Module,
        memory: &Arc<MemoryLock>,
        (gaps, verify): (bool, bool),
        restored: &HashMap<String, u64>,
    ) -> Result<Program, LoadError> {
        let entry = |entry: &Function| Entry { name: entry.name.clone(), lowered: OnceLock::new() };
        let entries: Vec<Entry> = module.entries().map(entry).collect();
        let numbers = entries.iter().enumerate().map(|(i, entry)| (entry.name.clone(), i));
        Ok(Program {
            numbers: numbers.collect(),
            entries,
            module: None,
            names: ModuleNames::new(module),
            variables: ModuleVariables::place(module, memory, restored)?,
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

    /// The variables in global or constant memory, by their keys, with their addresses; and the heap of its kernels.
    pub fn variables(&self) -> impl Iterator<Item = (&str, u64)> {
        let all = self.variables.addresses().iter();
        all.map(|(key, (_, address))| (key.as_str(), *address))
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

/// The variables of a module, and the heap of its kernels if they use one.
pub struct ModuleVariables {
    addresses: HashMap<String, (MemorySpace, u64)>,
    sizes: HashMap<String, u64>,
    memory: Arc<MemoryLock>,
}

impl ModuleVariables {
    /// Allocates and initializes the variables of a module, except those that are in memory already, at these addresses.
    ///
    /// # Errors
    /// If the memory does not suffice, or an initializer is not supported; then none of them stays allocated.
    pub fn place(
        module: &Module,
        memory: &Arc<MemoryLock>,
        restored: &HashMap<String, u64>,
    ) -> Result<ModuleVariables, LoadError> {
        let (addresses, sizes) = (HashMap::new(), HashMap::new());
        let mut variables = ModuleVariables { addresses, sizes, memory: Arc::clone(memory) };
        variables.fill(module, restored)?;
        Ok(variables)
    }

    /// Their addresses by name, each with its memory.
    pub fn addresses(&self) -> &HashMap<String, (MemorySpace, u64)> {
        &self.addresses
    }

    /// Address and size of a variable.
    pub fn find(&self, name: &str) -> Option<(u64, u64)> {
        let (_, address) = self.addresses.get(name)?;
        Some((*address, self.sizes[name]))
    }

    fn fill(&mut self, module: &Module, restored: &HashMap<String, u64>) -> Result<(), LoadError> {
        let refuse = |name: &str, message: String, help: &str| LoadError {
            message: format!("variable `{name}`: {message}"),
            function: String::new(),
            location: None,
            text_file: None,
            text_line: 0,
            help: help.to_owned(),
        };
        let mut memory = self.memory.alone();
        let placed = statics(module);
        // A module that does not fit allocates nothing.
        let new = placed.iter().filter(|placed| !restored.contains_key(&placed.key));
        let sizes = new.map(|placed| placed.variable.size());
        let bytes = sizes.fold(0, u64::saturating_add);
        let free = memory.total() - memory.used();
        if bytes > free {
            let largest = placed.iter().max_by_key(|placed| placed.variable.size());
            let name = largest.map_or("", |placed| placed.variable.name.as_str());
            let message = format!(
                "the module's variables take {bytes} bytes, this one most of them; {free} of {} are free",
                memory.total()
            );
            return Err(refuse(name, message, "make them smaller, or allow more memory"));
        }
        for StaticVariable { key, variable, .. } in &placed {
            let address = match restored.get(key) {
                Some(address) => *address,
                None => {
                    let is_managed = variable.attributes.iter().any(|one| one.contains("managed"));
                    // Host code accesses managed variables, and tools watch that by protecting their pages.
                    let placed = match is_managed {
                        true => memory.allocate_pages(variable.size(), &variable.name),
                        false => memory.allocate(variable.size(), &variable.name),
                    };
                    placed.map_err(|e| refuse(&variable.name, e.to_string(), ""))?
                }
            };
            let space = match variable.space {
                StateSpace::Const => MemorySpace::Constant,
                _ => MemorySpace::Global,
            };
            memory.keep_for_module(address, space == MemorySpace::Constant);
            self.addresses.insert(key.clone(), (space, address));
            self.sizes.insert(key.clone(), variable.size());
        }
        let allocates = |f: &Function| f.body.is_none() && (f.name == "malloc" || f.name == "free");
        let heap = restored.get(allocate::NAME);
        if let Some(address) = heap {
            self.addresses.insert(allocate::NAME.to_owned(), (MemorySpace::Global, *address));
        } else if module.functions().any(allocates) {
            let refuse = |error: crate::fault::MemoryError| LoadError {
                message: format!("{}: {error}", allocate::NAME),
                function: String::new(),
                location: None,
                text_file: None,
                text_line: 0,
                help: "make the emulator with a larger `limits.memory`".to_owned(),
            };
            let address = memory.allocate(allocate::BYTES, allocate::NAME).map_err(refuse)?;
            memory.keep_for_module(address, false);
            memory.write(address, &allocate::empty()).map_err(refuse)?;
            self.addresses.insert(allocate::NAME.to_owned(), (MemorySpace::Global, address));
        }
        let new = placed.iter().filter(|placed| !restored.contains_key(&placed.key));
        for each @ StaticVariable { key, variable, .. } in new {
            let (_, address) = self.addresses[key];
            if variable.init.is_none() {
                memory
                    .fill(address, 0, variable.size())
                    .map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
                if variable.space == StateSpace::Const {
                    // A kernel cannot set it, so the program should.
                    memory.forget(address, &[(0, variable.size())]);
                }
                continue;
            }
            let find = |name: &str| {
                let variable = self.addresses.get(name).map(|(_, address)| *address);
                variable.or_else(|| function_address(module, name))
            };
            if let (ScalarType::Samplerref, Some(Initializer::Fields(fields))) =
                (variable.ty, &variable.init)
            {
                let unknown = "a field of the sampler that the emulator does not know";
                let sampler = Sampler::of_fields(fields)
                    .ok_or_else(|| refuse(&variable.name, unknown.to_owned(), ""))?;
                let made = memory.objects.make(Object::Sampler(sampler));
                let written = made.and_then(|made| memory.write(address, &made.to_le_bytes()));
                written.map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
                continue;
            }
            let bytes = initial_bytes(variable, &|name| each.resolve(name, &find))
                .map_err(|Unsupported { message, help }| refuse(&variable.name, message, &help))?;
            memory.write(address, &bytes).map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
        }
        Ok(())
    }
}

impl Drop for ModuleVariables {
    fn drop(&mut self) {
        let mut memory = self.memory.alone();
        for (_, address) in self.addresses.values() {
            // A variable that the host freed by hand is gone already.
            let _ = memory.free(*address);
        }
    }
}
