//! Driver calls used by scenarios.

use crate::common::{allocate, context, kernel, load};
use std::ffi::c_void;

/// Words per buffer.
pub const WORDS: usize = 1024;
pub const BYTES: usize = 4 * WORDS;

/// `fill` writes a value to 1024 words, `copy` copies as many, `count` increments each atomically, `words` writes every other word from the
/// first or second on, `lock` increments a word under a lock, `signal` and `follow` pass a word with a flag.
const PTX: &str = "\
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 shared_counter;
.visible .entry fill(.param .u64 to, .param .u64 value)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [value];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry copy(.param .u64 to, .param .u64 from)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd3, [from];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
    ld.global.u32 %r1, [%rd3];
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry count(.param .u64 to, .param .u64 unused)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
    red.global.add.u32 [%rd1], 1;
    ret;
}
.visible .entry words(.param .u64 to, .param .u64 first)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [first];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.u32 %r2, %r2, %r3, %r4;
    setp.ge.u32 %p, %r2, 512;
    @%p ret;
    mad.lo.u32 %r2, %r2, 2, %r1;
    mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
.visible .entry lock(.param .u64 to, .param .u64 mutex)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [mutex];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p, %r1, 0;
    @%p ret;
TRY:
    atom.acquire.gpu.global.cas.b32 %r2, [%rd2], 0, 1;
    setp.ne.u32 %p, %r2, 0;
    @%p bra TRY;
    ld.global.u32 %r3, [%rd1]; add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;
    atom.release.gpu.global.exch.b32 %r4, [%rd2], 0;
    ret;
}
.visible .entry signal(.param .u64 to, .param .u64 flag)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [flag];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p, %r1, 0;
    @%p ret;
    st.global.u32 [%rd1], 7;
    st.release.gpu.global.u32 [%rd2], 1;
    ret;
}
.visible .entry follow(.param .u64 to, .param .u64 flag)
{
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [flag];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; or.b32 %r1, %r1, %r2;
    setp.ne.u32 %p, %r1, 0;
    @%p ret;
WAIT:
    ld.acquire.gpu.global.u32 %r3, [%rd2];
    setp.eq.u32 %p, %r3, 0;
    @%p bra WAIT;
    ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;
    ret;
}
\0";

/// A program with a context.
pub struct Gpu {
    fill: u64,
    copy: u64,
    count: u64,
    words: u64,
    lock: u64,
    signal: u64,
    follow: u64,
    pub counter: u64,
}

pub fn good(code: i32) {
    assert_eq!(code, 0);
}

/// A stream, blocking or not.
pub fn blocking() -> u64 {
    let mut stream = 0u64;
    good(call!("cuStreamCreate"(&mut stream => *mut u64, 0 => u32)));
    stream
}

pub fn non_blocking() -> u64 {
    let mut stream = 0u64;
    good(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)));
    stream
}

pub fn two() -> (u64, u64) {
    (non_blocking(), non_blocking())
}

pub fn event() -> u64 {
    let mut event = 0u64;
    good(call!("cuEventCreate"(&mut event => *mut u64, 2 => u32)));
    event
}

pub fn record(event: u64, stream: u64) {
    good(call!("cuEventRecord"(event => u64, stream => u64)));
}

pub fn wait(stream: u64, event: u64) {
    good(call!("cuStreamWaitEvent"(stream => u64, event => u64, 0 => u32)));
}

/// Makes the second stream wait for the first.
pub fn after(first: u64, second: u64) {
    let event = event();
    record(event, first);
    wait(second, event);
}

pub fn synchronize(stream: u64) {
    good(call!("cuStreamSynchronize"(stream => u64)));
}

pub fn synchronize_all() {
    good(call!("cuCtxSynchronize"(0 => u64)));
}

pub fn synchronize_event(event: u64) {
    good(call!("cuEventSynchronize"(event => u64)));
}

/// A device buffer, written by a synchronous call.
pub fn buffer() -> u64 {
    let buffer = allocate(BYTES);
    good(call!("cuMemsetD8"(buffer => u64, 0 => u8, BYTES => usize)));
    synchronize_all();
    buffer
}

pub fn pinned() -> u64 {
    pinned_bytes(BYTES)
}

pub fn pinned_bytes(bytes: usize) -> u64 {
    let mut at = 0u64;
    good(call!("cuMemHostAlloc"(&mut at => *mut u64, bytes => usize, 0 => u32)));
    at
}

pub fn free_pinned(at: u64) {
    good(call!("cuMemFreeHost"(at => u64)));
}

/// The host reads a word of its memory.
pub fn look(at: u64) {
    // SAFETY: the scenarios pass addresses of page-locked memory that is allocated.
    let word = unsafe { (at as *const u32).read_volatile() };
    std::hint::black_box(word);
}

/// The host writes a word of its memory.
pub fn change(at: u64) {
    // SAFETY: as for `look`.
    unsafe { (at as *mut u32).write_volatile(9) };
}

pub fn managed() -> u64 {
    let mut at = 0u64;
    good(call!("cuMemAllocManaged"(&mut at => *mut u64, BYTES => usize, 1 => u32)));
    at
}

pub fn pageable() -> u64 {
    vec![1u32; WORDS].leak().as_ptr() as u64
}

pub fn free(buffer: u64) {
    good(call!("cuMemFree"(buffer => u64)));
}

pub fn allocate_async(stream: u64) -> u64 {
    let mut at = 0u64;
    good(call!("cuMemAllocAsync"(&mut at => *mut u64, BYTES => usize, stream => u64)));
    at
}

pub fn free_async(buffer: u64, stream: u64) {
    good(call!("cuMemFreeAsync"(buffer => u64, stream => u64)));
}

pub fn copy_async(to: u64, from: u64, stream: u64) {
    good(call!("cuMemcpyAsync"(to => u64, from => u64, BYTES => usize, stream => u64)));
}

pub fn copy_bytes_async(to: u64, from: u64, bytes: usize, stream: u64) {
    good(call!("cuMemcpyAsync"(to => u64, from => u64, bytes => usize, stream => u64)));
}

pub fn copy(to: u64, from: u64) {
    good(call!("cuMemcpy"(to => u64, from => u64, BYTES => usize)));
}

/// Copies rows of 4 out of 16 words, from a column on.
pub fn columns_async(to: u64, column: usize, from: u64, stream: u64) {
    #[repr(C)]
    #[derive(Default)]
    struct Side {
        x: usize,
        y: usize,
        memory: u32,
        host: u64,
        device: u64,
        array: u64,
        pitch: usize,
    }
    let from = Side { memory: 2, device: from, pitch: 16, ..Side::default() };
    let to = Side { x: 4 * column, memory: 2, device: to, pitch: 64, ..Side::default() };
    let rows = (from, to, 16usize, WORDS / 16);
    good(call!("cuMemcpy2DAsync"((&raw const rows).cast() => *const c_void, stream => u64)));
}

pub fn set_async(to: u64, stream: u64) {
    good(call!("cuMemsetD32Async"(to => u64, 5 => u32, WORDS => usize, stream => u64)));
}

pub fn set(to: u64) {
    good(call!("cuMemsetD32"(to => u64, 5 => u32, WORDS => usize)));
}

pub fn write_value(to: u64, stream: u64) {
    good(call!("cuStreamWriteValue32"(stream => u64, to => u64, 1 => u32, 0 => u32)));
}

pub fn wait_value(to: u64, stream: u64) {
    good(call!("cuStreamWaitValue32"(stream => u64, to => u64, 1 => u32, 1 => u32)));
}

pub fn begin_capture(stream: u64) {
    good(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)));
}

pub fn end_capture(stream: u64) -> u64 {
    let mut graph = 0u64;
    good(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)));
    graph
}

pub fn instantiate(graph: u64) -> u64 {
    let mut executable = 0u64;
    good(call!("cuGraphInstantiateWithFlags"(&mut executable => *mut u64, graph => u64, 0 => u64)));
    executable
}

pub fn launch_graph(executable: u64, stream: u64) {
    good(call!("cuGraphLaunch"(executable => u64, stream => u64)));
}

extern "C" fn nothing(_: *mut c_void) {}

pub fn call_host(stream: u64) {
    good(call!("cuLaunchHostFunc"(
        stream => u64, nothing => extern "C" fn(*mut c_void), std::ptr::null_mut() => *mut c_void
    )));
}

impl Gpu {
    pub fn new() -> Gpu {
        context();
        let of = |name| kernel(PTX, name);
        let (module, fill) = load(PTX, "fill");
        let (mut counter, mut bytes) = (0u64, 0usize);
        good(call!("cuModuleGetGlobal"(
            &mut counter => *mut u64, &mut bytes => *mut usize, module => u64, c"shared_counter".as_ptr() => *const i8
        )));
        Gpu {
            fill,
            copy: of("copy"),
            count: of("count"),
            words: of("words"),
            lock: of("lock"),
            signal: of("signal"),
            follow: of("follow"),
            counter,
        }
    }

    fn launch(&self, function: u64, stream: u64, arguments: [u64; 2]) {
        let mut places: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
        good(call!("cuLaunchKernel"(
            function => u64, 8 => u32, 1 => u32, 1 => u32, 128 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
            places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
        )));
    }

    pub fn fill(&self, to: u64, stream: u64) {
        self.launch(self.fill, stream, [to, 3]);
    }

    pub fn copy(&self, to: u64, from: u64, stream: u64) {
        self.launch(self.copy, stream, [to, from]);
    }

    pub fn count(&self, to: u64, stream: u64) {
        self.launch(self.count, stream, [to, 0]);
    }

    pub fn words(&self, to: u64, first: u64, stream: u64) {
        self.launch(self.words, stream, [to, first]);
    }

    pub fn lock(&self, to: u64, mutex: u64, stream: u64) {
        self.launch(self.lock, stream, [to, mutex]);
    }

    pub fn signal(&self, to: u64, flag: u64, stream: u64) {
        self.launch(self.signal, stream, [to, flag]);
    }

    pub fn follow(&self, to: u64, flag: u64, stream: u64) {
        self.launch(self.follow, stream, [to, flag]);
    }
}

/// A buffer that a kernel has filled.
pub fn filled() -> u64 {
    let (gpu, x) = (Gpu::new(), buffer());
    gpu.fill(x, 0);
    synchronize_all();
    x
}
