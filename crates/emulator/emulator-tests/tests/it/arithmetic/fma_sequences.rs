//! Long sequences of one instruction use no more of the host's stack than short ones.

use crate::common::{START, kernel, run};

/// Instructions with different operations; `mma` and `wgmma` keep whole matrices on the host's stack.
const INSTRUCTIONS: [&str; 16] = [
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r6,%r7,%r8,%r9}, {%r10,%r11}, {%f1,%f2,%f3,%f4};",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1,%f2,%f3,%f4}, {%r6,%r7,%r8,%r9}, {%r10,%r11}, {%f1,%f2,%f3,%f4};",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r12,%r13,%r14,%r15}, {%r6,%r7,%r8,%r9}, {%r10,%r11}, {%r12,%r13,%r14,%r15};",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1,%d2}, {%d3}, {%d4}, {%d1,%d2};",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r6,%r7,%r8,%r9}, [s];",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r7;",
    "atom.global.add.u32 %r6, [%rd5], 1;",
    "atom.global.add.noftz.f16x2 %r6, [%rd5], %r7;",
    "cp.async.ca.shared.global [s], [%rd4], 4;",
    "shfl.sync.idx.b32 %r6, %r7, 5, 31, -1;",
    "redux.sync.add.s32 %r6, %r7, -1;",
    "match.any.sync.b32 %r6, %r7, -1;",
    "div.rn.f64 %d1, %d2, %d3;",
    "sin.approx.f32 %f1, %f2;",
    "ld.global.v4.u32 {%r6,%r7,%r8,%r9}, [%rd1];",
    "bfe.u32 %r6, %r7, %r8, %r9;",
];

/// A `wgmma` with 128 accumulator registers.
fn warpgroup_product() -> String {
    let sums: Vec<String> = (0..128).map(|i| format!("%w{i}")).collect();
    let sums = sums.join(",");
    format!(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{sums}}}, %rd10, %rd10, 1, 1, 1, 0, 0;"
    )
}

#[test]
fn long_sequences_need_little_host_stack() {
    let product = warpgroup_product();
    for instruction in INSTRUCTIONS.into_iter().chain([product.as_str()]) {
        let body = format!(
            "{START} .shared .align 128 .b8 s[16384]; .reg .f32 %w<128>; mov.u64 %rd10, 0; {} ret;",
            format!("{instruction}\n").repeat(300)
        );
        let ran = move || {
            run(&kernel(&body), false, [1, 1, 1], [128, 1, 1], &[0; 256], 256)
                .map(|_| ())
                .map_err(|fault| fault.to_string())
        };
        // An overflow would abort the whole test program: 512 KiB hold 128 frames of 4 KiB.
        let thread =
            std::thread::Builder::new().stack_size(512 << 10).spawn(ran).expect("a thread");
        thread.join().expect("no panic").unwrap_or_else(|fault| panic!("{instruction}: {fault}"));
    }
}
