//! Compares matrix instructions with host arithmetic, with fragment layouts from the PTX manual.

mod compiled;
mod early;
mod multiply;
mod numbers;
mod rows;
mod wmma;

use crate::common::{START, kernel, run};
use lanework_emulator::FaultKind;

const WARP: [u32; 3] = [32, 1, 1];
const ONE: [u32; 3] = [1, 1, 1];

/// Runs a body on one warp, with and without scalar registers.
fn warp(body: &str, input: &[u32], count: usize) -> Vec<u32> {
    let text = kernel(&format!("{START}\n{body}\nret;"));
    let [plain, varying] = [false, true].map(|all_varying| {
        run(&text, all_varying, ONE, WARP, input, count).unwrap_or_else(|f| panic!("{f}")).words
    });
    assert_eq!(plain, varying, "scalar forms change results");
    plain
}

/// A list of consecutive registers, starting at `%r{first}`.
fn registers(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|i| format!("%r{i}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// PTX that loads `count` words per lane into registers from `first` on. The words of lane `l`
/// start at word `at + l * count`.
fn load_lanes(first: usize, count: usize, at: usize) -> String {
    let mut text = format!("mul.wide.u32 %rd6, %r1, {}; add.s64 %rd7, %rd1, %rd6;\n", count * 4);
    for i in 0..count {
        text += &format!("ld.global.u32 %r{}, [%rd7+{}];\n", first + i, (at + i) * 4);
    }
    text
}

/// PTX that stores `count` words per lane in the same order.
fn store_lanes(first: usize, count: usize) -> String {
    let mut text = format!("mul.wide.u32 %rd6, %r1, {}; add.s64 %rd7, %rd2, %rd6;\n", count * 4);
    for i in 0..count {
        text += &format!("st.global.u32 [%rd7+{}], %r{};\n", i * 4, first + i);
    }
    text
}

#[test]
fn part_of_a_warp_cannot_multiply() {
    let text = kernel(&format!(
        "{START} mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {}, {}, {{%r20}}, {}; ret;",
        registers(10, 4),
        registers(14, 2),
        registers(10, 4)
    ));
    let fault = run(&text, false, ONE, [20, 1, 1], &[0], 1).map(|_| ()).expect_err("a fault");
    assert_eq!(fault.kind, FaultKind::Unsupported);
    assert!(fault.message.contains("all 32 lanes") && fault.message.contains("20"), "{fault}");
}

#[test]
fn forms_that_do_not_exist_are_refused_by_name() {
    for (text, why) in [
        (
            "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
            "layout",
        ),
        (
            "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
            "shape",
        ),
        (
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2,%r3}, {%r1}, {%r1,%r2,%r3,%r4};",
            "length",
        ),
        ("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r1,%r2,%r3}, [%r1];", "x3"),
    ] {
        let text = kernel(&format!("{START} {text} ret;"));
        let error = crate::common::load(&crate::common::device(false), &text).expect_err("refused");
        assert!(error.message.contains(why), "{error}");
    }
}
