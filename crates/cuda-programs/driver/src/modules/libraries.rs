//! Libraries: images that are loaded into each context that uses one of their kernels.

use crate::api::api;
use crate::devices::contexts::{current, set_current};
use crate::modules::JitOptions;
use crate::modules::function::Function;
use crate::modules::module::Module;
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use lanework::ptx::Module as Ptx;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, Weak};

/// A library.
struct Library {
    /// PTX texts of the image, zero-terminated.
    texts: Vec<String>,
    /// Modules by the context that used them.
    modules: Mutex<BTreeMap<Handle, Handle>>,
    /// Kernel handles by name.
    kernels: Mutex<BTreeMap<String, Handle>>,
}

impl Driver {
    /// The library's module in the current context, loaded on first use.
    fn module_of(&self, library: &Library) -> Result<Handle> {
        let context = self.context()?.handle;
        let mut modules = lock(&library.modules);
        if let Some(&module) = modules.get(&context)
            && table::<Module>().find(module).is_some()
        {
            return Ok(module);
        }
        let loaded = self.load_texts(&library.texts, JitOptions::NONE)?;
        let module = table::<Module>().add(loaded);
        modules.insert(context, module);
        Ok(module)
    }

    /// The handle of a kernel by name.
    fn kernel_of(&self, handle: Handle, name: &str) -> Result<Handle> {
        let library = table::<Library>().get(handle)?;
        // A program may look up a kernel before it has a context. The module is then loaded in the context that
        // uses the kernel.
        let there = match current() {
            0 => library
                .texts
                .iter()
                .any(|text| Ptx::parse(text).is_ok_and(|module| module.entry(name).is_some())),
            _ => {
                let module = table::<Module>().get(self.module_of(&library)?)?;
                module.code.module().entry(name).is_some()
            }
        };
        if !there {
            return Err(Status::NotFound);
        }
        let mut kernels = lock(&library.kernels);
        if let Some(&known) = kernels.get(name) {
            return Ok(known);
        }
        let of: Weak<Library> = Arc::downgrade(&library);
        let source = Box::new(move || {
            let module = driver()?.module_of(&*of.upgrade().ok_or(Status::InvalidHandle)?)?;
            Ok((module, table::<Module>().get(module)?))
        });
        let kernel = table::<Function>().add(Function::new(source, handle, name));
        kernels.insert(name.to_owned(), kernel);
        Ok(kernel)
    }

    /// As [`Driver::module_of`]. Without a current context, uses the primary context of the first GPU: NVIDIA's
    /// runtime looks up managed variables there before the program makes a context current.
    fn module_anywhere(&self, library: &Library) -> Result<Arc<Module>> {
        if current() != 0 {
            return table::<Module>().get(self.module_of(library)?);
        }
        let primary = self.retain_primary(0)?;
        set_current(primary);
        let found = self.module_of(library);
        set_current(0);
        table::<Module>().get(found?)
    }

    fn variable_of(&self, library: Handle, name: &str) -> Result<(u64, u64)> {
        let module = self.module_of(&*table::<Library>().get(library)?)?;
        table::<Module>().get(module)?.code.variable(name).ok_or(Status::NotFound)
    }
}

/// Loads PTX as a library. If a context is current, compiles it immediately, so errors are reported here.
fn load(library: Out<'_, Handle>, texts: Vec<String>, options: JitOptions) -> Result {
    let driver = driver()?;
    let made = Library { texts, modules: Mutex::default(), kernels: Mutex::default() };
    if current() != 0 {
        let loaded = driver.load_texts(&made.texts, options)?;
        let module = table::<Module>().add(loaded);
        lock(&made.modules).insert(current(), module);
    }
    library.store(table::<Library>().add(made))
}

api! {
    fn cuLibraryLoadData(library: Out<'_, Handle>, image: In<'_, u8>, names: In<'_, i32>, values: Out<'_, *mut c_void>, count: u32, _options: In<'_, i32>, _of_options: In<'_, *const c_void>, _option_count: u32) {
        driver()?;
        let options = JitOptions { count, names, values };
        load(library, Driver::texts(image, options)?, options)
    }

    fn cuLibraryLoadFromFile(library: Out<'_, Handle>, file: Text<'_>, names: In<'_, i32>, values: Out<'_, *mut c_void>, count: u32, _options: In<'_, i32>, _of_options: In<'_, *const c_void>, _option_count: u32) {
        let options = JitOptions { count, names, values };
        load(library, Driver::texts_of_file(file.get()?, options)?, options)
    }

    fn cuLibraryUnload(library: Handle) {
        driver()?;
        let removed = table::<Library>().remove(library)?;
        for (_, module) in std::mem::take(&mut *lock(&removed.modules)) {
            // A reset of the context may already have removed the module.
            let _ = table::<Module>().remove(module);
        }
        Ok(())
    }

    fn cuLibraryGetKernel(kernel: Out<'_, Handle>, library: Handle, name: Text<'_>) {
        let found = driver()?.kernel_of(library, name.get()?)?;
        kernel.store(found)
    }

    fn cuLibraryGetKernelCount(count: Out<'_, u32>, library: Handle) {
        let module = driver()?.module_anywhere(&*table::<Library>().get(library)?)?;
        count.store(module.code.module().entries().count() as u32)
    }

    fn cuLibraryEnumerateKernels(kernels: Out<'_, Handle>, count: u32, library: Handle) {
        let driver = driver()?;
        let module = table::<Module>().get(driver.module_of(&*table::<Library>().get(library)?)?)?;
        for (index, entry) in module.code.module().entries().take(count as usize).enumerate() {
            let kernel = driver.kernel_of(library, &entry.name)?;
            // SAFETY: `take(count)` above stops at the length of the array that the caller passed.
            unsafe { kernels.at(index) }.store(kernel)?;
        }
        Ok(())
    }

    fn cuLibraryGetModule(module: Out<'_, Handle>, library: Handle) {
        let driver = driver()?;
        let found = driver.module_of(&*table::<Library>().get(library)?)?;
        module.store(found)
    }

    fn cuLibraryGetGlobal(address: Out<'_, u64>, bytes: Out<'_, usize>, library: Handle, name: Text<'_>) {
        let (at, length) = driver()?.variable_of(library, name.get()?)?;
        address.store_optional(at);
        bytes.store_optional(length as usize);
        Ok(())
    }

    fn cuLibraryGetManaged(address: Out<'_, u64>, bytes: Out<'_, usize>, library: Handle, name: Text<'_>) {
        let (driver, name) = (driver()?, name.get()?);
        let library = table::<Library>().get(library)?;
        let parsed = |text: &String| Ptx::parse(text).ok();
        let is_managed = |module: Ptx| {
            let mut named = module.variables().filter(|variable| variable.name == name);
            named.any(|variable| variable.attributes.iter().any(|one| one.contains("managed")))
        };
        if !library.texts.iter().filter_map(parsed).any(is_managed) {
            return Err(Status::NotFound);
        }
        let module = driver.module_anywhere(&library)?;
        let (at, length) = module.code.variable(name).ok_or(Status::NotFound)?;
        address.store_optional(at);
        bytes.store_optional(length as usize);
        Ok(())
    }

    fn cuKernelGetFunction(function: Out<'_, Handle>, kernel: Handle) {
        table::<Function>().get(kernel)?.module()?;
        // A kernel handle is a function handle; its module is the one in the current context.
        function.store(kernel)
    }

    fn cuKernelGetLibrary(library: Out<'_, Handle>, kernel: Handle) {
        let found = table::<Function>().get(kernel)?.library;
        library.store(found)
    }
}
