//! Instructions across lanes: shuffles, votes, atomics, barriers, calls, printing, special registers.

use crate::common::{START, device, kernel, load, run, upload};
use lanework_emulator::{
    Access, Emulator, LaunchConfig, NullObserver, Observer, Options, Place, Schedule,
};

/// Returns the words that a body writes, run by one block of 64 threads.
fn words(body: &str) -> Vec<u32> {
    let text = kernel(&format!("{START}{body} st.global.u32 [%rd5], %r20; ret;"));
    let input: Vec<u32> = (0..64).map(|i| i * i + 3).collect();
    let [fast, plain] = [false, true].map(|all_varying| {
        run(&text, all_varying, [1, 1, 1], [64, 1, 1], &input, 64)
            .unwrap_or_else(|f| panic!("{f}"))
            .words
    });
    assert_eq!(fast, plain);
    fast
}

fn each(expected: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..64).map(expected).collect()
}

#[test]
fn shuffles() {
    let down = words("shfl.sync.down.b32 %r20|%p1, %r1, 5, 31, -1;");
    assert_eq!(down, each(|i| if i % 32 + 5 < 32 { i + 5 } else { i }));
    let up = words("shfl.sync.up.b32 %r6|%p1, %r1, 1, 0, -1; selp.u32 %r20, %r6, 999, %p1;");
    assert_eq!(up, each(|i| if i % 32 == 0 { 999 } else { i - 1 }));
    let butterfly = words("shfl.sync.bfly.b32 %r20|%p1, %r1, 3, 31, -1;");
    assert_eq!(butterfly, each(|i| i ^ 3));
    let pick = words("shfl.sync.idx.b32 %r20|%p1, %r1, 2, 0x181f, -1;");
    assert_eq!(pick, each(|i| i / 8 * 8 + 2), "segments of eight lanes");
}

#[test]
fn indexed_branches() {
    // A thread's index modulo 4 selects its branch target; threads 0 to 7 do not branch, because of the guard.
    let body = "and.b32 %r6, %r3, 3; mov.u32 %r20, 9; setp.ge.u32 %p1, %r3, 8;
        TO: .branchtargets ONE, TWO, ONE, THREE;
        @%p1 brx.idx %r6, TO; mov.u32 %r20, 5; bra END;
        ONE: mov.u32 %r20, 1; bra END; TWO: add.u32 %r20, %r20, 2; THREE: add.u32 %r20, %r20, 3; END:";
    let expected = |i: u32| match i % 4 {
        _ if i < 8 => 5,
        0 | 2 => 1,
        1 => 14,
        _ => 12,
    };
    assert_eq!(words(body), each(expected));
    let text = kernel(&format!("{START} TO: .branchtargets A, B; brx.idx %r3, TO; A: B: ret;"));
    let fault = run(&text, false, [1, 1, 1], [3, 1, 1], &[], 1).map(|_| ()).expect_err("a trap");
    assert_eq!((fault.kind, fault.thread), (lanework_emulator::FaultKind::Trap, [2, 0, 0]));
}

#[test]
fn scattered_loads_do_not_change_inactive_lanes() {
    // Odd lanes read `in[tid * 7 & 63]`; even lanes have an address far out of bounds, and do not read.
    let body = "mul.lo.u32 %r6, %r3, 7; and.b32 %r6, %r6, 63; and.b32 %r7, %r3, 1;
        setp.eq.u32 %p1, %r7, 1; selp.b32 %r6, %r6, 0x7fffff01, %p1; mul.wide.u32 %rd6, %r6, 4;
        add.s64 %rd6, %rd6, %rd1; mov.u32 %r20, 5;
        @%p1 ld.global.u32 %r20, [%rd6]; @%p1 bra ODD; bra OVER;
        ODD: ld.global.u32 %r8, [%rd6]; add.u32 %r20, %r20, %r8; OVER:";
    let input = |i: u32| i * i + 3;
    assert_eq!(words(body), each(|i| if i % 2 == 1 { 2 * input(i * 7 % 64) } else { 5 }));
}

#[test]
fn affine_values_that_wrap_are_spread_over_the_lanes_first() {
    // `%r6` is affine but wraps in some lanes; xor needs its value in each lane, and the widening cannot
    // stay affine.
    let body = "add.u32 %r6, %r3, 0xfffffff0; ld.global.u32 %r7, [%rd4]; xor.b32 %r8, %r6, %r7;
        mul.wide.u32 %rd6, %r6, 3; cvt.u32.u64 %r9, %rd6; xor.b32 %r10, %r6, %r9;
        add.u32 %r20, %r8, %r10;";
    assert_eq!(
        words(body),
        each(|i| {
            let a = i.wrapping_add(0xffff_fff0);
            (a ^ (i * i + 3)).wrapping_add(a ^ a.wrapping_mul(3))
        })
    );
}

#[test]
fn votes_and_masks() {
    let odd = "and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 1;";
    assert_eq!(words(&format!("{odd} vote.sync.ballot.b32 %r20, %p1, -1;")), each(|_| 0xAAAA_AAAA));
    let any = format!(
        "{odd} vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1; selp.u32 %r6, 1, 0, %p2; selp.u32 %r7, 2, 0, %p3; add.u32 %r20, %r6, %r7;"
    );
    assert_eq!(words(&any), each(|_| 1));
    let active =
        format!("mov.u32 %r20, 0; {odd} @%p1 bra ODD; bra OVER; ODD: activemask.b32 %r20; OVER:");
    assert_eq!(words(&active), each(|i| if i % 2 == 1 { 0xAAAA_AAAA } else { 0 }));
    assert_eq!(
        words("shr.u32 %r6, %r3, 2; match.any.sync.b32 %r20, %r6, -1;"),
        each(|i| 15 << (i % 32 / 4 * 4))
    );
    assert_eq!(
        words("redux.sync.add.s32 %r20, %r1, -1;"),
        each(|i| if i < 32 { 496 } else { 1520 })
    );
    assert_eq!(words("mov.u32 %r20, %lanemask_lt;"), each(|i| (1 << (i % 32)) - 1));
    assert_eq!(
        words("mov.u32 %r6, %laneid; mov.u32 %r7, %warpid; mad.lo.u32 %r20, %r7, 100, %r6;"),
        each(|i| i / 32 * 100 + i % 32)
    );
}

#[test]
fn atomics_return_the_old_value() {
    let text = kernel(&format!(
        "{START} atom.global.add.u32 %r6, [%rd2+256], 2; atom.global.max.u32 %r7, [%rd2+260], %r1;
         red.global.or.b32 [%rd2+264], %r1; atom.global.cas.b32 %r8, [%rd2+268], 0xCDCDCDCD, %r1;
         atom.global.inc.u32 %r9, [%rd2+272], 9; st.global.u32 [%rd5], %r6; ret;"
    ));
    for all_varying in [false, true] {
        let got = run(&text, all_varying, [2, 1, 1], [32, 1, 1], &[0; 64], 70).expect("runs").words;
        let base = 0xCDCD_CDCDu32;
        for (i, old) in got[..64].iter().enumerate() {
            assert_eq!(*old, base + 2 * i as u32);
        }
        assert_eq!(got[64], base + 128);
        assert_eq!(got[65], base);
        assert_eq!(got[66], base | 63);
        assert_eq!(got[67], 0, "the first thread wins");
        assert_eq!(got[68], 3, "0xCDCDCDCD wraps to 0, then 63 steps of ten");
    }
}

#[test]
fn block_sums_through_shared_memory_and_barriers() {
    let tree = "
        .shared .align 4 .b8 part[256];
        mov.u32 %r6, part; shl.b32 %r7, %r3, 2; add.s32 %r8, %r6, %r7;
        ld.global.u32 %r9, [%rd4]; st.shared.u32 [%r8], %r9;
        mov.u32 %r10, 32;
        LOOP: bar.sync 0;
        setp.ge.u32 %p1, %r3, %r10; @%p1 bra NEXT;
        shl.b32 %r11, %r10, 2; add.s32 %r12, %r8, %r11;
        ld.shared.u32 %r13, [%r12]; ld.shared.u32 %r14, [%r8]; add.u32 %r14, %r14, %r13; st.shared.u32 [%r8], %r14;
        NEXT: shr.u32 %r10, %r10, 1; setp.ne.u32 %p2, %r10, 0; @%p2 bra LOOP;
        bar.sync 0; ld.shared.u32 %r20, [%r6];";
    let sum: u32 = (0..64).map(|i| i * i + 3).sum();
    assert_eq!(words(tree), each(|_| sum));
    let counted = "setp.lt.u32 %p1, %r3, 20; bar.red.popc.u32 %r20, 0, %p1;";
    assert_eq!(words(counted), each(|_| 20));
    let arrive = "
        .shared .align 4 .b8 box[4];
        setp.lt.u32 %p1, %r3, 32; mov.u32 %r20, 5; @%p1 bra PRODUCE; bar.sync 3, 64; ld.shared.u32 %r20, [box]; bra OVER;
        PRODUCE: mov.u32 %r6, 42; st.shared.u32 [box], %r6; bar.arrive 3, 64; OVER:";
    assert_eq!(words(arrive), each(|i| if i < 32 { 5 } else { 42 }));
}

#[test]
fn divergent_lanes_reconverge() {
    let nested = "
        mov.u32 %r20, 0; and.b32 %r6, %r3, 1; setp.eq.u32 %p1, %r6, 0; @%p1 bra EVEN;
        add.u32 %r20, %r20, 1; and.b32 %r7, %r3, 2; setp.eq.u32 %p2, %r7, 0; @%p2 bra JOIN; add.u32 %r20, %r20, 10; bra JOIN;
        EVEN: add.u32 %r20, %r20, 100;
        JOIN: activemask.b32 %r8; setp.eq.u32 %p3, %r8, -1; @%p3 add.u32 %r20, %r20, 1000;";
    let path = |i: u32| {
        if i & 1 == 0 {
            100
        } else if i & 2 == 0 {
            1
        } else {
            11
        }
    };
    assert_eq!(
        words(nested),
        each(|i| path(i) + 1000),
        "all lanes are together after the branches"
    );
    let early = "
        setp.gt.u32 %p1, %r3, 50; @%p1 bra GONE; bar.sync 0; activemask.b32 %r6; popc.b32 %r20, %r6; bra OVER;
        GONE: mov.u32 %r20, 7; st.global.u32 [%rd5], %r20; exit; OVER:";
    assert_eq!(
        words(early),
        each(|i| if i > 50 {
            7
        } else if i < 32 {
            32
        } else {
            19
        })
    );
    let trips = "
        mov.u32 %r20, 0; LOOP: add.u32 %r20, %r20, 3; setp.gt.u32 %p1, %r20, %r3; @%p1 bra OUT; bra LOOP;
        OUT: activemask.b32 %r6; setp.ne.u32 %p2, %r6, -1; @%p2 mov.u32 %r20, 0;";
    assert_eq!(words(trips), each(|i| (i / 3 + 1) * 3));
}

#[test]
fn calls_are_inlined_with_parameters_and_early_returns() {
    let text = kernel(&format!(
        "{START} {{ .param .b32 p; .param .b32 q; .param .b32 r; st.param.b32 [p], %r1; st.param.b32 [q], 10;
         call.uni (r), clamped, (p, q); ld.param.b32 %r20, [r]; }} st.global.u32 [%rd5], %r20; ret;"
    ))
    .replace(
        ".visible .entry",
        ".func (.param .b32 out) clamped(.param .b32 a, .param .b32 most) {
            .reg .b32 %r<9>; .reg .pred %p<2>;
            ld.param.u32 %r1, [a]; ld.param.u32 %r2, [most]; setp.lt.u32 %p1, %r1, %r2; @%p1 bra SMALL;
            st.param.b32 [out], %r2; ret; SMALL: mul.lo.u32 %r3, %r1, 2; st.param.b32 [out], %r3; ret; }
         .visible .entry",
    );
    for all_varying in [false, true] {
        let got = run(&text, all_varying, [1, 1, 1], [64, 1, 1], &[0; 64], 64).expect("runs").words;
        assert_eq!(got, each(|i| if i < 10 { 2 * i } else { 10 }));
    }
}

#[test]
fn printed_lines_follow_block_order_for_any_number_of_workers() {
    let text = kernel(&format!(
        "{START} .local .align 8 .b8 args[24];
         mov.u64 %rd10, args; cvta.local.u64 %rd11, %rd10; st.local.u32 [%rd10], %r4; st.local.u32 [%rd10+4], %r3;
         cvt.rn.f64.u32 %d1, %r1; st.local.f64 [%rd10+8], %d1;
         mov.u64 %rd12, words; cvta.global.u64 %rd13, %rd12;
         {{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %rd13; st.param.b64 [b], %rd11;
         call.uni (r), vprintf, (a, b); ld.param.b32 %r20, [r]; }} ret;"
    ))
    .replace(
        ".visible",
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
         .global .align 1 .b8 words[21] = {37, 117, 58, 32, 37, 48, 51, 100, 32, 37, 46, 50, 102, 32, 49, 48, 48, 37, 37, 10, 0};
         .visible",
    );
    let expected: String = (0..40)
        .flat_map(|b| {
            (0..2).map(move |t| format!("{b}: {t:03} {:.2} 100%\n", f64::from(2 * b + t)))
        })
        .collect();
    for workers in [1, 2] {
        let emulator = Emulator::new(Options { workers: Some(workers), ..Options::default() });
        let program = load(&emulator, &text).expect("loads");
        let launch = LaunchConfig::new("k", [40, 1, 1], [2, 1, 1]);
        let zero = 0u64.to_le_bytes();
        let outcome = emulator
            .launch(&program, &launch, &[&zero, &zero, &[0; 4]], &mut NullObserver)
            .expect("runs");
        assert_eq!(outcome.printed, expected);
        assert_eq!((outcome.blocks_run, outcome.blocks_total), (40, 40));
    }
}

#[test]
fn generic_addresses_reach_every_space() {
    let body = "
        .shared .align 4 .b8 tile[256]; .local .align 4 .b8 own[8];
        mov.u64 %rd10, tile; cvta.shared.u64 %rd11, %rd10; mul.wide.u32 %rd12, %r3, 4; add.s64 %rd13, %rd11, %rd12;
        st.u32 [%rd13], %r3; mov.u64 %rd14, own; cvta.local.u64 %rd15, %rd14; st.u32 [%rd15+4], %r1;
        bar.sync 0; xor.b32 %r6, %r3, 1; mul.wide.u32 %rd16, %r6, 4; add.s64 %rd17, %rd11, %rd16;
        ld.u32 %r7, [%rd17]; ld.local.u32 %r8, [%rd14+4]; ld.u32 %r9, [%rd4];
        isspacep.shared %p1, %rd17; selp.u32 %r10, 1000000, 0, %p1;
        mad.lo.u32 %r11, %r7, 100, %r8; add.u32 %r12, %r11, %r9; add.u32 %r20, %r12, %r10;";
    assert_eq!(words(body), each(|i| (i ^ 1) * 100 + i + i * i + 3 + 1_000_000));
}

#[test]
fn asynchronous_copies_and_vectors() {
    let body = "
        .shared .align 16 .b8 tile[1024]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 4; add.s32 %r8, %r6, %r7;
        and.b32 %r9, %r3, 15; mul.wide.u32 %rd10, %r9, 16; add.s64 %rd11, %rd1, %rd10;
        cp.async.cg.shared.global [%r8], [%rd11], 16; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
        ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r8]; add.u32 %r14, %r10, %r11; add.u32 %r15, %r12, %r13; add.u32 %r20, %r14, %r15;";
    let word = |i: u32| i * i + 3;
    assert_eq!(words(body), each(|i| (0..4).map(|k| word(i % 16 * 4 + k)).sum()));
}

#[test]
fn results_do_not_depend_on_workers_or_scheduling() {
    let text = kernel(&format!(
        "{START} ld.global.u32 %r6, [%rd4]; red.global.add.u32 [%rd2+4096], %r6; mul.lo.u32 %r7, %r6, 3; st.global.u32 [%rd5], %r7; ret;"
    ));
    let input: Vec<u32> = (0..1024).collect();
    let mut results = Vec::new();
    for (workers, schedule) in [
        (1, Schedule::InOrder),
        (2, Schedule::InOrder),
        (2, Schedule::Seeded(7)),
        (2, Schedule::Interleaved),
    ] {
        let emulator =
            Emulator::new(Options { workers: Some(workers), schedule, ..Options::default() });
        let program = load(&emulator, &text).expect("loads");
        let (source, out) = (upload(&emulator, "in", &input), upload(&emulator, "out", &[0; 1025]));
        let launch = LaunchConfig::new("k", [16, 1, 1], [64, 1, 1]);
        let arguments: [&[u8]; 3] = [&source.to_le_bytes(), &out.to_le_bytes(), &[0; 4]];
        emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
        results.push(crate::common::download(&emulator, out, 1025));
    }
    assert_eq!(results[0][1024], (0..1024).sum::<u32>());
    assert!(results.iter().all(|r| *r == results[0]));
}

#[test]
fn a_sample_of_blocks_is_spread_over_the_grid() {
    let text = kernel(&format!("{START} st.global.u32 [%rd5], %r1; ret;"));
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let out = upload(&emulator, "out", &[u32::MAX; 3200]);
    let mut launch = LaunchConfig::new("k", [100, 1, 1], [32, 1, 1]);
    launch.blocks = lanework_emulator::Blocks::Sample { count: 4 };
    let arguments: [&[u8]; 3] = [&[0; 8], &out.to_le_bytes(), &[0; 4]];
    let outcome = emulator.launch(&program, &launch, &arguments, &mut NullObserver).expect("runs");
    assert_eq!((outcome.blocks_run, outcome.blocks_total), (4, 100));
    let ran: Vec<usize> = crate::common::download(&emulator, out, 3200)
        .chunks(32)
        .enumerate()
        .filter(|(_, c)| c[0] != u32::MAX)
        .map(|(i, _)| i)
        .collect();
    assert_eq!(ran, [0, 25, 50, 75]);
}

/// Records events.
#[derive(Default)]
struct Watcher {
    instructions: u64,
    lanes: u64,
    accesses: Vec<(u32, u64)>,
    barriers: u64,
}

impl Observer for Watcher {
    fn fork(&self) -> Self {
        Watcher::default()
    }
    fn merge(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.accesses.extend(other.accesses);
        self.barriers += other.barriers;
    }
    fn instruction(&mut self, _: Place, mask: u32) {
        self.instructions += 1;
        self.lanes += u64::from(mask.count_ones());
    }
    fn access(&mut self, access: &Access<'_>) {
        self.accesses.push((access.place.instruction, access.addresses[3]));
    }
    fn barrier(&mut self, _: Place, _: u32) {
        self.barriers += 1;
    }
}

#[test]
fn observers_see_every_instruction_access_and_barrier() {
    let text = kernel(&format!(
        "{START} ld.global.u32 %r6, [%rd4]; setp.lt.u32 %p1, %r3, 9; @%p1 bra LOW; add.u32 %r6, %r6, 1; LOW: bar.sync 0; st.global.u32 [%rd5], %r6; ret;"
    ));
    let emulator = device(false);
    let program = load(&emulator, &text).expect("loads");
    let (source, out) = (upload(&emulator, "in", &[1; 64]), upload(&emulator, "out", &[0; 64]));
    let launch = LaunchConfig::new("k", [1, 1, 1], [64, 1, 1]);
    let arguments: [&[u8]; 3] = [&source.to_le_bytes(), &out.to_le_bytes(), &[0; 4]];
    let mut watcher = Watcher::default();
    let outcome = emulator.launch(&program, &launch, &arguments, &mut watcher).expect("runs");
    assert_eq!(watcher.instructions, outcome.warp_instructions);
    assert_eq!(watcher.lanes, outcome.lane_instructions);
    assert_eq!(watcher.barriers, 2);
    // Two warps each read three parameters, load and store.
    assert_eq!(watcher.accesses.len(), 10);
    let (instruction, address) = watcher.accesses[3];
    assert_eq!(address, source + 12);
    assert_eq!(program.instruction_name("k", instruction), Some("ld.global.u32"));
}

#[test]
fn lanes_that_name_other_members_have_other_results() {
    // Groups of eight lanes, each with its own mask, execute every instruction together.
    let body = ".reg .b32 %r<20>; .reg .b64 %rd<4>; .reg .pred %p<6>;
        mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 24; mov.u32 %r3, 255; shl.b32 %r4, %r3, %r2;
        and.b32 %r5, %r1, 1; setp.ne.u32 %p1, %r5, 0; setp.lt.u32 %p2, %r1, 20;
        vote.sync.ballot.b32 %r6, %p2, %r4;
        vote.sync.all.pred %p3, %p2, %r4; selp.u32 %r7, 1, 0, %p3;
        match.any.sync.b32 %r8, %r5, %r4;
        redux.sync.add.u32 %r9, %r1, %r4;
        elect.sync %r10|%p4, %r4; selp.u32 %r11, 100, 0, %p4; add.u32 %r11, %r11, %r10;
        vote.sync.ballot.b32 %r12, %p1, 15;
        ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 24; add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r6; st.global.u32 [%rd3+4], %r7; st.global.u32 [%rd3+8], %r8;
        st.global.u32 [%rd3+12], %r9; st.global.u32 [%rd3+16], %r11; st.global.u32 [%rd3+20], %r12; ret;";
    for all_varying in [false, true] {
        let text = kernel(body).replace("sm_80", "sm_90");
        let run = run(&text, all_varying, [1, 1, 1], [32, 1, 1], &[0], 32 * 6).expect("runs");
        for (lane, words) in (0u32..).zip(run.words.chunks(6)) {
            let (first, members) = (lane & 24, 255 << (lane & 24));
            let alike = if lane & 1 == 1 { 0xaaaa_aaaau32 } else { 0x5555_5555 };
            assert_eq!(words[0], 0xf_ffff & members, "ballot of lane {lane}");
            assert_eq!(words[1], u32::from(lane < 16), "all of lane {lane}");
            assert_eq!(words[2], alike & members, "match of lane {lane}");
            assert_eq!(words[3], 8 * first + 28, "sum of lane {lane}");
            let elected = if lane == first { 100 } else { 0 };
            assert_eq!(words[4], elected + first, "elected of lane {lane}");
            assert_eq!(words[5], 0b1010, "known members, lane {lane}");
        }
    }
}
