//! Launches.

use crate::api::api;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::launches::launch::{Arguments, Config, Launch};
use crate::modules::function::Function;
use crate::state::{driver, table};
use crate::status::{Result, Status};
use std::ffi::c_void;

impl Launch {
    /// Queues it.
    ///
    /// # Safety
    /// The arguments are as C passes them.
    pub unsafe fn submit(self, arguments: Arguments) -> Result {
        let driver = driver()?;
        let entry = table::<Function>().get(self.function)?.entry()?;
        // SAFETY: by the caller.
        unsafe {
            let arguments = arguments.bytes(&entry.parameters)?;
            driver.submit(self.stream, Work::Launch(self, arguments))
        }
    }
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
        let (cluster, cooperative) = unsafe { (config.cluster()?, config.is_cooperative()?) };
        let Config { grid, block, dynamic_shared, stream, .. } = *config;
        let launch = Launch { function, grid, block, dynamic_shared, cluster, cooperative, stream };
        // SAFETY: by the caller.
        unsafe { launch.submit(Arguments { each, extra }) }
    }
}
