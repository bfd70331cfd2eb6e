//! Registers of a `wgmma` that the kernel accesses before the wait, or writes without a fence.

use crate::common::{START, device, kernel, load, upload};
use lanework_emulator::LaunchConfig;
use lanework_emulator::sanitize::ReportKind;

const FENCE: &str = "wgmma.fence.sync.aligned;";

/// Runs two products in two groups; `before` precedes the first wait, and `middle` the second.
fn found(before: &str, middle: &str) -> Vec<String> {
    let product = |first: usize| {
        let d: Vec<String> = (first..first + 4).map(|i| format!("%f{i}")).collect();
        format!(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{{}}}, {{%r10, %r11, %r12, %r13}},
                %rd20, %p1, 1, 1, 0; wgmma.commit_group.sync.aligned;",
            d.join(", ")
        )
    };
    let text = kernel(&format!(
        "{START} .shared .align 128 .b8 tile[4096];
        mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;
        mov.f32 %f10, 0f00000000; mov.f32 %f11, 0f00000000; mov.f32 %f12, 0f00000000;
        mov.f32 %f13, 0f00000000; mov.f32 %f20, 0f00000000; mov.f32 %f21, 0f00000000;
        mov.f32 %f22, 0f00000000; mov.f32 %f23, 0f00000000; add.f32 %f30, %f10, %f11;
        mul.lo.u32 %r20, %r3, 4; mov.u32 %r21, tile; add.u32 %r20, %r20, %r21;
        st.shared.u32 [%r20], %r10; fence.proxy.async.shared::cta; bar.sync 0;
        shr.u32 %r21, %r21, 4; cvt.u64.u32 %rd20, %r21; or.b64 %rd20, %rd20, 0x800080000;
        setp.eq.u32 %p1, %r3, %r3;
        {before} {} {}
        {middle}
        wgmma.wait_group.sync.aligned 0;
        add.f32 %f1, %f10, %f20; st.global.f32 [%rd5], %f1; ret;",
        product(10),
        product(20)
    ));
    let text = text.replace("sm_80", "sm_90a");
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let input = upload(&emulator, "in", &[0]);
    let out = emulator.allocate(512, "out").expect("memory");
    let launch = LaunchConfig::new("k", [1; 3], [128, 1, 1]);
    let arguments: [&[u8]; 3] = [&input.to_le_bytes(), &out.to_le_bytes(), &1u32.to_le_bytes()];
    let checked = emulator.check(&program, &launch, &arguments).expect("runs");
    let early = checked.reports.iter().filter(|r| r.kind == ReportKind::WgmmaRegisters);
    early.map(|r| format!("{} ({})", r.message, r.instruction)).collect()
}

/// Checks that there is one report, about this instruction and with these words.
fn one(found: &[String], instruction: &str, words: &str) {
    let right = found.len() == 1 && found[0].contains(words);
    assert!(right && found[0].ends_with(&format!("({instruction})")), "{found:?}");
}

#[test]
fn registers_waited_for_may_be_touched() {
    let reports = |middle| found(FENCE, middle);
    assert_eq!(reports(""), Vec::<String>::new());
    let waited = "wgmma.wait_group.sync.aligned 1; add.f32 %f10, %f10, %f11;";
    assert_eq!(reports(waited), Vec::<String>::new());
    // The kernel may read the registers of A, and the check follows copies of registers.
    assert_eq!(reports("add.u32 %r22, %r10, %r11;"), Vec::<String>::new());
    let copied = "mov.f32 %f2, %f20; wgmma.wait_group.sync.aligned 0; add.f32 %f2, %f2, %f2;";
    assert_eq!(reports(copied), Vec::<String>::new());
}

#[test]
fn registers_not_waited_for_are_reported() {
    let reports = |middle| found(FENCE, middle);
    one(&reports("add.f32 %f2, %f10, %f2;"), "add.f32", "is read before");
    let younger = "wgmma.wait_group.sync.aligned 1; add.f32 %f2, %f20, %f2;";
    one(&reports(younger), "add.f32", "is read before");
    one(&reports("add.u32 %r12, %r3, 1;"), "add.u32", "is written before");
    one(&reports("add.f32 %f22, %f2, %f2;"), "add.f32", "is written before");
    one(&reports("mov.f32 %f2, %f10; add.f32 %f3, %f2, %f4;"), "add.f32", "is read before");
    // Some lanes overwrite the copy on another path; the others still hold the value in flight.
    let apart = "mov.f32 %f2, %f10; setp.lt.u32 %p2, %r3, 7; @%p2 mov.f32 %f2, 0f00000000;
        add.f32 %f3, %f2, %f4;";
    one(&reports(apart), "add.f32", "is read before");
}

#[test]
fn products_see_registers_behind_a_fence() {
    let clean = |before: &str| assert_eq!(found(before, ""), Vec::<String>::new(), "{before}");
    clean(&format!("add.f32 %f21, %f30, %f30; add.u32 %r11, %r3, 1; {FENCE}"));
    clean(&format!("{FENCE} add.f32 %f21, %f30, %f30; {FENCE}"));
    // Compilers may insert register copies anywhere.
    clean(&format!("{FENCE} mov.f32 %f21, 0f3f800000; mov.u32 %r11, %r3;"));
    let product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16";
    one(&found("", "")[..1], product, "has no `wgmma.fence` before it");
    let late = found(&format!("{FENCE} add.f32 %f21, %f30, %f30;"), "");
    one(&late, product, "written without a `wgmma.fence` in between");
    let moved = found(&format!("{FENCE} add.f32 %f2, %f30, %f30; mov.f32 %f21, %f2;"), "");
    one(&moved, product, "written without a `wgmma.fence` in between");
    let factor = found(&format!("{FENCE} add.u32 %r11, %r3, 1;"), "");
    assert_eq!(factor.len(), 2, "both products use it: {factor:?}");
}
