//! Lanes of a warp that exchange values, by warp-level instructions or through a tile of the warp.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// A warp-level instruction that exchanges values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Reads the value of the lane whose index is XORed with this, if that lane participates.
    Shuffle(u32),
    Ballot,
    Any,
    All,
    Match,
    Add,
    Max,
    And,
}

pub const OPS: &[Op] = &[
    Op::Shuffle(1),
    Op::Shuffle(16),
    Op::Shuffle(7),
    Op::Ballot,
    Op::Any,
    Op::All,
    Op::Match,
    Op::Add,
    Op::Max,
    Op::And,
];

/// The lane to read: the lane's index XORed with `by`, or the lane itself if that lane does not participate.
fn partner(t: &mut Text, mask: &str, by: u32) -> String {
    let (lane, bit, p) = (t.register("r"), t.register("r"), t.register("p"));
    t.line(format!(
        "xor.b32 {lane}, %lane, {by}; shr.u32 {bit}, {mask}, {lane}; and.b32 {bit}, {bit}, 1;"
    ));
    t.line(format!("setp.ne.u32 {p}, {bit}, 0; selp.b32 {lane}, {lane}, %lane, {p};"));
    lane
}

impl Op {
    /// Adds the instruction's result to the value; `real` has the participating lanes, and `mask` the lanes that the
    /// instruction names.
    fn emit(self, t: &mut Text, real: &str, mask: &str) -> usize {
        let (out, low, p) = (t.register("r"), t.register("r"), t.register("p"));
        let line = match self {
            Op::Shuffle(by) => {
                let from = partner(t, real, by);
                t.line(format!("shfl.sync.idx.b32 {out}, %v, {from}, 31, {mask};"))
            }
            Op::Ballot | Op::Any | Op::All => {
                t.line(format!("and.b32 {low}, %v, 1; setp.ne.u32 {p}, {low}, 0;"));
                match self {
                    Op::Ballot => t.line(format!("vote.sync.ballot.b32 {out}, {p}, {mask};")),
                    _ => {
                        let mode = if self == Op::Any { "any" } else { "all" };
                        t.line(format!(
                            "vote.sync.{mode}.pred {p}, {p}, {mask}; selp.u32 {out}, 1, 0, {p};"
                        ))
                    }
                }
            }
            Op::Match => {
                t.line(format!("and.b32 {low}, %v, 3;"));
                t.line(format!("match.any.sync.b32 {out}, {low}, {mask};"))
            }
            Op::Add => t.line(format!("redux.sync.add.u32 {out}, %v, {mask};")),
            Op::Max => t.line(format!("redux.sync.max.s32 {out}, %v, {mask};")),
            Op::And => t.line(format!("redux.sync.and.b32 {out}, %v, {mask};")),
        };
        t.line(format!("add.u32 %v, %v, {out};"));
        line
    }

    /// The result of a lane, given the warp's participating lanes and values.
    fn value(self, lane: u32, mask: u32, v: &[u32]) -> u32 {
        let of = |lane: u32| v[lane as usize];
        let mut lanes = (0..32).filter(|lane| mask >> lane & 1 != 0);
        match self {
            Op::Shuffle(by) => of(if mask >> (lane ^ by) & 1 != 0 { lane ^ by } else { lane }),
            Op::Ballot => {
                lanes.filter(|lane| of(*lane) & 1 != 0).fold(0, |all, lane| all | 1 << lane)
            }
            Op::Any => u32::from(lanes.any(|lane| of(lane) & 1 != 0)),
            Op::All => u32::from(lanes.all(|lane| of(lane) & 1 != 0)),
            Op::Match => {
                lanes.filter(|i| of(*i) & 3 == of(lane) & 3).fold(0, |all, lane| all | 1 << lane)
            }
            Op::Add => lanes.fold(0, |sum, lane| sum.wrapping_add(of(lane))),
            Op::Max => lanes.map(|lane| of(lane) as i32).max().unwrap_or(0) as u32,
            Op::And => lanes.fold(u32::MAX, |all, lane| all & of(lane)),
        }
    }

    fn apply(self, host: &mut Host, active: &[bool]) {
        let warps: Vec<(usize, u32)> = (0..active.len())
            .map(|thread| (host.warp_of(thread), host.mask_of(thread, active)))
            .collect();
        host.update(active, |thread, v| {
            let (first, mask) = warps[thread];
            v[thread].wrapping_add(self.value((thread - first) as u32, mask, &v[first..]))
        });
    }
}

/// An operand with a mask that lacks one lane.
fn lacking(t: &mut Text, mask: &str) -> String {
    let (all, less) = (t.register("r"), t.register("r"));
    t.line(format!(
        "mov.b32 {all}, {mask}; add.u32 {less}, {all}, -1; and.b32 {less}, {less}, {all};"
    ));
    less
}

/// The mask operand, which names the wrong lanes if the defect is planted.
fn wrong_mask(t: &mut Text, id: usize, at: &Scope) -> (String, bool, bool) {
    let lacks = t.plant(id, "a mask that lacks a lane which executes", Need::Thread);
    let names = t.plant(id, "a mask that names lanes that are elsewhere", Need::Partial);
    t.holds |= names;
    let mask = match (lacks, names) {
        (true, _) => lacking(t, &at.mask),
        (_, true) => "-1".to_owned(),
        _ => at.mask.clone(),
    };
    (mask, lacks, names)
}

/// One warp-level instruction.
pub struct Exchange {
    pub id: usize,
    pub op: Op,
}

impl Piece for Exchange {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (mask, lacks, names) = wrong_mask(t, self.id, at);
        let line = self.op.emit(t, &at.mask, &mask);
        if lacks {
            t.expect(&[InactiveLane], &[line], &[Deadlock]);
        }
        if names {
            t.expect(
                &[InactiveLane, Deadlock, BarrierDivergence],
                &[],
                &[Race, Uninitialized, AsyncOrder],
            );
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        self.op.apply(host, active);
    }
}

/// Records whether a warp has lanes on both sides of a branch on a bit of the lane's index.
fn note_sides(host: &mut Host, id: usize, bit: u32, active: &[bool]) {
    let sides = (0..active.len()).any(|thread| {
        let mask = host.mask_of(thread, active);
        let upper = (0..32).filter(|lane| lane & bit != 0).fold(0u32, |all, lane| all | 1 << lane);
        mask & upper != 0 && mask & !upper != 0
    });
    host.facts[id].sides |= sides;
}

/// The same instruction on both sides of a divergent branch.
pub struct BothSides {
    pub id: usize,
    pub op: Op,
    /// The instruction of the other side if a defect is planted.
    pub other: Op,
    /// A power of two.
    pub bit: u32,
}

impl Piece for BothSides {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let differs = |a: Op, b: Op| match (a, b) {
            (Op::Shuffle(_), Op::Shuffle(_)) => false,
            _ => a != b,
        };
        let other = differs(self.op, self.other)
            && t.plant(self.id, "another instruction on the other side", Need::Sides);
        let barrier = t.plant(self.id, "a barrier of the warp on the other side", Need::Sides);
        let (bit, p, upper, end) = (t.register("r"), t.register("p"), t.label(), t.label());
        t.line(format!("and.b32 {bit}, %lane, {}; setp.ne.u32 {p}, {bit}, 0;", self.bit));
        t.line(format!("@{p} bra {upper};"));
        self.op.emit(t, &at.mask, &at.mask);
        t.line(format!("bra {end};"));
        t.line(format!("{upper}:"));
        if barrier {
            t.line(format!("bar.warp.sync {};", at.mask));
        } else {
            let op = if other { self.other } else { self.op };
            op.emit(t, &at.mask, &at.mask);
        }
        t.line(format!("{end}:"));
        if other || barrier {
            t.expect(&[Deadlock, BarrierDivergence], &[], &[InactiveLane]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        note_sides(host, self.id, self.bit, active);
        self.op.apply(host, active);
    }
}

/// A tile of a warp, with `bar.warp.sync` between writes and reads.
pub struct WarpTile {
    pub id: usize,
    pub by: u32,
    pub global: bool,
    /// Whether accesses are `.volatile`.
    pub volatile: bool,
    /// The barrier is on both sides of a branch on this bit of the lane's index; 0 for no branch.
    pub bit: u32,
}

impl Piece for WarpTile {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let size = 4 * at.shape.threads;
        let space = if self.global { ".global" } else { ".shared" };
        let volatile = if self.volatile { ".volatile" } else { "" };
        let from = partner(t, &at.mask, self.by);
        let index = t.register("r");
        t.line(format!("and.b32 {index}, %tid, -32; add.u32 {index}, {index}, {from};"));
        let [own, other] = ["%tid".to_owned(), index].map(|index| {
            let at = t.register(if self.global { "rd" } else { "r" });
            (at, index)
        });
        let base = if self.global { t.take_scratch(size).to_string() } else { t.shared(size) };
        for (at, index) in [&own, &other] {
            match self.global {
                true => t.line(format!("mul.wide.u32 {at}, {index}, 4; add.u64 {at}, {at}, %mine; add.u64 {at}, {at}, {base};")),
                false => t.line(format!("mov.u32 {at}, {base}; mad.lo.u32 {at}, {index}, 4, {at};")),
            };
        }
        let write = t.line(format!("st{volatile}{space}.u32 [{}], %v;", own.0));
        // A value that decides a branch counts as a flag, and accesses to flags may be `.volatile`.
        let told = !self.volatile || !t.decides;
        let removed = told && t.plant(self.id, "no barrier of the warp", Need::Crosses);
        let (mask, lacks, names) = wrong_mask(t, self.id, at);
        let mut lines = vec![write];
        if !removed {
            lines.extend(self.barrier(t, &mask));
        }
        let word = t.register("r");
        let read = t.line(format!("ld{volatile}{space}.u32 {word}, [{}];", other.0));
        lines.push(read);
        t.line(format!("add.u32 %v, %v, {word};"));
        let again = at.alone
            && told
            && t.plant(self.id, "no barrier of the warp before the next round", Need::Crosses);
        if at.looped && !again {
            t.line(format!("bar.warp.sync {};", at.mask));
        }
        if removed || again {
            let kind = if self.volatile { WarpSynchronous } else { Race };
            t.expect(&[kind], &[write, read], &[Uninitialized]);
        }
        if lacks {
            t.expect(&[InactiveLane], &lines, &[Race, WarpSynchronous, Deadlock]);
        }
        if names {
            t.expect(
                &[InactiveLane, Deadlock, BarrierDivergence],
                &[],
                &[Race, WarpSynchronous, Uninitialized, AsyncOrder],
            );
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        let by = self.by;
        let crosses = (0..active.len()).filter(|thread| active[*thread]).any(|thread| {
            let lane = (thread - host.warp_of(thread)) as u32;
            host.mask_of(thread, active) >> (lane ^ by) & 1 != 0
        });
        host.facts[self.id].crosses |= crosses;
        Op::Shuffle(by).apply(host, active);
    }
}

impl WarpTile {
    fn barrier(&self, t: &mut Text, mask: &str) -> Vec<usize> {
        if self.bit == 0 {
            return vec![t.line(format!("bar.warp.sync {mask};"))];
        }
        let (bit, p, upper, end) = (t.register("r"), t.register("p"), t.label(), t.label());
        t.line(format!("and.b32 {bit}, %lane, {}; setp.ne.u32 {p}, {bit}, 0;", self.bit));
        t.line(format!("@{p} bra {upper};"));
        let one = t.line(format!("bar.warp.sync {mask};"));
        t.line(format!("bra {end};"));
        t.line(format!("{upper}:"));
        let two = t.line(format!("bar.warp.sync {mask};"));
        t.line(format!("{end}:"));
        vec![one, two]
    }
}
