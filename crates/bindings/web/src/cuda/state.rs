//! The driver's state for a program, and helpers for the driver's functions.

use crate::request::RunRequest;
use crate::watch::measure::{Measuring, options};
use lanework_emulator::images::ArrayLayout;
use lanework_emulator::sanitize::{Report, ReportKind};
use lanework_emulator::{Emulator, Image, Program, SourceLocation};
use lanework_gpu_specs::{Gpu, specs};
use lanework_host::{HostPlace, Process, Stop};
use lanework_ptx::Module;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// Results of the driver.
pub mod status {
    pub const SUCCESS: u64 = 0;
    pub const INVALID_VALUE: u64 = 1;
    pub const OUT_OF_MEMORY: u64 = 2;
    pub const INVALID_DEVICE: u64 = 101;
    pub const INVALID_HANDLE: u64 = 400;
    pub const ILLEGAL_ADDRESS: u64 = 700;
    pub const LAUNCH_OUT_OF_RESOURCES: u64 = 701;
    pub const LAUNCH_TIMEOUT: u64 = 702;
    pub const ASSERT: u64 = 710;
    pub const MISALIGNED: u64 = 716;
    pub const LAUNCH_FAILED: u64 = 719;
    pub const ILLEGAL_STATE: u64 = 401;
    pub const NOT_SUPPORTED: u64 = 801;
    pub const CAPTURE_UNSUPPORTED: u64 = 900;
    pub const CAPTURE_IMPLICIT: u64 = 906;
    pub const PEER_ACCESS_UNSUPPORTED: u64 = 217;
}

/// The kind of an allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AllocationKind {
    Device,
    Managed,
    PageLocked,
    /// Host memory that the program registered.
    Registered,
}

/// Work of a stream, to do now or at each launch of a graph. Returns a status.
pub type StreamWork = Rc<dyn Fn(&mut Process) -> Result<u64, Stop>>;

/// `CUgraphNodeType` of the supported nodes.
pub mod kind {
    pub const KERNEL: u32 = 0;
    pub const COPY: u32 = 1;
    pub const FILL: u32 = 2;
    pub const HOST: u32 = 3;
    pub const GRAPH: u32 = 4;
    pub const EMPTY: u32 = 5;
}

/// A node.
#[derive(Clone)]
pub struct WorkNode {
    /// Its handle, which its copies keep: the calls on an executable graph name its nodes by it.
    pub handle: u64,
    /// One of `kind`.
    pub kind: u32,
    pub work: StreamWork,
    /// The nodes that run before it.
    pub after: Vec<u64>,
    /// Whether launches run it.
    pub runs: bool,
}

/// The nodes of a graph, in the order of their creation.
#[derive(Clone, Default)]
pub struct WorkGraph {
    pub nodes: Vec<WorkNode>,
}

impl WorkGraph {
    /// The place of a node.
    pub fn place(&self, node: u64) -> Option<usize> {
        self.nodes.iter().position(|one| one.handle == node)
    }

    /// The work in an order that keeps the dependencies: the first node that is not done and may run. `None` if some
    /// wait for each other.
    pub fn ordered(&self) -> Option<Vec<StreamWork>> {
        let mut done: Vec<u64> = Vec::new();
        let mut work = Vec::new();
        while done.len() < self.nodes.len() {
            let next = self.nodes.iter().find(|node| {
                !done.contains(&node.handle) && node.after.iter().all(|one| done.contains(one))
            })?;
            done.push(next.handle);
            if next.runs {
                work.push(Rc::clone(&next.work));
            }
        }
        Some(work)
    }
}

/// An array.
#[derive(Clone, Copy)]
pub struct CudaArray {
    pub layout: ArrayLayout,
    /// Location of its elements.
    pub image: Image,
    /// The level of a mipmapped array: only the whole is destroyed.
    pub is_level: bool,
}

/// The arrays, textures and surfaces of a program.
#[derive(Default)]
pub struct Textures {
    pub arrays: BTreeMap<u64, CudaArray>,
    /// The levels of mipmapped arrays, and their memory.
    pub mipmaps: BTreeMap<u64, (Vec<u64>, u64)>,
    /// Textures and surfaces.
    pub objects: BTreeSet<u64>,
}

impl Textures {
    /// The image of an array, for copies.
    pub fn image(&self, array: u64) -> Option<Image> {
        self.arrays.get(&array).map(|array| array.image)
    }
}

/// A capture of streams.
pub struct Capture {
    /// The captured streams; the first one began.
    pub streams: Vec<u64>,
    /// Whether work in the default stream would have to wait for the capture.
    pub blocks_legacy: bool,
    /// The events that were recorded in it.
    pub events: Vec<u64>,
    /// The work so far.
    pub graph: WorkGraph,
}

/// The driver's state for a program.
pub struct Cuda {
    pub emulator: Emulator,
    pub module: Arc<Module>,
    pub program: Option<Arc<Program>>,
    /// The watched launches.
    pub measuring: Measuring,
    /// Output of host code and kernels so far, in order.
    pub output: Vec<u8>,
    pub gpu: &'static Gpu,
    pub started: Instant,
    /// The error of a kernel, which later calls return.
    pub error: u64,
    pub allocations: BTreeMap<u64, (u64, AllocationKind)>,
    /// Names of kernels by handle, from 1.
    pub kernels: Vec<String>,
    /// The dynamic shared memory that a kernel may use, by handle.
    pub most_shared: HashMap<u64, u32>,
    pub streams: BTreeMap<u64, (u64, u64)>,
    /// The time in milliseconds of each recorded event.
    pub events: BTreeMap<u64, Option<f64>>,
    pub capture: Option<Capture>,
    /// Graphs and executable graphs by handle.
    pub graphs: BTreeMap<u64, WorkGraph>,
    pub textures: Textures,
    pub next_handle: u64,
    /// Nesting depth of openings of device memory to host code, and the opened allocations.
    pub depth: u32,
    pub opened: Vec<u64>,
}

impl Cuda {
    /// Creates a device for a module, without allocations.
    pub fn new(run: &RunRequest, module: Arc<Module>, measuring: Measuring) -> Cuda {
        let first = run.predict.iter().find_map(|name| specs().gpu(name));
        let gpu = first.or_else(|| specs().gpu("H200")).unwrap_or(&specs().gpus[0]);
        Cuda {
            emulator: Emulator::on_host_memory(options(run)),
            module,
            program: None,
            measuring,
            output: Vec::new(),
            gpu,
            started: Instant::now(),
            error: status::SUCCESS,
            allocations: BTreeMap::new(),
            kernels: Vec::new(),
            most_shared: HashMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            capture: None,
            graphs: BTreeMap::new(),
            textures: Textures::default(),
            next_handle: 0x1000,
            depth: 0,
            opened: Vec::new(),
        }
    }

    pub fn handle(&mut self) -> u64 {
        self.next_handle += 16;
        self.next_handle
    }

    /// The allocation that holds an address: its start, its bytes and its kind.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64, AllocationKind)> {
        let (start, (bytes, kind)) = self.allocations.range(..=address).next_back()?;
        (address - start < (*bytes).max(1)).then_some((*start, *bytes, *kind))
    }
}

/// The driver's state for a process.
pub fn cuda(process: &mut Process) -> Result<&mut Cuda, Stop> {
    process.environment.downcast_mut().ok_or(Stop::Exit(1))
}

/// Stores a result at an address from the program.
pub fn put(process: &mut Process, at: u64, bytes: &[u8]) -> Result<(), Stop> {
    let written = process.memory.write(at, bytes);
    process.accessed(written, "write")
}

pub fn put_word(process: &mut Process, at: u64, value: u64) -> Result<u64, Stop> {
    put(process, at, &value.to_le_bytes()).map(|()| status::SUCCESS)
}

pub fn put_int(process: &mut Process, at: u64, value: u32) -> Result<u64, Stop> {
    put(process, at, &value.to_le_bytes()).map(|()| status::SUCCESS)
}

/// Moves the program's output so far to the output of the run, before a kernel prints.
pub fn flush(process: &mut Process) -> Result<(), Stop> {
    let output = process.take_output();
    cuda(process)?.output.extend_from_slice(&output);
    Ok(())
}

thread_local! {
    /// The program's active calls at its last call of the driver.
    static CALLS: RefCell<Vec<HostPlace>> = const { RefCell::new(Vec::new()) };
}

/// Saves the active calls for findings about the next driver call.
pub fn keep_calls(places: Vec<HostPlace>) {
    CALLS.set(places);
}

/// Adds a finding about a call of the driver, and returns its status.
pub fn failed_call(
    process: &mut Process,
    code: u64,
    why: impl Into<String>,
    help: impl Into<String>,
) -> Result<u64, Stop> {
    let places = CALLS.take();
    let of_program =
        places.into_iter().filter(|(_, file, line)| *line > 0 && !file.starts_with("lanework/"));
    let mut lines = of_program.map(|(_, file, line)| SourceLocation { file, line, column: 0 });
    let report = Report {
        message: format!("{} (error {code})", why.into()),
        location: lines.next(),
        callers: lines.collect(),
        help: help.into(),
        ..Report::new(ReportKind::FailedCall)
    };
    cuda(process)?.measuring.add_finding(report);
    Ok(code)
}

/// The error of an earlier kernel, if there was one.
pub fn sticky(process: &mut Process) -> Result<Option<u64>, Stop> {
    Ok(Some(cuda(process)?.error).filter(|code| *code != status::SUCCESS))
}
