//! What a kernel's first and last instructions are made of when it is finished: barriers to initialise, registers
//! that roles move, and bounds checks that report their failure out of line.

use crate::value::{Index, Value};
use lanework_ptx::Location;

/// mbarriers that the kernel's first instructions initialise.
#[derive(Clone, Debug)]
pub(crate) struct BarrierSetup {
    /// The array of barriers, by its index in the builder's symbols.
    pub symbol: usize,
    /// How many there are.
    pub number: u32,
    /// Arrivals that complete a phase.
    pub arrivals: Value,
    pub position: Option<Location>,
}

/// A role whose threads get another number of registers.
#[derive(Clone, Debug)]
pub(crate) struct MovedRegisters {
    /// The role's first warp.
    pub first: u32,
    pub warps: u32,
    /// Registers of each thread from here on.
    pub count: u32,
    /// File, line and column.
    pub source: (String, u32, u32),
}

/// A failed bounds check's branch to the code that reports it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Where the check jumps when it fails.
    pub label: String,
    /// The check's number, from 1.
    pub site: usize,
    pub index: Index,
    pub length: Value,
}
