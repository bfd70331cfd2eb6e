//! The limits of a predicted time: their names and meanings.

use crate::sm::pipes::Resource;

/// The limit of a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A busy unit.
    Busy(Resource),
    /// Warps wait for results.
    Latency,
    /// Warps wait for others of their block.
    Barriers,
    /// The launch.
    Launch,
    /// Multiprocessors without a block in the last wave.
    WaveTail,
    /// Accesses to memory of the host.
    HostMemory,
    /// Atomics on the same words.
    ContendedAtomics,
    /// Blocks wait for others.
    OtherBlocks,
}

impl Limit {
    /// All limits.
    pub fn all() -> impl Iterator<Item = Limit> {
        let others = [
            Limit::Latency,
            Limit::Barriers,
            Limit::Launch,
            Limit::WaveTail,
            Limit::HostMemory,
            Limit::ContendedAtomics,
            Limit::OtherBlocks,
        ];
        Resource::ALL.into_iter().map(Limit::Busy).chain(others)
    }

    /// The name in tables and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Busy(Resource::Issue) => "issue",
            Limit::Busy(Resource::Fma) => "FP32 pipe",
            Limit::Busy(Resource::Alu) => "integer pipe",
            Limit::Busy(Resource::Double) => "FP64 pipe",
            Limit::Busy(Resource::Special) => "special functions",
            Limit::Busy(Resource::Tensor) => "tensor cores",
            Limit::Busy(Resource::Shared) => "shared memory and L1",
            Limit::Busy(Resource::L2) => "L2",
            Limit::Busy(Resource::Dram) => "DRAM",
            Limit::Latency => "latency",
            Limit::Barriers => "barriers",
            Limit::Launch => "launch",
            Limit::WaveTail => "wave tail",
            Limit::HostMemory => "host memory",
            Limit::ContendedAtomics => "contended atomics",
            Limit::OtherBlocks => "waits for other blocks",
        }
    }

    /// The meaning, for `lanework explain`.
    pub const fn meaning(self) -> &'static str {
        match self {
            Limit::Busy(Resource::Issue) => {
                "The schedulers issue an instruction in nearly every cycle; fewer instructions help."
            }
            Limit::Busy(Resource::Fma) => {
                "The units for single precision, which also multiply integers, are busy."
            }
            Limit::Busy(Resource::Alu) => {
                "The units for integer additions, comparisons and logic are busy."
            }
            Limit::Busy(Resource::Double) => {
                "The units for double precision are busy; most consumer GPUs have few of them."
            }
            Limit::Busy(Resource::Special) => {
                "The units for reciprocals, roots, exponentials and conversions are busy."
            }
            Limit::Busy(Resource::Tensor) => "The tensor cores are busy.",
            Limit::Busy(Resource::Shared) => {
                "The memory of the multiprocessor is busy; fewer bank conflicts and sectors help."
            }
            Limit::Busy(Resource::L2) => {
                "The L2 cache delivers as much as it can; fewer sectors help."
            }
            Limit::Busy(Resource::Dram) => {
                "Device memory delivers as much as it can; fewer bytes from memory help."
            }
            Limit::Latency => {
                "No unit is busy: warps wait for results; more warps, or more independent instructions in each, help."
            }
            Limit::Barriers => "No unit is busy: warps wait for others of their block at barriers.",
            Limit::Launch => "The launch takes most of the time; more work in each launch helps.",
            Limit::WaveTail => {
                "The last wave of blocks leaves multiprocessors idle; smaller blocks or another grid help."
            }
            Limit::HostMemory => "The kernel waits for memory of the host, over the bus.",
            Limit::ContendedAtomics => "Atomics on the same words take turns.",
            Limit::OtherBlocks => "Blocks wait for values that other blocks write.",
        }
    }
}
