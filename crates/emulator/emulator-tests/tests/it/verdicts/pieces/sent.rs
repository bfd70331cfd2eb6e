//! Words that threads of a cluster send to the next block, whose mbarrier counts the bytes (`st.async`, `red.async`).

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Each thread sends its value to the block of the next rank, where another thread reads it as a word or as part of a sum.
pub struct Sent {
    pub id: usize,
    pub shift: u32,
    /// Number of words that values are added to; 0 if each value has its own word.
    pub sums: u32,
}

impl Sent {
    fn words(&self, threads: u32) -> u32 {
        if self.sums == 0 { threads } else { self.sums }
    }
}

impl Piece for Sent {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (size, threads) = (at.shape.cluster, at.shape.threads);
        let (words, bytes) = (self.words(threads), 4 * threads);
        let unwaited = t.plant(self.id, "no wait for the words that are sent", Need::Thread);
        let unzeroed = self.sums != 0
            && t.plant(self.id, "no barrier of the cluster before words are added", Need::Threads);
        let (tile, full) = (t.shared(4 * words), t.shared(8));
        let [tiles, fulls, rank, to, remote, index, from, parity, word] =
            [(); 9].map(|()| t.register("r"));
        let first = t.register("p");
        t.prologue.push(format!(
            "mov.u32 {fulls}, {full}; setp.eq.u32 {first}, %tid, 0; mov.u32 {parity}, 0; \
             @{first} mbarrier.init.shared::cta.b64 [{fulls}], 1; fence.mbarrier_init.release.cluster;"
        ));
        t.line(format!("mov.u32 {tiles}, {tile}; mov.u32 {rank}, %cluster_ctarank; add.u32 {rank}, {rank}, 1; rem.u32 {rank}, {rank}, {size};"));
        t.line(format!("rem.u32 {index}, %tid, {words}; mad.lo.u32 {to}, {index}, 4, {tiles}; mapa.shared::cluster.u32 {to}, {to}, {rank}; mapa.shared::cluster.u32 {remote}, {fulls}, {rank};"));
        t.line(format!("add.u32 {from}, %tid, {}; rem.u32 {from}, {from}, {words}; mad.lo.u32 {from}, {from}, 4, {tiles};", self.shift));
        let barrier = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
        let mut lines = Vec::new();
        if self.sums != 0 {
            let (own, p) = (t.register("r"), t.register("p"));
            t.line(format!("setp.lt.u32 {p}, %tid, {words}; mad.lo.u32 {own}, %tid, 4, {tiles};"));
            lines.push(t.line(format!("@{p} st.shared.u32 [{own}], 0;")));
            t.line("fence.proxy.async;");
        }
        t.line(format!(
            "@{first} mbarrier.arrive.expect_tx.shared::cta.b64 _, [{fulls}], {bytes};"
        ));
        t.line(if unzeroed { "" } else { barrier });
        let op = match self.sums {
            0 => "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32",
            _ => "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
        };
        lines.push(t.line(format!("{op} [{to}], %v, [{remote}];")));
        if !unwaited {
            t.wait_for_phase(".acquire.cluster", &fulls, &parity);
        }
        t.line(format!("xor.b32 {parity}, {parity}, 1;"));
        lines.push(t.line(format!("ld.shared.u32 {word}, [{from}]; add.u32 %v, %v, {word};")));
        // No block exits, and no round begins, before all blocks have read.
        if unwaited {
            t.wait_for_phase(".acquire.cluster", &fulls, &parity);
        }
        t.line(barrier);
        let may = [Race, AsyncOrder, Uninitialized, Deadlock, UseAfterFree, BarrierDivergence];
        if unwaited {
            t.expect(&[AsyncOrder, Uninitialized, Race], &lines, &may);
        }
        if unzeroed {
            // One thread of the block that wrote the zeros arrives.
            let kinds = [AsyncOrder, Race, Uninitialized, BarrierDivergence, WarpSynchronous];
            t.expect(&kinds, &[], &may);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, size) = (host.shape.threads as usize, host.shape.cluster as usize);
        let (shift, words) = (self.shift as usize, self.words(host.shape.threads) as usize);
        host.update(active, |thread, v| {
            let (block, within) = (thread / threads, thread % threads);
            let before = block / size * size + (block % size + size - 1) % size;
            let of = (within + shift) % words;
            let sent = (of..threads).step_by(words).map(|i| v[before * threads + i]);
            sent.fold(v[thread], u32::wrapping_add)
        });
    }
}
