//! Uses of loaded values, for the race and initialization checks: idioms that correct programs rely on.
//!
//! - *A guess before a compare-and-swap*: `old = *p; do .. while (atomicCAS(p, old, ..) != old)`. The plain read races with other
//!   threads' swaps, but a wrong guess is harmless: the swap fails. Such loads count as strong.
//! - *Polling a flag*: a `.volatile` read that a branch depends on, as in a spin loop. Other `.volatile` accesses are data, as in
//!   warp-synchronous reductions, and can race.
//! - *Using the result of an atomic*: the thread learns what happened before, like the last block to take a ticket. A result used
//!   only as an index orders nothing. The same holds for a test of an mbarrier's phase.
//! - *Copying a structure with padding*: uninitialized bytes of local memory are read and stored again, with no other use.
//!
//! Backward slices (Weiser, "Program Slicing", 1981) over data dependences, flow-insensitive, on [`crate::analysis::dataflow`]:
//! through registers and, at constant addresses, through local memory. Values are not followed through other memory, nor across
//! lanes except for branches. A use hidden there is missed, so a race may be suppressed or reported wrongly.

use crate::analysis::bitset::BitSet;
use crate::analysis::dataflow::{Direction, Facts, VariableAnalysis, solve_variables};
use crate::kernel::{
    Inst, Kernel, MemoryKind, MemoryOp, MemoryOrder, MemorySpace, Opcode, Operand, Reg, Scope,
};
use crate::opcode::asynchrony::{AsyncOp, MbarrierOp};
use std::collections::HashMap;

/// Marks the loads of these idioms in a kernel.
pub fn mark_load_uses(kernel: &mut Kernel) {
    let compared = compared(kernel);
    let decides = decides(kernel);
    let returns = |inst: &Inst| match &inst.opcode {
        Opcode::Memory(op) => {
            matches!(op.kind, MemoryKind::Atomic(_)) && inst.dst.iter().any(Option::is_some)
        }
        Opcode::Async(AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _)) => true,
        _ => false,
    };
    let told = match kernel.insts.iter().any(returns) {
        true => solve_uses(kernel, Uses { copies: false, addresses: false, local: true }),
        false => Vec::new(),
    };
    let reads_local = |inst: &Inst| matches!(&inst.opcode, Opcode::Memory(op) if local(kernel, op));
    let unknown = match kernel.insts.iter().any(reads_local) {
        true => {
            let uses = |copies| solve_uses(kernel, Uses { copies, addresses: true, local: false });
            [uses(false), uses(true), constant(kernel)]
        }
        false => [Vec::new(), Vec::new(), Vec::new()],
    };
    let [consumed, looked_at, constant] = unknown;
    let local_bytes = kernel.local_bytes;
    for inst in &mut kernel.insts {
        let mut results = inst.dst.iter().flatten();
        if let Opcode::Async(AsyncOp::Mbarrier(MbarrierOp::Wait { observes, .. }, _)) =
            &mut inst.opcode
        {
            *observes = results.any(|r| told[*r as usize]);
            continue;
        }
        let Opcode::Memory(op) = &mut inst.opcode else { continue };
        if matches!(op.kind, MemoryKind::Atomic(_)) {
            op.order.observes = results.any(|r| told[*r as usize]);
        }
        if !matches!(op.kind, MemoryKind::Load) {
            continue;
        }
        let all = |of: &[bool]| inst.dst.iter().flatten().all(|r| of[*r as usize]);
        op.order.data &= !inst.dst.iter().flatten().any(|r| decides[*r as usize]);
        if op.space != MemorySpace::Local && op.order.strong.is_none() && all(&compared) {
            op.order = MemoryOrder { strong: Some(Scope::Device), ..op.order };
        }
        let at_local =
            op.space == MemorySpace::Local || (op.space == MemorySpace::Generic && local_bytes > 0);
        if !at_local {
            continue;
        }
        let field = inst.src[0].register().is_none_or(|r| constant[r as usize]);
        let used = if field { &looked_at } else { &consumed };
        let copied = |dst: &Option<Reg>| dst.is_none_or(|r| !used[r as usize]);
        let bits = inst.dst.iter().enumerate().map(|(i, dst)| u8::from(copied(dst)) << i);
        op.order.copies = bits.sum();
    }
}

/// Whether an access may be one to local memory. Code for debugging uses generic addresses.
fn local(kernel: &Kernel, op: &MemoryOp) -> bool {
    op.space == MemorySpace::Local || (op.space == MemorySpace::Generic && kernel.local_bytes > 0)
}

/// A constant address in local memory; `None` if unknown.
type LocalPlace = Option<u64>;

/// Whether an access to local memory is a load, and its place; `None` for other instructions.
fn local_access(kernel: &Kernel, inst: &Inst) -> Option<(bool, LocalPlace)> {
    match (&inst.opcode, inst.src.first()) {
        (Opcode::Memory(op), Some(src)) if local(kernel, op) => {
            let load = matches!(op.kind, MemoryKind::Load);
            let at = match src {
                Operand::Const(at) => Some(at.wrapping_add_signed(op.offset)),
                _ => None,
            };
            Some((load, at))
        }
        _ => None,
    }
}

fn no_registers(kernel: &Kernel) -> Vec<bool> {
    vec![false; kernel.registers.len()]
}

/// Registers whose values flow into the expected value of a compare-and-swap.
fn compared(kernel: &Kernel) -> Vec<bool> {
    let mut found = no_registers(kernel);
    let is_swap = |inst: &&Inst| match &inst.opcode {
        Opcode::Memory(op) => matches!(op.kind, MemoryKind::Atomic(_)) && inst.src.len() == 3,
        _ => false,
    };
    for swap in kernel.insts.iter().filter(is_swap) {
        swap.src[1].register().into_iter().for_each(|r| found[r as usize] = true);
    }
    backward_slice(kernel, found, false)
}

/// Registers whose values reach a condition; empty without `.volatile` loads.
fn decides(kernel: &Kernel) -> Vec<bool> {
    let mut found = no_registers(kernel);
    let is_volatile = |inst: &Inst| match &inst.opcode {
        Opcode::Memory(op) => op.order.data && matches!(op.kind, MemoryKind::Load),
        _ => false,
    };
    if !kernel.insts.iter().any(is_volatile) {
        return found;
    }
    for (r, _) in kernel.insts.iter().filter_map(|inst| inst.guard) {
        found[r as usize] = true;
    }
    backward_slice(kernel, found, true)
}

/// The registers that those in `found` are computed from, also through local memory and, with `across`, from other lanes.
fn backward_slice(kernel: &Kernel, found: Vec<bool>, across: bool) -> Vec<bool> {
    if !found.contains(&true) {
        return found;
    }
    let mut places = HashMap::from([(None, found.len())]);
    for (_, at) in kernel.insts.iter().filter_map(|inst| local_access(kernel, inst)) {
        let next = found.len() + places.len();
        places.entry(at).or_insert(next);
    }
    let mut start = found;
    start.resize(start.len() + places.len(), false);
    solve_variables(kernel, &mut Slice { kernel, across, places }, start)
}

/// Whether each register, and each place in local memory, is in the slice.
struct Slice<'a> {
    kernel: &'a Kernel,
    across: bool,
    /// The variables that stand for places in local memory.
    places: HashMap<LocalPlace, usize>,
}

impl VariableAnalysis for Slice<'_> {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Backward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let access = local_access(self.kernel, inst);
        let mut wanted = false;
        self.inputs(inst, &mut |variable| wanted |= *facts.get(variable));
        if !wanted {
            return;
        }
        if let Some((true, at)) = access {
            facts.meet(self.places[&at], &true);
        }
        let from: &[Operand] = match &inst.opcode {
            Opcode::Memory(_) if matches!(access, Some((false, _))) => &inst.src[1..],
            Opcode::Memory(_) => &[],
            _ if self.across || inst.is_alu() => &inst.src,
            _ => &[],
        };
        for r in from.iter().filter_map(|src| src.register()) {
            facts.meet(r as usize, &true);
        }
    }

    fn inputs(&self, inst: &Inst, each: &mut dyn FnMut(usize)) {
        match local_access(self.kernel, inst) {
            Some((false, at)) => [at, None].iter().for_each(|at| each(self.places[at])),
            _ => inst.writes().for_each(|r| each(r as usize)),
        }
    }
}

/// Which uses of a value count. Branches and exchanges with other lanes always do.
#[derive(Clone, Copy)]
struct Uses {
    /// Stores to other memory do not count.
    copies: bool,
    /// Addresses count.
    addresses: bool,
    /// Stores to local memory count.
    local: bool,
}

/// Registers whose values are used.
fn solve_uses(kernel: &Kernel, uses: Uses) -> Vec<bool> {
    solve_variables(kernel, &mut Consumed { kernel, uses }, no_registers(kernel))
}

struct Consumed<'a> {
    kernel: &'a Kernel,
    uses: Uses,
}

impl VariableAnalysis for Consumed<'_> {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Backward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<bool>) {
        if let Some((guard, _)) = inst.guard {
            facts.meet(guard as usize, &true);
        }
        let mut used = match &inst.opcode {
            Opcode::Memory(op)
                if matches!(op.kind, MemoryKind::Store)
                    && (self.uses.copies || !self.uses.local && local(self.kernel, op)) =>
            {
                &inst.src[..1]
            }
            _ if inst.is_alu() && !inst.writes().any(|r| *facts.get(r as usize)) => &[],
            _ => &inst.src[..],
        };
        if !self.uses.addresses && matches!(inst.opcode, Opcode::Memory(_)) {
            used = used.get(1..).unwrap_or_default();
        }
        for r in used.iter().filter_map(|src| src.register()) {
            facts.meet(r as usize, &true);
        }
    }
}

/// Registers computed only from constants, like the addresses of fields. A register that a loop advances does not
/// count.
fn constant(kernel: &Kernel) -> Vec<bool> {
    let mut unproved = vec![0; kernel.registers.len()];
    kernel.insts.iter().flat_map(Inst::writes).for_each(|r| unproved[r as usize] += 1);
    let mut analysis = Constant { unproved, proved: BitSet::new(kernel.insts.len()) };
    solve_variables(kernel, &mut analysis, no_registers(kernel))
}

/// Whether every instruction that writes a register is proved to compute from constants.
struct Constant {
    /// By register: instructions that write it and are not proved.
    unproved: Vec<u32>,
    proved: BitSet,
}

impl VariableAnalysis for Constant {
    type Fact = bool;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, at: usize, inst: &Inst, facts: &mut Facts<bool>) {
        let operands = || inst.src.iter().filter_map(|src| src.register());
        let constant = inst.is_alu() && operands().all(|r| *facts.get(r as usize));
        if !constant || self.proved.contains(at) {
            return;
        }
        self.proved.insert(at);
        for r in inst.writes().map(|r| r as usize) {
            self.unproved[r] -= 1;
            facts.meet(r, &(self.unproved[r] == 0));
        }
    }
}
