//! Registers of a warpgroup's product that are touched before the wait.

use crate::common::{START, device, kernel, load, upload};
use lanework_sim::LaunchConfig;
use lanework_sim::sanitize::ReportKind;

/// Two products in two groups; `middle` stands before the second wait.
fn reports(middle: &str) -> Vec<(u32, String)> {
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
        mov.f32 %f22, 0f00000000; mov.f32 %f23, 0f00000000;
        mul.lo.u32 %r20, %r3, 4; mov.u32 %r21, tile; add.u32 %r20, %r20, %r21;
        st.shared.u32 [%r20], %r10; fence.proxy.async.shared::cta; bar.sync 0;
        shr.u32 %r21, %r21, 4; cvt.u64.u32 %rd20, %r21; or.b64 %rd20, %rd20, 0x800080000;
        setp.eq.u32 %p1, %r3, %r3;
        wgmma.fence.sync.aligned; {} {}
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
    let early = checked.reports.iter().filter(|r| r.kind == ReportKind::AsyncOrder);
    early.map(|r| (r.line(), format!("{} of {}", r.message, r.instruction))).collect()
}

#[test]
fn registers_waited_for_may_be_touched() {
    assert_eq!(reports(""), Vec::new());
    assert_eq!(reports("wgmma.wait_group.sync.aligned 1; add.f32 %f10, %f10, %f11;"), Vec::new());
    // What A came from may be read.
    assert_eq!(reports("add.u32 %r22, %r10, %r11;"), Vec::new());
}

#[test]
fn registers_not_waited_for_are_reported() {
    let read = reports("add.f32 %f2, %f10, %f2;");
    assert!(read.len() == 1 && read[0].1.contains("is read before"), "{read:?}");
    let younger = reports("wgmma.wait_group.sync.aligned 1; add.f32 %f2, %f20, %f2;");
    assert_eq!(younger.len(), 1, "{younger:?}");
    let written = reports("add.u32 %r12, %r3, 1;");
    assert!(written.len() == 1 && written[0].1.contains("is written before"), "{written:?}");
}
