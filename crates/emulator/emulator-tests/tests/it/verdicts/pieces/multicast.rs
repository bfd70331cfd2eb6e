//! Multicast bulk copies of a tile to both blocks of a cluster, which then release it to the copying block.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Rank 0 copies the input of a block to the shared memory of all blocks. Each thread of the cluster adds one of its words and
/// signals rank 0.
pub struct Multicast {
    pub id: usize,
    pub shift: u32,
    pub rounds: u32,
}

impl Piece for Multicast {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (size, threads) = (at.shape.cluster, at.shape.threads);
        let bytes = 4 * threads;
        let unwaited = t.plant(self.id, "no wait for the copy to both blocks", Need::Thread);
        let alone = self.rounds > 1
            && t.plant(self.id, "a release by the block that copies alone", Need::Threads);
        let (tile, full, empty) = (t.shared(bytes), t.shared(8), t.shared(8));
        let [first, leads] = [(); 2].map(|()| t.register("p"));
        let [tiles, fulls, empties, own, rank] = [(); 5].map(|()| t.register("r"));
        let [filled, emptied, remote] = [(); 3].map(|()| t.register("r"));
        let releases = if alone { threads } else { size * threads };
        t.prologue.push(format!(
            "mov.u32 {tiles}, {tile}; mov.u32 {fulls}, {full}; mov.u32 {empties}, {empty}; mov.u32 {rank}, %cluster_ctarank; \
             setp.eq.u32 {first}, %tid, 0; setp.eq.and.u32 {leads}, {rank}, 0, {first}; mov.u32 {filled}, 0; mov.u32 {emptied}, 1; \
             mapa.shared::cluster.u32 {remote}, {empties}, 0; @{first} mbarrier.init.shared::cta.b64 [{fulls}], 1; \
             @{first} mbarrier.init.shared::cta.b64 [{empties}], {releases}; fence.mbarrier_init.release.cluster;"
        ));
        t.prologue_barrier = true;
        t.line(format!("add.u32 {own}, %tid, {}; rem.u32 {own}, {own}, {threads}; mad.lo.u32 {own}, {own}, 4, {tiles};", self.shift));
        let (mut copies, mut reads) = (Vec::new(), Vec::new());
        for round in 0..self.rounds {
            let (skip, word) = (t.label(), t.register("r"));
            let (block, from) = (t.register("r"), t.register("rd"));
            // Each block expects its own copy.
            t.line(format!(
                "@{first} mbarrier.arrive.expect_tx.shared::cta.b64 _, [{fulls}], {bytes};"
            ));
            t.line(format!("@!{leads} bra {skip};"));
            t.wait_for_phase(".acquire.cluster", &empties, &emptied);
            t.line(format!("add.u32 {block}, %cta, {round}; rem.u32 {block}, {block}, {}; mul.wide.u32 {from}, {block}, {bytes}; add.u64 {from}, {from}, %in;", at.shape.blocks));
            copies.push(t.line(format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{tiles}], [{from}], {bytes}, [{fulls}], {};",
                (1 << size) - 1
            )));
            t.line(format!("{skip}:"));
            t.line(format!("xor.b32 {emptied}, {emptied}, 1;"));
            if !unwaited {
                t.wait_for_phase("", &fulls, &filled);
            }
            t.line(format!("xor.b32 {filled}, {filled}, 1;"));
            reads.push(t.line(format!("ld.shared.u32 {word}, [{own}]; add.u32 %v, %v, {word};")));
            let guard = if alone {
                let own = t.register("p");
                t.line(format!("setp.eq.u32 {own}, {rank}, 0;"));
                format!("@{own} ")
            } else {
                String::new()
            };
            t.line(format!(
                "{guard}mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{remote}];"
            ));
        }
        // No block exits before all have signaled rank 0.
        t.line("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;");
        let places: Vec<usize> = copies.iter().chain(&reads).copied().collect();
        // A copy that nothing waits for may outlive its block.
        let ahead = [Uninitialized, Race, AsyncOrder, Deadlock, BarrierDivergence, UseAfterFree];
        if unwaited {
            t.expect(&[AsyncOrder, Uninitialized], &places, &ahead);
        }
        if alone {
            t.expect(&[AsyncOrder, Race], &places, &ahead);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, blocks) = (host.shape.threads as usize, host.shape.blocks as usize);
        let (size, shift) = (host.shape.cluster as usize, self.shift as usize);
        let input = crate::verdicts::input(host.shape);
        host.update(active, |thread, v| {
            let (block, within) = (thread / threads, (thread + shift) % threads);
            (0..self.rounds as usize).fold(v[thread], |sum, round| {
                let from = (block / size * size + round) % blocks;
                sum.wrapping_add(input[from * threads + within])
            })
        });
    }
}
