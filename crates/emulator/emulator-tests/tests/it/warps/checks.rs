//! Findings about warp-level instructions whose mask names lanes that do not execute them.

use crate::common::{START, kernel, load, upload};
use lanework_emulator::sanitize::{Checks, Report, ReportKind};
use lanework_emulator::{Emulator, LaunchConfig, Options};

/// Returns the findings of a body, run by blocks of 64 threads.
fn findings(body: &str, grid: u32) -> Vec<Report> {
    let text = kernel(&format!("{START}{body}")).replace("sm_80", "sm_90");
    let found = [false, true].map(|all_varying| {
        let options =
            Options { all_varying, checks: Some(Checks::default()), ..Options::default() };
        let emulator = Emulator::new(options);
        let program = load(&emulator, &text).unwrap_or_else(|why| panic!("loads: {why}"));
        let [input, out] = ["in", "out"].map(|name| upload(&emulator, name, &[0; 256]));
        let launch = LaunchConfig::new("k", [grid, 1, 1], [64, 1, 1]);
        let arguments: [&[u8]; 3] =
            [&input.to_le_bytes(), &out.to_le_bytes(), &256u32.to_le_bytes()];
        emulator.check(&program, &launch, &arguments).expect("is launched").reports
    });
    assert_eq!(found[0], found[1]);
    found.into_iter().next().expect("two")
}

fn kinds(body: &str, grid: u32) -> Vec<ReportKind> {
    findings(body, grid).iter().map(|report| report.kind).collect()
}

/// Code in which the two halves of each warp take different paths.
fn halves(lower: &str, upper: &str, after: &str) -> String {
    format!(
        ".shared .b32 tile[64]; mov.u32 %r6, tile; shl.b32 %r7, %r3, 2; add.u32 %r8, %r6, %r7; xor.b32 %r7, %r7, 64;
        add.u32 %r9, %r6, %r7; and.b32 %r10, %r3, 16; setp.ne.u32 %p1, %r10, 0; @%p1 bra UPPER;
        {lower} bra END; UPPER: {upper} END: {after} ret;"
    )
}

#[test]
fn lanes_in_two_branches_that_exchange_values_are_right() {
    for text in [
        "shfl.sync.bfly.b32 %r12, %r3, 16, 31, -1;",
        "vote.sync.ballot.b32 %r12, %p1, -1;",
        "match.any.sync.b32 %r12, %r3, -1;",
        "redux.sync.add.u32 %r12, %r3, -1;",
        "bar.warp.sync -1;",
    ] {
        assert_eq!(kinds(&halves(text, text, ""), 1), [], "{text}");
    }
}

#[test]
fn lanes_at_instructions_of_two_kinds_wait_for_ever() {
    let body = halves(
        "shfl.sync.bfly.b32 %r12, %r3, 16, 31, -1;",
        "vote.sync.ballot.b32 %r12, %p1, -1;",
        "",
    );
    assert_eq!(kinds(&body, 1), [ReportKind::Deadlock]);
    // Found by random kernels: the upper half continues with a different instruction.
    let body = halves("bar.warp.sync -1;", "", "shfl.sync.bfly.b32 %r12, %r3, 16, 31, -1;");
    assert_eq!(kinds(&body, 1), [ReportKind::Deadlock]);
}

#[test]
fn lanes_missing_at_a_warp_barrier_are_reported() {
    let body = halves("bar.warp.sync -1;", "", "st.global.u32 [%rd5], %r3;");
    assert_eq!(kinds(&body, 1), [ReportKind::InactiveLane]);
    // Lanes that have exited do not matter.
    let body = "setp.ge.u32 %p1, %r3, 40; @%p1 ret; bar.warp.sync -1; ret;";
    assert_eq!(kinds(body, 1), []);
}

#[test]
fn accesses_after_a_warp_barrier_are_not_ordered_by_it() {
    let write = "st.shared.u32 [%r8], %r3; bar.warp.sync -1;";
    let read = "ld.shared.u32 %r12, [%r9];";
    let both = format!("{write} {read}");
    assert_eq!(kinds(&halves(&both, &both, ""), 1), []);
    let late = format!("{write} st.shared.u32 [%r8], 7;");
    for (lower, upper) in [(&late, &both), (&both, &late)] {
        assert_eq!(kinds(&halves(lower, upper, ""), 1), [ReportKind::Race], "{lower} {upper}");
    }
}

#[test]
fn a_lock_may_be_left_by_a_volatile_write() {
    // Found by random kernels: the report depended on whether another thread found the lock taken.
    let body = "setp.ne.u32 %p1, %r3, 0; @%p1 ret;
        mov.u32 %r20, 0;
        AGAIN: atom.global.cas.b32 %r6, [%rd1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra AGAIN;
        fence.acq_rel.gpu; ld.global.u32 %r7, [%rd1+4]; add.u32 %r7, %r7, 1; st.global.u32 [%rd1+4], %r7;
        membar.gl; st.volatile.global.u32 [%rd1], 0;
        add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 3; @%p1 bra AGAIN; ret;";
    assert_eq!(kinds(body, 3), []);
    let left = body.replace("membar.gl;", "");
    assert_eq!(kinds(&left, 3), [ReportKind::Race]);
    let entered = body.replace("fence.acq_rel.gpu;", "");
    assert_eq!(kinds(&entered, 3), [ReportKind::Race]);
}

#[test]
fn lanes_that_met_in_two_branches_execute_together_what_needs_the_whole_warp() {
    let ballot = "vote.sync.ballot.b32 %r12, %p1, -1;";
    for after in [
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "mov.u32 %r6, tile; st.shared.u32 [%r8], %r3; bar.sync 0;
         ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r12}, [%r6];",
    ] {
        assert_eq!(kinds(&halves(ballot, ballot, after), 2), [], "{after}");
    }
}

#[test]
fn an_endless_mbarrier_wait_is_found_among_other_blocks() {
    // Found by random kernels: if blocks may wait for each other, each block restarted its count of idle passes in each
    // time slice.
    let body = ".shared .align 8 .b64 bar; mov.u32 %r6, bar; setp.eq.u32 %p1, %r3, 0;
        @%p1 mbarrier.init.shared.b64 [%r6], 65; bar.sync 0;
        atom.global.add.u32 %r7, [%rd1], 1; mbarrier.arrive.shared.b64 %rd6, [%r6];
        WAIT: mbarrier.test_wait.shared.b64 %p2, [%r6], %rd6; @!%p2 bra WAIT; ret;";
    for grid in [1, 2, 3] {
        assert_eq!(kinds(body, grid), [ReportKind::Deadlock], "{grid} blocks");
    }
}

/// Code that initializes `%r7` in lane 0 of each warp only.
const LEADERS: &str =
    "and.b32 %r6, %r3, 31; setp.ne.u32 %p1, %r6, 0; @%p1 bra HAS; mov.u32 %r7, 5; HAS:";

#[test]
fn a_shuffle_returns_the_source_lanes_value() {
    for (shuffle, kinds_of) in [
        ("shfl.sync.idx.b32 %r8, %r7, 0, 31, -1;", vec![]),
        ("shfl.sync.idx.b32 %r7, %r7, 0, 31, -1; mov.u32 %r8, %r7;", vec![]),
        ("shfl.sync.idx.b32 %r8, %r7, 1, 31, -1;", vec![ReportKind::Uninitialized]),
        ("shfl.sync.up.b32 %r8, %r7, 1, 0, -1;", vec![ReportKind::Uninitialized]),
        // The predicate only says whether the source lane is in range, so it does not depend on uninitialized values.
        ("shfl.sync.up.b32 %r8|%p2, %r7, 1, 0, -1; @%p2 bra ON; ON: mov.u32 %r8, 1;", vec![]),
    ] {
        let body = format!("{LEADERS} {shuffle} st.global.u32 [%rd5], %r8; ret;");
        assert_eq!(kinds(&body, 2), kinds_of, "{shuffle}");
    }
}

#[test]
fn selp_may_ignore_an_uninitialized_operand() {
    for (choice, kinds_of) in [
        ("selp.b32 %r8, %r7, %r3, %p1;", vec![]),
        ("selp.b32 %r8, %r3, %r7, %p1;", vec![]),
        ("selp.b32 %r8, %r7, %r20, %p1;", vec![ReportKind::Uninitialized]),
        ("setp.gt.u32 %p2, %r7, 9; selp.b32 %r8, 1, 2, %p2;", vec![ReportKind::Uninitialized]),
        ("setp.gt.and.u32 %p2, %r7, 9, !%p1; selp.b32 %r8, 1, 2, %p2;", vec![]),
        ("setp.gt.u32 %p2, %r7, 9; or.pred %p2, %p1, %p2; selp.b32 %r8, 1, 2, %p2;", vec![]),
        ("add.u32 %r8, %r7, %r3;", vec![ReportKind::Uninitialized]),
    ] {
        let body = format!("{LEADERS} {choice} st.global.u32 [%rd5], %r8; ret;");
        assert_eq!(kinds(&body, 2), kinds_of, "{choice}");
    }
}

#[test]
fn an_exchange_may_be_the_first_write_unless_its_old_value_is_looked_at() {
    for (code, kinds_of) in [
        ("atom.shared.exch.b32 %r7, [%r6], 0; bar.sync 0; ld.shared.u32 %r8, [%r6];", vec![]),
        ("atom.shared.exch.b32 %r8, [%r6], 0;", vec![ReportKind::Uninitialized]),
        ("atom.shared.add.u32 %r7, [%r6], 1; mov.u32 %r8, 0;", vec![ReportKind::Uninitialized]),
    ] {
        let body =
            format!(".shared .b32 word; mov.u32 %r6, word; {code} st.global.u32 [%rd5], %r8; ret;");
        assert_eq!(kinds(&body, 1), kinds_of, "{code}");
    }
}

#[test]
fn findings_do_not_depend_on_which_branch_reaches_its_barrier_first() {
    let (barrier, other) = ("bar.sync 0; st.shared.u32 [%r8], %r3;", "st.shared.u32 [%r8], 7;");
    // The other lanes exit, so a barrier does not wait for them.
    for (lower, upper) in [(barrier, other), (other, barrier)] {
        assert_eq!(kinds(&halves(lower, upper, ""), 1), [], "{lower} | {upper}");
        let after = "st.global.u32 [%rd5], %r3;";
        let found = kinds(&halves(lower, upper, after), 1);
        assert_eq!(found, [ReportKind::BarrierDivergence], "{lower} | {upper}");
        let both = halves(barrier, &format!("{other} bar.sync 0;"), "");
        assert_eq!(kinds(&both, 1), [ReportKind::BarrierDivergence]);
    }
}
