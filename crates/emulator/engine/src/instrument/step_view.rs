//! A warp before its next instruction, for an instrument that follows every step ([`Wants::STEPS`]).
//!
//! [`Wants::STEPS`]: crate::instrument::event::Wants::STEPS

use crate::instrument::event::Place;
use lanework_ptx_ir::kernel::{MemorySpace, Reg};

/// The state that a warp shows before a step.
pub trait StepState {
    /// The lanes that execute the instruction, unless its guard excludes some.
    fn active(&self) -> u32;

    /// The lanes that have not exited.
    fn live(&self) -> u32;

    /// The bits of a register in each lane; `None` if no instruction uses it.
    fn register(&self, register: Reg) -> Option<[u64; 32]>;

    /// Reads memory as a lane of the warp would. Returns whether all bytes are in one region that it may access.
    fn read(&self, space: MemorySpace, lane: u32, address: u64, bytes: &mut [u8]) -> bool;
}

/// An instrument's decision before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepVerdict {
    /// The run continues, up to the step with this number, or to the first step of the next cluster that starts: the
    /// instrument does not see the steps before. They run faster.
    UntilStep(u64),
    /// The launch stops before the step.
    Stop,
}

/// A warp that is about to execute an instruction.
pub struct StepView<'a> {
    state: &'a dyn StepState,
    place: Place,
    number: u64,
}

impl<'a> StepView<'a> {
    /// The view of a running warp.
    pub(crate) fn new(state: &'a dyn StepState, place: Place, number: u64) -> StepView<'a> {
        StepView { state, place, number }
    }

    /// The number of the step among those of this worker, from 0.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The instruction, and the block and warp that execute it.
    pub fn place(&self) -> Place {
        self.place
    }

    /// The lanes that execute it, unless its guard excludes some.
    pub fn mask(&self) -> u32 {
        self.state.active()
    }

    /// The lanes that have not exited.
    pub fn live(&self) -> u32 {
        self.state.live()
    }

    /// The bits of a register in each lane; `None` if no instruction uses it.
    pub fn register(&self, register: Reg) -> Option<[u64; 32]> {
        self.state.register(register)
    }

    /// Reads memory as a lane of the warp would. Returns whether all bytes are in one region that it may access.
    pub fn read(&self, space: MemorySpace, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        self.state.read(space, lane, address, bytes)
    }
}
