//! Draws random kernels of pieces that are valid in their context.

use crate::verdicts::control::{Branch, By, Loop, Sequence};
use crate::verdicts::pieces::blocks::*;
use crate::verdicts::pieces::bulk::*;
use crate::verdicts::pieces::grids::*;
use crate::verdicts::pieces::groups::*;
use crate::verdicts::pieces::lanes::*;
use crate::verdicts::pieces::multicast::*;
use crate::verdicts::pieces::own::*;
use crate::verdicts::pieces::sent::*;
use crate::verdicts::pieces::signals::*;
use crate::verdicts::pieces::teams::*;
use crate::verdicts::pieces::tensor::*;
use crate::verdicts::pieces::tile::*;
use crate::verdicts::random::Random;
use crate::verdicts::scene::{Level, Piece, Scope, Shape};

/// Number of words that threads add to.
pub const WORDS: usize = 256;

pub struct Draw {
    pub random: Random,
    pub shape: Shape,
    /// Number of pieces so far.
    pub pieces: usize,
    words: usize,
    barriers: u32,
    left: u32,
    pub clusters: bool,
    decides: bool,
}

/// A kernel before its text is written.
pub struct Kernel {
    pub shape: Shape,
    pub body: Sequence,
    pub pieces: usize,
    pub clusters: bool,
    /// Whether values of threads affect branches or other lanes.
    pub decides: bool,
}

pub fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let clusters = random.one_in(6);
    let cluster = if clusters { 2 } else { 1 };
    let shape = Shape {
        blocks: random.pick(&[1, 2, 2, 3, 4]) * cluster,
        threads: random.pick(&[32, 64, 64, 96, 128, 128, 48, 33]),
        cluster,
    };
    let left = 4 + random.below(10) as u32;
    let mut draw =
        Draw { random, shape, pieces: 0, words: 0, barriers: 1, left, clusters, decides: false };
    let body = draw.sequence(&Scope::whole(shape), 0);
    Kernel { shape, body, pieces: draw.pieces, clusters, decides: draw.decides }
}

impl Draw {
    fn id(&mut self) -> usize {
        self.pieces += 1;
        self.pieces - 1
    }

    fn words(&mut self, count: usize) -> usize {
        self.words += count;
        assert!(self.words <= WORDS);
        self.words - count
    }

    /// Unused barrier numbers, if any are left.
    fn numbers(&mut self, count: u32) -> Option<u32> {
        // Barrier 7 is for all threads.
        let first = if self.barriers < 7 && self.barriers + count > 7 { 8 } else { self.barriers };
        (first + count <= 16).then(|| {
            self.barriers = first + count;
            first
        })
    }

    fn sequence(&mut self, at: &Scope, depth: u32) -> Sequence {
        let mut pieces: Vec<Box<dyn Piece>> = Vec::new();
        let count = 1 + self.random.below(if depth == 0 { 6 } else { 3 });
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let nested = if depth < 3 { self.random.below(6) } else { 5 };
            pieces.push(match nested {
                0 => Box::new(self.repeated(at, depth)),
                1 => Box::new(self.branch(at, depth)),
                _ => self.piece(at),
            });
        }
        Sequence(pieces)
    }

    fn repeated(&mut self, at: &Scope, depth: u32) -> Loop {
        let by_lane = self.random.one_in(4);
        let level = if by_lane { Level::Any } else { at.level };
        let rounds = 2 + self.random.below(3) as u32;
        let body = self.sequence(&Scope { level, looped: true, ..at.clone() }, depth + 1);
        Loop { rounds, by_lane, body }
    }

    fn branch(&mut self, at: &Scope, depth: u32) -> Branch {
        let warps = at.shape.warps();
        let by = match self.random.below(6) {
            0 => By::Block(1),
            1 if warps > 1 => By::Warp(1 + self.random.below(warps as usize - 1) as u32),
            2 => By::Lane(1 << self.random.below(5)),
            3 => By::Below(1 + self.random.below(31) as u32),
            4 => {
                self.decides = true;
                By::Value(1 << self.random.below(3))
            }
            _ => By::Lane(16),
        };
        let (mut first, mut second) = (at.clone(), at.clone());
        match by {
            By::Block(_) => {
                first.level = at.level.min(Level::Block);
                second.level = first.level;
            }
            By::Warp(below) => {
                let below = below.clamp(at.warps.start, at.warps.end);
                (first.warps.end, second.warps.start) = (below, below);
                first.level = at.level.min(Level::Warps);
                second.level = first.level;
            }
            _ => {
                first.level = at.level.min(Level::Lanes);
                second.level = first.level;
            }
        }
        let one = self.sequence(&first, depth + 1);
        let two = if self.random.one_in(2) {
            self.sequence(&second, depth + 1)
        } else {
            Sequence(Vec::new())
        };
        Branch { by, sides: [one, two] }
    }

    fn piece(&mut self, at: &Scope) -> Box<dyn Piece> {
        let whole = at.level >= Level::Warps && !at.warps.is_empty();
        let choice = match at.level {
            Level::Grid => self.random.below(38),
            Level::Block => self.random.below(22),
            Level::Warps if whole => self.random.below(14),
            Level::Warps | Level::Lanes => self.random.below(9),
            Level::Any => self.random.below(5),
        };
        let id = self.id();
        self.decides |= matches!(choice, 5 | 6);
        let random = &mut self.random;
        match choice {
            0 => Box::new(Arithmetic {
                id,
                factor: random.next() as u32 | 1,
                term: random.next() as u32,
            }),
            1 => Box::new(Local { id }),
            2 => Box::new(OwnWord { id }),
            3 => {
                let value = random.next() as u32;
                Box::new(SameValue { id, word: self.words(1), value })
            }
            4 => {
                let form = random.pick(ADDITIONS);
                Box::new(Sum { id, word: self.words(1), form })
            }
            5 => Box::new(Exchange { id, op: random.pick(OPS) }),
            6 => {
                let (op, other) = (random.pick(OPS), random.pick(OPS));
                Box::new(BothSides { id, op, other, bit: 1 << random.below(5) })
            }
            7 | 8 => {
                let bit = if random.one_in(3) { 1 << random.below(5) } else { 0 };
                let by = random.pick(&[1, 2, 5, 16, 31]);
                Box::new(WarpTile {
                    id,
                    by,
                    global: random.one_in(4),
                    volatile: random.one_in(4),
                    bit,
                })
            }
            9..=11 => self.tile(id, at),
            12 | 13 => self.signal(id, at),
            14 => Box::new(BlockSum { id, form: random.pick(SHARED_ADDITIONS) }),
            15 | 16 => self.relay(id, at),
            17..=19 => self.bulk(id, at),
            20 | 21 => {
                let (stages, rounds) = (1 + random.below(4) as u32, 1 + random.below(6) as u32);
                let shift = random.below(at.shape.threads as usize) as u32;
                Box::new(Groups { id, shift, stages, rounds })
            }
            22 if !at.looped => {
                let (blocks, threads) = (self.shape.blocks as usize, self.shape.threads as usize);
                let (release, acquire) =
                    (random.below(RELEASES.len()), random.below(ACQUIRES.len()));
                let (shift, backwards) = (random.below(threads) as u32, random.one_in(2));
                Box::new(Flag { id, word: self.words(blocks), release, acquire, shift, backwards })
            }
            23 if !at.looped => {
                let form = random.below(TICKET_FORMS);
                Box::new(LastBlock { id, word: self.words(2), form })
            }
            24 => {
                let release = random.below(RELEASES.len());
                Box::new(Lock { id, word: self.words(2), release })
            }
            25 | 26 if self.clusters && self.shape.threads.is_multiple_of(4) => {
                let shift = random.below(self.shape.threads as usize) as u32;
                Box::new(Multicast { id, shift, rounds: 1 + random.below(4) as u32 })
            }
            27 | 28 if self.clusters => Box::new(ClusterTile {
                id,
                shift: random.below(self.shape.threads as usize) as u32,
                fenced: random.one_in(3),
            }),
            29 | 30 if self.clusters => Box::new(Sent {
                id,
                shift: random.below(self.shape.threads as usize) as u32,
                sums: random.pick(&[0, 0, 1, 5, 8]),
            }),
            31 | 32 => {
                let (form, shift) =
                    (random.below(ARRIVAL_FORMS), random.below(self.shape.threads as usize));
                Box::new(GridBarrier { id, word: self.words(1), form, shift: shift as u32 })
            }
            33 | 34 if self.clusters && !at.looped => {
                let (form, shift) =
                    (random.below(CLUSTER_FORMS), random.below(self.shape.threads as usize));
                let word = self.words(self.shape.blocks as usize);
                Box::new(ClusterFlag { id, word, form, shift: shift as u32 })
            }
            35..=37 if self.shape.threads == ROWS => Box::new(TensorProduct { id }),
            _ => self.tile(id, at),
        }
    }

    fn tile(&mut self, id: usize, at: &Scope) -> Box<dyn Piece> {
        let named = match self.random.one_in(3) || !at.whole_block() {
            true if at.shape.threads.is_multiple_of(32) => self.numbers(1),
            _ => None,
        };
        let random = &mut self.random;
        let name = random.pick(&["bar.sync", "barrier.sync", "barrier.cta.sync.aligned"]);
        let barrier = match named {
            Some(number) if !random.one_in(3) => Barrier::Named(name, number),
            None if at.whole_block() && !random.one_in(4) => Barrier::Whole(random.pick(WHOLE)),
            _ => Barrier::Mbarrier,
        };
        let count = at.group().1.max(2) as usize;
        let copied = random.one_in(4);
        Box::new(Tile {
            id,
            shift: 1 + random.below(count - 1) as u32,
            width: if copied { Width::Word } else { random.pick(Width::ALL) },
            global: !copied && random.one_in(4),
            generic: !copied && random.one_in(4),
            copied,
            barrier,
        })
    }

    fn signal(&mut self, id: usize, at: &Scope) -> Box<dyn Piece> {
        let count = at.group().1 as usize;
        let random = &mut self.random;
        Box::new(Signal {
            id,
            shift: random.below(count) as u32,
            // Polling in a loop takes many instructions, so loops only use the first two forms.
            arrival: random.pick(if at.looped { &ARRIVALS[..2] } else { ARRIVALS }),
            one_waits: random.one_in(2),
            all_fence: random.one_in(2),
            instead: random.below(Signal::INSTEAD),
            global: random.one_in(3),
        })
    }

    /// Draws a piece with bulk copies, whose sizes are multiples of 16 bytes.
    fn bulk(&mut self, id: usize, at: &Scope) -> Box<dyn Piece> {
        if !at.shape.threads.is_multiple_of(4) {
            return self.tile(id, at);
        }
        let random = &mut self.random;
        let shift = random.below(at.shape.threads as usize) as u32;
        if random.one_in(3) {
            return Box::new(Stored { id, shift });
        }
        let (stages, rounds) = (1 + random.below(3) as u32, 1 + random.below(5) as u32);
        Box::new(Ring { id, shift, stages, rounds, by_warp: random.one_in(2) })
    }

    fn relay(&mut self, id: usize, at: &Scope) -> Box<dyn Piece> {
        let warps = at.shape.warps();
        if warps > 1
            && at.shape.threads.is_multiple_of(32)
            && let Some(number) = self.numbers(2)
        {
            let writers = 1 + self.random.below(warps as usize - 1) as u32;
            return Box::new(Relay { id, number, writers });
        }
        self.tile(id, at)
    }
}
