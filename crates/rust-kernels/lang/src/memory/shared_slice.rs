//! Parts of memory: shared memory as a slice (all that the launch requests, or a part of an array), and `&x[a..b]` of any slice.

use crate::data::convert::To;
use crate::data::handles::{Memory, Slice, SliceMut};
use crate::data::leaves::{Data, Handle, Places};
use crate::data::operations;
use crate::data::place::{Base, Place, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::access::At;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared::{Shared, dynamic_bytes, element_place};
use crate::scalar::cast::cast;
use crate::scalar::number::{IndexValue, Integer};
use crate::scalar::var::{Read, Var, by_name};
use lanework_abi::IndexKind;
use lanework_ptx::ScalarType;
use std::marker::PhantomData;
use std::ops::Range;

/// Shared memory whose length is known only at run time; see [`shared_slice`].
#[derive(Debug)]
pub struct SharedSlice<T> {
    /// The address of the first byte in shared memory.
    base: Value,
    /// The number of bytes.
    bytes: Value,
    /// The symbol of the array that contains it; `None` for dynamic shared memory.
    of: Option<usize>,
    element: PhantomData<fn() -> T>,
}

by_name!([T] SharedSlice<T>);

/// All the dynamic shared memory that the launch requests (`.shared_bytes(..)`), minus the bytes that `shared_dynamic` has reserved,
/// as a slice (`%dynamic_smem_size`). It is aligned to 16 bytes and uninitialized.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn reverse(x: &mut [u32]) {
///     let buffer = shared_slice::<u32>();
///     buffer[thread_idx.x] = x[thread_idx.x];
///     sync_threads();
///     x[thread_idx.x] = buffer[buffer.len() - 1 - thread_idx.x as usize];
/// }
/// # let device = Device::emulator().sanitized();
/// let mut x = device.upload(&[1u32, 2, 3, 4])?;
/// reverse(&mut x).grid(1).block(4).shared_bytes(16).launch(&device)?;
/// assert_eq!(x.download()?, [4, 3, 2, 1]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn shared_slice<T: Data>() -> SharedSlice<T> {
    here();
    with(|b| {
        let (symbol, start) = dynamic_bytes(b, 0, (align_of::<T>() as u32).max(16));
        let word = ScalarType::U32;
        let (all, start) = (Value::Special("%dynamic_smem_size"), Value::Constant(start));
        let address = b.symbol_address(symbol);
        let base = binary(b, Operation::Add, word, address, start);
        // A launch may request fewer bytes than the kernel has reserved.
        let all = binary(b, Operation::Max, word, all, start);
        let bytes = binary(b, Operation::Sub, word, all, start);
        SharedSlice { base, bytes, of: None, element: PhantomData }
    })
}

impl<T: Data> SharedSlice<T> {
    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    #[track_caller]
    pub fn len(&self) -> Var<usize> {
        here();
        Var::new(with(|b| self.length(b)))
    }

    fn length(&self, b: &mut Builder) -> Value {
        let size = Value::Constant(T::size().max(1));
        let count = binary(b, Operation::Div, ScalarType::U32, self.bytes, size);
        Index { value: count, ty: ScalarType::U32 }.widened(b)
    }

    /// The first `count` elements, and the rest.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn both(out: &mut [f32], n: u32) {
    ///     let (first, second) = shared_slice::<f32>().split_at(n);
    ///     let i = thread_idx.x;
    ///     first[i] = 1.0;
    ///     second.cast::<u32>()[i] = 2; // the rest as another type
    ///     out[i] = first[i] + second.cast::<u32>()[i] as f32;
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<f32>(4)?;
    /// both(&mut out, 4).grid(1).block(4).shared_bytes(32).launch(&device)?;
    /// assert_eq!(out.download()?, [3.0; 4]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn split_at(self, count: impl IndexValue) -> (SharedSlice<T>, SharedSlice<T>) {
        here();
        let count = count.parts();
        with(|b| {
            let (word, length) = (ScalarType::U32, self.length(b));
            let beyond = binary(b, Operation::Add, ScalarType::U64, length, Value::Constant(1));
            let name = self.name_in(b);
            b.check(count, beyond, &name, IndexKind::SharedAxis(0));
            let wide = count.widened(b);
            let count = b.pure("cvt.u32.u64", word, &[(wide, ScalarType::U64)]);
            let size = Value::Constant(T::size());
            let taken = binary(b, Operation::Mul, word, count, size);
            let base = binary(b, Operation::Add, word, self.base, taken);
            let rest = binary(b, Operation::Sub, word, self.bytes, taken);
            (SharedSlice { bytes: taken, ..self }, SharedSlice { base, bytes: rest, ..self })
        })
    }

    /// All of an array.
    pub(crate) fn of(array: Shared<T, 1>) -> SharedSlice<T> {
        with(|b| {
            let word = ScalarType::U32;
            let address = b.symbol_address(array.symbol);
            let start = Value::Constant(array.start as u64);
            let base = binary(b, Operation::Add, word, address, start);
            let bytes = Value::Constant(u64::from(array.len()) * T::size());
            SharedSlice { base, bytes, of: Some(array.symbol), element: PhantomData }
        })
    }

    /// The name in errors.
    pub(crate) fn name(&self) -> String {
        with(|b| self.name_in(b))
    }

    fn name_in(&self, b: &Builder) -> String {
        self.of.map_or_else(|| "dynamic shared memory".to_owned(), |of| b.symbols[of].clone())
    }

    /// `count` elements from `start` on, which the caller has checked.
    pub(crate) fn range(self, start: Var<usize>, count: Var<usize>) -> SharedSlice<T> {
        let word = ScalarType::U32;
        with(|b| {
            let size = Value::Constant(T::size());
            let mut bytes = |elements: Var<usize>| {
                let elements = cast(b, elements.value, ScalarType::U64, word);
                binary(b, Operation::Mul, word, elements, size)
            };
            let (before, bytes) = (bytes(start), bytes(count));
            let base = binary(b, Operation::Add, word, self.base, before);
            SharedSlice { base, bytes, ..self }
        })
    }

    /// The same bytes as elements of another type. The slice must be aligned for that type.
    pub fn cast<U: Data>(self) -> SharedSlice<U> {
        let SharedSlice { base, bytes, of, .. } = self;
        SharedSlice { base, bytes, of, element: PhantomData }
    }

    /// The place of an element, checked.
    fn place(&self, index: Index) -> Place<T> {
        with(|b| {
            let (length, name) = (self.length(b), self.name_in(b));
            b.check(index, length, &name, IndexKind::SharedAxis(0));
            let first = Place::new(Space::Shared, Base::Register(self.base), 0);
            element_place(b, first, &[u32::MAX], &[index])
        })
    }
}

impl<T: Data, I: IndexValue> At<I> for SharedSlice<T> {
    type Element = T::Of<Places>;
    #[track_caller]
    fn at(&self, index: I) -> T::Of<Places> {
        here();
        operations::place::<T, Places>(self.place(index.parts()))
    }
}

impl<T: Data, I: IndexValue> Locate<I> for SharedSlice<T> {
    type Place = T::Of<Places>;
    #[track_caller]
    fn locate(&self, index: I) -> T::Of<Places> {
        self.at(index)
    }
}

impl<T: Data, I: IndexValue> Get<I> for SharedSlice<T> {
    type Output = Handle<T>;
    #[track_caller]
    fn get(&self, index: I) -> Handle<T> {
        here();
        operations::load(self.place(index.parts()))
    }
}

impl<T: Data, I: IndexValue, V: To<T>> Put<I, V> for SharedSlice<T> {
    #[track_caller]
    fn put(&self, index: I, value: V) {
        here();
        operations::save(self.place(index.parts()), value.to());
    }
}

const LONG: ScalarType = ScalarType::U64;

/// The bounds of a subslice, as written.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    start: Option<Index>,
    end: Option<Index>,
    inclusive: bool,
}

/// An explicit bound.
#[track_caller]
pub fn end_at(index: impl IndexValue) -> Option<Index> {
    Some(index.parts())
}

/// A type that supports `&x[a..b]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no parts in a kernel",
    label = "not a slice",
    note = "`&x[a..b]` is a part of a parameter `&[T]` or `&mut [T]`, or of shared memory of one dimension; of other \
            arrays pass the offset to the function that needs it"
)]
pub trait Subslice: Copy {
    /// A part.
    type Part: Copy;
    /// The number of elements.
    fn elements(&self) -> Var<usize>;
    /// The elements between two ends, checked.
    fn part(self, ends: Ends) -> Self::Part;
}

/// The elements from one position to another.
#[track_caller]
pub(crate) fn between<S: Subslice>(slice: S, start: Var<usize>, end: Var<usize>) -> S::Part {
    let index = |at: Var<usize>| Some(Index { value: at.value, ty: LONG });
    slice.part(Ends { start: index(start), end: index(end), inclusive: false })
}

/// `x[a..b]`, with or without its ends.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn dot(x: &[f32], y: &[f32]) -> f32 {
///     x.iter().zip(y).map(|(a, b)| a * b).sum()
/// }
///
/// #[kernel]
/// fn product(a: &[f32], x: &[f32], y: &mut [f32]) {
///     let (row, n) = (thread_idx.x as usize, x.len());
///     y[row] = dot(&a[row * n..][..n], x);
///     for v in y[3..=3].iter_mut() {
///         *v = 1.0;
///     }
/// }
/// # let device = Device::emulator();
/// # let (a, x) = (device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?, device.upload(&[10.0f32, 1.0])?);
/// # let mut y = device.zeros::<f32>(4)?;
/// # product(&a, &x, &mut y).grid(1).block(3).launch(&device)?;
/// assert_eq!(y.download()?, [12.0, 34.0, 56.0, 1.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn subslice<S: Subslice>(
    slice: S,
    start: Option<Index>,
    end: Option<Index>,
    inclusive: bool,
) -> S::Part {
    here();
    slice.part(Ends { start, end, inclusive })
}

impl Ends {
    /// The first position and the number of elements, checked against `length`.
    fn within(
        self,
        b: &mut Builder,
        length: Value,
        array: &str,
        what: IndexKind,
    ) -> (Value, Value) {
        let one = Value::Constant(1);
        let start = self.start.map_or(Value::Constant(0), |start| start.widened(b));
        let end = match self.end.map(|end| end.widened(b)) {
            Some(end) if self.inclusive => binary(b, Operation::Add, LONG, end, one),
            Some(end) => end,
            None => length,
        };
        let count = binary(b, Operation::Sub, LONG, end, start);
        if b.checked {
            let check = |b: &mut Builder, value, bound| {
                b.check(Index { value, ty: LONG }, bound, array, what);
            };
            let after = binary(b, Operation::Add, LONG, end, one);
            check(b, start, after);
            // The last element must be below the length. An empty part may begin at the length.
            let some = binary(b, Operation::Min, LONG, count, one);
            let last = binary(b, Operation::Sub, LONG, end, some);
            let bound = binary(b, Operation::Add, LONG, length, one);
            let bound = binary(b, Operation::Sub, LONG, bound, some);
            check(b, last, bound);
        }
        (start, count)
    }
}

/// A copy that later assignments to variables do not change.
fn kept(value: Value) -> Value {
    Read::copy(Var::<u64>::new(value)).value
}

macro_rules! slices {
    ($($slice:ident)*) => {$(
        impl<T: Data> Subslice for $slice<T> {
            type Part = Self;
            fn elements(&self) -> Var<usize> {
                self.len()
            }
            #[track_caller]
            fn part(self, ends: Ends) -> Self {
                let Memory { base, length, name, space } = self.memory;
                let size = Value::Constant(T::size());
                let (base, length) = with(|b| {
                    let (start, count) = ends.within(b, length, name, IndexKind::Slice);
                    let offset = binary(b, Operation::Mul, LONG, start, size);
                    (binary(b, Operation::Add, LONG, base, offset), count)
                });
                $slice::new(Memory { base: kept(base), length: kept(length), name, space })
            }
        }
    )*};
}

slices!(Slice SliceMut);

macro_rules! by_range {
    ($($slice:ident)*) => {$(
        /// `x[range]`, with a range in a variable.
        impl<T: Data, N: Integer> Locate<Range<Var<N>>> for $slice<T> {
            type Place = Self;
            #[track_caller]
            fn locate(&self, range: Range<Var<N>>) -> Self {
                let (start, end) = (end_at(range.start), end_at(range.end));
                subslice(*self, start, end, false)
            }
        }
    )*};
}

by_range!(Slice SliceMut SharedSlice);

impl<T: Data> Subslice for SharedSlice<T> {
    type Part = Self;
    fn elements(&self) -> Var<usize> {
        self.len()
    }
    #[track_caller]
    fn part(self, ends: Ends) -> Self {
        let (length, name) = (self.len().value, self.name());
        let (start, count) = with(|b| ends.within(b, length, &name, IndexKind::SharedAxis(0)));
        self.range(Var::new(kept(start)), Var::new(kept(count)))
    }
}

/// A part of an array in shared memory is a slice of shared memory.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn total(x: SharedSlice<f32>) -> f32 {
///     x.iter().sum()
/// }
///
/// #[kernel]
/// fn halves(x: &[f32], out: &mut [f32]) {
///     let (t, tile) = (thread_idx.x as usize, shared::<f32>(8));
///     tile[t] = x[t];
///     sync_threads();
///     if t < 2 {
///         out[t] = total(tile[4 * t..][..4]);
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let x = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0])?;
/// # let mut out = device.zeros::<f32>(2)?;
/// # halves(&x, &mut out).grid(1).block(8).launch(&device)?;
/// assert_eq!(out.download()?, [10.0, 100.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Data> Subslice for Shared<T, 1> {
    type Part = SharedSlice<T>;
    fn elements(&self) -> Var<usize> {
        Var::constant(self.len() as usize)
    }
    #[track_caller]
    fn part(self, ends: Ends) -> SharedSlice<T> {
        SharedSlice::of(self).part(ends)
    }
}
