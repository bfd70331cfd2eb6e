//! `std::mem::swap` and `std::mem::replace` on variables and places of a kernel.

use crate::current::here;
use crate::data::{Handle, Target, To, Values, read_copy};

/// Exchanges two values.
#[track_caller]
pub fn swap<A, B>(first: A, second: B)
where
    A: Target + To<<A as Target>::Value>,
    B: Target<Value = <A as Target>::Value> + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(first.to());
    first.set(read_copy::<<A as Target>::Value, Values>(second.to()));
    second.set(old);
}

/// Puts a value in the place of another, which it returns.
#[track_caller]
pub fn replace<A>(place: A, value: impl To<<A as Target>::Value>) -> Handle<<A as Target>::Value>
where
    A: Target + To<<A as Target>::Value>,
{
    here();
    let old = read_copy::<<A as Target>::Value, Values>(place.to());
    place.set(value.to());
    old
}
