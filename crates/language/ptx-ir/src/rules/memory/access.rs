//! Modifiers and operands shared by instructions that access memory.

use crate::LoweringResult;
use crate::kernel::{MemoryOrder, MemorySpace, Scope};
use crate::opcode::memory::AtomicKind;
use crate::rules::context::Cx;
use lanework_ptx as syntax;
use lanework_ptx::Modifier::{self, *};
use lanework_ptx::StateSpace;

/// Modifiers of ordering, caching and prefetching. The emulator runs memory accesses in order, so they have no effect.
#[rustfmt::skip] // as many as fit
const HINTS: &[Modifier] = &[
    Volatile, Weak, Relaxed, Acquire, Release, AcqRel, Sc, Mmio, Cta, Cluster, Gpu, Sys, Ca, Cg, Cs,
    Lu, Cv, Wb, Wt, Nc, Unified, V2, V4, V8, L1EvictNormal, L1EvictUnchanged, L1EvictFirst,
    L1EvictLast, L1NoAllocate, L2EvictFirst, L2EvictLast, L2EvictNormal, L2Prefetch64B,
    L2Prefetch128B, L2Prefetch256B, L2CacheHint,
];

/// Refuses modifiers that are neither hints, nor spaces, nor in `more`.
pub fn allowed(cx: &Cx<'_, '_>, more: &[Modifier]) -> LoweringResult {
    let spaces = cx.instruction.modifiers.iter().filter(|m| m.state_space().is_some());
    let known: Vec<Modifier> = HINTS.iter().chain(spaces).chain(more).copied().collect();
    cx.allow(&known)
}

/// Elements of a vector access.
pub fn count(cx: &Cx<'_, '_>) -> u8 {
    [V2, V4, V8].into_iter().find(|v| cx.has(*v)).and_then(Modifier::vector_length).unwrap_or(1)
}

/// The memory order of an access.
pub fn order(cx: &Cx<'_, '_>) -> MemoryOrder {
    let strong = [Volatile, Relaxed, Acquire, Release, AcqRel, Sc, Mmio];
    let strong = strong.iter().any(|word| cx.has(*word));
    let release = cx.has(Release) || cx.has(AcqRel);
    MemoryOrder {
        strong: strong.then(|| scope(cx)),
        release,
        acquire: cx.has(Acquire) || cx.has(AcqRel),
        data: cx.has(Volatile),
        read_only: cx.has(Nc),
        ..MemoryOrder::default()
    }
}

/// The state space that the modifiers name, else generic.
pub fn space(cx: &Cx<'_, '_>) -> MemorySpace {
    match cx.instruction.modifiers.iter().find_map(|modifier| modifier.state_space()) {
        Some(StateSpace::Global) => MemorySpace::Global,
        Some(StateSpace::Shared) => MemorySpace::Shared,
        Some(StateSpace::Local) => MemorySpace::Local,
        Some(StateSpace::Param) => MemorySpace::Parameter,
        Some(StateSpace::Const) => MemorySpace::Constant,
        Some(StateSpace::Reg) | None => MemorySpace::Generic,
    }
}

/// The scope of an instruction's ordering; the device by default.
pub fn scope(cx: &Cx<'_, '_>) -> Scope {
    match () {
        () if cx.has(Cta) => Scope::Block,
        () if cx.has(Cluster) => Scope::Cluster,
        () if cx.has(Sys) => Scope::System,
        () => Scope::Device,
    }
}

/// The elements of a vector operand, or the one operand.
pub fn elements(cx: &Cx<'_, '_>, i: usize, count: u8) -> LoweringResult<Vec<syntax::Operand>> {
    let elements = match cx.operand(i)?.clone() {
        syntax::Operand::Vector(elements) => elements,
        operand => vec![operand],
    };
    if elements.len() == usize::from(count) {
        Ok(elements)
    } else {
        Err(cx.unsupported("the vector's length does not fit the instruction"))
    }
}

/// The actual space of an address: parameters of device functions are in local memory.
pub fn resolve(space: MemorySpace, named: Option<MemorySpace>) -> MemorySpace {
    match (space, named) {
        (_, Some(named @ (MemorySpace::Local | MemorySpace::Shared | MemorySpace::Parameter))) => {
            named
        }
        (MemorySpace::Parameter, None) => MemorySpace::Generic,
        (space, _) => space,
    }
}

/// The kind of atomic that a modifier names.
pub fn atomic_kind(modifier: Modifier) -> Option<AtomicKind> {
    Some(match modifier {
        Add => AtomicKind::Add,
        Min => AtomicKind::Min,
        Max => AtomicKind::Max,
        Inc => AtomicKind::Increment,
        Dec => AtomicKind::Decrement,
        Cas => AtomicKind::CompareAndSwap,
        Exch => AtomicKind::Exchange,
        And => AtomicKind::And,
        Or => AtomicKind::Or,
        Xor => AtomicKind::Xor,
        _ => return None,
    })
}
