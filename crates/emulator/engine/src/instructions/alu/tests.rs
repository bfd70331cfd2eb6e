//! Checks that the table fits the opcodes that lowering emits: operands, results and facts.

use crate::instructions::alu::handlers;
use lanework_ptx::{Module, StateSpace};
use lanework_ptx_ir::kernel::{Inst, Kernel, MemorySpace, Opcode, Width};
use lanework_ptx_ir::lower::{Lowering, LoweringOptions};
use lanework_ptx_ir::module::{ModuleNames, PlacedModule};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::types::UniformityClass;
use std::collections::{HashMap, HashSet};

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

/// The kernels that compilers make from the corpus, and forms that they rarely emit.
fn all_kernels() -> Vec<Kernel> {
    let mut found = kernels(RARE);
    for module in lanework_compiled_ptx::modules() {
        if module.name.ends_with(".sm_80.ptx") || module.name.contains(".sm_90") {
            found.extend(kernels(module.text()));
        }
    }
    found
}

/// Forms of integer and bit instructions that compilers rarely emit.
const RARE: &str = "
.version 8.0
.target sm_90
.address_size 64
.entry rare(.param .u64 p) {
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %l<9>;
ld.param.u64 %l1, [p];
ld.global.u32 %r1, [%l1]; ld.global.u32 %r2, [%l1+4]; ld.global.u16 %h1, [%l1+8];
add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, %r1, %r2; sub.cc.s64 %l3, %l1, %l2; subc.u64 %l4, %l1, %l2;
madc.hi.u32 %r3, %r1, %r2, %r4; mad.lo.cc.u64 %l3, %l1, %l2, %l4;
add.sat.s32 %r3, %r1, %r2; sub.sat.s32 %r3, %r1, %r2; add.u16x2 %r3, %r1, %r2;
min.s16x2.relu %r3, %r1, %r2; max.u16x2 %r3, %r1, %r2; min.relu.s32 %r3, %r1, %r2;
mul.hi.s16 %h2, %h1, %h1; mul.wide.u16 %r3, %h1, %h1; mad.wide.s16 %r3, %h1, %h1, %r2;
mul.hi.u64 %l3, %l1, %l2; mad.hi.sat.s32 %r3, %r1, %r2, %r4; mul24.hi.s32 %r3, %r1, %r2;
mad24.lo.u32 %r3, %r1, %r2, %r4; mad24.hi.sat.s32 %r3, %r1, %r2, %r4;
sad.u16 %h2, %h1, %h1, %h1; dp4a.u32.s32 %r3, %r1, %r2, %r4; dp2a.hi.s32.u32 %r3, %r1, %r2, %r4;
div.s64 %l3, %l1, %l2; rem.u16 %h2, %h1, %h1; cnot.b32 %r3, %r1; not.b64 %l3, %l1;
and.pred %p1, %p2, !%p3; xor.b64 %l3, %l1, %l2; shl.b16 %h2, %h1, %r1; shr.s64 %l3, %l1, %r1;
shf.l.wrap.b32 %r3, %r1, %r2, %r4; shf.r.clamp.b32 %r3, %r1, %r2, %r4;
popc.b64 %r3, %l1; clz.b32 %r3, %r1; brev.b64 %l3, %l1; bfind.shiftamt.s64 %r3, %l1;
bfe.s32 %r3, %r1, %r2, %r4; bfi.b64 %l3, %l1, %l2, %r1, %r2; bmsk.wrap.b32 %r3, %r1, %r2;
szext.clamp.s32 %r3, %r1, %r2; fns.b32 %r3, %r1, %r2, %r4; prmt.b32.ecl %r3, %r1, %r2, %r4;
lop3.or.b32 %r3|%p1, %r1, %r2, %r4, 0x96, !%p2;
mov.b64 {%r3, %r4}, %l1; mov.b64 %l3, {%h1, %h1, %h1, %h1}; mov.b32 {%h2, %h3}, %r1;
isspacep.shared %p1, %l1; isspacep.local %p1, %l1; isspacep.global %p1, %l1;
isspacep.shared::cluster %p1, %l1; mapa.u64 %l3, %l1, %r1; getctarank.u64 %r3, %l1;
mbarrier.pending_count.b64 %r3, %l1; cvta.shared.u64 %l3, %l1;
ret; }
";

#[test]
fn every_opcode_has_handlers_that_fit_its_operands_and_facts() {
    let kernels = all_kernels();
    assert!(kernels.iter().any(|kernel| kernel.name == "rare"), "every rare form is lowered");
    let mut seen: HashSet<Alu> = HashSet::new();
    for kernel in &kernels {
        for inst in &kernel.insts {
            if let Opcode::Alu(op) = inst.opcode {
                fits(kernel, inst, op);
                seen.insert(op);
            }
        }
    }
    assert!(seen.len() > 150, "only {} opcodes", seen.len());
}

fn fits(kernel: &Kernel, inst: &Inst, op: Alu) {
    let pure = handlers(op);
    let uniform = vec![UniformityClass::Uniform; inst.src.len()];
    assert_eq!(pure.affine.is_some(), op.keeps_affine(&uniform), "{op:?}");
    let Some((result, operands)) = pure.widths.split_last() else { return };
    assert_eq!(operands.len(), inst.src.len(), "{op:?}");
    for register in inst.dst.iter().flatten() {
        let predicate = kernel.registers[*register as usize].width == Width::Predicate;
        assert_eq!(*result == Width::Predicate, predicate, "{op:?}");
    }
}
