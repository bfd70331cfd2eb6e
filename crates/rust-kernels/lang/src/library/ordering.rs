//! `Ordering` in kernels: the result of `cmp`, an enum without data whose value is -1, 0 or 1.
//!
//! ```
//! # use lanework::prelude::*;
//! #[device]
//! fn is_before(a: (u32, u32), b: (u32, u32)) -> bool {
//!     a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)).is_lt()
//! }
//!
//! assert!(is_before((1, 3), (2, 3)) && !is_before((1, 4), (2, 3)));
//! ```

use crate::data::convert::{Given, To};
use crate::data::generic::InKernel;
use crate::data::leaves::{Data, Kind, Leaf, Part, Parts, Places, Values, Variables};
use crate::emit::current::here;
use crate::flow::branch::branch;
use crate::library::option::OptionOf;
use crate::library::ordered::{Equal, Ordered, equal};
use crate::scalar::cast::Cast;
use crate::scalar::compare::{Equate, Order, Relation};
use crate::scalar::var::{Scalar, Var};
use std::cmp::Ordering;

/// An [`Ordering`] while a kernel is staged, with Rust's methods.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn flags(a: u32, b: u32) -> u32 {
///     let order = a.cmp(&b);
///     let mut flags = order.is_eq() as u32 + 2 * order.is_ne() as u32 + 4 * order.is_lt() as u32;
///     flags += 8 * order.is_le() as u32 + 16 * order.is_gt() as u32 + 32 * order.is_ge() as u32;
///     if order.reverse() == b.cmp(&a) { flags } else { 0 }
/// }
///
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     out[thread_idx.x] = flags(thread_idx.x, 1);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(3)?;
/// # example(&mut out).grid(1).block(3).launch(&device)?;
/// assert_eq!(out.download()?, [flags(0, 1), flags(1, 1), flags(2, 1)]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct OrderingOf<K: Kind> {
    number: K::Scalar<i8>,
}

crate::scalar::var::copied!([K: Kind] OrderingOf<K>);

impl Data for Ordering {
    type Of<K: Kind> = OrderingOf<K>;
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        i8::leaves(offset, out);
    }
    fn bits(self, out: &mut Vec<u64>) {
        Data::bits(self as i8, out);
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> OrderingOf<K> {
        OrderingOf { number: i8::build::<K>(parts) }
    }
    fn parts<K: Kind>(value: OrderingOf<K>, out: &mut Vec<Part>) {
        i8::parts::<K>(value.number, out);
    }
}

crate::data::tuples::value_of!([] [] Ordering, OrderingOf);

macro_rules! compared {
    ($($left:ty, $right:ty;)*) => {$(
        impl Equate<$right> for $left {
            type Output = Var<bool>;
            #[track_caller]
            fn eq(self, other: $right) -> Var<bool> {
                equal::<Ordering>(Relation::Eq, self, other)
            }
            #[track_caller]
            fn ne(self, other: $right) -> Var<bool> {
                !equal::<Ordering>(Relation::Eq, self, other)
            }
        }
    )*};
}

compared! {
    OrderingOf<Values>, OrderingOf<Values>;
    OrderingOf<Values>, Ordering;
    Ordering, OrderingOf<Values>;
}

#[diagnostic::do_not_recommend]
impl<U: Scalar> Cast<U> for OrderingOf<Values> {
    type Output = Var<U>;
    #[track_caller]
    fn cast(self) -> Var<U> {
        Cast::<U>::cast(self.number)
    }
}

macro_rules! tests {
    ($($(#[$doc:meta])* $name:ident $relation:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name(self) -> Var<bool> {
            self.number.$relation(0)
        }
    )*};
}

impl Equal for Ordering {
    fn equal(first: OrderingOf<Values>, second: OrderingOf<Values>) -> Var<bool> {
        i8::equal(first.number, second.number)
    }
}

impl Ordered for Ordering {
    fn related(
        relation: Relation,
        first: OrderingOf<Values>,
        second: OrderingOf<Values>,
    ) -> Var<bool> {
        i8::related(relation, first.number, second.number)
    }
}

impl InKernel for OrderingOf<Values> {}

impl OrderingOf<Values> {
    /// The ordering of a number: -1, 0 or 1.
    pub(crate) fn of(number: Var<i8>) -> Self {
        OrderingOf { number }
    }

    tests! {
        /// Whether it is `Equal`.
        is_eq eq;
        /// Whether it is not `Equal`.
        is_ne ne;
        /// Whether it is `Less`.
        is_lt lt;
        /// Whether it is `Less` or `Equal`.
        is_le le;
        /// Whether it is `Greater`.
        is_gt gt;
        /// Whether it is `Greater` or `Equal`.
        is_ge ge;
    }

    /// Swaps `Less` and `Greater`.
    #[track_caller]
    pub fn reverse(self) -> OrderingOf<Values> {
        OrderingOf { number: -self.number }
    }

    /// This ordering, or `other` if this is `Equal`.
    #[track_caller]
    pub fn then(self, other: impl To<Ordering>) -> OrderingOf<Values> {
        let other = other.to();
        let number =
            crate::flow::branch::select::<i8>(self.number.eq(0), other.number, self.number);
        OrderingOf { number }
    }

    /// This ordering, or the result of `other` if this is `Equal`.
    #[track_caller]
    pub fn then_with<X: To<Ordering>>(self, other: impl FnOnce() -> X) -> OrderingOf<Values> {
        branch(self.number.eq(0), || Given::<Ordering>(other().to()), || Given::<Ordering>(self))
    }
}

/// The order of two comparable numbers.
#[track_caller]
fn order<T: Scalar>(first: Var<T>, second: Var<T>) -> OrderingOf<Values>
where
    Var<T>: Order<Var<T>, Output = Var<bool>>,
{
    let above: Var<i8> = first.gt(second).cast();
    let below: Var<i8> = first.lt(second).cast();
    OrderingOf { number: above - below }
}

/// ```
/// # use lanework::prelude::*;
/// use std::cmp::Ordering;
///
/// #[device]
/// fn rank(a: (f32, u32), b: (f32, u32)) -> u32 {
///     match a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)) {
///         Ordering::Less => 1,
///         Ordering::Equal => 2,
///         Ordering::Greater => 3,
///     }
/// }
///
/// #[device]
/// fn is_nan(a: f32) -> bool {
///     a.partial_cmp(&a).is_none()
/// }
///
/// #[kernel]
/// fn example(x: &[f32], out: &mut [u32]) {
///     let i = thread_idx.x;
///     out[i] = rank((x[i], 3), (1.0, i)) + 10 * is_nan(x[i]) as u32;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[-1.0f32, 1.0, f32::NAN])?;
/// # let mut out = device.zeros::<u32>(3)?;
/// # example(&x, &mut out).grid(1).block(3).launch(&device)?;
/// assert_eq!(out.download()?, [1, 3, 13]);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Scalar> Var<T>
where
    Var<T>: Order<Var<T>, Output = Var<bool>>,
{
    /// The order of two integers.
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn cmp(self, other: impl To<T>) -> OrderingOf<Values>
    where
        T: Ord,
    {
        here();
        order(self, other.to())
    }

    /// The order of two numbers; `None` if one is a NaN.
    #[track_caller]
    pub fn partial_cmp(self, other: impl To<T>) -> OptionOf<Values, Ordering> {
        here();
        let other: Var<T> = other.to();
        let known = self.le(other) | self.ge(other);
        OptionOf::new(known, order(self, other))
    }
}

macro_rules! total {
    ($($t:ty, $i:ty, $u:ty, $bits:literal;)*) => {$(
        impl Var<$t> {
            /// The order of all numbers: -0 is below 0, and NaNs are at the ends.
            #[track_caller]
            pub fn total_cmp(self, other: impl To<$t>) -> OrderingOf<Values> {
                here();
                let other: Var<$t> = other.to();
                let key = |x: Var<$t>| -> Var<$i> {
                    let bits: Var<$i> = x.to_bits().cast();
                    let sign: Var<$u> = (bits >> $bits).cast();
                    let rest: Var<$i> = (sign >> 1u32).cast();
                    bits ^ rest
                };
                order(key(self), key(other))
            }
        }
    )*};
}

total! {
    f32, i32, u32, 31u32;
    f64, i64, u64, 63u32;
}
