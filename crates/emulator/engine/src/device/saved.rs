//! A launch as plain data, to run it again in another process with [saved memory](crate::memory::saved).

use crate::device::Device;
use crate::device::launch::{Blocks, LaunchConfig};
use crate::fault::LoadError;
use crate::memory::saved::SavedMemory;
use crate::program::Program;
use lanework_ptx::Module;
use std::sync::Arc;

/// A launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedLaunch {
    /// The entry.
    pub entry: String,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
    /// Blocks of a cluster.
    pub cluster: Option<[u32; 3]>,
    /// Whether it is cooperative.
    pub cooperative: bool,
    /// The bytes of each parameter.
    pub arguments: Vec<Vec<u8>>,
    /// The variables of its module, by their keys, with their addresses.
    pub variables: Vec<(String, u64)>,
}

impl SavedLaunch {
    /// A launch of a program.
    pub fn of(program: &Program, config: &LaunchConfig<'_>, arguments: &[&[u8]]) -> SavedLaunch {
        let variables = program.variables();
        let mut variables: Vec<(String, u64)> =
            variables.map(|(key, address)| (key.to_owned(), address)).collect();
        variables.sort();
        SavedLaunch {
            entry: config.entry.to_owned(),
            grid: config.grid,
            block: config.block,
            dynamic_shared: config.dynamic_shared,
            cluster: config.cluster,
            cooperative: config.cooperative,
            arguments: arguments.iter().map(|bytes| bytes.to_vec()).collect(),
            variables,
        }
    }

    /// The launch of all its blocks.
    pub fn config(&self) -> LaunchConfig<'_> {
        LaunchConfig {
            dynamic_shared: self.dynamic_shared,
            blocks: Blocks::All,
            cluster: self.cluster,
            cooperative: self.cooperative,
            ..LaunchConfig::new(&self.entry, self.grid, self.block)
        }
    }

    /// Restores the memory on a device without allocations, and loads the launch's module.
    ///
    /// # Errors
    /// If the memory cannot be restored, or the module cannot be loaded.
    pub fn restore(
        &self,
        module: &Module,
        memory: &SavedMemory,
        device: &Device,
    ) -> Result<Arc<Program>, LoadError> {
        let restored = memory.restore(device);
        restored.map_err(|why| LoadError {
            message: format!("the memory of the launch cannot be restored: {why}"),
            function: String::new(),
            location: None,
            text_file: None,
            text_line: 0,
            help: String::new(),
        })?;
        device.load_restored(module, &self.variables.iter().cloned().collect())
    }
}
