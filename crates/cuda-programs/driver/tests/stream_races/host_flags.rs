//! Kernels that write data and then a flag which the host reads, with and without a fence of system scope.

use crate::Scenario;
use crate::common::{context, kernel};
use crate::gpu::*;
use crate::host_functions::{tell_host, wait_for_flag};
use std::ffi::c_void;

/// Part of the finding.
pub const MISSING: &str = "has no fence of system scope between that and its write of a flag at";

/// Programs with the race.
const RACING: &[Scenario] = &[
    ("a flag for the host without a fence", || told(pinned, "st.volatile.global.u32 [%rd2], 1;")),
    ("a flag for the host by an atomic", || told(managed, "red.sys.global.add.u32 [%rd2], 1;")),
    ("a fence of the device before a flag for the host", || {
        told(pinned, "fence.acq_rel.gpu; st.volatile.global.u32 [%rd2], 1;");
    }),
    ("a fence after the flag for the host", || {
        told(pinned, "st.volatile.global.u32 [%rd2], 1; membar.sys;");
    }),
    ("a second write after the fence", || {
        told(pinned, "membar.sys; st.global.u32 [%rd1], 9; st.relaxed.sys.global.u32 [%rd2], 1;");
    }),
];

/// Programs whose kernels do not signal the host, because their atomics are not of system scope: name, program, and part of
/// the finding.
pub const NARROW: &[(&str, fn(), &str)] = &[
    (
        "a release to the device",
        || told(managed, "st.release.gpu.global.u32 [%rd2], 1;"),
        "and nothing has waited for the kernel",
    ),
    (
        "a counter that the host reads too early",
        || told(pinned, "red.global.add.u32 [%rd2], 1;"),
        "and nothing has waited for the kernel",
    ),
];

/// Programs with the race between the host and words beside a flag in one page.
const IN_ONE_PAGE: &[Scenario] = &[("a flag and data in one page", || {
    context();
    let (x, (a, _)) = (pinned(), two());
    launch("st.volatile.global.u32 [%rd2], 1;", x + 512, x, a);
    for _ in 0..3 {
        look(x);
    }
    change(x + 4);
    look(x + 512);
})];

/// All programs with the race. Accesses beside the data are let through only on x86-64.
pub fn racing() -> impl Iterator<Item = &'static Scenario> {
    let in_one_page = if cfg!(target_arch = "x86_64") { IN_ONE_PAGE } else { &[] };
    RACING.iter().chain(in_one_page)
}

/// Programs without it.
pub const CORRECT: &[Scenario] = &[
    ("a fence of the system before a flag for the host", || {
        told(pinned, "membar.sys; st.volatile.global.u32 [%rd2], 1;");
    }),
    ("a fence of the system before an atomic for the host", || {
        told(managed, "fence.acq_rel.sys; red.sys.global.add.u32 [%rd2], 1;");
    }),
    ("a release to the system", || told(managed, "st.release.sys.global.u32 [%rd2], 1;")),
    ("an atomic release to the system", || {
        told(pinned, "atom.acq_rel.sys.global.add.u32 %r1, [%rd2], 1;");
    }),
    ("a flag without a fence, and a wait", || {
        context();
        let (x, flag, (a, _)) = (pinned(), pinned(), two());
        launch("st.volatile.global.u32 [%rd2], 1;", x, flag, a);
        look(flag);
        synchronize(a);
        look(x);
    }),
    ("a flag without a fence, and a callback", || {
        context();
        let (x, flag, (a, _)) = (pinned(), pinned(), two());
        launch("st.volatile.global.u32 [%rd2], 1;", x, flag, a);
        tell_host(a);
        wait_for_flag();
        look(x);
    }),
    ("a flag without a fence, and the flag of the next kernel", || {
        context();
        let (x, flag, (a, _)) = (pinned(), pinned(), two());
        launch("st.volatile.global.u32 [%rd2], 1;", x, flag, a);
        let (y, next) = (pinned(), pinned());
        launch("membar.sys; st.volatile.global.u32 [%rd2], 1;", y, next, a);
        look(next);
        look(x);
    }),
    ("a flag with a fence and data in one page", || {
        context();
        let (x, (a, _)) = (pinned(), two());
        launch("membar.sys; st.volatile.global.u32 [%rd2], 1;", x + 512, x, a);
        look(x);
        look(x + 512);
    }),
    ("a flag without a fence beside data, and a wait", || {
        context();
        let (x, (a, _)) = (pinned(), two());
        launch("st.volatile.global.u32 [%rd2], 1;", x + 512, x, a);
        look(x);
        change(x + 1024);
        synchronize(a);
        look(x + 512);
    }),
    ("a flag without a fence for data that the host does not read", || {
        context();
        let (x, flag, (a, _)) = (buffer(), pinned(), two());
        launch("st.volatile.global.u32 [%rd2], 1;", x, flag, a);
        look(flag);
    }),
];

/// A kernel fills memory and writes a flag, and the host reads the flag and then the memory.
fn told(memory: fn() -> u64, signal: &str) {
    context();
    let (x, flag, (a, _)) = (memory(), pinned(), two());
    launch(signal, x, flag, a);
    look(flag);
    look(x);
}

/// Launches a block of 128 threads: all write a word of `to`, and after a barrier thread 0 writes the flag.
fn launch(signal: &str, to: u64, flag: u64, stream: u64) {
    let ptx = format!(
        ".version 8.0
.target sm_80
.address_size 64
.visible .entry tell(.param .u64 to, .param .u64 flag)
{{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [flag];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4; add.u64 %rd3, %rd1, %rd3;
    st.global.u32 [%rd3], %r2;
    bar.sync 0;
    setp.ne.u32 %p, %r2, 0;
    @%p ret;
    {signal}
    ret;
}}
\0"
    );
    let function = kernel(&ptx, "tell");
    let arguments = [to, flag];
    let mut places: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    good(call!("cuLaunchKernel"(
        function => u64, 1 => u32, 1 => u32, 1 => u32, 128 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
        places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
    )));
}
