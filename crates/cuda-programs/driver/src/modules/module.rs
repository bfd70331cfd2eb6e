//! Modules: PTX loaded into a context, with its kernels and variables.

use crate::api::{api, warn};
use crate::devices::gpus::{Model, model};
use crate::graphs::conditional::SET;
use crate::launches::device_launch;
use crate::memory::{Access, is_mapped};
use crate::modules::fatbin::ImageError;
use crate::modules::foreign::say_refused;
use crate::modules::function::Function;
use crate::modules::kernel_entry::KernelEntry;
use crate::modules::managed_variables::ManagedVariables;
use crate::modules::{JitOptions, fatbin};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status};
use crate::textures::references;
use lanework::ptx::{LinkError, Linkage, Linker, Module as Ptx, Specific, Target};
use lanework::{Error, PtxModule};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// A loaded module.
pub struct Module {
    pub context: Handle,
    pub code: PtxModule,
    /// Function handles by name.
    pub functions: Mutex<BTreeMap<String, Handle>>,
    /// Texture and surface reference handles by variable name.
    pub references: Mutex<BTreeMap<String, Handle>>,
    /// Cached kernel properties by name.
    entries: Mutex<BTreeMap<String, Arc<KernelEntry>>>,
    /// Locked while a kernel with device launches and all its children run.
    pub launching: Mutex<()>,
    /// Its variables that the host can access.
    _managed: ManagedVariables,
}

impl Module {
    pub fn new(context: Handle, code: PtxModule) -> Module {
        Module {
            context,
            _managed: ManagedVariables::of(&code),
            code,
            functions: Mutex::default(),
            references: Mutex::default(),
            entries: Mutex::default(),
            launching: Mutex::default(),
        }
    }

    /// Properties of a kernel, cached.
    pub fn entry(&self, name: &str) -> Result<Arc<KernelEntry>> {
        if let Some(known) = lock(&self.entries).get(name) {
            return Ok(known.clone());
        }
        let found = Arc::new(KernelEntry::find(&self.code, name).ok_or(Status::NotFound)?);
        lock(&self.entries).insert(name.to_owned(), found.clone());
        Ok(found)
    }
}

/// Minimum size of an image: PTX starts with its version.
const IMAGE: usize = 8;

impl Driver {
    /// PTX texts of an image in memory.
    pub fn texts(image: In<'_, u8>, options: JitOptions) -> Result<Vec<String>> {
        if !is_mapped(image.as_ptr() as u64, IMAGE, Access::Read) {
            return Err(Status::InvalidValue);
        }
        let found = fatbin::texts(image);
        found.map_err(|refused| Driver::refuse(image.as_ptr() as usize, &refused, options))
    }

    /// PTX texts of a file.
    pub fn texts_of_file(name: &str, options: JitOptions) -> Result<Vec<String>> {
        let image = read_file(name)?;
        let found = fatbin::texts_of_file(&image);
        let at = image.as_ptr() as usize;
        found.map_err(|refused| Driver::refuse(at, &refused, options))
    }

    /// Reports why an image is refused.
    fn refuse(image: usize, refused: &ImageError, options: JitOptions) -> Status {
        say_refused(image, refused);
        if refused.status() == Status::NoBinaryForGpu {
            lanework::tool::unchecked(&format!(
                "kernels of machine code were not checked: {refused}"
            ));
        }
        options.outputs().write("", &refused.to_string());
        refused.status()
    }

    /// Compiles PTX in the current context.
    pub fn load_texts(&self, texts: &[String], options: JitOptions) -> Result<Module> {
        let context = self.context()?.handle;
        self.finish_detached()?;
        let (began, outputs) = (Instant::now(), options.outputs());
        let compiled = match self.compile(texts) {
            Ok(code) if code.module().undefined().is_empty() => Ok(code),
            Ok(code) => missing(texts).map_or(Ok(code), Err),
            Err(error) => Err(missing(texts).unwrap_or(error)),
        };
        let compiled = compiled.and_then(|code| runs_on(model(), code));
        let told = compiled.as_ref().err().map(ToString::to_string).unwrap_or_default();
        outputs.write("", &told);
        outputs.write_time(began.elapsed());
        let code = compiled.map_err(|error| {
            warn("a module is not loaded", &error);
            match error {
                Error::Ptx(_) if texts.iter().any(|text| is_newer(text)) => {
                    Status::UnsupportedPtxVersion
                }
                Error::Ptx(_) | Error::Request { .. } => Status::InvalidPtx,
                Error::Memory(_) => Status::OutOfMemory,
                _ => Status::NoBinaryForGpu,
            }
        })?;
        Ok(Module::new(context, code))
    }

    fn compile(&self, texts: &[String]) -> lanework::Result<PtxModule> {
        // Functions that NVIDIA's driver provides for kernels.
        let has = |called: &dyn Fn(&str) -> bool| texts.iter().any(|text| called(text));
        let mut given = Vec::new();
        if has(&|text| text.contains("cudaGraphSetConditional")) {
            given.push(SET.to_owned());
        }
        if has(&device_launch::is_called) {
            given.push(device_launch::calls());
        }
        let all: Vec<String>;
        let texts = if given.is_empty() {
            texts
        } else {
            all = texts.iter().cloned().chain(given).collect();
            &all
        };
        let parts: Vec<(String, &str)> = needed(texts)
            .into_iter()
            .enumerate()
            .map(|(index, text)| (format!("part {index}"), text))
            .collect();
        let parts: Vec<(&str, &str)> =
            parts.iter().map(|(name, text)| (name.as_str(), *text)).collect();
        self.device.load_on_demand(&parts)
    }

    /// The handle of a module's function.
    fn function_of(&self, handle: Handle, name: &str) -> Result<Handle> {
        let module = table::<Module>().get(handle)?;
        if module.code.module().entry(name).is_none() {
            return Err(Status::NotFound);
        }
        let mut functions = lock(&module.functions);
        if let Some(&known) = functions.get(name) {
            return Ok(known);
        }
        let weak = Arc::downgrade(&module);
        let source = Box::new(move || Ok((handle, weak.upgrade().ok_or(Status::InvalidHandle)?)));
        let function = table::<Function>().add(Function::new(source, 0, name));
        functions.insert(name.to_owned(), function);
        Ok(function)
    }
}

/// Refuses a module that the named GPU cannot run.
fn runs_on(model: &Model, code: PtxModule) -> lanework::Result<PtxModule> {
    let target = &code.module().target;
    let (wanted, own) = (target.architecture, model.architecture());
    let runs = match target.specific {
        Specific::Portable => wanted <= own,
        Specific::Family => wanted <= own && wanted / 10 == own / 10,
        Specific::Architecture => wanted == own,
    };
    if runs || !model.named {
        return Ok(code);
    }
    let [why, help] = fatbin::newer(&Target { options: Vec::new(), ..target.clone() }.to_string());
    Err(Error::Request { why, help })
}

/// The linker's error for undefined or duplicate symbols.
fn missing(texts: &[String]) -> Option<Error> {
    let mut linker = Linker::default();
    for (index, text) in texts.iter().enumerate() {
        linker.add(&format!("part {index}"), text, None).ok()?;
    }
    linker.link().err().map(|LinkError { message, help }| Error::Request { why: message, help })
}

/// The texts to link. Texts that only define functions are libraries, linked only if a linked text calls them. So
/// NVIDIA's device runtime, which separate compilation adds to every program, is linked only if it is used.
fn needed(texts: &[String]) -> Vec<&str> {
    let all = || texts.iter().map(String::as_str).collect();
    if texts.len() < 2 {
        return all();
    }
    let parsed: std::result::Result<Vec<Ptx>, _> =
        texts.iter().map(|text| Ptx::parse(text)).collect();
    // The linker reports invalid texts.
    let Ok(modules) = parsed else { return all() };
    let shown = |linkage: Linkage| !matches!(linkage, Linkage::Extern | Linkage::Internal);
    let is_library = |module: &Ptx| {
        module.functions().any(|f| !f.entry && f.body.is_some() && shown(f.linkage))
            && !module.entries().any(|entry| shown(entry.linkage))
            && !module.variables().any(|variable| shown(variable.linkage))
    };
    let mut kept: Vec<bool> = modules.iter().map(|module| !is_library(module)).collect();
    loop {
        let wanted: BTreeSet<&str> = modules
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| **kept)
            .flat_map(|(module, _)| module.functions().filter(|function| function.body.is_none()))
            .map(|function| function.name.as_str())
            .collect();
        let defines = |module: &Ptx| {
            module.functions().any(|f| f.body.is_some() && wanted.contains(f.name.as_str()))
        };
        let next = modules.iter().enumerate().position(|(i, module)| !kept[i] && defines(module));
        match next {
            Some(found) => kept[found] = true,
            None => break,
        }
    }
    texts.iter().zip(kept).filter(|(_, kept)| *kept).map(|(text, _)| text.as_str()).collect()
}

/// Loads an image and stores its handle.
fn load(module: Out<'_, Handle>, image: In<'_, u8>, options: JitOptions) -> Result {
    driver()?;
    keep(module, &Driver::texts(image, options)?, options)
}

/// Compiles PTX and stores the module's handle.
fn keep(module: Out<'_, Handle>, texts: &[String], options: JitOptions) -> Result {
    let loaded = driver()?.load_texts(texts, options)?;
    module.store(table::<Module>().add(loaded))
}

/// Reads a regular file of at most 4 GiB.
pub fn read_file(name: &str) -> Result<Vec<u8>> {
    let file = std::fs::metadata(name).map_err(|_| Status::FileNotFound)?;
    if !file.is_file() || file.len() > 1 << 32 {
        return Err(Status::FileNotFound);
    }
    std::fs::read(name).map_err(|_| Status::FileNotFound)
}

/// The newest major version of PTX that the driver knows.
const NEWEST: u32 = 9;

/// Whether the version of a PTX text is not known yet.
fn is_newer(text: &str) -> bool {
    let version = text.split_once(".version").map_or("", |(_, rest)| rest.trim_start());
    let major =
        version.split(['.', '\n']).next().and_then(|major| major.trim().parse::<u32>().ok());
    major.is_some_and(|major| major > NEWEST)
}

api! {
    fn cuModuleLoad(module: Out<'_, Handle>, file: Text<'_>) {
        let texts = Driver::texts_of_file(file.get()?, JitOptions::NONE)?;
        keep(module, &texts, JitOptions::NONE)
    }

    fn cuModuleLoadData(module: Out<'_, Handle>, image: In<'_, u8>) {
        load(module, image, JitOptions::NONE)
    }

    fn cuModuleLoadDataEx(module: Out<'_, Handle>, image: In<'_, u8>, count: u32, names: In<'_, i32>, values: Out<'_, *mut c_void>) {
        load(module, image, JitOptions { count, names, values })
    }

    fn cuModuleLoadFatBinary(module: Out<'_, Handle>, image: In<'_, u8>) {
        load(module, image, JitOptions::NONE)
    }

    fn cuModuleUnload(module: Handle) {
        driver()?.context()?;
        references::end_all(&*table::<Module>().remove(module)?);
        Ok(())
    }

    fn cuModuleGetLoadingMode(mode: Out<'_, i32>) {
        // 1 eager, 2 lazy.
        mode.store(2)
    }

    fn cuModuleGetFunction(function: Out<'_, Handle>, module: Handle, name: Text<'_>) {
        let driver = driver()?;
        driver.context()?;
        let name = name.get()?;
        if name.is_empty() {
            return Err(Status::InvalidValue);
        }
        function.store(driver.function_of(module, name)?)
    }

    fn cuModuleGetFunctionCount(count: Out<'_, u32>, module: Handle) {
        let module = table::<Module>().get(module)?;
        count.store(module.code.module().entries().count() as u32)
    }

    fn cuModuleEnumerateFunctions(functions: Out<'_, Handle>, count: u32, module: Handle) {
        let driver = driver()?;
        let loaded = table::<Module>().get(module)?;
        for (index, entry) in loaded.code.module().entries().take(count as usize).enumerate() {
            let function = driver.function_of(module, &entry.name)?;
            // SAFETY: `take(count)` above stops at the length of the array that the caller passed.
            unsafe { functions.at(index) }.store(function)?;
        }
        Ok(())
    }

    fn cuModuleGetGlobal_v2(address: Out<'_, u64>, bytes: Out<'_, usize>, module: Handle, name: Text<'_>) {
        let name = name.get()?;
        let module = table::<Module>().get(module)?;
        // Kernels are not variables.
        if name.is_empty() || module.code.module().entry(name).is_some() || address.is_null() && bytes.is_null() {
            return Err(Status::InvalidValue);
        }
        let (at, length) = module.code.variable(name).ok_or(Status::NotFound)?;
        address.store_optional(at);
        bytes.store_optional(length as usize);
        Ok(())
    }
}
