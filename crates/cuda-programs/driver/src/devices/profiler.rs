//! The profiler's range: programs that mark one find it accepted. What `lanework exec --profile` counts is the whole program.

use crate::api::api;
use crate::pointers::Text;
use crate::state::driver;
use crate::status::Status;

api! {
    fn cuProfilerInitialize(_config: Text<'_>, _output: Text<'_>, _mode: i32) {
        driver()?;
        // Long obsolete: as the drivers of today.
        Err(Status::NotSupported)
    }

    fn cuProfilerStart() {
        driver()?.context().map(drop)
    }

    fn cuProfilerStop() {
        driver()?.context().map(drop)
    }
}
