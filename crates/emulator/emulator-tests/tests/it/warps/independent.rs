//! Lanes of one warp that wait for each other: at locks, at flags, and at instructions with masks.

use crate::common::{START, kernel, run};
use lanework_emulator::{Fault, FaultKind};

/// Returns the words that a body writes, run by blocks of 64 threads.
fn words(body: &str, grid: u32, count: usize) -> Result<Vec<u32>, Fault> {
    let text = kernel(&format!("{START}{body}"));
    let [fast, plain] = [false, true].map(|all_varying| {
        run(&text, all_varying, [grid, 1, 1], [64, 1, 1], &[0; 256], count).map(|run| run.words)
    });
    match (&fast, &plain) {
        (Ok(fast), Ok(plain)) => assert_eq!(fast, plain),
        (Err(fast), Err(plain)) => assert_eq!(fast.to_string(), plain.to_string()),
        _ => panic!("only one form faults"),
    }
    fast
}

#[test]
fn a_lock_that_each_lane_takes_in_turn() {
    // in[0] is a lock that guards in[1]; without it, some additions of thread indices would be lost.
    let body = "
        TRY: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra TRY;
        ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, %r1;
        st.volatile.global.u32 [%rd1+4], %r7; membar.gl; atom.global.exch.b32 %r8, [%rd1], 0;
        bar.sync 0; ld.volatile.global.u32 %r9, [%rd1+4];
        setp.eq.u32 %p2, %r3, 0; @%p2 st.global.u32 [%rd2], %r9;
        shfl.sync.idx.b32 %r10, %r3, 5, 31, -1; st.global.u32 [%rd5+4], %r10; ret;";
    let words = words(body, 2, 129).expect("every lane gets the lock");
    assert_eq!(words[0], (0..128).sum::<u32>());
    let fifth: Vec<u32> = (0..128).map(|i| i % 64 / 32 * 32 + 5).collect();
    assert_eq!(words[1..], fifth, "the warp is whole again");
}

#[test]
fn a_lock_released_inside_the_loop() {
    let body = "mov.u32 %r20, 0;
        TRY: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra NEXT;
        ld.volatile.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1;
        st.volatile.global.u32 [%rd1+4], %r7; mov.u32 %r20, 1; atom.global.exch.b32 %r8, [%rd1], 0;
        NEXT: setp.eq.u32 %p2, %r20, 0; @%p2 bra TRY;
        bar.sync 0; ld.volatile.global.u32 %r9, [%rd1+4]; st.global.u32 [%rd5], %r9; ret;";
    assert_eq!(words(body, 1, 64).expect("ends"), vec![64; 64]);
}

#[test]
fn lanes_that_spin_on_a_flag_of_their_own_warp() {
    // Lane 31 sets the flag for which the other lanes of its warp wait, whichever side of the branch
    // runs first.
    for guard in ["@%p1", "@!%p1"] {
        let (setter, waiter) = if guard == "@%p1" { ("SET", "WAIT") } else { ("WAIT", "SET") };
        let body = format!(
            "and.b32 %r6, %r3, 31; setp.eq.u32 %p1, %r6, 31; shr.u32 %r7, %r3, 5;
            mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd1, %rd6;
            {guard} bra {setter}; bra {waiter};
            SET: st.volatile.global.u32 [%rd6], 7; bra END;
            WAIT: ld.volatile.global.u32 %r8, [%rd6]; setp.eq.u32 %p2, %r8, 0; @%p2 bra WAIT;
            END: st.global.u32 [%rd5], %r3; ret;"
        );
        if guard == "@!%p1" {
            // The labels are swapped, too, so lane 31 still sets the flag.
            assert!(body.contains("@!%p1 bra WAIT"));
        }
        assert_eq!(words(&body, 1, 64).expect("ends"), (0..64).collect::<Vec<u32>>());
    }
}

#[test]
fn both_sides_of_a_branch_synchronize_at_a_warp_barrier() {
    // Each half of the warp writes a word, synchronizes with the other half, and reads the other's word.
    let body = "
        .shared .b32 tile[64]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 2; add.u32 %r6, %r6, %r7;
        xor.b32 %r8, %r7, 64; mov.u32 %r9, tile; add.u32 %r9, %r9, %r8; and.b32 %r10, %r3, 16;
        setp.ne.u32 %p1, %r10, 0; @%p1 bra UPPER;
        add.u32 %r11, %r3, 100; st.shared.u32 [%r6], %r11; bar.warp.sync -1;
        ld.shared.u32 %r12, [%r9]; bra END;
        UPPER: add.u32 %r11, %r3, 200; st.shared.u32 [%r6], %r11; bar.warp.sync -1;
        ld.shared.u32 %r12, [%r9];
        END: st.global.u32 [%rd5], %r12; ret;";
    let expected: Vec<u32> =
        (0..64u32).map(|i| (i ^ 16) + if i & 16 == 0 { 200 } else { 100 }).collect();
    assert_eq!(words(body, 1, 64).expect("ends"), expected);
}

#[test]
fn a_shuffle_waits_for_the_lanes_it_names() {
    // Each lane's trip count is its index; the shuffle in the last iteration names all lanes.
    let body = "
        and.b32 %r6, %r3, 31; mov.u32 %r7, 0;
        LOOP: setp.lt.u32 %p1, %r7, %r6; @!%p1 bra GATHER; add.u32 %r7, %r7, 1; bra LOOP;
        GATHER: shfl.sync.bfly.b32 %r8, %r7, 1, 31, -1; st.global.u32 [%rd5], %r8; ret;";
    let expected: Vec<u32> = (0..64).map(|i| (i % 32) ^ 1).collect();
    assert_eq!(words(body, 1, 64).expect("ends"), expected);
    // The warp does not wait for a lane that has exited.
    let body = "
        setp.eq.u32 %p1, %r3, 3; @%p1 ret; mov.u32 %r20, 1;
        setp.lt.u32 %p2, %r3, 8; @!%p2 bra OVER; bar.warp.sync 0xff; mov.u32 %r20, 2;
        OVER: st.global.u32 [%rd5], %r20; ret;";
    let got = words(body, 1, 64).expect("ends");
    assert_eq!((got[2], got[8], got[40]), (2, 1, 1));
}

#[test]
fn lanes_that_wait_for_each_other_at_different_places_are_reported() {
    let body = "
        and.b32 %r6, %r3, 16; setp.ne.u32 %p1, %r6, 0; @%p1 bra UPPER;
        bar.warp.sync -1; bra END; UPPER: bar.sync 0; END: ret;";
    let fault = words(body, 1, 1).expect_err("no lane can continue");
    assert_eq!(fault.kind, FaultKind::BarrierDivergence, "{fault}");
}

/// Code in which the two halves of each warp take different paths.
fn halves(lower: &str, upper: &str, after: &str) -> String {
    format!(
        ".shared .b32 tile[64]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 2; add.u32 %r6, %r6, %r7;
        and.b32 %r10, %r3, 16; setp.ne.u32 %p1, %r10, 0; st.shared.u32 [%r6], %r3; @%p1 bra UPPER;
        {lower} bra END; UPPER: {upper} END: {after} ret;"
    )
}

#[test]
fn lanes_of_a_warp_may_wait_for_the_block_at_two_barriers_that_are_not_aligned() {
    // Each half then reads the words that the other warp wrote before.
    let read = "xor.b32 %r8, %r7, 128; mov.u32 %r9, tile; add.u32 %r9, %r9, %r8; ld.shared.u32 %r12, [%r9];";
    let [lower, upper] =
        [100, 200].map(|more| format!("barrier.sync 0; {read} add.u32 %r12, %r12, {more};"));
    let body = halves(&lower, &upper, "st.global.u32 [%rd5], %r12;");
    let expected: Vec<u32> =
        (0..64u32).map(|i| (i ^ 32) + if i & 16 == 0 { 100 } else { 200 }).collect();
    assert_eq!(words(&body, 1, 64).expect("ends"), expected);
    // With a thread count; the warp reconverges at the next barrier.
    let body = body.replace("barrier.sync 0;", "barrier.cta.sync 3, 64;");
    let body = body.replace("END:", "END: bar.sync 0;");
    assert_eq!(words(&body, 1, 64).expect("ends"), expected);
}

#[test]
fn lanes_of_a_warp_may_combine_predicates_at_two_barriers_that_are_not_aligned() {
    let count = "setp.lt.u32 %p2, %r3, 20; barrier.red.popc.u32 %r12, 0, %p2;";
    let other =
        "setp.ge.u32 %p2, %r3, 20; barrier.red.popc.u32 %r12, 0, !%p2; add.u32 %r12, %r12, 1000;";
    let body = halves(count, other, "st.global.u32 [%rd5], %r12;");
    let expected: Vec<u32> = (0..64u32).map(|i| 20 + if i & 16 == 0 { 0 } else { 1000 }).collect();
    assert_eq!(words(&body, 1, 64).expect("ends"), expected);
    let any =
        "setp.eq.u32 %p2, %r3, 50; barrier.red.or.pred %p3, 0, %p2; selp.u32 %r12, 7, 8, %p3;";
    let body = halves(any, any, "st.global.u32 [%rd5], %r12;");
    assert_eq!(words(&body, 1, 64).expect("ends"), vec![7; 64]);
}

#[test]
fn lanes_that_only_arrive_at_a_barrier_do_not_wait() {
    // The first warp arrives in two halves, and the second warp waits for it.
    let apart = halves("barrier.arrive 1, 64;", "barrier.arrive 1, 64;", "bra OUT;");
    let body = format!(
        "setp.ge.u32 %p4, %r3, 32; @%p4 bra SECOND; {} SECOND: barrier.sync 1, 64;
        OUT: st.global.u32 [%rd5], %r3; ret;",
        apart.trim_end_matches("ret;")
    );
    assert_eq!(words(&body, 1, 64).expect("ends"), (0..64).collect::<Vec<u32>>());
}

#[test]
fn lanes_of_a_warp_at_barriers_that_cannot_be_one_are_reported() {
    for (lower, upper) in [
        ("barrier.sync 0;", "barrier.sync 1;"),
        ("barrier.sync 1, 32;", "barrier.sync 1, 64;"),
        ("barrier.sync 0;", "bar.sync 0;"),
        ("bar.sync 0;", "bar.sync 0;"),
        ("barrier.sync.aligned 0;", "barrier.sync.aligned 0;"),
        ("barrier.sync 0;", "bar.warp.sync -1;"),
    ] {
        let fault = words(&halves(lower, upper, ""), 1, 1).expect_err("no lane can continue");
        assert_eq!(fault.kind, FaultKind::BarrierDivergence, "{lower} {upper}: {fault}");
    }
}

/// Code after which the lanes of a warp are still diverged: they passed the block's barrier at three instructions.
const APART: &str = "
    and.b32 %r6, %r3, 16; setp.ne.u32 %p1, %r6, 0; @%p1 bra C;
    and.b32 %r6, %r3, 8; setp.ne.u32 %p1, %r6, 0; @%p1 bra B;
    barrier.sync 1; bra D; B: barrier.sync 1; bra D; C: barrier.sync 1; D:";

#[test]
fn lanes_that_wait_for_some_others_are_not_there_for_those_who_wait_for_all() {
    // Lanes of the half that names only itself may arrive one by one, while the other half waits for the whole warp later.
    let body = format!(
        ".shared .b32 tile[64]; mov.u32 %r8, tile; shl.b32 %r7, %r3, 2; add.u32 %r9, %r8, %r7; {APART}
        and.b32 %r6, %r3, 8; setp.ne.u32 %p1, %r6, 0; @%p1 bra UPPER;
        bar.warp.sync 0x00ff00ff; bra JOIN; UPPER: bar.warp.sync 0xff00ff00;
        JOIN: st.shared.u32 [%r9], %r3; bar.warp.sync -1;
        xor.b32 %r7, %r7, 32; add.u32 %r8, %r8, %r7; ld.shared.u32 %r12, [%r8];
        and.b32 %r6, %r3, 4; setp.ne.u32 %p1, %r6, 0; @%p1 bra OTHER;
        barrier.sync 0; bra END; OTHER: barrier.sync 0; END: st.global.u32 [%rd5], %r12; ret;"
    );
    let expected: Vec<u32> = (0..64).map(|i| i ^ 8).collect();
    assert_eq!(words(&body, 1, 64).expect("ends"), expected);
}

#[test]
fn a_shuffle_across_branches_returns_the_values_of_both() {
    let body = format!(
        "mov.u32 %r12, %r3; {APART} shfl.sync.bfly.b32 %r7, %r12, 8, 31, -1;
        add.u32 %r12, %r12, 1000; shfl.sync.bfly.b32 %r8, %r12, 16, 31, -1;
        add.u32 %r7, %r7, %r8; st.global.u32 [%rd5], %r7; ret;"
    );
    let expected: Vec<u32> = (0..64).map(|i| (i ^ 8) + (i ^ 16) + 1000).collect();
    assert_eq!(words(&body, 1, 64).expect("ends"), expected);
}

/// Computes a lane's result.
type OfLane = fn(u32) -> u32;

/// Warp-level instructions in both branches: the text, and the result of lane `i`, as measured on an H100 (2026-11-23).
/// In the lower half `%r5` is three times the lane's index plus 7; in the upper half it is one more.
fn exchanges() -> Vec<(&'static str, OfLane)> {
    fn brought(i: u32) -> u32 {
        3 * i + 7 + i / 16
    }
    let ballot = |_| (0..32).filter(|i| brought(*i) > 30).fold(0, |all, i| all | 1 << i);
    vec![
        ("shfl.sync.bfly.b32 %r12, %r5, 16, 31, -1;", |i| brought(i ^ 16)),
        ("shfl.sync.bfly.b32 %r12, %r5, 17, 31, %r14;", |i| brought(i ^ 17)),
        ("shfl.sync.idx.b32 %r12, %r5, %r13, 31, -1;", |i| brought(i * 7 % 32)),
        ("shfl.sync.up.b32 %r12, %r5, 3, 0, -1;", |i| brought(if i < 3 { i } else { i - 3 })),
        ("setp.gt.u32 %p2, %r5, 30; vote.sync.ballot.b32 %r12, %p2, -1;", ballot),
        (
            "setp.gt.u32 %p2, %r5, 90; vote.sync.any.pred %p3, %p2, -1; selp.u32 %r12, 1, 0, %p3;",
            |_| 1,
        ),
        (
            "setp.lt.u32 %p2, %r5, 90; vote.sync.all.pred %p3, %p2, -1; selp.u32 %r12, 1, 0, %p3;",
            |_| 0,
        ),
        ("and.b32 %r6, %r3, 3; match.any.sync.b32 %r12, %r6, -1;", |i| 0x1111_1111 << (i % 4)),
        ("redux.sync.add.s32 %r12, %r5, -1;", |_| (0..32).map(brought).sum()),
        ("redux.sync.max.u32 %r12, %r5, -1;", |_| brought(31)),
        ("elect.sync %r12|%p2, -1; selp.u32 %r6, 100, 0, %p2; add.u32 %r12, %r12, %r6;", |i| {
            if i == 0 { 100 } else { 0 }
        }),
    ]
}

const BROUGHT: &str = "mad.lo.u32 %r5, %r11, 3, 7; mul.lo.u32 %r13, %r11, 7; and.b32 %r13, %r13, 31; mov.b32 %r14, -1;";

#[test]
fn both_branches_of_a_warp_exchange_values() {
    for (text, expected) in exchanges() {
        let text = text.replace("%r3", "%r11");
        let lower = format!("and.b32 %r11, %r3, 31; {BROUGHT} {text}");
        let upper = format!("and.b32 %r11, %r3, 31; {BROUGHT} add.u32 %r5, %r5, 1; {text}");
        let body = halves(&lower, &upper, "st.global.u32 [%rd5], %r12;");
        let got = words(&body, 1, 64).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let expected: Vec<u32> = (0..64).map(|i| expected(i % 32)).collect();
        assert_eq!(got, expected, "{text}");
        // Four groups of lanes at four instructions, two of which wait for each other.
        let nested = format!(
            "and.b32 %r15, %r3, 1; setp.eq.u32 %p5, %r15, 1; mov.u32 %r14, 0; @%p5 bra O; mov.u32 %r14, 1; O: {lower}"
        );
        assert_eq!(
            words(&halves(&nested, &upper, "st.global.u32 [%rd5], %r12;"), 1, 64),
            Ok(expected)
        );
    }
}

#[test]
fn a_vote_may_be_negated_in_one_branch_only() {
    let [lower, upper] = ["%p2", "!%p2"]
        .map(|p| format!("setp.lt.u32 %p2, %r3, 8; vote.sync.ballot.b32 %r12, {p}, -1;"));
    let got = words(&halves(&lower, &upper, "st.global.u32 [%rd5], %r12;"), 1, 64).expect("ends");
    assert_eq!(got, [[0xffff_00ff; 32], [0xffff_0000; 32]].concat());
}

#[test]
fn lanes_at_instructions_with_other_qualifiers_wait_for_ever() {
    // An H100 hangs in each case.
    let shuffle = "shfl.sync.bfly.b32 %r12, %r3, 16, 31, -1;";
    let ballot = "vote.sync.ballot.b32 %r12, %p1, -1;";
    for (lower, upper) in [
        (shuffle, "shfl.sync.down.b32 %r12, %r3, 1, 31, -1;"),
        (shuffle, ballot),
        (shuffle, "bar.warp.sync -1;"),
        (ballot, "vote.sync.any.pred %p2, %p1, -1;"),
        ("redux.sync.add.s32 %r12, %r3, -1;", "redux.sync.max.s32 %r12, %r3, -1;"),
    ] {
        let fault = words(&halves(lower, upper, ""), 1, 1).expect_err("no lane can continue");
        assert_eq!(fault.kind, FaultKind::Deadlock, "{lower} {upper}: {fault}");
    }
}
