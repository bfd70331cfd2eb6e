//! A kernel's sum of squares, and the exact sum.

use lanework_ladders::sum_squares::{Numbers, Summand};
use lanework_verify::bound::Bound;

/// A result with its origin.
pub struct KernelResult<'a, E: Summand> {
    /// The numbers.
    pub src: &'a [E],
    /// The sum of their squares.
    pub sum: E::Sum,
    /// The sums that the kernel left to the host.
    pub parts: Vec<E::Sum>,
    /// The most additions of any number.
    pub depth: u64,
    /// Threads that the numbers were divided among.
    pub threads: u64,
    /// Whether the numbers were drawn uniformly at random.
    pub drawn: bool,
}

impl<'a, E: Summand> KernelResult<'a, E> {
    /// The result of a kernel that ran with this many blocks, and threads in each.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of(
        numbers: &Numbers<E>,
        src: &'a [E],
        (blocks, threads): (u64, u64),
        drawn: bool,
    ) -> lanework::Result<Self> {
        let parts = numbers.sums.download()?;
        // The host adds in f64, which is negligible for sums in f32.
        let on_host = if size_of::<E::Sum>() == 8 { parts.len() as u64 } else { 0 };
        // Additions within its thread; within its block (a serial block has one per thread); of the blocks' sums;
        // within warps.
        let depth = (src.len() as u64).div_ceil(blocks * threads) + threads + 32 + on_host;
        let sum = E::add_up(parts.iter().copied());
        Ok(KernelResult { src, sum, parts, depth, threads: blocks * threads, drawn })
    }

    /// The bound of the kernel's additions.
    pub fn bound(&self) -> Bound {
        Bound::of_squares(self.src.len(), self.depth, E::ROUNDOFF)
    }
}

/// The sum of squares in twice the precision of `f64`: the rounding errors of additions and products are added up
/// separately.
pub fn sum_without_rounding(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for x in numbers {
        let square = x * x;
        lost += x.mul_add(x, -square);
        let next = sum + square;
        lost += if sum >= square { sum - next + square } else { square - next + sum };
        sum = next;
    }
    if sum.is_finite() { sum + lost } else { sum }
}
