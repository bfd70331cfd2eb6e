//! Many generators that take turns: each gives a number, or some in a row, its own next ones. A pair of normal numbers counts as one, and
//! takes two numbers of its generator.

use crate::distribution::{box_muller, inverse_normal, uniform, uniform_double};
use crate::sequence::Sequence;
use crate::status::{Result, Status};

/// One of the generators.
pub trait Lane: Send {
    /// Whether normal numbers come by the inverse of their distribution, one of one, and not in pairs.
    const INVERTS: bool = false;

    /// 32 random bits.
    fn bits(&mut self) -> u32;

    /// A uniform number.
    fn uniform(&mut self) -> f32 {
        uniform(self.bits())
    }

    /// A uniform number.
    fn uniform_double(&mut self) -> f64 {
        uniform_double(self.bits())
    }
}

/// The generators, and whose turn it is.
pub struct Lanes<L> {
    lanes: Vec<L>,
    turn: usize,
    /// Numbers of a turn, and those that were given of this one.
    run: usize,
    given: usize,
}

impl<L: Lane> Lanes<L> {
    /// Generators that give the first number and those after it. Where that is not the first of all, `turn` says whose it is.
    pub fn new(lanes: Vec<L>, turn: usize) -> Lanes<L> {
        Lanes { lanes, turn, run: 1, given: 0 }
    }

    /// Generators that give `run` numbers in a row each.
    pub fn in_runs(lanes: Vec<L>, run: usize) -> Lanes<L> {
        Lanes { lanes, turn: 0, run, given: 0 }
    }

    fn next(&mut self) -> &mut L {
        let turn = self.turn;
        self.given += 1;
        if self.given == self.run {
            (self.given, self.turn) = (0, (turn + 1) % self.lanes.len());
        }
        &mut self.lanes[turn]
    }

    fn fill<T>(&mut self, to: &mut [T], draw: impl Fn(&mut L) -> T) -> Result {
        to.iter_mut().for_each(|to| *to = draw(self.next()));
        Ok(())
    }

    fn pairs<T>(
        &mut self,
        to: &mut [T],
        draw: impl Fn(&mut L) -> f64,
        made: impl Fn(f64) -> T,
    ) -> Result {
        if L::INVERTS {
            return self.fill(to, |lane| made(inverse_normal(uniform_double(lane.bits()))));
        }
        if to.len() % 2 == 1 {
            return Err(Status::LengthNotMultiple);
        }
        for pair in to.chunks_exact_mut(2) {
            let lane = self.next();
            let u = draw(lane);
            let (sine, cosine) = box_muller(u, draw(lane));
            (pair[0], pair[1]) = (made(sine), made(cosine));
        }
        Ok(())
    }
}

impl<L: Lane> Sequence for Lanes<L> {
    fn bits(&mut self, to: &mut [u32]) -> Result {
        self.fill(to, L::bits)
    }

    fn uniform(&mut self, to: &mut [f32]) -> Result {
        self.fill(to, L::uniform)
    }

    fn uniform_double(&mut self, to: &mut [f64]) -> Result {
        self.fill(to, L::uniform_double)
    }

    fn normal(&mut self, to: &mut [f32]) -> Result {
        self.pairs(to, |lane| lane.uniform().into(), |value| value as f32)
    }

    fn normal_double(&mut self, to: &mut [f64]) -> Result {
        self.pairs(to, L::uniform_double, |value| value)
    }
}
