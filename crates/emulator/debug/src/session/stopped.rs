//! The state of a stopped launch, for evaluation.

use crate::data::evaluate::Machine;
use crate::timeline::BlockState;
use lanework_emulator::Emulator;
use lanework_engine::event::Space;
use lanework_ptx_ir::kernel::Reg;

/// One warp of a stopped launch.
pub(super) struct StoppedMachine<'a> {
    pub(super) device: &'a Emulator,
    /// Its block, if the block is in the stopped cluster.
    pub(super) block: Option<&'a BlockState>,
    pub(super) warp: u32,
}

/// Copies bytes of a buffer.
fn copy(from: &[u8], address: u64, bytes: &mut [u8]) -> bool {
    let start = usize::try_from(address).ok();
    let range = start.and_then(|start| from.get(start..start.checked_add(bytes.len())?));
    range.map(|own| bytes.copy_from_slice(own)).is_some()
}

impl Machine for StoppedMachine<'_> {
    fn register(&self, register: Reg, lane: u32) -> Option<u64> {
        let warp = self.block?.warps.get(self.warp as usize)?;
        let lanes = warp.registers.get(register as usize)?.as_ref()?;
        Some(lanes[lane as usize & 31])
    }

    fn read(&self, space: Space, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        match (space, self.block) {
            (Space::Global | Space::Constant, _) => self.device.read(address, bytes).is_ok(),
            (Space::Shared, Some(block)) => copy(&block.shared, address, bytes),
            (Space::Local, Some(block)) => {
                let warp = block.warps.get(self.warp as usize);
                warp.is_some_and(|warp| copy(warp.local_of(lane & 31), address, bytes))
            }
            (Space::Shared | Space::Local, None) => false,
        }
    }
}
