//! Newer functions and older variants: batched copies, attributes, pools by location, and variants by CUDA version.

use crate::common::{allocate, context, cuGetProcAddress_v2, download, kernel, upload};
use std::ffi::{CString, c_void};

fn stream() -> u64 {
    let mut stream = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    stream
}

/// The address of a function's variant for a CUDA version.
fn form(name: &str, version: i32) -> *const c_void {
    let text = CString::new(name).expect("a name");
    let (mut to, mut status) = (std::ptr::null(), 0);
    // SAFETY: the text ends with a zero byte, and the results have their types.
    let code = unsafe { cuGetProcAddress_v2(text.as_ptr(), &mut to, version, 0, &mut status) };
    assert_eq!((code, status), (0, 0), "{name}");
    to
}

/// `CUmemcpyAttributes`: in the order of the stream.
const IN_ORDER: [i32; 6] = [1, 0, 0, 0, 0, 0];

#[test]
fn lines_are_copied_in_batches() {
    context();
    let (stream, device, other) = (stream(), allocate(16), allocate(16));
    let (from, mut back) = ([1u32, 2, 3, 4], [0u32; 2]);
    let to = [device, other, back.as_mut_ptr() as u64];
    let sources = [from.as_ptr() as u64, device + 4, other];
    let copy = |sizes: &[usize; 3], starts: &[usize], stream: u64| {
        let attributes = vec![IN_ORDER; starts.len()];
        call!("cuMemcpyBatchAsync"(
            to.as_ptr() => *const u64, sources.as_ptr() => *const u64, sizes.as_ptr() => *const usize, 3 => usize,
            attributes.as_ptr().cast() => *const c_void, starts.as_ptr() => *const usize, starts.len() => usize,
            stream => u64
        ))
    };
    assert_eq!(copy(&[16, 8, 8], &[0, 2], stream), 0);
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
    assert_eq!((download::<u32>(device, 4), back), (vec![1, 2, 3, 4], [2, 3]));
    assert_eq!(copy(&[16, 8, 8], &[1], stream), 1); // the first copy has no attributes
    assert_eq!(copy(&[16, 8, 8], &[0, 0], stream), 1);
    assert_eq!(copy(&[16, 8, 8], &[0], 0), 1); // the default stream

    // CUDA 12.8's form stores the index of the failed copy.
    let sizes = [16usize, 1 << 20, 8];
    let (starts, mut failed) = ([0usize], usize::MAX);
    // SAFETY: the signature in CUDA 12.8.
    let code = unsafe {
        let copy: unsafe extern "C" fn(
            *const u64,
            *const u64,
            *const usize,
            usize,
            *const i32,
            *const usize,
            usize,
            *mut usize,
            u64,
        ) -> i32 = std::mem::transmute(form("cuMemcpyBatchAsync", 12_080));
        copy(
            to.as_ptr(),
            sources.as_ptr(),
            sizes.as_ptr(),
            3,
            IN_ORDER.as_ptr(),
            starts.as_ptr(),
            1,
            &raw mut failed,
            stream,
        )
    };
    assert_eq!((code, failed), (1, 1));
}

/// `CUmemcpy3DOperand`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Operand {
    kind: i32,
    words: [u64; 4],
}

/// `CUDA_MEMCPY3D_BATCH_OP`.
#[repr(C)]
struct BoxCopy {
    from: Operand,
    to: Operand,
    extent: [usize; 3],
    order: i32,
    flags: u32,
}

#[test]
fn copies_take_attributes_since_cuda_13_2() {
    context();
    let (device, from, mut back) = (allocate(16), [1u32, 2, 3, 4], [0u32; 4]);
    let copy = |to: u64, from: u64, attributes: *const i32| {
        call!("cuMemcpyWithAttributesAsync"(
            to => u64, from => u64, 16 => usize, attributes.cast() => *const c_void, 0 => u64
        ))
    };
    assert_eq!(copy(device, from.as_ptr() as u64, IN_ORDER.as_ptr()), 0);
    assert_eq!(copy(device, from.as_ptr() as u64, std::ptr::null()), 1);
    let memory = |address: u64| Operand { kind: 1, words: [address, 0, 0, 0] };
    let (from, to) = (memory(device), memory(back.as_mut_ptr() as u64));
    let copy = BoxCopy { from, to, extent: [16, 1, 1], order: 1, flags: 0 };
    let three = |flags: u64| call!("cuMemcpy3DWithAttributesAsync"(&copy => *const BoxCopy, flags => u64, 0 => u64));
    assert_eq!((three(0), three(1)), (0, 1));
    assert_eq!(call!("cuStreamSynchronize"(0 => u64)), 0);
    assert_eq!(back, [1, 2, 3, 4]);
}

#[test]
fn a_form_is_given_from_its_version_on() {
    for (name, since) in [("cuLaunchHostFunc", 13_010), ("cuGraphAddNode", 13_040)] {
        assert_ne!(form(name, since - 10), form(name, since), "{name}");
    }
}

#[test]
fn the_cuda_version_is_that_of_the_newest_functions() {
    let mut version = 0;
    assert_eq!(call!("cuDriverGetVersion"(&mut version => *mut i32)), 0);
    // Every name of CUDA 13.5 has a function, although some functions are unsupported.
    assert_eq!(version, 13_050);
    form("cuTensorMapSetAllocationClass", version);
    form("cuFabricCpyBatchAsync", version);
}

#[test]
fn boxes_are_copied_in_batches() {
    context();
    let stream = stream();
    // Width, height, f32, one channel.
    let (descriptor, mut array) = ([4u64, 3, 1 << 32 | 0x20], 0u64);
    let code = call!("cuArrayCreate"(&mut array => *mut u64, descriptor.as_ptr() => *const u64));
    assert_eq!(code, 0);
    let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let mut back = [0f32; 4];
    let memory = |address: u64, row: u64| Operand { kind: 1, words: [address, row, 0, 0] };
    let texels = |x: u64, y: u64| Operand { kind: 2, words: [array, x, y, 0] };
    let copies = [
        BoxCopy {
            from: memory(values.as_ptr() as u64, 4),
            to: texels(0, 0),
            extent: [4, 3, 1],
            order: 1,
            flags: 0,
        },
        BoxCopy {
            from: texels(1, 1),
            to: memory(back.as_mut_ptr() as u64, 2),
            extent: [2, 2, 1],
            order: 3,
            flags: 0,
        },
    ];
    let copy = |count: usize, flags: u64| {
        call!("cuMemcpy3DBatchAsync"(
            count => usize, copies.as_ptr() => *const BoxCopy, flags => u64, stream => u64
        ))
    };
    assert_eq!(copy(2, 0), 0);
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
    assert_eq!(back, [5.0, 6.0, 9.0, 10.0]);
    assert_eq!((copy(0, 0), copy(2, 1)), (1, 1));

    // Linear copies of an array, to and from everything.
    let (device, mut host) = (allocate(16), [0f32; 2]);
    let code = call!("cuMemcpyAtoD"(device => u64, array => u64, 4 => usize, 12 => usize));
    assert_eq!((code, download::<f32>(device, 3)), (0, vec![1.0, 2.0, 3.0]));
    let code = call!("cuMemcpyDtoA"(array => u64, 0 => usize, device + 4 => u64, 8 => usize));
    assert_eq!(code, 0);
    let code =
        call!("cuMemcpyAtoA"(array => u64, 8 => usize, array => u64, 0 => usize, 4 => usize));
    assert_eq!(code, 0);
    let out = host.as_mut_ptr().cast::<c_void>();
    let code = call!("cuMemcpyAtoHAsync"(out => *mut c_void, array => u64, 4 => usize, 8 => usize, stream => u64));
    assert_eq!((code, call!("cuStreamSynchronize"(stream => u64)), host), (0, 0, [3.0, 2.0]));
}

#[test]
fn attributes_of_streams_are_kept() {
    context();
    let mut first = 0u64;
    let code = call!("cuStreamCreateWithPriority"(&mut first => *mut u64, 1 => u32, -3 => i32));
    assert_eq!(code, 0);
    let second = stream();
    let get = |stream: u64, attribute: u32| {
        let mut value = [0xaau32; 16];
        let code = call!("cuStreamGetAttribute"(
            stream => u64, attribute => u32, value.as_mut_ptr() => *mut u32
        ));
        (code, value[0])
    };
    let set = |stream: u64, attribute: u32, value: u32| {
        let mut all = [0u32; 16];
        all[0] = value;
        call!("cuStreamSetAttribute"(stream => u64, attribute => u32, all.as_ptr() => *const u32))
    };
    assert_eq!(get(first, 8), (0, (-3i32).cast_unsigned()));
    assert_eq!((get(first, 3), get(0, 3)), ((0, 1), (0, 1)));
    assert_eq!((set(first, 3, 2), get(first, 3)), (0, (0, 2)));
    assert_eq!((get(first, 2).0, set(first, 4, 1)), (1, 1)); // launch attributes
    assert_eq!(call!("cuStreamCopyAttributes"(second => u64, first => u64)), 0);
    assert_eq!(get(second, 3), (0, 2));
}

const PTX: &str =
    ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %cluster_nctarank;
    st.global.u32 [%rd1], %r1;
    ret;
}\0";

/// `CUDA_KERNEL_NODE_PARAMS_v1`, followed by a guard word.
#[repr(C)]
struct Node {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    each: *const *const u64,
    extra: u64,
    behind: [u64; 2],
}

#[test]
fn kernel_nodes_have_attributes_and_older_forms() {
    context();
    let (function, out, stream) = (kernel(PTX, "k"), allocate(4), stream());
    let each = [&raw const out];
    let parameters = Node {
        function,
        grid: [4, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 0,
        each: each.as_ptr(),
        extra: 0,
        behind: [0, 0],
    };
    let (mut graph, mut node, mut other) = (0u64, 0u64, 0u64);
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    for node in [&mut node, &mut other] {
        let code = call!("cuGraphAddKernelNode"(
            node => *mut u64, graph => u64, std::ptr::null() => *const u64, 0 => usize, &parameters => *const Node
        ));
        assert_eq!(code, 0);
    }
    let mut value = [0u32; 16];
    value[..3].copy_from_slice(&[2, 1, 1]);
    let mut set = |node: u64, attribute: u32| {
        call!("cuGraphKernelNodeSetAttribute"(
            node => u64, attribute => u32, value.as_mut_ptr() => *mut u32
        ))
    };
    assert_eq!((set(node, 4), set(node, 3), set(12, 4)), (0, 1, 400));
    let get = |node: u64, attribute: u32| {
        let mut value = [9u32; 16];
        let code = call!("cuGraphKernelNodeGetAttribute"(
            node => u64, attribute => u32, value.as_mut_ptr() => *mut u32
        ));
        (code, value[0])
    };
    assert_eq!((get(node, 4), get(other, 4), get(node, 2)), ((0, 2), (0, 0), (0, 0)));
    assert_eq!(call!("cuGraphKernelNodeCopyAttributes"(other => u64, node => u64)), 0);
    assert_eq!(get(other, 4), (0, 2));

    // New parameters keep the attributes; both nodes are launched as clusters of two.
    let code = call!("cuGraphKernelNodeSetParams"(node => u64, &parameters => *const Node));
    assert_eq!((code, get(node, 4)), (0, (0, 2)));
    let (mut executable, mut copy) = (0u64, 0u64);
    assert_eq!(call!("cuGraphClone"(&mut copy => *mut u64, graph => u64)), 0);
    let code =
        call!("cuGraphInstantiateWithFlags"(&mut executable => *mut u64, copy => u64, 0 => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, stream => u64)), 0);
    assert_eq!(call!("cuStreamSynchronize"(stream => u64)), 0);
    assert_eq!(download::<u32>(out, 1), [2]);

    // CUDA 11 has shorter parameters, and edges without data.
    let mut shown = Node { behind: [7, 7], function: 0, ..parameters };
    // SAFETY: the signatures in CUDA 11.
    unsafe {
        let get: unsafe extern "C" fn(u64, *mut Node) -> i32 =
            std::mem::transmute(form("cuGraphKernelNodeGetParams", 11_080));
        assert_eq!(get(node, &mut shown), 0);
        let edge: unsafe extern "C" fn(u64, *const u64, *const u64, usize) -> i32 =
            std::mem::transmute(form("cuGraphAddDependencies", 12_000));
        assert_eq!(edge(graph, &node, &other, 1), 0);
        let edges: unsafe extern "C" fn(u64, *mut u64, *mut u64, *mut usize) -> i32 =
            std::mem::transmute(form("cuGraphGetEdges", 12_000));
        let (mut from, mut to, mut count) = (0, 0, 1);
        assert_eq!(edges(graph, &mut from, &mut to, &mut count), 0);
        assert_eq!((from, to, count), (node, other, 1));
        let remove: unsafe extern "C" fn(u64, *const u64, *const u64, usize) -> i32 =
            std::mem::transmute(form("cuGraphRemoveDependencies", 12_000));
        // An edge exists once, and self-edges are errors.
        assert_eq!((edge(graph, &node, &other, 1), edge(graph, &node, &node, 1)), (1, 1));
        assert_eq!((remove(graph, &node, &other, 1), remove(graph, &node, &other, 1)), (0, 1));
        // The guard word is unchanged.
        let mut result = 9i32;
        let update: unsafe extern "C" fn(u64, u64, *mut u64, *mut i32) -> i32 =
            std::mem::transmute(form("cuGraphExecUpdate", 11_080));
        assert_eq!(update(executable, copy, &mut from, &mut result), 0);
        assert_eq!((from, result), (0, 0));
    }
    assert_eq!((shown.function, shown.grid, shown.behind), (function, [4, 1, 1], [7, 7]));
}

#[test]
fn edges_have_data() {
    context();
    let (mut graph, mut nodes) = (0u64, [0u64; 2]);
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    for node in &mut nodes {
        let none = std::ptr::null::<u64>();
        let code = call!("cuGraphAddEmptyNode"(std::ptr::from_mut(node) => *mut u64, graph => u64, none => *const u64, 0 => usize));
        assert_eq!(code, 0);
    }
    let (from, to, data) = (nodes[0], nodes[1], [2u8, 0, 1, 0, 0, 0, 0, 0]);
    let add = |data: *const [u8; 8]| call!("cuGraphAddDependencies"(graph => u64, &from => *const u64, &to => *const u64, data => *const [u8; 8], 1 => usize));
    let remove = || {
        let none = std::ptr::null::<u8>();
        call!("cuGraphRemoveDependencies"(graph => u64, &from => *const u64, &to => *const u64, none => *const u8, 1 => usize))
    };
    let known = || {
        let (mut node, mut found, mut count) = (0u64, [9u8; 8], 1usize);
        let code = call!("cuGraphNodeGetDependencies"(to => u64, &mut node => *mut u64, &mut found => *mut [u8; 8], &mut count => *mut usize));
        assert_eq!((code, node, count), (0, from, 1));
        found
    };
    assert_eq!((add(&data), known()), (0, data));
    // Defaults are zeros.
    assert_eq!((remove(), add(std::ptr::null()), known()), (0, 0, [0; 8]));

    // The edge data of a captured stream's dependencies.
    let stream = stream();
    assert_eq!(
        call!("cuStreamBeginCaptureToGraph"(stream => u64, graph => u64, &to => *const u64, std::ptr::null() => *const c_void, 1 => usize, 2 => i32)),
        0
    );
    let (mut status, mut id, mut of, mut last, mut edges, mut count) =
        (0i32, 0u64, 0u64, std::ptr::null::<u64>(), std::ptr::null::<[u8; 8]>(), 0usize);
    let code = call!("cuStreamGetCaptureInfo"(
        stream => u64, &mut status => *mut i32, &mut id => *mut u64, &mut of => *mut u64, &mut last => *mut *const u64,
        &mut edges => *mut *const [u8; 8], &mut count => *mut usize
    ));
    // SAFETY: the driver returned one element each, valid until the next call for this stream.
    assert_eq!((code, status, count, unsafe { (*last, *edges) }), (0, 1, 1, (to, [0; 8])));
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut of => *mut u64)), 0);
}

#[test]
fn a_thread_has_a_mode_of_capturing() {
    context();
    let exchange = |mode: i32| {
        let mut mode = mode;
        (call!("cuThreadExchangeStreamCaptureMode"(&mut mode => *mut i32)), mode)
    };
    assert_eq!(
        [exchange(2), exchange(1), exchange(0), exchange(0)],
        [(0, 0), (0, 2), (0, 1), (0, 0)]
    );
    assert_eq!(exchange(3).0, 1);
}

#[test]
fn settings_of_core_dumps_are_kept() {
    context();
    let set = |setting: i32, value: &[u8]| {
        let size = value.len();
        call!("cuCoredumpSetAttributeGlobal"(setting => i32, value.as_ptr() => *const u8, &size => *const usize))
    };
    let get = |setting: i32| {
        let (mut value, mut size) = ([9u8; 16], 16usize);
        let code = call!("cuCoredumpGetAttribute"(setting => i32, value.as_mut_ptr() => *mut u8, &mut size => *mut usize));
        (code, value[..size.min(16)].to_vec())
    };
    assert_eq!((get(2), get(3), get(5)), ((0, vec![1]), (0, vec![0]), (0, vec![])));
    assert_eq!((set(2, &[0]), set(3, &[1]), set(5, b"core\0")), (0, 0, 0));
    assert_eq!((get(2), get(3), get(5)), ((0, vec![0]), (0, vec![1]), (0, b"core".to_vec())));
    // No dump is written, and the driver reports that.
    assert_eq!((set(1, &[1]), get(1), set(9, &[1])), (801, (0, vec![0]), 1));
}

#[test]
fn available_dynamic_shared_memory_is_a_valid_launch_size() {
    context();
    let function = kernel(PTX, "k");
    let left = |blocks: i32| {
        let mut bytes = 0usize;
        let code = call!("cuOccupancyAvailableDynamicSMemPerBlock"(&mut bytes => *mut usize, function => u64, blocks => i32, 32 => i32));
        assert_eq!(code, 0);
        bytes
    };
    assert_eq!((left(1), left(16)), (48 << 10, (228 << 10) / 16));
    // Opt-in for more shared memory (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES).
    assert_eq!(call!("cuFuncSetAttribute"(function => u64, 8 => i32, 227 << 10 => i32)), 0);
    assert_eq!((left(1), left(2)), (227 << 10, (228 << 10) / 2));
}

#[test]
fn pools_have_locations() {
    context();
    let (device, host) = ([1i32, 0], [2i32, 0]);
    let pool = |name: &str, location: &[i32; 2], kind: i32| {
        let mut pool = 0u64;
        // SAFETY: both functions have this signature.
        let code = unsafe {
            let get: unsafe extern "C" fn(*mut u64, *const [i32; 2], i32) -> i32 =
                std::mem::transmute(crate::common::address(name));
            get(&mut pool, location, kind)
        };
        (code, pool)
    };
    let (code, first) = pool("cuMemGetDefaultMemPool", &device, 1);
    assert_eq!((code, pool("cuMemGetMemPool", &device, 1)), (0, (0, first)));
    let mut made = 0u64;
    // Device memory of the first device.
    let properties = [1u64, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let code = call!("cuMemPoolCreate"(&mut made => *mut u64, properties.as_ptr() => *const u64));
    assert_eq!(code, 0);
    let set =
        |pool: u64| call!("cuMemSetMemPool"(&device => *const [i32; 2], 1 => i32, pool => u64));
    assert_eq!((set(made), pool("cuMemGetMemPool", &device, 1)), (0, (0, made)));
    assert_eq!(pool("cuMemGetDefaultMemPool", &device, 1), (0, first));
    assert_eq!((set(first), set(12)), (0, 400));
    // The host pool has page-locked memory, the managed pool managed memory; neither belongs to another location.
    let (of_host, managed) =
        (pool("cuMemGetMemPool", &host, 1).1, pool("cuMemGetDefaultMemPool", &[0, 0], 2).1);
    assert_eq!(pool("cuMemGetDefaultMemPool", &host, 1), (0, of_host));
    assert!(of_host != first && managed != of_host);
    for (of, kind, is_managed) in [(of_host, 1u32, 0u32), (managed, 2, 1)] {
        let (mut at, mut found, mut managed) = (0u64, 0u32, 9u32);
        assert_eq!(
            call!("cuMemAllocFromPoolAsync"(&mut at => *mut u64, 64 => usize, of => u64, 0 => u64)),
            0
        );
        // SAFETY: pinned and managed memory is accessible from the host.
        unsafe { (at as *mut u8).write(7) };
        assert_eq!(call!("cuPointerGetAttribute"(&mut found => *mut u32, 2 => i32, at => u64)), 0);
        assert_eq!(
            call!("cuPointerGetAttribute"(&mut managed => *mut u32, 8 => i32, at => u64)),
            0
        );
        assert_eq!((found, managed), (kind, is_managed));
        assert_eq!(call!("cuMemFreeAsync"(at => u64, 0 => u64)), 0);
    }
    assert_eq!(call!("cuMemPoolDestroy"(of_host => u64)), 1);
    assert_eq!(
        (pool("cuMemGetMemPool", &[9, 0], 1).0, pool("cuMemGetMemPool", &[4, 0], 1).0),
        (1, 801)
    );
    assert_eq!(pool("cuMemGetMemPool", &[1, 99], 1).0, 101);
}

#[test]
fn events_of_captures_and_unknown_flags_are_refused() {
    context();
    let (stream, mut event, mut graph, mut executable) = (stream(), 0u64, 0u64, 0u64);
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    assert_eq!(call!("cuEventRecord"(event => u64, stream => u64)), 0);
    assert_eq!(call!("cuEventQuery"(event => u64)), 907);
    assert_eq!(call!("cuEventSynchronize"(event => u64)), 907);
    // The query has invalidated the capture.
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 901);
    assert_eq!(call!("cuEventQuery"(event => u64)), 1);
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 0);
    // Re-recorded, it is an ordinary event.
    assert_eq!(call!("cuEventRecord"(event => u64, stream => u64)), 0);
    assert_eq!(call!("cuEventQuery"(event => u64)), 0);
    let mut instantiate = |flags: u64| {
        call!("cuGraphInstantiateWithFlags"(
            &mut executable => *mut u64, graph => u64, flags => u64
        ))
    };
    // Flag 16 does not exist, and auto-free excludes device launch.
    assert_eq!((instantiate(1), instantiate(4), instantiate(5), instantiate(16)), (0, 0, 1, 1));
}

#[test]
fn properties_and_hints() {
    context();
    let mut properties = [0i32; 15];
    let code = call!("cuDeviceGetProperties"(properties.as_mut_ptr() => *mut i32, 0 => i32));
    assert_eq!((code, properties[0], properties[9], properties[14]), (0, 1024, 32, 0));
    let (stream, memory) = (stream(), allocate(64));
    upload(memory, &[1u32; 16]);
    let hint = |name: &str, bytes: usize| {
        // SAFETY: the function has this signature.
        unsafe {
            let hint: unsafe extern "C" fn(*const u64, *const usize, usize, u64, u64) -> i32 =
                std::mem::transmute(crate::common::address(name));
            hint(&memory, &bytes, 1, 0, stream)
        }
    };
    assert_eq!(hint("cuMemDiscardBatchAsync", 64), 0);
    assert_eq!(hint("cuMemDiscardBatchAsync", 1 << 20), 1);
    assert_eq!(hint("cuMemDiscardBatchAsync", 0), 1);
}
