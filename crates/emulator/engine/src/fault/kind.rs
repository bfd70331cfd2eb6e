//! The kinds of faults, and their names.

/// The kind of a [`Fault`](super::Fault).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside every allocation.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// An access near address 0.
    Null,
    /// An access to memory already freed.
    UseAfterFree,
    /// `free` of what `malloc` did not give.
    BadFree,
    /// Threads wait at a barrier that can never complete.
    Deadlock,
    /// Part of a warp reached a barrier that the whole warp must reach.
    BarrierDivergence,
    /// An mbarrier is used in a way that its counts do not allow.
    Mbarrier,
    /// An mbarrier is used that nobody has initialised.
    NoMbarrier,
    /// A texture, sampler or surface that is none, does not fit its instruction, or is accessed outside.
    Texture,
    /// A tensor map that is none, or does not fit its instruction.
    TensorMap,
    /// A tile of a tensor is at a place that the copy engine does not take.
    TilePlace,
    /// Tensor memory, or an instruction on it, is used in a way that the manual does not allow.
    TensorMemory,
    /// The launch or kernel asks for more than the device has.
    LimitExceeded,
    /// The kernel executed `trap`.
    Trap,
    /// An assertion of the kernel does not hold.
    Assertion,
    /// A thread's stack has no room for another call or allocation.
    StackOverflow,
    /// Something that the emulator cannot do.
    Unsupported,
    /// A warp, or all of them together, ran more instructions than allowed.
    InstructionLimit,
    /// The launch took longer than allowed.
    TimeLimit,
    /// The arguments do not fit the kernel's parameters, or there is no such kernel.
    BadArguments,
}

impl FaultKind {
    /// Every kind.
    pub const ALL: [FaultKind; 20] = [
        FaultKind::OutOfBounds,
        FaultKind::Misaligned,
        FaultKind::Null,
        FaultKind::UseAfterFree,
        FaultKind::BadFree,
        FaultKind::Deadlock,
        FaultKind::BarrierDivergence,
        FaultKind::Mbarrier,
        FaultKind::NoMbarrier,
        FaultKind::TensorMap,
        FaultKind::TilePlace,
        FaultKind::LimitExceeded,
        FaultKind::Trap,
        FaultKind::Assertion,
        FaultKind::Unsupported,
        FaultKind::InstructionLimit,
        FaultKind::TimeLimit,
        FaultKind::StackOverflow,
        FaultKind::Texture,
        FaultKind::BadArguments,
    ];

    /// The kind of this name.
    pub fn named(name: &str) -> Option<FaultKind> {
        FaultKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name, for programs to read.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::OutOfBounds => "out-of-bounds",
            FaultKind::Misaligned => "misaligned",
            FaultKind::Null => "null-pointer",
            FaultKind::UseAfterFree => "use-after-free",
            FaultKind::BadFree => "bad-free",
            FaultKind::Deadlock => "deadlock",
            FaultKind::BarrierDivergence => "barrier-divergence",
            FaultKind::Mbarrier => "mbarrier",
            FaultKind::NoMbarrier => "uninitialized-mbarrier",
            FaultKind::TensorMap => "tensor-map",
            FaultKind::TilePlace => "tile-place",
            FaultKind::TensorMemory => "tensor-memory",
            FaultKind::LimitExceeded => "limit-exceeded",
            FaultKind::Trap => "trap",
            FaultKind::Assertion => "assertion",
            FaultKind::Unsupported => "unsupported",
            FaultKind::InstructionLimit => "instruction-limit",
            FaultKind::TimeLimit => "time-limit",
            FaultKind::StackOverflow => "stack-overflow",
            FaultKind::Texture => "texture",
            FaultKind::BadArguments => "bad-arguments",
        }
    }
}
