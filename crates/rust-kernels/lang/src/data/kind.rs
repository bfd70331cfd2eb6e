//! What the scalars of a value are while staging: handles, variables or places.

use super::leaves::{Data, Item, Kind, Part, Parts, leaves};
use crate::memory::{Place, ReadPlace};
use crate::scalar::Scalar;
use crate::value::Value;
use crate::var::{Mut, Var};

/// The handles of a `T`.
pub type Handle<T> = <T as Data>::Of<Values>;

/// Handles: registers that do not change, and constants.
#[derive(Clone, Copy, Debug)]
pub struct Values;

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
    /// The part at `offset` bytes after the place.
    pub(crate) fn part(self, offset: i64) -> Part {
        Part(Item::Memory { space: self.space, base: self.base, offset: self.offset + offset })
    }
}
