//! Launches.

use crate::api::api;
use crate::graphs::work::Work;
use crate::handles::Handle;
use crate::launches::launch::{Arguments, Config, Launch};
use crate::modules::function::Function;
use crate::pointers::In;
use crate::state::{driver, table};
use crate::status::Result;
use std::ffi::c_void;

impl Launch {
    /// Queues it.
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

    fn cuLaunchKernelEx(config: In<'_, Config>, function: Handle, each: In<'_, *const c_void>, extra: In<'_, *const c_void>) {
        let config = config.get()?;
        let (cluster, cooperative) = (config.cluster()?, config.is_cooperative()?);
        let Config { grid, block, dynamic_shared, stream, .. } = config;
        let launch = Launch { function, grid, block, dynamic_shared, cluster, cooperative, stream };
        launch.submit(Arguments { each, extra })
    }
}
