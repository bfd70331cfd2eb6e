//! Arrays of other languages: memory, element type by name or number, extents and strides. Macros call a generic function with an
//! array's element type and number of axes.

pub use lanework_numbers::NumberType as ElementType;
use lanework_ops::{Tensor, TensorMut, dense_strides, span};
use lanework_runtime::{Error, Result, Storable, View, ViewMut};

/// Maximum number of axes of an array.
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

    /// The number of elements that the array spans in memory, including gaps.
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

/// An invalid request, and the remedy.
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
            /// An array at the start of `memory`. `shape` lists its extents, outermost first; an empty shape is one element.
            /// `strides` are in elements; without them rows are consecutive.
            ///
            /// # Errors
            /// [`Error::Request`] if it has more than six axes, extends past the memory, or is not aligned to its elements.
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
    /// An array in device memory that is read.
    Array of View gives Tensor;
    /// An array in device memory that is written. Its elements must not overlap.
    ArrayMut of ViewMut gives TensorMut;
}

/// The element types of arrays, by their numbers in the C header (`lanework_type`).
pub const ELEMENT_TYPES: [ElementType; 14] = {
    let [i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2, ..] =
        ElementType::ALL;
    [i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, e4m3, e5m2]
};

/// Parses an element type.
///
/// # Errors
/// [`Error::Request`] with the valid names.
///
/// ```
/// use lanework_arrays::{ElementType, element_type_of_name};
///
/// assert_eq!(element_type_of_name("bf16")?, ElementType::Bf16);
/// assert!(element_type_of_name("f80").unwrap_err().to_string().contains("e4m3"));
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn element_type_of_name(name: &str) -> Result<ElementType> {
    ELEMENT_TYPES.into_iter().find(|of| of.name() == name).ok_or_else(|| {
        let known = ELEMENT_TYPES.map(ElementType::name).join(", ");
        Error::Request {
            why: format!("`{name}` is not an element type"),
            help: format!("available: {known}"),
        }
    })
}

/// The element type with this number in the C header.
pub fn element_type_of_number(number: i32) -> Option<ElementType> {
    ELEMENT_TYPES.get(usize::try_from(number).ok()?).copied()
}

/// Evaluates an expression with `$T` as the Rust type of an element type. Rejects types that are not in the list.
macro_rules! of_type {
    ($element:expr, $what:expr, $T:ident in [$($name:ident $type:ty),*] => $body:expr) => {
        match $element {
            $($crate::ElementType::$name => {
                type $T = $type;
                $body
            })*
            other => {
                let known = [$($crate::ElementType::$name.name()),*].join(", ");
                $crate::array::refused(
                    format!("{} of {}", $what, other.name()),
                    &format!("it takes elements of {known}: convert the array"),
                )
            }
        }
    };
}

/// Evaluates an expression with `$R` as the number of axes, 1 to 6.
macro_rules! of_axes {
    ($axes:expr, $R:ident => $body:expr) => {{
        macro_rules! with {
            ($number:literal) => {{
                const $R: usize = $number;
                $body
            }};
        }
        match $axes {
            1 => with!(1),
            2 => with!(2),
            3 => with!(3),
            4 => with!(4),
            5 => with!(5),
            // An array has six axes at most.
            _ => with!(6),
        }
    }};
}

pub(crate) use {of_axes, of_type};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_and_types_match() {
        for (number, of) in ELEMENT_TYPES.into_iter().enumerate() {
            assert_eq!(of as usize, number);
            assert_eq!(element_type_of_number(number as i32), Some(of));
            assert_eq!(element_type_of_name(of.name()).expect("known"), of);
        }
        assert_eq!([element_type_of_number(14), element_type_of_number(-1)], [None, None]);
    }
}
