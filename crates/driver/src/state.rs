//! The driver's state: the emulated GPUs, their memory, and every object by its handle.

use crate::captures::Captures;
use crate::contexts::{self, Context};
use crate::devices::Gpu;
use crate::events::Event;
use crate::functions::Function;
use crate::graphs::{Executable, Graph, Node};
use crate::handles::Handles;
use crate::libraries::Library;
use crate::memory::Allocations;
use crate::modules::Module;
use crate::pools::Pool;
use crate::status::{Result, Status};
use crate::streams::Stream;
use lanework::Device;
use lanework::sim::Options;
use std::sync::{Arc, Mutex, OnceLock};

/// Everything that the driver knows.
pub struct Driver {
    /// The emulator, on host memory: device pointers are host pointers. All GPUs share it.
    pub device: Device,
    pub gpus: Vec<Gpu>,
    pub memory: Mutex<Allocations>,
    pub contexts: Handles<Context>,
    pub modules: Handles<Module>,
    pub functions: Handles<Function>,
    pub libraries: Handles<Library>,
    pub streams: Handles<Stream>,
    pub events: Handles<Event>,
    pub pools: Handles<Pool>,
    pub graphs: Handles<Graph>,
    pub nodes: Handles<Node>,
    pub executables: Handles<Executable>,
    pub captures: Captures,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

/// Warp instructions after which one warp is stopped as stuck: minutes of emulation.
const STUCK_AFTER: u64 = 100_000_000_000;

/// Starts the driver; later calls find it started.
pub fn start() -> &'static Driver {
    DRIVER.get_or_init(|| {
        let options = Options { max_instructions: Some(STUCK_AFTER), ..Options::default() };
        Driver {
            device: Device::emulator_on_host_memory(options),
            gpus: Gpu::all(),
            memory: Mutex::default(),
            contexts: Handles::default(),
            modules: Handles::default(),
            functions: Handles::default(),
            libraries: Handles::default(),
            streams: Handles::default(),
            events: Handles::default(),
            pools: Handles::default(),
            graphs: Handles::default(),
            nodes: Handles::default(),
            executables: Handles::default(),
            captures: Captures::default(),
        }
    })
}

/// The driver, if `cuInit` was called.
pub fn driver() -> Result<&'static Driver> {
    DRIVER.get().ok_or(Status::NotInitialized)
}

impl Driver {
    /// The GPU of an ordinal.
    pub fn gpu(&self, ordinal: i32) -> Result<&Gpu> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|ordinal| self.gpus.get(ordinal))
            .ok_or(Status::InvalidDevice)
    }

    /// The calling thread's context, if nothing was wrong in it so far.
    pub fn context(&self) -> Result<Arc<Context>> {
        let context = self.contexts.find(contexts::current()).ok_or(Status::InvalidContext)?;
        context.healthy()?;
        Ok(context)
    }
}
