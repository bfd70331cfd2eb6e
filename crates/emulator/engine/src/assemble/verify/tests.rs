//! The verifier of assembled code: every kernel of the corpus passes, and deliberately broken code is refused
//! with a message that names the broken part.

use crate::assemble::fuse::{Fusion, FusionKind};
use crate::assemble::shape::{Immediate, OperandKind, OperationFlow, WORDS};
use crate::assemble::verify::{verify, verify_wide};
use crate::assemble::{AssemblyOptions, Code, assemble};
use crate::instructions::access::site::AccessSite;
use crate::instrument::event::Wants;
use crate::instrument::observer::{Instrumentation, NullObserver};
use lanework_ptx::{Module, StateSpace};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::uniformity::Uniformity;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace};
use lanework_ptx_ir::lower::{Lowering, LoweringOptions};
use lanework_ptx_ir::module::{ModuleNames, PlacedModule};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The kernels of a module.
fn kernels(text: &str) -> Vec<Kernel> {
    let module = Module::parse(text).expect("PTX");
    let of_device = module.variables().filter(|v| v.space != StateSpace::Shared);
    let globals: HashMap<_, _> =
        of_device.map(|v| (v.name.clone(), (MemorySpace::Global, 0x1000))).collect();
    let source =
        PlacedModule { module: &module, names: &ModuleNames::new(&module), addresses: &globals };
    let lowered = module
        .entries()
        .filter_map(|entry| Lowering::entry(source, entry, LoweringOptions::default()).ok());
    lowered.collect()
}

/// Options for a SIMD level with fused handlers, whatever the host's level, because nothing runs.
fn want(wants: Wants) -> AssemblyOptions {
    let instrumentation = Instrumentation { wants, ..Instrumentation::new(&NullObserver) };
    AssemblyOptions { tier: 1, instrumentation, plan: None, first_site: 0 }
}

/// Both forms of a kernel.
fn forms(kernel: &Kernel, wants: Wants) -> [Code; 2] {
    let analyses = Analyses::new(kernel);
    let uniformity = Uniformity::analyze(kernel, &analyses, [64, 2, 1]);
    let all = Uniformity::all_varying(kernel);
    let code = assemble(kernel, &analyses, &uniformity, &uniformity, want(wants));
    let first_site = code.sites.len() as u32;
    let wide = AssemblyOptions { first_site, ..want(wants) };
    let wide = assemble(kernel, &analyses, &all, &uniformity, wide);
    [code, wide]
}

#[test]
fn every_kernel_of_the_corpus_passes() {
    let (mut count, mut fused) = (0, 0);
    for module in lanework_compiled_ptx::modules() {
        let name = module.name;
        if name.contains("debug") {
            continue;
        }
        for kernel in kernels(module.text()) {
            for wants in [Wants::NOTHING, Wants::COUNTS.with(Wants::EVENTS)] {
                let [code, wide] = forms(&kernel, wants);
                let first_site = code.sites.len() as u32;
                let verified = verify(&kernel, &code, 0)
                    .and_then(|()| verify(&kernel, &wide, first_site))
                    .and_then(|()| verify_wide(&kernel, &code, &wide));
                verified.unwrap_or_else(|violation| panic!("{name}: {violation}"));
                fused += code.fusions.len();
                count += 1;
            }
        }
    }
    assert!(count > 100 && fused > 100, "{count} kernels with {fused} fused operations");
}

/// Loads in scalar form and of runs of lanes with their products, a guarded store, a divergent branch,
/// and an mbarrier.
const KERNEL: &str = ".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .reg .pred %p<4>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %rd<9>;
    .shared .align 8 .b64 barrier;
    ld.param.u64 %rd1, [in];
    ld.param.u64 %rd2, [out];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, barrier;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    cvt.rn.f32.u32 %f1, %r2;
    ld.global.f32 %f2, [%rd1];
    ld.global.f32 %f3, [%rd4];
    fma.rn.f32 %f6, %f2, %f3, %f1;
    ld.global.f32 %f4, [%rd1+4];
    ld.global.f32 %f5, [%rd4+128];
    fma.rn.f32 %f7, %f4, %f5, %f6;
    mbarrier.init.shared.b64 [%r3], 1;
    setp.lt.u32 %p1, %r2, 5;
    @%p1 st.global.f32 [%rd5], %f7;
    @%p1 bra SKIP;
    st.global.f32 [%rd5+4], %f7;
SKIP:
    ret;
}
";

fn kernel() -> Kernel {
    kernels(KERNEL).remove(0)
}

/// The message for the kernel's code after `change` has broken it.
fn refused(change: impl Fn(&mut Code)) -> String {
    let kernel = kernel();
    let [mut code, _] = forms(&kernel, Wants::NOTHING);
    verify(&kernel, &code, 0).expect("sound code passes");
    change(&mut code);
    let violation = verify(&kernel, &code, 0).expect_err("broken code is refused");
    let message = violation.to_string();
    assert!(message.starts_with("internal error: invalid code assembled for kernel `k`"));
    message
}

/// The first operation whose operand `i` is this.
fn with(code: &Code, i: usize, wanted: impl Fn(OperandKind) -> bool) -> usize {
    code.shapes.iter().position(|shape| wanted(shape.operands[i])).expect("such an operation")
}

fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

fn is_site(operand: OperandKind) -> bool {
    matches!(operand, OperandKind::AccessSite(_))
}

#[test]
fn slots_name_registers_in_a_form_of_their_operand() {
    let register = |operand| matches!(operand, OperandKind::Register(_));
    let message = refused(|code| {
        let at = with(code, 1, register);
        code.ops[at].b = code.register_bytes.next_multiple_of(64) as u32;
    });
    assert_says(&message, &["operand b", "is no", "register file", "ld.param"]);
    let message = refused(|code| {
        let at = code.shapes.iter().position(
            |shape| matches!(shape.operands[0], OperandKind::Register(of) if of.forms() == WORDS),
        );
        code.ops[at.expect("a varying result")].a += 32;
    });
    assert_says(&message, &["operand a", "varying 32-bit"]);
    let message = refused(|code| {
        let at = with(code, 1, register);
        code.ops[at].b = u32::MAX;
    });
    assert_says(&message, &["operand b", "0xffffffff"]);
    let message = refused(|code| code.reserved[1].0 = code.reserved[0].0);
    assert_says(&message, &["overlaps another"]);
    let message = refused(|code| code.register_bytes -= 32);
    assert_says(&message, &["outside the register file"]);
    let message = refused(|code| code.sites[0].data[0] = Some(32 * 1024));
    assert_says(&message, &["site 0 (`ld.param.u64`)", "element 0"]);
    let message = refused(|code| code.prefill[0].0 = 1 << 20);
    assert_says(&message, &["prefilled"]);
}

#[test]
fn targets_are_operations_of_the_program() {
    let target = |operand| operand == OperandKind::Target;
    let past = |code: &Code| code.ops.len() as u32;
    let message = refused(|code| {
        let at = with(code, 0, target);
        code.ops[at].a = past(code);
    });
    assert_says(&message, &["operand a", "target", "`bra`"]);
    let message = refused(|code| {
        let at = with(code, 0, target);
        code.ops[at].c = past(code);
    });
    assert_says(&message, &["operand c", "target"]);
    let guard = |operand| operand == OperandKind::GuardEnd;
    let message = refused(|code| {
        let at = with(code, 0, guard);
        code.ops[at].a -= 1;
    });
    assert_says(&message, &["operand a", "not the end of a guard"]);
    let own = |operand| operand == OperandKind::Own;
    let message = refused(|code| {
        let at = with(code, 0, own);
        code.ops[at].a += 1;
    });
    assert_says(&message, &["not its own index"]);
}

#[test]
fn sites_are_of_the_table_and_wide_enough() {
    for offset in [4, size_of::<AccessSite>() as u32 * 100] {
        let message = refused(|code| {
            let at = with(code, 2, is_site);
            code.ops[at].c += offset;
        });
        assert_says(&message, &["operand c", "the offset of no site"]);
    }
    let message = refused(|code| {
        let run = |operand| operand == OperandKind::AccessSite(16);
        let at = with(code, 2, run);
        let site = code.ops[at].c as usize / size_of::<AccessSite>();
        code.sites[site].span = 4;
    });
    assert_says(&message, &["too narrow"]);
    let kernel = kernel();
    let [_, wide] = forms(&kernel, Wants::NOTHING);
    let message = verify(&kernel, &wide, 0).expect_err("sites of the second form").to_string();
    assert_says(&message, &["the offset of no site"]);
}

#[test]
fn one_terminator_ends_the_program() {
    let message = refused(|code| {
        code.ops.pop();
        code.shapes.pop();
        code.origin_of.pop();
    });
    assert_says(&message, &["the last operation falls through"]);
    let message = refused(|code| code.shapes[0].flow = OperationFlow::Ends);
    assert_says(&message, &["operation 0", "a terminator before the end"]);
}

#[test]
fn fused_operations_agree_with_those_that_they_overlay() {
    let of_chain = |code: &Code| {
        let fusions = code.fusions.iter();
        let chain = |fusion: &&Fusion| matches!(fusion.kind, FusionKind::Chain(_));
        fusions.copied().find(|fusion| chain(&fusion)).expect("a chain").at as usize
    };
    let message = refused(|code| {
        let at = of_chain(code) as u32;
        let of_chain = code.fusions.iter_mut().find(|fusion| fusion.at == at);
        of_chain.expect("the chain").kind = FusionKind::Chain(7);
    });
    assert_says(&message, &["chain 7 does not exist"]);
    let message = refused(|code| {
        let at = of_chain(code);
        (code.ops[at + 3].c, code.ops[at + 3].imm) = (code.ops[at].c, 0);
    });
    assert_says(&message, &["the operations are not those of the sequence"]);
    let message = refused(|code| {
        let at = of_chain(code);
        code.ops[at].imm ^= 64;
    });
    assert_says(&message, &["immediate", "neither its site's offset nor a chain"]);
    let message = refused(|code| {
        let at = code.ops.len() as u32 - 1;
        code.fusions.push(Fusion { at, kind: FusionKind::Sums });
    });
    assert_says(&message, &["the sequence leaves the program"]);
    let message = refused(|code| {
        let at = of_chain(code) as u32 + 1;
        let after = code.fusions.iter().position(|fusion| fusion.at >= at);
        let after = after.unwrap_or(code.fusions.len());
        code.fusions.insert(after, Fusion { at, kind: FusionKind::Sums });
    });
    assert_says(&message, &["overlays an operation of the sequence before"]);
}

#[test]
fn addresses_belong_to_the_code() {
    let message = refused(|code| {
        let at = code.shapes.iter().position(|shape| shape.imm == Immediate::AsyncPlan);
        code.ops[at.expect("the mbarrier")].imm ^= 64;
    });
    assert_says(&message, &["mbarrier.init", "not an address that the code owns"]);
    let message = refused(|code| code.shapes[0].imm = Immediate::Inserted);
    assert_says(&message, &["not an address that the code owns"]);
}

#[test]
fn each_operation_has_an_origin() {
    let message = refused(|code| {
        code.origin_of.pop();
    });
    assert_says(&message, &["origins for"]);
    let message = refused(|code| code.origin_of[2] = 1000);
    assert_says(&message, &["operation 2", "its origin does not exist"]);
}

#[test]
fn the_all_varying_form_corresponds() {
    let kernel = kernel();
    let refused = |change: &dyn Fn(&mut Code)| {
        let [code, mut wide] = forms(&kernel, Wants::NOTHING);
        verify_wide(&kernel, &code, &wide).expect("sound code passes");
        change(&mut wide);
        verify_wide(&kernel, &code, &wide).expect_err("broken code is refused").to_string()
    };
    let message = refused(&|wide| {
        wide.ops.pop();
    });
    assert_says(&message, &["another number of operations"]);
    let message = refused(&|wide| wide.origin_of[3] = 0);
    assert_says(&message, &["other origins"]);
    let message = refused(&|wide| {
        let at = with(wide, 0, |operand| operand == OperandKind::Target);
        wide.ops[at].a -= 1;
    });
    assert_says(&message, &["does not correspond", "operand a"]);
    let message = refused(&|wide| {
        let at = with(wide, 2, is_site);
        wide.ops[at].c = 0;
    });
    assert_says(&message, &["operand c"]);
}

#[test]
fn predicates_are_refused_where_words_are_written() {
    for wrong in [
        "ld.global.f32 %p2, [%rd1];",
        "atom.global.add.u32 %p2, [%rd1], 1;",
        "shfl.sync.idx.b32 %p2, %r2, 0, 31, -1;",
        "setp.lt.u32 %r3, %r2, 5;",
        "mov.b64 {%r3, %p2}, %rd1;",
        "mov.u32 %p2, %clock;",
        "@%p1 selp.b32 %r3, %r2, %r2, %laneid;",
    ] {
        assert_eq!(kernels(KERNEL).len(), 1);
        let text = KERNEL.replace("SKIP:", &format!("SKIP: {wrong}"));
        assert_eq!(kernels(&text).len(), 0, "{wrong}");
    }
}

/// Prints the cost of verification: `cargo test -p lanework-engine cost_of_the_verifier -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_of_the_verifier() {
    for name in [
        "async.sm_80.debug.ptx",
        "floats.sm_80.ptx",
        "text.sm_80.ptx",
        "dense.sm_80.clang_debug.ptx",
    ] {
        let mut modules = lanework_compiled_ptx::modules().iter();
        let module = modules.find(|module| module.name == name).expect("a module of the corpus");
        let mut kernels = kernels(module.text());
        kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.insts.len()));
        for kernel in kernels.iter().take(3) {
            let analyses = Analyses::new(kernel);
            let mut least = [Duration::MAX; 3];
            let mut operations = 0;
            for _ in 0..30 {
                let start = Instant::now();
                let uniformity = Uniformity::analyze(kernel, &analyses, [64, 2, 1]);
                let analysed = start.elapsed();
                let code =
                    assemble(kernel, &analyses, &uniformity, &uniformity, want(Wants::NOTHING));
                let assembled = start.elapsed();
                verify(kernel, &code, 0).expect("sound code");
                let verified = start.elapsed();
                let parts = [analysed, assembled - analysed, verified - assembled];
                for (least, part) in least.iter_mut().zip(parts) {
                    *least = part.min(*least);
                }
                operations = code.ops.len();
            }
            let [analysed, assembled, verified] = least.map(|time| time.as_secs_f64() * 1e6);
            println!(
                "{name} {}: {operations} operations, uniformity {analysed:.0} us, assembly {assembled:.0} us, verifier {verified:.1} us: {:.1} % of assembly, {:.1} % of both",
                kernel.name,
                100.0 * verified / assembled,
                100.0 * verified / (analysed + assembled)
            );
        }
    }
}
