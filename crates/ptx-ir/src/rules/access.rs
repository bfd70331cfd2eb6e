//! Modifiers and operands of instructions that access memory.

use super::context::Cx;
use crate::kernel::{MemorySpace, Scope};
use crate::lower::unsupported::Rule;
use crate::opcode::atomic::AtomicKind;
use lanework_ptx::Operand;

/// Modifiers with `::` written as one word (`shared::cta`), or split by a reader of single colons.
pub fn space(cx: &Cx<'_, '_>) -> MemorySpace {
    for modifier in &cx.instruction.modifiers {
        return match modifier.split("::").next().unwrap_or_default() {
            "global" => MemorySpace::Global,
            "shared" => MemorySpace::Shared,
            "local" => MemorySpace::Local,
            "param" => MemorySpace::Parameter,
            "const" => MemorySpace::Constant,
            _ => continue,
        };
    }
    MemorySpace::Generic
}

/// Who the ordering of an instruction reaches: the device where it does not say.
pub fn scope(cx: &Cx<'_, '_>) -> Scope {
    match () {
        () if cx.has("cta") => Scope::Block,
        () if cx.has("cluster") => Scope::Cluster,
        () => Scope::Device,
    }
}

/// The elements of a vector operand, or the one operand.
pub fn elements(cx: &Cx<'_, '_>, i: usize, count: u8) -> Rule<Vec<Operand>> {
    let elements = match cx.operand(i)?.clone() {
        Operand::Vector(elements) => elements,
        operand => vec![operand],
    };
    if elements.len() == usize::from(count) {
        Ok(elements)
    } else {
        Err(cx.unknown("the vector's length does not fit the instruction"))
    }
}

/// The space that an address really is in: a parameter of a function lies in local memory.
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
pub fn atomic_kind(modifier: &str) -> Option<AtomicKind> {
    Some(match modifier {
        "add" => AtomicKind::Add,
        "min" => AtomicKind::Min,
        "max" => AtomicKind::Max,
        "inc" => AtomicKind::Increment,
        "dec" => AtomicKind::Decrement,
        "cas" => AtomicKind::CompareAndSwap,
        "exch" => AtomicKind::Exchange,
        "and" => AtomicKind::And,
        "or" => AtomicKind::Or,
        "xor" => AtomicKind::Xor,
        _ => return None,
    })
}
