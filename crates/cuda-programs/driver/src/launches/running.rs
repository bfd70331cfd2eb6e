//! Running kernels: the launch on the emulator, and what its errors become.

use crate::api::say;
use crate::devices::model::model;
use crate::handles::Handle;
use crate::launches::device_launch::{self, Child};
use crate::launches::launch::{Arguments, Launch};
use crate::lock::lock;
use crate::modules::function::Function;
use crate::modules::module::Module;
use crate::pointers::{In, abi};
use crate::state::{driver, table};
use crate::status::{Result, Status, of_launch};
use crate::streams::detached;
use crate::textures::reference;
use lanework::{PtxArg, PtxShape};
use std::ffi::c_void;

impl Launch {
    /// Whether it may wait for what others write.
    pub fn may_wait(&self) -> bool {
        let entry = table::<Function>().get(self.function).and_then(|function| function.entry());
        entry.is_ok_and(|entry| entry.may_wait)
    }

    /// Runs it. What the launch itself gets wrong is its error; what the kernel does wrong is reported now, and is the error of later calls.
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
            say(
                "a launch failed",
                &format!(
                    "blocks in clusters need sm_90, and the emulated {} has none",
                    model().gpu.name
                ),
            );
            return Err(Status::NotSupported);
        }
        reference::bind_all(&module)?;
        let _alone = device_launch::has_queue(&module).then(|| lock(&module.launching));
        let mut shape = shape(self.grid, self.block, self.dynamic_shared);
        (shape.cluster, shape.cooperative) =
            (self.cluster.map(|[x, y, z]| (x, y, z).into()), self.cooperative);
        let mut ended = run(&module, function.name(), shape, arguments);
        // A grid is followed by those that it launched, each with all of its own.
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
            // A launch that a kernel got wrong is the kernel's error.
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

/// Runs one grid. What goes wrong is said, and given with whether the kernel did it.
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
            say("a launch failed", &error);
        }
        of_launch(&error)
    })
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NodeParameters {
    pub function: Handle,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub each: *const *const c_void,
    pub extra: *const *const c_void,
    pub kernel: Handle,
    pub context: Handle,
}

abi!(NodeParameters = 72, 8 { function: 0, grid: 8, block: 20, dynamic_shared: 32, each: 40, extra: 48, kernel: 56, context: 64 });

/// The launch of a node, and its arguments.
pub fn kernel_node(parameters: In<'_, NodeParameters>) -> Result<(Launch, Vec<Vec<u8>>)> {
    let parameters = parameters.get()?;
    let NodeParameters { grid, block, dynamic_shared, each, extra, .. } = parameters;
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
