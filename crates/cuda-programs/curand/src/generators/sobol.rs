//! Sobol' sequences in the order of Antonov and Saleev (1979), by Gray codes. As in cuRAND's guide, a call for `n` numbers in `d`
//! dimensions gives `n / d` of the first dimension, then as many of the second, and so on. An offset counts points.

use crate::distribution::{
    inverse_normal, uniform, uniform_double, uniform_double_at_end, uniform_of_wide,
};
use crate::generators::vectors::{constants32, constants64, vectors32, vectors64};
use crate::sequence::Sequence;
use crate::status::{Result, Status};

/// A sequence of points.
pub struct Sobol {
    pub wide: bool,
    pub scrambled: bool,
    pub dimensions: usize,
    /// Points already given.
    pub point: u64,
}

impl Sobol {
    /// The number of a point in a dimension, left-aligned in 64 bits.
    fn number(&self, dimension: usize, point: u64) -> u64 {
        let gray = point ^ (point >> 1);
        let ones = (0..64).filter(|bit| gray >> bit & 1 == 1);
        if self.wide {
            let vectors = &vectors64(self.scrambled)[64 * dimension..];
            let start = if self.scrambled { constants64()[dimension] } else { 0 };
            ones.fold(start, |sum, bit| sum ^ vectors[bit])
        } else {
            let vectors = &vectors32(self.scrambled)[32 * dimension..];
            let start = if self.scrambled { constants32()[dimension] } else { 0 };
            let sum = ones.filter(|bit| *bit < 32).fold(start, |sum, bit| sum ^ vectors[bit]);
            u64::from(sum) << 32
        }
    }

    fn fill<T>(&mut self, to: &mut [T], made: impl Fn(&Self, u64) -> T) -> Result {
        if !to.len().is_multiple_of(self.dimensions) {
            return Err(Status::LengthNotMultiple);
        }
        let points = to.len() / self.dimensions;
        for (dimension, to) in to.chunks_mut(points.max(1)).enumerate() {
            let mut number = self.number(dimension, self.point);
            for (at, to) in (self.point..).zip(to) {
                *to = made(self, number);
                // Consecutive Gray codes differ in the lowest bit that is 0.
                number ^= self.change(dimension, at.trailing_ones() as usize);
            }
        }
        self.point += points as u64;
        Ok(())
    }

    /// The change to the next number, whose Gray code differs in this bit.
    fn change(&self, dimension: usize, bit: usize) -> u64 {
        match self.wide {
            true => vectors64(self.scrambled)[64 * dimension + bit.min(63)],
            false => u64::from(vectors32(self.scrambled)[32 * dimension + bit.min(31)]) << 32,
        }
    }

    fn double(&self, number: u64) -> f64 {
        match self.wide {
            true => uniform_of_wide(number),
            false => uniform_double((number >> 32) as u32),
        }
    }
}

impl Sequence for Sobol {
    fn bits(&mut self, to: &mut [u32]) -> Result {
        match self.wide {
            true => Err(Status::TypeError),
            false => self.fill(to, |_, number| (number >> 32) as u32),
        }
    }

    fn wide_bits(&mut self, to: &mut [u64]) -> Result {
        match self.wide {
            true => self.fill(to, |_, number| number),
            false => Err(Status::TypeError),
        }
    }

    fn uniform(&mut self, to: &mut [f32]) -> Result {
        self.fill(to, |_, number| uniform((number >> 32) as u32))
    }

    fn uniform_double(&mut self, to: &mut [f64]) -> Result {
        match self.wide {
            true => self.fill(to, |_, number| uniform_of_wide(number)),
            false => self.fill(to, |_, number| uniform_double_at_end((number >> 32) as u32)),
        }
    }

    fn normal(&mut self, to: &mut [f32]) -> Result {
        self.fill(to, |_, number| inverse_normal(uniform_double((number >> 32) as u32)) as f32)
    }

    fn normal_double(&mut self, to: &mut [f64]) -> Result {
        self.fill(to, |this, number| inverse_normal(this.double(number)))
    }
}

#[cfg(test)]
mod tests {
    use super::Sobol;
    use crate::sequence::Sequence;

    #[test]
    fn the_first_points_match_the_literature() {
        let mut sobol = Sobol { wide: false, scrambled: false, dimensions: 3, point: 0 };
        let mut numbers = [0; 12];
        sobol.bits(&mut numbers).unwrap();
        let quarters = numbers.map(|number| number >> 30);
        assert_eq!(quarters, [0, 2, 3, 1, 0, 2, 1, 3, 0, 2, 1, 3]);
    }

    #[test]
    fn every_dimension_fills_each_interval_once() {
        for (wide, scrambled) in [(false, false), (false, true), (true, true)] {
            let mut sobol = Sobol { wide, scrambled, dimensions: 50, point: 0 };
            let mut numbers = vec![0.0; 50 * 256];
            sobol.uniform_double(&mut numbers).unwrap();
            for dimension in numbers.chunks(256) {
                let mut seen = [0; 256];
                dimension.iter().for_each(|number| seen[(number * 256.0).ceil() as usize - 1] += 1);
                assert_eq!(seen, [1; 256]);
            }
        }
    }

    #[test]
    fn pieces_give_the_whole() {
        for wide in [false, true] {
            let of = |point| Sobol { wide, scrambled: true, dimensions: 1, point };
            let (mut whole, mut part) = ([0.0; 100], [0.0; 40]);
            of(0).normal_double(&mut whole).unwrap();
            of(60).normal_double(&mut part).unwrap();
            assert_eq!(part, whole[60..]);
        }
    }
}
