//! The part of NVIDIA's device runtime that cooperative groups call. `libcudadevrt.a` holds it as machine code, so that where a program
//! links the archive, this PTX is linked in its place: handles of the grid, and its barrier.
//!
//! A cooperative launch gives the address of its workspace in `%envreg1` (high) and `%envreg2` (low). Threads arrive at its second word:
//! each adds one, the first of them what makes all together flip the highest bit, and all wait until that bit has changed. The lanes of a
//! warp that come together count as one, since a compiler may copy the call into branches that part a warp.

/// Whether a file is the archive.
pub fn is_archive(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|file| file.starts_with("libcudadevrt"))
}

/// `cudaCGGetIntrinsicHandle`, `cudaCGSynchronize` and `cudaCGSynchronizeGrid`.
pub const PTX: &str = "\
.version 7.0
.target sm_70
.address_size 64

.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)
{
    .reg .pred %is_grid;
    .reg .b32 %scope, %high, %low;
    .reg .b64 %workspace, %found;
    ld.param.b32 %scope, [scope];
    mov.b32 %high, %envreg1;
    mov.b32 %low, %envreg2;
    mov.b64 %workspace, {%low, %high};
    setp.eq.u32 %is_grid, %scope, 1;
    selp.b64 %found, %workspace, 0, %is_grid;
    st.param.b64 [handle], %found;
    ret;
}

.visible .func (.param .b32 status) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)
{
    .reg .pred %missing, %first, %follows, %same;
    .reg .b32 %x, %y, %z, %blocks, %threads, %group, %before_me, %here, %add, %before, %now;
    .reg .b64 %counter;
    ld.param.b64 %counter, [handle];
    setp.eq.u64 %missing, %counter, 0;
    @%missing trap;
    add.u64 %counter, %counter, 4;
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mov.u32 %z, %nctaid.z;
    mul.lo.u32 %blocks, %x, %y;
    mul.lo.u32 %blocks, %blocks, %z;
    mov.u32 %x, %ntid.x;
    mov.u32 %y, %ntid.y;
    mov.u32 %z, %ntid.z;
    mul.lo.u32 %threads, %x, %y;
    mul.lo.u32 %threads, %threads, %z;
    mul.lo.u32 %threads, %threads, %blocks;
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    or.b32 %now, %x, %y;
    or.b32 %now, %now, %z;
    mov.u32 %x, %ctaid.x;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    or.b32 %now, %now, %x;
    or.b32 %now, %now, %y;
    or.b32 %now, %now, %z;
    setp.eq.u32 %first, %now, 0;
    activemask.b32 %group;
    vote.sync.any.pred %first, %first, %group;
    mov.u32 %before_me, %lanemask_lt;
    and.b32 %before_me, %before_me, %group;
    setp.ne.u32 %follows, %before_me, 0;
    popc.b32 %here, %group;
    sub.u32 %add, 0x80000000, %threads;
    add.u32 %add, %add, %here;
    selp.b32 %add, %add, %here, %first;
    bar.warp.sync %group;
    @%follows bra done;
    atom.add.release.gpu.global.u32 %before, [%counter], %add;
wait:
    ld.acquire.gpu.global.u32 %now, [%counter];
    xor.b32 %now, %now, %before;
    setp.ge.s32 %same, %now, 0;
    @%same bra wait;
done:
    bar.warp.sync %group;
    st.param.b32 [status], 0;
    ret;
}

.visible .func (.param .b32 status) cudaCGSynchronizeGrid(.param .b64 handle, .param .b32 flags)
{
    .reg .b32 %r<3>;
    .reg .b64 %h;
    ld.param.b64 %h, [handle];
    ld.param.b32 %r1, [flags];
    {
        .param .b64 a;
        .param .b32 b;
        .param .b32 r;
        st.param.b64 [a], %h;
        st.param.b32 [b], %r1;
        call (r), cudaCGSynchronize, (a, b);
        ld.param.b32 %r2, [r];
    }
    st.param.b32 [status], %r2;
    ret;
}
";
