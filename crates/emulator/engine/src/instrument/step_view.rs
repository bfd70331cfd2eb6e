//! A warp before its next instruction, for an instrument that follows every step ([`Wants::STEPS`]).
//!
//! [`Wants::STEPS`]: crate::instrument::event::Wants::STEPS

use crate::instrument::event::Place;
use crate::machine::Warp;
use crate::memory::{Memory, guest};
use lanework_ptx_ir::kernel::{MemorySpace, Reg};

/// A warp that is about to execute an instruction.
pub struct StepView<'a> {
    warp: &'a Warp,
    place: Place,
}

impl<'a> StepView<'a> {
    /// The view of a running warp.
    pub(crate) fn new(warp: &'a Warp, place: Place) -> StepView<'a> {
        StepView { warp, place }
    }

    /// The instruction, and the block and warp that execute it.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The lanes that execute it, unless its guard excludes some.
    pub fn mask(&self) -> u32 {
        self.warp.mask
    }

    /// The lanes that have not exited.
    pub fn live(&self) -> u32 {
        self.warp.live
    }

    /// The bits of a register in each lane; `None` if no instruction uses it.
    pub fn register(&self, register: Reg) -> Option<[u64; 32]> {
        self.warp.register(register)
    }

    /// Reads memory as a lane of the warp would. Returns whether all bytes are in one region that it may access.
    pub fn read(&self, space: MemorySpace, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        let Some(from) = self.warp.lane_host(space, lane & 31, address, bytes.len() as u64) else {
            return false;
        };
        // SAFETY: `lane_host` checked that the bytes are in one region, which the launch keeps alive. Workers of other
        // blocks write it by guest accesses, as `read_bytes` allows.
        unsafe { guest::read_bytes(from, bytes) };
        true
    }

    /// Global memory.
    pub fn memory(&self) -> &Memory {
        // SAFETY: the scheduler started the warp, and the launch borrows the memory for longer than its run.
        unsafe { &*(*self.warp.context).memory }
    }
}
