//! Accesses by threads to bytes that an asynchronous operation reads or writes later: a proxy fence
//! must order the two.
//!
//! *Rule* (PTX ISA, "Memory consistency model", proxy-preserved base causality order): a generic
//! access precedes an asynchronous one only if a proxy fence is on the causality path between them.
//! This holds for a write before a read, for a write before a write, and for a read before a write.
//!
//! Without the fence, a copy may read an old value, or a thread's write may replace the bytes of a
//! later copy: these are errors. A copy that overwrites bytes that a thread has read before is only a
//! warning: the loads have usually returned their values when the copy starts.
//!
//! *Limits.* A read is forgotten when a later read is ordered after it. Reads of global memory are
//! not checked.

use crate::access::AccessCheck;
use crate::access::position::LaneAt;
use crate::async_proxy::ByteRun;
use crate::findings::Finding;
use crate::findings::kinds::ReportKind;
use crate::races::epoch::{self, PackedEpoch};
use crate::races::happens_before::HappensBefore;

/// Whether a recorded access is a generic one of this cluster.
fn is_generic(access: PackedEpoch, base: u32) -> bool {
    access & epoch::ASYNC == 0 && !epoch::is_copied(access) && epoch::number(access) >= base
}

impl AccessCheck {
    /// Reports an asynchronous read of bytes that threads wrote without a proxy fence.
    pub fn check_proxy_fence(&mut self, at: LaneAt, run: ByteRun) {
        if !self.races.has_writes(run.memory) {
            return;
        }
        let base = self.races.base(run.memory);
        let (shadow, order) = self.races.parts(run.memory);
        let bare = |order: &mut HappensBefore, write| {
            is_generic(write, base) && !order.proxy_fenced(write, at.warp)
        };
        let mut places = (run.offset..run.offset + run.bytes).step_by(shadow.grain() as usize);
        let write = places.find_map(|offset| {
            shadow.at(offset).writes().into_iter().find(|write| bare(order, *write))
        });
        let Some(write) = write else { return };
        let (bytes, space) = (run.bytes, self.space_of(run));
        self.report_bare(ReportKind::AsyncOrder, at, run, write, Finding {
            message: format!(
                "a thread wrote {bytes} bytes of {space} memory by the generic proxy, and the asynchronous proxy reads them without a proxy fence in between"
            ),
            help: "run `fence.proxy.async` in the threads that write, before the barrier that orders \
                   them with the copy".into(),
            ..Finding::default()
        });
    }

    /// Reports a copy into shared memory that threads wrote or read before without a proxy fence.
    /// Accesses that are not ordered with the copy at all are races, and not reported here.
    pub fn check_overwrite(&mut self, at: LaneAt, run: ByteRun) {
        let base = self.races.base(run.memory);
        let (shadow, order) = self.races.parts(run.memory);
        let mut last = 0;
        let mut bare = |order: &mut HappensBefore, access| {
            if access == last || !is_generic(access, base) {
                return false;
            }
            last = access;
            order.happens_before(access, at.warp, at.lane) && !order.proxy_fenced(access, at.warp)
        };
        let (mut write, mut read) = (None, None);
        for offset in (run.offset..run.offset + run.bytes).step_by(shadow.grain() as usize) {
            let cell = shadow.at(offset);
            write = write.or_else(|| cell.writes().into_iter().find(|one| bare(order, *one)));
            read = read.or_else(|| cell.reads().into_iter().find(|one| bare(order, *one)));
        }
        let bytes = run.bytes;
        if let Some(write) = write {
            self.report_bare(ReportKind::AsyncOrder, at, run, write, Finding {
                message: format!(
                    "a thread wrote to shared memory by the generic proxy, and a copy of {bytes} bytes overwrites it without a proxy fence in between"
                ),
                help: "run `fence.proxy.async` in the threads that write, before the barrier that orders \
                       them with the copy".into(),
                ..Finding::default()
            });
        } else if let Some(read) = read {
            self.report_bare(ReportKind::ProxyFence, at, run, read, Finding {
                message: format!(
                    "a thread read shared memory by the generic proxy, and a copy of {bytes} bytes overwrites it without a proxy fence in between"
                ),
                help: "run `fence.proxy.async` in the threads that read, before they arrive at the barrier \
                       that orders them with the copy".into(),
                ..Finding::default()
            });
        }
    }

    fn space_of(&self, run: ByteRun) -> &'static str {
        if run.memory >= self.bounds.ranks() { "global" } else { "shared" }
    }

    /// Reports the asynchronous access of a lane to a run, and the generic access before it.
    fn report_bare(
        &mut self,
        kind: ReportKind,
        at: LaneAt,
        run: ByteRun,
        before: PackedEpoch,
        finding: Finding,
    ) {
        let (who, other) = (self.position.thread_at(at), self.races.thread_at(before));
        let address = run.offset + self.bounds.extent(run.memory).start;
        self.reports.add(kind, who, Some(other), |_| Finding {
            address: Some(address),
            size: run.bytes,
            ..finding
        });
    }
}
