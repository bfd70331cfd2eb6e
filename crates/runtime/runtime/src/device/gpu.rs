//! A GPU as a device: driver calls, the kernels compiled for it, and the records in which checked kernels report an
//! index out of range; and the description of a device, which the emulator fills in as well.

use crate::error::{IndexFault, RECORD_WORDS};
use crate::{Error, Result};
use lanework_abi::Staged;
use lanework_cuda::{Gpu, GpuFunction, LaunchShape, PinnedBuffer, Rows};
use lanework_report::Resources;
use std::sync::{Arc, Mutex, MutexGuard};

/// Maximum number of checked launches in flight; the next one waits.
const RECORDS: usize = 256;

pub(crate) struct GpuBackend {
    gpu: Gpu,
    records: Mutex<Records>,
}

/// Fault records in pinned host memory, and the launches that use them.
struct Records {
    memory: PinnedBuffer,
    pending: Vec<(&'static str, Arc<Compiled>)>,
}

/// Lists every GPU, or returns the reason why none is usable.
pub(crate) fn list() -> Result<Vec<DeviceInfo>> {
    Ok(lanework_cuda::devices()?.iter().map(describe).collect())
}

fn describe(info: &lanework_cuda::DeviceInfo) -> DeviceInfo {
    DeviceInfo {
        id: format!("cuda:{}", info.index),
        name: info.name.clone(),
        backend: Backend::Cuda,
        compute_capability: info.compute_capability,
        memory_bytes: info.memory_bytes as u64,
        multiprocessors: info.multiprocessors,
        max_threads_per_block: info.max_threads_per_block,
        max_block: info.max_block,
        max_grid: info.max_grid,
        shared_per_block: (info.shared_per_block, info.shared_per_block_optin),
        registers_per_multiprocessor: info.registers_per_multiprocessor,
        l2_bytes: info.l2_bytes.into(),
        clock_khz: info.clock_khz,
        memory_bandwidth: info.peak_memory_bandwidth() as u64,
        driver: match &info.driver_release {
            Some(release) => release.clone(),
            None => format!("CUDA {}.{}", info.driver_version.0, info.driver_version.1),
        },
    }
}

impl GpuBackend {
    pub(crate) fn open(index: usize) -> Result<Self> {
        let gpu = Gpu::open(index)?;
        let mut memory = gpu.pinned(RECORDS * RECORD_WORDS * 4)?;
        memory.as_mut_slice().fill(0);
        Ok(GpuBackend { gpu, records: Mutex::new(Records { memory, pending: Vec::new() }) })
    }

    pub(crate) fn raw(&self) -> &Gpu {
        &self.gpu
    }

    pub(crate) fn info(&self) -> DeviceInfo {
        describe(self.gpu.info())
    }

    pub(crate) fn monitor(&self) -> std::result::Result<lanework_cuda::Monitor, String> {
        lanework_cuda::Monitor::of(self.gpu.info())
    }

    pub(crate) fn memory(&self) -> Result<(u64, u64)> {
        let (free, total) = self.gpu.memory_info()?;
        Ok((free as u64, total as u64))
    }

    pub(crate) fn allocate(&self, bytes: u64) -> Result<u64> {
        Ok(self.gpu.allocate(bytes as usize)?)
    }

    pub(crate) fn free(&self, address: u64) {
        // An error here comes from an earlier launch; the next wait reports it.
        drop(self.gpu.free(address));
    }

    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        Ok(self.gpu.write(address, bytes)?)
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        Ok(self.gpu.read(address, bytes)?)
    }

    pub(crate) fn write_rows(&self, to: Rows, bytes: &[u8]) -> Result<()> {
        Ok(self.gpu.write_rows(to, bytes)?)
    }

    pub(crate) fn read_rows(&self, from: Rows, bytes: &mut [u8]) -> Result<()> {
        Ok(self.gpu.read_rows(from, bytes)?)
    }

    pub(crate) fn fill(&self, address: u64, byte: u8, bytes: u64) -> Result<()> {
        Ok(self.gpu.fill(address, byte, bytes as usize)?)
    }

    pub(crate) fn load(&self, module: &lanework_ptx::Module, entry: &str) -> Result<GpuFunction> {
        Ok(self.gpu.load(&module.to_string(), entry)?.function(entry)?)
    }

    /// Queues a kernel on a stream or the default stream; a checked kernel (with its name and code) gets a fault
    /// record as its last parameter.
    ///
    /// # Safety
    /// The parameters must match the kernel's, and the kernel must access live memory only.
    pub(crate) unsafe fn launch(
        &self,
        function: &GpuFunction,
        shape: &LaunchShape,
        mut parameters: Vec<Vec<u8>>,
        checked: Option<(&'static str, &Arc<Compiled>)>,
        stream: Option<&lanework_cuda::Stream>,
    ) -> Result<()> {
        let mut records = self.records();
        if let Some((kernel, compiled)) = checked {
            if self.gpu.is_recording() {
                return Err(Error::unrecordable(kernel));
            }
            if records.pending.len() == RECORDS {
                self.gpu.synchronize()?;
                records.take_fault()?;
            }
            let slot = (records.pending.len() * RECORD_WORDS * 4) as u64;
            parameters.push((records.memory.device_address() + slot).to_le_bytes().to_vec());
            records.pending.push((kernel, compiled.clone()));
        }
        let arguments: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
        // SAFETY: the parameters match the kernel, which accesses live memory only, as this function requires. The
        // fault record added here is a slot of its own in pinned memory that `records` owns and reads only after it has
        // waited.
        unsafe { self.gpu.launch_shaped(function, shape, &arguments, stream) }?;
        Ok(())
    }

    /// Waits for all launches and reports the first index out of range. The lock keeps other
    /// threads from launching meanwhile: a running kernel could write to a record that was already
    /// read.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let mut records = self.records();
        self.gpu.synchronize()?;
        records.take_fault()
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        self.records.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Records {
    /// The first fault among the finished launches; clears the records.
    fn take_fault(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let mut first = None;
        for (slot, (kernel, compiled)) in pending.into_iter().enumerate() {
            let bytes = slot * RECORD_WORDS * 4..(slot + 1) * RECORD_WORDS * 4;
            let record = &mut self.memory.as_mut_slice()[bytes];
            let mut words = [0u32; RECORD_WORDS];
            bytemuck::cast_slice_mut(&mut words).copy_from_slice(record);
            record.fill(0);
            first = first.or_else(|| IndexFault::decode(kernel, &compiled.staged.sites, &words));
        }
        first.map_or(Ok(()), |fault| Err(Error::Index(Box::new(fault))))
    }
}

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
    /// Maximum number of threads in a block.
    pub max_threads_per_block: u32,
    /// Maximum number of threads in a block along x, y and z.
    pub max_block: [u32; 3],
    /// Maximum number of blocks in a grid along x, y and z.
    pub max_grid: [u32; 3],
    /// Maximum shared memory per block in bytes: by default, and with opt-in at launch.
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

/// The estimated resource usage of an entry; empty if the emulator does not support the entry.
pub(crate) fn of_program(program: &lanework_emulator::Program, entry: &str) -> Resources {
    let pressure = program.register_pressure(entry);
    Resources {
        registers: pressure.as_ref().map_or(0, |pressure| pressure.registers),
        local_bytes: pressure.as_ref().map_or(0, |pressure| pressure.spill_bytes),
        estimated: true,
        static_shared: program.static_shared(entry).unwrap_or(0),
    }
}
