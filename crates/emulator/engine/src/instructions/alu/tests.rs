//! Checks that the table fits the opcodes that lowering emits: operands, results and facts.

use crate::instructions::alu::{convert, handlers, logic};
use crate::number::single;
use crate::number::soft::{self, Round};
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

/// Words of all kinds.
fn words() -> Vec<u32> {
    let mut state = 99u32;
    let random = (0..4000).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^ state >> 15
    });
    let ends = [0u32, 1, 0x7fff_ffff, 0x7f80_0000, 0x7f7f_ffff, 0x7f80_1000, 0x7fc0_0000, 0x1fff];
    ends.into_iter().flat_map(|bits| [bits, bits | 1 << 31]).chain(random).collect()
}

#[test]
fn numbers_round_to_tf32_as_in_software() {
    for bits in words() {
        let a = f32::from_bits(bits);
        for round in [Round::Even, Round::Away, Round::Zero] {
            let nan = if round == Round::Away { bits } else { single::NAN32 } & !0x1fff;
            let expected = soft::TF32.round(single::unpack(a), round);
            let expected = expected.map_or(nan, |bits| (bits as u32) << 13);
            assert_eq!(convert::tf32(a, round), expected, "{bits:#x} {round:?}");
        }
    }
}

#[test]
fn doubles_are_converted_like_scalars() {
    let limits = [-2_147_483_649.0, -2_147_483_648.5, 2_147_483_647.5, 2_147_483_648.0];
    let more = [4_294_967_295.5, 4_294_967_296.0, -1.0, -0.5, f64::NAN, f64::INFINITY, 1e300];
    let small = words().into_iter().map(|bits| f64::from(bits as i32) * 1.000_000_1 + 0.25);
    for a in limits.into_iter().chain(more).chain(small).flat_map(|a| [a, -a]) {
        assert_eq!(convert::double_to_i32(a), a as i32, "{a:e}");
        assert_eq!(convert::double_to_u32(a), a as u32, "{a:e}");
    }
}

#[test]
fn fields_of_words_are_those_of_wide_words() {
    let words = words();
    for (i, &a) in words.iter().enumerate() {
        let b = words[(i * 7 + 3) % words.len()];
        let (pos, len) = (b & 0x3f, b >> 8 & 0x3f);
        for (pos, len) in [(pos, len), (pos, 0), (0, len), (31, 1), (0, 32), (255, 255), (pos, 32)]
        {
            for signed in [false, true] {
                let expected = logic::extract(u64::from(a), pos, len, 32, signed) as u32;
                let found = logic::extract_word(a, pos, len, signed);
                assert_eq!(found, expected, "{a:#x} {pos} {len} {signed}");
            }
            let field = pos | len << 8;
            let expected = logic::insert(u64::from(a), u64::from(b), field, 32) as u32;
            assert_eq!(logic::insert_word(a, b, field), expected, "{a:#x} {b:#x} {pos} {len}");
        }
        for n in 0..=32 {
            let both = u64::from(b) << 32 | u64::from(a);
            assert_eq!(logic::left(a, b, n), ((both << n) >> 32) as u32, "{n}");
            assert_eq!(logic::right(a, b, n), (both >> n) as u32, "{n}");
        }
    }
}
