//! Reports of misused tensor memory.

use crate::common::{device, load};
use crate::tensor_memory::gemm::{Gemm, Layout, run_text};
use crate::tensor_memory::movements::kernel;
use lanework_emulator::FaultKind;

/// Runs a kernel with this body; returns its fault.
fn fault(body: &str) -> (FaultKind, String) {
    fault_of(&kernel(64, 4, body))
}

fn fault_of(text: &str) -> (FaultKind, String) {
    let fault = run_text(text, &[0; 16384], 1024).expect_err(text);
    assert!(fault.text_line > 0, "{fault}");
    (fault.kind, fault.to_string())
}

/// Checks that a text has a fault of tensor memory with these words.
fn misuse(text: &str, says: &str) {
    let (kind, message) = fault_of(text);
    assert_eq!(kind, FaultKind::TensorMemory, "{message}");
    assert!(message.contains(says), "{message}");
}

#[test]
fn allocations_follow_the_rules() {
    for columns in [0, 16, 48, 1024] {
        misuse(&kernel(columns, 4, ""), "a power of two from 32 to 512");
    }
    let allocate = |n| {
        format!(
            "@%p2 bra A{n}; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], {n}; A{n}:"
        )
    };
    misuse(&kernel(64, 4, &allocate(128)), "must not increase");
    misuse(&kernel(64, 4, &allocate(32)), "ends without `tcgen05.dealloc` of 32 columns");
    let given_up = "@%p2 bra A; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
        tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 32; A:";
    misuse(&kernel(64, 4, given_up), "after a `tcgen05.relinquish_alloc_permit`");
    let text = kernel(64, 4, "");
    misuse(
        &text.replace("tcgen05.dealloc", "// tcgen05.dealloc"),
        "ends without `tcgen05.dealloc`",
    );
    misuse(&text.replace("b32 %r10, 64", "b32 %r10, 32"), "are freed, but the allocation has 64");
    misuse(
        &text
            .replace("b32 %r10, 64", "b32 %r1, 64")
            .replace("@%p2 bra DONE;", "@%p2 bra DONE; mov.b32 %r1, 32;"),
        "no live allocation",
    );
}

#[test]
fn an_allocation_without_room_waits_for_ever() {
    let body =
        "@%p2 bra A; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 512; A:";
    let (kind, message) = fault_of(&kernel(512, 4, body));
    assert_eq!(kind, FaultKind::Deadlock, "{message}");
    assert!(message.contains("512 columns of tensor memory, of which 512 of 512"), "{message}");
}

#[test]
fn an_allocation_waits_for_room() {
    // Warp 1 waits until warp 0 has freed its columns.
    let text = kernel(512, 4, "").replace(
        "DONE: ret;",
        "DONE: setp.ne.u32 %p4, %r2, 1; @%p4 bra END;
         tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tile], 512;
         ld.shared.u32 %r20, [tile]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r20, 512;
         END: ret;",
    );
    run_text(&text, &[0], 1024).expect("runs");
}

#[test]
fn accesses_stay_in_their_lanes_and_columns() {
    let load = |at: &str| {
        kernel(
            64,
            4,
            &format!(
                "tcgen05.ld.sync.aligned.32x32b.x4.b32 {{%r30, %r31, %r32, %r33}}, {at}; tcgen05.wait::ld.sync.aligned;"
            ),
        )
    };
    misuse(&load("[%r10+0x400000]"), "as warp 0 of its warpgroup it reaches lanes 0 to 31");
    misuse(&load("[%r10+61]"), "columns 61 to 64 of tensor memory are not all allocated");
    misuse(&load("[%r10+0x100000]"), "starts at a multiple of 32");
    misuse(&load("[%r1]"), "different addresses of tensor memory");
    let (kind, message) =
        fault("setp.lt.u32 %p4, %r1, 5; @%p4 tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%r1};");
    assert_eq!(kind, FaultKind::Unsupported, "{message}");
    assert!(message.contains("needs all 32 lanes"), "{message}");
}

#[test]
fn descriptors_must_be_right() {
    let this = Gemm::new("kind::f16", [128, 32, 1], 2, 1 << 4);
    let text = this.text();
    let descriptor =
        |bits: u32| text.replace(&format!("{:#x};", this.descriptor()), &format!("{bits:#x};"));
    misuse(&descriptor(this.descriptor() | 4), "sparsity bit");
    misuse(&descriptor(this.descriptor() | 2 << 7), "types 2 and 0");
    misuse(&descriptor(this.descriptor() & !(31 << 24) | 16 << 24), "M = 256 is not a shape");
    let matrix = |from: &str, to: &str| text.replace(from, to);
    // Sets the version of descriptors that `wgmma` uses.
    let with_version = text.find("mov.b64 %rd6, 0x").expect("B's descriptor");
    let bits = &text[with_version + 14..];
    let bits = &bits[..bits.find(';').expect("its end")];
    let number = u64::from_str_radix(&bits[2..], 16).expect("a number");
    misuse(&matrix(bits, &format!("{:#x}", number & !(1 << 46))), "a descriptor of `wgmma`");
    let far = number & !0x3fff | 0x3f00;
    let (kind, message) = fault_of(&matrix(bits, &format!("{far:#x}")));
    assert_eq!(kind, FaultKind::OutOfBounds, "{message}");
    let transposed = Gemm {
        b: Layout::ACROSS[3],
        ..Gemm::new("kind::tf32", [128, 32, 4], 4, 1 << 4 | 2 << 7 | 2 << 10)
    };
    misuse(&transposed.text(), "needs the swizzle of 128 bytes in units of 32");
}

#[test]
fn columns_in_use_are_not_freed() {
    let this = Gemm::new("kind::f16", [128, 32, 1], 2, 1 << 4);
    let text = this.text();
    // No thread waits for the commit.
    let early = text.replace(
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0; @!%p5 bra WAIT;",
        "@%p2 bra SKIP; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 128; SKIP: ret;",
    );
    let (_, message) = fault_of(&early);
    assert!(message.contains("freed while `tcgen05.mma` may still use them"), "{message}");
}

#[test]
fn unsupported_forms_are_named_when_the_module_loads() {
    for (form, what) in [
        (
            "tcgen05.mma.cta_group::1.kind::f16.ashift [%r1], [%r3], %rd2, %r2, %p1;",
            "modifier `.ashift`",
        ),
        (
            "tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.u32 {%r1, %r2}, %r3, [%r4], 2;",
            "a reduction of another shape",
        ),
        (
            "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;",
            "size of scale factors",
        ),
    ] {
        let text = kernel(32, 1, form);
        let error = load(&device(false), &text).expect_err(form);
        assert!(error.message.contains(what), "{form}: {error}");
    }
}
