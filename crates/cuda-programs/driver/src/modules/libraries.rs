//! Libraries: images that are loaded into each context where one of their kernels is used.

use crate::api::api;
use crate::devices::contexts::current;
use crate::handles::Handle;
use crate::lock::lock;
use crate::modules::function::Function;
use crate::modules::jit_options::JitOptions;
use crate::modules::module::Module;
use crate::pointers::{offer, store, text};
use crate::state::{Driver, driver, table};
use crate::status::{Result, Status};
use lanework::ptx::Module as Ptx;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, Weak};

/// A library.
pub struct Library {
    /// The PTX of the image, ended by zero bytes.
    texts: Vec<String>,
    /// The module of each context where it was used.
    modules: Mutex<BTreeMap<Handle, Handle>>,
    /// The handles of kernels that were asked for, by name.
    kernels: Mutex<BTreeMap<String, Handle>>,
}

impl Driver {
    /// The module of a library in the current context.
    pub fn module_of(&self, library: &Library) -> Result<Handle> {
        let context = self.context()?.handle;
        let mut modules = lock(&library.modules);
        if let Some(&module) = modules.get(&context)
            && table::<Module>().find(module).is_some()
        {
            return Ok(module);
        }
        // SAFETY: there are no options.
        let loaded = unsafe { self.load_texts(&library.texts, JitOptions::NONE) }?;
        let module = table::<Module>().add(loaded);
        modules.insert(context, module);
        Ok(module)
    }

    /// The kernel of a name of a library.
    fn kernel_of(&self, handle: Handle, name: &str) -> Result<Handle> {
        let library = table::<Library>().get(handle)?;
        // A program may ask before it has a context; the module is then made where the kernel is used.
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

    fn variable_of(&self, library: Handle, name: &str) -> Result<(u64, u64)> {
        let module = self.module_of(&*table::<Library>().get(library)?)?;
        table::<Module>().get(module)?.code.variable(name).ok_or(Status::NotFound)
    }
}

/// Loads the PTX of an image as a library. Where a context is current it is compiled now, so that errors are told here.
///
/// # Safety
/// As [`Driver::texts`].
unsafe fn load(library: *mut Handle, texts: Vec<String>, options: JitOptions) -> Result {
    let driver = driver()?;
    let made = Library { texts, modules: Mutex::default(), kernels: Mutex::default() };
    if current() != 0 {
        // SAFETY: by the caller.
        let loaded = unsafe { driver.load_texts(&made.texts, options) }?;
        let module = table::<Module>().add(loaded);
        lock(&made.modules).insert(current(), module);
    }
    // SAFETY: by the caller.
    unsafe { store(library, table::<Library>().add(made)) }
}

api! {
    fn cuLibraryLoadData(library: *mut Handle, image: *const c_void, names: *const i32, values: *mut *mut c_void, count: u32, _options: *const i32, _of_options: *const *const c_void, _option_count: u32) {
        driver()?;
        let options = JitOptions { count, names, values };
        // SAFETY: by the caller.
        unsafe { load(library, Driver::texts(image, options)?, options) }
    }

    fn cuLibraryLoadFromFile(library: *mut Handle, file: *const c_char, names: *const i32, values: *mut *mut c_void, count: u32, _options: *const i32, _of_options: *const *const c_void, _option_count: u32) {
        // SAFETY: by the caller.
        let options = JitOptions { count, names, values };
        // SAFETY: by the caller.
        unsafe { load(library, Driver::texts_of_file(text(file)?, options)?, options) }
    }

    fn cuLibraryUnload(library: Handle) {
        driver()?;
        let removed = table::<Library>().remove(library)?;
        for (_, module) in std::mem::take(&mut *lock(&removed.modules)) {
            // Gone already where the context was reset.
            let _ = table::<Module>().remove(module);
        }
        Ok(())
    }

    fn cuLibraryGetKernel(kernel: *mut Handle, library: Handle, name: *const c_char) {
        // SAFETY: by the caller.
        let found = driver()?.kernel_of(library, unsafe { text(name) }?)?;
        // SAFETY: by the caller.
        unsafe { store(kernel, found) }
    }

    fn cuLibraryGetKernelCount(count: *mut u32, library: Handle) {
        let driver = driver()?;
        let module = table::<Module>().get(driver.module_of(&*table::<Library>().get(library)?)?)?;
        // SAFETY: by the caller.
        unsafe { store(count, module.code.module().entries().count() as u32) }
    }

    fn cuLibraryEnumerateKernels(kernels: *mut Handle, count: u32, library: Handle) {
        let driver = driver()?;
        let module = table::<Module>().get(driver.module_of(&*table::<Library>().get(library)?)?)?;
        for (index, entry) in module.code.module().entries().take(count as usize).enumerate() {
            let kernel = driver.kernel_of(library, &entry.name)?;
            // SAFETY: by the caller.
            unsafe { store(kernels.add(index), kernel) }?;
        }
        Ok(())
    }

    fn cuLibraryGetModule(module: *mut Handle, library: Handle) {
        let driver = driver()?;
        let found = driver.module_of(&*table::<Library>().get(library)?)?;
        // SAFETY: by the caller.
        unsafe { store(module, found) }
    }

    fn cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char) {
        // SAFETY: by the caller.
        let (at, length) = driver()?.variable_of(library, unsafe { text(name) }?)?;
        // SAFETY: by the caller.
        unsafe {
            offer(address, at);
            offer(bytes, length as usize);
        }
        Ok(())
    }

    fn cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: Handle, name: *const c_char) {
        // SAFETY: by the caller.
        let (at, length) = driver()?.variable_of(library, unsafe { text(name) }?)?;
        // SAFETY: by the caller.
        unsafe {
            offer(address, at);
            offer(bytes, length as usize);
        }
        Ok(())
    }

    fn cuKernelGetFunction(function: *mut Handle, kernel: Handle) {
        table::<Function>().get(kernel)?.module()?;
        // A kernel is a function whose module is that of the current context.
        // SAFETY: by the caller.
        unsafe { store(function, kernel) }
    }

    fn cuKernelGetLibrary(library: *mut Handle, kernel: Handle) {
        let found = table::<Function>().get(kernel)?.library;
        // SAFETY: by the caller.
        unsafe { store(library, found) }
    }
}
