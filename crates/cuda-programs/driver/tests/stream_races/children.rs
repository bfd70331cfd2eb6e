//! A kernel that launches kernels.

use crate::common::kernel;
use crate::gpu::{good, synchronize_all};
use std::ffi::c_void;

/// `bump` adds 1 to 32 words. `spread` writes them, if bit 0 is set, behind a barrier if bit 1 is, and thread 0 launches `bump` into the
/// streams of bits 8 to 23 and 24 to 39; a stream of 0xffff means no launch. With bit 2 it then writes a word.
const PTX: &str = "
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 p) __cuda_syscall_cnpv2GetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) __cuda_syscall_cnpv2LaunchDeviceV2(.param .b64 p, .param .b64 s);
.visible .entry bump(.param .u64 x)
{
    .reg .b32 %r<3>; .reg .b64 %d<3>;
    ld.param.u64 %d0, [x];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d1, %r0, 4;
    add.u64 %d0, %d0, %d1;
    ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1; st.global.u32 [%d0], %r1;
    ret;
}
.func start(.param .b64 x, .param .b64 stream)
{
    .reg .pred %p; .reg .b64 %x, %f, %s;
    ld.param.b64 %x, [x];
    ld.param.b64 %s, [stream];
    setp.eq.u64 %p, %s, 65535;
    @%p ret;
    mov.u64 %f, bump;
    { .param .b64 f; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 p;
      st.param.b64 [f], %f;
      st.param.b32 [g], 1; st.param.b32 [g + 4], 1; st.param.b32 [g + 8], 1;
      st.param.b32 [b], 32; st.param.b32 [b + 4], 1; st.param.b32 [b + 8], 1;
      st.param.b32 [s], 0;
      call (p), __cuda_syscall_cnpv2GetParameterBufferV2, (f, g, b, s);
      ld.param.b64 %f, [p]; }
    st.b64 [%f], %x;
    { .param .b64 p; .param .b64 s; .param .b32 r; st.param.b64 [p], %f; st.param.b64 [s], %s;
      call (r), __cuda_syscall_cnpv2LaunchDeviceV2, (p, s); }
    ret;
}
.visible .entry spread(.param .u64 x, .param .u64 what)
{
    .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %d<6>;
    ld.param.u64 %d0, [x]; ld.param.u64 %d1, [what];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %d2, %r0, 4; add.u64 %d2, %d0, %d2;
    and.b64 %d3, %d1, 1; setp.eq.u64 %p, %d3, 0;
    @%p bra NOTHING;
    st.global.u32 [%d2], %r0;
NOTHING:
    and.b64 %d3, %d1, 2; setp.eq.u64 %p, %d3, 0;
    @%p bra LAUNCH;
    bar.sync 0;
LAUNCH:
    setp.ne.u32 %p, %r0, 0;
    @%p ret;
    shr.u64 %d4, %d1, 8; and.b64 %d4, %d4, 65535;
    shr.u64 %d5, %d1, 24; and.b64 %d5, %d5, 65535;
    { .param .b64 x; .param .b64 s; st.param.b64 [x], %d0; st.param.b64 [s], %d4; call start, (x, s); }
    { .param .b64 x; .param .b64 s; st.param.b64 [x], %d0; st.param.b64 [s], %d5; call start, (x, s); }
    and.b64 %d3, %d1, 4; setp.eq.u64 %p, %d3, 0;
    @%p ret;
    st.global.u32 [%d2 + 4], 7;
    ret;
}
\0";

/// The parent writes the words first.
pub const WRITES: u64 = 1;
/// It then waits at a barrier.
pub const WAITS: u64 = 2;
/// It writes a word after the launches.
pub const WRITES_LATE: u64 = 4;
/// Stream handle of tail launches.
pub const TAIL: u64 = 3;
/// Stream handle of fire-and-forget launches, which are unordered.
pub const FORGET: u64 = 4;
/// No launch.
pub const NONE: u64 = 0xffff;

/// Runs `blocks` blocks of a kernel that launches others into two streams.
pub fn spread(x: u64, blocks: u32, flags: u64, [first, second]: [u64; 2]) {
    let arguments = [x, flags | first << 8 | second << 24];
    let mut places: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    good(call!("cuLaunchKernel"(
        kernel(PTX, "spread") => u64, blocks => u32, 1 => u32, 1 => u32, 64 => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
        places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
    )));
    synchronize_all();
}

/// The text of a kernel of 64 threads that write the words from `first` on; a block after the first writes 64 later ones. Its first
/// thread launches children that change words (where, how many, and the stream), behind a barrier if there is one, and
/// then writes a late word.
pub fn parent(
    first: u64,
    barrier: bool,
    children: &[(u64, u64, u64)],
    late: Option<u64>,
) -> String {
    let (declarations, _) = PTX.split_once(".visible .entry spread").expect("the parent");
    let declarations = declarations
        .replace(
            "start(.param .b64 x, .param .b64 stream)",
            "start(.param .b64 x, .param .b64 stream, .param .b32 threads)",
        )
        .replace("st.param.b32 [b], 32;", "ld.param.b32 %n, [threads]; st.param.b32 [b], %n;")
        .replace(".reg .b64 %x, %f, %s;", ".reg .b64 %x, %f, %s; .reg .b32 %n;");
    let launches: String = children
        .iter()
        .map(|(word, threads, stream)| {
            format!(
                "add.u64 %d4, %d0, {}; mov.u64 %d5, {stream}; mov.u32 %r1, {threads};
                {{ .param .b64 x; .param .b64 s; .param .b32 n; st.param.b64 [x], %d4; st.param.b64 [s], %d5;
                st.param.b32 [n], %r1; call start, (x, s, n); }}\n",
                4 * word
            )
        })
        .collect();
    let late = late.map(|word| format!("st.global.u32 [%d0 + {}], 7;", 4 * word));
    format!(
        "{declarations}.visible .entry spread(.param .u64 x)
        {{
        .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<6>;
        ld.param.u64 %d0, [x];
        mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r0;
        mul.wide.u32 %d2, %r3, 4; add.u64 %d2, %d0, %d2;
        st.global.u32 [%d2 + {}], %r0;
        {}
        setp.ne.u32 %p, %r0, 0;
        @%p ret;
        {launches}{}
        ret;
        }}\0",
        4 * first,
        if barrier { "bar.sync 0;" } else { "" },
        late.unwrap_or_default(),
    )
}

/// Runs the blocks of such a kernel.
pub fn launch_parent(text: &str, x: u64, blocks: u32) {
    let mut places = [&raw const x];
    good(call!("cuLaunchKernel"(
        kernel(text, "spread") => u64, blocks => u32, 1 => u32, 1 => u32, 64 => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
        places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
    )));
    synchronize_all();
}
