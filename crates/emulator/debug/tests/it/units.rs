//! Barriers, mbarriers and tensor-core fragments.

use crate::common::{TestLaunch, expect, ptx_script, traces};

#[test]
fn a_barrier_shows_who_has_arrived_and_who_has_not() {
    let source = "\
__global__ void late(unsigned* y) {
    unsigned t = threadIdx.x;
    if (t >= 64)
        y[t] = 1;
    __syncthreads();
    y[t] += 2;
}
";
    let launch = TestLaunch { source, shape: (1, 96), arrays: vec![vec![0; 96]], numbers: vec![] };
    traces(
        &launch,
        "break 4
         continue
         barriers",
        &[
            "k.cu:4",
            "barrier 0: 2 of 3 warps have arrived; warps [0, 1] wait; warps [2] have not arrived",
        ],
    );
}

#[test]
fn an_mbarrier_shows_its_phase_and_its_pending_arrivals() {
    let source = "\
__global__ void phases(unsigned* y) {
    __shared__ __align__(8) unsigned long long tile[2], full[2];
    unsigned at = (unsigned)__cvta_generic_to_shared(&full[1]);
    if (threadIdx.x == 0) {
        tile[0] = 0x3ff0000000000000ull;
        asm volatile(\"mbarrier.init.shared.b64 [%0], %1;\" :: \"r\"(at), \"r\"(64));
    }
    __syncthreads();
    asm volatile(\"{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }\" :: \"r\"(at) : \"memory\");
    y[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = 2;
}
";
    let launch = TestLaunch { source, shape: (1, 64), arrays: vec![vec![0; 64]], numbers: vec![] };
    traces(
        &launch,
        "mbarriers
         break 10
         continue
         mbarriers
         mbarrier full[1]
         mbarrier tile[1]
         continue
         mbarriers",
        &[
            "no step of this block has initialized an mbarrier so far",
            "breakpoint 1",
            "full+8 (since step ",
            "phase of parity 0, 32 of 64 arrivals pending, 0 bytes outstanding",
            "> mbarrier full[1]\nfull[1] (shared+",
            "error: the bits of `tile[1]` are not an mbarrier",
            "phase of parity 1, 64 of 64 arrivals pending",
        ],
    );
}

#[test]
fn registers_of_a_product_are_shown_as_its_matrices() {
    let source = "\
__global__ void product(float* y) {
    unsigned t = threadIdx.x;
    float c0 = t * 4, c1 = t * 4 + 1, c2 = t * 4 + 2, c3 = t * 4 + 3;
    unsigned one = 0x3c003c00u;
    float d0, d1, d2, d3;
    asm volatile(
        \"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%5,%6,%7,%8};\"
        : \"=f\"(d0), \"=f\"(d1), \"=f\"(d2), \"=f\"(d3)
        : \"r\"(one), \"f\"(c0), \"f\"(c1), \"f\"(c2), \"f\"(c3));
    y[t] = d0 + d1 + d2 + d3;
}
";
    let launch = TestLaunch { source, shape: (1, 32), arrays: vec![vec![0; 32]], numbers: vec![] };
    traces(
        &launch,
        "break instruction mma
         break instruction wgmma
         continue
         matrices C
         matrices B
         matrices E
         stepi
         rstepi
         matrices
         goto end
         matrices",
        &[
            "breakpoint 1: instructions mma",
            "error: no instruction of the kernel has a PTX name like `wgmma`",
            "breakpoint 1: thread (0,0,0)",
            "C, 16x8 f32:\n   0   1   4   5   8   9  12  13\n  16  17  20",
            "\n   2   3   6   7  10  11  14  15\n",
            "B, 16x8 f16:\n 1 1 1 1 1 1 1 1\n",
            "error: the instruction has no `E` in registers: give A, B, C, D",
            "A, 16x16 f16:",
            "D, 16x8 f32:",
            "error: the launch has ended",
        ],
    );
}

/// A product of a warpgroup whose accumulators hold `4 * thread + i`, and a load of four tiles.
const GROUP: &str = "\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry group() {
    .reg .b32 %r<12>;
    .reg .b64 %rd<4>;
    .reg .f32 %f<8>;
    .reg .pred %p<2>;
    .shared .align 128 .b8 tile[4096];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    cvt.rn.f32.u32 %f1, %r2;
    add.f32 %f2, %f1, 0f3F800000;
    add.f32 %f3, %f1, 0f40000000;
    add.f32 %f4, %f1, 0f40400000;
    mov.u64 %rd1, 0;
    mov.u64 %rd2, 128;
    setp.ne.u32 %p1, %r1, 4096;
    mov.u32 %r3, tile;
    shl.b32 %r4, %r1, 4;
    and.b32 %r4, %r4, 511;
    add.u32 %r5, %r3, %r4;
    mov.u32 %r6, 0x40003c00;
    st.shared.v4.b32 [%r5], {%r6, %r6, %r6, %r6};
    bar.sync 0;
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r7, %r8}, [%r5];
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
";

#[test]
fn the_accumulators_of_a_warpgroup_are_one_matrix() {
    let output = ptx_script(
        (GROUP, ""),
        ([1; 3], [128, 1, 1]),
        (&[], &[]),
        "break instruction wgmma.mma if threadIdx.x == 96
         break instruction wgmma.fence
         continue
         matrices
         delete 2
         continue
         matrices D
         matrices A",
    );
    let row = |of: &[u32]| -> String { of.iter().map(|value| format!(" {value:>3}")).collect() };
    expect(
        &output,
        &[
            "breakpoint 2",
            "which the thread has not reached",
            "D, 64x8 f32:",
            &row(&[0, 1, 4, 5, 8, 9, 12, 13]),
            &row(&[128, 129, 132, 133, 136, 137, 140, 141]),
            &row(&[498, 499, 502, 503, 506, 507, 510, 511]),
            "in shared memory: A, B",
            // The other warps have computed their rows.
            "breakpoint 1: thread (96,0,0)",
            "D, 64x8 f32:",
            "      498      499      502      503",
            "error: the instruction has no `A` in registers: give D; A, B are in shared memory",
        ],
    );
}

#[test]
fn the_tiles_of_a_load_are_shown_after_it() {
    let output = ptx_script(
        (GROUP, ""),
        ([1; 3], [128, 1, 1]),
        (&[], &[]),
        "break instruction ldmatrix
         continue
         stepi
         rstepi
         matrices
         lanes %r6",
    );
    expect(&output, &["ldmatrix", "A, 8x8 f16:", "A, 8x8 f16:", "lane  0 # 0x40003c00"]);
}

#[test]
fn expressions_take_references_casts_sizes_and_conditions() {
    let source = "\
struct Stage { int a[4][2]; float scale; };
__device__ int first(const Stage& st, int i) {
    return st.a[i][1];
}
__global__ void k(int* y) {
    Stage stage = {{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, 2.5f};
    int i = threadIdx.x;
    y[i] = first(stage, i);
}
";
    let launch = TestLaunch { source, shape: (1, 4), arrays: vec![vec![0; 4]], numbers: vec![] };
    traces(
        &launch,
        "break 3
         continue
         print st.a[2][0]
         print st.scale
         print (int)st.scale
         print sizeof(st.a)
         print i == 0 ? 10 : 20
         lanes nothing
         lanes i == 2 ? 1 : 0",
        &[
            "k.cu:3 in first",
            "st.a[2][0] = 5\n",
            "st.scale = 2.5\n",
            "(int)st.scale = 2\n",
            "sizeof(st.a) = 32\n",
            "i == 0 ? 10 : 20 = 10\n",
            "> lanes nothing\nerror: `nothing` is not a name here",
            "lane  2 # 1",
        ],
    );
}

#[test]
fn the_parts_of_an_array_that_nobody_wrote_are_marked() {
    let source = "\
__global__ void k(unsigned* y) {
    __shared__ unsigned tile[4];
    if (threadIdx.x == 1) tile[1] = 7;
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x];
}
";
    let launch = TestLaunch { source, shape: (1, 4), arrays: vec![vec![0; 4]], numbers: vec![] };
    traces(
        &launch,
        "break 5
         continue
         print tile
         goto end
         who wrote tile[1]",
        &["tile = [?, 7, ?, ?] (?: not written yet)", "tile[1]: 3452816845 -> 7 by thread (1,0,0)"],
    );
}

#[test]
fn a_finding_in_an_inlined_function_is_at_its_own_call() {
    let source = "\
template <class T> __device__ T allsum(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}
__device__ int allmax(int v) {
    for (int d = 16; d > 0; d >>= 1) v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}
__global__ void k(const int* x, int* y) {
    int m = allmax(x[threadIdx.x]);
    if (threadIdx.x < 4) m += allsum(m);
    y[threadIdx.x] = m;
}
";
    let arrays = vec![vec![1; 32], vec![0; 32]];
    let launch = TestLaunch { source, shape: (1, 32), arrays, numbers: vec![] };
    traces(
        &launch,
        "findings
         finding 1
         bt",
        &["at k.cu:2", "k.cu:2 in allsum", "#1 k at k.cu:11"],
    );
}
