//! The part of NVIDIA's device runtime that cooperative groups call. `libcudadevrt.a` holds it as machine code, so that where a program
//! links the archive, this PTX is linked in its place: handles of the grid, and its barrier.
//!
//! A cooperative launch gives the address of its workspace in `%envreg1` (high) and `%envreg2` (low). Blocks arrive at its second word:
//! each adds one, the first of them what makes all together flip the highest bit, and a block waits until that bit has changed.
//!
//! Limit: the lanes of a warp come together; a call that a compiler copied into branches that part a warp is told as a barrier's divergence.

/// Whether a file is the archive.
pub(super) fn is_archive(name: &str) -> bool {
    name.rsplit('/').next().is_some_and(|file| file.starts_with("libcudadevrt"))
}

/// `cudaCGGetIntrinsicHandle`, `cudaCGSynchronize` and `cudaCGSynchronizeGrid`.
pub(super) const PTX: &str = "\
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
    .reg .pred %missing, %other, %first, %same;
    .reg .b32 %x, %y, %z, %add, %before, %now;
    .reg .b64 %counter;
    ld.param.b64 %counter, [handle];
    setp.eq.u64 %missing, %counter, 0;
    @%missing trap;
    add.u64 %counter, %counter, 4;
    barrier.sync 0;
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %z, %tid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.ne.u32 %other, %x, 0;
    @%other bra done;
    mov.u32 %x, %nctaid.x;
    mov.u32 %y, %nctaid.y;
    mov.u32 %z, %nctaid.z;
    mul.lo.u32 %x, %x, %y;
    mul.lo.u32 %x, %x, %z;
    sub.u32 %add, 0x80000001, %x;
    mov.u32 %x, %ctaid.x;
    mov.u32 %y, %ctaid.y;
    mov.u32 %z, %ctaid.z;
    or.b32 %x, %x, %y;
    or.b32 %x, %x, %z;
    setp.eq.u32 %first, %x, 0;
    selp.b32 %add, %add, 1, %first;
    atom.add.release.gpu.global.u32 %before, [%counter], %add;
wait:
    ld.acquire.gpu.global.u32 %now, [%counter];
    xor.b32 %now, %now, %before;
    setp.ge.s32 %same, %now, 0;
    @%same bra wait;
done:
    barrier.sync 0;
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
