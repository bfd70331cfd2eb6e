//! Arrays as other languages pass them: memory, element type, extents and strides.

use crate::element::ElementType;
use lanework_ops::{Tensor, TensorMut, dense_strides, span};
use lanework_runtime::{Error, Result, Storable, View, ViewMut};

/// Axes of an array at most.
pub const AXES: usize = 6;

/// Element type, extents and strides of an array.
#[derive(Clone, Debug)]
struct ArrayLayout {
    element: ElementType,
    /// Extents, outermost first.
    shape: Vec<usize>,
    /// Elements from one index to the next, outermost first.
    strides: Vec<usize>,
}

impl ArrayLayout {
    fn new(
        element: ElementType,
        shape: &[usize],
        strides: Option<&[usize]>,
        (address, bytes): (u64, usize),
    ) -> Result<ArrayLayout> {
        // A number is an array of one element.
        let shape = if shape.is_empty() { &[1] } else { shape };
        if shape.len() > AXES {
            return refused(
                format!("an array of {} axes, {shape:?}", shape.len()),
                "arrays have up to six axes: reshape it, so that unused axes are merged into one",
            );
        }
        let strides = match strides {
            Some(strides) if strides.len() == shape.len() => strides.to_vec(),
            Some([]) if shape == [1] => vec![1],
            Some(strides) => {
                return refused(
                    format!("{} strides for the {} axes of an array", strides.len(), shape.len()),
                    "give a stride for each axis, in elements",
                );
            }
            None => {
                let mut strides = vec![1; shape.len()];
                dense_strides(shape, &mut strides);
                strides
            }
        };
        if !address.is_multiple_of(element.bytes() as u64) {
            return refused(
                format!("an array of {} begins at {address:#x}", element.name()),
                "its address must be a multiple of the element size",
            );
        }
        let layout = ArrayLayout { element, shape: shape.to_vec(), strides };
        // Ignores a partial element at the end.
        let length = bytes / element.bytes();
        if layout.span() > length {
            return refused(
                format!(
                    "an array of shape {:?} with strides {:?} spans {} elements of {}; its memory holds {length}",
                    layout.shape,
                    layout.strides,
                    layout.span(),
                    element.name()
                ),
                "check shape and strides, which count elements",
            );
        }
        Ok(layout)
    }

    /// Elements from the first to behind the last one.
    fn span(&self) -> usize {
        span(&self.shape, &self.strides)
    }

    /// Shape and strides as arrays.
    fn fixed<const R: usize>(&self, what: &str) -> Result<([usize; R], [usize; R])> {
        let [shape, strides] = [&self.shape, &self.strides].map(|of| of.as_slice().try_into());
        match (shape, strides) {
            (Ok(shape), Ok(strides)) => Ok((shape, strides)),
            _ => refused(
                format!("{what} of shape {:?}, but it must have {R} axes", self.shape),
                "reshape it",
            ),
        }
    }
}

/// A request that cannot be met, and the remedy.
pub(crate) fn refused<T>(why: String, help: &str) -> Result<T> {
    Err(Error::Request { why, help: help.to_owned() })
}

macro_rules! arrays {
    ($($(#[$doc:meta])* $name:ident of $view:ident gives $tensor:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'a> {
            memory: $view<'a, u8>,
            layout: ArrayLayout,
        }

        impl<'a> $name<'a> {
            /// An array from the first byte of some memory on. `shape` lists its extents, outermost first; of none it is one element.
            /// `strides` are in elements; without them rows follow each other with no gaps.
            ///
            /// # Errors
            /// [`Error::Request`] where it has more than six axes, reaches past the memory, or is not aligned to its elements.
            pub fn new(
                memory: $view<'a, u8>,
                element: ElementType,
                shape: &[usize],
                strides: Option<&[usize]>,
            ) -> Result<$name<'a>> {
                let layout = ArrayLayout::new(element, shape, strides, (memory.address(), memory.len()))?;
                Ok($name { memory, layout })
            }

            /// The type of its elements.
            pub fn element(&self) -> ElementType {
                self.layout.element
            }

            /// Its extents, outermost first.
            pub fn shape(&self) -> &[usize] {
                &self.layout.shape
            }

            /// Reinterprets the elements as a Rust type of the same size.
            pub(crate) fn tensor<T: Storable, const R: usize>(self, what: &str) -> Result<$tensor<'a, T, R>> {
                let (shape, strides) = self.layout.fixed(what)?;
                let bytes = self.layout.span() * self.layout.element.bytes();
                $tensor::from_view(self.memory.part(..bytes).cast(), shape, strides)
            }
        }
    )*};
}

arrays! {
    /// An array of a device that is read.
    Array of View gives Tensor;
    /// An array of a device that is written. No two of its elements have one place.
    ArrayMut of ViewMut gives TensorMut;
}
