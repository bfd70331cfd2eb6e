//! Accesses to elements of arrays: shared memory by indices (`tile[y][x]`), vectors of adjacent elements, and `a[i]` as the base of a
//! field or of a further index, which loads no other part of the element.

use crate::data::convert::To;
use crate::data::generic::{ByValue, InPlace};
use crate::data::leaves::{Data, Handle, Places, ReadPlaces};
use crate::data::operations;
use crate::data::place::{Place, ReadPlace, stepped};
use crate::data::variable::Receive;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::registers::{Get, Locate, Put, element};
use crate::memory::shared::Shared;
use crate::memory::slice::{Slice, SliceMut};
use crate::scalar::number::{self, Extent, IndexValue};
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_abi::IndexKind;

macro_rules! shared_index {
    ($dimensions:literal, [$($i:ident $axis:tt),*], $index:ty, $of:expr) => {
        impl<T: Data, $($i: IndexValue),*> At<$index> for Shared<T, $dimensions> {
            type Element = T::Of<Places>;
            #[track_caller]
            fn at(&self, index: $index) -> T::Of<Places> {
                here();
                operations::place::<T, Places>(self.place($of(index), 1))
            }
        }

        impl<T: Data, $($i: IndexValue),*> Locate<$index> for Shared<T, $dimensions> {
            type Place = T::Of<Places>;
            #[track_caller]
            fn locate(&self, index: $index) -> T::Of<Places> {
                self.at(index)
            }
        }

        impl<T: Data, $($i: IndexValue),*> Get<$index> for Shared<T, $dimensions> {
            type Output = Handle<T>;
            #[track_caller]
            fn get(&self, index: $index) -> Handle<T> {
                here();
                operations::load(self.place($of(index), 1))
            }
        }

        impl<T: Data, $($i: IndexValue,)* V: To<T>> Put<$index, V> for Shared<T, $dimensions> {
            #[track_caller]
            fn put(&self, index: $index, value: V) {
                here();
                operations::save(self.place($of(index), 1), value.to());
            }
        }

        impl<T: Data, $($i: IndexValue),*> Coordinates<T, $dimensions> for ($($i,)*) {
            fn coordinates(self) -> [Index; $dimensions] {
                [$(self.$axis.parts()),*]
            }
        }
    };
}

/// Indices of every axis, as a tuple.
pub trait Coordinates<T, const D: usize> {
    #[doc(hidden)]
    fn coordinates(self) -> [Index; D];
}

shared_index!(1, [I 0], I, |i: I| [i.parts()]);

shared_index!(2, [I 0, J 1], (I, J), |(i, j): (I, J)| [i.parts(), j.parts()]);

shared_index!(3, [I 0, J 1, K 2], (I, J, K), |(i, j, k): (I, J, K)| {
    [i.parts(), j.parts(), k.parts()]
});

impl<T: number::Element, const D: usize> Shared<T, D> {
    /// `N` adjacent elements of the last axis in one access.
    #[track_caller]
    fn vector<const N: usize>(&self, at: impl Coordinates<T, D>) -> Place<T> {
        here();
        self.place(at.coordinates(), N as u32)
    }

    /// Two adjacent elements of the last axis in one access, which must be aligned to its
    /// size.
    #[track_caller]
    pub fn load2(&self, at: impl Coordinates<T, D>) -> [Var<T>; 2] {
        self.vector::<2>(at).load_vector("")
    }

    /// Four adjacent elements of the last axis in one access, which must be aligned to its
    /// size.
    #[track_caller]
    pub fn load4(&self, at: impl Coordinates<T, D>) -> [Var<T>; 4] {
        self.vector::<4>(at).load_vector("")
    }

    /// `N` adjacent elements of the last axis in one access, for an `N` of 2 or 4, aligned to
    /// its size.
    #[track_caller]
    pub fn load_vec<const N: usize>(&self, at: impl Coordinates<T, D>) -> [Var<T>; N] {
        self.vector::<N>(at).load_vector("")
    }

    /// [`load_vec`](Self::load_vec) that stays in program order (`ld.volatile`). ptxas moves an ordinary shared-memory load
    /// down to the first use of its value, which undoes a prefetch into registers; it does not reorder volatile loads.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Sums four columns at a time; loads the next row while it adds the current one.
    /// #[kernel(block = 8)]
    /// fn example(out: &mut [f32]) {
    ///     let (t, tile) = (thread_idx.x, shared::<f32>([8, 32]));
    ///     #[unroll]
    ///     for row in 0..8u32 {
    ///         tile.store4((row, 4 * t), [1.0f32; 4]);
    ///     }
    ///     let mut rows = [[0.0f32; 4]; 2];
    ///     let mut sums = [0.0f32; 4];
    ///     rows[0] = tile.load_vec_volatile::<4>((0, 4 * t));
    ///     #[unroll]
    ///     for row in 0..8u32 {
    ///         if row + 1 < 8 {
    ///             rows[(row + 1) % 2] = tile.load_vec_volatile::<4>((row + 1, 4 * t));
    ///         }
    ///         #[unroll]
    ///         for i in 0..4 {
    ///             sums[i] += rows[row % 2][i];
    ///         }
    ///     }
    ///     out.store4(4 * t, sums);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<f32>(32)?;
    /// # example(&mut out).grid(1).block(8).launch(&device)?;
    /// assert_eq!(out.download()?, [8.0; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn load_vec_volatile<const N: usize>(&self, at: impl Coordinates<T, D>) -> [Var<T>; N] {
        self.vector::<N>(at).load_vector_of("volatile.", "")
    }

    /// Writes `N` adjacent elements of the last axis in one access, for an `N` of 2 or 4,
    /// aligned to its size.
    #[track_caller]
    pub fn store_vec<V: IntoVar<T>, const N: usize>(
        &self,
        at: impl Coordinates<T, D>,
        values: [V; N],
    ) {
        self.vector::<N>(at).store_vector("", values.map(V::into_var));
    }

    /// Writes two adjacent elements of the last axis in one access, aligned to its size.
    #[track_caller]
    pub fn store2<V: IntoVar<T>>(&self, at: impl Coordinates<T, D>, values: [V; 2]) {
        self.vector::<2>(at).store_vector("", values.map(V::into_var));
    }

    /// Writes four adjacent elements of the last axis in one access, aligned to its size.
    #[track_caller]
    pub fn store4<V: IntoVar<T>>(&self, at: impl Coordinates<T, D>, values: [V; 4]) {
        self.vector::<4>(at).store_vector("", values.map(V::into_var));
    }
}

/// A part of a shared array, selected by its first indices. `LEFT` indices are missing.
#[derive(Debug)]
pub struct SharedRow<T, const LEFT: usize> {
    start: Place<T>,
    array: String,
    dims: [u32; LEFT],
    /// The number of the first missing axis.
    axis: u8,
}

/// The index 0.
fn zero() -> Index {
    Index { value: Value::Constant(0), ty: u32::SCALAR }
}

impl<T: Data, I: IndexValue> At<I> for Shared<T, 2> {
    type Element = SharedRow<T, 1>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 1> {
        here();
        let start = self.place([index.parts(), zero()], 1);
        SharedRow { start, array: self.name(), dims: [self.shape()[1]], axis: 1 }
    }
}

impl<T: Data, I: IndexValue> At<I> for Shared<T, 3> {
    type Element = SharedRow<T, 2>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 2> {
        here();
        let start = self.place([index.parts(), zero(), zero()], 1);
        let [_, rows, columns] = self.shape();
        SharedRow { start, array: self.name(), dims: [rows, columns], axis: 1 }
    }
}

impl<T: Data, const LEFT: usize> SharedRow<T, LEFT> {
    /// The place of the part at `index` of the first missing axis.
    fn step(&self, index: Index) -> Place<T> {
        let [extent, inner @ ..] = self.dims.as_slice() else { return self.start };
        let elements: i64 = inner.iter().map(|extent| i64::from(*extent)).product();
        with(|b| {
            let extent = Value::Constant((*extent).into());
            b.check(index, extent, &self.array, IndexKind::SharedAxis(self.axis));
            stepped(b, self.start, index, elements * T::size() as i64)
        })
    }
}

impl<T: Data, I: IndexValue> At<I> for SharedRow<T, 2> {
    type Element = SharedRow<T, 1>;
    #[track_caller]
    fn at(&self, index: I) -> SharedRow<T, 1> {
        here();
        let start = self.step(index.parts());
        SharedRow { start, array: self.array.clone(), dims: [self.dims[1]], axis: self.axis + 1 }
    }
}

impl<T: Data, I: IndexValue> At<I> for SharedRow<T, 1> {
    type Element = T::Of<Places>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<Places> {
        here();
        operations::place::<T, Places>(self.step(index.parts()))
    }
}

impl<T: Data, I: IndexValue> Locate<I> for SharedRow<T, 1> {
    type Place = T::Of<Places>;
    #[track_caller]
    fn locate(&self, index: I) -> T::Of<Places> {
        self.at(index)
    }
}

impl<T: Data, I: IndexValue> Get<I> for SharedRow<T, 1> {
    type Output = Handle<T>;
    #[track_caller]
    fn get(&self, index: I) -> Handle<T> {
        here();
        operations::load(self.step(index.parts()))
    }
}

impl<T: Data, I: IndexValue, V: To<T>> Put<I, V> for SharedRow<T, 1> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        here();
        operations::save(self.step(index.parts()), value.to());
    }
}

/// `a[i]` as the base of a field or of a further index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be indexed by `{I}` row by row",
    label = "takes all its indices at once",
    note = "write `tile[[y, x]]` for `tile[y][x]`; arrays of registers are arrays of arrays, with \
            indices known while staging"
)]
pub trait At<I> {
    /// The element's place, or the element of an array of registers.
    type Element;
    /// The element at `index`.
    fn at(&self, index: I) -> Self::Element;
}

/// `a[i]` as the base of a field or of a further index.
#[track_caller]
pub fn at<A: At<I>, I>(array: &A, index: I) -> A::Element {
    array.at(index)
}

impl<X: Copy, I: Extent, const N: usize> At<I> for [X; N] {
    type Element = X;
    #[track_caller]
    fn at(&self, index: I) -> X {
        element(self, index)
    }
}

impl<T: Data, I: IndexValue> At<I> for Slice<T> {
    type Element = T::Of<ReadPlaces>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<ReadPlaces> {
        here();
        operations::place::<T, ReadPlaces>(self.memory.place::<T>(index.parts(), 1))
    }
}

impl<T: Data, I: IndexValue> At<I> for SliceMut<T> {
    type Element = T::Of<Places>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<Places> {
        here();
        operations::place::<T, Places>(self.memory.place::<T>(index.parts(), 1))
    }
}

macro_rules! arrays {
    ($($place:ident $kind:ident, $raw:expr;)*) => {$(
        impl<T: Data, const N: usize> $place<[T; N]> {
            /// The place of element `index`, checked against the array's length.
            #[track_caller]
            fn element(self, index: impl IndexValue) -> Place<T> {
                here();
                let index = index.parts();
                with(|b| {
                    b.check(index, Value::Constant(N as u64), "array", IndexKind::SharedAxis(0));
                    stepped(b, $raw(self), index, T::size() as i64)
                })
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> At<I> for $place<[T; N]> {
            type Element = T::Of<$kind>;
            #[track_caller]
            fn at(&self, index: I) -> T::Of<$kind> {
                operations::place::<T, $kind>(self.element(index))
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> Get<I> for $place<[T; N]> {
            type Output = Handle<T>;
            #[track_caller]
            fn get(&self, index: I) -> Handle<T> {
                operations::load(self.element(index))
            }
        }

        impl<T: Data, I: IndexValue, const N: usize> Locate<I> for $place<[T; N]> {
            type Place = T::Of<$kind>;
            #[track_caller]
            fn locate(&self, index: I) -> T::Of<$kind> {
                operations::place::<T, $kind>(self.element(index))
            }
        }
    )*};
}

arrays! {
    Place Places, |place| place;
    ReadPlace ReadPlaces, |place: ReadPlace<_>| place.place;
}

impl<T: Data, I: IndexValue, V: To<T>, const N: usize> Put<I, V> for Place<[T; N]> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        operations::save(self.element(index), value.to());
    }
}

/// `a[i]` as the receiver of a method: `(&&Element(&a, i)).receiver()`.
///
/// Two traits share the method's name, and method lookup takes the first that fits: the element's place if it has one, so that a
/// method may change it, else its value.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a, A: ?Sized, I>(pub &'a A, pub I);

/// An element with a place.
pub trait ReceivePlace {
    /// The type that has the methods.
    type Receiver;
    /// The receiver with its place, for adapters of traits.
    type Adaptable;
    /// The receiver.
    fn receiver(self) -> Self::Receiver;
    /// The receiver with its place.
    fn adaptable(self) -> Self::Adaptable;
}

impl<A: At<I> + ?Sized, I: Copy> ReceivePlace for &&Element<'_, A, I>
where
    A::Element: Receive,
{
    type Receiver = <A::Element as Receive>::Receiver;
    type Adaptable = InPlace<Self::Receiver, A::Element>;
    #[track_caller]
    fn receiver(self) -> Self::Receiver {
        self.0.at(self.1).receive()
    }
    #[track_caller]
    fn adaptable(self) -> Self::Adaptable {
        let place = self.0.at(self.1);
        InPlace(place.receive(), place)
    }
}

/// An element that is a value.
pub trait ReceiveValue {
    /// The type that has the methods.
    type Receiver;
    /// The receiver without a place, for adapters of traits.
    type Adaptable;
    /// The receiver.
    fn receiver(self) -> Self::Receiver;
    /// The receiver without a place.
    fn adaptable(self) -> Self::Adaptable;
}

impl<A: Get<I> + ?Sized, I: Copy> ReceiveValue for &Element<'_, A, I> {
    type Receiver = A::Output;
    type Adaptable = ByValue<A::Output>;
    #[track_caller]
    fn receiver(self) -> A::Output {
        self.0.get(self.1)
    }
    #[track_caller]
    fn adaptable(self) -> ByValue<A::Output> {
        ByValue(self.0.get(self.1))
    }
}
