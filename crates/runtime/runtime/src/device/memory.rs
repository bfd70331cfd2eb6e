//! Device memory for buffers.

use super::{Device, Engine};
use crate::tool::Session;
use crate::{Error, Reports, Result};

impl Device {
    /// Free and total memory in bytes.
    ///
    /// # Errors
    /// When the driver does not answer.
    pub fn memory(&self) -> Result<(u64, u64)> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                let total = emulator.memory_total();
                Ok((total.saturating_sub(emulator.memory_used()), total))
            }
            Engine::Gpu(gpu) => gpu.memory(),
        }
    }

    pub(crate) fn allocate(&self, bytes: u64, name: &str) -> Result<u64> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator.allocate(bytes, name)?),
            // The driver rejects allocations of 0 bytes.
            Engine::Gpu(gpu) => gpu.allocate(bytes.max(1)),
        }
    }

    pub(crate) fn free(&self, address: u64) {
        match &self.0.engine {
            Engine::Emulator(emulator) => drop(emulator.free(address)),
            Engine::Gpu(gpu) => gpu.free(address),
        }
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                let copy = || Ok(emulator.write(address, bytes)?);
                match Session::active() {
                    Some(session) => session.copied("upload", bytes.len(), copy),
                    None => copy(),
                }
            }
            Engine::Gpu(gpu) => gpu.write(address, bytes),
        }
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                if let Some(report) = emulator.check_host_read(address, bytes.len() as u64) {
                    return Err(Error::Sanitizer(Reports { found: vec![report], stopped: None }));
                }
                let length = bytes.len();
                let mut copy = || Ok(emulator.read(address, bytes)?);
                match Session::active() {
                    Some(session) => session.copied("download", length, copy),
                    None => copy(),
                }
            }
            Engine::Gpu(gpu) => gpu.read(address, bytes),
        }
    }

    pub(crate) fn fill(&self, address: u64, byte: u8, bytes: u64) -> Result<()> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator.fill(address, byte, bytes)?),
            Engine::Gpu(gpu) => gpu.fill(address, byte, bytes),
        }
    }
}
