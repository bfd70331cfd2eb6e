//! What a generator is asked for: bits, uniform and normal numbers, each call after the one before.

use crate::status::{Result, Status};

/// A sequence of random numbers. Every call fills its slice and goes on behind it.
///
/// Normal numbers have a mean of 0 and a standard deviation of 1.
pub trait Sequence: Send {
    /// 32 random bits each.
    ///
    /// # Errors
    /// When the sequence gives none, or not as many.
    fn bits(&mut self, to: &mut [u32]) -> Result;

    /// 64 random bits each, which quasirandom sequences of 64 bits have.
    ///
    /// # Errors
    /// When the sequence gives none, or not as many.
    fn wide_bits(&mut self, _to: &mut [u64]) -> Result {
        Err(Status::TypeError)
    }

    /// Numbers above 0 and up to 1.
    ///
    /// # Errors
    /// When the sequence does not give as many.
    fn uniform(&mut self, to: &mut [f32]) -> Result;

    /// Numbers above 0 and up to 1.
    ///
    /// # Errors
    /// When the sequence does not give as many.
    fn uniform_double(&mut self, to: &mut [f64]) -> Result;

    /// Normal numbers.
    ///
    /// # Errors
    /// When the sequence does not give as many.
    fn normal(&mut self, to: &mut [f32]) -> Result;

    /// Normal numbers.
    ///
    /// # Errors
    /// When the sequence does not give as many.
    fn normal_double(&mut self, to: &mut [f64]) -> Result;
}
