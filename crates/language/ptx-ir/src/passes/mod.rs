//! Passes that rewrite a lowered kernel: contraction ([`contract`](mod@contract)), canonical NaNs ([`canonicalize_nans`]), and
//! unused elements of vectors ([`drop_unused_elements`]).

pub mod contract;

use crate::analysis::dataflow::{Direction, Facts, Lattice, VariableAnalysis, solve_variables};
use crate::kernel::{Inst, Kernel, MemoryKind, MemorySpace, NanUse, Opcode, Operand, Reg};
use crate::opcode::Alu;

/// Removes the registers of vector loads from shared memory that no instruction reads.
///
/// NVVM widens loads of neighboring elements to aligned vectors, also beyond the end of a variable. The elements that it
/// adds have registers without a use; such an element is not an access.
pub fn drop_unused_elements(kernel: &mut Kernel) {
    let widened = |inst: &Inst| match &inst.opcode {
        Opcode::Memory(op) => {
            op.kind == MemoryKind::Load && op.space == MemorySpace::Shared && op.count > 1
        }
        _ => false,
    };
    if !kernel.insts.iter().any(widened) {
        return;
    }
    let mut read = vec![false; kernel.registers.len()];
    kernel.insts.iter().flat_map(Inst::reads).for_each(|r| read[r as usize] = true);
    for inst in kernel.insts.iter_mut().filter(|inst| widened(inst)) {
        inst.dst.iter_mut().for_each(|to| *to = to.filter(|r| read[*r as usize]));
    }
}

/// The NaNs that a register may hold.
#[derive(Clone, Copy, Default, PartialEq)]
struct NanSources {
    /// Results of arithmetic as the host made them.
    results: bool,
    /// Any other values, except constants that are not NaN.
    others: bool,
}

impl NanSources {
    const RESULTS: NanSources = NanSources { results: true, others: false };
    const OTHERS: NanSources = NanSources { results: false, others: true };
    const BOTH: NanSources = NanSources { results: true, others: true };
}

impl Lattice for NanSources {
    fn meet(&mut self, other: &NanSources) -> bool {
        self.results.meet(&other.results) | self.others.meet(&other.others)
    }
}

/// Replaces the NaN of f32 arithmetic by a GPU's NaN wherever its bits can be observed.
///
/// GPU f32 arithmetic produces one NaN, 0x7fffffff (PTX manual, "Floating-Point Instructions"); the host propagates an operand's
/// payload. Most results feed only more arithmetic, which ignores the payload. So this pass does not canonicalize every addition;
/// it inserts an instruction where a result is observed: by a store, a move to an integer, a shuffle. WebAssembly engines
/// canonicalize NaNs at each operation; here it is delayed to the uses.
///
/// Invariants: a register that holds only arithmetic results (and copies of them, and constants that are not NaN) is
/// canonicalized before each instruction that observes it. A register that also holds other values, whose bits must not change,
/// is canonicalized right after each arithmetic instruction that writes it, and after each copy from a register of the first kind.
/// A flow-insensitive forward analysis on [`crate::analysis::dataflow`] finds the contents of registers.
pub fn canonicalize_nans(kernel: &mut Kernel) {
    if !kernel.insts.iter().any(|inst| inst.nan_use() == NanUse::Produces) {
        return;
    }
    let sources = nan_sources(kernel);
    let (mut insts, mut moved) = (Vec::with_capacity(kernel.insts.len()), Vec::new());
    let canonicalize = |register: Reg, like: &Inst, guard| Inst {
        opcode: Opcode::Alu(Alu::CanonicalNan),
        dst: vec![Some(register)],
        src: vec![Operand::Reg(register)],
        guard,
        origin: like.origin,
    };
    for inst in std::mem::take(&mut kernel.insts) {
        moved.push(insts.len());
        if inst.nan_use() == NanUse::Observes {
            let mut seen: Vec<Reg> = Vec::new();
            for source in &inst.src {
                if let Operand::Reg(r) = *source
                    && sources[r as usize] == NanSources::RESULTS
                    && !seen.contains(&r)
                {
                    insts.push(canonicalize(r, &inst, None));
                    seen.push(r);
                }
            }
        }
        let result = inst.dst.first().copied().flatten();
        let after = match (inst.nan_use(), result) {
            (NanUse::Produces, Some(r)) if sources[r as usize] == NanSources::BOTH => {
                Some(canonicalize(r, &inst, inst.guard))
            }
            (NanUse::Copies, Some(r)) if sources[r as usize] == NanSources::BOTH => {
                match inst.src[0] {
                    Operand::Reg(from) if sources[from as usize] == NanSources::RESULTS => {
                        Some(canonicalize(r, &inst, inst.guard))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        insts.push(inst);
        insts.extend(after);
    }
    moved.push(insts.len());
    for label in &mut kernel.labels {
        *label = moved[(*label).min(moved.len() - 1)];
    }
    kernel.insts = insts;
}

/// Which NaNs each register may hold.
fn nan_sources(kernel: &Kernel) -> Vec<NanSources> {
    let special = |special| if special { NanSources::OTHERS } else { NanSources::default() };
    let start = kernel.registers.iter().map(|r| special(r.special.is_some())).collect();
    solve_variables(kernel, &mut Analysis, start)
}

struct Analysis;

impl VariableAnalysis for Analysis {
    type Fact = NanSources;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<NanSources>) {
        let fact = match (inst.nan_use(), inst.src.first()) {
            (NanUse::Produces, _) => NanSources::RESULTS,
            (NanUse::Copies, Some(Operand::Reg(from))) => *facts.get(*from as usize),
            (NanUse::Copies, Some(Operand::Const(bits)))
                if !f32::from_bits(*bits as u32).is_nan() =>
            {
                NanSources::default()
            }
            _ => NanSources::OTHERS,
        };
        inst.writes().for_each(|r| facts.meet(r as usize, &fact));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{Lowering, LoweringOptions};
    use crate::module::{ModuleNames, PlacedModule};
    use lanework_ptx::Module;
    use std::collections::HashMap;

    /// The instructions of a body, and which of them this pass added.
    fn lowered(body: &str) -> Vec<bool> {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 p) {{\n\
             .reg .f32 %f<9>; .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %l<3>;\n\
             ld.param.u64 %l1, [p];\n{body}\nret; }}"
        );
        let module = Module::parse(&text).expect("PTX");
        let entry = module.entries().next().expect("an entry");
        let (names, addresses) = (ModuleNames::new(&module), HashMap::new());
        let source = PlacedModule { module: &module, names: &names, addresses: &addresses };
        let Ok(kernel) = Lowering::entry(source, entry, LoweringOptions::default()) else {
            panic!("it lowers");
        };
        let added = |inst: &Inst| match (&inst.dst[..], &inst.src[..]) {
            ([Some(to)], [Operand::Reg(from)]) => to == from,
            _ => false,
        };
        kernel.insts.iter().map(added).collect()
    }

    #[test]
    fn a_loop_is_canonicalized_once_at_the_store_after_it() {
        let added = lowered(
            "mov.f32 %f1, 0f00000000; ld.global.f32 %f2, [%l1]; mov.u32 %r1, 0;\n\
             L: fma.rn.f32 %f3, %f1, %f2, %f1; mov.f32 %f1, %f3;\n\
             add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;\n\
             st.global.f32 [%l1], %f1;",
        );
        assert_eq!(added.iter().filter(|added| **added).count(), 1);
        assert!(added[added.len() - 3], "before the store: {added:?}");
    }

    #[test]
    fn loaded_bits_in_a_shared_register_are_kept() {
        let added = lowered(
            "ld.global.f32 %f1, [%l1]; setp.eq.f32 %p1, %f1, %f1;\n\
             @%p1 add.f32 %f1, %f1, %f1; st.global.f32 [%l1], %f1;",
        );
        assert_eq!(added.iter().filter(|added| **added).count(), 1);
        assert!(added[4], "right after the addition: {added:?}");
    }
}
