//! Checks and updates the shadow cells that one lane's access or an asynchronous copy touches.

use crate::access::{AccessCheck, WarpAccess};
use crate::async_proxy::ByteRun;
use crate::bounds::MemoryId;
use crate::races::epoch::{self, PackedEpoch};
use crate::races::shadow_cell::{Conflict, LaneAccess, mixed_sizes};
use lanework_engine::event::AccessKind;
use lanework_engine::lanes::fetch_cold;
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_engine::slot::Slot;
use lanework_ptx_ir::kernel::{Inst, Opcode};
use std::cell::Cell;

/// Bytes of the largest vector that an instruction accesses at once.
const VECTOR_BYTES: u64 = 32;

/// Start of a run of bytes.
#[derive(Clone, Copy, Debug)]
pub enum RunStart {
    /// A global address.
    Global(u64),
    /// Rank of a block in the cluster, and offset in its shared memory.
    Shared(u32, u64),
}

impl AccessCheck {
    /// Checks and updates the shadow cells of one lane's access to a memory.
    #[inline(always)]
    pub fn race(&mut self, access: &WarpAccess<'_>, lane: usize, id: MemoryId, offset: u64) {
        let host = self.bounds.extent(id).host;
        let base = self.races.base(id);
        let (shadow, order) = self.races.parts(id);
        let packed = epoch::with_lane(access.packed, lane as u32);
        let (warp, writes, observes) = (access.warp.index, access.writes(lane), access.observes());
        let now = LaneAccess { packed, warp, lane: lane as u32, base, observes };
        let mut stale = None;
        let grain = shadow.grain();
        let mut at = offset & !(grain - 1);
        let mut found = None;
        while at < offset + access.bytes {
            let conflict = shadow.change(at, |cell| {
                if let Some(copy) = cell.in_flight(base)
                    && copy & packed & epoch::STRONG == 0
                {
                    return Some(Conflict { with: copy, wrote: true });
                }
                if !writes {
                    if access.site.order.read_only {
                        let written = cell.writes().into_iter().find(|w| epoch::number(*w) >= base);
                        stale = stale.or(written.map(|with| (with, at)));
                    }
                    return cell.read(order, &now);
                }
                let skip = at.saturating_sub(offset);
                let held = host.wrapping_add(at as usize);
                cell.write(order, &now, |prior| differs(access, lane, prior, skip, grain, held))
            });
            found = found.or(conflict.map(|conflict| (conflict, at)));
            at += grain;
        }
        if let Some((conflict, at)) = found {
            if writes || !self.saw_other_element(&now, id, at, conflict.with) {
                self.report_race(access, lane, id, at.max(offset), conflict);
            }
        } else if let Some((with, at)) = stale {
            self.report_stale(access, lane, id, at.max(offset), with);
        }
    }

    /// Whether a `.volatile` read gets an element of a vector store, after its thread has polled another element of that store.
    #[cold]
    fn saw_other_element(
        &mut self,
        now: &LaneAccess,
        id: MemoryId,
        at: u64,
        prior: PackedEpoch,
    ) -> bool {
        let (kernel, instruction) = (self.reports.kernel(), epoch::instruction(prior));
        let vector = |inst: &Inst| match &inst.opcode {
            Opcode::Memory(op) => inst.origin == instruction && op.count > 1,
            _ => false,
        };
        let data = now.packed & prior & epoch::DATA != 0;
        if !data || !kernel.insts.iter().any(vector) {
            return false;
        }
        let bytes = self.bounds.extent(id).bytes;
        let (shadow, order) = self.races.parts(id);
        let start = at & !(VECTOR_BYTES - 1);
        let mut cells = (start..bytes.min(start + VECTOR_BYTES)).step_by(shadow.grain() as usize);
        !mixed_sizes(order, now.packed, prior)
            && cells.any(|at| shadow.at(at).strong.observed_last(order, now, prior))
    }

    /// Checks a run of bytes that a lane's copy reads or writes: the run must stay inside one
    /// variable, be initialized if read, and not race. Adds `flags` to the packed access. Returns
    /// the run, or `None` if the address belongs to no memory.
    pub fn run_of_bytes(
        &mut self,
        warp: &Warp,
        (lane, instruction): (u32, u32),
        site: &AccessSite,
        (start, bytes): (RunStart, u64),
        flags: PackedEpoch,
    ) -> Option<ByteRun> {
        self.races.order.narrow_lanes(warp.index, 1 << lane);
        let packed = self.races.order.packed_now(warp.index, 0, instruction) | flags;
        let (mask, failed) = (1 << lane, 0);
        let access = WarpAccess { warp, site, instruction, bytes, packed, mask, failed };
        let (space, memory, at, offset) = match start {
            RunStart::Shared(rank, offset) => ("shared", rank as usize, offset, offset),
            RunStart::Global(at) => {
                let id = self.allocation(instruction, at)?;
                ("global", id, at, at - self.bounds.extent(id).start)
            }
        };
        let run = ByteRun { memory, offset, bytes };
        let outside = match start {
            RunStart::Shared(..) => !self.bounds.shared.holds(offset, bytes, &mut 0),
            RunStart::Global(_) => false,
        };
        if outside {
            self.report_outside(&access, lane as usize, space, offset);
        }
        let (reads, writes) = (site.kind != AccessKind::Store, site.kind != AccessKind::Load);
        let written = self.initial.written(memory);
        let unwritten = reads && written.is_some_and(|written| !written.has(offset, bytes));
        if let Some(written) = written.filter(|_| writes) {
            written.set(offset, bytes);
        }
        if unwritten && !outside {
            self.report_unwritten(&access, lane as usize, space, at);
        }
        if self.reports.tracks_accesses() {
            self.race(&access, lane as usize, memory, offset);
        }
        Some(run)
    }
}

/// Whether a write stores a different value than the prior write. Compares with the bytes in
/// memory, and with the prior lane's value if both are lanes of one instruction.
#[cold]
fn differs(
    access: &WarpAccess<'_>,
    lane: usize,
    prior: PackedEpoch,
    skip: u64,
    grain: u64,
    memory: *const u8,
) -> bool {
    if access.site.kind != AccessKind::Store {
        return true;
    }
    let element = u64::from(access.site.bytes);
    // SAFETY: the engine keeps the rows alive until the instrument's callback for this access
    // returns, and `access.site` does not outlive that callback.
    let rows = unsafe { access.site.rows.as_ref() };
    let lanes = [lane, epoch::lane(prior) as usize];
    // Caches both lanes' words of the last register: reading one takes as long as comparing all its bytes.
    let last: Cell<Option<(Slot, [u64; 2])>> = Cell::new(None);
    let words_of = |slot: Slot| match last.get() {
        Some((of, words)) if of == slot => words,
        _ => {
            // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this
            // warp's register file.
            let all = unsafe { fetch_cold::<u64>(access.warp, slot) };
            let words = lanes.map(|lane| all.0[lane]);
            last.set(Some((slot, words)));
            words
        }
    };
    let value_of = |which: usize, at: u64| -> Option<u8> {
        if let Some(rows) = rows {
            let word = rows[lanes[which]].get((at / 2) as usize)?;
            return Some(word.to_le_bytes()[(at % 2) as usize]);
        }
        let words = words_of((*access.site.data.get((at / element) as usize)?)?);
        words[which].to_le_bytes().get((at % element) as usize).copied()
    };
    let count = grain.min(access.bytes);
    let same_as = |of: &dyn Fn(u64) -> Option<u8>| {
        (0..count).all(|i| {
            let mine = value_of(0, skip + i);
            mine.is_some() && mine == of(i)
        })
    };
    // SAFETY: `race` calls this only for cells of an access that passed the bounds check, and
    // `memory` is the host address of the cell's first byte; `count` does not exceed the access
    // size.
    let held = |i: u64| Some(unsafe { memory.add(i as usize).read() });
    if same_as(&held) {
        return false;
    }
    let same_instruction = epoch::instruction(prior) == access.instruction
        && epoch::number(prior) == epoch::number(access.packed);
    !(same_instruction && same_as(&|i| value_of(1, skip + i)))
}
