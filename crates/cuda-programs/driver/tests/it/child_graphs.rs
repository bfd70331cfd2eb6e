//! Child graphs: updating an executable changes neither its source graph nor other executables.

use crate::common::{allocate, context, download};

/// `CUDA_MEMSET_NODE_PARAMS` of one word.
#[repr(C)]
struct Fill {
    address: u64,
    pitch: usize,
    value: u32,
    element: u32,
    width: usize,
    height: usize,
}

fn fill(address: u64, value: u32) -> Fill {
    Fill { address, pitch: 0, value, element: 4, width: 1, height: 1 }
}

fn graph() -> u64 {
    let mut graph = 0u64;
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    graph
}

const NONE: *const u64 = std::ptr::null();

fn fill_node(graph: u64, address: u64, value: u32) -> u64 {
    let mut node = 0u64;
    let code = call!("cuGraphAddMemsetNode"(
        &mut node => *mut u64, graph => u64, NONE => *const u64, 0 => usize, &fill(address, value) => *const Fill, 0 => u64
    ));
    assert_eq!(code, 0);
    node
}

/// Adds a child graph node; returns the node and its copy of the graph.
fn child(graph: u64, of: u64) -> (u64, u64) {
    let (mut node, mut inner) = (0u64, 0u64);
    let code = call!("cuGraphAddChildGraphNode"(&mut node => *mut u64, graph => u64, NONE => *const u64, 0 => usize, of => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphChildGraphNodeGetGraph"(node => u64, &mut inner => *mut u64)), 0);
    (node, inner)
}

/// The one node of a graph.
fn only(graph: u64) -> u64 {
    let (mut node, mut count) = (0u64, 1usize);
    let code =
        call!("cuGraphGetNodes"(graph => u64, &mut node => *mut u64, &mut count => *mut usize));
    assert_eq!((code, count), (0, 1));
    node
}

fn instantiate(graph: u64) -> u64 {
    let mut executable = 0u64;
    assert_eq!(call!("cuGraphInstantiate"(&mut executable => *mut u64, graph => u64, 0 => u64)), 0);
    executable
}

/// The value of a zeroed word after a launch.
fn run(executable: u64, word: u64) -> u32 {
    assert_eq!(call!("cuMemsetD32"(word => u64, 0 => u32, 1 => usize)), 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, 0 => u64)), 0);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 0);
    download::<u32>(word, 1)[0]
}

fn change(executable: u64, node: u64, new: &Fill) -> i32 {
    call!("cuGraphExecMemsetNodeSetParams"(executable => u64, node => u64, new => *const Fill, 0 => u64))
}

#[test]
fn a_node_inside_is_changed_for_one_executable() {
    context();
    let word = allocate(4);
    // A memset node three levels deep.
    let (innermost, middle, outer) = (graph(), graph(), graph());
    fill_node(innermost, word, 1);
    child(middle, innermost);
    let (node, inner) = child(outer, middle);
    let mut deep = 0u64;
    assert_eq!(
        call!("cuGraphChildGraphNodeGetGraph"(only(inner) => u64, &mut deep => *mut u64)),
        0
    );
    let leaf = only(deep);
    let (first, second) = (instantiate(outer), instantiate(outer));
    assert_eq!(change(first, leaf, &fill(word, 2)), 0);
    let third = instantiate(outer);
    assert_eq!([run(first, word), run(second, word), run(third, word)], [2, 1, 1]);
    let mut shown = fill(0, 0);
    let code = call!("cuGraphMemsetNodeGetParams"(leaf => u64, &mut shown => *mut Fill));
    assert_eq!((code, shown.value), (0, 1));
    // Conversely, changing the graph does not change its executables.
    assert_eq!(call!("cuGraphMemsetNodeSetParams"(leaf => u64, &fill(word, 5) => *const Fill)), 0);
    assert_eq!([run(first, word), run(second, word), run(instantiate(outer), word)], [2, 1, 5]);
    // Executables share neither the inner nor the middle graph.
    assert_eq!(change(first, only(innermost), &fill(word, 9)), 1);

    // Replaces a child graph in one executable.
    let other = graph();
    fill_node(other, word, 7);
    let replace = |executable: u64| call!("cuGraphExecChildGraphNodeSetParams"(executable => u64, node => u64, other => u64));
    assert_eq!((replace(second), run(second, word), run(first, word)), (0, 7, 2));
    assert_eq!(run(instantiate(outer), word), 5);
    for executable in [first, second, third] {
        assert_eq!(call!("cuGraphExecDestroy"(executable => u64)), 0);
    }
    assert_eq!(run(instantiate(outer), word), 5);
}

#[test]
fn nodes_are_disabled_and_updated_for_one_executable() {
    context();
    let word = allocate(4);
    let made = graph();
    let node = fill_node(made, word, 1);
    let (first, second) = (instantiate(made), instantiate(made));
    let enable = |executable: u64, enabled: u32| call!("cuGraphNodeSetEnabled"(executable => u64, node => u64, enabled => u32));
    assert_eq!(enable(first, 0), 0);
    assert_eq!([run(first, word), run(second, word)], [0, 1]);
    let mut enabled = 9u32;
    let code = call!("cuGraphNodeGetEnabled"(first => u64, node => u64, &mut enabled => *mut u32));
    assert_eq!((code, enabled), (0, 0));
    assert_eq!((enable(first, 1), run(first, word)), (0, 1));
    // After an update, nodes are still named by the original graph.
    let newer = graph();
    fill_node(newer, word, 3);
    let mut result = [9u64; 3];
    let code = call!("cuGraphExecUpdate"(first => u64, newer => u64, &mut result => *mut [u64; 3]));
    assert_eq!((code, run(first, word), run(second, word)), (0, 3, 1));
    assert_eq!((change(first, node, &fill(word, 4)), run(first, word)), (0, 4));
}
