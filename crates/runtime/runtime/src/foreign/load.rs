//! Loading of PTX text as a module of a device: one text, or several linked; all of it, or each entry on first use.

use super::{Code, PtxModule};
use crate::device::{Device, Engine};
use crate::foreign::parsed;
use crate::tool::Session;
use crate::{Error, Result};
use lanework_ptx::Module;
use std::sync::Arc;

impl Device {
    /// Links texts of PTX, each with its file name, and loads the result: a name that one text declares `.extern`
    /// is defined by another. Instructions without a `.loc` get one that names their file.
    ///
    /// # Errors
    /// The errors of [`Device::load_ptx`]; [`Error::Request`] if the texts cannot be linked, such as when
    /// two define a name.
    pub fn load_linked(&self, texts: &[(&str, &str)]) -> Result<PtxModule> {
        self.load_ptx(&linked(texts)?)
    }

    /// As [`Device::load_ptx`] of one text or [`Device::load_linked`] of several, for large modules whose entries a program uses in part: an
    /// entry is decoded when it is first used, and one that the emulator does not support is an error of its launch. A text whose module
    /// lives is not read again, and one of 16 KiB or more that another process has checked is not checked again: such texts are kept in
    /// `lanework` in the user's folder for caches, or where `LANEWORK_CACHE_DIR` says; `off` there turns that off, and `LANEWORK_CACHE_MB`
    /// sets the size of the cache.
    ///
    /// ```
    /// let device = lanework::Device::emulator();
    /// let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry nothing() { ret; }";
    /// let module = device.load_on_demand(&[("nothing.ptx", text)])?;
    /// assert_eq!(module.module().entries().count(), 1);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of both, except for unsupported instructions.
    pub fn load_on_demand(&self, texts: &[(&str, &str)]) -> Result<PtxModule> {
        let made: String;
        let text = match texts {
            [(_, only)] => only,
            several => {
                made = linked(several)?;
                made.as_str()
            }
        };
        let module = parsed::shared(text)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load_on_demand(&module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.raw().load(text, "ptx")?),
        };
        Ok(self.loaded(module, code, text))
    }

    /// Loads PTX text.
    ///
    /// # Errors
    /// [`Error::Ptx`] with line, column and caret for a syntax error, or a name that is undeclared
    /// or declared twice; the error log of the driver's compiler; the instructions that the
    /// emulator does not support.
    pub fn load_ptx(&self, text: &str) -> Result<PtxModule> {
        let module = parsed::checked(text)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load(&module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.raw().load(text, "ptx")?),
        };
        Ok(self.loaded(Arc::new(module), code, text))
    }

    /// As [`Device::load_ptx`] for the text of a file: errors of the text, and faults of its kernels, name the
    /// file.
    ///
    /// ```
    /// let device = lanework::Device::emulator();
    /// let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f() { retrun; }";
    /// let why = device.load_ptx_of("f.ptx", text).err().unwrap();
    /// assert!(why.to_string().contains("--> f.ptx:4"));
    /// ```
    ///
    /// # Errors
    /// The errors of [`Device::load_ptx`].
    pub fn load_ptx_of(&self, file: &str, text: &str) -> Result<PtxModule> {
        let loaded = self.load_ptx(text).map_err(|error| error.in_file(file))?;
        Ok(PtxModule { file: Some(file.to_owned()), ..loaded })
    }

    fn loaded(&self, module: Arc<Module>, code: Code, text: &str) -> PtxModule {
        let recorded = Session::active().map(|session| {
            let names: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
            session.module(&names.join(" "), &|| text.to_owned())
        });
        PtxModule { device: self.clone(), module, code, recorded, file: None }
    }
}

/// Links several texts, each with its file name, to one.
fn linked(texts: &[(&str, &str)]) -> Result<String> {
    let parse = |(name, text): &(&str, &str)| match Module::parse(text) {
        Ok(module) => Ok(((*name).to_owned(), module)),
        Err(problems) => Err(Error::Ptx(Box::new(problems))),
    };
    let modules = texts.iter().map(parse).collect::<Result<Vec<_>>>()?;
    let linked =
        Module::link(modules).map_err(|e| Error::Request { why: e.message, help: e.help })?;
    Ok(linked.to_string())
}
