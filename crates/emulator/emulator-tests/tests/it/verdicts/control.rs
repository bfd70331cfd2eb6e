//! Control flow of random kernels: loops and branches around pieces.

use crate::verdicts::scene::{Host, Level, Piece, Scope};
use crate::verdicts::text::Text;

/// Pieces in sequence.
pub struct Sequence(pub Vec<Box<dyn Piece>>);

impl Piece for Sequence {
    fn emit(&self, t: &mut Text, at: &Scope) {
        self.0.iter().for_each(|piece| piece.emit(t, at));
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        self.0.iter().for_each(|piece| piece.apply(host, active));
    }
}

/// A loop. All lanes have the same trip count, unless the participants are unknown lanes.
pub struct Loop {
    pub rounds: u32,
    pub by_lane: bool,
    pub body: Sequence,
}

impl Loop {
    fn rounds_of(&self, lane: u32) -> u32 {
        if self.by_lane { 1 + lane % self.rounds } else { self.rounds }
    }
}

impl Piece for Loop {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (i, last, p, again) = (t.register("r"), t.register("r"), t.register("p"), t.label());
        match self.by_lane {
            true => t.line(format!(
                "rem.u32 {last}, %lane, {}; add.u32 {last}, {last}, 1;",
                self.rounds
            )),
            false => t.line(format!("mov.u32 {last}, {};", self.rounds)),
        };
        t.line(format!("mov.u32 {i}, 0;"));
        t.line(format!("{again}:"));
        let level = if self.by_lane { Level::Any } else { at.level };
        self.body
            .emit(t, &Scope { level, looped: true, alone: self.body.0.len() == 1, ..at.clone() });
        t.line(format!("add.u32 {i}, {i}, 1; setp.lt.u32 {p}, {i}, {last};"));
        t.line(format!("@{p} bra {again};"));
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        for round in 0..self.rounds {
            let goes =
                |thread: usize| round < self.rounds_of((thread - host.warp_of(thread)) as u32);
            let active: Vec<bool> =
                (0..active.len()).map(|thread| active[thread] && goes(thread)).collect();
            self.body.apply(host, &active);
        }
    }
}

/// The condition of a branch.
#[derive(Clone, Copy, Debug)]
pub enum By {
    /// Blocks whose index has this bit.
    Block(u32),
    /// Warps with a lower index.
    Warp(u32),
    /// Lanes whose index has this bit.
    Lane(u32),
    /// Lanes with a lower index.
    Below(u32),
    /// Threads whose value has this bit.
    Value(u32),
}

/// A branch with two sides; the second may be empty.
pub struct Branch {
    pub by: By,
    pub sides: [Sequence; 2],
}

impl Branch {
    fn takes(&self, host: &Host, thread: usize) -> bool {
        let threads = host.shape.threads as usize;
        let (block, within) = ((thread / threads) as u32, (thread % threads) as u32);
        match self.by {
            By::Block(bit) => block & bit != 0,
            By::Warp(below) => within / 32 < below,
            By::Lane(bit) => within & bit != 0,
            By::Below(lane) => within % 32 < lane,
            By::Value(bit) => host.v[thread] & bit != 0,
        }
    }

    /// The scopes of the two sides.
    fn scopes(&self, at: &Scope, masks: [String; 2]) -> [Scope; 2] {
        let at = &Scope { alone: false, ..at.clone() };
        let [first, second] = masks.map(|mask| Scope { mask, ..at.clone() });
        match self.by {
            By::Block(_) => {
                [at.clone(), at.clone()].map(|at| Scope { level: at.level.min(Level::Block), ..at })
            }
            By::Warp(below) => {
                let below = below.clamp(at.warps.start, at.warps.end);
                let level = at.level.min(Level::Warps);
                [
                    Scope { level, warps: at.warps.start..below, mask: at.mask.clone(), ..first },
                    Scope { level, warps: below..at.warps.end, mask: at.mask.clone(), ..second },
                ]
            }
            _ => [first, second].map(|side| Scope { level: at.level.min(Level::Lanes), ..side }),
        }
    }
}

impl Piece for Branch {
    fn emit(&self, t: &mut Text, at: &Scope) {
        let (bit, p, other, end) = (t.register("r"), t.register("p"), t.label(), t.label());
        t.line(match self.by {
            By::Block(mask) => format!("and.b32 {bit}, %cta, {mask}; setp.ne.u32 {p}, {bit}, 0;"),
            By::Warp(below) => format!("setp.lt.u32 {p}, %warp, {below};"),
            By::Lane(mask) => format!("and.b32 {bit}, %lane, {mask}; setp.ne.u32 {p}, {bit}, 0;"),
            By::Below(lane) => format!("setp.lt.u32 {p}, %lane, {lane};"),
            By::Value(mask) => format!("and.b32 {bit}, %v, {mask}; setp.ne.u32 {p}, {bit}, 0;"),
        });
        let mut masks = [at.mask.clone(), at.mask.clone()];
        let splits = matches!(self.by, By::Lane(_) | By::Below(_) | By::Value(_));
        if splits && at.level >= Level::Lanes {
            let [one, two] = [t.register("r"), t.register("r")];
            t.line(format!(
                "vote.sync.ballot.b32 {one}, {p}, {}; xor.b32 {two}, {one}, {};",
                at.mask, at.mask
            ));
            masks = [one, two];
        }
        let [first, second] = self.scopes(at, masks);
        t.line(format!("@!{p} bra {other};"));
        self.sides[0].emit(t, &first);
        t.line(format!("bra {end};"));
        t.line(format!("{other}:"));
        self.sides[1].emit(t, &second);
        t.line(format!("{end}:"));
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        let takes: Vec<bool> = (0..active.len()).map(|thread| self.takes(host, thread)).collect();
        for (side, holds) in self.sides.iter().zip([true, false]) {
            let active: Vec<bool> = active
                .iter()
                .zip(&takes)
                .map(|(active, takes)| *active && *takes == holds)
                .collect();
            side.apply(host, &active);
        }
    }
}
