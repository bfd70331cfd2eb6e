//! Accesses to shared memory: elements by their indices, and vectors of adjacent elements.

use super::index::IndexValue;
use super::place::Place;
use super::registers::{Get, Locate, Put};
use super::shared::Shared;
use crate::current::here;
use crate::data::{At, Data, Handle, Places, To, operations};
use crate::number::Element;
use crate::value::Index;
use crate::var::{IntoVar, Var};

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

impl<T: Element, const D: usize> Shared<T, D> {
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

    /// [`load_vec`](Self::load_vec) at this very place in the program (`ld.volatile`): ptxas moves an ordinary load from shared
    /// memory down to where its value is used, which undoes a prefetch into registers; volatile ones keep their order.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Sums four columns at a time; the next row is on its way while one is added.
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
