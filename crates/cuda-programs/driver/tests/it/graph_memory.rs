//! Memory nodes and conditional nodes of graphs.

use crate::common::{allocate, context, download, kernel, launch};
use std::ffi::c_void;

/// Adds 1 to each of 32 words; sets a condition to a value.
const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
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
.visible .entry set(.param .u64 handle, .param .u64 value) {
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    .param .b64 p0; .param .b32 p1;
    ld.param.u64 %rd1, [handle];
    ld.param.u32 %r1, [value];
    st.param.b64 [p0], %rd1;
    st.param.b32 [p1], %r1;
    call.uni cudaGraphSetConditional, (p0, p1);
    ret;
}
.visible .entry count(.param .u64 x, .param .u64 handle) {
    .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<3>;
    .param .b64 p0; .param .b32 p1;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [handle];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    setp.lt.u32 %p, %r1, 5;
    selp.u32 %r2, 1, 0, %p;
    st.param.b64 [p0], %rd2;
    st.param.b32 [p1], %r2;
    call.uni cudaGraphSetConditional, (p0, p1);
    ret;
}\0";

/// `CUDA_MEM_ALLOC_NODE_PARAMS`: pinned memory of the first device.
#[repr(C)]
struct Allocation {
    pool: [u64; 11],
    accesses: [u64; 2],
    bytes: usize,
    address: u64,
}

fn graph() -> u64 {
    let mut graph = 0u64;
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    graph
}

fn instantiate(graph: u64) -> u64 {
    let mut executable = 0u64;
    let code = call!("cuGraphInstantiate"(&mut executable => *mut u64, graph => u64, 0 => u64));
    assert_eq!(code, 0);
    executable
}

fn run(executable: u64) -> i32 {
    call!("cuGraphLaunch"(executable => u64, 0 => u64))
}

fn allocation(graph: u64, bytes: usize) -> (u64, u64) {
    let mut node = 0u64;
    let mut wanted =
        Allocation { pool: [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], accesses: [0; 2], bytes, address: 0 };
    let code = call!("cuGraphAddMemAllocNode"(
        &mut node => *mut u64, graph => u64, std::ptr::null() => *const u64, 0 => usize, &mut wanted => *mut Allocation
    ));
    assert_eq!((code, wanted.address == 0), (0, false));
    (node, wanted.address)
}

fn used() -> u64 {
    let mut bytes = 0u64;
    let code = call!("cuDeviceGetGraphMemAttribute"(0 => i32, 0 => i32, &mut bytes => *mut u64));
    assert_eq!(code, 0);
    bytes
}

/// Graph memory is counted per process, so these tests run one after the other.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn graph_memory_exists_from_its_node_until_it_is_freed() {
    let _alone = ALONE.lock();
    let context = context();
    let add = kernel(PTX, "add");
    assert_eq!(call!("cuDeviceGraphMemTrim"(0 => i32)), 0);
    let before = used();
    let made = graph();
    let (_, address) = allocation(made, 100);
    let executable = instantiate(made);
    let mut bytes = [1u8; 4];
    let copy = |bytes: &mut [u8; 4]| call!("cuMemcpyDtoH"(bytes.as_mut_ptr().cast() => *mut c_void, address => u64, 4 => usize));
    assert_eq!(copy(&mut bytes), 1); // not yet
    assert_eq!(run(executable), 0);
    assert_eq!((copy(&mut bytes), bytes, used() - before), (0, [0; 4], 100));
    assert_eq!(run(executable), 1); // still allocated
    // The host frees it, and the graph can run again.
    assert_eq!(call!("cuMemFree"(address => u64)), 0);
    assert_eq!(copy(&mut bytes), 1);
    assert_eq!(run(executable), 0);

    // A graph that frees memory of another graph.
    let freeing = graph();
    let mut node = 0u64;
    let free = |address: u64, node: &mut u64| {
        call!("cuGraphAddMemFreeNode"(
            node => *mut u64, freeing => u64, std::ptr::null() => *const u64, 0 => usize, address => u64
        ))
    };
    assert_eq!(free(allocate(64), &mut node), 1); // not graph memory
    assert_eq!(free(address, &mut node), 0);
    let mut freed = 0u64;
    assert_eq!(call!("cuGraphMemFreeNodeGetParams"(node => u64, &mut freed => *mut u64)), 0);
    assert_eq!(freed, address);
    // Freed memory counts as used until the trim.
    assert_eq!((run(instantiate(freeing)), used()), (0, before + 100));
    assert_eq!((call!("cuDeviceGraphMemTrim"(0 => i32)), used()), (0, before));
    // Sizes are exact: 25 words exist, 32 do not.
    assert_eq!(run(executable), 0);
    assert_eq!(launch(add, 25, &[address]), 0);
    assert_eq!(launch(add, 32, &[address]), 700);
    assert_eq!(call!("cuCtxDestroy"(context => u64)), 0);
    self::context();
    assert_eq!(used(), before);
}

#[test]
fn an_allocation_in_a_capture_is_a_node() {
    let _alone = ALONE.lock();
    context();
    let add = kernel(PTX, "add");
    let mut stream = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    let mut address = 0u64;
    let code = call!("cuMemAllocAsync"(&mut address => *mut u64, 128 => usize, stream => u64));
    assert_eq!(code, 0);
    let code = call!("cuMemsetD32Async"(address => u64, 41 => u32, 32 => usize, stream => u64));
    assert_eq!(code, 0);
    let mut arguments = [(&raw mut address).cast::<c_void>()];
    let code = call!("cuLaunchKernel"(
        add => u64, 1 => u32, 1 => u32, 1 => u32, 32 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
        arguments.as_mut_ptr() => *mut *mut c_void, std::ptr::null() => *const c_void
    ));
    assert_eq!(code, 0);
    let result = allocate(128);
    let code =
        call!("cuMemcpyDtoDAsync"(result => u64, address => u64, 128 => usize, stream => u64));
    // The memory is not backed yet, but will be when the graph runs.
    assert_eq!(code, 0);
    assert_eq!(call!("cuMemFreeAsync"(address => u64, stream => u64)), 0);
    let mut captured = 0u64;
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut captured => *mut u64)), 0);
    let executable = instantiate(captured);
    for _ in 0..2 {
        assert_eq!(run(executable), 0);
        assert_eq!(download::<u32>(result, 32), [42; 32]);
    }
}

#[test]
fn kernels_set_conditions() {
    context();
    let set = kernel(PTX, "set");
    let made = graph();
    let mut handle = 0u64;
    let code = call!("cuGraphConditionalHandleCreate"(
        &mut handle => *mut u64, made => u64, 0 => u64, 3 => u32, 1 => u32
    ));
    assert_eq!((code, download::<u32>(handle, 1)), (0, vec![3]));
    assert_eq!(launch(set, 1, &[handle, 77]), 0);
    assert_eq!(download::<u32>(handle, 1), [77]);
}

/// Adds a node of any kind; returns it with its updated parameters.
fn any_node(graph: u64, kind: u64, words: &[u64]) -> Result<[u64; 32], i32> {
    let mut parameters = [0u64; 32];
    parameters[0] = kind;
    parameters[2..2 + words.len()].copy_from_slice(words);
    let mut node = 0u64;
    let code = call!("cuGraphAddNode"(
        &mut node => *mut u64, graph => u64, std::ptr::null() => *const u64, std::ptr::null() => *const c_void,
        0 => usize, parameters.as_mut_ptr() => *mut u64
    ));
    if code == 0 { Ok(parameters) } else { Err(code) }
}

/// A kernel node with one thread.
fn kernel_node(graph: u64, function: u64, arguments: &[u64]) {
    let each: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    let ones = 1 | 1 << 32;
    any_node(graph, 0, &[function, ones, ones, ones, 0, each.as_ptr() as u64])
        .map(drop)
        .unwrap_or_else(|code| panic!("a kernel's node: {code}"));
}

#[test]
fn bodies_run_by_conditions() {
    let _alone = ALONE.lock();
    context();
    let (count, add) = (kernel(PTX, "count"), kernel(PTX, "add"));
    let x = allocate(128);
    let condition = |graph: u64, value: u32| {
        let mut handle = 0u64;
        let code = call!("cuGraphConditionalHandleCreate"(
            &mut handle => *mut u64, graph => u64, 0 => u64, value => u32, 1 => u32
        ));
        assert_eq!(code, 0);
        handle
    };
    // Adds the body of a conditional node (0 if, 1 while, 2 switch).
    let body = |graph: u64, handle: u64, kind: u64, number: usize, of: u64| {
        let node = any_node(graph, 13, &[handle, kind | of << 32, 0, 0]).expect("a node");
        // SAFETY: the driver stored a pointer to the bodies.
        unsafe { (node[4] as *const u64).add(number).read() }
    };
    let cases = [
        (0, 1, 0, 1, [1, 2]),
        (0, 0, 1, 2, [1, 2]),
        (0, 0, 0, 1, [0, 0]),
        (1, 7, 0, 1, [5, 6]),
        (2, 2, 2, 3, [1, 2]),
        (2, 9, 0, 3, [0, 0]),
    ];
    for (kind, value, number, of, expected) in cases {
        assert_eq!(call!("cuMemsetD8"(x => u64, 0 => u8, 128 => usize)), 0);
        let made = graph();
        let handle = condition(made, value);
        kernel_node(body(made, handle, kind, number, of), count, &[x, handle]);
        let executable = instantiate(made);
        // The next launch resets the condition.
        for after in expected {
            assert_eq!(run(executable), 0);
            assert_eq!(download::<u32>(x, 1), [after], "kind {kind}, value {value}");
        }
    }
    // Changes a node of a body through the executable.
    let (made, y) = (graph(), allocate(128));
    let handle = condition(made, 1);
    let inside = body(made, handle, 0, 0, 1);
    kernel_node(inside, count, &[x, handle]);
    let (executable, mut node, mut nodes) = (instantiate(made), 0u64, 1usize);
    assert_eq!(
        call!("cuGraphGetNodes"(inside => u64, &mut node => *mut u64, &mut nodes => *mut usize)),
        0
    );
    let (arguments, ones) = ([y, handle], 1 | 1 << 32);
    let each: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    let words = [count, ones, ones, ones, 0, each.as_ptr() as u64, 0, 0, 0];
    let change = |executable: u64| call!("cuGraphExecKernelNodeSetParams"(executable => u64, node => u64, words.as_ptr() => *const u64));
    assert_eq!(call!("cuMemsetD8"(y => u64, 0 => u8, 128 => usize)), 0);
    assert_eq!((change(executable), run(executable), download::<u32>(y, 1)), (0, 0, vec![1]));
    assert_eq!(change(instantiate(graph())), 1); // a node of another graph
    // Also a graph that was moved into a node: its nodes keep their handles, and it cannot contain itself.
    let (made, child) = (graph(), graph());
    kernel_node(child, add, &[x]);
    assert_eq!(
        call!("cuGraphGetNodes"(child => u64, &mut node => *mut u64, &mut nodes => *mut usize)),
        0
    );
    any_node(made, 4, &[child, 1]).expect("a child");
    assert_eq!(any_node(child, 4, &[made, 1]), Err(1));
    assert_eq!(any_node(made, 4, &[made, 1]), Err(1));
    let executable = instantiate(made);
    let words = [add, ones, ones, ones, 0, each.as_ptr() as u64, 0, 0, 0];
    let code = call!("cuGraphExecKernelNodeSetParams"(executable => u64, node => u64, words.as_ptr() => *const u64));
    assert_eq!((code, run(executable), download::<u32>(y, 1)), (0, 0, vec![2]));
    // A body can be captured.
    let made = graph();
    let handle = condition(made, 1);
    let (captured, mut stream) = (body(made, handle, 0, 0, 1), 0u64);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    let none = std::ptr::null::<c_void>();
    let code = call!("cuStreamBeginCaptureToGraph"(
        stream => u64, captured => u64, none => *const c_void, none => *const c_void, 0 => usize, 2 => i32
    ));
    assert_eq!(code, 0);
    let code = call!("cuMemsetD32Async"(x => u64, 17 => u32, 32 => usize, stream => u64));
    assert_eq!(code, 0);
    let code = call!("cuStreamEndCapture"(stream => u64, std::ptr::null_mut() => *mut u64));
    assert_eq!((code, run(instantiate(made)), download::<u32>(x, 1)), (0, 0, vec![17]));

    let made = graph();
    let handle = condition(made, 1);
    assert_eq!(any_node(made, 13, &[handle, 1 | 2 << 32, 0, 0]), Err(1)); // a loop has exactly one body
    assert_eq!(any_node(made, 13, &[12_345, 1 << 32, 0, 0]), Err(1)); // no condition
    // Memory nodes through the generic struct.
    let mut words = [0; 15];
    (words[0], words[1], words[13]) = (1, 1, 128);
    let address = any_node(made, 10, &words).expect("a node")[2 + 14];
    kernel_node(made, add, &[x]);
    assert_eq!(run(instantiate(made)), 0);
    assert_eq!(download::<u32>(address, 1).len(), 1);
    let freeing = graph();
    any_node(freeing, 11, &[address]).expect("a node");
    assert_eq!(run(instantiate(freeing)), 0);
}
