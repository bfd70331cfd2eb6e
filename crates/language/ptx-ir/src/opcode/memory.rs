//! Loads, stores and atomics on memory, and their place in the memory model (PTX manual, "Data Movement and
//! Conversion Instructions", "Memory Consistency Model").

use crate::opcode::atomic::AtomicOp;
use crate::types::MemorySpace;
use lanework_ptx::ScalarType;

/// A memory instruction. `src[0]` is the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryOp {
    /// What it does.
    pub kind: MemoryKind,
    /// Where.
    pub space: MemorySpace,
    /// Type of one element in memory.
    pub ty: ScalarType,
    /// Elements per lane: 1, 2, 4 or 8.
    pub count: u8,
    /// Bytes added to the address.
    pub offset: i64,
    /// Whether lanes that read one address may get different values.
    pub volatile: bool,
    /// Its order among others.
    pub order: Order,
    /// Which part of a vector it is, for an atomic on one element of a vector.
    pub part: Part,
}

/// Which part of an instruction's access an operation makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// The first of so many elements.
    First(u8),
    /// A further element.
    Rest,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Reads into the destinations.
    Load,
    /// Writes the sources after the address.
    Store,
    /// Replaces a word by a function of it and two sources, and returns the old one.
    Atomic(AtomicOp),
}

/// Who an instruction's ordering reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// The blocks of the cluster.
    Cluster,
    /// Everything that can reach the memory.
    Device,
}

/// What an access says about its order among others; races are decided by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// A strong access (`.volatile`, `.relaxed` or more) and its scope; `None` for a weak one.
    pub strong: Option<Scope>,
    /// Whether what the thread did before is visible to whoever reads the result.
    pub release: bool,
    /// A `.volatile` access to data: a write, or a read that no branch depends on. Two of them race.
    pub data: bool,
    /// Whether what an atomic returns decides anything, or goes to memory or to other lanes: only then does
    /// its thread know what it came after. `false` for `red`.
    pub observes: bool,
    /// A load through the cache that is not coherent (`.nc`), of what must not change while the kernel runs.
    pub read_only: bool,
    /// Elements, a bit for each, whose values a load gives only to be moved and stored in local memory.
    pub copies: u8,
}
