//! What asynchronous operations do to shadow cells.

use super::super::access::check::AccessCheck;
use super::super::bounds::MemoryId;
use super::super::kinds::ReportKind;
use super::super::position::LaneAt;
use super::super::races::epoch::{self, PackedEpoch};
use super::super::reports::Finding;
use lanework_engine::event::AccessKind;
use lanework_engine::site::Site;
use lanework_ptx_ir::analysis::access::AccessClass;
use lanework_ptx_ir::kernel::MemorySpace;

/// The site of an access that is not an instruction's own.
pub fn site(space: MemorySpace, kind: AccessKind, bytes: u32) -> Site {
    Site::aside(space, kind, bytes as u8, AccessClass::default())
}

/// A run of bytes of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The memory; that of a block by its rank.
    pub memory: MemoryId,
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub bytes: u64,
}

impl Run {
    /// In the shared memory of the block of a rank.
    pub fn shared(rank: u32, offset: u64, bytes: u64) -> Run {
        Run { memory: rank as usize, offset, bytes }
    }
}

impl AccessCheck {
    /// A copy starts to write a run.
    pub fn start_writes(&mut self, run: Run, write: PackedEpoch) {
        let shadow = self.races.of(run.memory);
        shadow.change_run(run.offset, run.bytes, |cell| cell.start_write(write));
    }

    /// Puts a write in the place of another one of a run, where that is remembered.
    pub fn replace_writes(&mut self, run: Run, from: PackedEpoch, to: PackedEpoch) {
        let shadow = self.races.of(run.memory);
        shadow.change_run(run.offset, run.bytes, |cell| cell.replace_write(from, to));
    }

    /// Makes `to` a read of a run, in the place of `from` where that is one.
    pub fn set_reads(&mut self, run: Run, from: Option<PackedEpoch>, to: PackedEpoch) {
        let shadow = self.races.of(run.memory);
        shadow.change_run(run.offset, run.bytes, |cell| match from {
            Some(from) => cell.replace_read(from, to),
            None => cell.set_read(to),
        });
    }

    /// An asynchronous operation reads a run that threads may have written without a fence between the
    /// proxies.
    pub fn check_proxy_fence(&mut self, at: LaneAt, run: Run) {
        let base = self.races.base(run.memory);
        if !self.races.has_writes(run.memory) {
            return;
        }
        let grain = self.races.of(run.memory).grain();
        let mut offset = run.offset;
        while offset < run.offset + run.bytes {
            let writes = self.races.of(run.memory).at(offset).writes();
            offset += grain;
            let plain = |write: &PackedEpoch| {
                write & epoch::ASYNC == 0
                    && !epoch::is_copied(*write)
                    && epoch::number(*write) >= base
            };
            let order = &mut self.races.order;
            let bare = |write: &PackedEpoch| plain(write) && !order.proxy_fenced(*write, at.warp);
            let Some(written) = writes.into_iter().find(bare) else { continue };
            let (who, writer) = (self.position.actor(at), self.races.actor(written));
            let global = run.memory >= self.bounds.ranks();
            let Run { offset, bytes, .. } = run;
            let address = offset + self.bounds.extent(run.memory).start;
            return self.reports.add(ReportKind::AsyncOrder, who, Some(writer), |_| {
                let space = if global { "global" } else { "shared" };
                Finding {
                    message: format!(
                        "a thread wrote {bytes} bytes of {space} memory by the generic proxy that are now read by the asynchronous one, with no fence between"
                    ),
                    help: "run `fence.proxy.async` in the threads that write, before the barrier that orders \
                           them with the copy",
                    address: Some(address),
                    size: bytes,
                    ..Finding::default()
                }
            });
        }
    }
}
