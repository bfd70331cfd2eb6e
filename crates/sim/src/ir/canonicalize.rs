//! The NaN of hot f32 arithmetic, put right where its bits can be seen.
//!
//! A GPU's f32 arithmetic makes one NaN, 0x7fffffff; the host passes on an operand's payload. Most
//! results only meet more arithmetic, to which the payload is nothing, so instead of paying in every
//! addition, this pass adds an instruction where a result meets something else: a store, a move to an
//! integer, a shuffle. Where a register also holds values that arithmetic did not make, whose bits must
//! stay, the instruction comes right after each arithmetic one.

use crate::ir::kernel::{Action, Inst, Kernel, NanUse, Reg, Src};
use crate::ir::opcode::Alu;

/// What a register is known to hold.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// Nothing of arithmetic as the host made it.
    Other,
    /// Only results of arithmetic, and constants that are numbers.
    Results,
    /// Those and others.
    Both,
}

/// Adds the instructions to a kernel.
pub fn put_right(kernel: &mut Kernel) {
    if !kernel.insts.iter().any(|inst| inst.nan == NanUse::Leaves) {
        return;
    }
    let holds = held(kernel);
    let (mut insts, mut moved) = (Vec::with_capacity(kernel.insts.len()), Vec::new());
    let canonicalise = |register: Reg, like: &Inst, guard| Inst {
        action: Action::Alu(Alu::CanonicalNan),
        dst: vec![Some(register)],
        src: vec![Src::Reg(register)],
        guard,
        origin: like.origin,
        nan: NanUse::Sees,
    };
    for inst in std::mem::take(&mut kernel.insts) {
        moved.push(insts.len());
        if inst.nan == NanUse::Sees {
            let mut seen: Vec<Reg> = Vec::new();
            for source in &inst.src {
                if let Src::Reg(r) = *source
                    && holds[r as usize] == Holds::Results
                    && !seen.contains(&r)
                {
                    insts.push(canonicalise(r, &inst, None));
                    seen.push(r);
                }
            }
        }
        let result = inst.dst.first().copied().flatten();
        let after = match (inst.nan, result) {
            (NanUse::Leaves, Some(r)) if holds[r as usize] == Holds::Both => {
                Some(canonicalise(r, &inst, inst.guard))
            }
            (NanUse::Copies, Some(r)) if holds[r as usize] == Holds::Both => match inst.src[0] {
                Src::Reg(from) if holds[from as usize] == Holds::Results => {
                    Some(canonicalise(r, &inst, inst.guard))
                }
                _ => None,
            },
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

/// What each register holds, followed through copies.
fn held(kernel: &Kernel) -> Vec<Holds> {
    let (mut results, mut others) =
        (vec![false; kernel.registers.len()], vec![false; kernel.registers.len()]);
    let mut copies = Vec::new();
    for inst in &kernel.insts {
        let number = |source: &Src| match source {
            Src::Const(bits) => !f32::from_bits(*bits as u32).is_nan(),
            _ => false,
        };
        for r in inst.dst.iter().copied().flatten() {
            match inst.nan {
                NanUse::Leaves => results[r as usize] = true,
                NanUse::Copies if number(&inst.src[0]) => {}
                NanUse::Copies => match inst.src[0] {
                    Src::Reg(from) => copies.push((from, r)),
                    _ => others[r as usize] = true,
                },
                _ => others[r as usize] = true,
            }
        }
    }
    // A copy holds what its source holds.
    loop {
        let mut changed = false;
        for (from, to) in &copies {
            let (from, to) = (*from as usize, *to as usize);
            let (result, other) = (results[to] | results[from], others[to] | others[from]);
            changed |= (result, other) != (results[to], others[to]);
            (results[to], others[to]) = (result, other);
        }
        if !changed {
            break;
        }
    }
    let special = kernel.registers.iter().map(|r| r.special.is_some());
    results
        .into_iter()
        .zip(others.into_iter().zip(special))
        .map(|(result, (other, special))| match (result, other || special) {
            (false, _) => Holds::Other,
            (true, false) => Holds::Results,
            (true, true) => Holds::Both,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::lower::Lowering;
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
        let Ok(kernel) = Lowering::entry(&module, entry, &HashMap::new(), false) else {
            panic!("it lowers");
        };
        let added = |inst: &Inst| match (&inst.dst[..], &inst.src[..]) {
            ([Some(to)], [Src::Reg(from)]) => to == from,
            _ => false,
        };
        kernel.insts.iter().map(added).collect()
    }

    #[test]
    fn a_loop_that_accumulates_pays_nothing_and_the_store_after_it_once() {
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
    fn loaded_bits_are_kept_where_results_share_their_register() {
        let added = lowered(
            "ld.global.f32 %f1, [%l1]; setp.eq.f32 %p1, %f1, %f1;\n\
             @%p1 add.f32 %f1, %f1, %f1; st.global.f32 [%l1], %f1;",
        );
        assert_eq!(added.iter().filter(|added| **added).count(), 1);
        assert!(added[4], "right after the addition: {added:?}");
    }
}
