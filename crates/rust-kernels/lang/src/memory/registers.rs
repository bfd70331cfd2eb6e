//! Indexing: the traits behind `a[i]`, their implementation for register arrays, and shapes of arrays, which are known while the
//! kernel is staged.

use crate::data::variable::{AssignTo, IntoVariable, Receive};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Class, Register, Value};
use crate::scalar::number::{Extent, Number};
use crate::scalar::var::{IntoVar, Read, Var, by_name};
use std::marker::PhantomData;

/// `a[i]` as a value.
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
    message = "this element cannot be assigned in a kernel",
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
    /// `Place`, or `ReadPlace` if it is read only.
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
        None => std::panic::resume_unwind(Box::new(crate::emit::current::Abandon)),
    }
}

impl<X: Read, I: Extent, const N: usize> Get<I> for [X; N] {
    type Output = X::Value;
    #[track_caller]
    fn get(&self, index: I) -> X::Value {
        element(self, index).view()
    }
}

impl<X: Copy, I: Extent, const N: usize> Locate<I> for [X; N] {
    type Place = X;
    #[track_caller]
    fn locate(&self, index: I) -> X {
        element(self, index)
    }
}

impl<X: Copy, I: Extent, V: AssignTo<X>, const N: usize> Put<I, V> for [X; N] {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        value.assign_to(element(self, index));
    }
}

/// An array of registers with `D` dimensions, outermost first.
///
/// If the extents are literals or const generics, prefer `let mut acc = [0.0; N]`.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn fill(sums: RegisterArray<f32, 2>, value: f32) {
///     #[unroll]
///     for row in 0..sums.shape()[0] {
///         sums[[row, 0]] = value;
///     }
/// }
///
/// #[kernel]
/// fn example(out: &mut [f32]) {
///     let sums = registers(0.0f32, [2, 3]);
///     fill(sums, 2.0);
///     out[0] = sums[[0, 0]] + sums[[1, 0]] + sums[[1, 2]];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<f32>(1)?;
/// # example(&mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [4.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct RegisterArray<T, const D: usize> {
    first: u32,
    dims: [u32; D],
    element: PhantomData<fn() -> T>,
}

by_name!([T, const D: usize] RegisterArray<T, D>);

/// An array of registers, each initialized to `value`: `registers(0.0f32, [rows, columns])`.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // A table of 2 x 2 values in registers, indexed by values known while staging.
///     let sums = registers(0u32, [2, 2]);
///     #[unroll]
///     for k in 0..2 {
///         sums[[k, k]] = thread_idx.x + k;
///     }
///     out[thread_idx.x] = sums[[0, 0]] + sums[[1, 1]];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 4])?;
/// # example(&mut out).grid(1).block(4).launch(&device)?;
/// assert_eq!(out.download()?, [1, 3, 5, 7]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn registers<T: Number, const D: usize>(
    value: impl IntoVar<T>,
    shape: impl IntoShape<D>,
) -> RegisterArray<T, D> {
    here();
    let value = value.into_var().value;
    with(|b| {
        let dims = checked_shape(b, shape);
        let count: u32 = dims.iter().product();
        if count > MOST {
            b.error(
                format!("an array of {count} registers exceeds what a thread can have"),
                "a thread has 255 registers; keep the array in shared memory",
            );
        }
        let registers: Vec<_> =
            (0..count.clamp(1, MOST)).map(|_| b.register(T::SCALAR, true)).collect();
        for register in &registers {
            b.assign(*register, value, T::SCALAR);
        }
        RegisterArray { first: registers[0].index, dims, element: PhantomData }
    })
}

/// Maximum registers of one array; a larger count is a mistake in the kernel.
const MOST: u32 = 4096;

impl<T: Number, const D: usize> RegisterArray<T, D> {
    /// The extents, outermost first.
    pub fn shape(&self) -> [u32; D] {
        self.dims
    }

    /// The register of an element; an index out of range is an error of the kernel.
    fn register(&self, index: [Option<usize>; D]) -> Register {
        let mut linear = 0;
        for (axis, (at, extent)) in index.into_iter().zip(self.dims).enumerate() {
            let at = at.and_then(|at| u32::try_from(at).ok()).filter(|at| *at < extent);
            if at.is_none() {
                with(|b| {
                    b.error(
                        format!("index {axis} of this register array is out of range: its extent is {extent}"),
                        "correct the index or the array's shape",
                    );
                });
            }
            linear = linear * extent + at.unwrap_or(0);
        }
        Register { class: Class::of(T::SCALAR), index: self.first + linear, mutable: true }
    }
}

macro_rules! array_index {
    ($dimensions:literal, [$($i:ident),*], $index:ty, $of:expr) => {
        impl<T: Number, $($i: Extent),*> Get<$index> for RegisterArray<T, $dimensions> {
            type Output = Var<T>;
            fn get(&self, index: $index) -> Var<T> {
                Var::new(Value::Register(self.register($of(index))))
            }
        }

        impl<T: Number, $($i: Extent,)* V: IntoVar<T>> Put<$index, V>
            for RegisterArray<T, $dimensions>
        {
            #[track_caller]
            fn put(&self, index: $index, value: V) {
                here();
                let register = self.register($of(index));
                let value = value.into_var().value;
                with(|b| b.assign(register, value, T::SCALAR));
            }
        }
    };
}

array_index!(1, [I], I, |i: I| [i.extent()]);
array_index!(2, [I, J], (I, J), |(i, j): (I, J)| [i.extent(), j.extent()]);
array_index!(3, [I, J, K], (I, J, K), |(i, j, k): (I, J, K)| {
    [i.extent(), j.extent(), k.extent()]
});

impl<T, const D: usize> IntoVariable for RegisterArray<T, D> {
    type Variable = Self;
    fn into_variable(self) -> Self {
        self
    }
}

impl<T, const D: usize> Receive for RegisterArray<T, D> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

#[diagnostic::on_unimplemented(
    message = "this is not a shape with {D} dimensions known while the kernel is staged",
    label = "not a shape known while staging",
    note = "shapes are made of literals, const generics and `#[constant]` parameters: \
            `256`, `[T, T + 1]`"
)]
/// A shape: one extent, or an array of one to three, outermost first.
pub trait IntoShape<const D: usize> {
    /// The extents; `None` if one is negative or too large.
    fn shape(self) -> Option<[u32; D]>;
}

impl<N: Extent> IntoShape<1> for N {
    fn shape(self) -> Option<[u32; 1]> {
        Some([u32::try_from(self.extent()?).ok()?])
    }
}

impl<N: Extent, const D: usize> IntoShape<D> for [N; D] {
    fn shape(self) -> Option<[u32; D]> {
        let mut shape = [0; D];
        for (extent, wanted) in shape.iter_mut().zip(self) {
            *extent = u32::try_from(wanted.extent()?).ok()?;
        }
        Some(shape)
    }
}

/// The extents of an array's shape; an error of the kernel if one is 0, negative or too large.
pub(crate) fn checked_shape<const D: usize>(b: &mut Builder, shape: impl IntoShape<D>) -> [u32; D] {
    let dims = shape.shape().unwrap_or_else(|| {
        b.error("an extent of this array is negative or too large", "extents are 1 to 2^32 - 1");
        [1; D]
    });
    if dims.contains(&0) {
        b.error("an extent of this array is 0", "extents are 1 to 2^32 - 1");
        return [1; D];
    }
    dims
}
