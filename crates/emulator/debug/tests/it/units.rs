//! Barriers, mbarriers and tensor-core fragments.

use crate::common::{TestLaunch, traces};

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
