//! Instructions of sm_100a and later other than matrix products: conversions of scale factors, and `clusterlaunchcontrol`
//! with multicast to a cluster. The expected results follow the PTX manual; no GPU has confirmed them.

use crate::common::{START, device, download, kernel, load, random_words, run};
use lanework_emulator::{LaunchConfig, NullObserver};

#[test]
fn scale_factors_are_powers_of_two() {
    let body = "
        .reg .f32 %g<2>; mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd1;
        ld.global.f32 %g0, [%rd6]; neg.f32 %g1, %g0;
        cvt.rz.satfinite.ue8m0x2.f32 %h0, %g0, 0f40A00000; cvt.rp.satfinite.ue8m0x2.f32 %h1, %g1, 0f40A00000;
        cvt.rn.bf16x2.ue8m0x2 %r10, %h0; cvt.rp.ue8m0x2.bf16x2 %h2, %r10; cvt.rz.ue8m0x2.bf16x2 %h3, %r10;
        sub.u16 %h2, %h2, %h3; sub.u16 %h3, %h3, %h0; or.b16 %h2, %h2, %h3; sub.u16 %h1, %h1, %h0;
        mov.b32 %r11, {%h1, %h2}; mul.wide.u32 %rd7, %r1, 8; add.u64 %rd7, %rd7, %rd2;
        st.global.v2.b32 [%rd7], {%r10, %r11}; ret;";
    let text = kernel(&format!("{START}{body}")).replace("sm_80", "sm_100a").replace("8.0", "8.6");
    let input: Vec<u32> = random_words(32, 5).iter().map(|x| x % 0x7f00_0000).collect();
    let outcome =
        run(&text, false, [1, 1, 1], [32, 1, 1], &input, 64).unwrap_or_else(|e| panic!("{e}"));
    for (x, found) in input.iter().zip(outcome.words.chunks(2)) {
        // Rounds down to a power of two, packed as a bf16 next to the power for 5; rounding up adds one if any lower bit is set.
        let power = if x >> 23 == 0 { 0x0040_0000 } else { x & 0x7f80_0000 };
        assert_eq!(found[0], power | 0x4080, "{x:#x}");
        let up = u32::from(x & 0x7f_ffff != 0 && *x > 0x0040_0000);
        assert_eq!(found[1], up << 8 | 1, "{x:#x}: and powers of two stay");
    }
}

#[test]
fn the_answer_of_a_cluster_comes_to_each_of_its_blocks() {
    let text = ".version 8.6\n.target sm_100a\n.address_size 64\n\
        .visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1 {\n\
        .reg .b64 %l<4>; .reg .b32 %r<8>; .reg .pred %p<4>; .reg .b128 %q;\n\
        .shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;\n\
        ld.param.u64 %l1, [out]; mov.u32 %r1, %cluster_ctarank;\n\
        mbarrier.init.shared.b64 [bar], 1; st.shared.v2.b64 [answer], {-1, -1};\n\
        mbarrier.arrive.expect_tx.shared.b64 %l0, [bar], 16;\n\
        barrier.cluster.arrive; barrier.cluster.wait; setp.ne.u32 %p1, %r1, 1; @%p1 bra again;\n\
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [bar];\n\
        again: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra again;\n\
        ld.shared.b128 %q, [answer];\n\
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q; selp.u32 %r2, 1, 2, %p3;\n\
        mul.wide.u32 %l2, %r1, 4; add.u64 %l2, %l2, %l1; st.global.u32 [%l2], %r2;\n\
        barrier.cluster.arrive; barrier.cluster.wait; ret; }";
    for all_varying in [false, true] {
        let emulator = device(all_varying);
        let program = load(&emulator, text).unwrap_or_else(|e| panic!("{e}"));
        let out = emulator.allocate(8, "out").expect("memory");
        let launch = LaunchConfig {
            cluster: Some([2, 1, 1]),
            ..LaunchConfig::new("k", [2, 1, 1], [1, 1, 1])
        };
        emulator
            .launch(&program, &launch, &[&out.to_le_bytes()], &mut NullObserver)
            .unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!(download(&emulator, out, 2), [2, 2], "both were told that nothing is cancelled");
    }
}
