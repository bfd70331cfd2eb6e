//! Where the values of loads go, as far as checks need to know: three idioms of right programs.
//!
//! - *A guess before a compare-and-swap*: `old = *p; do .. while (atomicCAS(p, old, ..) != old)`. The
//!   plain read races with the swaps of others, but a wrong guess does no harm: the swap tells.
//! - *A look at a flag*: a `.volatile` read that a branch depends on, such as that of a loop which waits.
//!   Other `.volatile` accesses are data, as in reductions by a warp in lockstep, and race.
//! - *A copy of a structure with padding*: bytes of local memory that nothing has written are read and
//!   written on, and nobody looks at them.

use crate::ir::kernel::{
    Action, Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Order, Reg, Scope, Src,
};

/// Marks reads of either kind in a kernel.
pub fn mark(kernel: &mut Kernel) {
    let guesses = guesses(kernel);
    let decides = decides(kernel);
    let reads_local = |inst: &Inst| matches!(&inst.action, Action::Memory(op) if local(kernel, op));
    let unknown = match kernel.insts.iter().any(reads_local) {
        true => [consumed(kernel, false), consumed(kernel, true), fixed(kernel)],
        false => [Vec::new(), Vec::new(), Vec::new()],
    };
    let [consumed, looked_at, fixed] = unknown;
    let local_bytes = kernel.local_bytes;
    for inst in &mut kernel.insts {
        let Action::Memory(op) = &mut inst.action else { continue };
        if !matches!(op.kind, MemoryKind::Load) {
            continue;
        }
        let all = |of: &[bool]| inst.dst.iter().flatten().all(|r| of[*r as usize]);
        op.order.data &= !inst.dst.iter().flatten().any(|r| decides[*r as usize]);
        if op.space != MemorySpace::Local && op.order.strong.is_none() && all(&guesses) {
            op.order = Order { strong: Some(Scope::Device), ..op.order };
        }
        let at_local =
            op.space == MemorySpace::Local || (op.space == MemorySpace::Generic && local_bytes > 0);
        if !at_local {
            continue;
        }
        let field = registers(&inst.src[..1]).all(|r| fixed[r as usize]);
        let reach = if field { &looked_at } else { &consumed };
        let copied = |dst: &Option<Reg>| dst.is_none_or(|r| !reach[r as usize]);
        let bits = inst.dst.iter().enumerate().map(|(i, dst)| u8::from(copied(dst)) << i);
        op.order.copies = bits.sum();
    }
}

fn registers(sources: &[Src]) -> impl Iterator<Item = Reg> {
    sources.iter().filter_map(|src| match src {
        Src::Reg(r) => Some(*r),
        _ => None,
    })
}

/// The place in local memory that a load or store is of, as far as the address says; `None` in it for
/// any place.
fn local_place(kernel: &Kernel, inst: &Inst) -> Option<(bool, Option<u64>)> {
    match (&inst.action, inst.src.first()) {
        (Action::Memory(op), Some(src)) if local(kernel, op) => {
            let load = matches!(op.kind, MemoryKind::Load);
            let at = match src {
                Src::Const(at) => Some(at.wrapping_add_signed(op.offset)),
                _ => None,
            };
            Some((load, at))
        }
        _ => None,
    }
}

/// Registers whose values end up in what a compare-and-swap compares with.
fn guesses(kernel: &Kernel) -> Vec<bool> {
    let mut found = vec![false; kernel.registers.len()];
    let is_swap = |inst: &&Inst| match &inst.action {
        Action::Memory(op) => matches!(op.kind, MemoryKind::Atomic(_)) && inst.src.len() == 3,
        _ => false,
    };
    for swap in kernel.insts.iter().filter(is_swap) {
        registers(&swap.src[1..2]).for_each(|r| found[r as usize] = true);
    }
    backwards(kernel, found, false)
}

/// Registers whose values end up in a condition, where there are `.volatile` loads at all.
fn decides(kernel: &Kernel) -> Vec<bool> {
    let mut found = vec![false; kernel.registers.len()];
    let is_volatile = |inst: &Inst| match &inst.action {
        Action::Memory(op) => op.order.data && matches!(op.kind, MemoryKind::Load),
        _ => false,
    };
    if !kernel.insts.iter().any(is_volatile) {
        return found;
    }
    for (r, _) in kernel.insts.iter().filter_map(|inst| inst.guard) {
        found[r as usize] = true;
    }
    backwards(kernel, found, true)
}

/// The registers that these are made from, through local memory, and `across` lanes, too.
fn backwards(kernel: &Kernel, mut found: Vec<bool>, across: bool) -> Vec<bool> {
    let mut places = Vec::new();
    if !found.contains(&true) {
        return found;
    }
    loop {
        let mut changed = false;
        for inst in &kernel.insts {
            let wanted = match local_place(kernel, inst) {
                Some((false, at)) => places.contains(&at) || places.contains(&None),
                _ => inst.dst.iter().flatten().any(|r| found[*r as usize]),
            };
            if !wanted {
                continue;
            }
            if let Some((true, at)) = local_place(kernel, inst)
                && !places.contains(&at)
            {
                places.push(at);
                changed = true;
            }
            let from: &[Src] = match &inst.action {
                Action::Pure(_) | Action::Alu(_) => &inst.src,
                Action::Memory(_) if matches!(local_place(kernel, inst), Some((false, _))) => {
                    &inst.src[1..]
                }
                Action::Memory(_) => &[],
                _ if across => &inst.src,
                _ => &[],
            };
            for r in registers(from) {
                changed |= !std::mem::replace(&mut found[r as usize], true);
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Whether an access may be one to local memory. Code for debugging uses generic addresses.
fn local(kernel: &Kernel, op: &MemoryOp) -> bool {
    op.space == MemorySpace::Local || (op.space == MemorySpace::Generic && kernel.local_bytes > 0)
}

/// Registers whose values reach anything but local memory: an address, a branch, other lanes, and,
/// unless `copied` structures may go anywhere, other memory.
fn consumed(kernel: &Kernel, copied: bool) -> Vec<bool> {
    let mut found = vec![false; kernel.registers.len()];
    loop {
        let mut changed = false;
        let mut use_of = |r: Reg| changed |= !std::mem::replace(&mut found[r as usize], true);
        let mut made = Vec::new();
        for inst in &kernel.insts {
            inst.guard.into_iter().for_each(|(r, _)| use_of(r));
            match &inst.action {
                Action::Pure(_) | Action::Alu(_) => made.push(inst),
                Action::Memory(op)
                    if matches!(op.kind, MemoryKind::Store) && (copied || local(kernel, op)) =>
                {
                    registers(&inst.src[..1]).for_each(&mut use_of);
                }
                _ => registers(&inst.src).for_each(&mut use_of),
            }
        }
        for inst in made {
            if inst.dst.iter().flatten().any(|r| found[*r as usize]) {
                for r in registers(&inst.src) {
                    changed |= !std::mem::replace(&mut found[r as usize], true);
                }
            }
        }
        if !changed {
            return found;
        }
    }
}

/// Registers that are computed from constants alone, as the addresses of fields are.
fn fixed(kernel: &Kernel) -> Vec<bool> {
    let mut found = vec![false; kernel.registers.len()];
    loop {
        let mut now = vec![None; kernel.registers.len()];
        for inst in &kernel.insts {
            let known = |src: &Src| match src {
                Src::Reg(r) => found[*r as usize],
                _ => true,
            };
            let all = matches!(inst.action, Action::Pure(_) | Action::Alu(_))
                && inst.src.iter().all(known);
            for r in inst.dst.iter().flatten() {
                let so_far: &mut Option<bool> = &mut now[*r as usize];
                *so_far = Some(so_far.unwrap_or(true) && all);
            }
        }
        let now: Vec<bool> = now.into_iter().map(|fixed| fixed.unwrap_or(false)).collect();
        if now == found {
            return found;
        }
        found = now;
    }
}
