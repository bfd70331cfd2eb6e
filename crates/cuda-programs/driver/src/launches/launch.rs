//! Kernel launches: parameters, queuing, and execution on the emulator.

use crate::api::{api, warn};
use crate::devices::gpus::model;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::launches::device_launch;
use crate::launches::device_launch::Child;
use crate::modules::function::Function;
use crate::modules::module::Module;
use crate::pointers::{In, abi};
use crate::state::{driver, lock, table};
use crate::status::{Result, Status, of_launch};
use crate::streams::detached;
use crate::textures::references;
use lanework::{PtxArg, PtxShape};
use std::ffi::c_void;

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
    /// Copies the arguments, given offset and size of each parameter.
    ///
    /// # Safety
    /// They were passed for a function with these parameters.
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
                // SAFETY: the value behind its key.
                BUFFER => buffer = unsafe { value.read() }.cast(),
                // SAFETY: the value behind this key is a pointer to the size.
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

    /// Runs it. A wrong launch is an error now; a fault of the kernel is reported now, and is returned by later calls.
    pub fn run_with(&self, arguments: &[Vec<u8>]) -> Result {
        let driver = driver()?;
        let context = driver.context()?;
        let function = table::<Function>().get(self.function)?;
        let module = function.module()?.1;
        let entry = module.entry(function.name())?;
        if self.grid.contains(&0) || self.block.contains(&0) {
            return Err(Status::InvalidValue);
        }
        if self.dynamic_shared > function.most_dynamic_shared(&entry) {
            return Err(Status::InvalidValue);
        }
        let threads = self.block.iter().try_fold(1u32, |all, &axis| all.checked_mul(axis));
        if threads.is_none_or(|threads| threads > entry.max_threads) {
            return Err(Status::InvalidValue);
        }
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
        let mut ended = run(&module, function.name(), shape, arguments);
        // A grid is followed by its children, depth first.
        let mut waiting = Vec::new();
        loop {
            let failed = match ended {
                Ok(()) => None,
                Err((status, false)) => return Err(status),
                Err((status, true)) => Some(status),
            };
            let launched = device_launch::take(&module, driver);
            let failed = failed.or(launched.as_ref().err().copied());
            if let Some(status) = failed {
                context.fail(status);
                return Ok(());
            }
            waiting.extend(launched.into_iter().flatten().rev());
            let Some(child) = waiting.pop() else { return Ok(()) };
            let Child { kernel, grid, block, dynamic_shared, arguments } = child;
            // A wrong child launch is an error of the kernel.
            ended = run(&module, &kernel, self::shape(grid, block, dynamic_shared), &arguments)
                .map_err(|(status, _)| (status, true));
        }
    }
}

/// A shape without clusters.
fn shape(grid: [u32; 3], block: [u32; 3], dynamic_shared: u32) -> PtxShape {
    let three = |[x, y, z]: [u32; 3]| (x, y, z);
    PtxShape::new(three(grid), three(block)).shared_bytes(dynamic_shared)
}

/// Runs one grid. Errors are reported, and returned with whether the kernel caused them.
fn run(
    module: &Module,
    kernel: &str,
    shape: PtxShape,
    arguments: &[Vec<u8>],
) -> std::result::Result<(), (Status, bool)> {
    let arguments: Vec<PtxArg<'_>> = arguments.iter().cloned().map(PtxArg::Bytes).collect();
    // SAFETY: the emulator checks every access.
    let ran = unsafe { module.code.launch(kernel, shape, &arguments) };
    ran.map(drop).map_err(|error| {
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
    let entry = table::<Function>().get(handle)?.entry()?;
    // SAFETY: the program passes the arguments with the function that the parameters name.
    let arguments = unsafe {
        Arguments { each: In::new(each), extra: In::new(extra) }.bytes(&entry.parameters)
    }?;
    Ok((
        Launch {
            function: handle,
            grid,
            block,
            dynamic_shared,
            cluster: None,
            cooperative: false,
            stream: 0,
        },
        arguments,
    ))
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
        let (cluster, cooperative) = (config.cluster()?, config.is_cooperative()?);
        let LaunchConfig { grid, block, dynamic_shared, stream, .. } = config;
        let launch = Launch { function, grid, block, dynamic_shared, cluster, cooperative, stream };
        launch.submit(Arguments { each, extra })
    }
}
