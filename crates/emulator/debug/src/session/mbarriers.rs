//! The mbarriers of a block: 64-bit objects in shared memory that count arrivals and bytes. Memory does not show where
//! they are, so the launch runs again, and their initializations are noted.

use crate::data::evaluate::located;
use crate::session::Session;
use crate::timeline::{StepAt, Visitor};
use lanework_emulator::Fault;
use lanework_engine::asynchrony::mbarrier::Mbarrier;
use lanework_engine::event::Space;
use lanework_ptx_ir::kernel::{Inst, Kernel, Opcode, Operand};
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveMbarrier {
    /// Its offset in the shared memory of its block.
    pub offset: u64,
    /// The step that initialized it.
    pub since: u64,
    /// Its state; `None` if its bits are no longer an mbarrier.
    pub state: Option<Mbarrier>,
    /// The warps that wait for one of its phases: their next instruction tests it.
    pub waiting: Vec<u32>,
}

/// Notes the initializations of a block's mbarriers before a step.
struct MbarrierSearch {
    kernel: Arc<Kernel>,
    block: u64,
    until: u64,
    /// The step that initialized each mbarrier, by its offset.
    live: BTreeMap<u64, u64>,
}

/// The operation of an mbarrier instruction, and its offset.
fn operation(inst: &Inst) -> Option<(MbarrierOp, u64)> {
    match inst.opcode {
        Opcode::Async(AsyncOp::Mbarrier(op, at)) => Some((op, at.offset as u64)),
        _ => None,
    }
}

/// The offset in shared memory that the first operand of an instruction means.
fn target(kernel: &Kernel, inst: &Inst, offset: u64, value: Option<u64>) -> u64 {
    let base = match inst.src.first() {
        Some(Operand::Reg(_)) => value.unwrap_or(0),
        Some(Operand::Const(value)) => *value,
        Some(Operand::DynamicShared(value)) => value + u64::from(kernel.static_shared),
        _ => 0,
    };
    let place = located(base.wrapping_add(offset));
    place.address
}

impl Visitor for MbarrierSearch {
    fn step(&mut self, at: &StepAt<'_>) -> bool {
        if at.step >= self.until {
            return true;
        }
        if at.place.block != self.block {
            return false;
        }
        let insts = self.kernel.insts.iter().filter(|inst| inst.origin == at.place.instruction);
        for inst in insts {
            let Some((op @ (MbarrierOp::Init | MbarrierOp::Invalidate), offset)) = operation(inst)
            else {
                continue;
            };
            let register = inst.src.first().and_then(|src| src.register());
            let lanes = register.and_then(|register| at.view.register(register));
            let guard =
                inst.guard.and_then(|(guard, negated)| Some((at.view.register(guard)?, negated)));
            let runs = |lane: &usize| {
                let allowed = guard.is_none_or(|(values, negated)| (values[*lane] != 0) != negated);
                at.mask >> *lane & 1 != 0 && allowed
            };
            for lane in (0..32).filter(runs) {
                let value = lanes.map(|lanes| lanes[lane]);
                let offset = target(&self.kernel, inst, offset, value);
                match op {
                    MbarrierOp::Init => self.live.insert(offset, at.step),
                    _ => self.live.remove(&offset),
                };
            }
        }
        false
    }
}

impl Session<'_> {
    /// The mbarriers of the current thread's block that earlier steps have initialized.
    ///
    /// # Errors
    /// If the launch cannot be replayed.
    pub fn mbarriers(&self) -> Result<Vec<LiveMbarrier>, Fault> {
        let kernel = Arc::clone(&self.scope().kernel);
        let (block, _) = self.focus();
        let search = MbarrierSearch {
            kernel: Arc::clone(&kernel),
            block,
            until: self.step(),
            live: BTreeMap::new(),
        };
        let start = self.timeline().block_start(block).unwrap_or(0);
        let (found, _) = self.timeline().replay(start.min(self.step()), search)?;
        self.timeline().go_to(self.step())?;
        let state = self.moment().and_then(|moment| moment.block(block));
        let bits = |offset: u64| {
            let shared = &state?.shared;
            let bytes = shared.get(offset as usize..)?.first_chunk::<8>()?;
            Some(u64::from_le_bytes(*bytes))
        };
        let waiting = |offset: u64| -> Vec<u32> {
            let Some(state) = state else { return Vec::new() };
            let waits = |warp: &crate::timeline::WarpState| {
                warp.lanes.iter().any(|at| {
                    let insts = kernel.insts.iter().filter(|inst| inst.origin == at.instruction);
                    insts.filter_map(|inst| Some((inst, operation(inst)?))).any(|(inst, op)| {
                        let register = inst.src.first().and_then(|src| src.register());
                        let lane = at.mask.trailing_zeros() as usize % 32;
                        let lanes = register
                            .and_then(|register| warp.registers.get(register as usize)?.as_ref());
                        let value = lanes.map(|lanes| lanes[lane]);
                        matches!(op.0, MbarrierOp::Wait { .. })
                            && target(&kernel, inst, op.1, value) == offset
                    })
                })
            };
            let warps = state.warps.iter().enumerate().filter(|(_, warp)| waits(warp));
            warps.map(|(index, _)| index as u32).collect()
        };
        let one = |(offset, since): (u64, u64)| LiveMbarrier {
            offset,
            since,
            state: bits(offset).and_then(Mbarrier::from_bits),
            waiting: waiting(offset),
        };
        Ok(found.live.into_iter().map(one).collect())
    }

    /// The mbarrier that an expression names.
    ///
    /// # Errors
    /// If the expression is not in shared memory, or its bits are not an mbarrier.
    pub fn mbarrier(&self, text: &str) -> Result<(u64, Mbarrier), String> {
        let value = self.evaluate(text)?;
        let place = value.place.filter(|place| place.space == Space::Shared);
        let place = place.ok_or_else(|| format!("`{text}` is not in shared memory"))?;
        let bytes = value.bytes.first_chunk::<8>();
        let state = bytes.and_then(|bytes| Mbarrier::from_bits(u64::from_le_bytes(*bytes)));
        let state = state.ok_or_else(|| {
            format!("the bits of `{text}` are not an mbarrier: it is not initialized, or was overwritten")
        })?;
        Ok((place.address, state))
    }
}
