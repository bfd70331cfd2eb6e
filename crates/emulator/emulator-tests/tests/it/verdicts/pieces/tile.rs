//! Threads of whole warps that exchange words through a tile, with a barrier in between.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Width of an element, and the instructions that write and read it.
#[derive(Clone, Copy, Debug)]
pub enum Width {
    Byte,
    Half,
    Word,
    Wide,
    Four,
}

impl Width {
    pub const ALL: &[Width] = &[
        Width::Byte,
        Width::Half,
        Width::Word,
        Width::Word,
        Width::Word,
        Width::Wide,
        Width::Four,
    ];

    fn bytes(self) -> u32 {
        match self {
            Width::Byte => 1,
            Width::Half => 2,
            Width::Word => 4,
            Width::Wide => 8,
            Width::Four => 16,
        }
    }

    /// The part of a value that an element keeps.
    fn kept(self, value: u32) -> u32 {
        match self {
            Width::Byte => value & 0xff,
            Width::Half => value & 0xffff,
            Width::Word | Width::Wide => value,
            Width::Four => value.wrapping_mul(4),
        }
    }
}

/// The barrier between writes and reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// A barrier of all threads of the block.
    Whole(&'static str),
    /// A barrier with a number and a thread count.
    Named(&'static str, u32),
    Mbarrier,
}

/// Instructions for a barrier of all threads.
pub const WHOLE: &[&str] = &[
    "bar.sync 0;",
    "barrier.sync 0;",
    "barrier.cta.sync.aligned 0;",
    "bar.sync 7;",
    "bar.red.popc.u32 RESULT, 0, TRUE;",
];

pub struct Tile {
    pub id: usize,
    pub shift: u32,
    pub width: Width,
    pub global: bool,
    pub generic: bool,
    /// Whether `cp.async` copies the words from the kernel's input.
    pub copied: bool,
    pub barrier: Barrier,
}

impl Tile {
    fn space(&self) -> &'static str {
        match (self.generic, self.global) {
            (true, _) => "",
            (_, true) => ".global",
            _ => ".shared",
        }
    }

    /// Writes the computation of an element's address; returns its register.
    fn address(&self, t: &mut Text, base: &str, index: &str) -> String {
        let wide = self.global || self.generic;
        let at = t.register(if wide { "rd" } else { "r" });
        let bytes = self.width.bytes();
        match wide {
            true => {
                t.line(format!("mul.wide.u32 {at}, {index}, {bytes}; add.u64 {at}, {at}, {base};"))
            }
            false => t.line(format!("mad.lo.u32 {at}, {index}, {bytes}, {base};")),
        };
        at
    }

    fn write(&self, t: &mut Text, guard: &str, at: &str, value: &str) -> usize {
        let space = self.space();
        match self.width {
            Width::Byte => t.line(format!("{guard}st{space}.u8 [{at}], {value};")),
            Width::Half => {
                let low = t.register("r");
                t.line(format!("and.b32 {low}, {value}, 0xffff; {{ .reg .b16 %low; cvt.u16.u32 %low, {low}; {guard}st{space}.u16 [{at}], %low; }}"))
            }
            Width::Word => t.line(format!("{guard}st{space}.u32 [{at}], {value};")),
            Width::Wide => {
                let wide = t.register("rd");
                t.line(format!("cvt.u64.u32 {wide}, {value}; {guard}st{space}.u64 [{at}], {wide};"))
            }
            Width::Four => t.line(format!(
                "{guard}st{space}.v4.u32 [{at}], {{{value}, {value}, {value}, {value}}};"
            )),
        }
    }

    /// Writes the addition of the element at an address to the value.
    fn read(&self, t: &mut Text, at: &str) -> usize {
        let space = self.space();
        let word = t.register("r");
        let line = match self.width {
            Width::Byte => t.line(format!("ld{space}.u8 {word}, [{at}];")),
            Width::Half => t.line(format!(
                "{{ .reg .b16 %low; ld{space}.u16 %low, [{at}]; cvt.u32.u16 {word}, %low; }}"
            )),
            Width::Word => t.line(format!("ld{space}.u32 {word}, [{at}];")),
            Width::Wide => {
                let wide = t.register("rd");
                t.line(format!("ld{space}.u64 {wide}, [{at}]; cvt.u32.u64 {word}, {wide};"))
            }
            Width::Four => {
                let [a, b, c] = [(); 3].map(|()| t.register("r"));
                t.line(format!("ld{space}.v4.u32 {{{a}, {b}, {c}, {word}}}, [{at}]; add.u32 {word}, {word}, {a}; add.u32 {word}, {word}, {b}; add.u32 {word}, {word}, {c};"))
            }
        };
        t.line(format!("add.u32 %v, %v, {word};"));
        line
    }

    /// Writes a barrier; `count` is its thread count, if different from the number of threads that arrive.
    fn wait(&self, t: &mut Text, at: &Scope, guard: &str, count: Option<u32>) -> usize {
        match self.barrier {
            Barrier::Whole(text) => {
                let (result, truth) = (t.register("r"), t.register("p"));
                if text.contains("TRUE") {
                    t.line(format!("setp.eq.u32 {truth}, %tid, 0;"));
                }
                let text = text.replace("RESULT", &result).replace("TRUE", &truth);
                match count {
                    Some(count) => {
                        // The loader refuses an invalid constant, so the count is in a register.
                        let threads = t.register("r");
                        t.line(format!(
                            "mov.u32 {threads}, {count}; {guard}barrier.sync 0, {threads};"
                        ))
                    }
                    None => t.line(format!("{guard}{text}")),
                }
            }
            Barrier::Named(name, number) => {
                let threads = t.register("r");
                let count = count.unwrap_or(at.counted());
                t.line(format!("mov.u32 {threads}, {count}; {guard}{name} {number}, {threads};"))
            }
            Barrier::Mbarrier => 0,
        }
    }

    /// Writes an arrival at an mbarrier and the wait for its phase; returns the lines of both.
    fn pass(t: &mut Text, mbarrier: &str, waits: bool) -> [usize; 2] {
        let (at, state, done, again) =
            (t.register("r"), t.register("rd"), t.register("p"), t.label());
        t.line(format!("mov.u32 {at}, {mbarrier};"));
        let arrive = t.line(format!("mbarrier.arrive.shared.b64 {state}, [{at}];"));
        if waits {
            t.line(format!("{again}:"));
            let wait = t.line(format!("mbarrier.test_wait.shared.b64 {done}, [{at}], {state};"));
            t.line(format!("@!{done} bra {again};"));
            return [arrive, wait];
        }
        [arrive, arrive]
    }

    /// The mbarrier, which thread 0 initializes in the prologue.
    fn mbarrier(&self, t: &mut Text, at: &Scope) -> Option<(String, usize, bool)> {
        (self.barrier == Barrier::Mbarrier).then(|| {
            let name = t.shared(8);
            let more = t.plant(self.id, "an mbarrier of one thread too many", Need::Thread);
            let none = t.plant(self.id, "an mbarrier without initialization", Need::Thread);
            let count = at.group().1 + u32::from(more);
            let (address, first) = (t.register("r"), t.register("p"));
            if !none {
                t.prologue.push(format!(
                    "mov.u32 {address}, {name}; setp.eq.u32 {first}, %tid, 0; @{first} mbarrier.init.shared.b64 [{address}], {count};"
                ));
                t.prologue_barrier = true;
            }
            (name, usize::from(more), none)
        })
    }
}

impl Piece for Tile {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let bytes = self.width.bytes();
        let (first, count) = at.group();
        let size = bytes * at.shape.threads;
        let mbarrier = self.mbarrier(t, at);
        let base = t.register(if self.global || self.generic { "rd" } else { "r" });
        if self.global {
            let offset = t.take_scratch(size);
            t.line(format!("add.u64 {base}, %mine, {offset};"));
        } else {
            let name = t.shared(size);
            t.line(format!("mov.u{} {base}, {name};", if self.generic { 64 } else { 32 }));
            if self.generic {
                t.line(format!("cvta.shared.u64 {base}, {base};"));
            }
        }
        let own = self.address(t, &base, "%tid");
        let partner = t.register("r");
        t.line(format!("add.u32 {partner}, %tid, {}; rem.u32 {partner}, {partner}, {count}; add.u32 {partner}, {partner}, {first};", (self.shift + count - first % count) % count));

        // Writes.
        let misses = count > 1
            && !self.copied
            && t.plant(self.id, "one thread does not write its element", Need::Threads);
        let mut guard = String::new();
        if misses {
            let p = t.register("p");
            t.line(format!("setp.ne.u32 {p}, %tid, {};", first + count / 2));
            guard = format!("@{p} ");
        }
        let waits = [
            self.copied && t.plant(self.id, "no wait for the copy", Need::Thread),
            self.copied && t.plant(self.id, "a wait for all copies but one", Need::Thread),
        ];
        let write = if self.copied {
            let from = t.register("rd");
            t.line(format!("mul.wide.u32 {from}, %gid, 4; add.u64 {from}, {from}, %in;"));
            let copy = t.line(format!("cp.async.ca.shared.global [{own}], [{from}], 4;"));
            match waits {
                [true, _] => t.line("cp.async.commit_group;"),
                [_, true] => t.line("cp.async.commit_group; cp.async.wait_group 1;"),
                _ => t.line("cp.async.commit_group; cp.async.wait_group 0;"),
            };
            copy
        } else {
            self.write(t, &guard, &own, "%v")
        };

        // The barrier.
        let crosses = !self.shift.is_multiple_of(count);
        let removed =
            crosses && t.plant(self.id, "no barrier between writes and reads", Need::Threads);
        let (mut barrier, mut divergent, mut wrong) = (0, false, None);
        let mut unfinished = false;
        if let Some((name, ..)) = &mbarrier {
            unfinished =
                crosses && t.plant(self.id, "an mbarrier that is not waited for", Need::Threads);
            if !removed {
                barrier = Tile::pass(t, name, !unfinished)[1];
            }
        } else {
            divergent = t.plant(self.id, "a barrier for odd lanes only", Need::Lanes);
            let fits = at.counted() == at.shape.warps() * 32
                && at.whole_block()
                && at.shape.threads.is_multiple_of(32);
            for (name, count) in [
                ("a barrier that counts a warp too many", at.counted() + 32),
                ("a barrier that counts half a warp too many", at.counted() + 16),
            ] {
                if fits && t.plant(self.id, name, Need::Thread) {
                    wrong = Some(count);
                }
            }
            let mut guard = String::new();
            if divergent {
                let (bit, p) = (t.register("r"), t.register("p"));
                t.line(format!("and.b32 {bit}, %lane, 1; setp.eq.u32 {p}, {bit}, 1;"));
                guard = format!("@{p} ");
            }
            if !removed {
                barrier = self.wait(t, at, &guard, wrong);
            }
        }

        // Reads.
        let beyond = !self.global
            && at.whole_block()
            && t.plant(self.id, "one element beyond the tile", Need::Thread);
        let odd = bytes >= 4 && t.plant(self.id, "an address that is not aligned", Need::Thread);
        if beyond {
            t.line(format!("add.u32 {partner}, {partner}, 1;"));
        }
        let mut from = self.address(t, &base, &partner);
        if odd {
            from = format!("{from}+2");
        }
        let read = self.read(t, &from);
        let mut again = true;
        if at.looped {
            again = at.alone
                && crosses
                && t.plant(self.id, "no barrier before the next round's writes", Need::Threads);
            if !again {
                match &mbarrier {
                    Some((name, ..)) => drop(Tile::pass(t, name, true)),
                    None => drop(self.wait(t, at, "", None)),
                }
            }
        }
        if divergent {
            t.line("bar.sync 0;");
        }
        let order = [Race, AsyncOrder];
        match () {
            () if misses => t.expect(&[Uninitialized], &[read], &[]),
            () if waits != [false; 2] => t.expect(&[AsyncOrder], &[write, read], &[Race]),
            () if removed || unfinished || again && at.looped => {
                // A thread that does not wait runs one phase ahead in the next round.
                t.expect(&order, &[write, read], &[Race, AsyncOrder, Deadlock, BarrierDivergence])
            }
            () if divergent => {
                t.expect(&[BarrierDivergence, Deadlock, Race], &[], &[AsyncOrder, Uninitialized])
            }
            () if wrong.is_some() => t.expect(&[Deadlock, BarrierDivergence], &[], &[]),
            () if beyond => t.expect(&[OutOfBounds], &[read], &[]),
            () if odd => t.expect(&[Misaligned], &[read], &[]),
            () => {}
        }
        if let Some((_, more, none)) = mbarrier {
            if more == 1 {
                t.expect(&[Deadlock], &[barrier], &[]);
            }
            if none {
                t.expect(&[Uninitialized], &[], &[Race, Deadlock, BarrierDivergence]);
            }
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let threads = host.shape.threads as usize;
        let (shift, width, copied) = (self.shift as usize, self.width, self.copied);
        let input = if copied { crate::verdicts::input(host.shape) } else { Vec::new() };
        // The active threads of each block are contiguous.
        let mut partner = vec![0; active.len()];
        for block in 0..active.len() / threads {
            let own: Vec<usize> =
                (block * threads..(block + 1) * threads).filter(|t| active[*t]).collect();
            for (i, thread) in own.iter().enumerate() {
                partner[*thread] = own[(i + shift) % own.len()];
            }
        }
        host.update(active, |thread, v| {
            let of = partner[thread];
            let value = if copied { input[of] } else { v[of] };
            v[thread].wrapping_add(width.kept(value))
        });
    }
}
