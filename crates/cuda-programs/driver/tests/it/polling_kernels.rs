//! Kernels that wait for the host, a copy or another kernel: they run detached until the word is written.

use crate::common::{allocate, context, download, kernel, upload};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

/// `wait_then_write` waits for a word, and then writes twice its value. `exchange` increments the other kernel's word
/// each time its own word was incremented, for some rounds.
const PTX: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .entry wait_then_write(.param .u64 flag, .param .u64 answer)
{
    .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [answer];
WAIT:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.eq.u32 %p, %r1, 0;
    @%p bra WAIT;
    add.u32 %r2, %r1, %r1;
    st.volatile.global.u32 [%rd2], %r2;
    ret;
}
.visible .entry exchange(.param .u64 own, .param .u64 other, .param .u64 rounds)
{
    .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [own]; ld.param.u64 %rd2, [other]; ld.param.u32 %r3, [rounds];
    mov.u32 %r1, 0;
ROUND:
    add.u32 %r1, %r1, 1;
    st.release.sys.global.u32 [%rd2], %r1;
WAIT:
    ld.acquire.sys.global.u32 %r2, [%rd1];
    setp.lt.u32 %p, %r2, %r1;
    @%p bra WAIT;
    setp.lt.u32 %p, %r1, %r3;
    @%p bra ROUND;
    ret;
}
\0";

const NOT_READY: i32 = 600;

/// Queues a kernel of one thread.
fn queue(function: u64, stream: u64, arguments: &[u64]) {
    let mut places: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    let code = call!("cuLaunchKernel"(
        function => u64, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
        places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
    ));
    assert_eq!(code, 0);
}

/// A non-blocking stream.
fn stream() -> u64 {
    let mut stream = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    stream
}

fn query(stream: u64) -> i32 {
    call!("cuStreamQuery"(stream => u64))
}

fn synchronize(stream: u64) -> i32 {
    call!("cuStreamSynchronize"(stream => u64))
}

/// A zeroed word.
fn word() -> u64 {
    let word = allocate(4);
    upload(word, &[0u32]);
    word
}

#[test]
fn a_kernel_waits_for_a_write_of_the_host() {
    if !crate::common::is_alone("polling_kernels::a_kernel_waits_for_a_write_of_the_host") {
        return;
    }
    context();
    let mut address = 0u64;
    assert_eq!(call!("cuMemHostAlloc"(&mut address => *mut u64, 64 => usize, 0 => u32)), 0);
    // SAFETY: the memory is never freed, and holds a word.
    let flag = unsafe { &*(address as *const AtomicU32) };
    flag.store(0, Ordering::SeqCst);
    let (answer, copied) = (word(), word());
    let waits = kernel(PTX, "wait_then_write");
    queue(waits, 0, &[address, answer]);
    assert_eq!(query(0), NOT_READY);
    // Later work on the stream waits for the kernel.
    let code = call!("cuMemcpyDtoDAsync"(copied => u64, answer => u64, 4 => usize, 0 => u64));
    assert_eq!((code, query(0)), (0, NOT_READY));
    flag.store(21, Ordering::SeqCst);
    assert_eq!(synchronize(0), 0);
    assert_eq!((query(0), download::<u32>(copied, 1)), (0, vec![42]));
}

#[test]
fn a_kernel_waits_for_a_copy_in_another_stream() {
    if !crate::common::is_alone("polling_kernels::a_kernel_waits_for_a_copy_in_another_stream") {
        return;
    }
    context();
    let (first, second) = (stream(), stream());
    let (flag, answer) = (word(), word());
    let waits = kernel(PTX, "wait_then_write");
    queue(waits, first, &[flag, answer]);
    assert_eq!((query(first), query(second)), (NOT_READY, 0));
    let mut event = 0u64;
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 0 => u32)), 0);
    assert_eq!(call!("cuEventRecord"(event => u64, first => u64)), 0);
    assert_eq!(call!("cuEventQuery"(event => u64)), NOT_READY);
    let value = [50u32];
    let code = call!("cuMemcpyHtoDAsync"(
        flag => u64, value.as_ptr().cast() => *const c_void, 4 => usize, second => u64
    ));
    assert_eq!(code, 0);
    assert_eq!(call!("cuEventSynchronize"(event => u64)), 0);
    assert_eq!((query(first), download::<u32>(answer, 1)), (0, vec![100]));
    // The same with a fill by words. The default stream waits for blocking streams.
    upload(flag, &[0u32]);
    let mut blocking = 0u64;
    assert_eq!(call!("cuStreamCreate"(&mut blocking => *mut u64, 0 => u32)), 0);
    queue(waits, blocking, &[flag, answer]);
    let code = call!("cuMemsetD32Async"(flag => u64, 7 => u32, 1 => usize, second => u64));
    assert_eq!(code, 0);
    assert_eq!(download::<u32>(answer, 1), [14]);
}

#[test]
fn kernels_of_two_streams_wait_for_each_other() {
    if !crate::common::is_alone("polling_kernels::kernels_of_two_streams_wait_for_each_other") {
        return;
    }
    context();
    let (first, second) = (stream(), stream());
    let (one, other) = (word(), word());
    let exchange = kernel(PTX, "exchange");
    queue(exchange, first, &[one, other, 100]);
    queue(exchange, second, &[other, one, 100]);
    assert_eq!((synchronize(first), synchronize(second)), (0, 0));
    assert_eq!((download::<u32>(one, 1), download::<u32>(other, 1)), (vec![100], vec![100]));
    // After they ended, memory can be allocated and freed again.
    let free = allocate(1 << 20);
    assert_eq!(call!("cuMemFree"(free => u64)), 0);
}

#[test]
fn a_context_ends_with_a_kernel_that_waits() {
    if !crate::common::is_alone("polling_kernels::a_context_ends_with_a_kernel_that_waits") {
        return;
    }
    let of_kernel = context();
    let (flag, answer) = (word(), word());
    queue(kernel(PTX, "wait_then_write"), 0, &[flag, answer]);
    assert_eq!(query(0), NOT_READY);
    assert_eq!(call!("cuCtxDestroy"(of_kernel => u64)), 0);
    context();
    let word = word();
    assert_eq!(download::<u32>(word, 1), [0]);
}

#[test]
fn an_error_of_a_kernel_that_waited_is_the_contexts() {
    if !crate::common::is_alone("polling_kernels::an_error_of_a_kernel_that_waited_is_the_contexts")
    {
        return;
    }
    context();
    let second = stream();
    let flag = word();
    // It writes to unmapped memory.
    queue(kernel(PTX, "wait_then_write"), 0, &[flag, 64]);
    assert_eq!(query(0), NOT_READY);
    let code = call!("cuMemsetD32Async"(flag => u64, 7 => u32, 1 => usize, second => u64));
    assert_eq!(code, 0);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 700);
    assert_eq!(query(0), 700);
}
