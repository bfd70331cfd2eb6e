//! Graphs that a program builds node by node, and the program's functions that graphs and streams call.

use super::checks::{check_arguments, host_side, on_device};
use super::plain::status;
use lanework_host::{External, Process, Stop, word};
use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_char, c_void};

type HostFunction = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    fn cuGraphAddKernelNode_v2(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        parameters: *const c_void,
    ) -> i32;
    fn cuGraphAddMemcpyNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        copy: *const c_void,
        context: u64,
    ) -> i32;
    fn cuGraphAddMemsetNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        fill: *const c_void,
        context: u64,
    ) -> i32;
    fn cuGraphAddHostNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        parameters: *const c_void,
    ) -> i32;
    fn cuGraphAddEmptyNode(node: *mut c_void, graph: u64, after: *const c_void, count: u64) -> i32;
    fn cuGraphAddChildGraphNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        child: u64,
    ) -> i32;
    fn cuGraphAddEventRecordNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        event: u64,
    ) -> i32;
    fn cuGraphAddEventWaitNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        event: u64,
    ) -> i32;
    fn cuGraphAddMemAllocNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        parameters: *mut c_void,
    ) -> i32;
    fn cuGraphAddMemFreeNode(
        node: *mut c_void,
        graph: u64,
        after: *const c_void,
        count: u64,
        memory: u64,
    ) -> i32;
    fn cuGraphKernelNodeSetParams_v2(node: u64, parameters: *const c_void) -> i32;
    fn cuGraphExecKernelNodeSetParams_v2(graph: u64, node: u64, parameters: *const c_void) -> i32;
    fn cuGraphMemcpyNodeSetParams(node: u64, copy: *const c_void) -> i32;
    fn cuGraphExecMemcpyNodeSetParams(
        graph: u64,
        node: u64,
        copy: *const c_void,
        context: u64,
    ) -> i32;
    fn cuGraphMemsetNodeSetParams(node: u64, fill: *const c_void) -> i32;
    fn cuGraphExecMemsetNodeSetParams(
        graph: u64,
        node: u64,
        fill: *const c_void,
        context: u64,
    ) -> i32;
    fn cuGraphHostNodeSetParams(node: u64, parameters: *const c_void) -> i32;
    fn cuGraphExecHostNodeSetParams(graph: u64, node: u64, parameters: *const c_void) -> i32;
    fn cuGraphAddDependencies(
        graph: u64,
        from: *const c_void,
        to: *const c_void,
        count: u64,
    ) -> i32;
    fn cuGraphRemoveDependencies(
        graph: u64,
        from: *const c_void,
        to: *const c_void,
        count: u64,
    ) -> i32;
    fn cuGraphGetNodes(graph: u64, nodes: *mut c_void, count: *mut c_void) -> i32;
    fn cuGraphGetRootNodes(graph: u64, nodes: *mut c_void, count: *mut c_void) -> i32;
    fn cuGraphNodeGetDependencies(node: u64, nodes: *mut c_void, count: *mut c_void) -> i32;
    fn cuGraphNodeGetDependentNodes(node: u64, nodes: *mut c_void, count: *mut c_void) -> i32;
    fn cuGraphGetEdges(graph: u64, from: *mut c_void, to: *mut c_void, count: *mut c_void) -> i32;
    fn cuGraphDebugDotPrint(graph: u64, file: *const c_char, flags: u32) -> i32;
    fn cuGraphLaunch(graph: u64, stream: u64) -> i32;
    fn cuLaunchHostFunc(stream: u64, function: HostFunction, data: *mut c_void) -> i32;
}

thread_local! {
    /// The program while it waits for a driver call; the driver may then call the program's functions.
    static WAITING: Cell<*mut Process> = const { Cell::new(std::ptr::null_mut()) };
    /// Calls of program functions that the driver made while the program was not waiting.
    static LATE: RefCell<Vec<(u64, u64)>> = const { RefCell::new(Vec::new()) };
    /// Why a program function that the driver called did not return.
    static STOPPED: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// A program function with its argument.
struct ProgramCall {
    function: u64,
    data: u64,
}

/// The driver calls this function in place of a program function.
unsafe extern "C" fn call_program(call: *mut c_void) {
    // SAFETY: `given_function` created the object, which is never freed.
    let ProgramCall { function, data } = unsafe { &*call.cast::<ProgramCall>() };
    let waiting = WAITING.get();
    if waiting.is_null() {
        LATE.with_borrow_mut(|late| late.push((*function, *data)));
        return;
    }
    if STOPPED.with_borrow(Option::is_some) {
        return;
    }
    // SAFETY: `while_waiting` holds the only reference to the process and does not use it until the driver returns.
    let process = unsafe { &mut *waiting };
    let records = lanework_libcuda::records_host_functions();
    if records {
        process.memory.record();
    }
    let ended = process.call(*function, &[*data]);
    if records {
        let used = process.memory.recorded();
        if let Some(number) = lanework_libcuda::host_function_used(&used.shared) {
            process.memory.pend(number, used);
        }
    }
    if let Err(stop) = ended {
        STOPPED.set(Some(stop));
    }
}

/// Creates the object that represents a program function. It is never freed, because a graph may call it at any time.
fn given_function(function: u64, data: u64) -> *mut c_void {
    Box::into_raw(Box::new(ProgramCall { function, data })).cast()
}

/// Describes the program's object at an address, while the program waits for a driver call.
pub fn object_at(address: u64) -> Option<String> {
    let waiting = WAITING.get();
    // SAFETY: as in `call_program`; the driver calls this function, and nothing changes the process meanwhile.
    let process = (!waiting.is_null()).then(|| unsafe { &*waiting })?;
    process.object_at(address, |name| lanework::ptx::cpp_names::readable(name).into_owned())
}

/// Runs a driver call that cannot call program functions, but may describe the program's objects in findings.
pub fn while_describing(process: &mut Process, call: impl FnOnce() -> i32) -> u64 {
    let before = WAITING.replace(std::ptr::from_mut(process));
    let code = call();
    WAITING.set(before);
    status(code)
}

/// Runs a driver call that may call program functions.
///
/// # Errors
/// If such a function faults or ends the program.
pub fn while_waiting(process: &mut Process, call: impl FnOnce() -> i32) -> Result<u64, Stop> {
    process.flush();
    for (function, data) in LATE.take() {
        process.call(function, &[data])?;
    }
    let before = WAITING.replace(std::ptr::from_mut(process));
    let code = call();
    WAITING.set(before);
    match STOPPED.take() {
        Some(stop) => Err(stop),
        None => Ok(status(code)),
    }
}

/// Checks a list of handles that the program passes, and returns its address.
fn handles(process: &Process, at: u64, count: u64) -> Result<*const c_void, Stop> {
    if count == 0 {
        return Ok(std::ptr::null());
    }
    let list = process.memory.check_range(at, count.saturating_mul(8));
    Ok(process.accessed(list, "read")?.cast_const().cast())
}

/// Checks the memory for a handle that the driver stores, and returns its address.
fn result(process: &Process, at: u64) -> Result<*mut c_void, Stop> {
    Ok(process.accessed(process.memory.check_range(at, 8), "write")?.cast())
}

/// Adds a node. `add` receives the address for its handle, the graph, the node's dependencies and their number.
fn add_node(
    process: &Process,
    a: &[u64],
    add: impl FnOnce(*mut c_void, u64, *const c_void, u64) -> i32,
) -> Result<u64, Stop> {
    let after = handles(process, word(a, 2), word(a, 3))?;
    Ok(status(add(result(process, word(a, 0))?, word(a, 1), after, word(a, 3))))
}

/// Reads a structure, such as a node's parameters.
fn description<const BYTES: usize>(process: &Process, at: u64) -> Result<[u64; BYTES], Stop> {
    let bytes = process.accessed(process.memory.read(at, 8 * BYTES as u64), "read")?;
    let mut words = [0; BYTES];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    }
    Ok(words)
}

/// Reads the parameters of a kernel node, and checks the kernel's arguments.
fn kernel(process: &Process, at: u64) -> Result<[u64; 9], Stop> {
    let parameters = description::<9>(process, at)?;
    check_arguments(process, parameters[0], parameters[5])?;
    Ok(parameters)
}

/// Reads the description of a copy, and checks its ranges of host memory.
fn copy(process: &Process, at: u64) -> Result<Vec<u8>, Stop> {
    let copy = process.accessed(process.memory.read(at, 200), "read")?;
    for (side, verb) in [(0, "read"), (88, "write")] {
        if let Some((start, bytes)) = host_side(&copy, side)
            && !on_device(process, start)
        {
            process.accessed(process.memory.check_range(start, bytes), verb)?;
        }
    }
    Ok(copy)
}

/// The driver's parameters for a host node: a native function that calls the program function, and its argument.
fn host(process: &Process, at: u64) -> Result<[u64; 2], Stop> {
    let [function, data] = description::<2>(process, at)?;
    let call: HostFunction = call_program;
    Ok([call as usize as u64, given_function(function, data).expose_provenance() as u64])
}

/// Checks the memory for lists that the driver stores, with as many elements as the program's count allows.
fn list_nodes(
    process: &Process,
    lists: &[u64],
    count: u64,
) -> Result<(Vec<*mut c_void>, *mut c_void), Stop> {
    let place = result(process, count)?;
    let [room] = description::<1>(process, count)?;
    let mut checked = Vec::new();
    for &list in lists {
        checked.push(if list == 0 {
            std::ptr::null_mut()
        } else {
            let range = process.memory.check_range(list, room.saturating_mul(8));
            process.accessed(range, "write")?.cast()
        });
    }
    Ok((checked, place))
}

/// Functions that take a node or graph, a list of nodes and its length.
macro_rules! lists {
    ($($name:ident),*) => {
        &[$((stringify!($name), |process, a| {
            let (lists, count) = list_nodes(process, &[word(a, 1)], word(a, 2))?;
            // SAFETY: the list has room for as many elements as the count says, and the driver stores no more.
            Ok(status(unsafe { $name(word(a, 0), lists[0], count) }))
        })),*]
    };
}

/// Functions that list nodes.
pub const LISTS: &[(&str, External)] = lists!(
    cuGraphGetNodes,
    cuGraphGetRootNodes,
    cuGraphNodeGetDependencies,
    cuGraphNodeGetDependentNodes
);

/// Functions on graphs. All of them check that each pointer has as many valid bytes as the driver accesses. The driver
/// refuses handles that it did not create. Memory that a graph accesses later lives as long as the process.
pub const GRAPHS: &[(&str, External)] = &[
    ("cuGraphLaunch", |process, a| {
        // SAFETY: as above.
        while_waiting(process, || unsafe { cuGraphLaunch(word(a, 0), word(a, 1)) })
    }),
    ("cuLaunchHostFunc", |process, a| {
        let call = given_function(word(a, 1), word(a, 2));
        // SAFETY: the function takes the object that represents the program function.
        while_waiting(process, || unsafe { cuLaunchHostFunc(word(a, 0), call_program, call) })
    }),
    ("cuGraphGetEdges", |process, a| {
        let (lists, count) = list_nodes(process, &[word(a, 1), word(a, 2)], word(a, 3))?;
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphGetEdges(word(a, 0), lists[0], lists[1], count) }))
    }),
    ("cuGraphAddKernelNode_v2", |process, a| {
        let parameters = kernel(process, word(a, 4))?;
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe {
                cuGraphAddKernelNode_v2(node, graph, after, count, parameters.as_ptr().cast())
            }
        })
    }),
    ("cuGraphKernelNodeSetParams_v2", |process, a| {
        let parameters = kernel(process, word(a, 1))?;
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphKernelNodeSetParams_v2(word(a, 0), parameters.as_ptr().cast()) }))
    }),
    ("cuGraphExecKernelNodeSetParams_v2", |process, a| {
        let parameters = kernel(process, word(a, 2))?;
        // SAFETY: as above.
        Ok(status(unsafe {
            cuGraphExecKernelNodeSetParams_v2(word(a, 0), word(a, 1), parameters.as_ptr().cast())
        }))
    }),
    ("cuGraphAddMemcpyNode", |process, a| {
        let copy = copy(process, word(a, 4))?;
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe {
                cuGraphAddMemcpyNode(node, graph, after, count, copy.as_ptr().cast(), word(a, 5))
            }
        })
    }),
    ("cuGraphMemcpyNodeSetParams", |process, a| {
        let copy = copy(process, word(a, 1))?;
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphMemcpyNodeSetParams(word(a, 0), copy.as_ptr().cast()) }))
    }),
    ("cuGraphExecMemcpyNodeSetParams", |process, a| {
        let copy = copy(process, word(a, 2))?;
        // SAFETY: as above.
        Ok(status(unsafe {
            let copy = copy.as_ptr().cast();
            cuGraphExecMemcpyNodeSetParams(word(a, 0), word(a, 1), copy, word(a, 3))
        }))
    }),
    ("cuGraphAddMemsetNode", |process, a| {
        let fill = description::<5>(process, word(a, 4))?;
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe {
                cuGraphAddMemsetNode(node, graph, after, count, fill.as_ptr().cast(), word(a, 5))
            }
        })
    }),
    ("cuGraphMemsetNodeSetParams", |process, a| {
        let fill = description::<5>(process, word(a, 1))?;
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphMemsetNodeSetParams(word(a, 0), fill.as_ptr().cast()) }))
    }),
    ("cuGraphExecMemsetNodeSetParams", |process, a| {
        let fill = description::<5>(process, word(a, 2))?;
        // SAFETY: as above.
        Ok(status(unsafe {
            let fill = fill.as_ptr().cast();
            cuGraphExecMemsetNodeSetParams(word(a, 0), word(a, 1), fill, word(a, 3))
        }))
    }),
    ("cuGraphAddHostNode", |process, a| {
        let parameters = host(process, word(a, 4))?;
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddHostNode(node, graph, after, count, parameters.as_ptr().cast()) }
        })
    }),
    ("cuGraphHostNodeSetParams", |process, a| {
        let parameters = host(process, word(a, 1))?;
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphHostNodeSetParams(word(a, 0), parameters.as_ptr().cast()) }))
    }),
    ("cuGraphExecHostNodeSetParams", |process, a| {
        let parameters = host(process, word(a, 2))?;
        // SAFETY: as above.
        Ok(status(unsafe {
            cuGraphExecHostNodeSetParams(word(a, 0), word(a, 1), parameters.as_ptr().cast())
        }))
    }),
    ("cuGraphAddEmptyNode", |process, a| {
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddEmptyNode(node, graph, after, count) }
        })
    }),
    ("cuGraphAddChildGraphNode", |process, a| {
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddChildGraphNode(node, graph, after, count, word(a, 4)) }
        })
    }),
    ("cuGraphAddEventRecordNode", |process, a| {
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddEventRecordNode(node, graph, after, count, word(a, 4)) }
        })
    }),
    ("cuGraphAddEventWaitNode", |process, a| {
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddEventWaitNode(node, graph, after, count, word(a, 4)) }
        })
    }),
    ("cuGraphAddMemAllocNode", |process, a| {
        let place = process.accessed(process.memory.check_range(word(a, 4), 120), "write")?;
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above; the driver does not read the list of accesses.
            unsafe { cuGraphAddMemAllocNode(node, graph, after, count, place.cast()) }
        })
    }),
    ("cuGraphAddMemFreeNode", |process, a| {
        add_node(process, a, |node, graph, after, count| {
            // SAFETY: as above.
            unsafe { cuGraphAddMemFreeNode(node, graph, after, count, word(a, 4)) }
        })
    }),
    ("cuGraphAddDependencies", |process, a| {
        let (from, to) =
            (handles(process, word(a, 1), word(a, 3))?, handles(process, word(a, 2), word(a, 3))?);
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphAddDependencies(word(a, 0), from, to, word(a, 3)) }))
    }),
    ("cuGraphRemoveDependencies", |process, a| {
        let (from, to) =
            (handles(process, word(a, 1), word(a, 3))?, handles(process, word(a, 2), word(a, 3))?);
        // SAFETY: as above.
        Ok(status(unsafe { cuGraphRemoveDependencies(word(a, 0), from, to, word(a, 3)) }))
    }),
    ("cuGraphDebugDotPrint", |process, a| {
        let file = CString::new(process.text(word(a, 1))?).unwrap_or_default();
        // SAFETY: the name ends with a zero byte.
        Ok(status(unsafe { cuGraphDebugDotPrint(word(a, 0), file.as_ptr(), word(a, 2) as u32) }))
    }),
];
