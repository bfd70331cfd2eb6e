//! Registers of a warpgroup's product that are touched before the wait.
//!
//! A GPU reads and writes the registers of `wgmma.mma_async` while the warps go on: until a
//! `wgmma.wait_group` has waited for its group, accumulators may be touched only by further products
//! that accumulate in them, and registers that hold A may only be read. The emulator does products
//! when they are issued, so that a run does not show the error; the flow graph does.

use super::ops::MatrixOp;
use crate::asynchrony::AsyncOp;
use crate::flow::Flow;
use crate::ir::{Action, Inst, Kernel, Reg, Src};
use std::collections::{BTreeMap, BTreeSet};

/// A touch too early, by the numbers of PTX instructions as in [`crate::Place::instruction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Early {
    /// What touches a register.
    pub instruction: u32,
    /// The product that has it.
    pub product: u32,
    /// Whether the register is written.
    pub writes: bool,
}

/// A register that a product has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    /// Groups committed since, this one included; 0 before the commit. At most [`OLD`].
    age: u32,
    /// The product's instruction.
    product: u32,
    /// Whether it accumulates there, not only reads A from it.
    accumulates: bool,
}

/// Groups are not told apart beyond this age.
const OLD: u32 = 8;

/// What products have at one place of the program. Where two ways meet, the younger counts.
type State = BTreeMap<Reg, Held>;

/// The touches of a kernel that come too early.
pub fn find(kernel: &Kernel, flow: &Flow) -> Vec<Early> {
    let group = |inst: &Inst| matches!(inst.action, Action::Matrix(MatrixOp::Group(_)));
    if !kernel.insts.iter().any(group) {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    let mut before: Vec<Option<State>> = vec![None; flow.blocks.len()];
    before[0] = Some(State::new());
    let mut work = vec![0];
    while let Some(b) = work.pop() {
        let block = &flow.blocks[b];
        let mut state = before[b].clone().unwrap_or_default();
        for inst in &kernel.insts[block.start..block.end] {
            step(kernel, inst, &mut state, &mut found);
        }
        for next in block.next.into_iter().chain(block.target) {
            if join(&mut before[next], &state) {
                work.push(next);
            }
        }
    }
    found.into_iter().collect()
}

/// Adds what is held on one more way to a place; whether that changes anything.
fn join(to: &mut Option<State>, state: &State) -> bool {
    let Some(to) = to else {
        *to = Some(state.clone());
        return true;
    };
    let mut changed = false;
    for (register, held) in state {
        let old = to.get(register);
        if old.is_none_or(|old| held < old) {
            to.insert(*register, *held);
            changed = true;
        }
    }
    changed
}

fn step(kernel: &Kernel, inst: &Inst, state: &mut State, found: &mut BTreeSet<Early>) {
    let registers = |src: &Src| match src {
        Src::Reg(register) => Some(*register),
        _ => None,
    };
    match &inst.action {
        Action::Async(AsyncOp::ProductCommit) => {
            for held in state.values_mut() {
                held.age = (held.age + 1).min(OLD);
            }
        }
        Action::Async(AsyncOp::ProductWait { pending }) => {
            state.retain(|_, held| held.age <= *pending);
        }
        Action::Matrix(MatrixOp::Group(this)) => {
            let accumulators: BTreeSet<Reg> = inst.dst.iter().flatten().copied().collect();
            let factors = if this.registers { &inst.src[2..6] } else { &[] };
            let mine = |accumulates| Held { age: 0, product: inst.origin, accumulates };
            for register in factors.iter().filter_map(registers) {
                if let Some(held) = state.get(&register).filter(|held| held.accumulates) {
                    let (instruction, product) = (inst.origin, held.product);
                    found.insert(Early { instruction, product, writes: false });
                }
                state.insert(register, mine(false));
            }
            for register in accumulators {
                state.insert(register, mine(true));
            }
        }
        _ => {
            // Copies between a product and its wait are made by compilers, and removed by the next.
            let copy = kernel.origins[inst.origin as usize].name.starts_with("mov");
            for register in inst.src.iter().filter_map(registers) {
                if let Some(held) = state.get(&register).filter(|held| held.accumulates && !copy) {
                    let (instruction, product) = (inst.origin, held.product);
                    found.insert(Early { instruction, product, writes: false });
                }
            }
            for register in inst.dst.iter().flatten() {
                if let Some(held) = state.get(register).filter(|_| !copy) {
                    let (instruction, product) = (inst.origin, held.product);
                    found.insert(Early { instruction, product, writes: true });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Emulator, Options};
    use lanework_ptx::Module;

    #[test]
    fn what_compilers_print_touches_nothing_too_early() {
        let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        for (file, entries) in [
            ("ptx/tests/data/triton.product.sm_90.ptx", &["product"][..]),
            ("lanework/tests/tensor/products.ptx", &["swizzled_product", "specialised_product"]),
        ] {
            let text = std::fs::read_to_string(format!("{crates}/{file}")).expect("the test data");
            let module = Module::parse(&text).expect("it parses");
            let program = Emulator::new(Options::default()).load(&module).expect("it loads");
            for entry in entries {
                assert_eq!(program.early_touches(entry), Vec::new(), "{entry}");
            }
        }
    }
}
