//! The types of slices: in registers, in a variable, and in a field of a value in memory.

use crate::data::place::Space;
use crate::emit::value::Value;
use crate::scalar::var::{Mut, by_name};
use std::marker::PhantomData;

/// Device memory that the kernel reads: a parameter `x: &[T]`.
#[derive(Debug)]
pub struct Slice<T> {
    pub(crate) memory: Memory,
    element: PhantomData<fn() -> T>,
}

/// Device memory that the kernel may write: a parameter `x: &mut [T]`.
///
/// ```
/// # use lanework::prelude::*;
/// /// A parameter `&[T]` of a function is a `Slice`, `&mut [T]` a `SliceMut`.
/// #[device]
/// fn swap_halves(x: Slice<f32>, y: SliceMut<f32>, i: u32) {
///     let [a, b, c, d] = x.load4(4 * i);
///     y.store2(4 * i, [c, d]);
///     y.store_vec(4 * i + 2, [a, b]);
///     if y.is_empty() || x.len() != y.len() {
///         y.store4(4 * i, [a, b, c, d]);
///     }
/// }
///
/// #[kernel]
/// fn example(x: &[f32], y: &mut [f32]) {
///     swap_halves(x, y, thread_idx.x);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// # let mut y = device.zeros::<f32>(4)?;
/// # example(&x, &mut y).grid(1).block(1).launch(&device)?;
/// assert_eq!(y.download()?, [3.0, 4.0, 1.0, 2.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct SliceMut<T> {
    pub(crate) memory: Memory,
    element: PhantomData<fn() -> T>,
}

/// Address, length and name of a slice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub base: Value,
    pub length: Value,
    pub name: &'static str,
    /// Global memory, or local memory for a slice of the thread's own array.
    pub space: Space,
}

by_name!([T] Slice<T>);
by_name!([T] SliceMut<T>);

impl<T> Slice<T> {
    pub(crate) fn new(memory: Memory) -> Self {
        Slice { memory, element: PhantomData }
    }
}

impl<T> SliceMut<T> {
    pub(crate) fn new(memory: Memory) -> Self {
        SliceMut { memory, element: PhantomData }
    }
}

/// A slice in a variable. `S` is the type of the slice.
///
/// ```
/// # use lanework::prelude::*;
/// /// The sum of the digits of each word, weighted by the word's number.
/// #[device]
/// fn weighted(text: &[u8]) -> u32 {
///     let (mut rest, mut sum, mut number) = (text, 0, 1);
///     while let [first, tail @ ..] = rest {
///         match *first {
///             digit @ b'0'..=b'9' => sum += number * (digit - b'0') as u32,
///             _ => number += 1,
///         }
///         rest = tail;
///     }
///     sum
/// }
///
/// #[kernel]
/// fn example(text: &[u8], out: &mut [u32]) {
///     out[0] = weighted(text);
/// }
/// # let device = Device::emulator();
/// let text = b"12 3 4";
/// let on = device.upload(text)?;
/// let mut out = device.zeros::<u32>(1)?;
/// example(&on, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [weighted(text)]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct MovedSlice<S> {
    pub(crate) base: Mut<u64>,
    pub(crate) length: Mut<u64>,
    /// The first slice, whose name errors show.
    pub(crate) first: S,
}

impl<S: Copy> Clone for MovedSlice<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Copy> Copy for MovedSlice<S> {}

/// A slice in a field of a value in memory: the places of its address and of its length.
#[derive(Debug)]
pub struct PlacedSlice<P, T> {
    pub(crate) base: P,
    pub(crate) length: P,
    element: PhantomData<fn() -> T>,
}

crate::scalar::var::copied!([P: Copy, T] PlacedSlice<P, T>);

impl<P, T> PlacedSlice<P, T> {
    pub(crate) fn new(base: P, length: P) -> Self {
        PlacedSlice { base, length, element: PhantomData }
    }
}
