//! Reductions on global memory by several workers, which combine them before they reach memory: no block can tell.

use crate::common::{download, kernel, load, next, random_words, upload};
use lanework_emulator::{Emulator, LaunchConfig, NullObserver, Options};

/// The registers and addresses that the bodies use: `%rd1` is `in`, `%rd2` is `out`, `%r1` the thread's index in the grid,
/// `%r3` its index in the block, `%r4` the block.
const START: &str = "
    .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .f32 %f<9>; .shared .align 8 .b8 seen[8];
    ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r2, [n];
    mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x;
    mad.lo.u32 %r1, %r4, %r5, %r3;
";

/// Runs `k` on a number of workers; returns `count` words of `out`, which start with these words.
fn run(text: &str, workers: usize, grid: u32, input: &[u32], out: &[u32]) -> Vec<u32> {
    let options = Options {
        workers: Some(workers),
        max_instructions: Some(1 << 22),
        verify: true,
        ..Options::default()
    };
    let emulator = Emulator::new(options);
    let program = load(&emulator, text).unwrap_or_else(|e| panic!("loads: {e}"));
    let (source, target) = (upload(&emulator, "in", input), upload(&emulator, "out", out));
    let launch = LaunchConfig::new("k", [grid, 1, 1], [64, 1, 1]);
    let arguments: [&[u8]; 3] =
        [&source.to_le_bytes(), &target.to_le_bytes(), &(input.len() as u32).to_le_bytes()];
    emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
    download(&emulator, target, out.len())
}

/// A histogram: each thread reduces its input word into a word of `out` that the input selects.
fn histogram(instruction: &str, bins: usize, bytes: usize) -> String {
    let operand = if bytes == 8 { "%rd6" } else { "%r7" };
    kernel(&format!(
        "{START}
        mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd3, %rd1;
        ld.global.u32 %r7, [%rd3]; cvt.u64.u32 %rd6, %r7; mul.lo.u64 %rd6, %rd6, 0x100000003;
        mul.lo.u32 %r8, %r7, 0x9E3779B1; shr.u32 %r8, %r8, 8; rem.u32 %r8, %r8, {bins};
        mul.wide.u32 %rd4, %r8, {bytes}; add.s64 %rd4, %rd4, %rd2;
        {instruction} [%rd4], {operand};
        {instruction} [%rd4], {operand};
        ret;"
    ))
}

#[test]
fn several_workers_compute_what_one_does() {
    let instructions = [
        ("red.global.add.u32", 4),
        ("red.global.add.u64", 8),
        ("red.add.s32", 4),
        ("red.global.min.s32", 4),
        ("red.global.max.s32", 4),
        ("red.global.min.u32", 4),
        ("red.global.max.u64", 8),
        ("red.global.min.s64", 8),
        ("red.global.and.b32", 4),
        ("red.relaxed.gpu.global.or.b64", 8),
        ("red.global.xor.b32", 4),
    ];
    let input = random_words(64 * 64, 11);
    for (instruction, bytes) in instructions {
        for bins in [1, 37, 256, 9000] {
            let text = histogram(instruction, bins, bytes);
            let out = random_words(bins * bytes / 4, 12);
            let one = run(&text, 1, 64, &input, &out);
            for workers in [2, 4] {
                let several = run(&text, workers, 64, &input, &out);
                assert!(several == one, "{instruction}, {bins} bins, {workers} workers");
            }
        }
    }
}

#[test]
fn an_atomic_without_a_use_of_its_result_is_a_reduction() {
    let input = random_words(64 * 64, 13);
    let text = histogram("atom.global.add.u32 %r20,", 256, 4);
    let out = vec![0; 256];
    assert_eq!(run(&text, 2, 64, &input, &out), run(&text, 1, 64, &input, &out));
}

/// Random accesses of each block to 64 words of its own, with reductions on words that all blocks share in between.
#[test]
fn a_block_sees_its_own_reductions() {
    let mut state = 14;
    for _ in 0..24 {
        let mut body = format!(
            "{START}
            mul.wide.u32 %rd3, %r1, 4; add.s64 %rd3, %rd3, %rd2; mul.wide.u32 %rd5, %r4, 256; add.s64 %rd5, %rd5, %rd2;
            and.b32 %r8, %r3, 7; mul.wide.u32 %rd6, %r8, 4; add.s64 %rd6, %rd6, %rd1; mov.u32 %r9, 1;\n"
        );
        let other = next(&mut state).is_multiple_of(2);
        for _ in 0..30 {
            let lane = next(&mut state) % 64;
            body += &match next(&mut state) % 9 {
                0 => "ld.global.u32 %r10, [%rd3]; mad.lo.u32 %r9, %r9, 31, %r10;\n".to_owned(),
                1 => "st.global.u32 [%rd3], %r9;\n".to_owned(),
                2 => format!(
                    "bar.sync 0; xor.b32 %r11, %r3, {lane}; mul.wide.u32 %rd7, %r11, 4; add.s64 %rd7, %rd7, %rd5;
                    red.global.add.u32 [%rd7], 5; bar.sync 0;\n"
                ),
                3 => format!(
                    "bar.sync 0; xor.b32 %r11, %r3, {lane}; mul.wide.u32 %rd7, %r11, 4; add.s64 %rd7, %rd7, %rd5;
                    ld.global.v2.u32 {{%r12, %r13}}, [%rd5]; ld.u32 %r10, [%rd7]; mad.lo.u32 %r9, %r9, 33, %r10;
                    add.u32 %r9, %r9, %r13; bar.sync 0;\n"
                ),
                4 if other => "red.global.max.u32 [%rd3], %r3;\n".to_owned(),
                5 if other => "red.global.xor.b32 [%rd3], 77;\n".to_owned(),
                _ => "red.global.add.u32 [%rd3], 3; red.global.add.u32 [%rd6], %r1;\n".to_owned(),
            };
        }
        let end = "bar.sync 0; red.global.add.u32 [%rd3], %r9; mul.wide.u32 %rd8, %r1, 4; add.s64 %rd8, %rd8, %rd2;\n";
        let text = kernel(&format!("{body}{end} st.global.u32 [%rd8+16384], %r9; ret;"));
        let (input, out) = (vec![0; 8], vec![0; 2 * 64 * 64]);
        let one = run(&text, 1, 64, &input, &out);
        assert!(run(&text, 2, 64, &input, &out) == one, "{text}");
    }
}

/// The last block to take a ticket reads the sum of all blocks: with a fence, as the memory model demands.
#[test]
fn a_fence_orders_reductions_before_the_flag() {
    let text = kernel(&format!(
        "{START}
        red.global.add.u32 [%rd2], 1; bar.sync 0; mov.u32 %r10, seen;
        setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT;
        membar.gl; atom.global.add.u32 %r8, [%rd2+4], 1; st.shared.u32 [%r10], %r8;
        WAIT: bar.sync 0; ld.shared.u32 %r8, [%r10]; mov.u32 %r9, %nctaid.x; sub.u32 %r9, %r9, 1;
        setp.ne.u32 %p2, %r8, %r9; @%p2 ret;
        membar.gl; ld.global.u32 %r11, [%rd2]; st.global.u32 [%rd2+8], %r11; ret;"
    ));
    for _ in 0..50 {
        assert_eq!(run(&text, 2, 100, &[0], &[0; 3]), [6400, 100, 6400]);
    }
}

#[test]
fn misaligned_and_foreign_reductions_fault_as_with_one_worker() {
    for offset in [2, 1 << 20] {
        let text = kernel(&format!(
            "{START} red.global.add.u32 [%rd2], 1; add.s64 %rd3, %rd2, {offset}; red.global.add.u32 [%rd3], 1; ret;"
        ));
        let faults = [1, 2].map(|workers| {
            let emulator = Emulator::new(Options { workers: Some(workers), ..Options::default() });
            let program = load(&emulator, &text).expect("loads");
            let target = upload(&emulator, "out", &[0]);
            let launch = LaunchConfig::new("k", [64, 1, 1], [64, 1, 1]);
            let arguments: [&[u8]; 3] =
                [&target.to_le_bytes(), &target.to_le_bytes(), &0u32.to_le_bytes()];
            let ran = emulator.launch(&program, &launch, &arguments, &mut NullObserver);
            ran.expect_err("the address is invalid").to_string()
        });
        assert_eq!(faults[0], faults[1]);
    }
}
