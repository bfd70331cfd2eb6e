//! Element types of reductions, and type-erased arrays of them, so that planning code is compiled once.

use half::{bf16, f16};
use lanework::lang::Float;
use lanework::{Element, Storable, View, ViewMut};
use lanework_numbers::NumberType;

/// An element type of reductions.
///
/// | elements | accumulator | overflow |
/// |---|---|---|
/// | `i32`, `i64` | `i64` | wraps |
/// | `u32`, `u64` | `u64` | wraps |
/// | `f16`, `bf16`, `f32` | `f32` | infinity |
/// | `f64` | `f64` | infinity |
///
/// Sums of up to 2^32 `i32` or `u32` never wrap; sums of squares and dot products are exact modulo 2^64.
///
/// ```
/// use lanework::Device;
/// use lanework_ops::{Tensor, reduce::{self, Reducible}};
///
/// fn mean<T: Reducible>(x: &lanework::Buffer<T>, to_f64: fn(T::Sum) -> f64) -> lanework::Result<f64> {
///     Ok(to_f64(reduce::sum(x).value()?) / x.len() as f64)
/// }
///
/// let x = Device::best().upload(&[i32::MAX, i32::MAX])?;
/// assert_eq!(mean(&x, |sum| sum as f64)?, f64::from(i32::MAX));
/// # Ok::<(), lanework::Error>(())
/// ```
pub trait Reducible: Element + sealed::Sealed {
    /// The type of sums.
    type Sum: Storable;
    /// The type's identifier in kernels.
    #[doc(hidden)]
    const KIND: NumberType;
}

/// A floating-point element type of reductions: `f16`, `bf16`, `f32` and `f64`.
///
/// ```
/// use lanework::{Buffer, Device, Result};
/// use lanework_ops::reduce::{self, ReducibleFloat};
///
/// fn length<T: ReducibleFloat>(x: &Buffer<T>) -> Result<T::Sum> {
///     reduce::norm2(x).value()
/// }
///
/// assert_eq!(length(&Device::best().upload(&[3.0f32, 4.0])?)?, 5.0);
/// # Ok::<(), lanework::Error>(())
/// ```
pub trait ReducibleFloat: Reducible + Float {}

mod sealed {
    /// Seals [`Reducible`](super::Reducible): kernels support only these types.
    pub trait Sealed {}
}

macro_rules! reducible {
    ($($element:ty, $kind:ident => $sum:ty;)*) => {$(
        impl sealed::Sealed for $element {}
        impl Reducible for $element {
            type Sum = $sum;
            const KIND: NumberType = NumberType::$kind;
        }
    )*};
}

reducible! {
    i32, I32 => i64;
    u32, U32 => u64;
    i64, I64 => i64;
    u64, U64 => u64;
    f16, F16 => f32;
    bf16, Bf16 => f32;
    f32, F32 => f32;
    f64, F64 => f64;
}

impl ReducibleFloat for f16 {}
impl ReducibleFloat for bf16 {}
impl ReducibleFloat for f32 {}
impl ReducibleFloat for f64 {}

/// Memory as one slice per element size that kernels access; all slices are empty except the one of the actual size.
pub(crate) struct Slices<'a> {
    pub halves: View<'a, f16>,
    pub shorts: View<'a, u16>,
    pub words: View<'a, u32>,
    pub longs: View<'a, u64>,
}

/// As [`Slices`], mutable.
pub(crate) struct SlicesMut<'a> {
    pub halves: ViewMut<'a, f16>,
    pub shorts: ViewMut<'a, u16>,
    pub words: ViewMut<'a, u32>,
    pub longs: ViewMut<'a, u64>,
}

/// Type-erased memory of elements.
#[derive(Clone, Copy)]
pub(crate) enum NumberMemory<'a> {
    Halves(View<'a, f16>),
    Shorts(View<'a, u16>),
    Words(View<'a, u32>),
    Longs(View<'a, u64>),
}

/// As [`NumberMemory`], mutable.
pub(crate) enum NumberMemoryMut<'a> {
    Halves(ViewMut<'a, f16>),
    Shorts(ViewMut<'a, u16>),
    Words(ViewMut<'a, u32>),
    Longs(ViewMut<'a, u64>),
}

/// Type-erases the memory of an operand.
pub(crate) fn memory<T: Storable>(kind: NumberType, view: View<'_, T>) -> NumberMemory<'_> {
    match (kind, kind.bytes()) {
        (NumberType::F16, _) => NumberMemory::Halves(view.cast()),
        (_, 2) => NumberMemory::Shorts(view.cast()),
        (_, 4) => NumberMemory::Words(view.cast()),
        _ => NumberMemory::Longs(view.cast()),
    }
}

/// Type-erases the memory of a result.
pub(crate) fn memory_mut<T: Storable>(
    kind: NumberType,
    view: ViewMut<'_, T>,
) -> NumberMemoryMut<'_> {
    match (kind, kind.bytes()) {
        (NumberType::F16, _) => NumberMemoryMut::Halves(view.cast()),
        (_, 2) => NumberMemoryMut::Shorts(view.cast()),
        (_, 4) => NumberMemoryMut::Words(view.cast()),
        _ => NumberMemoryMut::Longs(view.cast()),
    }
}

impl<'a> NumberMemory<'a> {
    /// Its address.
    pub fn address(&self) -> u64 {
        match self {
            NumberMemory::Halves(view) => view.address(),
            NumberMemory::Shorts(view) => view.address(),
            NumberMemory::Words(view) => view.address(),
            NumberMemory::Longs(view) => view.address(),
        }
    }

    /// The slices of a launch, with `nothing` for the empty ones; `as_words` selects words for vector loads.
    pub fn slices(self, nothing: View<'a, u64>, as_words: bool) -> Slices<'a> {
        let nothing = nothing.part(..0);
        let mut slices = Slices {
            halves: nothing.cast(),
            shorts: nothing.cast(),
            words: nothing.cast(),
            longs: nothing,
        };
        match self {
            NumberMemory::Halves(view) => {
                slices.halves = view;
                if as_words {
                    slices.words = view.part(..view.len() / 2 * 2).cast();
                }
            }
            NumberMemory::Shorts(view) => {
                slices.shorts = view;
                if as_words {
                    slices.words = view.part(..view.len() / 2 * 2).cast();
                }
            }
            NumberMemory::Words(view) => slices.words = view,
            NumberMemory::Longs(view) => {
                slices.longs = view;
                if as_words {
                    slices.words = view.cast();
                }
            }
        }
        slices
    }
}

impl<'a> NumberMemoryMut<'a> {
    /// The slices of a launch.
    pub fn slices(self, nothing: impl Fn() -> ViewMut<'a, u64>) -> SlicesMut<'a> {
        let nothing = || nothing().part(..0);
        let mut slices = SlicesMut {
            halves: nothing().cast(),
            shorts: nothing().cast(),
            words: nothing().cast(),
            longs: nothing(),
        };
        match self {
            NumberMemoryMut::Halves(view) => slices.halves = view,
            NumberMemoryMut::Shorts(view) => slices.shorts = view,
            NumberMemoryMut::Words(view) => slices.words = view,
            NumberMemoryMut::Longs(view) => slices.longs = view,
        }
        slices
    }
}
