//! Host functions that streams call, and a host that uses the results of the work before them: at once, after a wait, or
//! when the function has told it.

use crate::Scenario;
use crate::gpu::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Programs with the race: name, program, and part of the finding.
pub const RACING: &[(&str, fn(), &str)] = &[
    (
        "a copy and a host function without a wait",
        || {
            let (x, host, (a, _)) = (filled(), pinned(), two());
            copy_async(host, x, a);
            call_host(a);
            look(host);
            synchronize(a);
        },
        "reads cuMemAllocHost+0, which `cudaMemcpyAsync` of 4096 bytes (stream 1) writes, and nothing has waited for the copy",
    ),
    (
        "a kernel and a host function without a wait",
        || {
            let (gpu, x, (a, _)) = (Gpu::new(), managed(), two());
            gpu.fill(x, a);
            call_host(a);
            look(x);
        },
        "race with the host: the host",
    ),
    (
        "a flag of the host function that is set already",
        || {
            let (x, host, (a, _)) = (filled(), pinned(), two());
            DONE.store(true, Ordering::Release);
            copy_async(host, x, a);
            tell_host(a);
            wait_for_flag();
            look(host);
            synchronize(a);
        },
        "race with the host: the host",
    ),
];

/// Programs without it.
pub const CORRECT: &[Scenario] = &[
    ("a flag that a host function sets", || {
        let (x, host, (a, _)) = (filled(), pinned(), two());
        for _ in 0..3 {
            DONE.store(false, Ordering::Release);
            copy_async(host, x, a);
            tell_host(a);
            wait_for_flag();
            look(host);
        }
    }),
    ("a flag that a host function sets, asleep", || {
        let (gpu, x, (a, _)) = (Gpu::new(), managed(), two());
        gpu.fill(x, a);
        tell_host(a);
        while !DONE.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
        look(x);
    }),
    ("a host function and a wait", || {
        let (gpu, x, host, (a, _)) = (Gpu::new(), buffer(), pinned(), two());
        gpu.fill(x, a);
        copy_async(host, x, a);
        call_host(a);
        synchronize(a);
        look(host);
    }),
    ("a host function that uses the results", || {
        let (x, host, (a, _)) = (filled(), pinned(), two());
        copy_async(host, x, a);
        good(call!("cuLaunchHostFunc"(
            a => u64, use_result => extern "C" fn(*mut c_void), host as *mut c_void => *mut c_void
        )));
    }),
];

static DONE: AtomicBool = AtomicBool::new(false);

extern "C" fn tell(_: *mut c_void) {
    DONE.store(true, Ordering::Release);
}

extern "C" fn use_result(at: *mut c_void) {
    look(at as u64);
}

/// Queues a host function that sets the flag.
pub fn tell_host(stream: u64) {
    good(call!("cuLaunchHostFunc"(
        stream => u64, tell => extern "C" fn(*mut c_void), std::ptr::null_mut() => *mut c_void
    )));
}

/// Waits for the flag without a call.
pub fn wait_for_flag() {
    while !DONE.load(Ordering::Acquire) {
        std::hint::spin_loop();
    }
}
