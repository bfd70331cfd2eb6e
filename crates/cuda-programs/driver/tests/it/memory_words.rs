//! Memory operations: a wait may be queued before its word is written; later work runs once the word is written.

use crate::common::{allocate, context, download, upload};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

const GEQ: u32 = 0;
const EQ: u32 = 1;
const AND: u32 = 2;
const NOR: u32 = 3;

/// A stream; 1 for non-blocking.
fn stream(flags: u32) -> u64 {
    let mut stream = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, flags => u32)), 0);
    stream
}

fn wait(stream: u64, address: u64, value: u32, condition: u32) -> i32 {
    call!("cuStreamWaitValue32"(stream => u64, address => u64, value => u32, condition => u32))
}

fn write(stream: u64, address: u64, value: u32) -> i32 {
    call!("cuStreamWriteValue32"(stream => u64, address => u64, value => u32, 0 => u32))
}

fn fill(stream: u64, address: u64, value: u32) {
    let code = call!("cuMemsetD32Async"(address => u64, value => u32, 1 => usize, stream => u64));
    assert_eq!(code, 0);
}

fn query(stream: u64) -> i32 {
    call!("cuStreamQuery"(stream => u64))
}

fn synchronize(stream: u64) -> i32 {
    call!("cuStreamSynchronize"(stream => u64))
}

/// A zeroed word.
fn word() -> u64 {
    let word = allocate(8);
    upload(word, &[0u64]);
    word
}

/// Pinned memory, shared by kernels and the host.
fn pinned() -> (u64, &'static AtomicU32) {
    let mut address = 0u64;
    assert_eq!(call!("cuMemHostAlloc"(&mut address => *mut u64, 64 => usize, 0 => u32)), 0);
    // SAFETY: it is never freed, and holds a word.
    let word = unsafe { &*(address as *const AtomicU32) };
    word.store(0, Ordering::SeqCst);
    (address, word)
}

unsafe extern "C" fn count(data: *mut c_void) {
    // SAFETY: the tests pass a counter that outlives the callback.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn count_callback(_stream: u64, status: i32, data: *mut c_void) {
    assert_eq!(status, 0);
    // SAFETY: the tests pass a counter that outlives the callback.
    unsafe { count(data) }
}

#[test]
fn work_behind_a_wait_runs_when_the_value_is_written() {
    if !crate::common::is_alone("memory_words::work_behind_a_wait_runs_when_the_value_is_written") {
        return;
    }
    context();
    let (waits, writes, flag, result) = (stream(1), stream(1), word(), word());
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let calls = (&raw const CALLS).cast_mut().cast::<c_void>();
    assert_eq!(wait(waits, flag, 1, EQ), 0);
    fill(waits, result, 7);
    let function: unsafe extern "C" fn(*mut c_void) = count;
    let code = call!("cuLaunchHostFunc"(waits => u64, function => unsafe extern "C" fn(*mut c_void), calls => *mut c_void));
    assert_eq!(code, 0);
    let callback: unsafe extern "C" fn(u64, i32, *mut c_void) = count_callback;
    let code = call!("cuStreamAddCallback"(
        waits => u64, callback => unsafe extern "C" fn(u64, i32, *mut c_void), calls => *mut c_void, 0 => u32
    ));
    assert_eq!(code, 0);
    // Nothing has happened; other streams run.
    assert_eq!((query(waits), query(writes)), (600, 0));
    assert_eq!((download::<u32>(result, 1)[0], CALLS.load(Ordering::SeqCst)), (0, 0));
    assert_eq!(write(writes, flag, 2), 0);
    assert_eq!(query(waits), 600);
    assert_eq!(write(writes, flag, 1), 0);
    assert_eq!(synchronize(waits), 0);
    assert_eq!((download::<u32>(result, 1)[0], CALLS.load(Ordering::SeqCst)), (7, 2));
    assert_eq!(query(waits), 0);
}

#[test]
fn the_host_may_write_the_awaited_value() {
    if !crate::common::is_alone("memory_words::the_host_may_write_the_awaited_value") {
        return;
    }
    context();
    let (waits, (flag, host_flag), (result, host_result)) = (stream(1), pinned(), pinned());
    assert_eq!(wait(waits, flag, 3, GEQ), 0);
    assert_eq!(write(waits, result, 9), 0);
    assert_eq!(host_result.load(Ordering::SeqCst), 0);
    host_flag.store(4, Ordering::SeqCst);
    // A plain store, without a driver call.
    while host_result.load(Ordering::SeqCst) != 9 {
        std::thread::yield_now();
    }
    assert_eq!(synchronize(waits), 0);
}

#[test]
fn events_and_memory_keep_the_order_of_a_stream_that_waits() {
    if !crate::common::is_alone(
        "memory_words::events_and_memory_keep_the_order_of_a_stream_that_waits",
    ) {
        return;
    }
    context();
    let (first, second, flag, result) = (stream(1), stream(1), word(), word());
    let mut event = 0u64;
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 0 => u32)), 0);
    let mut memory = 0u64;
    let code = call!("cuMemAllocAsync"(&mut memory => *mut u64, 4 => usize, first => u64));
    assert_eq!(code, 0);
    assert_eq!(wait(first, flag, 0b100, AND), 0);
    fill(first, memory, 5);
    assert_eq!(call!("cuEventRecord"(event => u64, first => u64)), 0);
    assert_eq!(call!("cuStreamWaitEvent"(second => u64, event => u64, 0 => u32)), 0);
    let code = call!("cuMemcpyDtoDAsync"(result => u64, memory => u64, 4 => usize, second => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuMemFreeAsync"(memory => u64, second => u64)), 0);
    assert_eq!(call!("cuEventQuery"(event => u64)), 600);
    assert_eq!((query(first), query(second)), (600, 600));
    let mut milliseconds = 0f32;
    let code =
        call!("cuEventElapsedTime"(&mut milliseconds => *mut f32, event => u64, event => u64));
    assert_eq!(code, 600);
    assert_eq!(write(0, flag, 0b110), 0);
    assert_eq!(call!("cuEventSynchronize"(event => u64)), 0);
    assert_eq!(synchronize(second), 0);
    assert_eq!(download::<u32>(result, 1), [5]);
    let code =
        call!("cuEventElapsedTime"(&mut milliseconds => *mut f32, event => u64, event => u64));
    assert_eq!((code, milliseconds), (0, 0.0));
}

#[test]
fn the_default_stream_waits_for_blocking_streams_only() {
    if !crate::common::is_alone("memory_words::the_default_stream_waits_for_blocking_streams_only")
    {
        return;
    }
    let context = context();
    let (apart, blocking, flags, result) = (stream(1), stream(0), [word(), word()], word());
    assert_eq!(wait(apart, flags[0], 1, EQ), 0);
    assert_eq!(download::<u32>(result, 1), [0]); // returns although a stream waits
    assert_eq!(wait(blocking, flags[1], 1, EQ), 0);
    fill(blocking, result, 3);
    let writer = std::thread::spawn(move || {
        assert_eq!(call!("cuCtxSetCurrent"(context => u64)), 0);
        let other = stream(1);
        assert_eq!(write(other, flags[1], 1), 0);
        other
    });
    // The copy is on the default stream, and the host waits for it.
    assert_eq!(download::<u32>(result, 1), [3]);
    let other = writer.join().expect("written");
    assert_eq!((query(apart), query(blocking)), (600, 0));

    // Work on the default stream blocks blocking streams.
    assert_eq!(wait(0, flags[1], 2, EQ), 0);
    fill(blocking, result, 4);
    assert_eq!((query(0), query(blocking)), (600, 600));
    assert_eq!(write(other, flags[1], 2), 0);
    assert_eq!(write(other, flags[0], 1), 0);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 0);
    assert_eq!((query(0), query(blocking), query(apart)), (0, 0, 0));
    assert_eq!(download::<u32>(result, 1), [4]);
}

/// `CUstreamBatchMemOpParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Operation {
    kind: u32,
    barrier: u32,
    address: u64,
    value: u64,
    flags: u32,
    rest: [u32; 5],
}

const WAIT_32: u32 = 1;
const WRITE_32: u32 = 2;
const WAIT_64: u32 = 4;
const WRITE_64: u32 = 5;
const BARRIER: u32 = 6;

fn operation(kind: u32, address: u64, value: u64, flags: u32) -> Operation {
    Operation { kind, address, value, flags, ..Operation::default() }
}

fn batch(stream: u64, operations: &[Operation]) -> i32 {
    call!("cuStreamBatchMemOp"(
        stream => u64, operations.len() as u32 => u32, operations.as_ptr() => *const Operation, 0 => u32
    ))
}

#[test]
fn batches_of_two_streams_answer_each_other() {
    if !crate::common::is_alone("memory_words::batches_of_two_streams_answer_each_other") {
        return;
    }
    context();
    let (ping, pong) = (word(), word());
    let (first, second) = (stream(1), stream(1));
    let high = 1 << 40;
    let asks = [
        operation(WRITE_32, ping, 1, 0),
        operation(WAIT_64, pong, high, GEQ),
        operation(BARRIER, 0, 0, 0),
        operation(WRITE_32, ping, 2, 0),
        operation(WAIT_64, pong, u64::MAX, NOR),
    ];
    let answers = [
        operation(WAIT_32, ping, 1, EQ),
        operation(WRITE_64, pong, high, 0),
        operation(WAIT_32, ping, 2, EQ),
        operation(WRITE_64, pong, 5, 0),
    ];
    // `asks[4]` can never pass: no value has a zero bit outside of all bits. The other waits need the other stream.
    assert_eq!(batch(first, &asks[..4]), 0);
    assert_eq!(query(first), 600);
    assert_eq!(batch(second, &answers), 0);
    assert_eq!((synchronize(first), synchronize(second)), (0, 0));
    assert_eq!((download::<u64>(ping, 1)[0], download::<u64>(pong, 1)[0]), (2, 5));
    assert_eq!(batch(first, &asks[4..]), 0);
    assert_eq!(query(first), 600);
    // This wait never ends: destroying the context drops it.
}

#[test]
fn nodes_of_graphs_wait_and_write() {
    if !crate::common::is_alone("memory_words::nodes_of_graphs_wait_and_write") {
        return;
    }
    context();
    let (work, flag, result) = (stream(1), word(), word());
    #[repr(C)]
    struct Parameters {
        context: u64,
        count: u32,
        operations: *const Operation,
        flags: u32,
    }
    let of = |operations: &[Operation]| Parameters {
        context: 0,
        count: operations.len() as u32,
        operations: operations.as_ptr(),
        flags: 0,
    };
    let (mut graph, mut node, mut after, mut executable) = (0u64, 0u64, 0u64, 0u64);
    assert_eq!(call!("cuGraphCreate"(&mut graph => *mut u64, 0 => u32)), 0);
    let waits = [operation(WAIT_32, flag, 1, EQ), operation(WRITE_32, flag, 10, 0)];
    let none = std::ptr::null::<u64>();
    let code = call!("cuGraphAddBatchMemOpNode"(
        &mut node => *mut u64, graph => u64, none => *const u64, 0 => usize, &of(&waits) => *const Parameters
    ));
    assert_eq!(code, 0);
    let writes = [operation(WRITE_64, result, 8, 0)];
    let code = call!("cuGraphAddBatchMemOpNode"(
        &mut after => *mut u64, graph => u64, &node => *const u64, 1 => usize, &of(&writes) => *const Parameters
    ));
    assert_eq!(code, 0);
    let (mut kind, mut shown) = (0i32, of(&[]));
    assert_eq!(call!("cuGraphNodeGetType"(node => u64, &mut kind => *mut i32)), 0);
    assert_eq!(kind, 12);
    let code = call!("cuGraphBatchMemOpNodeGetParams"(node => u64, &mut shown => *mut Parameters));
    assert_eq!((code, shown.count), (0, 2));
    // SAFETY: the driver returned this many operations, which the node owns.
    assert_eq!(unsafe { std::slice::from_raw_parts(shown.operations, 2) }, waits);

    let code =
        call!("cuGraphInstantiateWithFlags"(&mut executable => *mut u64, graph => u64, 0 => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, work => u64)), 0);
    assert_eq!((query(work), download::<u64>(result, 1)[0]), (600, 0));
    assert_eq!(write(0, flag, 1), 0);
    assert_eq!(synchronize(work), 0);
    assert_eq!((download::<u64>(flag, 1)[0], download::<u64>(result, 1)[0]), (10, 8));

    // Changed in the executable and in the graph.
    let others = [operation(WAIT_32, flag, 10, GEQ), operation(WRITE_64, result, 99, 0)];
    let code = call!("cuGraphExecBatchMemOpNodeSetParams"(
        executable => u64, after => u64, &of(&others) => *const Parameters
    ));
    assert_eq!(code, 0);
    assert_eq!(write(0, flag, 1), 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, work => u64)), 0);
    assert_eq!(synchronize(work), 0);
    assert_eq!(download::<u64>(result, 1), [99]);
    let code = call!("cuGraphBatchMemOpNodeSetParams"(
        node => u64, &of(&others[1..]) => *const Parameters
    ));
    assert_eq!(code, 0);

    // Captured.
    assert_eq!(call!("cuStreamBeginCapture"(work => u64, 2 => i32)), 0);
    assert_eq!((write(work, result, 1), wait(work, result, 1, EQ)), (0, 0));
    let mut captured = 0u64;
    assert_eq!(call!("cuStreamEndCapture"(work => u64, &mut captured => *mut u64)), 0);
    assert_eq!(download::<u64>(result, 1), [99]);
    let code = call!("cuGraphInstantiateWithFlags"(&mut executable => *mut u64, captured => u64, 0 => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuGraphLaunch"(executable => u64, work => u64)), 0);
    assert_eq!((synchronize(work), download::<u32>(result, 1)[0]), (0, 1));
}

#[test]
fn impossible_memory_operations_are_refused() {
    if !crate::common::is_alone("memory_words::impossible_memory_operations_are_refused") {
        return;
    }
    context();
    let (work, flag) = (stream(1), word());
    assert_eq!(wait(work, flag + 2, 0, EQ), 1);
    assert_eq!(wait(work, flag, 0, 4), 1);
    assert_eq!(wait(work, flag, 0, EQ | 1 << 30), 801); // flushes, which the device attribute excludes
    assert_eq!(wait(12_345, flag, 0, EQ), 400);
    let host = 0u64;
    assert_eq!(write(work, (&raw const host) as u64, 1), 1); // not device memory
    let code = call!("cuStreamWriteValue64"(work => u64, flag + 4 => u64, 1 => u64, 0 => u32));
    assert_eq!(code, 1);
    assert_eq!(batch(work, &[operation(7, flag, 0, 0)]), 1);
    assert_eq!(batch(work, &[operation(WRITE_32, flag, 0, 0); 257]), 1);
    assert_eq!(batch(work, &[]), 0);
    assert_eq!((query(work), download::<u64>(flag, 1)[0]), (0, 0));
}
