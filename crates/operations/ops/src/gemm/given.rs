//! Type-erased operands of a product, after the shape check.

use super::element::GemmElement;
use super::problem::{Extents, Matrix, Strides, refused};
use super::source::Source;
use crate::Tensor;
use lanework::{Device, Result};

/// A factor without its element type.
#[derive(Clone, Debug)]
pub(super) struct Factor<'a, const R: usize> {
    pub(super) device: Device,
    pub(super) shape: [usize; R],
    matrix: Matrix<'a>,
}

impl<'a, const R: usize> Factor<'a, R> {
    pub(super) fn new<T: GemmElement>(tensor: Tensor<'a, T, R>) -> Self {
        let (device, shape) = (tensor.device().clone(), tensor.shape());
        let strides = strides(tensor.strides());
        let memory = Source::Memory(tensor.into_view().cast());
        Factor { device, shape, matrix: Matrix { kind: T::KIND, memory, strides } }
    }
}

/// The last two dimensions are rows and columns; a dimension before them is the batch.
pub(super) fn strides<const R: usize>(strides: [usize; R]) -> Strides {
    let from_end = |i: usize| if R >= i { strides[R - i] } else { 0 };
    Strides { batch: if R == 3 { from_end(3) } else { 0 }, row: from_end(2), column: from_end(1) }
}

/// Batch, rows and columns of a tensor of two or three dimensions.
pub(super) fn extents<const R: usize>(shape: [usize; R]) -> Result<[usize; 3]> {
    match shape.as_slice() {
        [rows, columns] => Ok([1, *rows, *columns]),
        [batch, rows, columns] => Ok([*batch, *rows, *columns]),
        _ => refused(
            format!("a matrix product of tensors of {R} dimensions"),
            "give tensors of two dimensions, or of three for a batch of products",
        ),
    }
}

/// The extents of a product into an output of shape `c`, and the type-erased factors.
pub(super) fn multiplied<'a, const R: usize>(
    a: Factor<'a, R>,
    b: Factor<'a, R>,
    c: [usize; R],
) -> Result<(Extents, [Matrix<'a>; 2])> {
    let [batch_a, m, k] = extents(a.shape)?;
    let [batch_b, of_b, n] = extents(b.shape)?;
    if of_b != k {
        return refused(
            format!(
                "A has {k} columns and B has {of_b} rows: shapes {:?} and {:?}",
                a.shape, b.shape
            ),
            "give a B with a row per column of A; `.t()` exchanges rows and columns",
        );
    }
    let batch = if batch_a == 1 { batch_b } else { batch_a };
    if batch_b != batch && batch_b != 1 {
        return refused(
            format!("A has {batch_a} matrices and B has {batch_b}"),
            "give as many, or one for all",
        );
    }
    if extents(c)? != [batch, m, n] {
        return refused(
            format!("the output is {c:?} and the product has {batch} x {m} x {n} elements"),
            "give an output of the product's shape",
        );
    }
    let once = |matrix: Matrix<'a>, own: usize| {
        let strides = matrix.strides;
        let step = if own == 1 { 0 } else { strides.batch };
        Matrix { strides: Strides { batch: step, ..strides }, ..matrix }
    };
    Ok((Extents { batch, m, n, k }, [once(a.matrix, batch_a), once(b.matrix, batch_b)]))
}
