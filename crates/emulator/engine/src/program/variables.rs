//! A module's variables in device memory: placed and initialized when it is loaded, freed when it is dropped.

use crate::fault::LoadError;
use crate::instructions::allocate;
use crate::instructions::texture::object::{Object, Sampler};
use crate::memory::lock::MemoryLock;
use lanework_ptx::{Function, Initializer, Module, ScalarType, StateSpace};
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::lower::Unsupported;
use lanework_ptx_ir::module::constants::initial_bytes;
use lanework_ptx_ir::module::{StaticVariable, function_address, statics};
use std::collections::HashMap;
use std::sync::Arc;

/// The variables of a module, and the heap of its kernels if they use one.
pub struct ModuleVariables {
    addresses: HashMap<String, (MemorySpace, u64)>,
    sizes: HashMap<String, u64>,
    memory: Arc<MemoryLock>,
}

impl ModuleVariables {
    /// Allocates and initializes the variables of a module.
    ///
    /// # Errors
    /// If the memory does not suffice, or an initializer is not supported; then none of them stays allocated.
    pub fn place(module: &Module, memory: &Arc<MemoryLock>) -> Result<ModuleVariables, LoadError> {
        let (addresses, sizes) = (HashMap::new(), HashMap::new());
        let mut variables = ModuleVariables { addresses, sizes, memory: Arc::clone(memory) };
        variables.fill(module)?;
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

    fn fill(&mut self, module: &Module) -> Result<(), LoadError> {
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
        for StaticVariable { key, variable, .. } in &placed {
            let address = memory
                .allocate(variable.size(), &variable.name)
                .map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
            let space = match variable.space {
                StateSpace::Const => MemorySpace::Constant,
                _ => MemorySpace::Global,
            };
            memory.keep_for_module(address, space == MemorySpace::Constant);
            self.addresses.insert(key.clone(), (space, address));
            self.sizes.insert(key.clone(), variable.size());
        }
        let allocates = |f: &Function| f.body.is_none() && (f.name == "malloc" || f.name == "free");
        if module.functions().any(allocates) {
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
        for each @ StaticVariable { key, variable, .. } in &placed {
            let (_, address) = self.addresses[key];
            if variable.init.is_none() {
                memory
                    .fill(address, 0, variable.size())
                    .map_err(|e| refuse(&variable.name, e.to_string(), ""))?;
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
