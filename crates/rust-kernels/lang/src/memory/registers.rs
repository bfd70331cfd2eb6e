//! Indexing: the traits behind `a[i]`, and their implementation for register arrays.

use super::index::Extent;
use crate::current::{here, with};
use crate::var::Read;
use crate::variable::AssignTo;

/// `a[i]` where a value is wanted.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by `{I}`",
    label = "cannot be indexed by `{I}`",
    note = "arrays of `registers(..)` take indices known while staging: literals, const generics, \
            `#[constant]` parameters and the variables of `#[unroll]` loops; \
            declare `let mut a = [0.0f32; 16];` for run-time indices"
)]
pub trait Get<I> {
    /// The element.
    type Output;
    /// Reads the element.
    fn get(&self, index: I) -> Self::Output;
}

/// `a[i] = value`.
#[diagnostic::on_unimplemented(
    message = "an element of `{Self}` cannot be assigned `{V}` at index `{I}`",
    label = "cannot be assigned",
    note = "a parameter is written to when it is `&mut [T]`; `&[T]`, which is a `Slice<T>` here, is \
            only read",
    note = "also writable are shared arrays, and `let mut` arrays at indices known while staging; \
            the value must have the element's type"
)]
pub trait Put<I, V> {
    /// Writes the element.
    fn put(&self, index: I, value: V);
}

/// `&a[i]`.
#[diagnostic::on_unimplemented(
    message = "an element of `{Self}` at `{I}` has no address",
    label = "not in memory",
    note = "elements of slices and shared arrays have addresses; registers have none"
)]
pub trait Locate<I> {
    /// [`Place`](super::Place), or [`ReadPlace`](super::ReadPlace) where nothing may be written.
    type Place;
    /// The element's place, bounds-checked.
    fn locate(&self, index: I) -> Self::Place;
}

/// Element `index` of a register array; an index out of range is an error of the kernel.
#[track_caller]
pub(crate) fn element<X: Copy, I: Extent, const N: usize>(array: &[X; N], index: I) -> X {
    here();
    let at = index.extent().filter(|at| *at < N).unwrap_or_else(|| {
        let what = index.extent().map_or("a negative number".to_owned(), |at| at.to_string());
        with(|b| {
            b.error(
                format!("index {what} is out of range: the register array has {N} elements"),
                "correct the index or the array's length",
            );
        });
        0
    });
    match array.get(at) {
        Some(element) => *element,
        None => std::panic::resume_unwind(Box::new(crate::current::Abandon)),
    }
}

impl<X: Read, I: Extent, const N: usize> Get<I> for [X; N] {
    type Output = X::Value;
    #[track_caller]
    fn get(&self, index: I) -> X::Value {
        element(self, index).view()
    }
}

impl<X: Copy, I: Extent, V: AssignTo<X>, const N: usize> Put<I, V> for [X; N] {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        value.assign_to(element(self, index));
    }
}
