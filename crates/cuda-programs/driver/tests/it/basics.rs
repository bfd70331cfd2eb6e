//! Modules, launches, copies, streams and errors through the driver.

use crate::common::{address, allocate, context, cuGetProcAddress_v2, download, load};
use std::ffi::{c_char, c_void};

const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .entry scale(.param .u64 x, .param .u32 factor, .param .u32 n) {
    .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [factor];
    ld.param.u32 %r5, [n];
    mov.u32 %r2, %tid.x;
    mov.u32 %r6, %ctaid.x;
    mov.u32 %r7, %ntid.x;
    mad.lo.u32 %r2, %r6, %r7, %r2;
    setp.ge.u32 %p, %r2, %r5;
    @%p ret;
    mul.wide.u32 %rd2, %r2, 4;
    add.u64 %rd1, %rd1, %rd2;
    ld.global.u32 %r3, [%rd1];
    mul.lo.u32 %r3, %r3, %r1;
    st.global.u32 [%rd1], %r3;
    ret;
}
.visible .entry fault() {
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 64;
    st.global.u32 [%rd1], 1;
    ret;
}
\0";

fn function(name: &str) -> (u64, u64) {
    load(PTX, name)
}

fn upload(values: &[u32]) -> u64 {
    let device = allocate(size_of_val(values));
    crate::common::upload(device, values);
    device
}

fn launch(function: u64, stream: u64, arguments: &mut [*mut c_void]) -> i32 {
    call!("cuLaunchKernel"(
        function => u64, 2 => u32, 1 => u32, 1 => u32, 64 => u32, 1 => u32, 1 => u32, 0 => u32, stream => u64,
        arguments.as_mut_ptr() => *mut *mut c_void, std::ptr::null() => *const c_void
    ))
}

#[test]
fn a_kernel_runs_on_its_arguments() {
    context();
    let (module, scale) = function("scale");
    let values: Vec<u32> = (0..100).collect();
    let (mut x, mut factor, mut n) = (upload(&values), 3u32, 100u32);
    let mut arguments = [(&raw mut x).cast(), (&raw mut factor).cast(), (&raw mut n).cast()];
    assert_eq!(launch(scale, 0, &mut arguments), 0);
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 0);
    assert_eq!(download::<u32>(x, 100), (0..100).map(|i| 3 * i).collect::<Vec<_>>());

    // Address and size of a module's variable.
    let (mut at, mut bytes) = (0u64, 0usize);
    let code = call!("cuModuleGetGlobal"(
        &mut at => *mut u64, &mut bytes => *mut usize, module => u64, c"counter".as_ptr() => *const c_char
    ));
    assert_eq!((code, bytes, download::<u32>(at, 1)), (0, 4, vec![5]));
    assert_eq!(call!("cuMemFree"(x => u64)), 0);
}

#[test]
fn a_kernel_error_persists_until_the_context_ends() {
    let context = context();
    let (_, fault) = function("fault");
    assert_eq!(launch(fault, 0, &mut []), 0); // as on a GPU, the launch itself succeeds
    assert_eq!(call!("cuCtxSynchronize"(0 => u64)), 700);
    let mut device = 0u64;
    assert_eq!(call!("cuMemAlloc"(&mut device => *mut u64, 4 => usize)), 700);
    assert_eq!(call!("cuCtxDestroy"(context => u64)), 0);
    self::context();
    assert_eq!(call!("cuMemAlloc"(&mut device => *mut u64, 4 => usize)), 0);
}

#[test]
fn captured_work_runs_at_the_graphs_launch() {
    context();
    let (_, scale) = function("scale");
    let (mut x, mut factor, mut other_factor, mut n) = (upload(&[1; 128]), 2u32, 5u32, 128u32);
    let mut arguments = [(&raw mut x).cast(), (&raw mut factor).cast(), (&raw mut n).cast()];
    let (mut stream, mut other, mut event) = (0u64, 0u64, 0u64);
    assert_eq!(call!("cuStreamCreate"(&mut stream => *mut u64, 1 => u32)), 0);
    assert_eq!(call!("cuStreamCreate"(&mut other => *mut u64, 1 => u32)), 0);
    assert_eq!(call!("cuEventCreate"(&mut event => *mut u64, 2 => u32)), 0);
    assert_eq!(call!("cuStreamBeginCapture"(stream => u64, 2 => i32)), 0);
    assert_eq!(launch(scale, stream, &mut arguments), 0);
    // Another stream joins the capture, and returns to the first.
    assert_eq!(call!("cuEventRecord"(event => u64, stream => u64)), 0);
    assert_eq!(call!("cuStreamWaitEvent"(other => u64, event => u64, 0 => u32)), 0);
    arguments[1] = (&raw mut other_factor).cast();
    assert_eq!(launch(scale, other, &mut arguments), 0);
    assert_eq!(call!("cuEventRecord"(event => u64, other => u64)), 0);
    assert_eq!(call!("cuStreamWaitEvent"(stream => u64, event => u64, 0 => u32)), 0);
    let (mut graph, mut executable, mut nodes) = (0u64, 0u64, 0usize);
    assert_eq!(call!("cuStreamEndCapture"(stream => u64, &mut graph => *mut u64)), 0);
    assert_eq!(download::<u32>(x, 128), [1; 128]); // nothing has happened yet
    assert_eq!(
        call!("cuGraphGetNodes"(graph => u64, std::ptr::null_mut() => *mut u64, &mut nodes => *mut usize)),
        0
    );
    assert_eq!(nodes, 2);
    assert_eq!(call!("cuGraphInstantiate"(&mut executable => *mut u64, graph => u64, 0 => u64)), 0);
    for _ in 0..2 {
        assert_eq!(call!("cuGraphLaunch"(executable => u64, stream => u64)), 0);
    }
    assert_eq!(download::<u32>(x, 128), [100; 128]);
}

#[test]
fn wrong_handles_and_sizes_are_errors() {
    context();
    let (_, scale) = function("scale");
    assert_eq!(launch(12_345, 0, &mut []), 400);
    assert_eq!(call!("cuModuleUnload"(77 => u64)), 400);
    let code = call!("cuLaunchKernel"(
        scale => u64, 1 => u32, 1 => u32, 1 => u32, 2048 => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
        [std::ptr::null_mut::<c_void>(); 3].as_mut_ptr() => *mut *mut c_void, std::ptr::null() => *const c_void
    ));
    assert_eq!(code, 1);
    let x = upload(&[0; 4]);
    let mut host = [0u32; 8];
    let code =
        call!("cuMemcpyDtoH"(host.as_mut_ptr().cast() => *mut c_void, x => u64, 32 => usize));
    assert_eq!(code, 1); // more than was allocated
    let mut module = 0u64;
    assert_eq!(
        call!("cuModuleLoadData"(&mut module => *mut u64, c".version 7.0 .target nonsense".as_ptr().cast() => *const c_void)),
        218
    );
    assert_eq!(
        call!("cuModuleLoadData"(&mut module => *mut u64, c"\x7fELF....".as_ptr().cast() => *const c_void)),
        209
    );
    let (mut name, mut text) = (std::ptr::null::<c_char>(), std::ptr::null::<c_char>());
    assert_eq!(call!("cuGetErrorName"(700 => i32, &mut name => *mut *const c_char)), 0);
    assert_eq!(call!("cuGetErrorString"(4711 => i32, &mut text => *mut *const c_char)), 1);
    // SAFETY: the driver's texts end with a zero byte.
    assert_eq!(unsafe { std::ffi::CStr::from_ptr(name) }, c"CUDA_ERROR_ILLEGAL_ADDRESS");
}

#[test]
fn unknown_and_unsupported_functions_return_an_error() {
    assert_eq!(call!("cuMulticastCreate"()), 801);
    let (mut to, mut status) = (std::ptr::null(), 0);
    // SAFETY: the name is a C string, and the results have their types.
    let code = unsafe {
        cuGetProcAddress_v2(c"cuNoSuchFunction".as_ptr(), &mut to, 13_000, 0, &mut status)
    };
    assert_eq!((code, status, to.is_null()), (0, 1, true));
    // Names for per-thread streams, and the newest variant that a version knows.
    assert_eq!(address("cuLaunchKernel_ptsz"), address("cuLaunchKernel"));
    assert_ne!(address("cuEventElapsedTime"), std::ptr::null());
}

#[test]
fn memory_has_the_allocation_granularity_of_a_gpu() {
    const READS: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 16 .b8 words[];
.visible .entry reads(.param .u64 x, .param .u32 at) {
    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [at];
    mov.u32 %r2, words;
    add.u32 %r2, %r2, %r1;
    ld.shared.u32 %r3, [%r2];
    mov.u32 %r3, %dynamic_smem_size;
    st.global.u32 [%rd1], %r3;
    ret;
}
\0";
    context();
    let (mut module, mut reads) = (0u64, 0u64);
    assert_eq!(
        call!("cuModuleLoadData"(&mut module => *mut u64, READS.as_ptr().cast() => *const c_void)),
        0
    );
    assert_eq!(
        call!("cuModuleGetFunction"(&mut reads => *mut u64, module => u64, c"reads".as_ptr() => *const c_char)),
        0
    );
    let mut x = upload(&[0]);
    let run = |place: u64, at: u32| {
        let (mut place, mut at) = (place, at);
        let mut arguments = [(&raw mut place).cast::<c_void>(), (&raw mut at).cast()];
        let code = call!("cuLaunchKernel"(
            reads => u64, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 1 => u32, 28 => u32, 0 => u64,
            arguments.as_mut_ptr() => *mut *mut c_void, std::ptr::null() => *const c_void
        ));
        (code, call!("cuCtxSynchronize"(0 => u64)))
    };
    // Past the end of 28 bytes of shared and 4 of global memory, but inside their allocation units.
    assert_eq!(run(x, 124), (0, 0));
    assert_eq!(download::<u32>(x, 1), [28]);
    assert_eq!(run(x + 508, 0), (0, 0));
    let code = call!("cuMemcpyDtoH"((&raw mut x).cast() => *mut c_void, x => u64, 8 => usize));
    assert_eq!(code, 1); // copies are checked byte by byte
    assert_eq!(run(x, 128), (0, 700));
}

#[test]
fn fresh_memory_is_zero() {
    context();
    for bytes in [100usize, 5000, 1 << 20] {
        // The same if the program had freed memory there before.
        for _ in 0..2 {
            let x = allocate(bytes);
            assert!(download::<u8>(x, bytes).iter().all(|&byte| byte == 0), "{bytes}");
            assert_eq!(call!("cuMemsetD8"(x => u64, 0xAB => u8, bytes => usize)), 0);
            assert_eq!(call!("cuMemFree"(x => u64)), 0);
        }
    }
}
