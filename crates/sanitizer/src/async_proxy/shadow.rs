//! What asynchronous operations do to shadow cells, in shared memory.

use super::super::access::check::AccessCheck;
use super::super::kinds::ReportKind;
use super::super::position::LaneAt;
use super::super::races::epoch::{self, PackedEpoch};
use super::super::reports::Finding;
use lanework_engine::event::AccessKind;
use lanework_engine::site::Site;
use lanework_ptx_ir::access_class::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// The site of an access that is not an instruction's own.
pub fn site(space: MemorySpace, kind: AccessKind, bytes: u32) -> Site {
    Site::aside(space, kind, bytes as u8, AccessClass::default())
}

/// A run of bytes in the shared memory of a block.
#[derive(Clone, Copy, Debug)]
pub struct SharedRun {
    /// The block's rank.
    pub rank: u32,
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
}

impl AccessCheck {
    /// Makes `to` the last write of a run; only where it is `from`, where that is given.
    pub fn set_writes(&mut self, run: SharedRun, from: Option<PackedEpoch>, to: PackedEpoch) {
        self.races.of(run.rank as usize).change_run(run.offset, run.bytes, |cell| {
            if from.is_none_or(|from| cell.last_write() == from) {
                cell.set_write(to);
            }
        });
    }

    /// Makes `to` a read of a run, in the place of `from` where that is one.
    pub fn set_reads(&mut self, run: SharedRun, from: Option<PackedEpoch>, to: PackedEpoch) {
        self.races.of(run.rank as usize).change_run(run.offset, run.bytes, |cell| match from {
            Some(from) => cell.replace_read(from, to),
            None => cell.set_read(to),
        });
    }

    /// An asynchronous operation reads a run that threads may have written without a fence between the
    /// proxies.
    pub fn check_proxy_fence(&mut self, at: LaneAt, run: SharedRun) {
        let base = self.races.order.base();
        let id = run.rank as usize;
        let grain = self.races.of(id).grain();
        let mut offset = run.offset;
        while offset < run.offset + run.bytes {
            let written = self.races.of(id).at(offset).last_write();
            offset += grain;
            let plain = written & epoch::ASYNC == 0 && epoch::number(written) >= base;
            if !plain || self.races.order.proxy_fenced(written, at.warp as usize) {
                continue;
            }
            let (who, writer) = (self.position.actor(at), self.races.actor(written));
            let SharedRun { offset, bytes, .. } = run;
            return self.reports.add(ReportKind::AsyncOrder, who, Some(writer), |_| Finding {
                message: format!(
                    "a thread wrote {bytes} bytes of shared memory by the generic proxy that are now read by the asynchronous one, with no fence between"
                ),
                help: "run `fence.proxy.async` in the threads that write, before the barrier that orders \
                       them with the copy",
                address: Some(offset),
                size: bytes,
                ..Finding::default()
            });
        }
    }
}
