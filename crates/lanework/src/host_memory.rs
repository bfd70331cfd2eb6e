//! An emulator on the host's own memory: kernels use the caller's pointers, and nothing is copied.

use crate::device::Engine;
use crate::{Device, Error, Result};
use lanework_sim::{Emulator, Options};

impl Device {
    /// An emulator whose addresses are the host's own. Its kernels reach its buffers and the ranges
    /// given to [`Device::lend_host`], at the addresses that these have in this process.
    pub fn emulator_on_host_memory(options: Options) -> Device {
        Device::from_engine(Engine::Emulator(Emulator::on_host_memory(options)))
    }

    /// Lends kernels `bytes` bytes of host memory at their own address, under a name for reports.
    /// Waits for running launches.
    ///
    /// # Errors
    /// When this is not an emulator on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until [`Device::take_back_host`], the bytes must be there to be read and written; while a
    /// launch runs, nothing else may write them, nor read what the kernel writes.
    pub unsafe fn lend_host(&self, start: *mut u8, bytes: u64, name: &str) -> Result<()> {
        // SAFETY: by the caller.
        Ok(unsafe { self.emulated()?.lend(start, bytes, name) }?)
    }

    /// Ends the loan of the range that starts at `start`. Waits for running launches.
    ///
    /// # Errors
    /// When no range lent starts there.
    pub fn take_back_host(&self, start: *const u8) -> Result<()> {
        Ok(self.emulated()?.take_back(start)?)
    }

    /// Lets kernels use any host address for as long as nothing is lent. An access to what is not
    /// there then ends the process.
    ///
    /// # Errors
    /// When this is a GPU.
    ///
    /// # Safety
    /// From now on every launch while nothing is lent must keep to memory that is there to be read
    /// and written, as if all of it were lent.
    pub unsafe fn trust_host_addresses(&self) -> Result<()> {
        // SAFETY: by the caller.
        unsafe { self.emulated()?.trust_addresses() };
        Ok(())
    }

    fn emulated(&self) -> Result<&Emulator> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator),
            Engine::Gpu(_) => Err(Error::Unsupported {
                what: "lending host memory to kernels",
                device: self.info().id,
                help: "copy it to a buffer, or use `Device::emulator_on_host_memory`",
            }),
        }
    }
}
