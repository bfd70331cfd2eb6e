//! Tensors: strided multidimensional views of buffers, the operands of all operations.

use lanework::{Buffer, Device, Error, Result, Storable, View, ViewMut};

/// A buffer, or a part of one, viewed as a read-only array of `R` dimensions. Shape and strides are listed outermost first; strides
/// are in elements.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::Tensor;
///
/// let device = Device::best();
/// let x = device.zeros::<f32>(1000)?;
/// let matrix = Tensor::new(&x, [10, 100])?;
/// assert_eq!((matrix.shape(), matrix.strides()), ([10, 100], [100, 1]));
/// assert_eq!(matrix.t().shape(), [100, 10]); // moves nothing
///
/// // Rows of 90 elements, 100 apart, from the third row on.
/// let part = Tensor::with_strides(&x, [8, 90], [100, 1], 200)?;
/// assert_eq!(part.len(), 720);
///
/// // The same from a view.
/// let part = Tensor::from_view(x.view(200..), [8, 90], [100, 1])?;
/// assert_eq!(part.len(), 720);
///
/// // Shapes that do not fit are rejected.
/// assert!(Tensor::new(&x, [10, 101]).is_err());
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tensor<'a, T: Storable, const R: usize = 1> {
    device: Device,
    memory: View<'a, T>,
    shape: [usize; R],
    strides: [usize; R],
}

/// As [`Tensor`], mutable. No two elements share a location.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::TensorMut;
///
/// let mut c = Device::best().zeros::<f32>(64)?;
/// let square = TensorMut::new(&mut c, [8, 8])?;
/// assert_eq!(square.shape(), [8, 8]);
/// assert!(TensorMut::with_strides(&mut c, [8, 8], [4, 1], 0).is_err()); // rows overlap
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorMut<'a, T: Storable, const R: usize = 1> {
    device: Device,
    memory: ViewMut<'a, T>,
    shape: [usize; R],
    strides: [usize; R],
}

/// Row-major strides without gaps.
fn dense<const R: usize>(shape: [usize; R]) -> [usize; R] {
    let mut strides = [1usize; R];
    dense_strides(&shape, &mut strides);
    strides
}

/// Writes the row-major strides of `shape` into `strides`.
#[doc(hidden)]
pub fn dense_strides(shape: &[usize], strides: &mut [usize]) {
    strides.fill(1);
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
}

/// The distance from the first element to one past the last.
#[doc(hidden)]
pub fn span(shape: &[usize], strides: &[usize]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    let reach =
        shape.iter().zip(strides).map(|(extent, stride)| (extent - 1).saturating_mul(*stride));
    reach.fold(1, usize::saturating_add)
}

/// Rejects an array that extends past `length` elements, starting at `first`.
fn fits<const R: usize>(
    shape: [usize; R],
    strides: [usize; R],
    first: usize,
    length: usize,
) -> Result<()> {
    let span = span(&shape, &strides);
    let behind = if span == 0 { 0 } else { first.saturating_add(span) };
    if behind <= length {
        return Ok(());
    }
    Err(Error::Request {
        why: format!(
            "an array of shape {shape:?} with strides {strides:?} from element {first} on ends at element {behind}; the buffer has {length}"
        ),
        help: "check the shape, or say the strides and the first element with `with_strides`"
            .to_owned(),
    })
}

/// Rejects an array whose elements overlap: sorted by stride, each dimension must step over the ones inside it.
fn distinct<const R: usize>(shape: [usize; R], strides: [usize; R]) -> Result<()> {
    if shape.contains(&0) {
        return Ok(()); // no elements
    }
    let mut axes: Vec<(usize, usize)> =
        strides.into_iter().zip(shape).filter(|(_, extent)| *extent > 1).collect();
    axes.sort_unstable();
    let mut inner = 1usize;
    for (stride, extent) in axes {
        if stride < inner {
            return Err(Error::Request {
                why: format!("several elements of an array of shape {shape:?} with strides {strides:?} share an address"),
                help: "an output needs strides that step over its inner dimensions: rows of n elements need a stride of at least n".to_owned(),
            });
        }
        inner = inner.saturating_add((extent - 1).saturating_mul(stride));
    }
    Ok(())
}

macro_rules! tensors {
    ($($name:ident $buffer:ty, $view:ident $method:ident, $check:expr;)*) => {$(
        impl<'a, T: Storable, const R: usize> $name<'a, T, R> {
            /// Views the buffer as an array of this shape, row-major without gaps.
            ///
            /// # Errors
            /// [`Error::Request`] if the buffer has fewer elements.
            pub fn new(buffer: $buffer, shape: [usize; R]) -> Result<Self> {
                Self::with_strides(buffer, shape, dense(shape), 0)
            }

            /// As `new`, with the stride of each dimension in elements, and the index of the first element.
            ///
            /// # Errors
            /// [`Error::Request`] if the array extends past the buffer, or if elements of an output overlap.
            pub fn with_strides(buffer: $buffer, shape: [usize; R], strides: [usize; R], first: usize) -> Result<Self> {
                fits(shape, strides, first, buffer.len())?;
                let check: fn([usize; R], [usize; R]) -> Result<()> = $check;
                check(shape, strides)?;
                let device = buffer.device().clone();
                let first = first.min(buffer.len());
                let behind = first + span(&shape, &strides);
                Ok($name { device, memory: buffer.$method(first..behind), shape, strides })
            }

            /// Views a part of a buffer as an array of this shape, with these strides from its first element on.
            ///
            /// # Errors
            /// As `with_strides`.
            pub fn from_view(memory: $view<'a, T>, shape: [usize; R], strides: [usize; R]) -> Result<Self> {
                fits(shape, strides, 0, memory.len())?;
                let check: fn([usize; R], [usize; R]) -> Result<()> = $check;
                check(shape, strides)?;
                let device = memory.device()?;
                Ok($name { device, memory: memory.part(..span(&shape, &strides)), shape, strides })
            }

            /// Extents, outermost first.
            pub fn shape(&self) -> [usize; R] {
                self.shape
            }

            /// Strides in elements, outermost first.
            pub fn strides(&self) -> [usize; R] {
                self.strides
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                self.shape.iter().product()
            }

            /// Whether it has no elements.
            pub fn is_empty(&self) -> bool {
                self.shape.contains(&0)
            }

            /// Whether it is row-major without gaps.
            pub fn is_dense(&self) -> bool {
                let dense = dense(self.shape);
                (0..R).all(|axis| self.shape[axis] <= 1 || self.strides[axis] == dense[axis])
            }

            /// The device that holds it.
            pub fn device(&self) -> &Device {
                &self.device
            }

            /// The memory from its first element to its last.
            pub fn into_view(self) -> $view<'a, T> {
                self.memory
            }
        }

        impl<T: Storable> $name<'_, T, 2> {
            /// The transpose: the same memory with rows and columns exchanged.
            #[must_use]
            pub fn t(self) -> Self {
                let ([rows, columns], [row, column]) = (self.shape, self.strides);
                $name { shape: [columns, rows], strides: [column, row], ..self }
            }
        }

        impl<'a, T: Storable> From<$buffer> for $name<'a, T, 1> {
            fn from(buffer: $buffer) -> Self {
                let (device, shape) = (buffer.device().clone(), [buffer.len()]);
                $name { device, memory: buffer.$method(..), shape, strides: [1] }
            }
        }
    )*};
}

tensors! {
    Tensor &'a Buffer<T>, View view, |_, _| Ok(());
    TensorMut &'a mut Buffer<T>, ViewMut view_mut, distinct;
}

impl<'a, T: Storable, const R: usize> From<&Tensor<'a, T, R>> for Tensor<'a, T, R> {
    fn from(tensor: &Tensor<'a, T, R>) -> Self {
        tensor.clone()
    }
}

impl<'a, T: Storable, const R: usize> From<TensorMut<'a, T, R>> for Tensor<'a, T, R> {
    fn from(tensor: TensorMut<'a, T, R>) -> Self {
        let TensorMut { device, memory, shape, strides } = tensor;
        Tensor { device, memory: memory.into(), shape, strides }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_past_the_buffer_are_refused_with_their_shape() -> Result<()> {
        let x = Device::emulator().zeros::<u8>(100)?;
        let error = Tensor::with_strides(&x, [5, 5], [20, 1], 16).expect_err("one too far");
        assert!(error.to_string().contains("ends at element 101; the buffer has 100"), "{error}");
        assert!(Tensor::with_strides(&x, [5, 5], [20, 1], 15)?.len() == 25);
        assert!(Tensor::with_strides(&x, [0, 5], [20, 1], 1000)?.is_empty());
        assert!(Tensor::new(&x, [usize::MAX, 2, 2]).is_err());
        Ok(())
    }

    #[test]
    fn an_output_has_no_two_elements_in_one_place() -> Result<()> {
        let mut x = Device::emulator().zeros::<u8>(100)?;
        for (shape, strides, good) in [
            ([4, 3], [3, 1], true),
            ([4, 3], [2, 1], false),
            ([4, 3], [1, 4], true),
            ([4, 3], [1, 3], false),
            ([4, 3], [0, 1], false),
            ([1, 3], [0, 1], true),
            ([4, 0], [0, 1], true),
        ] {
            let made = TensorMut::with_strides(&mut x, shape, strides, 0);
            assert_eq!(made.is_ok(), good, "{shape:?} {strides:?}");
        }
        Ok(())
    }
}
