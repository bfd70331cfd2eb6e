//! Kernel arguments: scalars by value, device memory by address and length.
//!
//! The `#[kernel]` macro bounds each parameter by one of these traits, so that a buffer of the
//! wrong element type, or a shared reference where the kernel writes, is a compile error.

use crate::lang::Scalar;
use crate::{Buffer, Element, View, ViewMut};
use std::marker::PhantomData;

/// One argument of a launch, borrowing the memory it points to for `'a`.
#[derive(Clone, Debug)]
pub struct Arg<'a> {
    pub(crate) value: Value,
    memory: PhantomData<&'a ()>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Little-endian bytes of a scalar.
    Scalar(Vec<u8>),
    /// Device memory: the device's identity, a byte address, and a length in elements.
    Slice { device: u64, address: u64, length: u64 },
}

impl Arg<'_> {
    pub(crate) fn slice(device: u64, address: u64, length: u64) -> Self {
        Arg { value: Value::Slice { device, address, length }, memory: PhantomData }
    }

    /// The bytes of the PTX parameters that this argument fills: one for a scalar, address and
    /// length for a slice.
    pub(crate) fn parameters(&self) -> Vec<Vec<u8>> {
        match &self.value {
            Value::Scalar(bytes) => vec![bytes.clone()],
            Value::Slice { address, length, .. } => {
                vec![address.to_le_bytes().to_vec(), length.to_le_bytes().to_vec()]
            }
        }
    }
}

/// The argument for a scalar parameter.
pub fn scalar_arg<T: Scalar>(value: T) -> Arg<'static> {
    let bytes = value.bits().to_le_bytes()[..T::SCALAR.size() as usize].to_vec();
    Arg { value: Value::Scalar(bytes), memory: PhantomData }
}

/// Device memory that a kernel may read as `&[T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}`",
    label = "expected `&Buffer<{T}>` or a view of one",
    note = "upload host data first: `let x = device.upload(&data)?;` and pass `&x`"
)]
pub trait SliceArg<'a, T: Element> {
    /// The address and length as a launch argument.
    fn into_arg(self) -> Arg<'a>;
}

/// Device memory that a kernel may write as `&mut [T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not writable device memory of `{T}`",
    label = "expected `&mut Buffer<{T}>` or a mutable view of one",
    note = "make it with `device.zeros(n)?` or `device.upload(&data)?` and pass `&mut y`"
)]
pub trait SliceMutArg<'a, T: Element> {
    /// The address and length as a launch argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a, T: Element> SliceArg<'a, T> for &'a Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        self.view(..).into_arg()
    }
}

impl<'a, T: Element> SliceArg<'a, T> for View<'a, T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::slice(self.device, self.address, self.length as u64)
    }
}

impl<'a, T: Element> SliceMutArg<'a, T> for &'a mut Buffer<T> {
    fn into_arg(self) -> Arg<'a> {
        self.view_mut(..).into_arg()
    }
}

impl<'a, T: Element> SliceMutArg<'a, T> for ViewMut<'a, T> {
    fn into_arg(self) -> Arg<'a> {
        Arg::slice(self.device, self.address, self.length as u64)
    }
}
