//! Register arrays whose extents are ordinary Rust values.

use super::index::Extent;
use super::registers::{Get, Put};
use super::shape::{IntoShape, checked_shape};
use crate::current::{here, with};
use crate::data::Receive;
use crate::number::Number;
use crate::value::{Class, Register, Value};
use crate::var::{IntoVar, Read, Var};
use crate::variable::IntoVariable;
use std::marker::PhantomData;

/// An array of registers with `D` dimensions, outermost first.
///
/// Where the extents are literals or const generics, `let mut acc = [0.0; N]` reads better.
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

impl<T, const D: usize> Clone for RegisterArray<T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for RegisterArray<T, D> {}

/// An array of registers, each holding `value` at first: `registers(0.0f32, [rows, columns])`.
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

/// The most registers of one array; a larger count is a mistake in the kernel.
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

impl<T, const D: usize> Read for RegisterArray<T, D> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

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
