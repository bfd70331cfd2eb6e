//! Misuse gives an error status and never a crash: bad pointers, wrong handles, overflowing sizes, concurrent calls.

use crate::common::{allocate, context, download, kernel, launch, upload};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 x) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [x];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, 1;
    st.global.u32 [%rd1], %r2;
    ret;
}
\0";

/// Statuses.
const INVALID_VALUE: i32 = 1;
const INVALID_CONTEXT: i32 = 201;
const INVALID_HANDLE: i32 = 400;
const ILLEGAL_ADDRESS: i32 = 700;

/// Unmapped addresses: low, in between, non-canonical, and the last one.
const NOWHERE: [u64; 5] = [8, 0x1000, 0x1234_5678_9abc, 0xdead_beef_dead_beef, u64::MAX];

#[test]
fn copies_to_and_from_nowhere_are_refused() {
    if !crate::common::is_alone("misuse::copies_to_and_from_nowhere_are_refused") {
        return;
    }
    context();
    let x = allocate(64);
    let mut host = [0u8; 64];
    let own = host.as_mut_ptr() as u64;
    for nowhere in NOWHERE.into_iter().chain([0]) {
        for bytes in [1usize, 64, 1 << 20] {
            for (to, from) in
                [(nowhere, x), (x, nowhere), (nowhere, own), (own, nowhere), (nowhere, nowhere)]
            {
                assert_eq!(
                    call!("cuMemcpy"(to => u64, from => u64, bytes => usize)),
                    INVALID_VALUE,
                    "{to:x} {from:x} {bytes}"
                );
            }
            assert_eq!(
                call!("cuMemcpyHtoD"(x => u64, nowhere => u64, bytes => usize)),
                INVALID_VALUE
            );
            assert_eq!(
                call!("cuMemcpyDtoH"(nowhere => u64, x => u64, bytes => usize)),
                INVALID_VALUE
            );
            assert_eq!(
                call!("cuMemcpyDtoD"(nowhere => u64, x => u64, bytes => usize)),
                INVALID_VALUE
            );
            assert_eq!(call!("cuMemsetD8"(nowhere => u64, 0 => u8, bytes => usize)), INVALID_VALUE);
        }
    }
    assert_eq!(call!("cuMemcpyDtoH"(own => u64, x => u64, 65 => usize)), INVALID_VALUE);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 0); // none of these is the kernel's fault
}

#[test]
fn sizes_that_overflow_are_refused() {
    if !crate::common::is_alone("misuse::sizes_that_overflow_are_refused") {
        return;
    }
    context();
    let x = allocate(64);
    let mut at = 0u64;
    for bytes in [usize::MAX, usize::MAX - 511, usize::MAX / 2, 1 << 60] {
        assert_eq!(call!("cuMemAlloc"(&mut at => *mut u64, bytes => usize)), 2);
        assert_eq!(call!("cuMemAllocAsync"(&mut at => *mut u64, bytes => usize, 0 => u64)), 2);
        assert_eq!(call!("cuMemAllocManaged"(&mut at => *mut u64, bytes => usize, 1 => u32)), 2);
        for (to, from) in [(x, x), (x, x + 32)] {
            assert_eq!(
                call!("cuMemcpyDtoD"(to => u64, from => u64, bytes => usize)),
                INVALID_VALUE
            );
            assert_eq!(call!("cuMemcpy"(to => u64, from => u64, bytes => usize)), INVALID_VALUE);
        }
        assert_eq!(call!("cuMemsetD8"(x => u64, 1 => u8, bytes => usize)), INVALID_VALUE);
        assert_eq!(
            call!("cuMemsetD32"(x => u64, 0x0102_0304 => u32, bytes => usize)),
            INVALID_VALUE
        );
        assert_eq!(
            call!("cuMemsetD2D16"(x => u64, bytes => usize, 0x0102 => u16, 2 => usize, 9 => usize)),
            INVALID_VALUE
        );
        assert_eq!(
            call!("cuMemsetD2D8"(x => u64, 8 => usize, 1 => u8, 4 => usize, bytes => usize)),
            INVALID_VALUE
        );
        assert_eq!(call!("cuMemHostRegister"(8 => u64, bytes => usize, 0 => u32)), INVALID_VALUE);
        let mut pitch = 0usize;
        let code = call!("cuMemAllocPitch"(
            &mut at => *mut u64, &mut pitch => *mut usize, bytes => usize, bytes => usize, 4 => u32
        ));
        assert_eq!(code, 2);
        // A 2D copy: x, y, memory, host, device, array, pitch of both sides, then width and height.
        for (width, height, pitch) in [(8, bytes, 8), (bytes, 1, 8), (8, 2, bytes), (8, bytes, 0)] {
            let side = [0, 0, 2, 0, x, 0, pitch as u64];
            let rows: Vec<u64> =
                side.into_iter().chain(side).chain([width as u64, height as u64]).collect();
            assert_eq!(
                call!("cuMemcpy2D"(rows.as_ptr() => *const u64)),
                INVALID_VALUE,
                "{width} {height} {pitch}"
            );
        }
    }
}

#[test]
fn memory_is_freed_once_and_then_out_of_reach() {
    if !crate::common::is_alone("misuse::memory_is_freed_once_and_then_out_of_reach") {
        return;
    }
    context();
    // No other allocation has this size, so this one is not recycled.
    let x = allocate(3000);
    let add = kernel(PTX, "add");
    upload(x, &[0u32; 32]);
    assert_eq!(launch(add, 32, &[x]), 0);
    assert_eq!(download::<u32>(x, 32), [1; 32]);
    for nowhere in NOWHERE {
        assert_eq!(call!("cuMemFree"(nowhere => u64)), INVALID_VALUE);
        assert_eq!(call!("cuMemFreeHost"(nowhere => u64)), INVALID_VALUE);
        assert_ne!(call!("cuMemHostUnregister"(nowhere => u64)), 0);
    }
    assert_eq!(call!("cuMemFree"(x + 4 => u64)), INVALID_VALUE); // not the start
    assert_eq!(call!("cuMemFree"(x => u64)), 0);
    assert_eq!(call!("cuMemFree"(x => u64)), INVALID_VALUE);
    let mut host = [0u32; 32];
    assert_eq!(
        call!("cuMemcpyDtoH"(host.as_mut_ptr() => *mut u32, x => u64, 128 => usize)),
        INVALID_VALUE
    );
    assert_eq!(launch(add, 32, &[x]), ILLEGAL_ADDRESS);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), ILLEGAL_ADDRESS);
}

#[test]
fn handles_of_other_kinds_are_refused() {
    if !crate::common::is_alone("misuse::handles_of_other_kinds_are_refused") {
        return;
    }
    let context = context();
    let x = allocate(4);
    let (mut stream, mut event, mut module, mut graph) = (0u64, 0u64, 0u64, 0u64);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuModuleLoadData"(&mut module => *mut u64, PTX.as_ptr() => *const u8)), 0);
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    let all = [context, x, stream, event, module, graph, 12_345, u64::MAX];
    let mut out = [0u64; 64];
    let to = out.as_mut_ptr();
    for handle in all {
        let not = |own: u64, code: i32| {
            assert!(
                handle == own
                    || code == INVALID_HANDLE
                    || code == INVALID_CONTEXT
                    || code == INVALID_VALUE,
                "{handle:x}: {code}"
            );
        };
        if handle != stream {
            not(0, call!("cuStreamSynchronize"(handle => u64)));
            not(0, call!("cuMemsetD8Async"(x => u64, 0 => u8, 1 => usize, handle => u64)));
            not(0, call!("cuStreamBeginCapture"(handle => u64, 0 => i32)));
            not(0, call!("cuStreamEndCapture"(handle => u64, to => *mut u64)));
            not(0, call!("cuStreamDestroy"(handle => u64)));
            not(0, call!("cuEventRecord"(event => u64, handle => u64)));
        }
        if handle != event {
            not(0, call!("cuEventRecord"(handle => u64, stream => u64)));
            not(0, call!("cuEventSynchronize"(handle => u64)));
            not(0, call!("cuStreamWaitEvent"(stream => u64, handle => u64, 0 => u32)));
            not(0, call!("cuEventElapsedTime"(to => *mut u64, handle => u64, handle => u64)));
            not(0, call!("cuEventDestroy"(handle => u64)));
        }
        if handle != module {
            not(
                0,
                call!("cuModuleGetFunction"(to => *mut u64, handle => u64, c"add".as_ptr() => *const i8)),
            );
            not(0, call!("cuModuleUnload"(handle => u64)));
        }
        if handle != graph {
            not(0, call!("cuGraphInstantiate"(to => *mut u64, handle => u64, 0 => u64)));
            not(
                0,
                call!("cuGraphAddEmptyNode"(to => *mut u64, handle => u64, to => *const u64, 0 => usize)),
            );
            not(0, call!("cuGraphDestroy"(handle => u64)));
        }
        if handle != context {
            not(0, call!("cuCtxSetCurrent"(handle => u64)));
            not(0, call!("cuCtxDestroy"(handle => u64)));
        }
        for name in [
            "cuLibraryUnload",
            "cuGraphExecDestroy",
            "cuGraphDestroyNode",
            "cuMemPoolDestroy",
            "cuLibraryGetKernelCount",
            "cuFuncGetAttribute",
            "cuGraphLaunch",
            "cuKernelGetLibrary",
            "cuFuncGetModule",
            "cuGraphKernelNodeGetParams",
            "cuUserObjectRelease",
            "cuFuncGetName",
        ] {
            // SAFETY: one argument is the handle; the others are writable pointers or numbers.
            let code = unsafe {
                let function: unsafe extern "C" fn(u64, u64, u64, u64) -> i32 =
                    std::mem::transmute(crate::common::address(name));
                match name {
                    "cuFuncGetAttribute" => function(to as u64, 0, handle, 0),
                    "cuLibraryGetKernelCount"
                    | "cuKernelGetLibrary"
                    | "cuFuncGetModule"
                    | "cuFuncGetName" => function(to as u64, handle, 0, 0),
                    "cuUserObjectRelease" => function(handle, 1, 0, 0),
                    _ => function(handle, to as u64, 0, 0),
                }
            };
            assert!(
                code == INVALID_HANDLE || code == INVALID_VALUE,
                "{name} of {handle:x}: {code}"
            );
        }
    }
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
}

#[test]
fn null_and_missing_parameters_are_refused() {
    if !crate::common::is_alone("misuse::null_and_missing_parameters_are_refused") {
        return;
    }
    context();
    let add = kernel(PTX, "add");
    let x = allocate(128);
    let start = |grid: u32, threads: u32, each: *const *const u64, extra: *const *const c_void| {
        call!("cuLaunchKernel"(
            add => u64, grid => u32, 1 => u32, 1 => u32, threads => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
            each => *const *const u64, extra => *const *const c_void
        ))
    };
    let (none, place, missing) = (std::ptr::null(), [&raw const x], [std::ptr::null::<u64>()]);
    assert_eq!(start(1, 32, std::ptr::null(), none), INVALID_VALUE);
    assert_eq!(start(1, 32, missing.as_ptr(), none), INVALID_VALUE);
    for (grid, threads) in [(0, 32), (1, 0), (1, 1025), (1, u32::MAX), (u32::MAX, 32)] {
        assert_eq!(start(grid, threads, place.as_ptr(), none), INVALID_VALUE, "{grid} {threads}");
    }
    // A packed argument buffer that is too short.
    let length = 4usize;
    let extra = [
        std::ptr::without_provenance(1),
        (&raw const x).cast(),
        std::ptr::without_provenance(2),
        (&raw const length).cast(),
        std::ptr::null(),
    ];
    assert_eq!(start(1, 32, std::ptr::null(), extra.as_ptr()), INVALID_VALUE);
    assert_eq!(
        call!("cuLaunchKernelEx"(0 => u64, add => u64, place.as_ptr() => *const *const u64, 0 => u64)),
        INVALID_VALUE
    );
    for name in [
        "cuMemAlloc",
        "cuStreamCreate",
        "cuEventCreate",
        "cuCtxGetCurrent",
        "cuDeviceGetCount",
        "cuModuleLoadData",
        "cuGraphCreate",
    ] {
        // SAFETY: each function takes at most two words, pointers or numbers, and reports null
        // pointers.
        let code = unsafe {
            let function: unsafe extern "C" fn(u64, u64) -> i32 =
                std::mem::transmute(crate::common::address(name));
            function(0, if name == "cuMemAlloc" { 4 } else { 0 })
        };
        assert_eq!(code, INVALID_VALUE, "{name}");
    }
    assert_eq!(start(1, 32, place.as_ptr(), none), 0);
}

#[test]
fn threads_call_concurrently() {
    if !crate::common::is_alone("misuse::threads_call_concurrently") {
        return;
    }
    let context = context();
    let add = kernel(PTX, "add");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4u32)
            .map(|number| {
                scope.spawn(move || {
                    assert_eq!(call!("cuCtxSetCurrent"(context => u64)), 0);
                    for round in 0..100 {
                        let x = allocate(128);
                        upload(x, &[number + round; 32]);
                        let (mut stream, mut event) = (0u64, 0u64);
                        assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
                        assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 2 => u32)), 0);
                        assert_eq!(launch(add, 32, &[x]), 0);
                        assert_eq!(call!("cuEventRecord"(event => u64, stream => u64)), 0);
                        assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
                        assert_eq!(download::<u32>(x, 32), [number + round + 1; 32]);
                        assert_eq!(call!("cuEventDestroy"(event => u64)), 0);
                        assert_eq!(call!("cuStreamDestroy"(stream => u64)), 0);
                        assert_eq!(call!("cuMemFree"(x => u64)), 0);
                    }
                })
            })
            .collect();
        // Meanwhile, one thread makes only invalid calls.
        let stop = &stop;
        scope.spawn(move || {
            assert_eq!(call!("cuCtxSetCurrent"(context => u64)), 0);
            let mut handle = 0x1000_0000u64;
            while !stop.load(Ordering::Relaxed) {
                handle += 32; // between existing handles
                assert_eq!(call!("cuMemFree"(handle => u64)), INVALID_VALUE);
                assert_ne!(call!("cuStreamDestroy"(handle | 1 => u64)), 0);
                assert_ne!(call!("cuGraphLaunch"(handle | 1 => u64, 0 => u64)), 0);
            }
        });
        let ended: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
        stop.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|ended| ended.expect("no thread fails"));
    });
}

/// Calls the driver when dropped.
struct AtTheEnd;

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        let mut context = 1u64;
        assert_eq!(call!("cuCtxGetCurrent"(&mut context => *mut u64)), 0);
        assert_ne!(call!("cuMemFree"(8 => u64)), 0);
        let (mut table, id) = (
            std::ptr::null::<usize>(),
            0xc693_336e_1121_df11_a8c3_68f3_55d8_9593_u128.to_be_bytes(),
        );
        assert_eq!(
            call!("cuGetExportTable"(&mut table => *mut *const usize, id.as_ptr() => *const u8)),
            0
        );
        // SAFETY: the second slot of this table is a function of this type; it removes a value of a
        // context.
        unsafe {
            let delete: unsafe extern "C" fn(u64, u64) -> i32 = std::mem::transmute(*table.add(1));
            assert_eq!(delete(0, 7), 0);
        }
    }
}

#[test]
fn a_thread_may_call_while_it_ends() {
    if !crate::common::is_alone("misuse::a_thread_may_call_while_it_ends") {
        return;
    }
    thread_local! {
        static BEFORE: AtTheEnd = const { AtTheEnd };
        static AFTER: AtTheEnd = const { AtTheEnd };
    }
    let ended = std::thread::spawn(|| {
        BEFORE.with(|_| ());
        context();
        AFTER.with(|_| ());
    });
    ended.join().expect("neither is the end of the process");
}

#[cfg(unix)]
#[test]
fn driver_calls_fail_in_a_forked_process() {
    if !crate::common::is_alone("misuse::driver_calls_fail_in_a_forked_process") {
        return;
    }
    context();
    // SAFETY: the child only calls the driver, which reads a flag, and exits.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let both = [call!("cuInit"(0 => u32)), call!("cuMemFree"(8 => u64))];
        // SAFETY: `_exit` ends the child immediately.
        unsafe { libc::_exit(if both == [3, 3] { 0 } else { 1 }) };
    }
    let mut status = -1;
    // SAFETY: the child was forked by this process.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
}
