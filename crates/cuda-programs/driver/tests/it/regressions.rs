//! Bugs found by random sequences of calls: inaccessible memory, recursive graphs, calls inside callbacks, and thread-local state.

use crate::common::{allocate, context, download, upload};
use std::ffi::c_void;

/// A host page with these access rights.
fn page(access: i32) -> u64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address chosen by the kernel.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at as u64
}

#[cfg(target_os = "linux")]
#[test]
fn inaccessible_host_memory_is_refused() {
    if !crate::common::is_alone("regressions::inaccessible_host_memory_is_refused") {
        return;
    }
    context();
    let x = allocate(4096);
    let (constant, nothing) = (page(libc::PROT_READ), page(libc::PROT_NONE));
    assert_eq!(call!("cuMemcpyHtoD"(x => u64, constant => u64, 64 => usize)), 0);
    for at in [constant, nothing] {
        assert_eq!(call!("cuMemcpyDtoH"(at => u64, x => u64, 64 => usize)), 1);
        assert_eq!(call!("cuMemcpy"(at => u64, x => u64, 64 => usize)), 1);
        assert_eq!(call!("cuMemHostRegister"(at => u64, 4096 => usize, 0 => u32)), 1);
    }
    assert_eq!(call!("cuMemcpyHtoD"(x => u64, nothing => u64, 64 => usize)), 1);
    let mut link = 0u64;
    let none = std::ptr::null::<c_void>();
    assert_eq!(
        call!("cuLinkCreate"(0 => u32, none => *const c_void, none => *const c_void, &mut link => *mut u64)),
        0
    );
    let code = call!("cuLinkAddData"(
        link => u64, 1 => i32, nothing => u64, 64 => usize, none => *const c_void, 0 => u32, none => *const c_void, none => *const c_void
    ));
    assert_eq!(code, 1);
}

#[test]
fn overlapping_copies_read_all_bytes_before_writing() {
    if !crate::common::is_alone("regressions::overlapping_copies_read_all_bytes_before_writing") {
        return;
    }
    context();
    let words: Vec<u32> = (0..3 << 20).collect();
    let half = words.len() / 2;
    for (to, from) in [(0, half / 2), (half / 2, 0)] {
        let x = allocate(4 * words.len());
        upload(x, &words);
        let (to, from) = ((x + 4 * to as u64), (x + 4 * from as u64));
        assert_eq!(call!("cuMemcpyDtoD"(to => u64, from => u64, 4 * half => usize)), 0);
        let first = ((from - x) / 4) as u32;
        assert!(download::<u32>(to, half).into_iter().eq(first..first + half as u32));
        assert_eq!(call!("cuMemFree"(x => u64)), 0);
    }
}

#[test]
fn operations_on_zero_bytes_return_immediately() {
    if !crate::common::is_alone("regressions::operations_on_zero_bytes_return_immediately") {
        return;
    }
    context();
    let x = allocate(64);
    let huge = usize::MAX / 2;
    assert_eq!(call!("cuMemsetD2D8"(x => u64, 1 => usize, 0 => u32, 0 => usize, huge => usize)), 0);
    let (extent, strides, tile, steps) = ([64u64; 5], [256u64; 5], [8u32; 5], [1u32; 5]);
    let mut map = [0u64; 16];
    for rank in [0, 6, u32::MAX] {
        let code = call!("cuTensorMapEncodeTiled"(
            map.as_mut_ptr() => *mut u64, 7 => i32, rank => u32, x => u64, extent.as_ptr() => *const u64, strides.as_ptr() => *const u64,
            tile.as_ptr() => *const u32, steps.as_ptr() => *const u32, 0 => i32, 0 => i32, 0 => i32, 0 => i32
        ));
        assert_eq!(code, 1);
    }
    let (mut graph, mut node) = (0u64, 0u64);
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    for count in [usize::MAX, usize::MAX / 8, 1 << 40] {
        let code = call!("cuGraphAddEmptyNode"(&mut node => *mut u64, graph => u64, &raw const x => *const u64, count => usize));
        assert_eq!(code, 1);
    }
}

fn instantiate(graph: u64, flags: u64) -> (i32, u64) {
    let mut executable = 0u64;
    let code = call!("cuGraphInstantiate"(&mut executable => *mut u64, graph => u64, flags => u64));
    (code, executable)
}

fn child(of: u64, graph: u64) -> u64 {
    let (mut node, mut inner) = (0u64, 0u64);
    let none = std::ptr::null::<u64>();
    let code = call!("cuGraphAddChildGraphNode"(&mut node => *mut u64, graph => u64, none => *const u64, 0 => usize, of => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphChildGraphNodeGetGraph"(node => u64, &mut inner => *mut u64)), 0);
    inner
}

#[test]
fn graphs_inside_themselves_are_copies() {
    if !crate::common::is_alone("regressions::graphs_inside_themselves_are_copies") {
        return;
    }
    context();
    let (mut outer, mut first) = (0u64, 0u64);
    assert_eq!(call!("cuGraphCreate"(&mut outer => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuGraphCreate"(&mut first => *mut u64, 0 => u32)), 0);
    // Adds the outer graph to the inner one, which it contains.
    let inner = child(first, outer);
    child(outer, inner);
    let (code, executable) = instantiate(outer, 0);
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, 0 => u64)), 0);
    // Graphs that are nested too deeply are refused instead of overflowing the stack.
    let mut deepest = inner;
    for _ in 0..200 {
        deepest = child(first, deepest);
    }
    assert_eq!(instantiate(outer, 0).0, 801);
    let mut clone = 0u64;
    assert_eq!(call!("cuGraphClone"(&mut clone => *mut u64, outer => u64)), 801);
}

#[test]
fn instantiation_flags_are_not_a_pointer() {
    if !crate::common::is_alone("regressions::instantiation_flags_are_not_a_pointer") {
        return;
    }
    context();
    let mut graph = 0u64;
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    assert_eq!(instantiate(graph, 1).0, 0);
    assert_eq!(instantiate(graph, 16).0, 1);
}

#[test]
fn the_default_pool_does_not_change() {
    if !crate::common::is_alone("regressions::the_default_pool_does_not_change") {
        return;
    }
    context();
    let (mut default, mut other, mut current) = (0u64, 0u64, 0u64);
    assert_eq!(call!("cuDeviceGetDefaultMemPool"(&mut default => *mut u64, 0 => i32)), 0);
    assert_eq!(call!("cuMemPoolDestroy"(default => u64)), 1);
    // Device memory of the first device.
    let properties = [1u64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        call!("cuMemPoolCreate"(&mut other => *mut u64, properties.as_ptr() => *const u64)),
        0
    );
    assert_eq!(call!("cuDeviceSetMemPool"(0 => i32, other => u64)), 0);
    assert_eq!(call!("cuMemPoolDestroy"(other => u64)), 0);
    assert_eq!(call!("cuDeviceGetMemPool"(&mut current => *mut u64, 0 => i32)), 0);
    assert_eq!(current, default);
    let mut x = 0u64;
    assert_eq!(call!("cuMemAllocAsync"(&mut x => *mut u64, 64 => usize, 0 => u64)), 0);
}

#[test]
fn capturing_a_per_thread_stream_does_not_affect_other_threads() {
    if !crate::common::is_alone(
        "regressions::capturing_a_per_thread_stream_does_not_affect_other_threads",
    ) {
        return;
    }
    let context = context();
    const OWN: u64 = 2;
    let captures = || {
        let mut status = 7i32;
        assert_eq!(call!("cuStreamIsCapturing"(OWN => u64, &mut status => *mut i32)), 0);
        status
    };
    let x = allocate(4);
    upload(x, &[1u32]);
    assert_eq!(call!("cuStreamBeginCapture"(OWN => u64, 2 => i32)), 0);
    assert_eq!(call!("cuMemsetD32Async"(x => u64, 2 => u32, 1 => usize, OWN => u64)), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(call!("cuCtxSetCurrent"(context => u64)), 0);
            assert_eq!(captures(), 0);
            let (y, mut word) = (allocate(4), 0u32);
            assert_eq!(call!("cuMemsetD32Async"(y => u64, 3 => u32, 1 => usize, OWN => u64)), 0);
            let to = (&raw mut word).cast();
            let code =
                call!("cuMemcpyDtoHAsync"(to => *mut c_void, y => u64, 4 => usize, OWN => u64));
            assert_eq!((code, call!("cuStreamSynchronize"(OWN => u64)), word), (0, 0, 3));
        });
    });
    assert_eq!(captures(), 1);
    let (mut graph, mut count) = (0u64, 0usize);
    assert_eq!(call!("cuStreamEndCapture"(OWN => u64, &mut graph => *mut u64)), 0);
    let none = std::ptr::null::<u64>();
    assert_eq!(
        call!("cuGraphGetNodes"(graph => u64, none => *const u64, &mut count => *mut usize)),
        0
    );
    assert_eq!((count, download::<u32>(x, 1)), (1, vec![1]));
}

#[test]
fn a_launch_of_a_graph_cannot_be_captured() {
    if !crate::common::is_alone("regressions::a_launch_of_a_graph_cannot_be_captured") {
        return;
    }
    context();
    let x = allocate(4);
    upload(x, &[1u32]);
    let mut stream = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 0 => u32)), 0);
    let captured = |queue: &dyn Fn()| {
        let mut graph = 0u64;
        assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
        queue();
        assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 0);
        instantiate(graph, 0).1
    };
    let inner = captured(&|| {
        assert_eq!(call!("cuMemsetD32Async"(x => u64, 5 => u32, 1 => usize, stream => u64)), 0);
    });
    // As on an H200: afterwards the capture is invalid.
    let mut graph = 0u64;
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    assert_eq!(call!("cuGraphLaunch"(inner => u64, stream => u64)), 900);
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 901);
    assert_eq!(call!("cuGraphLaunch"(inner => u64, stream => u64)), 0);
    assert_eq!(download::<u32>(x, 1), [5]);
}

/// Synchronizes its own stream in a callback, and stores the arguments.
unsafe extern "C" fn waits(data: *mut c_void) {
    // SAFETY: the test passes two words that outlive the callback.
    let words = unsafe { &mut *data.cast::<[u64; 2]>() };
    words[1] = call!("cuStreamSynchronize"(words[0] => u64)) as u64;
}

#[test]
fn waiting_for_the_own_stream_in_a_callback_is_an_error() {
    if !crate::common::is_alone("regressions::waiting_for_the_own_stream_in_a_callback_is_an_error")
    {
        return;
    }
    context();
    let (x, mut stream, mut other) = (allocate(8), 0u64, 0u64);
    upload(x, &[0u32; 2]);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    assert_eq!(call!("cuStreamCreate"(&mut other => *mut u64, 1 => u32)), 0);
    // The stream waits, so the callback runs on the driver's thread.
    assert_eq!(call!("cuStreamWaitValue32"(stream => u64, x => u64, 1 => u32, 0 => u32)), 0);
    let mut words = [stream, 0];
    let data = (&raw mut words).cast::<c_void>();
    assert_eq!(
        call!("cuLaunchHostFunc"(stream => u64, waits as *const () => *const (), data => *mut c_void)),
        0
    );
    assert_eq!(call!("cuStreamWriteValue32"(other => u64, x => u64, 1 => u32, 0 => u32)), 0);
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
    // SAFETY: the stream has finished, so the callback does not access it any more.
    assert_eq!(unsafe { data.cast::<[u64; 2]>().read_volatile() }[1], 800);
}
