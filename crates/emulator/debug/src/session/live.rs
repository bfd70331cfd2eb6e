//! The state of a block while it runs, for conditions.

use crate::data::evaluate::Machine;
use lanework_engine::event::Space;
use lanework_engine::step_view::StepView;
use lanework_ptx_ir::kernel::{MemorySpace, Reg};

/// A warp that is about to execute a step.
pub struct LiveMachine<'a>(pub &'a StepView<'a>);

impl Machine for LiveMachine<'_> {
    fn register(&self, register: Reg, lane: u32) -> Option<u64> {
        self.0.register(register).map(|lanes| lanes[lane as usize & 31])
    }

    fn read(&self, space: Space, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        let space = match space {
            Space::Global | Space::Constant => MemorySpace::Global,
            Space::Shared => MemorySpace::Shared,
            Space::Local => MemorySpace::Local,
        };
        self.0.read(space, lane, address, bytes)
    }
}
