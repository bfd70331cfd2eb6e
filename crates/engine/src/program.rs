//! Loaded modules: their kernels, their variables in device memory, and assembled code by block shape.

use crate::assemble::verify::{Violation, verify, verify_wide};
use crate::assemble::{Code, Want, assemble};
use crate::attached::Instrumentation;
use crate::fault::{LoadError, SourceLocation};
use crate::handler::best_tier;
use crate::heap;
use crate::hook::Wants;
use crate::instrument::NullObserver;
use crate::memory_lock::MemoryLock;
use crate::texture::object::{Object, Sampler};
use lanework_ptx::{Function, Initializer, Module, ScalarType, StateSpace};
use lanework_ptx_ir::analyses::Analyses;
use lanework_ptx_ir::indirect::function_address;
use lanework_ptx_ir::initial::initial_bytes;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace, Width};
use lanework_ptx_ir::lower::{Lowering, LoweringOptions, Unsupported};
use lanework_ptx_ir::pressure::{RegisterPressure, pressure};
use lanework_ptx_ir::statics::{Static, statics};
use lanework_ptx_ir::types::Class;
use lanework_ptx_ir::uniformity::Uniformity;
use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Most instructions times registers of a kernel: the analysis keeps a bit for each register at each
/// block, so this bounds its memory to half a gigabyte at the worst.
const MOST_WORK: u64 = 1 << 32;

/// A loaded module. Its variables live in device memory until it is dropped.
pub struct Program {
    entries: Vec<Entry>,
    /// What entries are lowered from when they are first used.
    module: Option<Arc<Module>>,
    globals: HashMap<String, (MemorySpace, u64)>,
    sizes: HashMap<String, u64>,
    memory: Arc<MemoryLock>,
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

/// An entry of the module, and what came of lowering it.
struct Entry {
    name: String,
    lowered: OnceLock<Result<Loaded, LoadError>>,
}

/// A kernel and what is found about it for all launches.
struct Loaded {
    kernel: Arc<Kernel>,
    analyses: Arc<Analyses>,
}

/// A kernel assembled for a block shape.
pub struct Assembled {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// The code that warps start in.
    pub code: Code,
    /// Registers that may be read before they are written, to be zeroed.
    pub undefined: Vec<u32>,
    analyses: Arc<Analyses>,
    uniformity: Uniformity,
    want: Want,
    verify: bool,
    wide: OnceLock<Code>,
}

/// Code that the verifier refuses must not run: what is wrong is the assembler, not the kernel.
#[allow(clippy::panic, reason = "an internal error, caught where the emulator is entered")]
fn hold(verified: Result<(), Violation>) {
    if let Err(violation) = verified {
        panic!("{violation}");
    }
}

impl Assembled {
    fn new(
        loaded: &Loaded,
        block: [u32; 3],
        instrumentation: &Instrumentation,
        (all_varying, verified): (bool, bool),
    ) -> Assembled {
        let (kernel, analyses) = (Arc::clone(&loaded.kernel), Arc::clone(&loaded.analyses));
        let uniformity = if all_varying {
            Uniformity::all_varying(&kernel)
        } else {
            Uniformity::of(&kernel, &analyses, block)
        };
        let instrumentation = *instrumentation;
        let plan = (instrumentation.plan)(&kernel, &analyses);
        let want = Want { tier: best_tier(), instrumentation, plan, first_site: 0 };
        let code = assemble(&kernel, &analyses, &uniformity, &uniformity, want.clone());
        if verified {
            hold(verify(&kernel, &code, 0));
        }
        let undefined = analyses.read_unwritten(&kernel).map(|r| r as u32).collect();
        let (verify, wide) = (verified, OnceLock::new());
        Assembled { kernel, code, undefined, analyses, uniformity, want, verify, wide }
    }

    /// An estimate of the registers that it needs.
    pub fn register_pressure(&self) -> RegisterPressure {
        pressure(&self.kernel, &self.analyses)
    }

    /// Whether blocks may wait in a loop for what other blocks write.
    pub fn polls(&self) -> bool {
        self.analyses.polls
    }

    /// The same code with every register varying: operation for operation the same.
    pub fn wide(&self) -> &Code {
        self.wide.get_or_init(|| {
            let all = Uniformity::all_varying(&self.kernel);
            let want = Want { first_site: self.code.sites.len() as u32, ..self.want.clone() };
            let first_site = want.first_site;
            let wide = assemble(&self.kernel, &self.analyses, &all, &self.uniformity, want);
            if self.verify {
                hold(verify(&self.kernel, &wide, first_site));
                hold(verify_wide(&self.kernel, &self.code, &wide));
            }
            wide
        })
    }
}

impl Program {
    /// Loads a module; an entry that cannot run is kept with the reason.
    ///
    /// # Errors
    /// When a variable cannot be placed, or no entry can run: the first reason then.
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

    /// As [`Program::load`], but an entry is lowered when it is first used: whether it can run is known then.
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

    /// A program whose variables are in memory, and no entry is lowered.
    fn placed(
        module: &Module,
        memory: &Arc<MemoryLock>,
        gaps: bool,
        verify: bool,
    ) -> Result<Program, LoadError> {
        let entry = |entry: &Function| Entry { name: entry.name.clone(), lowered: OnceLock::new() };
        let mut program = Program {
            entries: module.entries().map(entry).collect(),
            module: None,
            globals: HashMap::new(),
            sizes: HashMap::new(),
            memory: Arc::clone(memory),
            assembled: Mutex::new(HashMap::new()),
            gaps,
            verify,
        };
        program.place_variables(module)?;
        Ok(program)
    }

    /// What came of lowering an entry, which is done now where it was not; nothing where there is no such entry.
    fn lowered(&self, name: &str) -> Option<(usize, &Result<Loaded, LoadError>)> {
        let index = self.entries.iter().position(|entry| entry.name == name)?;
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

    fn lower(&self, module: &Module, entry: &Function) -> Result<Loaded, LoadError> {
        let options = LoweringOptions { gaps: self.gaps, names: false };
        let kernel = Lowering::entry(module, entry, &self.globals, options)?;
        if kernel.insts.len() as u64 * kernel.registers.len() as u64 > MOST_WORK {
            return Err(LoadError {
                message: "the kernel is too large to analyse".to_owned(),
                function: kernel.name,
                location: None,
                text_file: None,
                text_line: 0,
                help: "split it into smaller kernels".to_owned(),
            });
        }
        let analyses = Analyses::of(&kernel);
        Ok(Loaded { kernel: Arc::new(kernel), analyses: Arc::new(analyses) })
    }

    fn place_variables(&mut self, module: &Module) -> Result<(), LoadError> {
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
        // Nothing is allocated for a module that does not fit.
        let sizes = placed.iter().map(|placed| placed.variable.size());
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
        for Static { key, variable, .. } in &placed {
            let address = memory
                .allocate(variable.size(), &variable.name)
                .map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
            let space = match variable.space {
                StateSpace::Const => MemorySpace::Constant,
                _ => MemorySpace::Global,
            };
            memory.keep_for_module(address, space == MemorySpace::Constant);
            self.globals.insert(key.clone(), (space, address));
            self.sizes.insert(key.clone(), variable.size());
        }
        let allocates = |f: &Function| f.body.is_none() && (f.name == "malloc" || f.name == "free");
        if module.functions().any(allocates) {
            let refuse = |error: crate::fault::MemoryError| LoadError {
                message: format!("{}: {error}", heap::NAME),
                function: String::new(),
                location: None,
                text_file: None,
                text_line: 0,
                help: "make the emulator with a larger `limits.memory`".to_owned(),
            };
            let address = memory.allocate(heap::BYTES, heap::NAME).map_err(refuse)?;
            memory.keep_for_module(address, false);
            memory.write(address, &heap::empty()).map_err(refuse)?;
            self.globals.insert(heap::NAME.to_owned(), (MemorySpace::Global, address));
        }
        for each @ Static { key, variable, .. } in &placed {
            let (_, address) = self.globals[key];
            if variable.init.is_none() {
                memory
                    .fill(address, 0, variable.size())
                    .map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
                continue;
            }
            let find = |name: &str| {
                let variable = self.globals.get(name).map(|(_, address)| *address);
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

    /// The names of the kernels that can run.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        names.filter(|name| self.loaded(name).is_some())
    }

    /// The kernels that cannot run on the emulator, each with the first thing in it that the emulator
    /// does not know. Launching one gives the same reason.
    pub fn refused(&self) -> impl Iterator<Item = (&str, &LoadError)> {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        names.filter_map(|name| Some((name, self.refusal(name)?)))
    }

    /// Why a kernel cannot run on the emulator.
    pub fn refusal(&self, entry: &str) -> Option<&LoadError> {
        self.lowered(entry)?.1.as_ref().err()
    }

    /// The device functions of `module`, which this program was loaded from, that no entry reaches and that
    /// the emulator does not know, each with the reason.
    pub fn refused_functions(&self, module: &Module) -> Vec<(String, LoadError)> {
        lanework_ptx_ir::unreached::refused_functions(module, &self.globals)
    }

    /// The device address and size in bytes of a variable in global or constant memory.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        let (_, address) = self.globals.get(name)?;
        Some((*address, self.sizes[name]))
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
            Arc::new(Assembled::new(loaded, block, instrumentation, how))
        });
        Some(Arc::clone(found))
    }

    /// An estimate of the registers that a kernel needs.
    pub fn register_pressure(&self, entry: &str) -> Option<RegisterPressure> {
        let (_, loaded) = self.loaded(entry)?;
        Some(pressure(&loaded.kernel, &loaded.analyses))
    }

    /// Whether blocks of a kernel may wait in a loop for what other blocks write.
    pub fn polls(&self, entry: &str) -> bool {
        self.loaded(entry).is_some_and(|(_, loaded)| loaded.analyses.polls)
    }

    /// The name of a kernel's instruction, as PTX writes it; the index is [`crate::event::Place::instruction`].
    pub fn instruction_name(&self, entry: &str, instruction: u32) -> Option<&str> {
        let kernel = self.kernel(entry)?;
        kernel.origins.get(instruction as usize).map(|o| o.name.as_str())
    }

    /// Where a kernel's instructions come from, in the order of [`crate::event::Place::instruction`].
    pub fn origins(&self, entry: &str) -> &[lanework_ptx_ir::kernel::Origin] {
        self.kernel(entry).map_or(&[], |kernel| &kernel.origins)
    }

    /// The names of the instructions of a kernel and of what it calls, each once.
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

    /// How many of a kernel's registers are predicates, scalar in form, and varying for a block shape:
    /// what the analysis found.
    pub fn register_forms(&self, entry: &str, block: [u32; 3]) -> Option<[usize; 3]> {
        let assembled = self.assembled(entry, block, &Instrumentation::of(&NullObserver), false)?;
        let mut forms = [0; 3];
        for (register, class) in
            assembled.kernel.registers.iter().zip(assembled.uniformity.classes())
        {
            let form = match (register.width, class) {
                (Width::Predicate, _) => 0,
                (_, Class::Varying) => 2,
                _ => 1,
            };
            forms[form] += 1;
        }
        Some(forms)
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.entries.iter().map(|entry| &entry.name);
        f.debug_struct("Program").field("entries", &names.collect::<Vec<_>>()).finish()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let mut memory = self.memory.alone();
        for (_, address) in self.globals.values() {
            // A variable that the host freed by hand is gone already.
            let _ = memory.free(*address);
        }
    }
}
