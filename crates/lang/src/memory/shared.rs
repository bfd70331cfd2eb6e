//! Shared memory: arrays of up to three dimensions that the threads of a block share.

use super::index::{Extent, IndexValue};
use super::place::{Base, Place, Space};
use super::registers::{Get, Locate, Put};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::data::operations::stored_type;
use crate::data::{At, Data, Handle, Places, To, leaves, operations};
use crate::definition::IndexKind;
use crate::number::Element;
use crate::value::Index;
use crate::value::{Value, integer};
use crate::var::{IntoVar, Read, Var};
use lanework_ptx::{Linkage, ScalarType, StateSpace, Variable};
use std::marker::PhantomData;

/// An array in shared memory with `D` dimensions, outermost first.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn column_sum(tile: Shared<f32, 2>, column: u32) -> f32 {
///     let mut sum = 0.0;
///     #[unroll]
///     for row in 0..tile.shape()[0] {
///         sum += tile[[row, column]];
///     }
///     sum
/// }
///
/// #[kernel(block = 4)]
/// fn example(x: &[f32], out: &mut [f32]) {
///     let (t, tile) = (thread_idx.x, shared::<f32>([4, 4]));
///     // Four elements of a row in one access, then two and two.
///     tile.store4((t, 0), x.load4(4 * t));
///     sync_threads();
///     out[t] = column_sum(tile, t);
///     let [a, b] = tile.load2((t, 0));
///     tile.store2((t, 2), [a, b]);
///     let [c, d] = tile.load_vec::<2>((t, 2));
///     tile.store_vec((t, 0), [d, c]);
///     let [e, ..] = tile.load4((t, 0));
///     out[4 + t] = e + tile.len() as f32;
/// }
/// # let device = Device::emulator();
/// # let x: Vec<f32> = (0..16).map(|v| v as f32).collect();
/// # let x = device.upload(&x)?;
/// # let mut out = device.zeros::<f32>(8)?;
/// # example(&x, &mut out).grid(1).block(4).launch(&device)?;
/// assert_eq!(out.download()?, [24.0, 28.0, 32.0, 36.0, 17.0, 21.0, 25.0, 29.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Shared<T, const D: usize = 1> {
    pub(crate) symbol: usize,
    /// Byte offset from the symbol, for arrays in dynamic shared memory.
    pub(crate) start: i64,
    pub(crate) dims: [u32; D],
    element: PhantomData<fn() -> T>,
}

impl<T, const D: usize> Clone for Shared<T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const D: usize> Copy for Shared<T, D> {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape with {D} dimensions known while the kernel is staged",
    label = "not a shape known while staging",
    note = "shapes are made of literals, const generics and `#[constant]` parameters: \
            `256`, `[T, T + 1]`"
)]
/// A shape: one extent, or an array of one to three, outermost first.
pub trait IntoShape<const D: usize> {
    /// The extents; `None` when one is negative or too large.
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

/// An array in shared memory whose size is known while the kernel is staged.
///
/// `shared::<f32>(256)` has one dimension, `shared::<f32>([T, T + 1])` two. It is aligned to 16
/// bytes and uninitialised.
#[track_caller]
pub fn shared<T: Data, const D: usize>(shape: impl IntoShape<D>) -> Shared<T, D> {
    here();
    with(|b| {
        let dims = checked_shape(b, shape);
        let hint = b.take_hint("shared_array");
        let name = b.unique(&crate::identifier::identifier(hint));
        // A struct is its bytes.
        let leaves = leaves::<T>();
        let bytes = match leaves.as_slice() {
            [leaf] => (stored_type(leaf.ty), None),
            _ => (ScalarType::B8, Some(Some(size_of::<T>() as u64))),
        };
        let extents = dims.iter().map(|extent| Some(u64::from(*extent)));
        b.variables.push(Variable {
            align: Some(align_of::<T>().max(16) as u32),
            dims: extents.chain(bytes.1).collect(),
            ..Variable::new(StateSpace::Shared, bytes.0, &name)
        });
        b.symbols.push(name);
        Shared { symbol: b.symbols.len() - 1, start: 0, dims, element: PhantomData }
    })
}

/// The name of the dynamic shared memory array.
const DYNAMIC: &str = "dynamic_shared";

/// An array in dynamic shared memory, whose size the launch sets.
///
/// Several in one kernel are placed consecutively, each aligned to 16 bytes; the launch must
/// request the bytes of all of them.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32], #[constant] threads: u32) {
///     let tile = shared_dynamic::<u32>(threads);
///     tile[thread_idx.x] = thread_idx.x;
///     sync_threads();
///     out[thread_idx.x] = tile[threads - 1 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(4)?;
/// // The launch asks for the bytes.
/// example(&mut out, 4).grid(1).block(4).shared_bytes(16).launch(&device)?;
/// assert_eq!(out.download()?, [3, 2, 1, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn shared_dynamic<T: Data, const D: usize>(shape: impl IntoShape<D>) -> Shared<T, D> {
    here();
    with(|b| {
        let dims = checked_shape(b, shape);
        let elements: u64 = dims.iter().map(|extent| u64::from(*extent)).product();
        let (symbol, start) = dynamic_bytes(b, elements * size_of::<T>() as u64, 16);
        Shared { symbol, start: start as i64, dims, element: PhantomData }
    })
}

/// Reserves bytes of dynamic shared memory, aligned to `align`: the array's symbol and the offset.
pub(crate) fn dynamic_bytes(b: &mut Builder, bytes: u64, align: u32) -> (usize, u64) {
    let start = b.dynamic_shared.next_multiple_of(align.into());
    b.dynamic_shared = start + bytes.next_multiple_of(16);
    let symbol = b.symbols.iter().position(|s| s == DYNAMIC).unwrap_or_else(|| {
        b.globals.push(Variable {
            linkage: Linkage::Extern,
            align: Some(16),
            dims: vec![None],
            ..Variable::new(StateSpace::Shared, ScalarType::B8, DYNAMIC)
        });
        b.symbols.push(DYNAMIC.to_owned());
        b.symbols.len() - 1
    });
    if let Some(array) = b.globals.iter_mut().find(|global| global.name == DYNAMIC) {
        array.align = array.align.max(Some(align));
    }
    (symbol, start)
}

pub(super) fn checked_shape<const D: usize>(b: &mut Builder, shape: impl IntoShape<D>) -> [u32; D] {
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

impl<T: Data, const D: usize> Shared<T, D> {
    /// The extents, outermost first.
    pub fn shape(&self) -> [u32; D] {
        self.dims
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The elements from `first` on as an array of another shape: parts of one array whose bytes serve one purpose after the other,
    /// with a barrier between them.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Writes rows and reads columns, by way of memory that held something else before.
    /// #[kernel(block = 16)]
    /// fn example(out: &mut [u32]) {
    ///     let (t, memory) = (thread_idx.x, shared_dynamic::<u32>(32));
    ///     memory[t + 16] = t;
    ///     sync_threads();
    ///     let mine = memory[31 - t];
    ///     sync_threads();
    ///     let tile = memory.region(8, [4, 4]);
    ///     tile[[t / 4, t % 4]] = mine;
    ///     sync_threads();
    ///     out[t] = tile[[t % 4, t / 4]];
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(16)?;
    /// example(&mut out).grid(1).block(16).shared_bytes(128).launch(&device)?;
    /// assert_eq!(out.download()?[..5], [15, 11, 7, 3, 14]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn region<const E: usize>(
        self,
        first: impl Extent,
        shape: impl IntoShape<E>,
    ) -> Shared<T, E> {
        here();
        with(|b| {
            let dims = checked_shape(b, shape);
            let elements: u64 = dims.iter().map(|extent| u64::from(*extent)).product();
            let first = first.extent().map(|first| first as u64);
            let Some(first) = first.filter(|first| first + elements <= u64::from(self.len()))
            else {
                b.error(
                    format!(
                        "a region of {elements} elements does not lie within an array of {}",
                        self.len()
                    ),
                    "give a first element and a shape whose elements the array has",
                );
                return Shared {
                    symbol: self.symbol,
                    start: self.start,
                    dims,
                    element: PhantomData,
                };
            };
            let start = self.start + (first * size_of::<T>() as u64) as i64;
            Shared { symbol: self.symbol, start, dims, element: PhantomData }
        })
    }

    /// The array's name.
    pub(super) fn name(&self) -> String {
        with(|b| b.symbols[self.symbol].clone())
    }

    /// The place of an element, after a check that `count` elements of the last axis are in range.
    pub(crate) fn place(&self, index: [Index; D], count: u32) -> Place<T> {
        with(|b| {
            let name = b.symbols[self.symbol].clone();
            for (axis, (index, extent)) in index.into_iter().zip(self.dims).enumerate() {
                let index = match axis + 1 == D && count > 1 {
                    true => index.plus(b, u64::from(count) - 1),
                    false => index,
                };
                let extent = Value::Constant(extent.into());
                b.check(index, extent, &name, IndexKind::SharedAxis(axis as u8));
            }
            let first = Place::new(Space::Shared, Base::Symbol(self.symbol), self.start);
            element_place(b, first, &self.dims, &index)
        })
    }
}

/// The place of an element of an array of shape `dims`, unchecked.
///
/// Shared addresses are 32-bit and wrap as index arithmetic does, so the constant summand of every index moves into the
/// instruction's immediate offset.
pub(crate) fn element_place<T: Data>(
    b: &mut Builder,
    array: Place<T>,
    dims: &[u32],
    index: &[Index],
) -> Place<T> {
    let mut offset = array.offset;
    let mut address = match array.base {
        Base::Register(value) => Some(value),
        Base::Symbol(_) => None,
    };
    let mut stride = size_of::<T>() as i64;
    let strides: Vec<i64> = dims
        .iter()
        .rev()
        .map(|extent| {
            let this = stride;
            stride *= i64::from(*extent);
            this
        })
        .collect();
    let ty = ScalarType::U32;
    for (index, stride) in index.iter().zip(strides.into_iter().rev()) {
        let (value, constant) = match index.value {
            Value::Constant(bits) => (None, integer(bits, index.ty) as i64),
            value => {
                let (value, constant) = b.split_sum(value);
                (Some(value), constant)
            }
        };
        offset += constant * stride;
        if let Some(value) = value {
            let word = match index.ty.size() {
                8 => b.pure("cvt.u32.u64", ty, &[(value, ScalarType::U64)]),
                _ => value,
            };
            let base = match (address, array.base) {
                (Some(address), _) => address,
                (None, Base::Symbol(symbol)) => b.symbol_address(symbol),
                (None, Base::Register(value)) => value,
            };
            let scale = Value::Constant(stride as u64);
            let inputs = [(word, ty), (scale, ty), (base, ty)];
            address = Some(b.pure("mad.lo.u32", ty, &inputs));
        }
    }
    Place::new(array.space, address.map_or(array.base, Base::Register), offset)
}

impl<T: Data, const D: usize> Read for Shared<T, D> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

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
