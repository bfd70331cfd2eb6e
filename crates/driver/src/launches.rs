//! Launches.

use crate::api::api;
use crate::functions::resources;
use crate::graphs::Work;
use crate::handles::Handle;
use crate::state::driver;
use crate::status::{Result, Status, of_launch};
use lanework::ptx::Function as Entry;
use lanework::{PtxArg, PtxShape};
use std::ffi::c_void;

/// `CUlaunchConfig`.
#[repr(C)]
pub struct Config {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    stream: Handle,
    attributes: *const Attribute,
    count: u32,
}

/// `CUlaunchAttribute`.
#[repr(C)]
pub struct Attribute {
    id: u32,
    padding: u32,
    value: [u32; 16],
}

/// Bytes in which a GPU allocates shared memory.
const SHARED_UNIT: u32 = 128;
/// Attributes that change what a launch does.
const COOPERATIVE: u32 = 2;
const CLUSTER: u32 = 4;

impl Config {
    /// The attributes.
    ///
    /// # Safety
    /// The config is as C passes it.
    unsafe fn attributes(&self) -> &[Attribute] {
        // SAFETY: by the caller.
        unsafe { crate::pointers::slice(self.attributes, self.count as usize) }
    }

    /// The shape of a cluster that it asks for.
    ///
    /// # Safety
    /// The config is as C passes it.
    pub unsafe fn cluster(&self) -> Option<[u32; 3]> {
        // SAFETY: by the caller.
        let attributes = unsafe { self.attributes() };
        let found = attributes.iter().find(|attribute| attribute.id == CLUSTER);
        found.map(|attribute| [attribute.value[0], attribute.value[1], attribute.value[2]])
    }

    /// Whether it asks for a cooperative launch.
    ///
    /// # Safety
    /// The config is as C passes it.
    unsafe fn is_cooperative(&self) -> bool {
        // SAFETY: by the caller.
        unsafe { self.attributes() }
            .iter()
            .any(|attribute| attribute.id == COOPERATIVE && attribute.value[0] != 0)
    }
}

/// Place and size of each parameter in the buffer of all.
pub fn offsets(entry: &Entry) -> impl Iterator<Item = (usize, usize)> {
    entry.params.iter().scan(0usize, |end, parameter| {
        let at = end.next_multiple_of(parameter.alignment().max(1) as usize);
        *end = at + parameter.size() as usize;
        Some((at, parameter.size() as usize))
    })
}

/// Where the arguments are: a pointer to each, or a buffer of all.
#[derive(Clone, Copy)]
pub struct Arguments {
    pub each: *const *const c_void,
    pub extra: *const *const c_void,
}

/// Keys of the second form (`CU_LAUNCH_PARAM_...`).
const END: usize = 0;
const BUFFER: usize = 1;
const BUFFER_BYTES: usize = 2;

impl Arguments {
    /// The bytes of each argument.
    ///
    /// # Safety
    /// They are as C passes them for this entry.
    unsafe fn bytes(self, entry: &Entry) -> Result<Vec<Vec<u8>>> {
        if entry.params.is_empty() {
            return Ok(Vec::new());
        }
        if !self.each.is_null() {
            let value = |(index, (_, size)): (usize, (usize, usize))| {
                // SAFETY: by the caller, there is a pointer for each parameter to as many bytes.
                unsafe {
                    let from = self.each.add(index).read();
                    if from.is_null() {
                        Err(Status::InvalidValue)
                    } else {
                        Ok(crate::pointers::slice(from.cast(), size).to_vec())
                    }
                }
            };
            return offsets(entry).enumerate().map(value).collect();
        }
        if self.extra.is_null() {
            return Err(Status::InvalidValue);
        }
        let (mut buffer, mut length) = (std::ptr::null::<u8>(), 0usize);
        for pair in 0.. {
            // SAFETY: by the caller, pairs of a key and a value, up to the end's key.
            let (key, value) =
                unsafe { (self.extra.add(2 * pair).read() as usize, self.extra.add(2 * pair + 1)) };
            match key {
                END => break,
                // SAFETY: as above.
                BUFFER => buffer = unsafe { value.read() }.cast(),
                // SAFETY: as above, a pointer to the size.
                BUFFER_BYTES => length = unsafe { value.read().cast::<usize>().read() },
                _ => return Err(Status::InvalidValue),
            }
        }
        // SAFETY: by the caller, the buffer has the length.
        let all = unsafe { crate::pointers::slice(buffer, length) };
        offsets(entry)
            .map(|(at, size)| {
                all.get(at..at + size).map(<[u8]>::to_vec).ok_or(Status::InvalidValue)
            })
            .collect()
    }
}

/// The shape of a launch.
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
    /// Queues it.
    ///
    /// # Safety
    /// The arguments are as C passes them.
    unsafe fn submit(self, arguments: Arguments) -> Result {
        let driver = driver()?;
        let function = driver.functions.get(self.function)?;
        let module = function.module()?;
        let entry = module.code.module().entry(function.name()).ok_or(Status::NotFound)?;
        // SAFETY: by the caller.
        unsafe {
            let arguments = arguments.bytes(entry)?;
            driver.submit(self.stream, Work::Launch(self, arguments))
        }
    }

    /// Runs it. What the launch itself gets wrong is its error; what the kernel does wrong is reported now, and is the error of later calls.
    pub fn run_with(&self, arguments: &[Vec<u8>]) -> Result {
        let driver = driver()?;
        let context = driver.context()?;
        let function = driver.functions.get(self.function)?;
        let module = function.module()?;
        let entry = module.code.module().entry(function.name()).ok_or(Status::NotFound)?;
        if self.grid.contains(&0) || self.block.contains(&0) {
            return Err(Status::InvalidValue);
        }
        let resources = resources(&module, function.name());
        if self.dynamic_shared > function.most_dynamic_shared(&resources) {
            return Err(Status::InvalidValue);
        }
        if self.block.iter().product::<u32>() > entry.max_threads().unwrap_or(1024) {
            return Err(Status::InvalidValue);
        }
        let arguments: Vec<PtxArg<'_>> = arguments.iter().cloned().map(PtxArg::Bytes).collect();
        let shared = match driver.device.is_sanitized() || self.dynamic_shared > 0 {
            true => self.dynamic_shared,
            // A GPU gives shared memory in units, and notices no access beyond an array but within its unit.
            false => {
                resources.static_shared.next_multiple_of(SHARED_UNIT) - resources.static_shared
            }
        };
        let mut shape = PtxShape::new(self.grid_dim(), self.block_dim()).shared_bytes(shared);
        (shape.cluster, shape.cooperative) =
            (self.cluster.map(|[x, y, z]| (x, y, z).into()), self.cooperative);
        // SAFETY: the emulator checks every access.
        let ran = unsafe { module.code.launch(function.name(), shape, &arguments) };
        let Err(error) = ran else { return Ok(()) };
        crate::modules::say("a launch failed", &error);
        match of_launch(&error) {
            (status, false) => Err(status),
            (status, true) => {
                context.fail(status);
                Ok(())
            }
        }
    }

    fn grid_dim(&self) -> (u32, u32, u32) {
        (self.grid[0], self.grid[1], self.grid[2])
    }

    fn block_dim(&self) -> (u32, u32, u32) {
        (self.block[0], self.block[1], self.block[2])
    }
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[repr(C)]
struct NodeParameters {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    each: *const *const c_void,
    extra: *const *const c_void,
    kernel: Handle,
    context: Handle,
}

/// The launch of a node, and its arguments.
///
/// # Safety
/// The parameters are as C passes them.
pub unsafe fn kernel_node(parameters: *const c_void) -> Result<(Launch, Vec<Vec<u8>>)> {
    // SAFETY: by the caller.
    let parameters =
        unsafe { parameters.cast::<NodeParameters>().as_ref() }.ok_or(Status::InvalidValue)?;
    let NodeParameters { grid, block, dynamic_shared, each, extra, .. } = *parameters;
    let handle = if parameters.function == 0 { parameters.kernel } else { parameters.function };
    let function = driver()?.functions.get(handle)?;
    let module = function.module()?;
    let entry = module.code.module().entry(function.name()).ok_or(Status::NotFound)?;
    // SAFETY: by the caller.
    let arguments = unsafe { Arguments { each, extra }.bytes(entry) }?;
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

api! {
    fn cuLaunchKernel(function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, dynamic_shared: u32, stream: Handle, each: *const *const c_void, extra: *const *const c_void) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { function, grid, block, dynamic_shared, cluster: None, cooperative: false, stream };
        // SAFETY: by the caller.
        unsafe { launch.submit(Arguments { each, extra }) }
    }

    fn cuLaunchCooperativeKernel(function: Handle, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32, dynamic_shared: u32, stream: Handle, each: *const *const c_void) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = Launch { function, grid, block, dynamic_shared, cluster: None, cooperative: true, stream };
        // SAFETY: by the caller.
        unsafe { launch.submit(Arguments { each, extra: std::ptr::null() }) }
    }

    fn cuLaunchKernelEx(config: *const Config, function: Handle, each: *const *const c_void, extra: *const *const c_void) {
        // SAFETY: by the caller.
        let config = unsafe { config.as_ref() }.ok_or(Status::InvalidValue)?;
        // SAFETY: by the caller.
        let (cluster, cooperative) = unsafe { (config.cluster(), config.is_cooperative()) };
        let Config { grid, block, dynamic_shared, stream, .. } = *config;
        let launch = Launch { function, grid, block, dynamic_shared, cluster, cooperative, stream };
        // SAFETY: by the caller.
        unsafe { launch.submit(Arguments { each, extra }) }
    }
}
