//! Shared memory as a slice: all that the launch requests, or a part of an array.

use crate::data::convert::To;
use crate::data::leaves::{Data, Handle, Places};
use crate::data::operations;
use crate::data::place::{Base, Place, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::memory::elements::At;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared::{Shared, dynamic_bytes, element_place};
use crate::scalar::cast::cast;
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Read, Var};
use lanework_abi::IndexKind;
use lanework_ptx::ScalarType;
use std::marker::PhantomData;

/// Shared memory whose length is known only at run time; see [`shared_slice`].
#[derive(Debug)]
pub struct SharedSlice<T> {
    /// The address of the first byte in shared memory.
    base: Value,
    /// The number of bytes.
    bytes: Value,
    /// The symbol of the array that it is a part of; `None` for dynamic shared memory.
    of: Option<usize>,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for SharedSlice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedSlice<T> {}

/// All the dynamic shared memory that the launch requests (`.shared_bytes(..)`), minus the bytes already taken by
/// `shared_dynamic`, as a slice (`%dynamic_smem_size`). It is aligned to 16 bytes and uninitialized.
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
        // A launch may request less than the bytes already taken.
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

    /// The same bytes as elements of another type, whose alignment they must have.
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

impl<T: Data> Read for SharedSlice<T> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
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
