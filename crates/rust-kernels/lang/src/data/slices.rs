//! Slices as values: in variables, and in fields of `#[device]` structs. The address and the length are in registers.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Item, Kind, Leaf, Part, Parts, Values, Variables};
use crate::data::operations;
use crate::data::place::Space;
use crate::data::variable::{Exclusive, IntoVariable, Loan, Receive, Target, lend, new_variable};
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::var::{Mut, Read, Var, by_name};
use lanework_ptx::ScalarType;
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

/// A slice in a field of a value in memory.
#[derive(Debug)]
pub struct PlacedSlice<K: Kind, T> {
    base: K::Scalar<u64>,
    length: K::Scalar<u64>,
    element: PhantomData<fn() -> T>,
}

crate::scalar::var::copied!([K: Kind, T] PlacedSlice<K, T>);

impl<K: Kind, T> PlacedSlice<K, T> {
    pub(crate) fn new(base: Part, length: Part) -> Self {
        PlacedSlice { base: K::scalar(base), length: K::scalar(length), element: PhantomData }
    }

    pub(crate) fn parts(self) -> [Part; 2] {
        [K::part::<u64>(self.base), K::part::<u64>(self.length)]
    }

    /// The slice.
    #[track_caller]
    fn slice(self) -> Slice<T> {
        let base = operations::read_view::<u64, K>(self.base);
        stored([base, operations::read_view::<u64, K>(self.length)])
    }
}

/// The slice of an address and a length that a value holds.
pub(crate) fn stored<T>([base, length]: [Var<u64>; 2]) -> Slice<T> {
    let (base, length) = (base.value, length.value);
    Slice::new(Memory { base, length, name: "slice", space: Space::Global })
}

/// The value of a part in a register.
pub(crate) fn value_of(part: Part) -> Var<u64> {
    match part.0 {
        Item::Value(value) => Var::new(value),
        Item::Memory { .. } => Var::new(Value::Constant(0)),
    }
}

impl<T> Slice<T> {
    /// The address and the length, for a value that holds the slice.
    pub(crate) fn held(self) -> [Part; 2] {
        if self.memory.space != Space::Global {
            with(|b| {
                b.error(
                    "a slice of a thread's own array cannot be held in a value",
                    "pass it to the function that uses it",
                );
            });
        }
        [self.memory.base, self.memory.length].map(|value| Part(Item::Value(value)))
    }
}

impl<T: Data> Data for &'static [T] {
    type Of<K: Kind> = K::Slice<T>;
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        out.extend([0, 8].map(|at| Leaf { ty: ScalarType::U64, offset: offset + at, flag: None }));
    }
    fn bits(self, out: &mut Vec<u64>) {
        with(|b| {
            b.error(
                "a slice of the host cannot be a part of a constant",
                "copy the table into an array: `const TABLE: [u32; 4] = [..];`",
            );
        });
        out.extend([0, 0]);
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> K::Slice<T> {
        let base = parts.next();
        K::slice(base, parts.next())
    }
    fn parts<K: Kind>(value: K::Slice<T>, out: &mut Vec<Part>) {
        out.extend(K::slice_parts(value));
    }
}

impl<T: Data> To<&'static [T]> for Slice<T> {
    fn to(self) -> Slice<T> {
        self
    }
}

impl<T: Data> Valued for Slice<T> {
    type Value = &'static [T];
    // The debugger shows buffers, not slices.
    const IN_MEMORY: bool = true;
}

impl<T: Data> To<&'static [T]> for SliceMut<T> {
    fn to(self) -> Slice<T> {
        Slice::new(self.memory)
    }
}

impl<T: Data> To<&'static [T]> for MovedSlice<Slice<T>> {
    fn to(self) -> Slice<T> {
        Read::view(self)
    }
}

impl<T: Data> Valued for MovedSlice<Slice<T>> {
    type Value = &'static [T];
    const IN_MEMORY: bool = true;
}

impl<T: Data> Target for MovedSlice<Slice<T>> {
    type Value = &'static [T];
    #[track_caller]
    fn set(self, value: Slice<T>) {
        self.move_to(value.memory, self.first.memory.space);
    }
}

impl<T: Data> Exclusive<&'static [T]> for MovedSlice<Slice<T>> {
    fn enter(self) -> (Self, Loan<&'static [T]>) {
        lend::<&'static [T]>(self)
    }
}

impl<S> MovedSlice<S> {
    /// Sets the address and the length.
    #[track_caller]
    pub(crate) fn move_to(self, to: Memory, space: Space) {
        here();
        if to.space != space {
            with(|b| {
                b.error(
                    "this variable holds a slice of another memory",
                    "use one variable for slices of buffers and another for slices of the thread's arrays",
                );
            });
        }
        // The new ends may depend on the old ones.
        let [base, length] = [to.base, to.length].map(|value| Read::copy(Var::<u64>::new(value)));
        self.base.assign(base);
        self.length.assign(length);
    }
}

impl<T> IntoVariable for Slice<T> {
    type Variable = MovedSlice<Self>;
    #[track_caller]
    fn into_variable(self) -> MovedSlice<Self> {
        let [base, length] = [self.memory.base, self.memory.length]
            .map(|value| new_variable(Var::<u64>::new(value)));
        MovedSlice { base, length, first: self }
    }
}

impl<T> IntoVariable for SliceMut<T> {
    type Variable = MovedSlice<Self>;
    #[track_caller]
    fn into_variable(self) -> MovedSlice<Self> {
        let [base, length] = [self.memory.base, self.memory.length]
            .map(|value| new_variable(Var::<u64>::new(value)));
        MovedSlice { base, length, first: self }
    }
}

macro_rules! moved {
    ($($slice:ident)*) => {$(
        impl<T> Read for MovedSlice<$slice<T>> {
            type Value = $slice<T>;
            fn view(self) -> $slice<T> {
                let (base, length) = (self.base.view().value, self.length.view().value);
                $slice::new(Memory { base, length, ..self.first.memory })
            }
            #[track_caller]
            fn copy(self) -> $slice<T> {
                let copied = |value: Mut<u64>| Read::copy(value).value;
                let (base, length) = (copied(self.base), copied(self.length));
                $slice::new(Memory { base, length, ..self.first.memory })
            }
        }
    )*};
}

moved!(Slice SliceMut);

impl<K: Kind, T: Data> To<&'static [T]> for PlacedSlice<K, T> {
    #[track_caller]
    fn to(self) -> Slice<T> {
        self.slice()
    }
}

impl<K: Kind, T: Data> Valued for PlacedSlice<K, T> {
    type Value = &'static [T];
    const IN_MEMORY: bool = true;
}

impl<K: Kind, T: Data> Read for PlacedSlice<K, T> {
    type Value = Slice<T>;
    #[track_caller]
    fn view(self) -> Slice<T> {
        self.slice()
    }
    #[track_caller]
    fn copy(self) -> Slice<T> {
        self.slice()
    }
}

impl<K: Kind, T: Data> Receive for PlacedSlice<K, T> {
    type Receiver = Slice<T>;
    #[track_caller]
    fn receive(self) -> Slice<T> {
        self.slice()
    }
}

impl<T: Data> Target for PlacedSlice<crate::data::leaves::Places, T> {
    type Value = &'static [T];
    #[track_caller]
    fn set(self, value: Slice<T>) {
        operations::set::<&'static [T], crate::data::leaves::Places>(self, value);
    }
}

impl<T: Data> Exclusive<&'static [T]> for PlacedSlice<crate::data::leaves::Places, T> {
    #[track_caller]
    fn enter(self) -> (MovedSlice<Slice<T>>, Loan<&'static [T]>) {
        crate::data::variable::borrow::<&'static [T]>(self)
    }
}

/// The kinds of a slice in registers.
pub(crate) fn handle_of<T>(base: Part, length: Part) -> <Values as Kind>::Slice<T>
where
    T: Data,
{
    stored([value_of(base), value_of(length)])
}

/// A variable that holds a slice, of its registers.
pub(crate) fn variable_of<T: Data>(base: Part, length: Part) -> <Variables as Kind>::Slice<T> {
    let of = |part: Part| match part.0 {
        Item::Value(Value::Register(register)) => Mut::of(register),
        _ => Mut::uninit(),
    };
    let first = stored([value_of(base), value_of(length)]);
    MovedSlice { base: of(base), length: of(length), first }
}
