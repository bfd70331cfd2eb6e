//! Slices: device memory passed to a kernel.

use crate::data::convert::To;
use crate::data::handles::Memory;
use crate::data::leaves::{Data, Handle, Places, ReadPlaces};
use crate::data::operations;
use crate::data::place::{Place, global_place};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::registers::{Get, Locate, Put};
use crate::scalar::number::{Element, IndexValue};
use crate::scalar::var::{IntoVar, Var};
use lanework_abi::IndexKind;
use lanework_ptx::ScalarType;

pub use crate::data::handles::{Slice, SliceMut};

impl Memory {
    /// The checked place of `count` elements from `index` on.
    pub fn place<T: Data>(self, index: Index, count: u64) -> Place<T> {
        with(|b| {
            let last = if count > 1 { index.plus(b, count - 1) } else { index };
            b.check(last, self.length, self.name, IndexKind::Slice);
            let place = global_place::<T>(b, self.base, index, T::size() as i64);
            Place::new(self.space, place.base, place.offset)
        })
    }
}

/// The checked place of `count` elements of a slice from `start` on.
pub(crate) fn place_in_slice<T: Element>(
    b: &mut Builder,
    memory: Memory,
    start: Index,
    count: Value,
) -> Place<T> {
    use crate::emit::arithmetic::Operation;
    use crate::emit::arithmetic::binary;
    let long = ScalarType::U64;
    let wide = start.widened(b);
    let count = Index { value: count, ty: ScalarType::U32 }.widened(b);
    let end = binary(b, Operation::Add, long, wide, count);
    let last = binary(b, Operation::Sub, long, end, Value::Constant(1));
    b.check(Index { value: last, ty: long }, memory.length, memory.name, IndexKind::Slice);
    b.check(start, memory.length, memory.name, IndexKind::Slice);
    let place = global_place::<T>(b, memory.base, start, T::size() as i64);
    Place::new(memory.space, place.base, place.offset)
}

macro_rules! slices {
    ($($slice:ident $kind:ident)*) => {$(
        impl<T> $slice<T> {
            /// The number of elements.
            pub fn len(&self) -> Var<usize> {
                Var::new(self.memory.length)
            }

            /// Whether it has no elements.
            #[track_caller]
            pub fn is_empty(&self) -> Var<bool> {
                crate::scalar::compare::Equate::eq(self.len(), 0usize)
            }
        }

        impl<T: Element> $slice<T> {
            /// Elements `i` and `i + 1` in one access; `i` must be even.
            #[track_caller]
            pub fn load2(&self, i: impl IndexValue) -> [Var<T>; 2] {
                here();
                self.memory.place::<T>(i.parts(), 2).load_vector("")
            }

            /// Elements `i` to `i + 3` in one access; `i` must be a multiple of 4.
            #[track_caller]
            pub fn load4(&self, i: impl IndexValue) -> [Var<T>; 4] {
                here();
                self.memory.place::<T>(i.parts(), 4).load_vector("")
            }

            /// Elements `i` to `i + N - 1` in one access, for an `N` of 2 or 4; `i` must be a multiple
            /// of `N`.
            #[track_caller]
            pub fn load_vec<const N: usize>(&self, i: impl IndexValue) -> [Var<T>; N] {
                here();
                self.memory.place::<T>(i.parts(), N as u64).load_vector("")
            }

            /// [`load_vec`](Self::load_vec) through the read-only cache (`ld.global.nc`): no thread
            /// may write the elements while the kernel runs.
            #[track_caller]
            pub fn load_vec_nc<const N: usize>(&self, i: impl IndexValue) -> [Var<T>; N] {
                here();
                self.memory.place::<T>(i.parts(), N as u64).load_vector(".nc")
            }

            /// [`load2`](Self::load2) through the read-only cache (`ld.global.nc`): no thread may
            /// write the elements while the kernel runs.
            #[track_caller]
            pub fn load2_nc(&self, i: impl IndexValue) -> [Var<T>; 2] {
                here();
                self.memory.place::<T>(i.parts(), 2).load_vector(".nc")
            }

            /// [`load4`](Self::load4) through the read-only cache (`ld.global.nc`): no thread may
            /// write the elements while the kernel runs.
            #[track_caller]
            pub fn load4_nc(&self, i: impl IndexValue) -> [Var<T>; 4] {
                here();
                self.memory.place::<T>(i.parts(), 4).load_vector(".nc")
            }
        }

        impl<T: Data, I: IndexValue> Locate<I> for $slice<T> {
            type Place = T::Of<$kind>;
            #[track_caller]
            fn locate(&self, index: I) -> T::Of<$kind> {
                here();
                operations::place::<T, $kind>(self.memory.place::<T>(index.parts(), 1))
            }
        }

        impl<T: Data, I: IndexValue> Get<I> for $slice<T> {
            type Output = Handle<T>;
            #[track_caller]
            fn get(&self, index: I) -> Handle<T> {
                here();
                operations::load(self.memory.place::<T>(index.parts(), 1))
            }
        }
    )*};
}

slices!(Slice ReadPlaces SliceMut Places);

impl<T: Element> SliceMut<T> {
    /// Writes elements `i` and `i + 1` in one access; `i` must be even.
    #[track_caller]
    pub fn store2<V: IntoVar<T>>(&self, i: impl IndexValue, values: [V; 2]) {
        here();
        self.memory.place::<T>(i.parts(), 2).store_vector("", values.map(V::into_var));
    }

    /// Writes elements `i` to `i + N - 1` in one access, for an `N` of 2 or 4; `i` must be a
    /// multiple of `N`.
    #[track_caller]
    pub fn store_vec<V: IntoVar<T>, const N: usize>(&self, i: impl IndexValue, values: [V; N]) {
        here();
        self.memory.place::<T>(i.parts(), N as u64).store_vector("", values.map(V::into_var));
    }

    /// Writes elements `i` to `i + 3` in one access; `i` must be a multiple of 4.
    #[track_caller]
    pub fn store4<V: IntoVar<T>>(&self, i: impl IndexValue, values: [V; 4]) {
        here();
        self.memory.place::<T>(i.parts(), 4).store_vector("", values.map(V::into_var));
    }
}

impl<T: Data, I: IndexValue, V: To<T>> Put<I, V> for SliceMut<T> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        here();
        operations::save(self.memory.place::<T>(index.parts(), 1), value.to());
    }
}

/// Types that may be passed to a `#[device]` function as `&[T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `&[{T}]` in a kernel",
    label = "not a slice of global memory",
    note = "`&[T]` is a parameter of the kernel or a part of one; a function takes shared memory as `SharedSlice<T>` \
            (`&tile[..]`) or `Shared<T>`, and an array of one thread as `[T; N]`"
)]
pub trait IntoSlice<T> {
    /// The slice.
    fn into_slice(self) -> Slice<T>;
}

impl<T> IntoSlice<T> for Slice<T> {
    fn into_slice(self) -> Slice<T> {
        self
    }
}

impl<T> IntoSlice<T> for SliceMut<T> {
    fn into_slice(self) -> Slice<T> {
        self.into()
    }
}

/// A value that a function takes as `&mut [T]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `&mut [{T}]` in a kernel",
    label = "neither a slice that may be written nor an array of the thread",
    note = "a parameter is written to when it is `&mut [T]`; a function takes shared memory as `SharedSlice<T>` \
            (`&mut tile[..]`) or `Shared<T>`"
)]
pub trait IntoSliceMut<T> {
    /// The slice.
    fn into_slice_mut(self) -> SliceMut<T>;
}

impl<T> IntoSliceMut<T> for SliceMut<T> {
    fn into_slice_mut(self) -> SliceMut<T> {
        self
    }
}

impl<T> From<SliceMut<T>> for Slice<T> {
    fn from(slice: SliceMut<T>) -> Slice<T> {
        Slice::new(slice.memory)
    }
}
