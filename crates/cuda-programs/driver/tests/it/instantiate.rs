//! Instantiating graphs with parameters: every flag has its effect.

use crate::common::context;
use std::ffi::c_void;

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
struct Parameters {
    flags: u64,
    upload: u64,
    node: u64,
    result: u32,
}

/// Instantiates; returns status, executable and parameters.
fn instantiate(graph: u64, flags: u64, upload: u64) -> (i32, u64, Parameters) {
    let mut parameters = Parameters { flags, upload, node: 9, result: 9 };
    let mut executable = 0u64;
    let code = call!("cuGraphInstantiateWithParams"(
        &mut executable => *mut u64, graph => u64, &mut parameters => *mut Parameters
    ));
    (code, executable, parameters)
}

/// Captures a stream; returns it with the graph.
fn captured(of: impl Fn(u64)) -> (u64, u64) {
    let (mut stream, mut graph) = (0u64, 0u64);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    of(stream);
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 0);
    (stream, graph)
}

#[test]
fn auto_free_on_launch_frees_memory_left_by_a_graph() {
    context();
    let (stream, graph) = captured(|stream| {
        let mut memory = 0u64;
        let code = call!("cuMemAllocAsync"(&mut memory => *mut u64, 64 => usize, stream => u64));
        assert_eq!(code, 0);
    });
    let launch = |executable: u64| call!("cuGraphLaunch"(executable => u64, stream => u64));
    let (code, kept, parameters) = instantiate(graph, 0, 0);
    assert_eq!((code, parameters.node, parameters.result), (0, 0, 0));
    assert_eq!((launch(kept), launch(kept)), (0, 1));
    // A graph that owns memory has one executable at a time.
    assert_eq!(instantiate(graph, 1, 0).0, 801);
    assert_eq!(call!("cuGraphExecDestroy"(kept => u64)), 0);
    let (code, freed, _) = instantiate(graph, 1, 0);
    assert_eq!(code, 0);
    assert_eq!((launch(freed), launch(freed)), (0, 0));
    let mut flags = 9u64;
    assert_eq!(call!("cuGraphExecGetFlags"(freed => u64, &mut flags => *mut u64)), 0);
    assert_eq!(flags, 1);
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

#[test]
fn a_graph_for_kernels_names_the_node_that_they_cannot_launch() {
    context();
    let (stream, graph) = captured(|stream| {
        let function: unsafe extern "C" fn(*mut c_void) = nothing;
        let code = call!("cuLaunchHostFunc"(
            stream => u64, function => unsafe extern "C" fn(*mut c_void), std::ptr::null_mut() => *mut c_void
        ));
        assert_eq!(code, 0);
    });
    let (mut node, mut count) = (0u64, 1usize);
    assert_eq!(
        call!("cuGraphGetNodes"(graph => u64, &mut node => *mut u64, &mut count => *mut usize)),
        0
    );
    let (code, _, parameters) = instantiate(graph, 4, 0);
    assert_eq!((code, parameters.node, parameters.result), (801, node, 3));
    assert_eq!(instantiate(graph, 0, 0).0, 0);
    let memory = crate::common::allocate(64);
    let (_, fill) = captured(|stream| {
        let code = call!("cuMemsetD8Async"(memory => u64, 1 => u8, 64 => usize, stream => u64));
        assert_eq!(code, 0);
    });
    assert_eq!(instantiate(fill, 4, 0).0, 0);
    // Contradicting flags, an unknown flag, an unknown stream, null.
    for (flags, upload, expected) in
        [(5, 0, 1), (16, 0, 1), (2, stream, 0), (2, 0, 0), (2, 99, 400)]
    {
        let (code, _, parameters) = instantiate(fill, flags, upload);
        assert_eq!(
            (code, parameters.result),
            (expected, u32::from(expected != 0)),
            "{flags} {upload}"
        );
    }
    assert_eq!(instantiate(99, 0, 0).0, 400);
    let mut executable = 0u64;
    let none = std::ptr::null_mut::<Parameters>();
    let code = call!("cuGraphInstantiateWithParams"(&mut executable => *mut u64, fill => u64, none => *mut Parameters));
    assert_eq!(code, 1);
}
