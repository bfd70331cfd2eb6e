//! Which GPU is emulated: an H200, unless `LANEWORK_GPU` names another one of the table of specifications.
//!
//! A named GPU also decides which PTX runs, as its driver does: what is compiled for a newer architecture is refused. Where none is named,
//! such PTX runs, since the emulator knows instructions that an H200 does not have.

use lanework_gpu_specs::{Architecture, Gpu, specs};
use std::sync::OnceLock;

/// The environment variable that names the GPU.
const NAME: &str = "LANEWORK_GPU";
/// The GPU where none is named.
const DEFAULT: &str = "H200";

/// A GPU as the driver shows it to programs. All emulated GPUs of a process are of one model.
#[derive(Debug)]
pub struct Model {
    pub gpu: &'static Gpu,
    pub limits: &'static Architecture,
    /// Whether the environment names it, so that only its own PTX and memory are there.
    pub named: bool,
}

/// The GPU that is emulated.
///
/// # Errors
/// In words, where the environment names one that is not in the table.
pub fn chosen() -> Result<&'static Model, &'static str> {
    static MODEL: OnceLock<Result<Model, String>> = OnceLock::new();
    MODEL
        .get_or_init(|| Model::of(std::env::var(NAME).ok().as_deref()))
        .as_ref()
        .map_err(String::as_str)
}

/// The same, for what is called once the driver has started, which it does for a known GPU only.
///
/// # Panics
/// Before, where the environment names an unknown one.
pub fn model() -> &'static Model {
    chosen().expect("the driver started")
}

impl Model {
    /// The model of a name.
    fn of(name: Option<&str>) -> Result<Model, String> {
        let asked = name.map(str::trim).filter(|name| !name.is_empty());
        let gpu = specs().gpu(asked.unwrap_or(DEFAULT)).ok_or_else(|| {
            let known: Vec<&str> = specs().gpus.iter().map(|gpu| gpu.name.as_str()).collect();
            let asked = asked.unwrap_or(DEFAULT);
            format!("{NAME} names `{asked}`\n  = help: there are: {}", known.join(", "))
        })?;
        let limits = specs().architecture(gpu.capability());
        Ok(Model { gpu, limits, named: asked.is_some() })
    }

    /// Compute capability.
    pub fn capability(&self) -> (i32, i32) {
        let (major, minor) = self.gpu.capability();
        (major as i32, minor as i32)
    }

    /// Compute capability as one number, such as 90.
    pub fn architecture(&self) -> u32 {
        let (major, minor) = self.gpu.capability();
        10 * major + minor
    }

    /// Multiprocessors.
    pub fn multiprocessors(&self) -> i32 {
        self.gpu.multiprocessors as i32
    }

    /// Whether blocks may run in clusters.
    pub fn has_clusters(&self) -> bool {
        self.capability() >= (9, 0)
    }

    /// The name that programs are told.
    pub fn name(&self) -> String {
        format!("{} (emulated by Lanework)", self.gpu.full_name())
    }

    /// Bytes of its memory, and no more than the host has.
    pub fn memory_bytes(&self) -> u64 {
        (u64::from(self.gpu.memory_gb) << 30).min(host_bytes())
    }
}

/// Bytes of memory of the host.
fn host_bytes() -> u64 {
    // SAFETY: these calls only ask the system.
    let [pages, page] =
        unsafe { [libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)] };
    match (u64::try_from(pages), u64::try_from(page)) {
        (Ok(pages), Ok(page)) => pages.saturating_mul(page),
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_found_by_its_name_and_an_unknown_one_is_told_what_there_is() {
        let default = Model::of(None).expect("known");
        assert_eq!((default.capability(), default.named), ((9, 0), false));
        let named = Model::of(Some("rtx-4090")).expect("known");
        assert_eq!((named.architecture(), named.has_clusters()), (89, false));
        assert_eq!(named.name(), "NVIDIA GeForce RTX 4090 (emulated by Lanework)");
        assert!(named.memory_bytes() <= 24 << 30);
        let why = Model::of(Some("h2000")).expect_err("unknown");
        assert!(why.contains("`h2000`") && why.contains("L20"), "{why}");
    }
}
