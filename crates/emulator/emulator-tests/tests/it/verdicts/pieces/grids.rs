//! Synchronization of several blocks: a barrier of the whole grid, and a flag with cluster scope.

use super::blocks::{filled, narrowed, unacquired};
use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Forms of the grid's barrier: the arrival, a variant without order, the polling, and the instructions after it.
const ARRIVALS: &[(&str, &str, &str, &str)] = &[
    (
        "membar.gl; atom.global.add.u32 OLD, [AT], TO;",
        "atom.global.add.u32 OLD, [AT], TO;",
        "ld.volatile.global.u32 TO, [AT];",
        "membar.gl;",
    ),
    (
        "atom.release.gpu.global.add.u32 OLD, [AT], TO;",
        "atom.relaxed.gpu.global.add.u32 OLD, [AT], TO;",
        "ld.acquire.gpu.global.u32 TO, [AT];",
        "",
    ),
    (
        "fence.sc.gpu; atom.relaxed.gpu.global.add.u32 OLD, [AT], TO;",
        "fence.sc.cta; atom.relaxed.gpu.global.add.u32 OLD, [AT], TO;",
        "ld.relaxed.gpu.global.u32 TO, [AT];",
        "fence.acq_rel.gpu;",
    ),
];
pub const ARRIVAL_FORMS: usize = ARRIVALS.len();

/// Between two barriers of the grid, each thread reads the word of a thread of the next block.
pub struct GridBarrier {
    pub id: usize,
    /// The barrier's word: its high bit is the phase, as in CUDA's cooperative groups.
    pub word: usize,
    pub form: usize,
    pub shift: u32,
}

/// Defects of a grid barrier.
#[derive(Default)]
struct Wrong {
    weak: bool,
    narrow: bool,
    early: bool,
    rushed: bool,
    unfenced: bool,
}

impl GridBarrier {
    /// Writes a barrier; returns the lines of the arrival and of the polling.
    fn barrier(&self, t: &mut Text, blocks: u32, wrong: &Wrong) -> [usize; 2] {
        let (strong, relaxed, poll, after) = ARRIVALS[self.form];
        let [old, seen, add] = [(); 3].map(|()| t.register("r"));
        let (first, p, over, again) = (t.register("p"), t.register("p"), t.label(), t.label());
        let place = format!("%sums+{}", 4 * self.word);
        if !wrong.early {
            t.line("bar.sync 0;");
        }
        t.line(format!("setp.eq.u32 {first}, %tid, 0; @!{first} bra {over};"));
        let high = 0x8000_0000_u32 - (blocks - 1);
        t.line(format!("setp.eq.u32 {p}, %cta, 0; selp.b32 {add}, {high}, 1, {p};"));
        let form = match wrong.narrow {
            true => narrowed(strong),
            false => if wrong.weak { relaxed } else { strong }.to_owned(),
        };
        let form = form.replace("OLD", &old);
        let text = filled(&form, t, &place, &add);
        let arrival = t.line(text);
        t.line(format!("{again}:"));
        let poll = if wrong.unfenced { unacquired(poll) } else { poll.to_owned() };
        let text = filled(&poll, t, &place, &seen);
        let look = t.line(text);
        t.line(format!(
            "xor.b32 {seen}, {seen}, {old}; setp.ge.s32 {p}, {seen}, 0; @{p} bra {again};"
        ));
        t.line(if wrong.unfenced { "" } else { after });
        t.line(format!("{over}:"));
        if !wrong.rushed {
            t.line("bar.sync 0;");
        }
        [arrival, look]
    }
}

impl Piece for GridBarrier {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (threads, blocks) = (at.shape.threads, at.shape.blocks);
        let data = t.take_scratch(4 * threads);
        let [own, from] = [(); 2].map(|()| t.register("rd"));
        let [partner, word] = [(); 2].map(|()| t.register("r"));
        t.line(format!("mul.wide.u32 {own}, %tid, 4; add.u64 {own}, {own}, %mine;"));
        let write = t.line(format!("st.global.u32 [{own}+{data}], %v;"));
        let wrong = Wrong {
            weak: t.plant(self.id, "an arrival that orders nothing", Need::Blocks),
            narrow: t.plant(self.id, "an arrival of the block's scope", Need::Blocks),
            early: threads > 1
                && t.plant(self.id, "no barrier of the block before the grid's", Need::Blocks),
            rushed: threads > 1
                && t.plant(self.id, "no barrier of the block after the grid's", Need::Blocks),
            unfenced: t.plant(self.id, "a barrier without an acquire", Need::Blocks),
        };
        let places = self.barrier(t, blocks, &wrong);
        t.line(format!("add.u32 {partner}, %tid, {}; rem.u32 {partner}, {partner}, {threads}; mul.wide.u32 {from}, {partner}, 4;", self.shift));
        t.line(format!("add.u32 {partner}, %cta, 1; rem.u32 {partner}, {partner}, {blocks}; mad.wide.u32 {from}, {partner}, STRIDE, {from};"));
        t.line(format!("add.u64 {from}, {from}, %scratch;"));
        let read = t.line(format!("ld.global.u32 {word}, [{from}+{data}];"));
        t.line(format!("add.u32 %v, %v, {word};"));
        let missing = at.looped && t.plant(self.id, "no second barrier of the grid", Need::Blocks);
        if !missing {
            self.barrier(t, blocks, &Wrong::default());
        }
        if wrong.early || wrong.rushed {
            t.expect(&[Race, WarpSynchronous], &[write, read], &[Uninitialized]);
        }
        if wrong.weak || wrong.unfenced || missing {
            t.expect(&[Race], &[write, read], &[Uninitialized]);
        }
        if wrong.narrow {
            let [arrival, look] = places;
            t.expect(&[Race], &[write, read, arrival, look], &[Uninitialized]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, blocks) = (host.shape.threads as usize, host.shape.blocks as usize);
        let shift = self.shift as usize;
        host.update(active, |thread, v| {
            let block = (thread / threads + 1) % blocks;
            v[thread].wrapping_add(v[block * threads + (thread % threads + shift) % threads])
        });
    }
}

/// Instructions with which a block signals another one of its cluster, and variants without order.
const RELEASES: &[(&str, &str)] = &[
    (
        "fence.acq_rel.cluster; st.relaxed.cluster.global.u32 [AT], TO;",
        "st.relaxed.cluster.global.u32 [AT], TO;",
    ),
    ("st.release.cluster.global.u32 [AT], TO;", "st.relaxed.cluster.global.u32 [AT], TO;"),
    (
        "atom.release.cluster.global.exch.b32 OLD, [AT], TO;",
        "atom.relaxed.cluster.global.exch.b32 OLD, [AT], TO;",
    ),
    (
        "fence.sc.cluster; red.relaxed.cluster.global.add.u32 [AT], TO;",
        "red.relaxed.cluster.global.add.u32 [AT], TO;",
    ),
    (
        "fence.acq_rel.cluster; st.relaxed.gpu.global.u32 [AT], TO;",
        "fence.acq_rel.cta; st.relaxed.gpu.global.u32 [AT], TO;",
    ),
];
const ACQUIRES: &[&str] = &[
    "ld.acquire.cluster.global.u32 TO, [AT];",
    "ld.relaxed.cluster.global.u32 TO, [AT]; fence.acq_rel.cluster;",
    "atom.acquire.cluster.global.or.b32 TO, [AT], 0;",
    "ld.acquire.gpu.global.u32 TO, [AT];",
];
pub const CLUSTER_FORMS: usize = RELEASES.len() * ACQUIRES.len();

/// Each block waits for the other block of its cluster, and reads its writes.
pub struct ClusterFlag {
    pub id: usize,
    /// The first of the words, one per block.
    pub word: usize,
    pub form: usize,
    pub shift: u32,
}

impl Piece for ClusterFlag {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (threads, blocks, size) = (at.shape.threads, at.shape.blocks, at.shape.cluster);
        let (release, acquire) = (self.form % RELEASES.len(), self.form / RELEASES.len());
        let data = t.take_scratch(4 * threads);
        let [own, flag, from] = [(); 3].map(|()| t.register("rd"));
        let [partner, word, seen] = [(); 3].map(|()| t.register("r"));
        let [first, p] = [(); 2].map(|()| t.register("p"));
        let [over, again] = [(); 2].map(|()| t.label());
        t.line(format!("mul.wide.u32 {own}, %tid, 4; add.u64 {own}, {own}, %mine;"));
        let write = t.line(format!("st.global.u32 [{own}+{data}], %v;"));
        t.line("bar.sync 0;");
        let weak = t.plant(self.id, "a cluster's release that orders nothing", Need::Blocks);
        let narrow = t.plant(self.id, "a release of one block's scope", Need::Blocks);
        let narrow_read = t.plant(self.id, "an acquire of one block's scope", Need::Blocks);
        let unfenced = t.plant(self.id, "a cluster's flag read without an acquire", Need::Blocks);
        let apart = blocks > size
            && t.plant(self.id, "a flag of the cluster's scope between clusters", Need::Blocks);
        // The next block of the cluster, or a block of the next cluster.
        match apart {
            true => t.line(format!(
                "add.u32 {partner}, %cta, {size}; rem.u32 {partner}, {partner}, {blocks};"
            )),
            false => t.line(format!("xor.b32 {partner}, %cta, 1;")),
        };
        t.line(format!("setp.eq.u32 {first}, %tid, 0; @!{first} bra {over};"));
        t.line(format!("mul.wide.u32 {flag}, %cta, 4; add.u64 {flag}, {flag}, %sums;"));
        let place = format!("{flag}+{}", 4 * self.word);
        let cta = |form: &str| form.replace(".cluster", ".cta").replace(".gpu", ".cta");
        let (strong, relaxed) = RELEASES[release];
        let form = match narrow {
            true => cta(strong),
            false => if weak { relaxed } else { strong }.to_owned(),
        };
        let text = filled(&form, t, &place, "1");
        let set = t.line(text);
        t.line(format!("mul.wide.u32 {flag}, {partner}, 4; add.u64 {flag}, {flag}, %sums;"));
        t.line(format!("{again}:"));
        let form = match ACQUIRES[acquire] {
            form if narrow_read => cta(form),
            form if unfenced => unacquired(form),
            form => form.to_owned(),
        };
        let text = filled(&form, t, &place, &seen);
        let poll = t.line(text);
        t.line(format!("setp.eq.u32 {p}, {seen}, 0; @{p} bra {again};"));
        t.line(format!("{over}:"));
        t.line("bar.sync 0;");
        t.line(format!("add.u32 {word}, %tid, {}; rem.u32 {word}, {word}, {threads}; mul.wide.u32 {from}, {word}, 4;", self.shift));
        t.line(format!(
            "mad.wide.u32 {from}, {partner}, STRIDE, {from}; add.u64 {from}, {from}, %scratch;"
        ));
        let read = t.line(format!("ld.global.u32 {word}, [{from}+{data}];"));
        t.line(format!("add.u32 %v, %v, {word};"));
        if weak || unfenced {
            t.expect(&[Race], &[write, read], &[Uninitialized]);
        }
        if narrow || narrow_read || apart {
            t.expect(&[Race], &[write, read, set, poll], &[Uninitialized]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, blocks) = (host.shape.threads as usize, host.shape.blocks as usize);
        let shift = self.shift as usize;
        (0..blocks).for_each(|block| host.sums[self.word + block] = 1);
        host.update(active, |thread, v| {
            let block = (thread / threads) ^ 1;
            v[thread].wrapping_add(v[block * threads + (thread % threads + shift) % threads])
        });
    }
}
