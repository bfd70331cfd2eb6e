//! Each misuse has its own report: hangs, wrong counts, out-of-bounds accesses.

use crate::common::{download, load, upload};
use crate::hopper::{emulators, pointer, run};
use lanework_emulator::sanitize::{Checks, ReportKind};
use lanework_emulator::{Emulator, Fault, FaultKind, LaunchConfig, Options};

/// Returns a kernel `k(.u64 out)` with an mbarrier and a buffer in shared memory.
pub fn text(directives: &str, body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out) {directives}\n{{\n\
         .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n\
         .shared .align 8 .b64 bar[2]; .shared .align 128 .b8 buffer[512];\n\
         ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, buffer;\n\
         mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; setp.eq.u32 %p1, %r1, 0;\n\
         {body}\nret;\n}}\n"
    )
}

/// Runs a kernel of 64 threads per block on all emulators, which must agree. Returns the 128 words that it
/// writes, or its fault; if it succeeds, checks must find nothing.
fn outcome(text: &str, blocks: u32, cluster: Option<u32>) -> Result<Vec<u32>, Fault> {
    let words = result(text, blocks, cluster)?;
    assert_eq!(judged(text, blocks, cluster), []);
    Ok(words)
}

/// Returns the kinds of errors that checks find.
fn judged(text: &str, blocks: u32, cluster: Option<u32>) -> Vec<ReportKind> {
    let checks = Some(Checks::default());
    let emulator = Emulator::new(Options { checks, ..Options::default() });
    let program = load(&emulator, text).unwrap_or_else(|e| panic!("loads: {e}"));
    let out = upload(&emulator, "out", &(0..128).collect::<Vec<_>>());
    let launch = LaunchConfig {
        cluster: cluster.map(|x| [x, 1, 1]),
        ..LaunchConfig::new("k", [blocks, 1, 1], [64, 1, 1])
    };
    let checked = emulator.check(&program, &launch, &[&out.to_le_bytes()]).expect("starts");
    checked.reports.iter().map(|report| report.kind).collect()
}

/// Returns only the words or the fault.
fn result(text: &str, blocks: u32, cluster: Option<u32>) -> Result<Vec<u32>, Fault> {
    let mut all = Vec::new();
    for emulator in emulators() {
        let program = load(&emulator, text).unwrap_or_else(|e| panic!("loads: {e}"));
        let out = upload(&emulator, "out", &(0..128).collect::<Vec<_>>());
        let launch = LaunchConfig {
            cluster: cluster.map(|x| [x, 1, 1]),
            ..LaunchConfig::new("k", [blocks, 1, 1], [64, 1, 1])
        };
        let done = run(&emulator, &program, &launch, &[pointer(out)]);
        all.push(done.map(|_| download(&emulator, out, 128)));
    }
    assert_eq!(all[0], all[1], "both engines do the same");
    let kinds: Vec<_> = all.iter().map(|done| done.as_ref().map_err(|f| f.kind).err()).collect();
    assert!(kinds.iter().all(|kind| *kind == kinds[0]), "{kinds:?}");
    all.swap_remove(0)
}

fn fault(body: &str) -> Fault {
    outcome(&text("", body), 1, None).expect_err("faults")
}

const INIT: &str = "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1; bar.sync 0;";
const WAIT: &str =
    "again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra again;";

#[test]
fn unannounced_bytes_deadlock_the_wait() {
    let f = fault(&format!(
        "{INIT} @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r2];
         {WAIT}"
    ));
    assert_eq!(f.kind, FaultKind::Deadlock);
    assert!(f.message.contains("mbarrier at offset 0 of shared memory"), "{f}");
    assert!(f.message.contains("parity 0, 1 of 1 arrivals pending, -256 bytes"), "{f}");
    assert!(f.instruction.starts_with("mbarrier.try_wait"), "{f}");
    let f = fault(&format!(
        "{INIT} @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256; {WAIT}"
    ));
    assert!(f.message.contains("0 of 1 arrivals pending, 256 bytes outstanding"), "{f}");
    // `test_wait` in a loop hangs, too, as does a cluster barrier that one thread skips.
    let f = fault(&format!(
        "{INIT} again: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra again;"
    ));
    assert_eq!(f.kind, FaultKind::Deadlock);
    let skip = "setp.lt.u32 %p3, %r1, 32; @%p3 bra over; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
        over: bar.sync 1;";
    let f = outcome(&text("", skip), 2, Some(2)).expect_err("one warp waits elsewhere");
    assert_eq!(f.kind, FaultKind::Deadlock);
    assert!(f.message.contains("the cluster's barrier"), "{f}");
}

/// A GPU runs these although the manual leaves them undefined; NVIDIA's own tests rely on it.
#[test]
fn undefined_uses_run_as_on_a_gpu() {
    // The last warp to arrive initializes the mbarrier again, while the other warp still waits for the phase.
    let again = "@%p1 mbarrier.init.shared::cta.b64 [%r2], 64; bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd4, [%r2];
        one: mbarrier.try_wait.shared::cta.b64 %p2, [%r2], %rd4; @!%p2 bra one;
        setp.eq.u32 %p3, %r1, 32; @%p3 mbarrier.init.shared::cta.b64 [%r2], 64; bar.sync 0;
        mbarrier.arrive.shared::cta.b64 %rd4, [%r2];
        two: mbarrier.try_wait.shared::cta.b64 %p2, [%r2], %rd4; @!%p2 bra two;
        st.global.u32 [%rd3], 5;";
    let words = result(&text("", again), 1, None).expect("the first warp sees the phase's end");
    assert_eq!(words[..64], [5; 64]);
    assert!(!judged(&text("", again), 1, None).is_empty());
    // An mbarrier that does not exist is invalidated.
    let twice = format!(
        "{INIT} @%p1 mbarrier.inval.shared::cta.b64 [%r2]; @%p1 mbarrier.inval.shared::cta.b64 [%r2];"
    );
    result(&text("", &twice), 1, None).expect("runs");
    assert_eq!(judged(&text("", &twice), 1, None), [ReportKind::Uninitialized]);
    // A copy of no bytes may have any addresses.
    let nothing = format!(
        "{INIT} @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+5], [%rd1+3], 0, [%r2];"
    );
    assert_eq!(outcome(&text("", &nothing), 1, None).expect("runs")[..3], [0, 1, 2]);
}

#[test]
fn mbarriers_are_used_as_they_count() {
    for (body, words) in [
        ("mbarrier.arrive.shared::cta.b64 %rd4, [%r2];", "not initialized"),
        ("mbarrier.init.shared::cta.b64 [%r2], 0;", "1 to 1048575 arrivals, not 0"),
        (&format!("{INIT} mbarrier.inval.shared::cta.b64 [%r2]; {WAIT}"), "not initialized"),
        (
            &format!(
                "{INIT} @%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2], 8; mbarrier.arrive.shared::cta.b64 %rd4, [%r2];"
            ),
            "1 arrivals, but only 0 are pending",
        ),
        (
            &format!(
                "{INIT} @%p1 mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd4, [%r2], 1;"
            ),
            "`.noComplete` ends the phase",
        ),
        (
            &format!(
                "{INIT} mov.u64 %rd5, 7; mbarrier.test_wait.shared::cta.b64 %p2, [%r2], %rd5;"
            ),
            "the value waited for is not an mbarrier state",
        ),
    ] {
        let f = fault(body);
        let none = words == "not initialized";
        let kind = if none { FaultKind::NoMbarrier } else { FaultKind::Mbarrier };
        assert_eq!(f.kind, kind, "{f}");
        assert!(f.message.contains(words), "{f}");
    }
    let f = fault("mbarrier.init.shared::cta.b64 [%r2+4], 1;");
    assert_eq!(f.kind, FaultKind::Misaligned);
    let f = fault("mbarrier.init.b64 [%rd1], 1;");
    assert_eq!(f.kind, FaultKind::OutOfBounds, "generic, but not shared: {f}");
}

#[test]
fn bulk_copies_are_aligned_and_inside() {
    for (to, from, bytes, kind, words) in [
        ("%r3+8", "%rd1", 256, FaultKind::Misaligned, "not a multiple of 16"),
        ("%r3", "%rd1+4", 256, FaultKind::Misaligned, "not a multiple of 16"),
        ("%r3", "%rd1", 100, FaultKind::Misaligned, "copy of 100 bytes"),
        ("%r3", "%rd1+256", 272, FaultKind::OutOfBounds, "out"),
        ("%r3+496", "%rd1", 256, FaultKind::OutOfBounds, "shared"),
    ] {
        let f = fault(&format!(
            "{INIT} @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [%r2];"
        ));
        assert_eq!(f.kind, kind, "{f}");
        assert!(f.message.contains(words), "{f}");
    }
}

#[test]
fn a_read_without_a_wait_sees_no_copied_data() {
    // The kernel reads the word while the copy is in flight; with a wait it would read words 0 to 63 of the array.
    let copy = "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 256;
        @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1+256], 256, [%r2];";
    let read = "shl.b32 %r5, %r1, 2; add.u32 %r6, %r3, %r5; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd3], %r7;";
    let early = text(
        "",
        &format!("{INIT} {copy} setp.ge.u32 %p4, %r1, 32; @%p4 bra over; {read} over: {WAIT}"),
    );
    let words = result(&early, 1, None).expect("runs");
    assert_eq!(judged(&early, 1, None), [ReportKind::AsyncOrder]);
    assert_eq!((words[3], words[40]), (0xCDCD_CDCD, 40));
    let right = text("", &format!("{INIT} {copy} {WAIT} {read}"));
    assert_eq!(outcome(&right, 1, None).expect("runs")[..64], (64..128).collect::<Vec<_>>());
}

#[test]
fn lanes_of_one_warp_may_wait_for_each_other() {
    // Lane 0 waits for the other lanes of its warp, which arrive on the other path.
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%r2], 63; bar.sync 0; @!%p1 bra other; {WAIT} bra done;
         other: mbarrier.arrive.shared::cta.b64 %rd4, [%r2]; done: st.global.u32 [%rd3], 7;"
    );
    assert_eq!(outcome(&text("", &body), 1, None).expect("runs")[..64], [7; 64]);
    let body = format!(
        "@%p1 mbarrier.init.shared::cta.b64 [%r2], 63; bar.sync 0; @%p1 bra other;
         mbarrier.arrive.shared::cta.b64 %rd4, [%r2]; bra done; other: {WAIT} done: st.global.u32 [%rd3], 7;"
    );
    assert_eq!(outcome(&text("", &body), 1, None).expect("runs")[..64], [7; 64]);
}

#[test]
fn states_count_drops_and_asynchronous_copies() {
    // One arrival per thread, and 2 more by one thread; the state has the pending count before each arrival.
    let body = "@%p1 mbarrier.init.shared::cta.b64 [%r2], 66; bar.sync 0;
        @!%p1 bra one; mbarrier.arrive.shared::cta.b64 %rd4, [%r2], 3; bra told;
        one: cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r2]; mov.u64 %rd4, 0;
        told: mbarrier.pending_count.b64 %r8, %rd4; st.global.u32 [%rd3], %r8;
        again: mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra again;
        bar.sync 0;
        @!%p1 bra over; mbarrier.arrive_drop.release.cta.shared::cta.b64 %rd5, [%r2], 64;
        cp.async.mbarrier.arrive.shared::cta.b64 [%r2]; mbarrier.arrive.shared::cta.b64 %rd6, [%r2], 2;
        wait: mbarrier.try_wait.shared::cta.b64 %p3, [%r2], %rd6, 1000; @!%p3 bra wait;
        mbarrier.arrive.shared::cta.b64 %rd7, [%r2];
        mbarrier.pending_count.b64 %r9, %rd7; st.global.u32 [%rd3+256], %r9; over:";
    let words = outcome(&text("", body), 1, None).expect("runs");
    let pending: Vec<u32> = words[..1].to_vec();
    assert!(pending[0] >= 3 && pending[0] <= 66, "{pending:?}");
    assert_eq!(words[64], 2, "64 of 66 have dropped out");
}

#[test]
fn a_block_that_has_left_is_out_of_reach() {
    // Nothing signals the mbarrier, so the block of rank 0 stops waiting when the block of rank 1 has exited.
    let body = format!(
        "{INIT} mov.u32 %r9, %cluster_ctarank; setp.eq.u32 %p3, %r9, 1; @%p3 bra over;
         mapa.shared::cluster.u32 %r10, %r3, 1; ld.shared::cluster.u32 %r12, [%r10];
         mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @%p2 bra over;
         ld.shared::cluster.u32 %r12, [%r10]; st.global.u32 [%rd3], %r12; over:"
    );
    let f = outcome(&text("", &body), 2, Some(2)).expect_err("too late");
    assert_eq!(f.kind, FaultKind::OutOfBounds);
    assert!(f.message.contains("the block of rank 1 of the cluster"), "{f}");
    // The kernel reads uninitialized memory, and nothing keeps the other block alive.
    let mut found = judged(&text("", &body), 2, Some(2));
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, [ReportKind::UseAfterFree, ReportKind::Uninitialized]);
    // The rank is outside of the cluster.
    let beyond = "mapa.shared::cluster.u32 %r10, %r3, 2; st.shared::cluster.u32 [%r10], %r1;";
    let f = outcome(&text("", beyond), 2, Some(2)).expect_err("two blocks only");
    assert!(f.message.contains("rank 2"), "{f}");
}

#[test]
fn clusters_that_are_too_large_or_not_given_are_refused() {
    let f = outcome(&text("", ""), 32, Some(32)).expect_err("32 blocks");
    assert!(f.message.contains("1 to 16 are possible"), "{f}");
    let f = outcome(&text(".explicitcluster", ""), 2, None).expect_err("no cluster");
    assert!(f.message.contains("explicitcluster"), "{f}");
    let f =
        outcome(&text(".explicitcluster .maxclusterrank 2", ""), 4, Some(4)).expect_err("4 blocks");
    assert!(f.message.contains("1 to 2 are possible"), "{f}");
    assert!(outcome(&text(".explicitcluster", ""), 2, Some(2)).is_ok());
    let twice = "barrier.cluster.arrive; barrier.cluster.arrive;";
    let f = outcome(&text("", twice), 2, Some(2)).expect_err("arrives twice");
    assert_eq!(f.kind, FaultKind::BarrierDivergence);
}

#[test]
fn fences_hints_and_register_transfers_are_supported() {
    let body = "
        fence.proxy.async; fence.proxy.async.shared::cta; fence.proxy.alias;
        fence.proxy.tensormap::generic.release.gpu; fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
        fence.mbarrier_init.release.cluster; fence.acq_rel.cluster;
        griddepcontrol.wait; griddepcontrol.launch_dependents;
        setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 232;
        nanosleep.u32 100;
        createpolicy.fractional.L2::evict_first.b64 %rd4, 1.0;
        createpolicy.range.global.L2::evict_last.b64 %rd4, [%rd1], 512, 512;
        prefetch.tensormap [%rd1]; prefetch.global.L2 [%rd1]; prefetch.global.L2::evict_last [%rd1];
        applypriority.global.L2::evict_normal [%rd1], 128;
        elect.sync %r4|%p2, -1; elect.sync _|%p3, -1;
        cp.async.bulk.prefetch.L2.global [%rd1], 256;
        @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
        barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
        barrier.cluster.arrive.relaxed; barrier.cluster.wait;
        @!%p1 bra over;
        mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %rd5, [%r2], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r3], [%rd1], 256, [%r2], %rd4;
        again: mbarrier.try_wait.acquire.cta.shared::cta.b64 %p4, [%r2], %rd5, 1000; @!%p4 bra again;
        cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1+256], [%r3], 256, %rd4;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.u32 [%rd1], [%r3], 256, %rd4;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        mbarrier.inval.shared::cta.b64 [%r2];
        over:";
    let words = outcome(&text(".maxnreg 232", body), 1, None).expect("runs");
    assert_eq!(words[..3], [0, 2, 4], "added to itself");
    assert_eq!(words[64..67], [0, 1, 2], "copied");
    for (wrong, why) in [
        ("setmaxnreg.dec.sync.aligned.u32 20;", "multiple of 8 from 24 to 256"),
        ("setmaxnreg.inc.sync.aligned.u32 250;", "multiple of 8 from 24 to 256"),
        ("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r3], 16, %h1;", "cp_mask"),
        ("tensormap.replace.tile.elemtype.global.b1024.b32 [%rd1], 13;", "this value"),
        (
            "tensormap.replace.tile.global_stride.global.b1024.b64 [%rd1], 4, %rd4;",
            "a dimension beyond",
        ),
    ] {
        let error = load(&emulators()[0], &text("", wrong)).expect_err("refused");
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn registers_are_waited_for_until_others_give_them() {
    let f = outcome(&text("", "setmaxnreg.inc.sync.aligned.u32 232;"), 1, None).expect_err("waits");
    assert_eq!(f.kind, FaultKind::Deadlock);
    assert!(f.to_string().contains("does not declare its registers per thread"), "{f}");
    let more = "setmaxnreg.inc.sync.aligned.u32 136;";
    let f = outcome(&text(".maxnreg 128", more), 1, None).expect_err("none is free");
    assert_eq!(f.kind, FaultKind::Deadlock);
    assert!(f.to_string().contains("136 registers per thread"), "{f}");
    let order = "setmaxnreg.dec.sync.aligned.u32 136;";
    let f = outcome(&text(".maxnreg 128", order), 1, None).expect_err("no decrease");
    assert!(f.to_string().contains("of a warp that has 128"), "{f}");
    let given = "setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 128;";
    assert!(outcome(&text(".maxnreg 128", given), 1, None).is_ok());
    assert!(
        outcome(&text(".maxntid 384, 1, 1", "setmaxnreg.inc.sync.aligned.u32 168;"), 1, None)
            .is_ok()
    );
}
