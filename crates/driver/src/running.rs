//! Running kernels: the launch on the emulator, and what its errors become.

use crate::api::say;
use crate::function::Function;
use crate::handles::Handle;
use crate::launch::{Arguments, Launch};
use crate::state::{driver, table};
use crate::status::{Result, Status, of_launch};
use lanework::{PtxArg, PtxShape};
use std::ffi::c_void;

impl Launch {
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
        let arguments: Vec<PtxArg<'_>> = arguments.iter().cloned().map(PtxArg::Bytes).collect();
        let mut shape =
            PtxShape::new(self.grid_dim(), self.block_dim()).shared_bytes(self.dynamic_shared);
        (shape.cluster, shape.cooperative) =
            (self.cluster.map(|[x, y, z]| (x, y, z).into()), self.cooperative);
        // SAFETY: the emulator checks every access.
        let ran = unsafe { module.code.launch(function.name(), shape, &arguments) };
        let Err(error) = ran else { return Ok(()) };
        say("a launch failed", &error);
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
    let entry = table::<Function>().get(handle)?.entry()?;
    // SAFETY: by the caller.
    let arguments = unsafe { Arguments { each, extra }.bytes(&entry.parameters) }?;
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
