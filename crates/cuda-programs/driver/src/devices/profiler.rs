//! The profiler's range: programs that mark one find it accepted. What `lanework exec --profile` counts is the whole program.

use crate::api::api;
use crate::state::driver;
use crate::status::Status;
use std::ffi::c_char;

api! {
    fn cuProfilerInitialize(_config: *const c_char, _output: *const c_char, _mode: i32) {
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
