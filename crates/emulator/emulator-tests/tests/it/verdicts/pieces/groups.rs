//! `cp.async` copies in a ring of stages with several groups in flight; each thread copies its own word.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Copies the inputs of several blocks ahead of use to stages in shared memory; threads read each other's words.
pub struct Groups {
    pub id: usize,
    pub shift: u32,
    pub stages: u32,
    pub rounds: u32,
}

/// Defects of the copies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    OneTooMany,
    NoCommit,
    NoBarrier,
    NoBarrierBefore,
}

impl Groups {
    const FAULTS: [(Fault, &'static str, Need); 4] = [
        (Fault::OneTooMany, "a wait that leaves one group too many", Need::Thread),
        (Fault::NoCommit, "a copy in no group", Need::Thread),
        (Fault::NoBarrier, "no barrier after the wait for a group", Need::Threads),
        (Fault::NoBarrierBefore, "a copy to a stage that others may still read", Need::Threads),
    ];

    fn fault(&self, t: &mut Text) -> Option<Fault> {
        let mut planted = None;
        for (fault, name, need) in Groups::FAULTS {
            let can = match fault {
                Fault::NoBarrier => self.shift != 0,
                // A stage's barrier also precedes the copies of other stages, so the fault needs a single stage.
                Fault::NoBarrierBefore => self.shift != 0 && self.stages == 1 && self.rounds > 1,
                _ => true,
            };
            if can && t.plant(self.id, name, need) {
                planted = Some(fault);
            }
        }
        planted
    }
}

impl Piece for Groups {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (threads, stages) = (at.shape.threads, self.stages);
        let bytes = 4 * threads;
        let fault = self.fault(t);
        let tile = t.shared(bytes * stages);
        let [own, from] = [(); 2].map(|()| t.register("r"));
        t.line(format!("mov.u32 {own}, {tile}; mad.lo.u32 {own}, %tid, 4, {own};"));
        t.line(format!("add.u32 {from}, %tid, {}; rem.u32 {from}, {from}, {threads}; sub.u32 {from}, {from}, %tid; mad.lo.u32 {from}, {from}, 4, {own};", self.shift));
        let mut lines = Vec::new();
        let mut copy = |t: &mut Text, round: u32| {
            let place = bytes * (round % stages);
            let (block, at_input) = (t.register("r"), t.register("rd"));
            if round < self.rounds {
                t.line(format!("add.u32 {block}, %cta, {round}; rem.u32 {block}, {block}, {}; mad.lo.u32 {block}, {block}, {threads}, %tid; mul.wide.u32 {at_input}, {block}, 4; add.u64 {at_input}, {at_input}, %in;", at.shape.blocks));
                lines.push(
                    t.line(format!("cp.async.ca.shared.global [{own}+{place}], [{at_input}], 4;")),
                );
            }
            // Each round commits a group, even an empty one, so the number of groups in flight stays the same.
            if fault != Some(Fault::NoCommit) || round >= self.rounds {
                t.line("cp.async.commit_group;");
            }
        };
        let ahead = stages - 1;
        (0..ahead).for_each(|round| copy(t, round));
        let mut reads = Vec::new();
        for round in 0..self.rounds {
            if round > 0 && fault != Some(Fault::NoBarrierBefore) {
                t.line("bar.sync 0;");
            }
            copy(t, round + ahead);
            let keep = ahead + u32::from(fault == Some(Fault::OneTooMany));
            t.line(format!("cp.async.wait_group {keep};"));
            if fault != Some(Fault::NoBarrier) {
                t.line("bar.sync 0;");
            }
            let word = t.register("r");
            let place = bytes * (round % stages);
            reads.push(
                t.line(format!("ld.shared.u32 {word}, [{from}+{place}]; add.u32 %v, %v, {word};")),
            );
        }
        t.line("cp.async.wait_all;");
        if at.looped {
            t.line("bar.sync 0;");
        }
        let places: Vec<usize> = lines.iter().chain(&reads).copied().collect();
        match fault {
            Some(Fault::OneTooMany | Fault::NoCommit) => {
                t.expect(&[AsyncOrder], &places, &[Race, Uninitialized]);
            }
            Some(_) => t.expect(&[Race, AsyncOrder], &places, &[Race, AsyncOrder, Uninitialized]),
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
