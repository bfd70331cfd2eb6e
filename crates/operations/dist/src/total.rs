//! Division of an index range among ranks, and reductions of divided data: each rank reduces its own part on its device, and
//! the results are combined.
//!
//! Only results cross the links, so there is nothing to overlap: one number, or one per kept index.

use crate::communicator::Communicator;
use crate::element::{Number, Reduction};
use lanework::{Buffer, Error, Result, Storable, Stream, ViewMut};
use lanework_ops::reduce::Reducible;
use lanework_ops::{Plan, TensorMut, reduce};
use std::ops::Range;

/// The reduction of data divided among ranks: `local` reduces this rank's part, and `reduction`, the same on each rank, combines the parts'
/// results. Sums, dot products and sums of squares add up; for `norm2`, use the sum of squares.
///
/// ```
/// use lanework::Device;
/// use lanework_dist::{Communicator, Reduction, total};
/// use lanework_ops::{Tensor, reduce};
///
/// let ranks = Communicator::local(&Device::several(2))?;
/// std::thread::scope(|scope| {
///     for comm in &ranks {
///         scope.spawn(move || -> lanework::Result<()> {
///             // Two rows of a matrix here, the others elsewhere.
///             let x = comm.device().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
///             assert_eq!(total(comm, Reduction::Sum, reduce::sum(&x)).value()?, 20.0);
///             let rows = Tensor::new(&x, [2, 2])?;
///             let columns = total(comm, Reduction::Sum, reduce::sum(&rows).axis(0)).eval()?;
///             assert_eq!(columns.download()?, [8.0, 12.0]);
///
///             // Prepared once, run often.
///             let mut out = comm.device().zeros::<f32>(1)?;
///             let mut plan = total(comm, Reduction::Max, reduce::max(&x)).prepare(&mut out)?;
///             plan.run()?;
///             drop(plan);
///             assert_eq!(out.download()?, [4.0]);
///             Ok(())
///         });
///     }
/// });
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn total<'a, T: Reducible, O: Number, const R: usize>(
    communicator: &'a Communicator,
    reduction: Reduction,
    local: reduce::Reduction<'a, T, O, R>,
) -> Total<'a, T, O, R> {
    Total { communicator, reduction, local }
}

/// A reduction of divided data; made by [`total`].
#[must_use = "a reduction does nothing until `run`, `prepare`, `eval` or `value`"]
pub struct Total<'a, T: Reducible, O: Number, const R: usize> {
    communicator: &'a Communicator,
    reduction: Reduction,
    local: reduce::Reduction<'a, T, O, R>,
}

/// A reduction of divided data that can run any number of times; made by [`Total::prepare`].
pub struct TotalPlan<'a, O: Storable> {
    communicator: &'a Communicator,
    reduction: Reduction,
    local: Plan<'a>,
    out: ViewMut<'a, O>,
}

impl<'a, T: Reducible, O: Number, const R: usize> Total<'a, T, O, R> {
    /// Prepares the reduction for results in `out`, in row-major order: one, or one for each index of the kept axes.
    ///
    /// # Errors
    /// As the reduction of this rank's part.
    pub fn prepare(self, out: &'a mut Buffer<O>) -> Result<TotalPlan<'a, O>> {
        let Total { communicator, reduction, local } = self;
        let mut out = out.view_mut(..);
        // SAFETY: the plan holds both views under one borrow of the buffer, and uses them one after the other.
        let results = unsafe { out.reborrow().unbound() };
        let length = results.len();
        let results = TensorMut::<O, 1>::from_view(results, [length], [1])?;
        Ok(TotalPlan { communicator, reduction, local: local.prepare(results)?, out })
    }

    /// The results, in row-major order.
    ///
    /// # Errors
    /// As the reduction of this rank's part; [`Error::Communication`] if ranks disagree, or one is missing.
    pub fn eval(self) -> Result<Buffer<O>> {
        let mut out = self.local.eval()?;
        self.communicator.all_reduce_in_place(self.reduction, &mut out)?.run()?;
        Ok(out)
    }

    /// The single result, copied to the host; waits for it, and for every rank.
    ///
    /// # Errors
    /// As [`Total::eval`]; [`Error::Request`] if there are several results.
    pub fn value(self) -> Result<O> {
        let communicator = self.communicator;
        let results = self.eval()?;
        communicator.synchronize()?;
        match results.download()?.as_slice() {
            [one] => Ok(*one),
            several => Err(Error::Request {
                why: format!("there are {} results along the axis, not one", several.len()),
                help: "use `eval()`, or remove `.axis(..)`".to_owned(),
            }),
        }
    }
}

impl<O: Number> TotalPlan<'_, O> {
    /// Queues one run, in the order of the device's other work; every rank runs its own.
    ///
    /// # Errors
    /// Errors of the device; [`Error::Communication`] if ranks disagree, or one is missing.
    pub fn run(&mut self) -> Result<()> {
        self.local.launch()?;
        self.communicator.all_reduce_in_place(self.reduction, self.out.reborrow())?.run()
    }

    /// As [`TotalPlan::run`], on a stream.
    ///
    /// # Errors
    /// As [`TotalPlan::run`].
    pub fn run_on(&mut self, stream: &Stream) -> Result<()> {
        self.local.launch_on(stream)?;
        let call = self.communicator.all_reduce_in_place(self.reduction, self.out.reborrow())?;
        call.on(stream).run()
    }
}

/// The indices of `rank` when `length` indices are divided among `size` ranks. All ranks have equally many; if `size` does not divide
/// `length`, the first ones have one more.
///
/// ```
/// use lanework_dist::share;
///
/// let shares: Vec<_> = (0..3).map(|rank| share(10, 3, rank)).collect();
/// assert_eq!(shares, [0..4, 4..7, 7..10]);
/// ```
pub fn share(length: usize, size: usize, rank: usize) -> Range<usize> {
    lanework_ranks::collectives::share(length, size, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_index_once() {
        for length in [0, 1, 2, 7, 8, 100] {
            for size in 1..9 {
                let all: Vec<usize> =
                    (0..size).flat_map(|rank| share(length, size, rank)).collect();
                assert!(all.into_iter().eq(0..length), "{length} among {size}");
                let longest = (0..size).map(|rank| share(length, size, rank).len());
                assert!(longest.clone().max() <= longest.min().map(|least| least + 1));
            }
        }
    }
}
