//! Blocks that pass data to each other: by a flag, to the last block that finishes, under a lock, in a cluster.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Instructions with which a thread releases its writes, and variants without order. `AT` is the word, and `TO` its value.
pub const RELEASES: &[(&str, &str)] = &[
    (
        "fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [AT], TO;",
        "st.relaxed.gpu.global.u32 [AT], TO;",
    ),
    ("membar.gl; st.volatile.global.u32 [AT], TO;", "st.volatile.global.u32 [AT], TO;"),
    ("st.release.gpu.global.u32 [AT], TO;", "st.relaxed.gpu.global.u32 [AT], TO;"),
    (
        "st.release.sys.global.u32 [AT], TO;",
        "fence.acq_rel.cta; st.relaxed.gpu.global.u32 [AT], TO;",
    ),
    (
        "fence.sc.gpu; atom.relaxed.gpu.global.exch.b32 OLD, [AT], TO;",
        "atom.relaxed.gpu.global.exch.b32 OLD, [AT], TO;",
    ),
    (
        "atom.release.gpu.global.exch.b32 OLD, [AT], TO;",
        "membar.cta; atom.global.exch.b32 OLD, [AT], TO;",
    ),
    ("membar.sys; red.global.add.u32 [AT], TO;", "red.global.add.u32 [AT], TO;"),
    ("red.release.gpu.global.add.u32 [AT], TO;", "red.relaxed.gpu.global.add.u32 [AT], TO;"),
];

/// Narrows the scope to the block, so other blocks do not synchronize.
pub fn narrowed(form: &str) -> String {
    let narrow = |form: String, wide: &str| form.replace(wide, ".cta");
    let form = [".gpu", ".sys", ".gl"].into_iter().fold(form.to_owned(), narrow);
    form.replace(".ctaobal", ".global")
}

/// Instructions with which a thread reads a flag into `TO`.
pub const ACQUIRES: &[&str] = &[
    "ld.acquire.gpu.global.u32 TO, [AT];",
    "ld.volatile.global.u32 TO, [AT]; membar.gl;",
    "ld.relaxed.gpu.global.u32 TO, [AT]; fence.acq_rel.gpu;",
    "ld.acquire.sys.global.u32 TO, [AT];",
    "atom.acquire.gpu.global.or.b32 TO, [AT], 0;",
    "ld.relaxed.gpu.global.u32 TO, [AT]; fence.sc.gpu;",
];

/// The same without acquiring what the flag releases.
pub fn unacquired(form: &str) -> String {
    let form = form.replace(".acquire", ".relaxed").replace("atom.acq_rel", "atom.release");
    match form.rsplit_once("; ") {
        Some((read, fence)) if fence.starts_with("membar") || fence.starts_with("fence") => {
            format!("{read};")
        }
        _ => form,
    }
}

pub fn filled(form: &str, t: &mut Text, at: &str, to: &str) -> String {
    let old = t.register("r");
    form.replace("AT", at).replace("TO", to).replace("OLD", &old)
}

/// Each block waits for the previous block, and reads its writes.
pub struct Flag {
    pub id: usize,
    /// The first of the words, one per block.
    pub word: usize,
    pub release: usize,
    pub acquire: usize,
    pub shift: u32,
    /// Whether blocks wait for the next block instead.
    pub backwards: bool,
}

impl Piece for Flag {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (threads, blocks) = (at.shape.threads, at.shape.blocks);
        let data = t.take_scratch(4 * threads);
        let (first, flag, own) = (t.register("p"), t.register("rd"), t.register("rd"));
        let (sign, last, step) =
            if self.backwards { (1, blocks - 1, "add") } else { (-1, 0, "sub") };
        t.line(format!("setp.eq.u32 {first}, %tid, 0; mul.wide.u32 {flag}, %cta, 4; add.u64 {flag}, {flag}, %sums;"));
        t.line(format!("mul.wide.u32 {own}, %tid, 4; add.u64 {own}, {own}, %mine;"));
        let write = t.line(format!("st.global.u32 [{own}+{data}], %v;"));
        let early =
            threads > 1 && t.plant(self.id, "no barrier before the flag is set", Need::Blocks);
        if !early {
            t.line("bar.sync 0;");
        }
        let weak = t.plant(self.id, "a release that orders nothing", Need::Blocks);
        let narrow = t.plant(self.id, "a release of the block's scope", Need::Blocks);
        let narrow_read = ACQUIRES[self.acquire].contains(".gpu")
            && t.plant(self.id, "a flag read by the block's scope", Need::Blocks);
        let unfenced = t.plant(self.id, "a flag read without an acquire", Need::Blocks);
        let never = t.plant(self.id, "a flag that nobody sets", Need::Blocks);
        let (strong, relaxed) = RELEASES[self.release];
        let skip = t.label();
        t.line(format!("@!{first} bra {skip};"));
        let mut set = write;
        if !never {
            let place = format!("{flag}+{}", 4 * self.word);
            let form = match narrow {
                true => narrowed(strong),
                false => if weak { relaxed } else { strong }.to_owned(),
            };
            let text = filled(&form, t, &place, "1");
            set = t.line(text);
        }
        t.line(format!("{skip}:"));
        let (alone, end) = (t.register("p"), t.label());
        t.line(format!("setp.eq.u32 {alone}, %cta, {last}; @{alone} bra {end};"));
        let (over, again, seen, p) = (t.label(), t.label(), t.register("r"), t.register("p"));
        t.line(format!("@!{first} bra {over};"));
        t.line(format!("{again}:"));
        let place = format!("{flag}+{}", 4 * (self.word as i32 + sign));
        let form = match ACQUIRES[self.acquire] {
            form if narrow_read => narrowed(form),
            form if unfenced => unacquired(form),
            form => form.to_owned(),
        };
        let text = filled(&form, t, &place, &seen);
        let poll = t.line(text);
        let back = t.line(format!("setp.eq.u32 {p}, {seen}, 0; @{p} bra {again};"));
        t.line(format!("{over}:"));
        let rushed =
            threads > 1 && t.plant(self.id, "no barrier after the flag was seen", Need::Blocks);
        if !rushed {
            t.line("bar.sync 0;");
        }
        let (partner, from, word) = (t.register("r"), t.register("rd"), t.register("r"));
        t.line(format!(
            "add.u32 {partner}, %tid, {}; rem.u32 {partner}, {partner}, {threads};",
            self.shift
        ));
        t.line(format!("mul.wide.u32 {from}, {partner}, 4; add.u64 {from}, {from}, %mine; {step}.u64 {from}, {from}, %stride;"));
        let read = t.line(format!("ld.global.u32 {word}, [{from}+{data}];"));
        t.line(format!("add.u32 %v, %v, {word};"));
        t.line(format!("{end}:"));
        if early || rushed {
            // Lanes of the warp that sets or reads the flag rely on lockstep.
            t.expect(&[Race, WarpSynchronous], &[write, read], &[Uninitialized]);
        }
        if weak || unfenced {
            t.expect(&[Race], &[write, read], &[Uninitialized]);
        }
        if narrow || narrow_read {
            t.expect(&[Race], &[write, read, set, poll], &[Uninitialized]);
        }
        if never {
            t.expect(&[Deadlock], &[poll, back], &[Deadlock]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, blocks) = (host.shape.threads as usize, host.shape.blocks as usize);
        let step = |block: usize| {
            if self.backwards {
                block.checked_add(1).filter(|b| *b < blocks)
            } else {
                block.checked_sub(1)
            }
        };
        let shift = self.shift as usize;
        for block in 0..blocks {
            host.sums[self.word + block] = 1;
        }
        host.update(active, |thread, v| {
            let of = step(thread / threads)
                .map(|block| v[block * threads + (thread % threads + shift) % threads]);
            v[thread].wrapping_add(of.unwrap_or(0))
        });
    }
}

/// The last block to finish sums the results of all blocks.
pub struct LastBlock {
    pub id: usize,
    /// A counter and a total.
    pub word: usize,
    /// Index of the form of the ticket, with and without order.
    pub form: usize,
}

const TICKETS: &[(&str, &str)] = &[
    ("membar.gl; atom.global.add.u32 TO, [AT], 1; membar.gl;", "atom.global.add.u32 TO, [AT], 1;"),
    (
        "atom.acq_rel.gpu.global.add.u32 TO, [AT], 1;",
        "atom.relaxed.gpu.global.add.u32 TO, [AT], 1;",
    ),
    (
        "fence.sc.gpu; atom.relaxed.gpu.global.inc.u32 TO, [AT], 1000; fence.acq_rel.gpu;",
        "fence.sc.cta; atom.relaxed.gpu.global.inc.u32 TO, [AT], 1000;",
    ),
];
pub const TICKET_FORMS: usize = TICKETS.len();

impl Piece for LastBlock {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (part, blocks) = (t.take_scratch(4), at.shape.blocks);
        let weak = t.plant(self.id, "a ticket that orders nothing", Need::Blocks);
        let narrow = t.plant(self.id, "a ticket of the block's scope", Need::Blocks);
        let unfenced = t.plant(self.id, "a ticket without an acquire", Need::Blocks);
        let (p, end, ticket) = (t.register("p"), t.label(), t.register("r"));
        t.line(format!("setp.ne.u32 {p}, %tid, 0; @{p} bra {end};"));
        let write = t.line(format!("st.global.u32 [%mine+{part}], %v;"));
        let (strong, relaxed) = TICKETS[self.form];
        let form = match () {
            () if narrow => narrowed(strong),
            () if unfenced => unacquired(strong),
            () => if weak { relaxed } else { strong }.to_owned(),
        };
        let text = filled(&form, t, &format!("%sums+{}", 4 * self.word), &ticket);
        let take = t.line(text);
        t.line(format!("setp.ne.u32 {p}, {ticket}, {}; @{p} bra {end};", blocks - 1));
        let (total, word, from) = (t.register("r"), t.register("r"), t.register("rd"));
        t.line(format!("mov.u32 {total}, 0; mov.u64 {from}, %scratch;"));
        let mut lines = vec![write, take];
        for _ in 0..blocks {
            lines.push(t.line(format!("ld.global.u32 {word}, [{from}+{part}]; add.u32 {total}, {total}, {word}; add.u64 {from}, {from}, %stride;")));
        }
        t.line(format!("st.global.u32 [%sums+{}], {total};", 4 * (self.word + 1)));
        t.line(format!("{end}:"));
        if weak || narrow || unfenced {
            t.expect(&[Race], &lines, &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        host.sums[self.word] = host.shape.blocks;
        host.sums[self.word + 1] =
            host.v.iter().step_by(threads).fold(0, |sum, v| sum.wrapping_add(*v));
    }
}

/// The first thread of each block adds to a word under a lock.
pub struct Lock {
    pub id: usize,
    /// The word of the lock; the next one is the sum.
    pub word: usize,
    pub release: usize,
}

impl Piece for Lock {
    fn emit(&self, t: &mut Text, _: &Scope) {
        let weak = t.plant(self.id, "a lock that is left without a release", Need::Blocks);
        let narrow = t.plant(self.id, "a lock taken by the block's scope", Need::Blocks);
        let unfenced = t.plant(self.id, "a lock taken without an acquire", Need::Blocks);
        let none = t.plant(self.id, "no lock", Need::Blocks);
        let (p, end, again) = (t.register("p"), t.label(), t.label());
        let (taken, old) = (t.register("r"), t.register("r"));
        let (lock, word) = (4 * self.word, 4 * (self.word + 1));
        t.line(format!("setp.ne.u32 {p}, %tid, 0; @{p} bra {end};"));
        let mut places = Vec::new();
        if !none {
            t.line(format!("{again}:"));
            let scope = if narrow { "cta" } else { "gpu" };
            let order = if unfenced { "relaxed" } else { "acquire" };
            places.push(t.line(format!(
                "atom.{order}.{scope}.global.cas.b32 {taken}, [%sums+{lock}], 0, 1;"
            )));
            t.line(format!("setp.ne.u32 {p}, {taken}, 0; @{p} bra {again};"));
        }
        let read = t.line(format!("ld.global.u32 {old}, [%sums+{word}];"));
        let write =
            t.line(format!("add.u32 {old}, {old}, %v; st.global.u32 [%sums+{word}], {old};"));
        if !none {
            // An addition cannot release a lock.
            let (strong, relaxed) = RELEASES[self.release % 6];
            let text =
                filled(if weak { relaxed } else { strong }, t, &format!("%sums+{lock}"), "0");
            places.push(t.line(text));
        }
        t.line(format!("{end}:"));
        if weak || none || unfenced {
            t.expect(&[Race], &[read, write], &[]);
        }
        if narrow {
            places.extend([read, write]);
            t.expect(&[Race], &places, &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        let sum = (0..active.len()).step_by(threads).filter(|t| active[*t]);
        let sum =
            sum.fold(host.sums[self.word + 1], |sum, thread| sum.wrapping_add(host.v[thread]));
        host.sums[self.word + 1] = sum;
    }
}

/// Each block writes to the shared memory of the next block of its cluster.
pub struct ClusterTile {
    pub id: usize,
    pub shift: u32,
    /// Whether a fence and a relaxed arrival release the writes.
    pub fenced: bool,
}

impl Piece for ClusterTile {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (size, threads) = (at.shape.cluster, at.shape.threads);
        let tile = t.shared(4 * threads);
        let [rank, own, to, from, word] = [(); 5].map(|()| t.register("r"));
        t.line(format!("mov.u32 {rank}, %cluster_ctarank; add.u32 {rank}, {rank}, 1; rem.u32 {rank}, {rank}, {size};"));
        t.line(format!("mov.u32 {own}, {tile}; mapa.shared::cluster.u32 {to}, {own}, {rank}; mad.lo.u32 {to}, %tid, 4, {to};"));
        let write = t.line(format!("st.shared::cluster.u32 [{to}], %v;"));
        let removed = t.plant(self.id, "no barrier of the cluster", Need::Threads);
        let narrow = !removed
            && t.plant(
                self.id,
                "a barrier of the block where the cluster has to wait",
                Need::Threads,
            );
        let relaxed = !removed
            && !narrow
            && t.plant(self.id, "a relaxed arrival at the cluster's barrier", Need::Threads);
        let barrier = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
        let arrival =
            "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;";
        match (removed, narrow) {
            (true, _) => t.line(""),
            (_, true) => t.line("bar.sync 0;"),
            _ if relaxed => t.line(format!("fence.mbarrier_init.release.cluster; {arrival}")),
            _ if self.fenced => t.line(format!("fence.acq_rel.cluster; {arrival}")),
            _ => t.line(barrier),
        };
        t.line(format!("add.u32 {from}, %tid, {}; rem.u32 {from}, {from}, {threads}; mad.lo.u32 {from}, {from}, 4, {own};", self.shift));
        let read = t.line(format!("ld.shared.u32 {word}, [{from}]; add.u32 %v, %v, {word};"));
        // No block exits, and no round begins, before all blocks have read.
        t.line(barrier);
        if removed || narrow || relaxed {
            t.expect(&[Race], &[write, read], &[Uninitialized]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let (threads, size) = (host.shape.threads as usize, host.shape.cluster as usize);
        let shift = self.shift as usize;
        host.update(active, |thread, v| {
            let (block, within) = (thread / threads, thread % threads);
            let before = block / size * size + (block % size + size - 1) % size;
            v[thread].wrapping_add(v[before * threads + (within + shift) % threads])
        });
    }
}
