//! Description of a device: its kind and its limits; and a kernel compiled for it, with its resource usage.

use lanework_abi::Staged;
use lanework_report::Resources;
use std::sync::Arc;

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Runs on the host; counts events and checks accesses.
    Emulator,
    /// An NVIDIA GPU through its driver.
    Cuda,
}

impl Backend {
    /// `emulator` or `cuda`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Emulator => "emulator",
            Backend::Cuda => "cuda",
        }
    }
}

/// Description of a device: its kind, name and limits.
///
/// ```
/// use lanework::{Device, DeviceInfo};
///
/// let info: DeviceInfo = Device::emulator().info();
/// assert_eq!((info.id.as_str(), info.backend.name()), ("emulator", "emulator"));
/// assert_eq!(info.max_threads_per_block, 1024);
/// ```
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// The argument of [`crate::Device::open`]: `emulator` or `cuda:0`.
    pub id: String,
    /// Product name.
    pub name: String,
    /// Kind.
    pub backend: Backend,
    /// Compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Total memory in bytes.
    pub memory_bytes: u64,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Most threads in a block.
    pub max_threads_per_block: u32,
    /// Most threads in a block along x, y and z.
    pub max_block: [u32; 3],
    /// Most blocks in a grid along x, y and z.
    pub max_grid: [u32; 3],
    /// Shared memory per block in bytes: by default, and with opt-in at launch.
    pub shared_per_block: (u32, u32),
    /// 32-bit registers per multiprocessor.
    pub registers_per_multiprocessor: u32,
    /// L2 cache in bytes; 0 on the emulator.
    pub l2_bytes: u64,
    /// SM clock in kHz; 0 on the emulator.
    pub clock_khz: u32,
    /// Peak memory bandwidth in bytes per second; 0 on the emulator.
    pub memory_bandwidth: u64,
    /// Driver version such as 13.0, or the emulator's own.
    pub driver: String,
}

/// A staged kernel and its code on one device.
pub(crate) struct Compiled {
    pub(crate) staged: Staged,
    pub(crate) code: Code,
    /// The number of its PTX in a tool's records.
    pub(crate) module: Option<u64>,
}

pub(crate) enum Code {
    Emulator(Arc<lanework_emulator::Program>),
    Gpu(lanework_cuda::GpuFunction),
}

impl Compiled {
    pub(crate) fn resources(&self) -> Resources {
        match &self.code {
            Code::Emulator(program) => of_program(program, &self.staged.entry),
            Code::Gpu(function) => Resources {
                registers: function.info().registers,
                local_bytes: function.info().local_bytes,
                estimated: false,
                static_shared: function.info().static_shared,
            },
        }
    }
}

/// The estimated resource usage of an entry; nothing where the emulator does not support it.
pub(crate) fn of_program(program: &lanework_emulator::Program, entry: &str) -> Resources {
    let pressure = program.register_pressure(entry);
    Resources {
        registers: pressure.as_ref().map_or(0, |pressure| pressure.registers),
        local_bytes: pressure.as_ref().map_or(0, |pressure| pressure.spill_bytes),
        estimated: true,
        static_shared: program.static_shared(entry).unwrap_or(0),
    }
}
