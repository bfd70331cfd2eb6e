//! Parts of shared memory: a sub-array at a run-time index, the array of another block of the cluster, a swizzled view.
//!
//! Also the traits that make the handles of this folder plain values, which kernels can name, copy and bind with `let mut`.

use crate::data::place::{Base, Place, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared::{Shared, element_place};
use crate::scalar::number::{Element, IndexValue, Number};
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_abi::IndexKind;
use lanework_ptx::{ScalarType, Swizzle};
use std::marker::PhantomData;

/// Makes a type a handle: copied by name, bound with `let` or `let mut`.
macro_rules! handle {
    ($name:ident $(<$($generic:ident $(: $bound:ident)?),*>)? $([$($constant:ident: $of:ty),*])?) => {
        $crate::scalar::var::by_name!(
            [$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?] $name<$($($generic,)*)? $($($constant),*)?>);

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> $crate::data::variable::IntoVariable
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            type Variable = Self;
            fn into_variable(self) -> Self {
                self
            }
        }

        impl<$($($generic $(: $bound)?,)*)? $($(const $constant: $of),*)?> $crate::data::convert::Functions
            for $name<$($($generic,)*)? $($($constant),*)?>
        {
            type Of = Self;
        }
    };
}

pub(crate) use handle;

/// A contiguous part of an array in shared memory, of `D` dimensions, outermost first. It is indexed like the array.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::Part;
///
/// /// A part has its own shape.
/// #[device]
/// fn sum(part: Part<u32, 1>) -> u32 {
///     let mut sum = 0;
///     #[unroll]
///     for i in 0..part.shape()[0] {
///         sum += part[i];
///     }
///     sum * part.len()
/// }
///
/// #[kernel(block = 4)]
/// fn example(out: &mut [u32]) {
///     let rows = shared::<u32>([2, 4]);
///     rows[[0, thread_idx.x]] = 1;
///     rows[[1, thread_idx.x]] = 2;
///     sync_threads();
///     out[thread_idx.x] = sum(rows.slab(thread_idx.x % 2));
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(4)?;
/// # example(&mut out).grid(1).block(4).launch(&device)?;
/// assert_eq!(out.download()?, [16, 32, 16, 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Part<T, const D: usize> {
    pub(crate) first: Place<T>,
    pub(crate) dims: [u32; D],
    /// The array that contains the part.
    pub(crate) symbol: usize,
    pub(crate) swizzle: Swizzle,
    element: PhantomData<fn() -> T>,
}

handle!(Part<T>[D: usize]);

/// An array in shared memory, or a part of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of `{T}` in shared memory",
    label = "expected an array in shared memory",
    note = "pass `&tile` for the whole array, `tiles.slab(i)` for a part of it"
)]
pub trait IntoPart<T, const D: usize>: Copy {
    /// The part.
    fn into_part(self) -> Part<T, D>;
}

impl<T, const D: usize> IntoPart<T, D> for Part<T, D> {
    fn into_part(self) -> Part<T, D> {
        self
    }
}

impl<T, const D: usize> IntoPart<T, D> for Shared<T, D> {
    fn into_part(self) -> Part<T, D> {
        Part {
            first: Place::new(Space::Shared, Base::Symbol(self.symbol), self.start),
            dims: self.dims,
            symbol: self.symbol,
            swizzle: Swizzle::None,
            element: PhantomData,
        }
    }
}

impl Builder {
    /// Aligns an array in shared memory to `bytes`.
    pub fn align_symbol(&mut self, symbol: usize, bytes: u32) {
        let name = self.symbols[symbol].clone();
        let variables = self.variables.iter_mut().chain(&mut self.globals);
        for variable in variables.filter(|variable| variable.name == name) {
            variable.align = Some(variable.align.unwrap_or(1).max(bytes));
        }
    }
}

impl<T, const D: usize> Part<T, D> {
    /// The part of an array that starts at a place.
    pub(crate) fn at(first: Place<T>, dims: [u32; D], symbol: usize) -> Part<T, D> {
        Part { first, dims, symbol, swizzle: Swizzle::None, element: PhantomData }
    }

    /// The part, read with the swizzle that it was stored with.
    pub(crate) fn laid_out(self, swizzle: Swizzle) -> Part<T, D> {
        Part { swizzle, ..self }
    }
}

impl<T: Scalar, const D: usize> Part<T, D> {
    /// The extents, outermost first.
    pub fn shape(&self) -> [u32; D] {
        self.dims
    }

    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u32 {
        self.len() * T::SCALAR.size()
    }

    /// Aligns the part to `bytes`, which tile copies require.
    pub(crate) fn align(&self, b: &mut Builder, bytes: u32) {
        b.align_symbol(self.symbol, bytes);
        let known = matches!(self.first.base, Base::Symbol(_));
        if !known && !self.bytes().is_multiple_of(bytes) {
            let (name, have) = (b.symbols[self.symbol].clone(), self.bytes());
            b.error(
                format!("a part of `{name}` has {have} bytes, so not every part starts at a multiple of {bytes}"),
                format!("make the part's extents a multiple of {bytes} bytes"),
            );
        }
        if known && self.first.offset % i64::from(bytes) != 0 {
            let (name, at) = (b.symbols[self.symbol].clone(), self.first.offset);
            b.error(
                format!("this part of `{name}` starts at byte {at}, not at a multiple of {bytes}"),
                format!("put a multiple of {bytes} bytes before it, or give it a separate array"),
            );
        }
    }

    /// The place of an element, after a check of every index.
    fn place(&self, index: &[Index]) -> Place<T> {
        self.vector(index, 1)
    }

    /// The place of `count` elements of the last axis, after a check of every index.
    pub(crate) fn vector(&self, index: &[Index], count: u32) -> Place<T> {
        with(|b| {
            let name = b.symbols[self.symbol].clone();
            for (axis, (index, extent)) in index.iter().zip(self.dims).enumerate() {
                let extent = Value::Constant(extent.into());
                let index = match axis + 1 == D && count > 1 {
                    true => index.plus(b, u64::from(count) - 1),
                    false => *index,
                };
                b.check(index, extent, &name, IndexKind::SharedAxis(axis as u8));
            }
            let place = element_place(b, self.first, &self.dims, index);
            swizzled(b, place, self.swizzle)
        })
    }

    /// The part as a tensor copy with this swizzle permutes its 16-byte chunks:
    /// `tile.swizzled(Swizzle::B128)[[y, x]]` is the element that the plain layout has at `[y, x]`.
    #[track_caller]
    pub fn swizzled(self, swizzle: Swizzle) -> Part<T, D> {
        here();
        if swizzle != Swizzle::None {
            let row = u64::from(self.dims[D - 1] * T::SCALAR.size());
            with(|b| {
                if row != swizzle.width() {
                    let name = b.symbols[self.symbol].clone();
                    b.error(
                        format!("a row of `{name}` has {row} bytes, the swizzle {swizzle:?} permutes rows of {}", swizzle.width()),
                        format!("give the array a last extent of {}", swizzle.width() / u64::from(T::SCALAR.size())),
                    );
                }
                self.align(b, swizzle.period() as u32);
            });
        }
        Part { swizzle, ..self }
    }
}

/// The swizzled position of the element that is at `place` in the plain layout.
fn swizzled<T>(b: &mut Builder, place: Place<T>, swizzle: Swizzle) -> Place<T> {
    if swizzle == Swizzle::None {
        return place;
    }
    if let Base::Symbol(_) = place.base {
        // The array is aligned to the swizzle's period.
        let offset = swizzle.apply(place.offset as u64) as i64;
        return Place::new(place.space, place.base, offset);
    }
    // `Swizzle::apply`, as instructions.
    let word = ScalarType::U32;
    let address = place.address(b);
    let (shift, mask) = swizzle.pattern();
    let row = binary(b, Operation::Shr, word, address, Value::Constant(shift.into()));
    let bits = binary(b, Operation::And, word, row, Value::Constant(mask));
    let address = binary(b, Operation::Xor, word, address, bits);
    Place::new(place.space, Base::Register(address), 0)
}

impl<T: Scalar, const D: usize> Shared<T, D> {
    /// The number of bytes.
    pub fn bytes(&self) -> u32 {
        self.len() * T::SCALAR.size()
    }

    /// The array as a tensor copy with this swizzle fills it; see [`Part::swizzled`].
    #[track_caller]
    pub fn swizzled(self, swizzle: Swizzle) -> Part<T, D> {
        self.into_part().swizzled(swizzle)
    }
}

macro_rules! slabs {
    ($($whole:literal $part:literal)*) => {$(
        impl<T: Scalar> Part<T, $whole> {
            /// The part at an index of the outermost axis: of `[stages, rows, columns]`, the rows and columns of a stage.
            #[track_caller]
            pub fn slab(self, index: impl IndexValue) -> Part<T, $part> {
                here();
                let swizzle = self.swizzle;
                with(|b| {
                    let index = index.parts();
                    let name = b.symbols[self.symbol].clone();
                    b.check(index, Value::Constant(self.dims[0].into()), &name, IndexKind::SharedAxis(0));
                    let mut at = [Index { value: Value::Constant(0), ty: ScalarType::U32 }; $whole];
                    at[0] = index;
                    let first = element_place(b, self.first, &self.dims, &at);
                    let dims = std::array::from_fn(|axis| self.dims[axis + 1]);
                    Part { first, dims, symbol: self.symbol, swizzle, element: PhantomData }
                })
            }
        }

        impl<T: Scalar> Shared<T, $whole> {
            /// The part at an index of the outermost axis; see [`Part::slab`].
            #[track_caller]
            pub fn slab(self, index: impl IndexValue) -> Part<T, $part> {
                self.into_part().slab(index)
            }
        }
    )*};
}

slabs!(2 1 3 2 4 3 5 4 6 5);

macro_rules! part_index {
    ($dimensions:literal, [$($i:ident),*], $index:ty, $of:expr) => {
        impl<T: Number, $($i: IndexValue),*> Locate<$index> for Part<T, $dimensions> {
            type Place = Place<T>;
            #[track_caller]
            fn locate(&self, index: $index) -> Place<T> {
                here();
                self.place(&$of(index))
            }
        }

        impl<T: Number, $($i: IndexValue),*> Get<$index> for Part<T, $dimensions> {
            type Output = Var<T>;
            #[track_caller]
            fn get(&self, index: $index) -> Var<T> {
                self.locate(index).load_with("")
            }
        }

        impl<T: Number, $($i: IndexValue,)* V: IntoVar<T>> Put<$index, V> for Part<T, $dimensions> {
            #[track_caller]
            fn put(&self, index: $index, value: V) {
                self.locate(index).store(value);
            }
        }
    };
}

part_index!(1, [I], I, |i: I| [i.parts()]);
part_index!(2, [I, J], (I, J), |(i, j): (I, J)| [i.parts(), j.parts()]);
part_index!(3, [I, J, K], (I, J, K), |(i, j, k): (I, J, K)| [i.parts(), j.parts(), k.parts()]);

impl<T: Element, const D: usize> Part<T, D> {
    /// The same part in the shared memory of block `rank` of the cluster.
    pub(crate) fn mapped(self, b: &mut Builder, rank: Value) -> Part<T, D> {
        let word = ScalarType::U32;
        let address = self.first.address(b);
        let far = b.pure("mapa.shared::cluster.u32", word, &[(address, word), (rank, word)]);
        Part { first: Place::new(Space::Cluster, Base::Register(far), 0), ..self }
    }
}
