//! Kernels that launch kernels, through the driver functions that NVIDIA's device runtime calls.

use crate::common::{allocate, context, download, kernel, launch, upload};

/// `step(x, y, n, m)` computes `*x = n * *x + m` in one thread, and `y[i] += 1` in each. `parent` launches it into the tail stream, and then
/// twice into a stream. `deep(x, n)` adds 1 and launches itself with `n - 1`. `many(x, y)` launches until the queue is full. `none` launches an
/// empty grid.
const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 p) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);

.func (.param .b64 buffer) take(.param .b64 kernel, .param .b32 blocks)
{
    .reg .b32 %n; .reg .b64 %f;
    ld.param.b64 %f, [kernel];
    ld.param.b32 %n, [blocks];
    { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 p;
      st.param.b64 [f], %f;
      st.param.b32 [g], %n; st.param.b32 [g + 4], 1; st.param.b32 [g + 8], 1;
      st.param.b32 [b], 32; st.param.b32 [b + 4], 1; st.param.b32 [b + 8], 1;
      st.param.b32 [s], 0;
      call (p), __cuda_syscall_cnpv2GetParameterBufferV2, (f, g, b, s);
      ld.param.b64 %f, [p]; }
    st.param.b64 [buffer], %f;
    ret;
}
.func start(.param .b64 buffer, .param .b64 stream)
{
    .reg .b64 %p, %s;
    ld.param.b64 %p, [buffer];
    ld.param.b64 %s, [stream];
    { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %p; st.param.b64 [s], %s;
      call (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s); }
    ret;
}
.visible .entry step(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 m)
{
    .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<4>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];
    ld.param.u32 %r0, [n]; ld.param.u32 %r1, [m];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mad.lo.u32 %r2, %r3, 32, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.u32 %r4, [%d1]; add.u32 %r4, %r4, 1; st.global.u32 [%d1], %r4;
    setp.ne.u32 %p, %r2, 0;
    @%p ret;
    ld.global.u32 %r4, [%d0]; mad.lo.u32 %r4, %r4, %r0, %r1; st.global.u32 [%d0], %r4;
    ret;
}
.func fill(.param .b64 buffer, .param .b64 x, .param .b64 y, .param .b32 n, .param .b32 m)
{
    .reg .b32 %r<2>; .reg .b64 %d<3>;
    ld.param.b64 %d0, [buffer]; ld.param.b64 %d1, [x]; ld.param.b64 %d2, [y];
    ld.param.b32 %r0, [n]; ld.param.b32 %r1, [m];
    st.b64 [%d0], %d1; st.b64 [%d0 + 8], %d2; st.b32 [%d0 + 16], %r0; st.b32 [%d0 + 20], %r1;
    ret;
}
.visible .entry parent(.param .u64 x, .param .u64 y)
{
    .reg .b64 %d<5>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];
    mov.u64 %d2, step;
    { .param .b64 f; .param .b32 n; .param .b64 p; .param .b64 x; .param .b64 y; .param .b32 m; .param .b64 s;
      st.param.b64 [f], %d2; st.param.b32 [n], 1;
      call (p), take, (f, n); ld.param.b64 %d3, [p];
      st.param.b64 [p], %d3; st.param.b64 [x], %d0; st.param.b64 [y], %d1; st.param.b32 [n], 100; st.param.b32 [m], 7;
      call fill, (p, x, y, n, m);
      st.param.b64 [p], %d3; st.param.b64 [s], 3;
      call start, (p, s); }
    { .param .b64 f; .param .b32 n; .param .b64 p; .param .b64 x; .param .b64 y; .param .b32 m; .param .b64 s;
      st.param.b64 [f], %d2; st.param.b32 [n], 2;
      call (p), take, (f, n); ld.param.b64 %d3, [p];
      st.param.b64 [p], %d3; st.param.b64 [x], %d0; st.param.b64 [y], %d1; st.param.b32 [n], 10; st.param.b32 [m], 1;
      call fill, (p, x, y, n, m);
      st.param.b64 [p], %d3; st.param.b64 [s], 2;
      call start, (p, s); }
    { .param .b64 f; .param .b32 n; .param .b64 p; .param .b64 x; .param .b64 y; .param .b32 m; .param .b64 s;
      st.param.b64 [f], %d2; st.param.b32 [n], 1;
      call (p), take, (f, n); ld.param.b64 %d3, [p];
      st.param.b64 [p], %d3; st.param.b64 [x], %d0; st.param.b64 [y], %d1; st.param.b32 [n], 10; st.param.b32 [m], 2;
      call fill, (p, x, y, n, m);
      st.param.b64 [p], %d3; st.param.b64 [s], 2;
      call start, (p, s); }
    ret;
}
.visible .entry deep(.param .u64 x, .param .u64 n)
{
    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %d<5>;
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p, %r0, 0;
    @%p ret;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [n];
    ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1;
    setp.eq.u64 %p, %d1, 0;
    @%p ret;
    sub.u64 %d1, %d1, 1;
    mov.u64 %d2, deep;
    { .param .b64 f; .param .b32 n; .param .b64 p; .param .b64 s;
      st.param.b64 [f], %d2; st.param.b32 [n], 1;
      call (p), take, (f, n); ld.param.b64 %d3, [p];
      st.b64 [%d3], %d0; st.b64 [%d3 + 8], %d1;
      st.param.b64 [p], %d3; st.param.b64 [s], 4;
      call start, (p, s); }
    ret;
}
.visible .entry many(.param .u64 x, .param .u64 y)
{
    .reg .pred %p; .reg .b32 %r<2>; .reg .b64 %d<5>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];
    mov.u64 %d2, step;
    mov.u32 %r0, 0;
again:
    { .param .b64 f; .param .b32 n; .param .b64 p;
      st.param.b64 [f], %d2; st.param.b32 [n], 1;
      call (p), take, (f, n); ld.param.b64 %d3, [p]; }
    setp.eq.u64 %p, %d3, 0;
    @%p bra full;
    add.u32 %r0, %r0, 1;
    bra again;
full:
    st.global.u32 [%d0], %r0;
    ret;
}
.visible .entry none(.param .u64 x)
{
    .reg .b64 %d<5>;
    mov.u64 %d2, deep;
    { .param .b64 f; .param .b32 n; .param .b64 p; .param .b64 s;
      st.param.b64 [f], %d2; st.param.b32 [n], 0;
      call (p), take, (f, n); ld.param.b64 %d3, [p];
      st.param.b64 [p], %d3; st.param.b64 [s], 4;
      call start, (p, s); }
    ret;
}\0";

#[test]
fn launches_follow_their_grid_in_order_and_those_of_the_tail_all_others() {
    context();
    let (x, y) = (allocate(4), allocate(4 * 64));
    upload(x, &[3u32]);
    upload(y, &[0u32; 64]);
    let parent = kernel(PTX, "parent");
    assert_eq!(launch(parent, 1, &[x, y]), 0);
    // 3 * 10 + 1, * 10 + 2, * 100 + 7.
    assert_eq!(download::<u32>(x, 1), [(3 * 10 + 1) * 1000 + 207]);
    let each = download::<u32>(y, 64);
    assert!(
        each[..32].iter().all(|times| *times == 3) && each[32..].iter().all(|times| *times == 1)
    );
}

#[test]
fn a_launched_kernel_launches_others_and_slots_are_used_again() {
    context();
    let x = allocate(4);
    upload(x, &[0u32]);
    let deep = kernel(PTX, "deep");
    assert_eq!(launch(deep, 32, &[x, 5000]), 0);
    assert_eq!(download::<u32>(x, 1), [5001]);
}

#[test]
fn a_full_queue_gives_no_parameters_and_is_empty_for_the_next_kernel() {
    context();
    let (x, y) = (allocate(4), allocate(128));
    let many = kernel(PTX, "many");
    for _ in 0..2 {
        upload(x, &[0u32]);
        assert_eq!(launch(many, 1, &[x, y]), 0);
        assert_eq!(download::<u32>(x, 1), [4096]);
    }
}

#[test]
fn a_launch_that_a_kernel_gets_wrong_is_its_error() {
    context();
    let none = kernel(PTX, "none");
    assert_ne!(launch(none, 1, &[0]), 0);
}
