//! Instruction forms of later architectures and with rare types: 128 bits, pairs of f32, mixed types, three
//! operands, packed `set`, special registers, `st.bulk`, `clusterlaunchcontrol`, `multimem`.

use crate::common::{START, device, kernel, load, random_words, run};
use lanework_emulator::FaultKind;

const LANES: u32 = 64;

/// Runs a body with two random words per thread in `%r10` and `%r11`. Returns the input, and the output at `%rd7`, which
/// has `each` words per thread.
fn words(body: &str, each: usize) -> (Vec<u32>, Vec<u32>) {
    let text = kernel(&format!(
        "{START} shl.b32 %r6, %r1, 3; cvt.u64.u32 %rd6, %r6; add.s64 %rd6, %rd6, %rd1;
         ld.global.v2.b32 {{%r10, %r11}}, [%rd6];
         mul.lo.u32 %r7, %r1, {}; cvt.u64.u32 %rd7, %r7; add.s64 %rd7, %rd7, %rd2; {body} ret;",
        4 * each
    ));
    let input = random_words(2 * LANES as usize, 7);
    let [classed, varying] = [false, true].map(|all_varying| {
        run(&text, all_varying, [2, 1, 1], [LANES / 2, 1, 1], &input, LANES as usize * each)
            .unwrap_or_else(|fault| panic!("{fault}"))
            .words
    });
    assert_eq!(classed, varying);
    (input, classed)
}

/// Checks each thread's words against a function of its two input words and its index.
fn check<const N: usize>(body: &str, expected: impl Fn(u32, u32, u32) -> [u32; N]) {
    let (input, found) = words(body, N);
    for (i, (pair, found)) in input.chunks(2).zip(found.chunks(N)).enumerate() {
        let expected = expected(pair[0], pair[1], i as u32);
        assert_eq!(found, expected, "thread {i}: {:#x} {:#x}: {body}", pair[0], pair[1]);
    }
}

#[test]
fn registers_of_128_bits_are_moved_loaded_and_stored() {
    let body = "
        .reg .b128 %q<3>, %x; .shared .align 16 .b8 sm[512]; .local .align 16 .b8 lo[16];
        mov.b64 %rd10, {%r10, %r11}; not.b64 %rd11, %rd10;
        mov.b128 %q0, {%rd10, %rd11}; mov.b128 %q1, %q0; mov.b128 {%r12, %r13, %r14, %r15}, %q1;
        mov.b128 %x, {%r13, %r12, %r15, %r14}; st.local.b128 [lo], %x; ld.local.b128 %q2, [lo];
        mov.u32 %r16, sm; shl.b32 %r17, %r3, 4; add.u32 %r16, %r16, %r17; st.shared.b128 [%r16], %q2;
        ld.shared.b128 %x, [%r16]; mov.b128 {%rd12, %rd13}, %x; mov.b128 {%rd13, _}, %x;
        mov.b128 %q2, 5; mov.b128 {_, %rd14}, %q2; mov.b128 {%rd15, _}, %q2;
        mov.b64 {%r20, %r21}, %rd13; cvt.u32.u64 %r22, %rd14; cvt.u32.u64 %r23, %rd15;
        st.global.v2.b32 [%rd7], {%r20, %r21}; st.global.v2.b32 [%rd7+8], {%r22, %r23};";
    check(body, |a, b, _| [b, a, 0, 5]);
}

#[test]
fn exchanges_and_swaps_of_128_bits_are_atomic_in_every_space() {
    // A 128-bit ticket: each thread adds its index to both halves by compare-and-swap.
    let ticket = |space: &str, address: &str| {
        format!(
            "AGAIN: ld{space}.b128 %q0, [{address}]; mov.b128 {{%rd10, %rd11}}, %q0;
             add.u64 %rd12, %rd10, 1; cvt.u64.u32 %rd13, %r1; add.u64 %rd13, %rd13, %rd11;
             mov.b128 %q1, {{%rd12, %rd13}}; atom{space}.cas.b128 %q2, [{address}], %q0, %q1;
             mov.b128 {{%rd14, %rd15}}, %q2; setp.ne.b64 %p1, %rd14, %rd10; @%p1 bra AGAIN;
             setp.ne.b64 %p1, %rd15, %rd11; @%p1 bra AGAIN;"
        )
    };
    let global = format!(
        ".reg .b128 %q<4>; .global .align 16 .b8 cell[16]; {} st.global.b64 [%rd7], %rd12;",
        ticket(".global", "cell")
    );
    let (_, found) = words(&global, 2);
    let mut tickets: Vec<u32> = found.chunks(2).map(|pair| pair[0]).collect();
    tickets.sort_unstable();
    assert_eq!(tickets, (1..=LANES).collect::<Vec<u32>>());
    let shared = format!(
        ".reg .b128 %q<4>; .shared .align 16 .b8 cell[16]; setp.ne.u32 %p1, %r3, 0; @%p1 bra GO;
         st.shared.v2.b64 [cell], {{0, 0}}; GO: bar.sync 0; {} bar.sync 0; ld.shared.v2.b64 {{%rd10, %rd11}}, [cell];
         st.global.b64 [%rd7], %rd11;",
        ticket(".shared", "cell")
    );
    let half = LANES / 2;
    check(&shared, |_, _, i| {
        [if i < half { half * (half - 1) / 2 } else { half * half + half * (half - 1) / 2 }, 0]
    });
    // Each exchanged value is returned once, except the last.
    let exchange = ".reg .b128 %q<4>; .global .align 16 .b8 last[16];
        cvt.u64.u32 %rd10, %r1; add.u64 %rd10, %rd10, 1; neg.s64 %rd11, %rd10; mov.b128 %q0, {%rd10, %rd11};
        @%p1 atom.global.exch.b128 _, [last], %q0; atom.global.exch.b128 %q1, [last], %q0;
        mov.b128 {%rd12, %rd13}, %q1; add.u64 %rd14, %rd12, %rd13; cvt.u32.u64 %r20, %rd14;
        cvt.u32.u64 %r21, %rd12; st.global.v2.b32 [%rd7], {%r20, %r21};";
    let exchange = exchange.replace("@%p1 ", "setp.ne.u32 %p1, %r1, %r1; @%p1 ");
    let (_, found) = words(&exchange, 2);
    assert!(found.chunks(2).all(|pair| pair[0] == 0), "both halves are of one value");
    let mut old: Vec<u32> = found.chunks(2).map(|pair| pair[1]).collect();
    old.sort_unstable();
    old.dedup();
    assert_eq!(old.len(), LANES as usize);
}

#[test]
fn an_access_of_128_bits_is_aligned_and_its_type_computes_nothing() {
    let body = ".reg .b128 %q; ld.global.b128 %q, [%rd1+8];";
    let text = kernel(&format!("{START}{body} ret;"));
    let fault = run(&text, false, [1, 1, 1], [32, 1, 1], &[0; 64], 1).err().expect("a fault");
    assert_eq!(fault.kind, FaultKind::Misaligned);
    for body in ["add.u64 %rd1, %q, 1;", "mov.b64 %rd1, %q;", "ld.global.b64 %q, [%rd1];"] {
        let text = kernel(&format!("{START} .reg .b128 %q; {body} ret;"));
        let error = load(&device(false), &text).expect_err(body);
        assert!(error.text_line > 0 && error.message.contains("`%q`"), "{body}: {error}");
    }
}

fn f16(bits: u32) -> f32 {
    half::f16::from_bits(bits as u16).to_f32()
}

fn bf16(bits: u32) -> f32 {
    half::bf16::from_bits(bits as u16).to_f32()
}

#[test]
fn packed_set_gives_a_mask_or_one_for_each_half() {
    type Of = fn(u32) -> f32;
    for (ty, of, one) in [("f16x2", f16 as Of, 0x3c00u32), ("bf16x2", bf16 as Of, 0x3f80)] {
        let both = |a: u32, b: u32, how: fn(f32, f32) -> bool, truth: u32| {
            let half = |at: u32| if how(of(a >> at), of(b >> at)) { truth << at } else { 0 };
            half(0) | half(16)
        };
        let body = format!(
            "set.lt.{ty}.{ty} %r20, %r10, %r11; set.lt.u32.{ty} %r21, %r10, %r11;
             set.neu.s32.{ty} %r22, %r10, %r11; setp.gt.u32 %p1, %r1, 20;
             set.ge.and.u32.{ty} %r23, %r10, %r11, !%p1;
             st.global.v4.b32 [%rd7], {{%r20, %r21, %r22, %r23}};"
        );
        check(&body, |a, b, i| {
            let mask = both(a, b, |x, y| x >= y, 0xffff);
            [
                both(a, b, |x, y| x < y, one),
                both(a, b, |x, y| x < y, 0xffff),
                both(a, b, |x, y| x != y, 0xffff),
                if i > 20 { 0 } else { mask },
            ]
        });
    }
}

/// The bits of a float; NaNs become the canonical NaN.
fn result(x: f32) -> u32 {
    if x.is_nan() { 0x7fff_ffff } else { x.to_bits() }
}

#[test]
fn pairs_of_f32_are_computed_half_by_half() {
    let body = "mov.b64 %rd10, {%r10, %r11}; mov.b64 %rd11, {%r11, %r10};
        add.rn.f32x2 %rd12, %rd10, %rd11; sub.f32x2 %rd13, %rd10, %rd11; mul.rn.f32x2 %rd14, %rd10, %rd10;
        fma.rn.f32x2 %rd10, %rd10, %rd11, %rd10;
        mov.b64 {%r20, %r21}, %rd12; mov.b64 {%r22, %r23}, %rd13; mov.b64 {%r24, %r25}, %rd14;
        mov.b64 {%r26, %r27}, %rd10; st.global.v4.b32 [%rd7], {%r20, %r22, %r23, %r24};
        st.global.v4.b32 [%rd7+16], {%r21, %r25, %r26, %r27};";
    check(body, |a, b, _| {
        let [x, y] = [a, b].map(f32::from_bits);
        [
            result(x + y),
            result(x - y),
            result(y - x),
            result(x * x),
            result(y + x),
            result(y * y),
            result(x.mul_add(y, x)),
            result(y.mul_add(x, y)),
        ]
    });
}

#[test]
fn operands_of_two_types_are_widened_first() {
    let body = "mov.b32 {%h1, %h2}, %r10; mov.b32 %f1, %r11;
        add.f32.f16 %f2, %h1, %f1; sub.f32.bf16 %f3, %h2, %f1; fma.rn.f32.f16 %f4, %h1, %h2, %f1;
        fma.rz.sat.f32.bf16 %f5, %h1, %h2, 0f3F000000;
        st.global.v2.f32 [%rd7], {%f2, %f3}; st.global.f32 [%rd7+8], %f4;
        setp.ge.f32 %p1, %f5, 0f00000000; setp.le.and.f32 %p1, %f5, 0f3F800000, %p1; selp.u32 %r20, 1, 0, %p1;
        st.global.u32 [%rd7+12], %r20;";
    check(body, |a, b, _| {
        let c = f32::from_bits(b);
        [result(f16(a) + c), result(bf16(a >> 16) - c), result(f16(a).mul_add(f16(a >> 16), c)), 1]
    });
}

#[test]
fn min_and_max_of_three() {
    let body = "mov.b32 %f1, %r10; mov.b32 %f2, %r11; mov.f32 %f3, 0f3F800000;
        min.f32 %f4, %f1, %f2, %f3; max.f32 %f5, %f1, %f2, %f3; max.NaN.f32 %f6, %f1, %f2, %f3;
        min.abs.f32 %f7, %f1, %f2, %f3; st.global.v4.f32 [%rd7], {%f4, %f5, %f6, %f7};";
    check(body, |a, b, _| {
        let [x, y] = [a, b].map(f32::from_bits);
        let all = x.max(y).max(1.0);
        [
            x.min(y).min(1.0).to_bits(),
            all.to_bits(),
            if x.is_nan() || y.is_nan() { 0x7fff_ffff } else { all.to_bits() },
            x.abs().min(y.abs()).min(1.0).to_bits(),
        ]
    });
}

#[test]
fn a_warp_reduces_floats() {
    let body = "mov.b32 %f1, %r10; mov.b32 %f2, %r11; cvt.rn.f32.u32 %f3, %r1; sub.f32 %f3, %f3, 0f41400000;
        redux.sync.min.f32 %f4, %f1, -1; redux.sync.max.f32 %f5, %f1, -1; redux.sync.max.NaN.f32 %f6, %f2, -1;
        redux.sync.min.abs.f32 %f7, %f3, -1; redux.sync.min.NaN.f32 %f8, %f3, -1;
        st.global.v4.f32 [%rd7], {%f4, %f5, %f6, %f7}; st.global.f32 [%rd7+16], %f8; st.global.u32 [%rd7+20], %r1;
        st.global.v2.u32 [%rd7+24], {0, 0};";
    let (input, found) = words(body, 8);
    for warp in 0..2 {
        let lanes = 32 * warp..32 * (warp + 1);
        let input = &input;
        let floats = |k: usize| lanes.clone().map(move |i| f32::from_bits(input[2 * i + k]));
        let numbers: Vec<f32> = lanes.clone().map(|i| i as f32 - 12.0).collect();
        let expected = [
            floats(0).fold(f32::NAN, f32::min).to_bits(),
            floats(0).fold(f32::NAN, f32::max).to_bits(),
            if floats(1).any(f32::is_nan) {
                0x7fff_ffff
            } else {
                floats(1).fold(f32::NAN, f32::max).to_bits()
            },
            numbers.iter().map(|x| x.abs()).fold(f32::NAN, f32::min).to_bits(),
            numbers.iter().copied().fold(f32::NAN, f32::min).to_bits(),
        ];
        for lane in lanes {
            assert_eq!(found[8 * lane..8 * lane + 5], expected, "lane {lane}");
        }
    }
}

#[test]
fn special_registers_of_every_name_have_a_value() {
    let body = "mov.u32 %r20, %aggr_smem_size; mov.u32 %r21, %total_smem_size; sub.u32 %r20, %r20, %r21;
        mov.u32 %r21, %pm3; mov.u64 %rd10, %pm7_64; cvt.u32.u64 %r22, %rd10; mov.u64 %rd10, %current_graph_exec;
        cvt.u32.u64 %r23, %rd10; .reg .v4 .u32 %v; mov.v4.u32 %v, %tid; mov.v4.u32 {%r24, _, %r25, %r26}, %ntid;
        mov.u32 %r27, %ctaid.w; add.u32 %r21, %r21, %r22; add.u32 %r21, %r21, %r23; add.u32 %r21, %r21, %r27;
        add.u32 %r21, %r21, %v.w; add.u32 %r21, %r21, %r26;
        st.global.v4.u32 [%rd7], {%r20, %r21, %v.x, %r24};";
    check(body, |_, _, i| [1024, 0, i % 32, 32]);
    let names = "%tid.x %ntid.y %laneid %warpid %nwarpid %ctaid.x %nctaid.z %smid %nsmid %clusterid.x
        %nclusterid.y %cluster_ctaid.z %cluster_nctaid.x %cluster_ctarank %cluster_nctarank %lanemask_eq
        %lanemask_le %lanemask_lt %lanemask_ge %lanemask_gt %clock %clock_hi %pm0 %pm1 %pm2 %pm4 %pm5 %pm6 %pm7
        %envreg0 %envreg31 %globaltimer_lo %globaltimer_hi %reserved_smem_offset_begin %reserved_smem_offset_end
        %reserved_smem_offset_cap %reserved_smem_offset_0 %reserved_smem_offset_1 %total_smem_size
        %aggr_smem_size %dynamic_smem_size";
    for name in names.split_whitespace() {
        words(&format!("mov.u32 %r20, {name}; st.global.u32 [%rd7], %r1;"), 1);
    }
    for read in ["sub.u32 %r20, %clock, %clock_hi;", "cvt.u32.u64 %r20, %globaltimer;"] {
        words(&format!("{read} st.global.u32 [%rd7], %r1;"), 1);
    }
    for name in ["%gridid", "%clock64", "%globaltimer", "%current_graph_exec", "%pm0_64"] {
        words(&format!("mov.u64 %rd20, {name}; st.global.u32 [%rd7], %r1;"), 1);
    }
    for name in ["%pm8", "%pm", "%pm3_65", "%tid.v", "%laneid.w", "%envreg32"] {
        let text = kernel(&format!("{START} mov.u32 %r20, {name}; ret;"));
        assert!(load(&device(false), &text).is_err(), "{name}");
    }
}

#[test]
fn a_bulk_store_clears_shared_memory() {
    let body = ".shared .align 8 .b8 sm[1024];
        mov.u32 %r20, sm; shl.b32 %r21, %r3, 5; add.u32 %r20, %r20, %r21;
        st.shared.v4.b32 [%r20], {%r10, %r10, %r11, %r11}; st.shared.v4.b32 [%r20+16], {%r10, %r10, %r11, %r11};
        and.b32 %r22, %r3, 3; mul.wide.u32 %rd10, %r22, 8; st.bulk.weak.shared::cta [%r20], %rd10, 0;
        ld.shared.v4.b32 {%r23, %r24, %r25, %r26}, [%r20]; ld.shared.b32 %r27, [%r20+16]; ld.shared.b32 %r28, [%r20+24];
        st.global.v4.b32 [%rd7], {%r23, %r25, %r27, %r28};";
    check(body, |a, b, i| {
        let cleared = (i % 32) & 3;
        let keep = |at: u32, value: u32| if at < cleared { 0 } else { value };
        [keep(0, a), keep(1, b), keep(2, a), b]
    });
    let odd = kernel(&format!(
        "{START} .shared .align 8 .b8 s[64]; st.bulk.weak.shared::cta [s], 12, 0; ret;"
    ));
    let fault = run(&odd, false, [1, 1, 1], [32, 1, 1], &[0], 1).err().expect("a fault");
    assert_eq!(
        (fault.kind, fault.instruction.as_str()),
        (FaultKind::Trap, "st.bulk.weak.shared::cta")
    );
}

#[test]
fn canceling_a_launch_answers_that_no_cluster_was_canceled() {
    let body = ".shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar; .reg .b128 %q;
        setp.ne.u32 %p1, %r3, 0; @%p1 bra WAIT; mbarrier.init.shared.b64 [bar], 1;
        st.shared.v2.b64 [answer], {-1, -1};
        mbarrier.arrive.expect_tx.shared.b64 %rd10, [bar], 16;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
        WAIT: bar.sync 0;
        AGAIN: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra AGAIN;
        ld.shared.b128 %q, [answer];
        clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q; selp.u32 %r20, 1, 0, %p3;
        clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r21, %q;
        clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r22, %r23, %r24, _}, %q;
        or.b32 %r21, %r21, %r22; or.b32 %r23, %r23, %r24; st.global.v2.u32 [%rd7], {%r20, %r21};";
    check(body, |_, _, _| [0, 0]);
}

#[test]
fn a_multicast_address_of_one_device_is_an_address() {
    let body = "multimem.st.relaxed.sys.global.u32 [%rd7], %r10;
        multimem.red.relaxed.gpu.global.add.u32 [%rd7], %r11;
        multimem.ld_reduce.relaxed.gpu.global.add.u32 %r20, [%rd7]; st.global.u32 [%rd7+4], %r20;";
    check(body, |a, b, _| [a.wrapping_add(b); 2]);
}

#[test]
fn a_bulk_copy_to_a_multicast_address_is_one_to_that_address() {
    // Each thread writes four words, computed from its own 16 bytes.
    let body = "
        .shared .align 16 .b8 tile[512]; mov.u32 %r20, tile; shl.b32 %r21, %r3, 4;
        add.u32 %r20, %r20, %r21; st.shared.v4.u32 [%r20], {%r10, %r11, %r11, %r10};
        fence.proxy.async;
        multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd7], [%r20], 16;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    check(body, |a, b, _| [a, b, b, a]);
}

#[test]
fn an_operation_that_does_not_exist_is_refused() {
    let text = kernel(&format!("{START} tcgen05.frobnicate; ret;"));
    let error = load(&device(false), &text).expect_err("unknown");
    assert!(error.message.contains("this operation"), "{error}");
}

#[test]
fn floats_of_4_and_6_bits_are_widened_and_narrowed() {
    // Each thread widens a bit pattern (its index modulo 32) to f16, and narrows it again.
    let body = "
        .reg .b8 %b0, %b1; and.b32 %r20, %r1, 15; shl.b32 %r21, %r20, 4; or.b32 %r20, %r20, %r21;
        cvt.u16.u32 %h1, %r20; cvt.u8.u16 %b0, %h1; cvt.rn.f16x2.e2m1x2 %r22, %b0;
        mov.b32 {%h2, %h3}, %r22; cvt.f32.f16 %f1, %h2; cvt.f32.f16 %f2, %h3;
        cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2; cvt.u32.u8 %r23, %b1;
        and.b32 %r24, %r1, 63; shl.b32 %r25, %r24, 8; or.b32 %r24, %r24, %r25; cvt.u16.u32 %h4, %r24;
        cvt.rn.f16x2.e2m3x2 %r26, %h4; cvt.rn.f16x2.e3m2x2 %r27, %h4;
        cvt.rn.satfinite.e3m2x2.f16x2 %h5, %r27; cvt.u32.u16 %r28, %h5;
        st.global.v2.b32 [%rd7], {%r22, %r23}; st.global.v2.b32 [%rd7+8], {%r26, %r28};";
    let four = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    check(body, |_, _, thread| {
        let (of_four, of_six) = (thread & 15, thread & 63);
        let half = |x: f32| u32::from(half::f16::from_f32(x).to_bits());
        let pair = |x: f32| half(x) << 16 | half(x);
        let sign = |bits: u32, at: u32| if bits >> at & 1 != 0 { -1.0 } else { 1.0 };
        let six = match of_six >> 3 & 3 {
            0 => (of_six & 7) as f32 / 8.0,
            e => (1.0 + (of_six & 7) as f32 / 8.0) * (1 << (e - 1)) as f32,
        };
        [
            pair(sign(of_four, 3) * four[of_four as usize & 7]),
            of_four << 4 | of_four,
            pair(sign(of_six, 5) * six),
            of_six << 8 | of_six,
        ]
    });
}
