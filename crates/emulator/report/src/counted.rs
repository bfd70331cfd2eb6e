//! The result of a counted run: kernel, shape, resources and counters.

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
    /// Its line: of the source, else of the PTX text; 0 if unknown.
    pub fn line(&self) -> u32 {
        self.origin.location.as_ref().map_or(self.origin.text_line, |location| location.line)
    }
}

/// Resource usage of a compiled kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// 32-bit registers per thread: on a GPU as assigned by the driver's compiler, on the emulator
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
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory per block.
    pub dynamic_shared: u32,
    /// Resource usage of the kernel.
    pub resources: Resources,
    /// The counters of the whole kernel.
    pub counters: &'a Counters,
    /// The counters of each instruction.
    pub instructions: &'a [InstructionProfile],
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

impl Counted<'_> {
    /// Threads per block.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }
}
