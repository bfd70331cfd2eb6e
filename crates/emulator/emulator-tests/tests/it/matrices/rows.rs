//! Tests of `ldmatrix` and `stmatrix`.

use crate::common::{START, device, kernel, load, random_words, run, upload};
use crate::matrices::{ONE, WARP, load_lanes, registers, store_lanes, warp};
use lanework_emulator::sanitize::ReportKind;
use lanework_emulator::{FaultKind, LaunchConfig};

/// PTX that copies the four input words of lane `l` to row `l` of a shared array with rows of `pitch` bytes.
fn fill_shared(pitch: usize) -> String {
    format!(
        ".shared .align 16 .b8 tile[{}];
        mov.u32 %r60, tile; mad.lo.u32 %r61, %r1, {pitch}, %r60;
        {} st.shared.v4.u32 [%r61], {{%r10, %r11, %r12, %r13}}; bar.warp.sync 0xffffffff;\n",
        32 * pitch,
        load_lanes(10, 4, 0),
    )
}

fn half(words: &[u32], row: usize, column: usize) -> u32 {
    words[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff
}

#[test]
fn ldmatrix_gives_each_lane_two_elements_of_each_matrix() {
    let input = random_words(128, 5);
    for count in [1, 2, 4] {
        for trans in ["", ".trans"] {
            let list = registers(20, count);
            let body = format!(
                "{} ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {list}, [%r61];{}",
                fill_shared(16),
                store_lanes(20, count)
            );
            let got = warp(&body, &input, 32 * count);
            for lane in 0..32 {
                for matrix in 0..count {
                    let (row, pair) = (lane / 4, 2 * (lane % 4));
                    let at = |half_at: usize| match trans {
                        "" => half(&input, 8 * matrix + row, half_at),
                        _ => half(&input, 8 * matrix + half_at, row),
                    };
                    let want = at(pair) | at(pair + 1) << 16;
                    assert_eq!(got[lane * count + matrix], want, "x{count}{trans} lane {lane}");
                }
            }
        }
    }
}

#[test]
fn ldmatrix_reads_rows_at_any_address_including_generic_ones() {
    // Lane `l` passes the address of row `31 - l`; the instruction's offset adds 32 bytes.
    let input = random_words(128, 6);
    let body = format!(
        "{} mov.u32 %r62, 31; sub.u32 %r62, %r62, %r1; mad.lo.u32 %r62, %r62, 16, %r60;
        cvt.u64.u32 %rd20, %r62; cvta.shared.u64 %rd20, %rd20; sub.s64 %rd20, %rd20, 32;
        ldmatrix.sync.aligned.m8n8.x4.b16 {}, [%rd20+32];{}",
        fill_shared(16),
        registers(20, 4),
        store_lanes(20, 4)
    );
    let got = warp(&body, &input, 128);
    for lane in 0..32 {
        for matrix in 0..4 {
            let row = 31 - (8 * matrix + lane / 4);
            assert_eq!(got[lane * 4 + matrix], input[row * 4 + lane % 4]);
        }
    }
}

#[test]
fn stmatrix_undoes_ldmatrix() {
    let input = random_words(128, 7);
    for trans in ["", ".trans"] {
        let body = format!(
            "{} ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {list}, [%r61];
            .shared .align 16 .b8 other[512]; mov.u32 %r62, other; mad.lo.u32 %r63, %r1, 16, %r62;
            stmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 [%r63], {list};
            bar.warp.sync 0xffffffff; ld.shared.v4.u32 {list}, [%r63];{}",
            fill_shared(16),
            store_lanes(20, 4),
            list = registers(20, 4),
        );
        assert_eq!(warp(&body, &input, 128), input, "{trans}");
    }
}

#[test]
fn the_eight_rows_of_a_matrix_are_one_wavefront_unless_they_share_banks() {
    let input = random_words(128, 8);
    // Rows of 16 bytes fill all banks; rows 128 bytes apart start in one bank; 144 bytes apart do not.
    for (pitch, count, wavefronts) in
        [(16, 4, 4), (16, 1, 1), (128, 4, 32), (128, 2, 16), (144, 4, 4), (64, 4, 16)]
    {
        let body = format!(
            "{} ldmatrix.sync.aligned.m8n8.x{count}.shared.b16 {}, [%r61];",
            fill_shared(pitch),
            registers(20, count)
        );
        let text = kernel(&format!("{START}\n{body}\nret;"));
        let counters = run(&text, false, ONE, WARP, &input, 1).expect("runs").counters;
        let shared = counters.shared_load;
        assert_eq!((shared.requests, shared.wavefronts), (1, wavefronts), "pitch {pitch}");
        assert_eq!(shared.bank_conflicts, wavefronts - count as u64, "pitch {pitch}");
    }
}

#[test]
fn a_row_out_of_bounds_or_misaligned_is_a_fault() {
    let fault = |address: &str| {
        let body = format!(
            "{START} {} {address} ldmatrix.sync.aligned.m8n8.x4.shared.b16 {}, [%r61]; ret;",
            fill_shared(16),
            registers(20, 4)
        );
        run(&kernel(&body), false, ONE, WARP, &[0; 128], 1).map(|_| ()).expect_err("a fault")
    };
    let beyond = fault("add.u32 %r61, %r61, 1536;");
    assert_eq!((beyond.kind, beyond.thread), (FaultKind::OutOfBounds, [0, 0, 0]), "{beyond}");
    assert_eq!(fault("add.u32 %r61, %r61, 4;").kind, FaultKind::Misaligned);
    let beyond = fault("add.u32 %r61, %r61, 1040;");
    assert_eq!((beyond.kind, beyond.thread), (FaultKind::OutOfBounds, [31, 0, 0]), "{beyond}");
}

#[test]
fn movmatrix_exchanges_rows_and_columns() {
    let input = random_words(32, 9);
    let body = format!(
        "ld.global.u32 %r20, [%rd4]; movmatrix.sync.aligned.m8n8.trans.b16 %r21, %r20;{}",
        store_lanes(21, 1)
    );
    let got = warp(&body, &input, 32);
    // Lane `l` holds two elements of row `l / 4`.
    let element = |words: &[u32], row: usize, column: usize| {
        words[4 * row + column / 2] >> (16 * (column % 2)) & 0xffff
    };
    for row in 0..8 {
        for column in 0..8 {
            assert_eq!(element(&got, row, column), element(&input, column, row));
        }
    }
}

/// Returns the number of races if two warps store matrices of these words at the same addresses.
fn races_of_two_warps(words: &str) -> usize {
    let text = kernel(&format!(
        "{START}
        .shared .align 16 .b8 tile[128]; mov.u32 %r60, tile; and.b32 %r62, %r1, 7; mad.lo.u32 %r61, %r62, 16, %r60;
        {words}
        stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r61], {{%r63}};
        ret;"
    ));
    let text = text.replace("sm_80", "sm_90");
    let emulator = device(false);
    let program = load(&emulator, &text).unwrap_or_else(|error| panic!("{error}"));
    let (input, out) = (upload(&emulator, "in", &[0; 64]), upload(&emulator, "out", &[0; 64]));
    let launch = LaunchConfig::new("k", ONE, [64, 1, 1]);
    let n = 64u32;
    let arguments: [&[u8]; 3] = [&input.to_le_bytes(), &out.to_le_bytes(), &n.to_le_bytes()];
    let reports = emulator.check(&program, &launch, &arguments).expect("it runs").reports;
    assert!(reports.iter().all(|report| report.kind == ReportKind::Race), "{reports:?}");
    reports.len()
}

#[test]
fn two_warps_may_store_the_same_rows_but_no_others() {
    assert_eq!(races_of_two_warps("and.b32 %r63, %r1, 31;"), 0);
    assert_eq!(races_of_two_warps("mov.u32 %r63, %r1;"), 1);
}
