//! Observers: what a run can be watched with. They cost nothing when absent.

use crate::counters::{Counters, add_each};

/// Where an access went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Global memory.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Constant memory and kernel parameters.
    Constant,
}

/// What an access did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A read-modify-write.
    Atomic,
}

/// One warp's memory access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// Where.
    pub space: Space,
    /// What.
    pub kind: AccessKind,
    /// Bytes per lane: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// The active lanes.
    pub mask: u32,
    /// The address of each lane: global and constant ones are device addresses, shared and local
    /// ones offsets. Those of inactive lanes mean nothing.
    pub addresses: &'a [u64; 32],
    /// Where in the program and the grid.
    pub place: Place,
}

/// Where an event happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Linear index of the block.
    pub block: u64,
    /// Index of the warp in its block.
    pub warp: u32,
    /// Index of the PTX instruction in the kernel, for [`crate::Program::instruction_name`] and
    /// [`crate::Program::location`].
    pub instruction: u32,
}

/// Watches a run. Each worker has its own (`fork`), merged in a fixed order when the launch ends.
pub trait Observer: Send + Sized {
    /// Whether anything is watched; `false` removes all observing from the engine.
    const ON: bool = true;
    /// A fresh observer for another worker.
    fn fork(&self) -> Self;
    /// Takes in what another worker's observer has seen.
    fn merge(&mut self, other: Self);
    /// A warp executes an instruction with these active lanes.
    fn instruction(&mut self, _place: Place, _mask: u32) {}
    /// A warp accesses memory.
    fn access(&mut self, _access: &Access<'_>) {}
    /// A warp arrives at a barrier.
    fn barrier(&mut self, _place: Place, _mask: u32) {}
    /// Set to take the engine's built-in counters instead of events, which is faster: one for each
    /// PTX instruction of the kernel, numbered as in [`Place::instruction`].
    fn counters(&mut self) -> Option<&mut Vec<Counters>> {
        None
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {
    const ON: bool = false;
    fn fork(&self) -> Self {
        Quiet
    }
    fn merge(&mut self, _: Self) {}
}

/// Counts what a hardware profiler would count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CountingObserver {
    /// The counts of each instruction so far.
    pub instructions: Vec<Counters>,
}

impl CountingObserver {
    /// The counts of the whole kernel.
    pub fn total(&self) -> Counters {
        Counters::sum(&self.instructions)
    }
}

impl Observer for CountingObserver {
    fn fork(&self) -> Self {
        CountingObserver::default()
    }
    fn merge(&mut self, other: Self) {
        add_each(&mut self.instructions, &other.instructions);
    }
    fn counters(&mut self) -> Option<&mut Vec<Counters>> {
        Some(&mut self.instructions)
    }
}
