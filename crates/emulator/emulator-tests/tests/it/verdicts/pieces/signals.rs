//! Warps in which one lane arrives or waits for all lanes: to pass words to other warps, lanes also need `bar.warp.sync`.

use super::blocks::unacquired;
use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// How one lane of each warp arrives: at an mbarrier, or by incrementing a word in shared memory that the waiting lanes
/// poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    Mbarrier(&'static str),
    Counter { up: &'static str, poll: &'static str },
}

pub const ARRIVALS: &[Arrival] = &[
    Arrival::Mbarrier("mbarrier.arrive.shared.b64 _, [AT];"),
    Arrival::Mbarrier("mbarrier.arrive.release.cta.shared::cta.b64 _, [AT];"),
    Arrival::Counter {
        up: "red.release.cta.shared.add.u32 [AT], 1;",
        poll: "ld.acquire.cta.shared.u32 TO, [AT];",
    },
    Arrival::Counter {
        up: "fence.acq_rel.cta; red.relaxed.cta.shared.add.u32 [AT], 1;",
        poll: "ld.relaxed.cta.shared.u32 TO, [AT]; fence.acq_rel.cta;",
    },
    Arrival::Counter {
        up: "membar.cta; red.shared.add.u32 [AT], 1;",
        poll: "ld.volatile.shared.u32 TO, [AT]; membar.cta;",
    },
];

/// Synchronization of a warp's lanes that also orders memory, and synchronization that only reconverges them.
const TOGETHER: &[&str] =
    &["", "vote.sync.any.pred PR, PR, MASK;", "shfl.sync.idx.b32 WORD, WORD, 0, 31, MASK;"];

pub struct Signal {
    pub id: usize,
    pub shift: u32,
    pub arrival: Arrival,
    /// Whether one lane of each warp waits for all lanes.
    pub one_waits: bool,
    /// Whether all lanes execute the fence, if there is one.
    pub all_fence: bool,
    /// Index of the text that replaces a missing synchronization.
    pub instead: usize,
    pub global: bool,
}

impl Signal {
    pub const INSTEAD: usize = TOGETHER.len();

    /// Synchronizes the lanes of a warp; if `missing`, writes the replacement.
    fn together(&self, t: &mut Text, at: &Scope, missing: bool) {
        if !missing {
            t.line(format!("bar.warp.sync {};", at.mask));
            return;
        }
        let (p, word) = (t.register("p"), t.register("r"));
        t.line(format!("setp.eq.u32 {p}, %lane, 40; mov.u32 {word}, %lane;"));
        let text = TOGETHER[self.instead].replace("PR", &p).replace("WORD", &word);
        t.line(text.replace("MASK", &at.mask));
    }

    /// Lets one lane arrive for its warp.
    fn arrive(&self, t: &mut Text, leader: &str, place: &str) {
        let skip = t.label();
        let (Arrival::Mbarrier(text) | Arrival::Counter { up: text, .. }) = self.arrival;
        let (fence, text) = match text.split_once("; ") {
            Some((fence, rest)) if self.all_fence => (format!("{fence};"), rest),
            _ => (String::new(), text),
        };
        t.line(fence);
        t.line(format!("@!{leader} bra {skip};"));
        t.line(text.replace("AT", place));
        t.line(format!("{skip}:"));
    }

    /// Waits for all warps; `passed` counts these waits. With `acquires`, the wait acquires.
    fn wait(
        &self,
        t: &mut Text,
        leader: &str,
        [place, passed]: [&str; 2],
        warps: u32,
        acquires: bool,
    ) {
        let skip = t.label();
        if self.one_waits {
            t.line(format!("@!{leader} bra {skip};"));
        }
        match self.arrival {
            Arrival::Mbarrier(_) => {
                t.hopper = true;
                let parity = t.register("r");
                t.line(format!("and.b32 {parity}, {passed}, 1;"));
                t.wait_for_phase("", place, &parity);
            }
            Arrival::Counter { poll, .. } => {
                let (p, again) = (t.register("p"), t.label());
                let [seen, all] = [(); 2].map(|()| t.register("r"));
                t.line(format!("mad.lo.u32 {all}, {passed}, {warps}, {warps};"));
                t.line(format!("{again}:"));
                let poll = if acquires { poll.to_owned() } else { unacquired(poll) };
                t.line(poll.replace("AT", place).replace("TO", &seen));
                t.line(format!("setp.lt.u32 {p}, {seen}, {all}; @{p} bra {again};"));
            }
        }
        t.line(format!("{skip}:"));
        t.line(format!("add.u32 {passed}, {passed}, 1;"));
    }
}

impl Piece for Signal {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (first, count) = at.group();
        let warps = at.warps.end - at.warps.start;
        let partner_of = |i: u32| (i + self.shift) % count;
        let others = |i: u32| !(first + i).is_multiple_of(32) && partner_of(i) / 32 != i / 32;
        // The other synchronization orders the lanes of one warp.
        let behind =
            |i: u32| !(first + partner_of(i)).is_multiple_of(32) && partner_of(i) / 32 != i / 32;
        let crosses = (0..count).any(behind);
        let apart = self.one_waits && (0..count).any(others);
        let mut signal = || {
            let (name, place) = (t.shared(8), t.register("r"));
            let thread = t.register("p");
            let init = match self.arrival {
                Arrival::Mbarrier(_) => format!("mbarrier.init.shared.b64 [{place}], {warps};"),
                Arrival::Counter { .. } => format!("st.shared.u32 [{place}], 0;"),
            };
            t.prologue.push(format!(
                "mov.u32 {place}, {name}; setp.eq.u32 {thread}, %tid, 0; @{thread} {init}"
            ));
            t.prologue_barrier = true;
            let passed = t.register("r");
            t.prologue.push(format!("mov.u32 {passed}, 0;"));
            (place, passed)
        };
        let (place, passed) = signal();
        let back = at.looped.then(signal);
        let (leader, partner, word) = (t.register("p"), t.register("r"), t.register("r"));
        let (own, from) = (t.register("rd"), t.register("rd"));
        let base = t.register("rd");
        let space = if self.global { ".global" } else { ".shared" };
        if self.global {
            let offset = t.take_scratch(4 * at.shape.threads);
            t.line(format!("add.u64 {base}, %mine, {offset};"));
        } else {
            let tile = t.shared(4 * at.shape.threads);
            t.line(format!("mov.u64 {base}, {tile};"));
        }
        t.line(format!("setp.eq.u32 {leader}, %lane, 0;"));
        t.line(format!("sub.u32 {partner}, %tid, {first}; add.u32 {partner}, {partner}, {}; rem.u32 {partner}, {partner}, {count}; add.u32 {partner}, {partner}, {first};", self.shift));
        t.line(format!("mul.wide.u32 {own}, %tid, 4; add.u64 {own}, {own}, {base}; mul.wide.u32 {from}, {partner}, 4; add.u64 {from}, {from}, {base};"));
        let write = t.line(format!("st{space}.u32 [{own}], %v;"));
        let early = crosses
            && t.plant(
                self.id,
                "a lane that arrives for lanes it is not ordered with",
                Need::Threads,
            );
        self.together(t, at, early);
        self.arrive(t, &leader, &place);
        let unfenced = matches!(self.arrival, Arrival::Counter { .. })
            && (0..count).any(|i| partner_of(i) / 32 != i / 32)
            && t.plant(self.id, "a counter polled without an acquire", Need::Threads);
        self.wait(t, &leader, [&place, &passed], warps, !unfenced);
        let alone = apart
            && t.plant(
                self.id,
                "a lane that waits for lanes it is not ordered with",
                Need::Threads,
            );
        self.together(t, at, alone);
        let read = t.line(format!("ld{space}.u32 {word}, [{from}]; add.u32 %v, %v, {word};"));
        if let Some((place, passed)) = back {
            self.together(t, at, false);
            self.arrive(t, &leader, &place);
            self.wait(t, &leader, [&place, &passed], warps, true);
            self.together(t, at, false);
        }
        if early || alone || unfenced {
            // Lanes of one warp rely on lockstep.
            t.expect(&[WarpSynchronous, Race], &[write, read], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        let mut partner = vec![0; active.len()];
        for block in 0..active.len() / threads {
            let own: Vec<usize> =
                (block * threads..(block + 1) * threads).filter(|t| active[*t]).collect();
            for (i, thread) in own.iter().enumerate() {
                partner[*thread] = own[(i + self.shift as usize) % own.len()];
            }
        }
        host.update(active, |thread, v| v[thread].wrapping_add(v[partner[thread]]));
    }
}
