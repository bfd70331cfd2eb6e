//! Loads PTX text as a module of a device: one text, or several linked; all entries at once, or each on first use.
//!
//! A cache holds loaded modules: a text that is loaded while a module of it is alive is neither parsed nor checked
//! again. A text that another process has checked is parsed but not checked.

use super::{Code, PtxModule};
use crate::device::{Device, Engine};
use crate::foreign::disk_cache::DiskCache;
use crate::tool::Session;
use crate::{Error, Result};
use lanework_ptx::Module;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError, Weak};

impl Device {
    /// Links PTX texts, each with its file name, and loads the result. One text defines a name that another declares
    /// `.extern`. Instructions without a `.loc` get one that names their file.
    ///
    /// # Errors
    /// The errors of [`Device::load_ptx`]; [`Error::Request`] if the texts cannot be linked, such as if two define the
    /// same name.
    pub fn load_linked(&self, texts: &[(&str, &str)]) -> Result<PtxModule> {
        self.load_ptx(&linked(texts)?)
    }

    /// As [`Device::load_ptx`] for one text or [`Device::load_linked`] for several. Meant for large modules, if a
    /// program uses only some of their entries. An entry is decoded on first use; an unsupported one is an error of its
    /// launch. A text whose module is still alive is not parsed again. A text of 16 KiB or more that another process
    /// has checked is not checked again: the cache is the folder `lanework` in the user's cache folder, or the one that
    /// `LANEWORK_CACHE_DIR` names (`off` turns it off). `LANEWORK_CACHE_MB` sets its size.
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
        let module = shared(text)?;
        let code = match &self.0.engine {
            Engine::Emulator(emulator) => Code::Emulator(emulator.load_on_demand(&module)?),
            Engine::Gpu(gpu) => Code::Gpu(gpu.raw().load(text, "ptx")?),
        };
        Ok(self.loaded(module, code, text))
    }

    /// Loads PTX text.
    ///
    /// # Errors
    /// [`Error::Ptx`] with line, column and caret for a syntax error, or a name that is undeclared or declared twice.
    /// On a GPU, the error log of the driver's compiler; on the emulator, the unsupported instructions.
    pub fn load_ptx(&self, text: &str) -> Result<PtxModule> {
        let module = checked(text)?;
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
        let text = text.into();
        PtxModule { device: self.clone(), module, text, code, recorded, file: None }
    }
}

/// Links several texts, each with its file name, into one.
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

/// The texts whose modules are in use.
type Known = HashMap<u64, Vec<(Box<str>, Weak<Module>)>>;

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn with_known<T>(of: impl FnOnce(&mut Known) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    of(known.get_or_insert_default())
}

/// A hash of a text.
fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn known(number: u64, text: &str) -> Option<Arc<Module>> {
    with_known(|known| {
        let same = known.get(&number)?.iter().find(|(other, _)| **other == *text);
        same.and_then(|(_, module)| module.upgrade())
    })
}

/// Reads and checks a text.
pub fn checked(text: &str) -> Result<Module> {
    let parsed = Module::parse(text).and_then(|module| module.validate().map(|()| module));
    parsed.map_err(|problems| Error::Ptx(Box::new(problems)))
}

/// The module of a text that passes all checks; known texts are not checked again.
pub fn shared(text: &str) -> Result<Arc<Module>> {
    shared_by(text, DiskCache::of_user())
}

fn shared_by(text: &str, cache: Option<&DiskCache>) -> Result<Arc<Module>> {
    let number = number(text);
    if let Some(module) = known(number, text) {
        return Ok(module);
    }
    let cache = cache.filter(|cache| cache.takes(text));
    let module = match cache {
        Some(cache) if cache.holds(number, text) => {
            Module::parse(text).map_err(|problems| Error::Ptx(Box::new(problems)))?
        }
        _ => {
            let module = checked(text)?;
            if let Some(cache) = cache {
                cache.keep(number, text);
            }
            module
        }
    };
    let module = Arc::new(module);
    with_known(|known| {
        known.retain(|_, same| {
            same.retain(|(_, module)| module.strong_count() > 0);
            !same.is_empty()
        });
        known.entry(number).or_default().push((text.into(), Arc::downgrade(&module)));
    });
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> String {
        let filling = "// what a compiler says\n".repeat(2000);
        format!(
            "{filling}.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry {name}() {{ ret; }}\n"
        )
    }

    #[test]
    fn a_text_is_parsed_once_while_its_module_is_alive() {
        let text = text("lives");
        let first = shared_by(&text, None).expect("a module");
        assert!(Arc::ptr_eq(&first, &shared_by(&text, None).expect("a module")));
        let number = number(&text);
        assert!(known(number, &text).is_some() && known(number, "another").is_none());
        drop(first);
        assert!(known(number, &text).is_none());
    }

    #[test]
    fn texts_that_fail_a_check_are_checked_again() {
        let wrong = text("wrong").replace("ret;", "add.u32 %r1, %r2, %r3;");
        assert!(shared_by(&wrong, None).is_err() && shared_by(&wrong, None).is_err());
    }

    #[test]
    fn only_valid_texts_are_cached_and_whole_texts_are_compared() {
        let folder = std::env::temp_dir().join(format!("lanework-parsed-{}", std::process::id()));
        let cache = DiskCache::in_folder(folder.clone(), 1 << 20).expect("a folder");
        let (right, wrong) = (text("right"), text("wrong").replace("ret;", "bar.nowhere;"));
        assert!(shared_by(&wrong, Some(&cache)).is_err());
        assert!(!cache.holds(number(&wrong), &wrong));
        assert!(shared_by(&right, Some(&cache)).is_ok());
        assert!(cache.holds(number(&right), &right));
        // A file with another text, as after a hash collision, is ignored.
        cache.keep(number(&wrong), &right);
        assert!(shared_by(&wrong, Some(&cache)).is_err());
        std::fs::remove_dir_all(folder).expect("it was there");
    }
}
