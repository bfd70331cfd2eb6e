//! Modifiers and operands shared by instructions that access memory.

use crate::error::LoweringResult;
use crate::kernel::{MemoryOrder, MemorySpace, Scope};
use crate::opcode::memory::AtomicKind;
use crate::rules::context::Cx;
use lanework_ptx as syntax;

/// Modifiers of ordering, caching and prefetching. The emulator runs memory accesses in order, so they have no effect.
const HINTS: &[&str] = &[
    "volatile",
    "weak",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "sc",
    "mmio",
    "cta",
    "cluster",
    "gpu",
    "sys",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "unified",
    "v2",
    "v4",
    "v8",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_normal",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::cache_hint",
    "entry",
    "func",
];

const SPACES: &[&str] = &[
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "param",
    "param::entry",
    "param::func",
    "const",
];

/// Refuses modifiers that are neither hints, nor spaces, nor in `more`.
pub fn allowed(cx: &Cx<'_, '_>, more: &[&str]) -> LoweringResult {
    let known: Vec<&str> = HINTS.iter().chain(SPACES).chain(more).copied().collect();
    cx.allow(&known)
}

/// Elements of a vector access.
pub fn count(cx: &Cx<'_, '_>) -> u8 {
    [("v2", 2), ("v4", 4), ("v8", 8)].iter().find(|(v, _)| cx.has(v)).map_or(1, |(_, n)| *n)
}

/// The order of an access among others.
pub fn order(cx: &Cx<'_, '_>) -> MemoryOrder {
    let strong = ["volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio"];
    let strong = strong.iter().any(|word| cx.has(word));
    let release = cx.has("release") || cx.has("acq_rel");
    MemoryOrder {
        strong: strong.then(|| scope(cx)),
        release,
        data: cx.has("volatile"),
        read_only: cx.has("nc"),
        ..MemoryOrder::default()
    }
}

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

/// The scope of an instruction's ordering; the device by default.
pub fn scope(cx: &Cx<'_, '_>) -> Scope {
    match () {
        () if cx.has("cta") => Scope::Block,
        () if cx.has("cluster") => Scope::Cluster,
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
