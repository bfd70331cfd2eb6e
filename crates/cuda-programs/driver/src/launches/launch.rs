//! Kernel launches: parameters, queuing, and execution on the emulator.

use crate::api::{api, warn};
use crate::devices::BLOCK;
use crate::devices::gpus::model;
use crate::graphs::work::Work;
use crate::interface::memory_names;
use crate::launches::device_launch::Child;
use crate::launches::{GridRace, GridTree, LaunchOfGrid, device_launch};
use crate::modules::function::Function;
use crate::modules::kernel_entry::KernelEntry;
use crate::modules::module::Module;
use crate::ordering;
use crate::ordering::findings::{Action, Operation, StreamName};
use crate::ordering::history::{Race, Relation};
use crate::pointers::*;
use crate::state::{Driver, Handle, driver, lock, table};
use crate::status::{Result, Status, of_launch, refuse};
use crate::streams::detached;
use crate::textures::references;
use lanework::{PtxArg, PtxShape};
use std::ffi::c_void;
use std::sync::Arc;

/// Bytes of stack that recursive calls get beyond the limit. A frame here holds every register that is live during the
/// call; a frame on a GPU holds only the registers that the callee changes.
const SAVED_REGISTERS: usize = 1024;

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub stream: Handle,
    attributes: *const LaunchAttribute,
    count: u32,
}

abi!(LaunchConfig = 56, 8 { grid: 0, block: 12, dynamic_shared: 24, stream: 32, attributes: 40, count: 48 });

/// `CUlaunchAttribute`.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct LaunchAttribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

abi!(LaunchAttribute = 72, 8 { id: 0, padding: 4, value: 8 });

/// Limits of a GPU for the axes of a block and of a grid.
const BLOCK_AXES: [u32; 3] = [1024, 1024, 64];
const GRID_AXES: [u32; 3] = [i32::MAX as u32, 65_535, 65_535];

/// Attributes that change how a kernel runs.
pub const COOPERATIVE: u32 = 2;
pub const CLUSTER: u32 = 4;

impl LaunchConfig {
    fn attributes(&self) -> Result<Vec<LaunchAttribute>> {
        // SAFETY: a `LaunchConfig` comes from a caller of the driver, whose contract is that `attributes` has `count` elements.
        unsafe { In::new(self.attributes) }.list(self.count as usize)
    }

    /// The requested cluster shape.
    pub fn cluster(&self) -> Result<Option<[u32; 3]>> {
        let attributes = self.attributes()?;
        let found = attributes.iter().find(|attribute| attribute.id == CLUSTER);
        Ok(found.map(|attribute| [attribute.value[0], attribute.value[1], attribute.value[2]]))
    }

    /// Refuses attributes that do not apply to launches.
    fn check_attributes(&self) -> Result {
        for attribute in self.attributes()? {
            match attribute.id {
                // The synchronization of streams, and numbers without a meaning.
                3 | 15 | 20.. => return Err(Status::InvalidValue),
                // Events to record: of the programmatic launch, and of its completion.
                7 | 12 if attribute.value[..2] == [0, 0] => return Err(Status::InvalidHandle),
                // Of nodes that a device updates.
                13 => return Err(Status::NotSupported),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether a cooperative launch is requested.
    fn is_cooperative(&self) -> Result<bool> {
        Ok(self
            .attributes()?
            .iter()
            .any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0))
    }
}

/// Arguments: a pointer per argument, or one packed buffer.
#[derive(Clone, Copy)]
pub struct Arguments<'call> {
    pub each: In<'call, *const c_void>,
    pub extra: In<'call, *const c_void>,
}

/// Keys of the packed form (`CU_LAUNCH_PARAM_...`).
const END: usize = 0;
const BUFFER: usize = 1;
const BUFFER_BYTES: usize = 2;

impl Arguments<'_> {
    /// Copies the arguments; `parameters` gives offset and size of each.
    ///
    /// # Safety
    /// The program passed the arguments for a function with these parameters.
    pub unsafe fn bytes(self, parameters: &[(usize, usize)]) -> Result<Vec<Vec<u8>>> {
        if parameters.is_empty() {
            return Ok(Vec::new());
        }
        if !self.each.is_null() {
            let value = |(index, &(_, size)): (usize, &(usize, usize))| {
                // SAFETY: `each` has a pointer for each parameter of the function, to a value of its size (contract of `bytes`).
                unsafe {
                    let from = self.each.as_ptr().add(index).read();
                    if from.is_null() {
                        Err(Status::InvalidValue)
                    } else {
                        Ok(std::slice::from_raw_parts(from.cast(), size).to_vec())
                    }
                }
            };
            return parameters.iter().enumerate().map(value).collect();
        }
        if self.extra.is_null() {
            return Err(Status::InvalidValue);
        }
        let (mut buffer, mut length) = (std::ptr::null::<u8>(), 0usize);
        for pair in 0.. {
            // SAFETY: `extra` is pairs of a key and a value up to the key `END`, at which the loop stops.
            let (key, value) = unsafe {
                (
                    self.extra.as_ptr().add(2 * pair).read() as usize,
                    self.extra.as_ptr().add(2 * pair + 1),
                )
            };
            match key {
                END => break,
                // SAFETY: `value` is the second element of the pair, as above.
                BUFFER => buffer = unsafe { value.read() }.cast(),
                // SAFETY: as above; for this key, the value is a pointer to the size.
                BUFFER_BYTES => length = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Status::InvalidValue),
            }
        }
        // SAFETY: the program passes the buffer with its length.
        let all = unsafe { In::new(buffer) }.list(length)?;
        parameters
            .iter()
            .map(|&(at, size)| {
                at.checked_add(size)
                    .and_then(|end| all.get(at..end))
                    .map(<[u8]>::to_vec)
                    .ok_or(Status::InvalidValue)
            })
            .collect()
    }
}

/// A launch configuration.
#[derive(Clone)]
pub struct Launch {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub cluster: Option<[u32; 3]>,
    pub cooperative: bool,
    pub stream: Handle,
}

impl Launch {
    /// Whether the kernel may wait for memory that others write.
    pub fn may_wait(&self) -> bool {
        let entry = table::<Function>().get(self.function).and_then(|function| function.entry());
        entry.is_ok_and(|entry| entry.may_wait)
    }

    /// Checks the launch against the limits of its kernel and of the GPU.
    ///
    /// # Errors
    /// If a GPU's driver would refuse the launch before queuing it.
    pub fn check(&self) -> Result {
        let function = table::<Function>().get(self.function)?;
        let module = function.module()?.1;
        let stream = driver()?.ordered_stream(self.stream)?;
        if module.context != stream.key.context {
            let why = "the kernel was loaded in a context other than the stream's";
            return Err(refuse(
                Status::InvalidHandle,
                why,
                "make the stream's device current, and launch a kernel that was loaded there",
            ));
        }
        self.check_shape(&function, &*module.entry(function.name())?)
    }

    /// Checks grid, block, shared memory, and the size of a cooperative grid.
    pub fn check_shape(&self, function: &Function, entry: &KernelEntry) -> Result {
        let invalid = |why: String, help: &str| Err(refuse(Status::InvalidValue, why, help));
        for axis in 0..3 {
            let name = ["x", "y", "z"][axis];
            let (block, grid) = (self.block[axis], self.grid[axis]);
            let (most_threads, most_blocks) = (BLOCK_AXES[axis], GRID_AXES[axis]);
            if block == 0 || grid == 0 {
                let what = if block == 0 { "block" } else { "grid" };
                return invalid(
                    format!("the {what} has size 0 in {name}"),
                    "every axis of grid and block is at least 1; launch nothing if there is nothing to do",
                );
            }
            if grid > most_blocks {
                return invalid(
                    format!("{grid} blocks in {name} exceed the limit of {most_blocks}"),
                    "put the longest axis in x, or let each thread do more",
                );
            }
            if block > most_threads {
                return invalid(
                    format!("{block} threads in {name} exceed the limit of {most_threads}"),
                    "use a smaller block and more blocks",
                );
            }
        }
        let [x, y, z] = self.block;
        let threads = x * y * z;
        let most = entry.max_threads.min(BLOCK);
        if threads > most {
            let (whose, help) = match most == BLOCK {
                true => ("the GPU allows", "use a smaller block and more blocks"),
                false => (
                    "the kernel allows",
                    "use a smaller block; the kernel's limit is its `__launch_bounds__`",
                ),
            };
            return invalid(
                format!("{threads} threads per block ({x} x {y} x {z}); {whose} at most {most}"),
                help,
            );
        }
        if let Some(required) = entry.required_block
            && required != self.block
        {
            let [rx, ry, rz] = required;
            return invalid(
                format!(
                    "a block of {x} x {y} x {z} threads; the kernel requires {rx} x {ry} x {rz}"
                ),
                "launch it with the block that it was compiled for",
            );
        }
        let (shared, most_shared) = (self.dynamic_shared, function.most_dynamic_shared(entry));
        if shared > most_shared {
            let fixed = entry.resources.static_shared;
            return invalid(
                format!(
                    "{shared} bytes of dynamic shared memory exceed the {most_shared} that the kernel may use in addition to its {fixed} static ones"
                ),
                "raise the limit by `cudaFuncSetAttribute` with `cudaFuncAttributeMaxDynamicSharedMemorySize`, or use a smaller tile",
            );
        }
        if let Some(cluster) = self.cluster {
            let size = cluster.iter().map(|axis| u64::from(*axis)).product::<u64>();
            let most = function.most_cluster() as u64;
            let divides = self
                .grid
                .iter()
                .zip(cluster)
                .all(|(blocks, axis)| axis != 0 && blocks.is_multiple_of(axis));
            if size == 0 || size > most || !divides {
                let [x, y, z] = cluster;
                return Err(refuse(
                    Status::InvalidClusterSize,
                    format!(
                        "a cluster of {x} x {y} x {z} blocks; the kernel allows 1 to {most} blocks that divide the grid"
                    ),
                    "let the cluster divide the grid on each axis; more than 8 blocks need `cudaFuncAttributeNonPortableClusterSizeAllowed`",
                ));
            }
        }
        if self.cooperative {
            let blocks = self.grid.iter().map(|axis| u64::from(*axis)).product::<u64>();
            let each = function.resident_blocks(threads, shared as usize)?;
            let fit = u64::from(each) * u64::from(model().gpu.multiprocessors);
            if blocks > fit {
                return Err(refuse(
                    Status::CooperativeLaunchTooLarge,
                    format!(
                        "a cooperative grid of {blocks} blocks is too large: {fit} blocks of this kernel fit on the device at once"
                    ),
                    format!("launch at most {fit} blocks, and let each do more"),
                ));
            }
        }
        Ok(())
    }

    /// Runs the launch. An invalid launch is an error of this call. A fault of the kernel is reported immediately, and later
    /// calls return its status.
    pub fn run_with(&self, arguments: &[Vec<u8>]) -> Result {
        let driver = driver()?;
        let context = driver.context()?;
        let function = table::<Function>().get(self.function)?;
        let module = function.module()?.1;
        if self.cluster.is_some_and(|cluster| cluster != [1; 3]) && !model().has_clusters() {
            warn(
                "a launch failed",
                &format!(
                    "blocks in clusters need sm_90, and the emulated {} has none",
                    model().gpu.name
                ),
            );
            return Err(Status::NotSupported);
        }
        references::bind_all(&module)?;
        let _alone = device_launch::has_queue(&module).then(|| lock(&module.launching));
        let mut shape = shape(self.grid, self.block, self.dynamic_shared);
        (shape.cluster, shape.cooperative) =
            (self.cluster.map(|[x, y, z]| (x, y, z).into()), self.cooperative);
        let mut tree =
            (device_launch::has_queue(&module) && ordering::active()).then(GridTree::default);
        let mut launched = |name: &str, child: Option<LaunchOfGrid>, shape, arguments: &[_]| {
            let run = || run(&module, name, shape, arguments);
            match &mut tree {
                Some(tree) => tree.run(name, child, run),
                None => (run(), 0),
            }
        };
        let (mut ended, mut parent) = launched(function.name(), None, shape, arguments);
        // The children of a grid run after it, depth first.
        let mut waiting = Vec::new();
        loop {
            let failed = match ended {
                Ok(()) => None,
                Err((status, false)) => return Err(status),
                Err((status, true)) => Some(status),
            };
            let children = device_launch::take(&module, driver);
            let failed = failed.or(children.as_ref().err().copied());
            if let Some(status) = failed {
                context.fail(status);
                return Ok(());
            }
            waiting.extend(children.into_iter().flatten().rev().map(|child| (parent, child)));
            let Some((of, child)) = waiting.pop() else { break };
            let shape = self::shape(child.grid, child.block, child.dynamic_shared);
            let arguments = &child.arguments;
            let Child { number, stream, .. } = child;
            let launch = LaunchOfGrid { parent: of, number, stream };
            let (result, index) = launched(&child.kernel, Some(launch), shape, arguments);
            // An invalid child launch is an error of the kernel.
            (ended, parent) = (result.map_err(|(status, _)| (status, true)), index);
        }
        if let Some(tree) = tree {
            tree.races().into_iter().for_each(|race| report_grids(driver, race));
        }
        Ok(())
    }
}

/// Reports two grids that race.
fn report_grids(driver: &Driver, race: GridRace) {
    let GridRace { first, second, is_parent, bytes } = race;
    let operation = |name: String, role| {
        let action = Action::Grid(name, role);
        Arc::new(Operation { action, stream: StreamName::Default, polls: false, site: None })
    };
    let role = if is_parent { "parent" } else { "child" };
    let relation = if is_parent { Relation::Parent } else { Relation::Siblings };
    let first = (operation(first.0, role), first.1);
    let second = (operation(second.0, "child"), second.1);
    ordering::report(driver, Race { first, second, relation, bytes });
}

/// A shape without clusters.
fn shape(grid: [u32; 3], block: [u32; 3], dynamic_shared: u32) -> PtxShape {
    let three = |[x, y, z]: [u32; 3]| (x, y, z);
    PtxShape::new(three(grid), three(block)).shared_bytes(dynamic_shared)
}

/// Runs one grid. Reports errors, and returns them with whether the kernel caused them.
fn run(
    module: &Module,
    kernel: &str,
    shape: PtxShape,
    arguments: &[Vec<u8>],
) -> std::result::Result<(), (Status, bool)> {
    let arguments: Vec<PtxArg<'_>> = arguments.iter().cloned().map(PtxArg::Bytes).collect();
    let context = driver().and_then(|driver| driver.context());
    let stack = context.map_or(0, |context| context.stack_bytes() + SAVED_REGISTERS);
    // SAFETY: the device is an emulator (`state::start`), which checks every access of the kernel.
    let launch = || unsafe { module.code.launch(kernel, shape, &arguments) };
    let ran = lanework::emulator::workspace::with_stack_bytes(stack, launch);
    ran.map(drop).map_err(|error| {
        let error = memory_names::in_words_of_program(error);
        if !detached::is_quiet() {
            warn("a launch failed", &error);
        }
        of_launch(&error)
    })
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct KernelNodeParameters {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub each: *const *const c_void,
    pub extra: *const *const c_void,
    pub kernel: Handle,
    pub context: Handle,
}

abi!(KernelNodeParameters = 72, 8 { function: 0, grid: 8, block: 20, dynamic_shared: 32, each: 40, extra: 48, kernel: 56, context: 64 });

/// The launch of a node, and its arguments.
pub fn kernel_node(parameters: In<'_, KernelNodeParameters>) -> Result<(Launch, Vec<Vec<u8>>)> {
    let parameters = parameters.get()?;
    let KernelNodeParameters { grid, block, dynamic_shared, each, extra, .. } = parameters;
    let handle = if parameters.function == 0 { parameters.kernel } else { parameters.function };
    let function = table::<Function>().get(handle)?;
    let entry = function.entry()?;
    // SAFETY: the program passes the arguments with the function that the parameters name.
    let arguments = unsafe {
        Arguments { each: In::new(each), extra: In::new(extra) }.bytes(&entry.parameters)
    }?;
    let (cluster, cooperative, stream) = (None, false, 0);
    let launch =
        Launch { function: handle, grid, block, dynamic_shared, cluster, cooperative, stream };
    launch.check_shape(&function, &entry)?;
    Ok((launch, arguments))
}

impl Launch {
    /// Queues the launch.
    pub fn submit(self, arguments: Arguments<'_>) -> Result {
        let driver = driver()?;
        let entry = table::<Function>().get(self.function)?.entry()?;
        // SAFETY: the program passes the arguments with the function that the launch names.
        let arguments = unsafe { arguments.bytes(&entry.parameters) }?;
        driver.submit(self.stream, Work::Launch(self, arguments))
    }
}

api! {
    fn cuLaunchKernel(function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, dynamic_shared: u32, stream: Handle, each: In<'_, *const c_void>, extra: In<'_, *const c_void>) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { function, grid, block, dynamic_shared, cluster: None, cooperative: false, stream };
        launch.submit(Arguments { each, extra })
    }

    fn cuLaunchCooperativeKernel(function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, dynamic_shared: u32, stream: Handle, each: In<'_, *const c_void>) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { function, grid, block, dynamic_shared, cluster: None, cooperative: true, stream };
        launch.submit(Arguments { each, extra: In::NULL })
    }

    fn cuLaunchKernelEx(config: In<'_, LaunchConfig>, function: Handle, each: In<'_, *const c_void>, extra: In<'_, *const c_void>) {
        let config = config.get()?;
        config.check_attributes()?;
        let (cluster, cooperative) = (config.cluster()?, config.is_cooperative()?);
        let LaunchConfig { grid, block, dynamic_shared, stream, .. } = config;
        let launch = Launch { function, grid, block, dynamic_shared, cluster, cooperative, stream };
        launch.submit(Arguments { each, extra })
    }
}
