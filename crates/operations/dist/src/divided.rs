//! Operations on data that is divided among ranks: products of matrices, and reductions.
//!
//! [`product`] divides matrices by rows and overlaps the exchange with the products. Algorithm: a ring. Each rank starts with its
//! own rows of B. While it multiplies with a block, it passes the block to the previous rank. After as many steps as there are
//! ranks it has used all of B, and it never held more than three blocks. Per step a rank sends and receives k n / size elements and
//! computes 2 m k n / size^2 operations: with m / size rows per rank the exchange is hidden if 2 m / size operations take longer
//! than one element takes on the link. Limits: the blocks of C are sums over steps, each rounded to C's type. The order of the
//! steps differs from rank to rank, so floating-point results equal one device's results up to rounding, and are the same in each
//! run.
//!
//! [`total`] reduces each rank's part on its device and combines the results. Only results cross the links, one number or one per kept
//! index, so there is nothing to overlap.

use crate::call::{Number, Reduction, group};
use crate::communicator::Communicator;
use lanework::{Buffer, Error, Result, Storable, Stream, View, ViewMut};
use lanework_ops::reduce::{self, Reducible};
use lanework_ops::{GemmElement, Plan, Precision, Tensor, TensorMut, gemm};
use std::ops::Range;

/// The product of matrices divided by rows: each rank has any number of rows of A, the same rows of C, and the rows of B that
/// [`share`] assigns to it.
///
/// ```
/// use lanework::Device;
/// use lanework_dist::{Communicator, product, share};
/// use lanework_ops::{Tensor, TensorMut};
///
/// let ranks = Communicator::local(&Device::several(2))?;
/// std::thread::scope(|scope| {
///     for comm in &ranks {
///         scope.spawn(move || -> lanework::Result<()> {
///             // Each rank has 10 rows of A and C, and 2 or 1 of the 3 rows of B.
///             let rows = share(3, comm.size(), comm.rank()).len();
///             let a = comm.device().upload(&[1.0f32; 30])?;
///             let b = comm.device().upload(&vec![2.0f32; rows * 4])?;
///             let mut c = comm.device().uninit::<f32>(40)?;
///             let (a, b) = (Tensor::new(&a, [10, 3])?, Tensor::new(&b, [rows, 4])?);
///             product(comm, a, b).run(TensorMut::new(&mut c, [10, 4])?)?;
///             assert_eq!(c.download()?, [6.0; 40]);
///             Ok(())
///         });
///     }
/// });
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn product<'a, T: GemmElement + Number>(
    communicator: &'a Communicator,
    a: Tensor<'a, T, 2>,
    b: Tensor<'a, T, 2>,
) -> Product<'a, T> {
    Product { communicator, a, b, precision: Precision::Full }
}

/// A product of divided matrices; made by [`product`].
#[must_use = "a product does nothing until `.run(..)` or `.prepare(..)`"]
pub struct Product<'a, T: GemmElement + Number> {
    communicator: &'a Communicator,
    a: Tensor<'a, T, 2>,
    b: Tensor<'a, T, 2>,
    precision: Precision,
}

/// A product of divided matrices that can run any number of times; made by [`Product::prepare`].
pub struct ProductPlan<'a, T: Number> {
    communicator: &'a Communicator,
    /// One product per step, on the blocks of B in the order in which this rank receives them.
    steps: Vec<Plan<'a>>,
    own: View<'a, T>,
    /// Blocks received from the next rank, alternating. `steps` uses them, so they are dropped after it.
    blocks: [Buffer<T>; 2],
    /// Elements of each rank's block.
    lengths: Vec<usize>,
    multiply: Stream,
    exchange: Stream,
}

impl<'a, T: GemmElement + Number> Product<'a, T> {
    /// Precision of products of f32 factors.
    pub fn precision(self, precision: Precision) -> Self {
        Product { precision, ..self }
    }

    /// Multiplies into this rank's rows of C, and waits for it.
    ///
    /// # Errors
    /// As [`Product::prepare`] and [`ProductPlan::run`].
    pub fn run<S: GemmElement>(self, c: TensorMut<'a, S, 2>) -> Result<()> {
        let communicator = self.communicator;
        let mut plan = self.prepare(c)?;
        plan.run()?;
        communicator.synchronize()
    }

    /// Prepares the product into this rank's rows of C, with everything that a run needs.
    ///
    /// # Errors
    /// [`Error::Request`] if shapes do not match or B's rows differ from [`share`]; if the device has no memory for two blocks of B.
    pub fn prepare<S: GemmElement>(self, c: TensorMut<'a, S, 2>) -> Result<ProductPlan<'a, T>> {
        let Product { communicator, a, b, precision } = self;
        let (rank, size) = (communicator.rank(), communicator.size());
        let ([m, k], [of_b, n]) = (a.shape(), b.shape());
        let shares: Vec<_> = (0..size).map(|rank| share(k, size, rank)).collect();
        if of_b != shares[rank].len() || !b.is_dense() {
            return Err(refuse_b(rank, &b, k, shares[rank].len()));
        }
        let device = communicator.device();
        let longest = shares.first().map_or(0, |share| share.len() * n);
        let blocks = [(); 2].map(|()| device.uninit_named::<T>(longest, "block of B"));
        let [first, second] = blocks;
        let blocks = [first?, second?];
        let own = b.into_view();
        let ([row, column], [c_rows, c_columns]) = (a.strides(), c.strides());
        let (shape, a, mut c) = (c.shape(), a.into_view(), c.into_view());
        let mut steps = Vec::new();
        for step in 0..size {
            let share = shares[(rank + step) % size].clone();
            // A step without rows of B adds nothing, but the first one must set C to zero.
            if share.is_empty() && step > 0 {
                continue;
            }
            let from = share.start.saturating_mul(column).min(a.len());
            let of_a = Tensor::from_view(a.part(from..), [m, share.len()], [row, column])?;
            let block =
                if step == 0 { own } else { blocks[(step - 1) % 2].view(..share.len() * n) };
            // SAFETY: the plan keeps the blocks until after its steps, and overwrites each only after the step that uses it; the
            // steps, which write C one after another, borrow it as long as the plan.
            let (block, c) = unsafe { (block.unbound(), c.reborrow().unbound()) };
            let block = Tensor::from_view(block, [share.len(), n], [n.max(1), 1])?;
            let c = TensorMut::from_view(c, shape, [c_rows, c_columns])?;
            let beta = if step == 0 { 0.0 } else { 1.0 };
            steps.push(gemm(of_a, block).precision(precision).beta(beta).prepare(c)?);
        }
        let (multiply, exchange) = (device.stream()?, device.stream()?);
        let lengths = shares.iter().map(|share| share.len() * n).collect();
        Ok(ProductPlan { communicator, steps, own, blocks, lengths, multiply, exchange })
    }
}

impl<T: Number> ProductPlan<'_, T> {
    /// Queues one run, in the order of the device's other work; every rank runs its own.
    ///
    /// # Errors
    /// Errors of the device; [`Error::Communication`] if ranks disagree, or one is missing.
    pub fn run(&mut self) -> Result<()> {
        let Self { communicator, steps, own, blocks, lengths, multiply, exchange } = self;
        let (rank, size) = (communicator.rank(), communicator.size());
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut steps = steps.iter_mut();
        for step in 0..size {
            let (block, coming) =
                (lengths[(rank + step) % size], lengths[(rank + step + 1) % size]);
            let [first, second] = &mut *blocks;
            // The block that the last step received, and the buffer for the next one.
            let (here, there) = if step % 2 == 1 { (first, second) } else { (second, first) };
            multiply.after(exchange)?;
            if step + 1 < size {
                // After the product that used that block.
                exchange.after(multiply)?;
                let from = if step == 0 { *own } else { here.view(..block) };
                let mut calls = Vec::new();
                if block > 0 {
                    calls.push(communicator.send(before, from)?.on(exchange));
                }
                if coming > 0 {
                    calls.push(communicator.recv(next, there.view_mut(..coming))?.on(exchange));
                }
                group(calls)?;
            }
            if (block > 0 || step == 0)
                && let Some(product) = steps.next()
            {
                product.launch_on(multiply)?;
            }
        }
        Ok(())
    }
}

fn refuse_b<T: GemmElement>(rank: usize, b: &Tensor<'_, T, 2>, k: usize, wanted: usize) -> Error {
    let [rows, columns] = b.shape();
    let (why, help) = if rows == wanted {
        let [stride, _] = b.strides();
        (
            format!("rank {rank}'s rows of B, {columns} elements each, are {stride} apart"),
            "a block of B is sent as stored: pass rows without gaps".to_owned(),
        )
    } else {
        (
            format!("A has {k} columns, and rank {rank} has {rows} rows of B"),
            format!("pass {wanted} rows, its `share({k}, ..)`"),
        )
    };
    Error::Request { why, help }
}

/// The reduction of data divided among ranks: `local` reduces this rank's part, and `reduction`, the same on each rank, combines the
/// results. Combine sums, dot products and sums of squares by a sum. There is no direct form of `norm2`: use the sum of squares.
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
///             // This rank has two rows of a matrix, other ranks the rest.
///             let x = comm.device().upload(&[1.0f32, 2.0, 3.0, 4.0])?;
///             assert_eq!(total(comm, Reduction::Sum, reduce::sum(&x)).value()?, 20.0);
///             let rows = Tensor::new(&x, [2, 2])?;
///             let columns = total(comm, Reduction::Sum, reduce::sum(&rows).axis(0)).eval()?;
///             assert_eq!(columns.download()?, [8.0, 12.0]);
///
///             // Prepare once, run often.
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
    /// Prepares the reduction for results in `out`: one result, or one for each index of the kept axes, in row-major order.
    ///
    /// # Errors
    /// As the reduction of this rank's part.
    pub fn prepare(self, out: &'a mut Buffer<O>) -> Result<TotalPlan<'a, O>> {
        let Total { communicator, reduction, local } = self;
        let mut out = out.view_mut(..);
        // SAFETY: the plan holds both views under one borrow of the buffer, and uses them one after another.
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

    /// Waits for every rank, and returns the single result.
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
    lanework_ranks::share(length, size, rank)
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
