//! Types as sequences of leaves: splits a value into parts and assembles it from them. The kind of a part while staging is a
//! handle, a variable or a place.

use crate::data::handles::{Memory, MovedSlice, PlacedSlice, Slice};
use crate::data::place::{Base, Place, ReadPlace, Space};
use crate::emit::current::with;
use crate::emit::named;
use crate::emit::value::Value;
use crate::scalar::var::{Mut, Scalar, Var};
use lanework_ptx::ScalarType;
use std::fmt::Debug;

/// A type of the kernel language: a scalar, or a tuple, an array, or a `#[device]` struct or enum of such types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type of the kernel language",
    label = "not a type that kernels compute with",
    note = "scalars, and tuples and arrays of them, are; mark a struct or an enum #[device]"
)]
pub trait Data: Copy + 'static {
    /// The value while staging, composed of parts of a kind.
    #[doc(hidden)]
    type Of<K: Kind>: Copy;
    /// Bytes of a value in memory: Rust's size, except for types that contain an `Option`.
    #[doc(hidden)]
    fn size() -> u64 {
        size_of::<Self>() as u64
    }
    /// Appends the leaves of a value at `offset`, in order.
    #[doc(hidden)]
    fn leaves(offset: u64, out: &mut Vec<Leaf>);
    /// The type in the form of the debugger's records ([`crate::emit::named`]).
    #[doc(hidden)]
    fn described() -> String {
        let leaves = leaves::<Self>().into_iter().map(|leaf| (leaf.offset, leaf.ty));
        named::opaque_type(std::any::type_name::<Self>(), Self::size(), leaves)
    }
    /// Appends the leaves' bits.
    #[doc(hidden)]
    fn bits(self, out: &mut Vec<u64>);
    /// Assembles a value from its parts.
    #[doc(hidden)]
    fn build<K: Kind>(parts: &mut Parts<'_>) -> Self::Of<K>;
    /// Appends the value's parts.
    #[doc(hidden)]
    fn parts<K: Kind>(value: Self::Of<K>, out: &mut Vec<Part>);
}

/// The kind of a value's scalars while staging.
pub trait Kind: Copy + Debug + 'static {
    /// Whether its parts are in memory.
    const IN_MEMORY: bool = false;
    /// A scalar.
    type Scalar<T: Scalar>: Copy;
    /// An array.
    type Array<T: Data, const N: usize>: Copy;
    /// A slice.
    type Slice<T: Data>: Copy;
    /// Assembles a slice from its address and its length.
    fn slice<T: Data>(base: Part, length: Part) -> Self::Slice<T>;
    /// The address and the length of a slice.
    fn slice_parts<T: Data>(slice: Self::Slice<T>) -> [Part; 2];
    /// The scalar of a part.
    fn scalar<T: Scalar>(part: Part) -> Self::Scalar<T>;
    /// The part of a scalar.
    fn part<T: Scalar>(scalar: Self::Scalar<T>) -> Part;
    /// Assembles an array.
    fn array<T: Data, const N: usize>(parts: &mut Parts<'_>) -> Self::Array<T, N>;
    /// Appends the parts of an array.
    fn array_parts<T: Data, const N: usize>(array: Self::Array<T, N>, out: &mut Vec<Part>);
}

/// The type and the offset of a scalar in a value.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub(crate) ty: ScalarType,
    pub(crate) offset: u64,
    /// The position of the leaf that says whether the enclosing `Option` or variant is active, and its value if it is.
    pub(crate) flag: Option<(usize, u64)>,
}

/// One scalar of a value while staging, of any kind.
#[derive(Clone, Copy, Debug)]
pub struct Part(pub(crate) Item);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// A register or a constant.
    Value(Value),
    /// A place in memory.
    Memory { space: Space, base: Base, offset: i64 },
}

/// The parts from which a value is assembled.
#[derive(Debug)]
pub struct Parts<'a> {
    left: std::slice::Iter<'a, Part>,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(parts: &'a [Part]) -> Self {
        Parts { left: parts.iter() }
    }

    pub(crate) fn next(&mut self) -> Part {
        self.left.next().copied().unwrap_or(Part(Item::Value(Value::Constant(0))))
    }
}

#[diagnostic::do_not_recommend]
impl<T: Scalar> Data for T {
    type Of<K: Kind> = K::Scalar<T>;
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        out.push(Leaf { ty: T::SCALAR, offset, flag: None });
    }
    fn described() -> String {
        named::scalar_type(T::SCALAR).to_owned()
    }
    fn bits(self, out: &mut Vec<u64>) {
        out.push(Scalar::bits(self));
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> K::Scalar<T> {
        K::scalar(parts.next())
    }
    fn parts<K: Kind>(value: K::Scalar<T>, out: &mut Vec<Part>) {
        out.push(K::part(value));
    }
}

impl<T: Data, const N: usize> Data for [T; N] {
    type Of<K: Kind> = K::Array<T, N>;
    fn size() -> u64 {
        N as u64 * T::size()
    }
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        for index in 0..N as u64 {
            T::leaves(offset + index * T::size(), out);
        }
    }
    fn described() -> String {
        format!("[{};{N}]", T::described())
    }
    fn bits(self, out: &mut Vec<u64>) {
        self.into_iter().for_each(|element| element.bits(out));
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> K::Array<T, N> {
        K::array(parts)
    }
    fn parts<K: Kind>(value: K::Array<T, N>, out: &mut Vec<Part>) {
        K::array_parts(value, out);
    }
}

/// A field: its offset and size in Rust's layout, and its size in a kernel.
pub type Field = (usize, usize, u64);

/// Offsets of fields in a value of `whole` bytes, and its size in a kernel: as in Rust, unless a field contains an
/// `Option`, which is larger in a kernel.
pub fn laid_out(fields: &[Field], whole: usize) -> (Vec<u64>, u64) {
    if fields.iter().all(|(_, host, kernel)| *host as u64 == *kernel) {
        return (fields.iter().map(|field| field.0 as u64).collect(), whole as u64);
    }
    let mut end = 0;
    let mut place = |field: &Field| {
        let start = end;
        end = (start + field.2).next_multiple_of(8);
        start
    };
    let offsets = fields.iter().map(&mut place).collect();
    (offsets, end)
}

/// The leaves of a `T`.
pub(crate) fn leaves<T: Data>() -> Vec<Leaf> {
    let mut out = Vec::new();
    T::leaves(0, &mut out);
    out
}

/// The handles of a `T`.
pub type Handle<T> = <T as Data>::Of<Values>;

/// The slice of an address and a length that a value holds.
fn slice_of<T>(base: Value, length: Value) -> Slice<T> {
    Slice::new(Memory { base, length, name: "slice", space: Space::Global })
}

fn value_of(part: Part) -> Value {
    match part.0 {
        Item::Value(value) => value,
        Item::Memory { .. } => unreachable!("handles are made of values"),
    }
}

/// The address and the length of a slice that a value holds.
fn held<T>(slice: Slice<T>) -> [Part; 2] {
    if slice.memory.space != Space::Global {
        with(|b| {
            b.error(
                "a slice of a thread's own array cannot be held in a value",
                "pass it to the function that uses it",
            );
        });
    }
    [slice.memory.base, slice.memory.length].map(|value| Part(Item::Value(value)))
}

/// Handles: registers that do not change, and constants.
#[derive(Clone, Copy, Debug)]
pub struct Values;

/// Handles of a value without a name, which a method with `&mut self` may change: `Parser::new(text).parse()`.
#[derive(Clone, Copy, Debug)]
pub struct Temporaries;

/// Variables (`let mut`).
#[derive(Clone, Copy, Debug)]
pub struct Variables;

/// Places in memory.
#[derive(Clone, Copy, Debug)]
pub struct Places;

/// Places in memory that are only read.
#[derive(Clone, Copy, Debug)]
pub struct ReadPlaces;

/// Arrays of registers are arrays of their elements.
macro_rules! arrays_of_elements {
    () => {
        type Array<T: Data, const N: usize> = [T::Of<Self>; N];
        fn array<T: Data, const N: usize>(parts: &mut Parts<'_>) -> [T::Of<Self>; N] {
            std::array::from_fn(|_| T::build::<Self>(parts))
        }
        fn array_parts<T: Data, const N: usize>(array: [T::Of<Self>; N], out: &mut Vec<Part>) {
            array.into_iter().for_each(|element| T::parts::<Self>(element, out));
        }
    };
}

impl Kind for Values {
    type Slice<T: Data> = Slice<T>;
    fn slice<T: Data>(base: Part, length: Part) -> Slice<T> {
        slice_of(value_of(base), value_of(length))
    }
    fn slice_parts<T: Data>(slice: Slice<T>) -> [Part; 2] {
        held(slice)
    }
    type Scalar<T: Scalar> = Var<T>;
    fn scalar<T: Scalar>(part: Part) -> Var<T> {
        match part.0 {
            Item::Value(value) => Var::new(value),
            Item::Memory { .. } => unreachable!("handles are made of values"),
        }
    }
    fn part<T: Scalar>(scalar: Var<T>) -> Part {
        Part(Item::Value(scalar.value))
    }
    arrays_of_elements!();
}

impl Kind for Temporaries {
    type Slice<T: Data> = Slice<T>;
    fn slice<T: Data>(base: Part, length: Part) -> Slice<T> {
        slice_of(value_of(base), value_of(length))
    }
    fn slice_parts<T: Data>(slice: Slice<T>) -> [Part; 2] {
        held(slice)
    }
    type Scalar<T: Scalar> = Var<T>;
    fn scalar<T: Scalar>(part: Part) -> Var<T> {
        match part.0 {
            Item::Value(value) => Var::new(value),
            Item::Memory { .. } => unreachable!("handles are made of values"),
        }
    }
    fn part<T: Scalar>(scalar: Var<T>) -> Part {
        Part(Item::Value(scalar.value))
    }
    arrays_of_elements!();
}

impl Kind for Variables {
    type Slice<T: Data> = MovedSlice<Slice<T>>;
    fn slice<T: Data>(base: Part, length: Part) -> MovedSlice<Slice<T>> {
        let first = slice_of(value_of(base), value_of(length));
        MovedSlice { base: Self::scalar(base), length: Self::scalar(length), first }
    }
    fn slice_parts<T: Data>(slice: MovedSlice<Slice<T>>) -> [Part; 2] {
        [Self::part::<u64>(slice.base), Self::part::<u64>(slice.length)]
    }
    type Scalar<T: Scalar> = Mut<T>;
    fn scalar<T: Scalar>(part: Part) -> Mut<T> {
        match part.0 {
            Item::Value(Value::Register(register)) => Mut::of(register),
            // An array of no elements has no register.
            _ => Mut::uninit(),
        }
    }
    fn part<T: Scalar>(scalar: Mut<T>) -> Part {
        Part(Item::Value(Value::Register(scalar.register)))
    }
    arrays_of_elements!();
}

/// Arrays in memory are one place, which may be indexed by run-time values.
macro_rules! places {
    ($kind:ident $place:ident, $to:expr, $from:expr) => {
        impl Kind for $kind {
            const IN_MEMORY: bool = true;
            type Slice<T: Data> = PlacedSlice<$place<u64>, T>;
            fn slice<T: Data>(base: Part, length: Part) -> PlacedSlice<$place<u64>, T> {
                PlacedSlice::new(Self::scalar(base), Self::scalar(length))
            }
            fn slice_parts<T: Data>(slice: PlacedSlice<$place<u64>, T>) -> [Part; 2] {
                [Self::part::<u64>(slice.base), Self::part::<u64>(slice.length)]
            }
            type Scalar<T: Scalar> = $place<T>;
            type Array<T: Data, const N: usize> = $place<[T; N]>;
            fn scalar<T: Scalar>(part: Part) -> $place<T> {
                $from(place_of(part))
            }
            fn part<T: Scalar>(scalar: $place<T>) -> Part {
                $to(scalar).part(0)
            }
            fn array<T: Data, const N: usize>(parts: &mut Parts<'_>) -> $place<[T; N]> {
                let count = leaves::<[T; N]>().len();
                let first = parts.next();
                (1..count).for_each(|_| {
                    parts.next();
                });
                $from(place_of(first))
            }
            fn array_parts<T: Data, const N: usize>(array: $place<[T; N]>, out: &mut Vec<Part>) {
                let place = $to(array);
                out.extend(leaves::<[T; N]>().iter().map(|leaf| place.part(leaf.offset as i64)));
            }
        }
    };
}

places!(Places Place, |place| place, |place| place);
places!(ReadPlaces ReadPlace, |place: ReadPlace<_>| place.place, |place| ReadPlace { place });

fn place_of<T>(part: Part) -> Place<T> {
    match part.0 {
        Item::Memory { space, base, offset } => Place::new(space, base, offset),
        Item::Value(_) => unreachable!("places are made of places"),
    }
}

impl<T> Place<T> {
    /// The part `offset` bytes after the place.
    pub(crate) fn part(self, offset: i64) -> Part {
        Part(Item::Memory { space: self.space, base: self.base, offset: self.offset + offset })
    }
}
