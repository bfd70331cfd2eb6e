//! Loads, stores and copies of every shape: compares the moved elements with the manual's figures.

use crate::tensor_memory::gemm::run_text;

/// Returns a kernel that allocates tensor memory, runs `body` in all four warps, and frees the memory. `%r12` is the
/// address of the warp's lanes, and `%rd7` the address of the thread's `count` result words.
pub fn kernel(columns: usize, count: usize, body: &str) -> String {
    format!(
        ".version 8.8\n.target sm_103a\n.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .pred %p<8>; .reg .b32 %r<400>; .reg .b64 %rd<16>;
.shared .align 1024 .b8 tile[16384];
.shared .align 8 .b64 bar;
.shared .align 4 .b32 base;
ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; setp.ne.u32 %p2, %r2, 0; setp.ne.u32 %p3, %r1, 0;
@%p2 bra ALLOCATED;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], {columns};
ALLOCATED: @%p3 bra READY;
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
READY: tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
ld.shared.u32 %r10, [base]; shl.b32 %r12, %r2, 21; add.u32 %r12, %r12, %r10;
mad.wide.u32 %rd7, %r1, {}, %rd2;
{body}
tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
@%p2 bra DONE;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, {columns};
DONE: ret;
}}
",
        4 * count
    )
}

fn registers(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|r| format!("%r{r}")).collect();
    names.join(", ")
}

/// PTX that fills each cell with `lane * 1000 + column`, by `.32x32b`.
fn fill(columns: usize) -> String {
    let mut text = String::new();
    for column in 0..columns {
        text += &format!(
            "mad.lo.u32 %r20, %r1, 1000, {column}; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12+{column}], {{%r20}};\n"
        );
    }
    text + "tcgen05.wait::st.sync.aligned;\n"
}

/// Returns the words that each thread loads after the fill.
fn loaded(form: &str, at: &str, count: usize) -> Vec<Vec<u32>> {
    let mut body = fill(64);
    body += &format!(
        "tcgen05.ld.sync.aligned.{form}.b32 {{{}}}, {at}; tcgen05.wait::ld.sync.aligned;\n",
        registers(30, count)
    );
    for i in 0..count {
        body += &format!("st.global.u32 [%rd7+{}], %r{};\n", 4 * i, 30 + i);
    }
    let words = run_text(&kernel(64, count, &body), &[0], 128 * count).expect("runs");
    words.chunks(count).map(<[u32]>::to_vec).collect()
}

/// A figure of the manual: maps lane and column to thread and register.
type Figure = fn(u32, u32) -> (u32, u32);

const FIGURES: &[(&str, usize, u32, Figure)] = &[
    ("32x32b", 1, 32, |lane, column| (lane, column)),
    ("16x64b", 1, 16, |lane, column| (lane % 8 * 4 + column % 2 * 2 + lane / 8, column / 2)),
    ("16x128b", 2, 16, |lane, column| (lane % 8 * 4 + column % 4, column / 4 * 2 + lane / 8)),
    ("16x256b", 4, 16, |lane, column| {
        (lane % 8 * 4 + column % 8 / 2, column / 8 * 4 + lane / 8 * 2 + column % 2)
    }),
];

#[test]
fn threads_load_the_elements_of_the_figures() {
    for (shape, per, lanes, figure) in FIGURES {
        for repeat in [1, 2, 4] {
            let count = per * repeat;
            let found = loaded(&format!("{shape}.x{repeat}"), "[%r12+4]", count);
            let columns = (32 * count) as u32 / lanes;
            for warp in 0..4 {
                for lane in 0..*lanes {
                    for column in 0..columns {
                        let (thread, register) = figure(lane, column);
                        let word = found[(32 * warp + thread) as usize][register as usize];
                        let expected = (32 * warp + lane) * 1000 + 4 + column;
                        assert_eq!(
                            word, expected,
                            "{shape}.x{repeat}: lane {lane}, column {column}"
                        );
                    }
                }
            }
        }
    }
    // The upper 16 lanes of a warp's quarter.
    let upper = loaded("16x64b.x1", "[%r12+0x100000]", 1);
    assert_eq!(upper[33][0], (32 + 16 + 8) * 1000);
    // Two accesses to 16 lanes each.
    let twice = loaded("16x32bx2.x2", "[%r12], 32", 2);
    for thread in 0..128 {
        let (warp, t) = (thread / 32, thread % 32);
        let at = (32 * warp + t % 16) * 1000 + t / 16 * 32;
        assert_eq!(twice[thread as usize], [at, at + 1], "thread {thread}");
    }
}

#[test]
fn an_address_without_lanes_is_the_warps_own() {
    assert_eq!(loaded("32x32b.x1", "[%r10]", 1), loaded("32x32b.x1", "[%r12]", 1));
}

#[test]
fn stores_are_undone_by_loads_of_the_same_shape() {
    for (form, count) in [
        ("32x32b.x8", 8),
        ("16x64b.x8", 8),
        ("16x128b.x4", 8),
        ("16x256b.x2", 8),
        ("16x64b.x4.P", 4),
        ("32x32b.x4.P", 4),
        ("16x128b.x2.P", 4),
        ("16x256b.x1.P", 4),
        ("16x32bx2.x4", 4),
        ("16x32bx2.x4.P", 4),
    ] {
        let halves = form.contains("bx2");
        let (store, load) = (form.replace(".P", ".unpack::16b"), form.replace(".P", ".pack::16b"));
        let mut body = String::new();
        for i in 0..count {
            body += &format!("mad.lo.u32 %r{}, %r1, 0x10203, {};\n", 100 + i, 0x1111 * i);
        }
        let split = if halves { ", 16" } else { "" };
        body += &format!(
            "tcgen05.st.sync.aligned.{store}.b32 [%r12+8]{split}, {{{}}}; tcgen05.wait::st.sync.aligned;
             tcgen05.ld.sync.aligned.{load}.b32 {{{}}}, [%r12+8]{split}; tcgen05.wait::ld.sync.aligned;\n",
            registers(100, count),
            registers(30, count)
        );
        for i in 0..count {
            body += &format!("st.global.u32 [%rd7+{}], %r{};\n", 4 * i, 30 + i);
        }
        let words = run_text(&kernel(64, count, &body), &[0], 128 * count).expect("runs");
        for (at, word) in words.iter().enumerate() {
            let (thread, i) = (at / count, at % count);
            let expected = (thread as u32).wrapping_mul(0x10203).wrapping_add(0x1111 * i as u32);
            assert_eq!(*word, expected, "{form}: thread {thread}, register {i}");
        }
    }
}

#[test]
fn packed_loads_take_the_low_halves_of_neighbors() {
    let found = loaded("32x32b.x2.pack::16b", "[%r12]", 2);
    let low = |lane: u32, column: u32| (lane * 1000 + column) & 0xffff;
    for (lane, words) in found.iter().enumerate() {
        let lane = lane as u32;
        let pair = |c| low(lane, c) | low(lane, c + 1) << 16;
        assert_eq!(*words, [pair(0), pair(2)], "lane {lane}");
    }
}

#[test]
fn loads_reduce_over_columns() {
    let body = format!(
        "{} tcgen05.ld.red.sync.aligned.32x32b.x4.max.u32 {{%r30, %r31, %r32, %r33}}, %r34, [%r12+2];
         tcgen05.wait::ld.sync.aligned; st.global.v2.u32 [%rd7], {{%r30, %r34}};",
        fill(8)
    );
    let words = run_text(&kernel(32, 2, &body), &[0], 256).expect("runs");
    for (lane, pair) in words.chunks(2).enumerate() {
        let lane = lane as u32 * 1000;
        assert_eq!(pair, [lane + 2, lane + 5]);
    }
}

/// Copies a tile from shared memory, whose words are `16 * row + word`, with rows of 16 or 32 bytes and no swizzle.
fn copied(form: &str, rows: usize, words: usize, at: &str) -> Vec<u32> {
    let mut body = format!(
        "mov.u32 %r20, tile; setp.ge.u32 %p1, %r1, {rows}; @%p1 bra LAID;
         shr.u32 %r21, %r1, 3; and.b32 %r22, %r1, 7; shl.b32 %r22, %r22, 4;
         mad.lo.u32 %r21, %r21, {}, %r22; add.u32 %r20, %r20, %r21;\n",
        32 * words
    );
    for word in 0..words {
        // Chunks of 16 bytes along K are 128 bytes apart; a group of eight rows has all its chunks together.
        let offset = word / 4 * 128 + word % 4 * 4;
        body +=
            &format!("mad.lo.u32 %r23, %r1, 16, {word}; st.shared.u32 [%r20+{offset}], %r23;\n");
    }
    body += &format!(
        "LAID: fence.proxy.async.shared::cta; {} bar.sync 0;
         @%p3 bra ISSUED; mov.u32 %r20, tile; cvt.u64.u32 %rd4, %r20; shr.u64 %rd4, %rd4, 4;
         add.u64 %rd4, %rd4, {:#x};
         tcgen05.cp.cta_group::1.{form} {at}, %rd4;
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
         ISSUED: mbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0; @!%p5 bra ISSUED;
         tcgen05.fence::after_thread_sync;
         tcgen05.ld.sync.aligned.32x32b.x8.b32 {{{}}}, [%r12]; tcgen05.wait::ld.sync.aligned;
         st.global.v4.u32 [%rd7], {{%r30, %r31, %r32, %r33}};
         st.global.v4.u32 [%rd7+16], {{%r34, %r35, %r36, %r37}};",
        fill(8),
        8u64 << 16 | (2 * words as u64) << 32 | 1 << 46,
        registers(30, 8)
    );
    run_text(&kernel(32, 8, &body), &[0], 128 * 8).expect("runs")
}

#[test]
fn copies_bring_rows_to_their_lanes() {
    let before = |lane: usize, column: usize| (1000 * lane + column) as u32;
    type Case = (&'static str, usize, usize, &'static str, fn(usize) -> Option<usize>);
    let cases: [Case; 6] = [
        ("128x256b", 128, 8, "[%r10]", Some),
        ("128x128b", 128, 4, "[%r10]", Some),
        ("4x256b", 4, 8, "[%r10+0x1f0000]", |lane| (lane % 32 == 31).then_some(lane / 32)),
        ("64x128b.warpx2::02_13", 64, 4, "[%r10]", |lane| Some(lane % 64)),
        ("64x128b.warpx2::01_23", 64, 4, "[%r10]", |lane| Some(lane / 64 * 32 + lane % 32)),
        ("32x128b.warpx4", 32, 4, "[%r10]", |lane| Some(lane % 32)),
    ];
    for (form, rows, words, at, row_of) in cases {
        let found = copied(form, rows, words, at);
        for (i, word) in found.iter().enumerate() {
            let (lane, column) = (i / 8, i % 8);
            let expected = match row_of(lane) {
                Some(row) if column < words => (16 * row + column) as u32,
                _ => before(lane, column),
            };
            assert_eq!(*word, expected, "{form}: lane {lane}, column {column}");
        }
    }
}

#[test]
fn copies_widen_small_elements() {
    // A row has the words from `16 * row` to `16 * row + 3`; the first two hold sixteen 4-bit elements.
    let found = copied("128x128b.b8x16.b4x16_p64", 128, 4, "[%r10]");
    let nibble = |word: u32, i: usize| (word >> (4 * i) & 15) << 2;
    for lane in [0, 5, 127] {
        let source = [16 * lane as u32, 16 * lane as u32 + 1];
        for column in 0..4 {
            let word = source[column / 2];
            let expected =
                (0..4).fold(0, |bits, i| bits | nibble(word, column % 2 * 4 + i) << (8 * i));
            assert_eq!(found[8 * lane + column], expected, "lane {lane}, column {column}");
        }
    }
}

#[test]
fn a_shift_moves_the_rows_of_one_warp() {
    let body = format!(
        "{} tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
         @%p3 bra ISSUED; tcgen05.shift.cta_group::1.down [%r10+0x200000];
         tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
         ISSUED: mbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0; @!%p5 bra ISSUED;
         tcgen05.fence::after_thread_sync;
         tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r30}}, [%r12+7]; tcgen05.wait::ld.sync.aligned;
         st.global.u32 [%rd7], %r30;",
        fill(16)
    );
    let words = run_text(&kernel(32, 1, &body), &[0], 128).expect("runs");
    for (lane, word) in words.iter().enumerate() {
        let from = if (32..63).contains(&lane) { lane + 1 } else { lane };
        assert_eq!(*word, 1000 * from as u32 + 7, "lane {lane}");
    }
}
