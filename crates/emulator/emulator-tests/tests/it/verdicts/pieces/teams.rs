//! Two teams of a block's warps that synchronize at named barriers, and sums in shared memory.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// The first warps write and arrive without waiting; the others wait for them and read.
pub struct Relay {
    pub id: usize,
    /// Number of the first of two barriers.
    pub number: u32,
    /// Number of warps that write.
    pub writers: u32,
}

impl Piece for Relay {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (threads, count) = (at.shape.threads, at.counted());
        let writing = 32 * self.writers;
        let tile = t.shared(4 * writing);
        let (address, word, index) = (t.register("r"), t.register("r"), t.register("r"));
        let (p, read, end) = (t.register("p"), t.label(), t.label());
        let (one, two) = (self.number, self.number + 1);
        let early = t.plant(self.id, "an arrival before the write", Need::Thread);
        let missing = t.plant(self.id, "an arrival that is missing", Need::Thread);
        t.line(format!("setp.ge.u32 {p}, %tid, {writing}; @{p} bra {read};"));
        t.line(format!("mov.u32 {address}, {tile}; mad.lo.u32 {address}, %tid, 4, {address};"));
        if early {
            t.line(format!("bar.arrive {one}, {count};"));
        }
        let write = t.line(format!("st.shared.u32 [{address}], %v;"));
        if !early && !missing {
            t.line(format!("barrier.arrive {one}, {count};"));
        }
        if at.looped {
            t.line(format!("bar.sync {two}, {count};"));
        }
        t.line(format!("bra {end};"));
        t.line(format!("{read}:"));
        t.line(format!("bar.sync {one}, {count};"));
        t.line(format!("rem.u32 {index}, %tid, {writing}; mov.u32 {address}, {tile}; mad.lo.u32 {address}, {index}, 4, {address};"));
        let load = t.line(format!("ld.shared.u32 {word}, [{address}]; add.u32 %v, %v, {word};"));
        let again = at.alone
            && t.plant(self.id, "no word to the writers before the next round", Need::Thread);
        if at.looped {
            t.line(match again {
                true => String::new(),
                false => format!("barrier.arrive {two}, {count};"),
            });
        }
        t.line(format!("{end}:"));
        let _ = threads;
        if early {
            t.expect(&[Race], &[write, load], &[]);
        }
        if missing {
            t.expect(&[Deadlock], &[], &[Race]);
        }
        if again {
            t.expect(&[Deadlock, Race, BarrierDivergence], &[], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        let writing = 32 * self.writers as usize;
        host.update(active, |thread, v| {
            let within = thread % threads;
            let word = if within < writing { 0 } else { v[thread - within + within % writing] };
            v[thread].wrapping_add(word)
        });
    }
}

/// A sum of all threads of the block in shared memory.
pub struct BlockSum {
    pub id: usize,
    pub form: &'static str,
}

pub const SHARED_ADDITIONS: &[&str] = &[
    "red.shared.add.u32",
    "atom.shared.add.u32",
    "red.relaxed.cta.shared.add.u32",
    "atom.acq_rel.cta.shared.add.u32",
];

impl Piece for BlockSum {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let tile = t.shared(4);
        let [address, old, sum] = [(); 3].map(|()| t.register("r"));
        let p = t.register("p");
        t.line(format!("mov.u32 {address}, {tile}; setp.eq.u32 {p}, %tid, 0;"));
        let removed = [
            // An acquire-release addition is ordered after the additions whose result it read, but which ones varies by run.
            !self.form.contains("acq_rel")
                && t.plant(self.id, "no barrier after the sum is set to zero", Need::Threads),
            t.plant(self.id, "no barrier before the sum is read", Need::Threads),
        ];
        let unset = t.plant(self.id, "a sum that nobody sets to zero", Need::Thread);
        let zero = t.line(if unset {
            String::new()
        } else {
            format!("@{p} st.shared.u32 [{address}], 0;")
        });
        if !removed[0] {
            t.line("bar.sync 0;");
        }
        let plain = t.plant(self.id, "a sum in shared memory without atomics", Need::Threads);
        let add = match () {
            () if plain => t.line(format!("ld.shared.u32 {old}, [{address}]; add.u32 {old}, {old}, %v; st.shared.u32 [{address}], {old};")),
            () if self.form.starts_with("atom") => t.line(format!("{} {old}, [{address}], %v;", self.form)),
            () => t.line(format!("{} [{address}], %v;", self.form)),
        };
        if !removed[1] {
            t.line("bar.sync 0;");
        }
        let read = t.line(format!("ld.shared.u32 {sum}, [{address}];"));
        let again = at.alone
            && t.plant(self.id, "no barrier before the sum is set to zero again", Need::Threads);
        if at.looped && !again {
            t.line("bar.sync 0;");
        }
        t.line(format!("add.u32 %v, %v, {sum};"));
        match () {
            () if removed[0] || again => t.expect(&[Race], &[zero, add, read], &[]),
            () if removed[1] => t.expect(&[Race], &[add, read], &[]),
            () if unset => t.expect(&[Uninitialized], &[add], &[]),
            () if plain => t.expect(&[Race], &[add], &[]),
            () => {}
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        host.update(active, |thread, v| {
            let block = thread / threads * threads;
            v[block..block + threads].iter().fold(v[thread], |sum, v| sum.wrapping_add(*v))
        });
    }
}
