//! Reasons for lost cycles, by Nsight Compute's names, and their sums by run.

/// Why a warp did not issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// A fixed-latency result.
    Wait,
    /// A result of global or local memory.
    LongScoreboard,
    /// A result of shared memory, a shuffle or a special function.
    ShortScoreboard,
    /// A busy arithmetic pipe.
    MathPipeThrottle,
    /// The full queue of memory instructions.
    MioThrottle,
    /// The full queue of global memory.
    LgThrottle,
    /// A barrier or mbarrier.
    Barrier,
    /// A fence.
    Membar,
    /// The target of a branch.
    BranchResolving,
    /// The fetch of instructions.
    NoInstruction,
    /// Matrix products of a warpgroup.
    Gmma,
    /// Another warp issued.
    NotSelected,
}

/// Number of reasons.
pub const STALLS: usize = 12;

impl Stall {
    /// Every reason, in the order of [`LostCycles`].
    pub const ALL: [Stall; STALLS] = [
        Stall::Wait,
        Stall::LongScoreboard,
        Stall::ShortScoreboard,
        Stall::MathPipeThrottle,
        Stall::MioThrottle,
        Stall::LgThrottle,
        Stall::Barrier,
        Stall::Membar,
        Stall::BranchResolving,
        Stall::NoInstruction,
        Stall::Gmma,
        Stall::NotSelected,
    ];

    /// Nsight Compute's name.
    pub fn name(self) -> &'static str {
        match self {
            Stall::Wait => "wait",
            Stall::LongScoreboard => "long_scoreboard",
            Stall::ShortScoreboard => "short_scoreboard",
            Stall::MathPipeThrottle => "math_pipe_throttle",
            Stall::MioThrottle => "mio_throttle",
            Stall::LgThrottle => "lg_throttle",
            Stall::Barrier => "barrier",
            Stall::Membar => "membar",
            Stall::BranchResolving => "branch_resolving",
            Stall::NoInstruction => "no_instruction",
            Stall::Gmma => "gmma",
            Stall::NotSelected => "not_selected",
        }
    }
}

/// Lost warp cycles and issues by run.
#[derive(Clone, Debug, Default)]
pub struct LostCycles {
    /// By run, by reason.
    pub by_run: Vec<[f64; STALLS]>,
    /// Issues by run.
    pub issues: Vec<u64>,
}

impl LostCycles {
    /// Nothing, for so many runs.
    pub fn new(runs: usize) -> LostCycles {
        LostCycles { by_run: vec![[0.0; STALLS]; runs], issues: vec![0; runs] }
    }

    /// Adds lost cycles.
    pub fn add(&mut self, run: u32, reason: Stall, cycles: f64) {
        self.by_run[run as usize][reason as usize] += cycles;
    }

    /// Counts an issue.
    pub fn issue(&mut self, run: u32) {
        self.issues[run as usize] += 1;
    }
}
