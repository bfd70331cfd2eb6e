//! `Option` in kernels, with its methods: a flag and a value, in registers or in a thread's local memory. A closure is staged in the
//! branch that has a value.
//!
//! Rust does not define the layout of an `Option`, so buffers cannot hold it. In local memory this file
//! defines the layout: the value, then a byte. The value of `None` is undefined and never read.
//!
//! ```
//! # use lanework::prelude::*;
//! #[device]
//! fn combine(a: Option<u32>, b: Option<u32>) -> u32 {
//!     let either = a.or_else(|| b).map_or_else(|| 7, |value| value + 1);
//!     let only = a.xor(b).is_some() as u32;
//!     let second = a.and(b).unwrap_or(5);
//!     let (first, _) = a.map(|value| (value, 2u32)).unzip();
//!     let nested = Some(a).flatten().as_ref().map_or(0, |value| *value);
//!     either + 10 * only + 100 * second + first.unwrap_or(0) + nested
//! }
//!
//! assert_eq!(combine(Some(1), None), 2 + 10 + 500 + 1 + 1);
//! assert_eq!(combine(None, None), 7 + 500);
//! ```

use crate::data::convert::{Given, To, Valued};
use crate::data::generic::InKernel;
use crate::data::leaves::{
    Data, Handle, Kind, Leaf, Part, Parts, Places, Values, Variables, leaves,
};
use crate::data::operations::{constant, handle, read_view};
use crate::flow::branch::{HostMerge, branch};
use crate::flow::print::assertion;
use crate::library::ordered::{Equal, Ordered, equal};
use crate::scalar::compare::{Connect, Equate, Relation};
use crate::scalar::var::{Become, Join, Var};
use lanework_ptx::ScalarType;

/// An `Option<T>` while a kernel is staged, with Rust's methods.
///
/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn position(x: &[u32], key: u32) -> Option<usize> {
///     for i in 0..x.len() {
///         if x[i] == key {
///             return Some(i);
///         }
///     }
///     None
/// }
///
/// #[device]
/// fn distance(x: &[u32], a: u32, b: u32) -> Option<usize> {
///     Some(position(x, a)?.abs_diff(position(x, b)?))
/// }
///
/// #[device]
/// fn summary(x: &[u32], key: u32) -> u32 {
///     let at = position(x, key);
///     if at.is_none() || !at.is_some() || at == Some(9) {
///         return 100;
///     }
///     let even = at.filter(|i| *i % 2 == 0).or(Some(5)).unwrap();
///     let next = at.and_then(|i| if i > 0 { Some(i - 1) } else { None }).unwrap_or_else(|| 7);
///     let flag = at.is_some_and(|i| i > 1) as u32 + 8 * at.is_none_or(|i| i > 2) as u32;
///     let chosen = (key > 15).then_some(key).unwrap_or_default() + (key > 25).then(|| key / 2).unwrap_or(1);
///     (even + next) as u32 + at.map_or(0, |i| x[i]) + at.map(|i| i * 2).unwrap_or(0) as u32 + flag + chosen
/// }
///
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[0] = summary(x, 30);
///     out[1] = match distance(x, 20, 40) {
///         Some(d) => d as u32,
///         None => 0,
///     };
///     if let Some(at) = position(x, 20) {
///         // In a kernel an element is a value, on the host a reference.
///         out[2] = at as u32 + x.first().copied().unwrap_or_default() / x.last().cloned().unwrap_or(1);
///     }
///     // On `None`, the thread ends and the launch reports this line.
///     out[3] = position(x, 10).expect("10 is there") as u32;
/// }
/// # let device = Device::emulator();
/// # let numbers = [10u32, 20, 30, 40];
/// # let (x, mut out) = (device.upload(&numbers)?, device.zeros::<u32>(4)?);
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [summary(&numbers, 30), 2, 1, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct OptionOf<K: Kind, T: Data> {
    pub(crate) some: K::Scalar<bool>,
    pub(crate) value: T::Of<K>,
}

crate::scalar::var::copied!([K: Kind, T: Data] OptionOf<K, T>);

impl<T: Data> OptionOf<Values, T> {
    /// A value if `some` holds.
    pub(crate) fn new(some: Var<bool>, value: Handle<T>) -> Self {
        OptionOf { some, value }
    }
}

impl<T: Data> Data for Option<T> {
    type Of<K: Kind> = OptionOf<K, T>;
    fn size() -> u64 {
        (T::size() + 1).next_multiple_of(8)
    }
    fn leaves(offset: u64, out: &mut Vec<Leaf>) {
        let first = out.len();
        T::leaves(offset, out);
        let flag = out.len();
        for leaf in &mut out[first..] {
            leaf.flag.get_or_insert((flag, 1));
        }
        out.push(Leaf { ty: ScalarType::Pred, offset: offset + T::size(), flag: None });
    }
    fn bits(self, out: &mut Vec<u64>) {
        match self {
            Some(value) => value.bits(out),
            None => out.extend(leaves::<T>().iter().map(|_| 0)),
        }
        out.push(self.is_some().into());
    }
    fn build<K: Kind>(parts: &mut Parts<'_>) -> OptionOf<K, T> {
        let value = T::build::<K>(parts);
        OptionOf { some: K::scalar(parts.next()), value }
    }
    fn parts<K: Kind>(value: OptionOf<K, T>, out: &mut Vec<Part>) {
        T::parts::<K>(value.value, out);
        out.push(K::part::<bool>(value.some));
    }
}

/// `Some(value)`.
#[track_caller]
pub fn some<X: Valued>(value: X) -> OptionOf<Values, X::Value> {
    OptionOf { some: Var::constant(true), value: value.to() }
}

/// A value of an `Option` or a `Result`, known while staging or only at run time.
#[diagnostic::on_unimplemented(
    message = "this value is not an `Option` or a `Result`",
    label = "not an `Option` or a `Result`",
    note = "`Some`, `None`, `Ok`, `Err` and `?` take one apart"
)]
pub trait Optional: Copy {
    /// `bool` or `Var<bool>`.
    type Test;
    /// The value's handle, or the value.
    type Value;
    /// Whether it has a value.
    fn is_some(self) -> Self::Test;
    /// Whether it is `None`.
    fn is_none(self) -> Self::Test;
    /// The value; undefined for `None`.
    fn payload(self) -> Self::Value;
}

impl<T: Data> Optional for Option<T> {
    type Test = bool;
    type Value = Handle<T>;
    fn is_some(self) -> bool {
        Option::is_some(&self)
    }
    fn is_none(self) -> bool {
        Option::is_none(&self)
    }
    fn payload(self) -> Handle<T> {
        self.map_or_else(|| handle::<T>([]), constant)
    }
}

impl<K: Kind, T: Data> Optional for OptionOf<K, T> {
    type Test = Var<bool>;
    type Value = Handle<T>;
    #[track_caller]
    fn is_some(self) -> Var<bool> {
        read_view::<bool, K>(self.some)
    }
    #[track_caller]
    fn is_none(self) -> Var<bool> {
        !read_view::<bool, K>(self.some)
    }
    #[track_caller]
    fn payload(self) -> Handle<T> {
        read_view::<T, K>(self.value)
    }
}

/// Whether there is a value.
#[track_caller]
pub fn is_some<X: Optional>(option: X) -> X::Test {
    option.is_some()
}

/// Whether there is no value.
#[track_caller]
pub fn is_none<X: Optional>(option: X) -> X::Test {
    option.is_none()
}

/// The value of an `Option` that has one.
#[track_caller]
pub fn payload<X: Optional>(option: X) -> X::Value {
    option.payload()
}

crate::data::tuples::value_of!([T: Data] [T] Option<T>, OptionOf);

macro_rules! compared {
    ($($left:ty, $right:ty;)*) => {$(
        impl<T: Equal> Equate<$right> for $left {
            type Output = Var<bool>;
            #[track_caller]
            fn eq(self, other: $right) -> Var<bool> {
                equal::<Option<T>>(Relation::Eq, self, other)
            }
            #[track_caller]
            fn ne(self, other: $right) -> Var<bool> {
                !equal::<Option<T>>(Relation::Eq, self, other)
            }
        }
    )*};
}

compared! {
    OptionOf<Values, T>, OptionOf<Values, T>;
    OptionOf<Values, T>, Option<T>;
    Option<T>, OptionOf<Values, T>;
}

impl<T: Data> InKernel for OptionOf<Values, T> {}

impl<T: Equal> Equal for Option<T> {
    fn equal(first: OptionOf<Values, T>, second: OptionOf<Values, T>) -> Var<bool> {
        let same = T::equal(first.value, second.value) | !first.some;
        same & bool::equal(first.some, second.some)
    }
}

/// `None` is below `Some`.
impl<T: Ordered> Ordered for Option<T> {
    fn related(
        relation: Relation,
        first: OptionOf<Values, T>,
        second: OptionOf<Values, T>,
    ) -> Var<bool> {
        let within = T::related(relation, first.value, second.value);
        let both = first.some & second.some;
        (both & within) | (!both & bool::related(relation, first.some, second.some))
    }
}

impl<T: Data> Join<Option<T>> for OptionOf<Values, T> {
    type Output = Self;
}

impl<T: Data> Join<OptionOf<Values, T>> for Option<T> {
    type Output = OptionOf<Values, T>;
}

impl<T: Data> Become<OptionOf<Values, T>> for Option<T> {
    fn into_kind(self) -> OptionOf<Values, T> {
        self.to()
    }
}

impl<T: Data> HostMerge<Option<T>> for OptionOf<Values, T> {
    type Output = Self;
    fn first(first: Self) -> Self {
        first
    }
    fn second(second: Option<T>) -> Self {
        second.to()
    }
}

impl<T: Data> HostMerge<OptionOf<Values, T>> for Option<T> {
    type Output = OptionOf<Values, T>;
    fn first(first: Self) -> Self::Output {
        first.to()
    }
    fn second(second: Self::Output) -> Self::Output {
        second
    }
}

impl<T: Data> OptionOf<Values, T> {
    /// Whether there is a value.
    pub fn is_some(self) -> Var<bool> {
        self.some
    }

    /// Whether there is no value.
    #[track_caller]
    pub fn is_none(self) -> Var<bool> {
        !self.some
    }

    /// This `Option`: in a kernel its content is a value, not a reference.
    pub fn copied(self) -> Self {
        self
    }

    /// This `Option`: in a kernel its content is a value, not a reference.
    pub fn cloned(self) -> Self {
        self
    }

    /// The value; on `None`, the thread ends with a report.
    #[track_caller]
    pub fn unwrap(self) -> Handle<T> {
        assertion(self.some, "called `unwrap` on a `None`", || {});
        self.value
    }

    /// The value; on `None`, the thread ends with a report that says `text`.
    #[track_caller]
    pub fn expect(self, text: &'static str) -> Handle<T> {
        assertion(self.some, text, || {});
        self.value
    }

    /// The value, or `other`.
    #[track_caller]
    pub fn unwrap_or(self, other: impl To<T>) -> Handle<T> {
        let (value, other) = (self.value, other.to());
        branch(self.some, || Given::<T>(value), || Given::<T>(other))
    }

    /// The value, or its type's default.
    #[track_caller]
    pub fn unwrap_or_default(self) -> Handle<T>
    where
        T: Default,
    {
        let value = self.value;
        branch(
            self.some,
            || Given::<T>(value),
            || Given::<T>(crate::data::operations::constant::<T>(T::default())),
        )
    }

    /// The value, or the result of `other`.
    #[track_caller]
    pub fn unwrap_or_else<X: To<T>>(self, other: impl FnOnce() -> X) -> Handle<T> {
        let value = self.value;
        branch(self.some, || Given::<T>(value), other)
    }

    /// The value mapped by `f`, if there is one.
    #[track_caller]
    pub fn map<X: Valued>(self, f: impl FnOnce(Handle<T>) -> X) -> OptionOf<Values, X::Value> {
        let value = branch(
            self.some,
            || Given::<X::Value>(f(self.value).to()),
            || Given::<X::Value>(handle::<X::Value>([])),
        );
        OptionOf { some: self.some, value }
    }

    /// The value mapped by `f`, or `other`.
    #[track_caller]
    pub fn map_or<X: Valued>(
        self,
        other: impl To<X::Value>,
        f: impl FnOnce(Handle<T>) -> X,
    ) -> Handle<X::Value> {
        let other = other.to();
        branch(self.some, || Given::<X::Value>(f(self.value).to()), || Given::<X::Value>(other))
    }

    /// Whether there is no value, or the condition holds for it.
    #[track_caller]
    pub fn is_none_or<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> Var<bool>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        let value = self.value;
        (!self.some).or(|| condition(value))
    }

    /// The `Option` that `f` returns for the value; `None` for `None`.
    #[track_caller]
    pub fn and_then<X, U: Data>(self, f: impl FnOnce(Handle<T>) -> X) -> OptionOf<Values, U>
    where
        X: Valued<Value = Option<U>>,
    {
        branch(self.some, || f(self.value), || None::<U>)
    }

    /// This `Option`, or `other` if there is no value.
    #[track_caller]
    pub fn or(self, other: impl To<Option<T>>) -> OptionOf<Values, T> {
        let other = other.to();
        branch(self.some, || self, || other)
    }

    /// The value if the condition holds for it, else `None`.
    #[track_caller]
    pub fn filter<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> OptionOf<Values, T>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        let value = self.value;
        OptionOf { some: self.some.and(|| condition(value)), value }
    }

    /// This `Option`, or the result of `other` if there is no value.
    #[track_caller]
    pub fn or_else<X: To<Option<T>>>(self, other: impl FnOnce() -> X) -> OptionOf<Values, T> {
        branch(self.some, || self, || Given::<Option<T>>(other().to()))
    }

    /// `other`, if there is a value.
    #[track_caller]
    pub fn and<U: Data>(self, other: impl Valued<Value = Option<U>>) -> OptionOf<Values, U> {
        let other = other.to();
        OptionOf { some: self.some & other.some, value: other.value }
    }

    /// The only value of this and `other`, if exactly one of them has one.
    #[track_caller]
    pub fn xor(self, other: impl To<Option<T>>) -> OptionOf<Values, T> {
        let other = other.to();
        let value = branch(self.some, || Given::<T>(self.value), || Given::<T>(other.value));
        OptionOf { some: self.some ^ other.some, value }
    }

    /// Both values, if there are two.
    #[track_caller]
    pub fn zip<U: Data>(self, other: impl Valued<Value = Option<U>>) -> OptionOf<Values, (T, U)> {
        let other = other.to();
        OptionOf { some: self.some & other.some, value: (self.value, other.value) }
    }

    /// The value mapped by `f`, or the result of `other`.
    #[track_caller]
    pub fn map_or_else<X: Valued, Y: To<X::Value>>(
        self,
        other: impl FnOnce() -> Y,
        f: impl FnOnce(Handle<T>) -> X,
    ) -> Handle<X::Value> {
        branch(
            self.some,
            || Given::<X::Value>(f(self.value).to()),
            || Given::<X::Value>(other().to()),
        )
    }

    /// This `Option`: in a kernel its content is a value, not a reference.
    pub fn as_ref(self) -> Self {
        self
    }

    /// Whether there is a value for which the condition holds.
    #[track_caller]
    pub fn is_some_and<C>(self, condition: impl FnOnce(Handle<T>) -> C) -> Var<bool>
    where
        Var<bool>: Connect<C, Output = Var<bool>>,
    {
        self.some.and(|| condition(self.value))
    }
}

impl<T: Data> OptionOf<Values, Option<T>> {
    /// The inner `Option`, or `None`.
    #[track_caller]
    pub fn flatten(self) -> OptionOf<Values, T> {
        OptionOf { some: self.some & self.value.some, value: self.value.value }
    }
}

impl<T: Data, U: Data> OptionOf<Values, (T, U)> {
    /// An `Option` of each part.
    pub fn unzip(self) -> (OptionOf<Values, T>, OptionOf<Values, U>) {
        (OptionOf::new(self.some, self.value.0), OptionOf::new(self.some, self.value.1))
    }
}

impl Var<bool> {
    /// `Some(value)` if this is true, else `None`.
    #[track_caller]
    pub fn then_some<X: Valued>(self, value: X) -> OptionOf<Values, X::Value> {
        OptionOf { some: self, value: value.to() }
    }

    /// `Some` of the result of `f` if this is true; `f` is staged only in that branch.
    #[track_caller]
    pub fn then<X: Valued>(self, f: impl FnOnce() -> X) -> OptionOf<Values, X::Value> {
        let value = branch(
            self,
            || Given::<X::Value>(f().to()),
            || Given::<X::Value>(handle::<X::Value>([])),
        );
        OptionOf { some: self, value }
    }
}
