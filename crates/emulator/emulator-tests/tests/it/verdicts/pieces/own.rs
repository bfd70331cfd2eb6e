//! Pieces in which threads do not communicate, or only by atomics.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::{OutOfBounds, Race, Uninitialized};

/// `v = v * a + b`; the defect reads an uninitialized register.
pub struct Arithmetic {
    pub id: usize,
    pub factor: u32,
    pub term: u32,
}

impl Piece for Arithmetic {
    fn emit(&self, t: &mut Text, _: &Scope) {
        if t.plant(self.id, "a register that nothing writes", Need::Thread) {
            let unwritten = t.register("r");
            t.line(format!("add.u32 %v, %v, {unwritten};"));
            t.expect(&[Uninitialized], &[], &[]);
        }
        t.line(format!("mad.lo.u32 %v, %v, {}, {};", self.factor, self.term));
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let Arithmetic { factor, term, .. } = *self;
        host.update(active, |thread, v| v[thread].wrapping_mul(factor).wrapping_add(term));
    }
}

/// Four words of local memory, which the thread writes before it reads one of them.
pub struct Local {
    pub id: usize,
}

impl Piece for Local {
    fn emit(&self, t: &mut Text, _: &Scope) {
        let name = t.local(16);
        let (at, index, word) = (t.register("r"), t.register("r"), t.register("r"));
        let misses =
            t.plant(self.id, "an element of local memory that nothing writes", Need::Thread);
        let beyond = t.plant(self.id, "one beyond local memory", Need::Thread);
        t.line(format!("and.b32 {index}, %v, 3; mov.u32 {at}, {name};"));
        for i in 0..4 {
            // The defect omits the write of the word that is read.
            if misses {
                let p = t.register("p");
                t.line(format!("setp.ne.u32 {p}, {index}, {i};"));
                t.line(format!("@{p} st.local.u32 [{at}+{}], %v;", 4 * i));
            } else {
                t.line(format!("add.u32 {word}, %v, {i}; st.local.u32 [{at}+{}], {word};", 4 * i));
            }
        }
        if beyond {
            t.line(format!("mov.u32 {index}, 4;"));
        }
        t.line(format!("mad.lo.u32 {at}, {index}, 4, {at};"));
        let read = t.line(format!("ld.local.u32 {word}, [{at}];"));
        t.line(format!("add.u32 %v, %v, {word};"));
        if misses {
            t.expect(&[Uninitialized], &[read], &[]);
        }
        if beyond {
            t.expect(&[OutOfBounds], &[read], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        host.update(active, |thread, v| v[thread].wrapping_mul(2).wrapping_add(v[thread] & 3));
    }
}

/// All threads write the same value to one word.
pub struct SameValue {
    pub id: usize,
    /// Index of the word.
    pub word: usize,
    pub value: u32,
}

impl Piece for SameValue {
    fn emit(&self, t: &mut Text, _: &Scope) {
        let differs = t.plant(self.id, "threads write different values", Need::Threads);
        let word = t.register("r");
        let value = if differs { "%gid".to_owned() } else { self.value.to_string() };
        t.line(format!("mov.u32 {word}, {value};"));
        let write = t.line(format!("st.global.u32 [%sums+{}], {word};", 4 * self.word));
        if differs {
            t.expect(&[Race], &[write], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        if active.iter().any(|active| *active) {
            host.sums[self.word] = self.value;
        }
    }
}

/// All threads add to one word.
pub struct Sum {
    pub id: usize,
    pub word: usize,
    /// The instruction, `red` or `atom`, with semantics and scope.
    pub form: &'static str,
}

/// Forms of additions with device scope.
pub const ADDITIONS: &[&str] = &[
    "red.global.add.u32",
    "atom.global.add.u32",
    "red.relaxed.gpu.global.add.u32",
    "atom.acq_rel.gpu.global.add.u32",
    "atom.sys.global.add.u32",
    "red.add.u32",
];

impl Piece for Sum {
    fn emit(&self, t: &mut Text, _: &Scope) {
        let plain = t.plant(self.id, "a sum without atomics", Need::Threads);
        let narrow =
            t.plant(self.id, "atomics of the block's scope in several blocks", Need::Blocks);
        let (at, old) = (4 * self.word, t.register("r"));
        if plain {
            let read = t.line(format!("ld.global.u32 {old}, [%sums+{at}];"));
            let write =
                t.line(format!("add.u32 {old}, {old}, %v; st.global.u32 [%sums+{at}], {old};"));
            t.expect(&[Race], &[read, write], &[]);
            return;
        }
        let form = if narrow { "atom.relaxed.cta.global.add.u32" } else { self.form };
        let line = match form.starts_with("atom") {
            true => t.line(format!("{form} {old}, [%sums+{at}], %v;")),
            false => t.line(format!("{form} [%sums+{at}], %v;")),
        };
        if narrow {
            t.expect(&[Race], &[line], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let added = (0..active.len()).filter(|thread| active[*thread]);
        let added = added.fold(0u32, |sum, thread| sum.wrapping_add(host.v[thread]));
        host.sums[self.word] = host.sums[self.word].wrapping_add(added);
    }
}

/// Each thread writes its own word in global memory and reads it back.
pub struct OwnWord {
    pub id: usize,
}

impl Piece for OwnWord {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let offset = t.take_scratch(4 * at.shape.threads);
        let (address, word) = (t.register("rd"), t.register("r"));
        let misses =
            t.plant(self.id, "an element of global memory that nothing writes", Need::Thread);
        let shares = t.plant(self.id, "a neighbor's word", Need::Crosses);
        let index = t.register("r");
        t.line(format!("mov.u32 {index}, %tid;"));
        if shares {
            // The two lanes of a pair write one word.
            t.line(format!("and.b32 {index}, {index}, -2;"));
        }
        t.line(format!("mul.wide.u32 {address}, {index}, 4; add.u64 {address}, {address}, %mine;"));
        let write = match misses {
            true => t.line(""),
            false => t.line(format!("st.global.u32 [{address}+{offset}], %gid;")),
        };
        let read = t.line(format!("ld.global.u32 {word}, [{address}+{offset}];"));
        t.line(format!("xor.b32 %v, %v, {word};"));
        if misses {
            t.expect(&[Uninitialized], &[read], &[]);
        }
        if shares {
            t.expect(&[Race], &[write, read], &[]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        // For the defect, both lanes of a pair must be active.
        let pair =
            |block: &[bool]| (0..block.len()).any(|t| block[t] && block.get(t ^ 1) == Some(&true));
        host.facts[self.id].crosses |= active.chunks(host.shape.threads as usize).any(pair);
        host.update(active, |thread, v| v[thread] ^ thread as u32);
    }
}
