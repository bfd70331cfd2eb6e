//! What a counted run hands over: the kernel, its shape, its resources and its counters.

use lanework_emulator::{Counters, Origin};

/// The counters of one PTX instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionProfile {
    /// The instruction, with its line in the PTX and its source location.
    pub origin: Origin,
    /// Its counters.
    pub counters: Counters,
}

impl InstructionProfile {
    /// Its line: of the source, else of the PTX text; 0 when unknown.
    pub fn line(&self) -> u32 {
        self.origin.location.as_ref().map_or(self.origin.text_line, |location| location.line)
    }
}

/// Resource usage of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers per thread: on a GPU as the driver's compiler assigned them, on the emulator
    /// an estimate from register pressure.
    pub registers: u32,
    /// Bytes of local memory per thread (spills and arrays); estimated on the emulator.
    pub local_bytes: u32,
    /// Whether registers and local bytes are estimates.
    pub estimated: bool,
    /// Bytes of static shared memory per block.
    pub static_shared: u32,
}

/// A counted run.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// The entry.
    pub kernel: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// What the kernel takes.
    pub resources: Resources,
    /// The counts of all instructions.
    pub counters: &'a Counters,
    /// The counts of each.
    pub instructions: &'a [InstructionProfile],
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

impl Counted<'_> {
    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}
