//! PTX as compilers emit it for the kernels of `lanework-corpus`: 117 modules, stored compressed (zstd).
//!
//! A name is `UNIT.TARGET.ptx`, or `UNIT.TARGET.KIND.ptx` for output of compilers other than optimizing nvcc, where the
//! kind is `debug`, `nvrtc`, `clang` or `clang_debug`. `make.sh` of `lanework-corpus` writes the files.

use std::io::Read;
use std::sync::OnceLock;

/// One module: its name and its text.
pub struct Module {
    /// The file name, such as `dense.sm_80.ptx`.
    pub name: &'static str,
    packed: &'static [u8],
    text: OnceLock<String>,
}

impl Module {
    /// The PTX. The first call unpacks it.
    ///
    /// # Panics
    /// If the stored file is damaged.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let damaged = |why: &dyn std::fmt::Display| -> ! { panic!("{}.zst: {why}", self.name) };
            let mut text = String::new();
            match ruzstd::decoding::StreamingDecoder::new(self.packed) {
                Ok(mut decoder) => {
                    if let Err(why) = decoder.read_to_string(&mut text) {
                        damaged(&why)
                    }
                }
                Err(why) => damaged(&why),
            }
            text
        })
    }
}

/// Every module, in the order of the names.
pub fn modules() -> &'static [Module] {
    static PACKED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/modules.rs"));
    static MODULES: OnceLock<Vec<Module>> = OnceLock::new();
    MODULES.get_or_init(|| {
        let module = |&(name, packed)| Module { name, packed, text: OnceLock::new() };
        PACKED.iter().map(module).collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_module_unpacks_to_ptx() {
        assert!(super::modules().len() > 100, "found only {} modules", super::modules().len());
        for module in super::modules() {
            assert!(module.text().contains(".entry"), "{} holds no kernel", module.name);
        }
    }
}
