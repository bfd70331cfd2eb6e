//! The sanitizer's findings on shared memory that `tcgen05.mma` reads.

use crate::tensor_memory::gemm::{Gemm, check_text, draw};
use lanework_emulator::sanitize::ReportKind;

/// A correct product: its text and its input.
fn right() -> (String, Vec<u32>) {
    let this = Gemm::new("kind::f16", [128, 32, 2], 2, 1 << 4);
    let half = |d: u32| u32::from(half::f16::from_f32((d % 5) as f32).to_bits());
    (this.text(), this.image(|r, k| half(draw(r, k)), |c, k| half(draw(k, c))))
}

/// Replaces `from` with `to` in the correct text; returns the findings.
fn found(from: &str, to: &str) -> Vec<(ReportKind, String)> {
    let (text, input) = right();
    assert!(text.contains(from), "{from}");
    let reports = check_text(&text.replace(from, to), &input, 128 * 32);
    reports.into_iter().map(|report| (report.kind, report.message)).collect()
}

#[test]
fn plain_writes_need_a_fence_between_the_proxies() {
    let reports = found("READY: fence.proxy.async.shared::cta;", "READY:");
    assert_eq!(reports.len(), 2, "both products: {reports:?}");
    for (kind, message) in &reports {
        assert_eq!(*kind, ReportKind::AsyncOrder);
        assert!(
            message.contains("by the generic proxy, and the asynchronous proxy reads them"),
            "{message}"
        );
    }
}

#[test]
fn operands_are_not_overwritten_before_the_wait() {
    // All threads write to the tile while the product may still read it.
    let early = "ISSUED: st.shared.u32 [%r3], %r1;";
    let reports = found("ISSUED:", early);
    assert!(reports.iter().any(|(kind, _)| *kind == ReportKind::Race), "{reports:?}");
    // After the wait, one thread may write.
    let late = "@!%p5 bra WAIT; @%p3 bra NOT; st.shared.u32 [%r3], %r1; NOT:";
    assert_eq!(found("@!%p5 bra WAIT;", late), []);
}

#[test]
fn tiles_not_waited_for_are_a_race() {
    // There is no barrier between the threads that fill the tile and the thread that issues the product.
    let (text, _) = right();
    let barrier =
        "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;";
    assert!(text.matches(barrier).count() >= 3);
    let first = format!("{barrier}\nld.shared.u32 %r10, [base]");
    let reports = found(&first, "ld.shared.u32 %r10, [base]");
    assert!(reports.iter().any(|(kind, _)| *kind == ReportKind::Race), "{reports:?}");
}

#[test]
fn an_operand_past_its_tile_is_out_of_bounds() {
    let (text, _) = right();
    // B has 32 rows of 128 bytes at the end of the tile; 64 rows would overlap the mbarrier after it.
    let of = |n: u32| format!("mov.b32 %r11, {:#x};", (1 << 4) | ((n / 8) << 17) | (8 << 24));
    assert!(text.contains(&of(32)));
    let reports = found(&of(32), &of(40));
    assert!(reports.iter().any(|(kind, _)| *kind == ReportKind::OutOfBounds), "{reports:?}");
}

#[test]
fn a_sum_starts_with_the_written_value() {
    let reports = found("setp.ne.u32 %p4, %r3, %r3;", "setp.eq.u32 %p4, %r3, %r3;");
    assert_eq!(reports.len(), 1, "the first product only: {reports:?}");
    let (kind, message) = &reports[0];
    assert_eq!(*kind, ReportKind::Uninitialized);
    assert!(message.contains("columns 0 to 31, which were never written"), "{message}");
    // Columns to which threads have stored are initialized.
    let zeros = "mov.u32 %r21, 0; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%r21};
        tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;
@%p3 bra ISSUED;";
    let (text, input) = right();
    let text = text.replace("setp.ne.u32 %p4, %r3, %r3;", "setp.eq.u32 %p4, %r3, %r3;");
    let text = text.replace("@%p3 bra ISSUED;", zeros);
    assert!(check_text(&text, &input, 128 * 32).is_empty());
}
