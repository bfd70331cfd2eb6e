//! Where parts of slices come from: `windows(n)`, `chunks(n)` and `chunks_exact(n)`.

use super::{Iter, Sequence, Stream, operate, positions, usize_of};
use crate::current::here;
use crate::memory::{Subslice, between};
use crate::operation::Operation;
use crate::var::{IntoVar, Read, Var};

/// The parts of a slice, of `size` elements each, `step` elements apart.
#[derive(Clone, Copy, Debug)]
pub struct PartsOf<S> {
    slice: S,
    size: Var<usize>,
    step: Var<usize>,
    count: Var<usize>,
    /// The number of elements of the slice, where the last part may be shorter.
    end: Option<Var<usize>>,
}

impl<S: Subslice> Stream for PartsOf<S> {
    type Item = S::Part;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(S::Part)) {
        positions(false, self.count, name, |i| body(self.at(i)));
    }
}

impl<S: Subslice> Sequence for PartsOf<S> {
    fn length(&self) -> Var<usize> {
        self.count
    }
    #[track_caller]
    fn at(&self, position: Var<usize>) -> S::Part {
        let start = operate(Operation::Mul, position, self.step);
        let end = operate(Operation::Add, start, self.size);
        let end = self.end.map_or(end, |last| operate(Operation::Min, end, last));
        between(self.slice, start, end)
    }
}

fn sized(size: impl IntoVar<usize>) -> Var<usize> {
    here();
    Read::copy(size.into_var())
}

/// `x.windows(size)`: every part of `size` neighbours.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn summary(x: &[u32], n: usize) -> u32 {
///     let rises = x.windows(2).filter(|w| w[0] < w[1]).count() as u32;
///     let most: u32 = x.chunks(n).map(|c| c.iter().copied().max().unwrap_or(0)).sum();
///     let mut last = 0;
///     for (i, c) in x.chunks_exact(n).enumerate() {
///         last = last * 10 + c[n - 1] + i as u32 + c.len() as u32;
///     }
///     (rises + 100 * most) ^ last
/// }
///
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let tile = shared::<u32>(7);
///     tile[thread_idx.x] = x[thread_idx.x];
///     sync_threads();
///     out[thread_idx.x] = if thread_idx.x == 6 {
///         tile.windows(3).map(|w| w[0] * w[2]).sum::<u32>()
///     } else {
///         summary(x, thread_idx.x as usize + 1)
///     };
/// }
/// # let device = Device::emulator().sanitized();
/// let numbers = [1u32, 2, 2, 5, 4, 9, 3];
/// # let x = device.upload(&numbers)?;
/// # let mut out = device.zeros::<u32>(7)?;
/// # example(&x, &mut out).grid(1).block(7).launch(&device)?;
/// let mut expected: Vec<u32> = (1..=6).map(|n| summary(&numbers, n)).collect();
/// expected.push(numbers.windows(3).map(|w| w[0] * w[2]).sum());
/// assert_eq!(out.download()?, expected);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn windows<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let (size, one) = (sized(size), usize_of(1));
    // None where the slice is shorter.
    let beyond = operate(Operation::Add, slice.elements(), one);
    let count = operate(Operation::Sub, operate(Operation::Max, beyond, size), size);
    Iter(PartsOf { slice, size, step: one, count, end: None })
}

/// `x.chunks(size)`: one part after the other, the last with what is left.
#[track_caller]
pub fn chunks<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let (size, all) = (sized(size), slice.elements());
    let less = operate(Operation::Sub, size, usize_of(1));
    let count = operate(Operation::Div, operate(Operation::Add, all, less), size);
    Iter(PartsOf { slice, size, step: size, count, end: Some(all) })
}

/// `x.chunks_exact(size)`: one whole part after the other.
#[track_caller]
pub fn chunks_exact<S: Subslice>(slice: S, size: impl IntoVar<usize>) -> Iter<PartsOf<S>> {
    let size = sized(size);
    let count = operate(Operation::Div, slice.elements(), size);
    Iter(PartsOf { slice, size, step: size, count, end: None })
}
