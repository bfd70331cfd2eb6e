//! Bulk copies by the async proxy: a ring of stages with mbarriers for full and empty stages, and a tile that is copied to
//! global memory.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Copies the inputs of several blocks to the stages of a ring in shared memory, and adds them.
pub struct Ring {
    pub id: usize,
    pub shift: u32,
    pub stages: u32,
    pub rounds: u32,
    /// Whether one lane per warp arrives to release a stage, rather than each thread.
    pub by_warp: bool,
}

/// Defects of a ring.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    NoFull,
    NoEmpty,
    EarlyRelease,
    LaneRelease,
    TooManyBytes,
    SameParity,
}

impl Ring {
    const FAULTS: [(Fault, &'static str, Need); 6] = [
        (Fault::NoFull, "no wait for the copy to a stage", Need::Thread),
        (Fault::NoEmpty, "a copy to a stage that may still be read", Need::Threads),
        (Fault::EarlyRelease, "a stage released before it is read", Need::Threads),
        (Fault::LaneRelease, "a lane that releases a stage for others that read it", Need::Lanes),
        (Fault::TooManyBytes, "an mbarrier that expects too many bytes", Need::Thread),
        (Fault::SameParity, "a parity that is not turned", Need::Thread),
    ];

    /// The planted fault, if any.
    fn fault(&self, t: &mut Text, at: &Scope) -> Option<Fault> {
        let mut planted = None;
        for (fault, name, need) in Ring::FAULTS {
            // The piece fills a stage more than once.
            let again = self.rounds > self.stages;
            let can = match fault {
                // If the copying warp is the only one, its lanes have already converged.
                Fault::NoEmpty => again && !(self.by_warp && at.shape.warps() == 1),
                Fault::EarlyRelease | Fault::SameParity => again,
                Fault::LaneRelease => again && self.by_warp,
                _ => true,
            };
            if can && t.plant(self.id, name, need) {
                planted = Some(fault);
            }
        }
        planted
    }
}

impl Piece for Ring {
    fn emit(&self, t: &mut Text, at: &Scope) {
        t.hopper = true;
        let (stages, threads) = (self.stages, at.shape.threads);
        let bytes = 4 * threads;
        let fault = self.fault(t, at);
        let (tile, full, empty) =
            (t.shared(bytes * stages), t.shared(8 * stages), t.shared(8 * stages));
        let [first, leads] = [(); 2].map(|()| t.register("p"));
        let [tiles, fulls, empties, own] = [(); 4].map(|()| t.register("r"));
        let filled: Vec<String> = (0..stages).map(|_| t.register("r")).collect();
        let emptied: Vec<String> = (0..stages).map(|_| t.register("r")).collect();
        let arrivals = if self.by_warp { at.shape.warps() } else { threads };
        let mut once = format!(
            "mov.u32 {fulls}, {full}; mov.u32 {empties}, {empty}; mov.u32 {tiles}, {tile}; setp.eq.u32 {first}, %tid, 0; setp.eq.u32 {leads}, %lane, 0; "
        );
        for stage in 0..stages as usize {
            // The phase before the first counts as complete, so every stage starts empty.
            once += &format!("mov.u32 {}, 0; mov.u32 {}, 1; ", filled[stage], emptied[stage]);
            once += &format!("@{first} mbarrier.init.shared::cta.b64 [{fulls}+{}], 1; ", 8 * stage);
            once += &format!(
                "@{first} mbarrier.init.shared::cta.b64 [{empties}+{}], {arrivals}; ",
                8 * stage
            );
        }
        t.prologue.push(once + "fence.mbarrier_init.release.cluster;");
        t.prologue_barrier = true;
        t.line(format!("add.u32 {own}, %tid, {}; rem.u32 {own}, {own}, {threads}; mad.lo.u32 {own}, {own}, 4, {tiles};", self.shift));

        let (mut copies, mut reads) = (Vec::new(), Vec::new());
        let mut copy = |t: &mut Text, round: u32| {
            let (stage, skip) = ((round % stages) as usize, t.label());
            let (block, from) = (t.register("r"), t.register("rd"));
            t.line(format!("@!{first} bra {skip};"));
            if fault != Some(Fault::NoEmpty) || round < stages {
                t.wait_for_phase("", &format!("{empties}+{}", 8 * stage), &emptied[stage]);
            }
            let more = if fault == Some(Fault::TooManyBytes) { 16 } else { 0 };
            t.line(format!("add.u32 {block}, %cta, {round}; rem.u32 {block}, {block}, {}; mul.wide.u32 {from}, {block}, {bytes}; add.u64 {from}, {from}, %in;", at.shape.blocks));
            t.line(format!(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{fulls}+{}], {};",
                8 * stage,
                bytes + more
            ));
            copies.push(t.line(format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{tiles}+{}], [{from}], {bytes}, [{fulls}+{}];",
                bytes * stage as u32,
                8 * stage
            )));
            t.line(format!("{skip}:"));
            t.line(format!("xor.b32 {}, {}, 1;", emptied[stage], emptied[stage]));
        };
        for round in 0..stages.min(self.rounds) {
            copy(t, round);
        }
        for round in 0..self.rounds {
            let (stage, word) = ((round % stages) as usize, t.register("r"));
            let release = |t: &mut Text| {
                if self.by_warp && fault != Some(Fault::LaneRelease) {
                    t.line(format!("bar.warp.sync {};", at.mask));
                }
                let guard = if self.by_warp { format!("@{leads} ") } else { String::new() };
                t.line(format!(
                    "{guard}mbarrier.arrive.shared::cta.b64 _, [{empties}+{}];",
                    8 * stage
                ));
            };
            if fault != Some(Fault::NoFull) {
                t.wait_for_phase("", &format!("{fulls}+{}", 8 * stage), &filled[stage]);
            }
            if fault != Some(Fault::SameParity) {
                t.line(format!("xor.b32 {}, {}, 1;", filled[stage], filled[stage]));
            }
            if fault == Some(Fault::EarlyRelease) {
                release(t);
            }
            reads.push(t.line(format!(
                "ld.shared.u32 {word}, [{own}+{}]; add.u32 %v, %v, {word};",
                bytes * stage as u32
            )));
            if fault != Some(Fault::EarlyRelease) {
                release(t);
            }
            if round + stages < self.rounds {
                copy(t, round + stages);
            }
        }
        let early: Vec<usize> = copies.iter().chain(&reads).copied().collect();
        let ahead = [Uninitialized, Race, Deadlock, BarrierDivergence];
        match fault {
            // The report may name a barrier that other threads have reached.
            Some(Fault::TooManyBytes) => t.expect(&[Deadlock], &[], &[]),
            // A thread that does not wait, or mistakes the previous phase for the new one, later runs one phase ahead of the others.
            Some(Fault::NoFull) => t.expect(&[AsyncOrder, Uninitialized], &early, &ahead),
            Some(Fault::SameParity) => t.expect(&[AsyncOrder, Deadlock], &[], &ahead),
            // If a copy is two phases ahead, threads wait forever for the phase in between.
            Some(Fault::NoEmpty) => t.expect(&[AsyncOrder, Race, Deadlock], &[], &ahead),
            // Lanes of one warp rely on lockstep.
            Some(Fault::LaneRelease) => {
                t.expect(&[WarpSynchronous, AsyncOrder, Race], &early, &ahead);
            }
            Some(_) => t.expect(&[AsyncOrder, Race], &early, &ahead),
            None => {}
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, blocks) = (host.shape.threads as usize, host.shape.blocks as usize);
        let input = crate::verdicts::input(host.shape);
        let (shift, rounds) = (self.shift as usize, self.rounds as usize);
        host.update(active, |thread, v| {
            let (block, within) = (thread / threads, (thread + shift) % threads);
            (0..rounds).fold(v[thread], |sum, round| {
                sum.wrapping_add(input[(block + round) % blocks * threads + within])
            })
        });
    }
}

/// Threads write a tile, a bulk copy copies it to global memory, and other threads read it there.
pub struct Stored {
    pub id: usize,
    pub shift: u32,
}

impl Piece for Stored {
    fn emit(&self, t: &mut Text, at: &Scope) {
        t.hopper = true;
        let (threads, bytes) = (at.shape.threads, 4 * at.shape.threads);
        let (tile, offset) = (t.shared(bytes), t.take_scratch(bytes));
        let [own, base, partner, word] = [(); 4].map(|()| t.register("r"));
        let [to, from] = [(); 2].map(|()| t.register("rd"));
        let (first, skip) = (t.register("p"), t.label());
        let unfenced = t.plant(self.id, "no fence before the copy of a tile", Need::Thread);
        let alone = t.plant(self.id, "a fence before the copy of a tile by one lane", Need::Lanes);
        let removed = t.plant(self.id, "no barrier before the copy of a tile", Need::Threads);
        let read_only = t.plant(self.id, "a wait for the copy's reads alone", Need::Thread);
        let unwaited = t.plant(self.id, "no wait for the copy of a tile", Need::Thread);
        t.line(format!("mov.u32 {base}, {tile}; mad.lo.u32 {own}, %tid, 4, {base}; add.u64 {to}, %mine, {offset}; setp.eq.u32 {first}, %tid, 0;"));
        let write = t.line(format!("st.shared.u32 [{own}], %v;"));
        let by = if alone { format!("@{first} ") } else { String::new() };
        t.line(if unfenced {
            String::new()
        } else {
            format!("{by}fence.proxy.async.shared::cta;")
        });
        t.line(if removed { "" } else { "bar.sync 0;" });
        t.line(format!("@!{first} bra {skip};"));
        let copy = t.line(format!(
            "cp.async.bulk.global.shared::cta.bulk_group [{to}], [{base}], {bytes};"
        ));
        t.line("cp.async.bulk.commit_group;");
        t.line(match (read_only, unwaited) {
            (true, _) => "cp.async.bulk.wait_group.read 0;",
            (_, true) => "",
            _ => "cp.async.bulk.wait_group 0;",
        });
        t.line(format!("{skip}:"));
        t.line("bar.sync 0;");
        t.line(format!("add.u32 {partner}, %tid, {}; rem.u32 {partner}, {partner}, {threads}; mul.wide.u32 {from}, {partner}, 4; add.u64 {from}, {from}, {to};", self.shift));
        let read = t.line(format!("ld.global.u32 {word}, [{from}]; add.u32 %v, %v, {word};"));
        if at.looped {
            t.line("bar.sync 0;");
        }
        let may = [AsyncOrder, Race, Uninitialized];
        match () {
            () if unfenced || alone => t.expect(&[AsyncOrder], &[write, copy], &may),
            () if removed => t.expect(&[AsyncOrder, Race, Uninitialized], &[write, copy], &may),
            () if read_only || unwaited => t.expect(&[AsyncOrder], &[copy, read], &may),
            () => {}
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, shift) = (host.shape.threads as usize, self.shift as usize);
        host.update(active, |thread, v| {
            let block = thread / threads * threads;
            v[thread].wrapping_add(v[block + (thread - block + shift) % threads])
        });
    }
}
