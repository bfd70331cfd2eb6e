//! Pseudorandom and quasirandom sequences, and their common interface: bits, uniform and normal numbers. Each call continues
//! where the previous one ended.
//!
//! Interleaved generators ([`Lanes`]) take turns, each producing one number or a run of numbers. A pair of normal numbers
//! counts as one number, and uses two numbers of its generator.

pub(crate) mod multiplicative;
pub(crate) mod shift_registers;
pub(crate) mod sobol;

use crate::distribution::{box_muller, inverse_normal, uniform, uniform_double};
use crate::{Result, Status};

/// A sequence of random numbers. Every call fills its slice and advances past it.
///
/// Normal numbers have a mean of 0 and a standard deviation of 1.
pub trait Sequence: Send {
    /// Fills each element with 32 random bits.
    ///
    /// # Errors
    /// If the sequence has no 32-bit numbers, or not enough of them.
    fn bits(&mut self, to: &mut [u32]) -> Result;

    /// Fills each element with 64 random bits; only for 64-bit quasirandom sequences.
    ///
    /// # Errors
    /// If the sequence has no 64-bit numbers, or not enough of them.
    fn wide_bits(&mut self, _to: &mut [u64]) -> Result {
        Err(Status::TypeError)
    }

    /// Fills with uniform numbers above 0 and up to 1.
    ///
    /// # Errors
    /// If the sequence has not enough numbers.
    fn uniform(&mut self, to: &mut [f32]) -> Result;

    /// Fills with uniform numbers above 0 and up to 1.
    ///
    /// # Errors
    /// If the sequence has not enough numbers.
    fn uniform_double(&mut self, to: &mut [f64]) -> Result;

    /// Fills with normal numbers.
    ///
    /// # Errors
    /// If the sequence has not enough numbers.
    fn normal(&mut self, to: &mut [f32]) -> Result;

    /// Fills with normal numbers.
    ///
    /// # Errors
    /// If the sequence has not enough numbers.
    fn normal_double(&mut self, to: &mut [f64]) -> Result;
}

/// One of the generators.
pub trait Lane: Send {
    /// Whether normal numbers are made one by one, by the inverse of their distribution, instead of in pairs.
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

/// The generators, and the index of the next one.
pub struct Lanes<L> {
    lanes: Vec<L>,
    turn: usize,
    /// Numbers per turn, and numbers already produced in this turn.
    run: usize,
    given: usize,
}

impl<L: Lane> Lanes<L> {
    /// Generators positioned at the next number; `turn` is the index of the generator that produces it.
    pub fn new(lanes: Vec<L>, turn: usize) -> Lanes<L> {
        Lanes { lanes, turn, run: 1, given: 0 }
    }

    /// Generators that each produce runs of `run` numbers.
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
