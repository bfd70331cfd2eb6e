//! The machine operations of small kernels, with and without a listing of machine code.

use lanework_engine::device::Device;
use lanework_engine::launch::Options;
use lanework_ptx::Module;
use lanework_ptx_ir::analysis::Analyses;
use lanework_time::lower::schedule::{RegionKey, schedule};
use lanework_time::lower::{Lowered, Unit};
use lanework_time::sass::listing::Listing;
use lanework_time::trace::chain::WaitChain;
use lanework_time::trace::work::GridWork;
use lanework_time::trace::{KernelTrace, Runs};
use std::sync::Arc;

/// A launch of the kernel `k` without traced blocks.
fn trace(text: &str, listing: Option<Listing>) -> KernelTrace {
    let module = Module::parse(text).expect("valid PTX");
    let program = Device::new(Options::default()).load(&module).expect("a valid module");
    let kernel = Arc::clone(program.kernel("k").expect("the kernel"));
    KernelTrace {
        runs: Arc::new(Runs::new(&kernel, &Analyses::new(&kernel))),
        grid: [1, 1, 1],
        threads: 32,
        cluster: 1,
        shared_bytes: 0,
        registers: 16,
        exact_registers: true,
        listing: listing.map(Arc::new),
        allocations: Vec::new(),
        blocks: Vec::new(),
        recurrences: Vec::new(),
        sampled: GridWork::default(),
        heavy: None,
        polls: false,
        chain: WaitChain::default(),
        kernel,
    }
}

/// Machine instructions of a PTX line, as nvdisasm shows them.
fn at(line: u32, code: &[&str], address: &mut u32) -> String {
    let rows = code.iter().map(|one| {
        *address += 16;
        format!("        /*{address:04x}*/                   {one} ;\n")
    });
    format!("\t//## File \".nv_debug_ptx_txt\", line {line}\n{}", rows.collect::<String>())
}

fn units(lowered: &Lowered) -> Vec<Unit> {
    lowered.operations.iter().flatten().map(|operation| operation.unit).collect()
}

#[test]
fn a_product_and_a_sum_are_one_multiply_add() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<6>;
	ld.param.u64 %rd1, [p];
	ld.global.u32 %r1, [%rd1];
	ld.global.u32 %r2, [%rd1+64];
	mul.lo.s32 %r3, %r1, %r2;
	add.s32 %r4, %r1, %r3;
	add.s32 %r5, %r4, %r2;
	st.global.u32 [%rd1], %r5;
	ret;
}
";
    let found = units(&Lowered::new(&trace(text, None)));
    let count = |unit: Unit| found.iter().filter(|one| **one == unit).count();
    assert_eq!((count(Unit::Imad), count(Unit::Add)), (1, 1), "{found:?}");
}

#[test]
fn code_after_a_loop_does_not_count_for_the_loop() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b64 %rd<2>;
	.reg .b32 %r<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, 0;
L:
	ld.global.u32 %r2, [%rd1];
	xor.b32 %r1, %r1, %r2;
	add.u64 %rd1, %rd1, 4;
	setp.ne.u32 %p1, %r2, 7;
	@%p1 bra L;
	st.global.u32 [%rd1], %r1;
	ret;
}
";
    let mut place = 0;
    let looped = [
        at(12, &["LDG.E R2, desc[UR4][R4.64]"], &mut place),
        at(13, &["LOP3.LUT R1, R1, R2, RZ, 0x3c, !PT"], &mut place),
        at(14, &["IADD3 R4, P0, R4, 0x4, RZ"], &mut place),
        at(15, &["ISETP.NE.AND P1, PT, R2, 0x7, PT"], &mut place),
        at(16, &["@P1 BRA `(.L_x_1)"], &mut place),
    ];
    let after = [
        at(13, &["LOP3.LUT R1, R1, R2, RZ, 0x3c, !PT"; 6], &mut place),
        at(17, &["STG.E desc[UR4][R4.64], R1"], &mut place),
        at(18, &["EXIT"], &mut place),
    ];
    let shown = format!(
        "\t.section\t.text.k,\"ax\",@progbits\n.L_x_1:\n{}{}",
        looped.concat(),
        after.concat()
    );
    let lowered = Lowered::new(&trace(text, Some(Listing::parse(&shown, "k"))));
    assert!(lowered.layout.is_some(), "the listing belongs to the kernel");
    let found = units(&lowered);
    let arithmetic = |unit: &&Unit| matches!(unit, Unit::Add | Unit::Alu | Unit::Predicate);
    assert_eq!(found.iter().filter(arithmetic).count(), 3, "{found:?}");
}

/// A load and a store, and the same again in a block that a branch skips.
const SKIPPED: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b64 %rd<2>;
	.reg .b32 %r<4>;
	.shared .align 4 .b8 tile[8];
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	ld.global.u32 %r2, [%rd1];
	st.shared.u32 [tile], %r2;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra OVER;
	ld.global.u32 %r3, [%rd1+128];
	st.shared.u32 [tile+4], %r3;
OVER:
	bar.sync 0;
	ret;
}
";

/// The lines of the accesses in the order of the machine code, if `branch` is the machine instruction of the branch.
fn order_of_accesses(branch: &[&str]) -> (bool, Vec<u32>) {
    let mut place = 0;
    let mut code = vec![
        at(12, &["LDG.E R2, desc[UR4][R4.64]"], &mut place),
        at(14, &["ISETP.NE.AND P1, PT, R1, RZ, PT"], &mut place),
    ];
    if !branch.is_empty() {
        code.push(at(15, branch, &mut place));
    }
    code.extend([
        at(16, &["@!P1 LDG.E R3, desc[UR4][R4.64+0x80]"], &mut place),
        at(13, &["STS [R7], R2"], &mut place),
        at(17, &["@!P1 STS [R7+0x4], R3"], &mut place),
        at(19, &["BAR.SYNC.DEFER_BLOCKING 0x0"], &mut place),
        at(20, &["EXIT"], &mut place),
    ]);
    let shown = format!("\t.section\t.text.k,\"ax\",@progbits\n{}", code.concat());
    let trace = trace(SKIPPED, Some(Listing::parse(&shown, "k")));
    let lowered = Lowered::new(&trace);
    let layout = lowered.layout.as_ref().expect("the listing belongs to the kernel");
    let joined = layout.joins(0, 1) && layout.joins(1, 2) && layout.joins(0, 2);
    let first = trace.runs.of_block(0).len() as u32;
    let key = RegionKey { first: 0, runs: first, copies: 1, blocks: vec![1, 2] };
    let made = schedule(&trace, &lowered, &key);
    let accesses = made.operations.iter().filter(|one| one.unit == Unit::Memory);
    let line =
        |run: u32| trace.kernel.origins[trace.runs.all[run as usize].origin as usize].text_line;
    (joined, accesses.map(|one| line(one.run)).collect())
}

#[test]
fn loads_of_a_block_that_ptxas_made_conditional_move_up() {
    assert_eq!(order_of_accesses(&[]), (true, vec![12, 16, 13, 17]));
    assert!(!order_of_accesses(&["@P1 BRA `(.L_x_1)"]).0, "the branch is there");
}
