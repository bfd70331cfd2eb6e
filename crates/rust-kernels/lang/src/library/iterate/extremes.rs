//! Methods that end a chain with one of its elements: `min_by`, `max_by_key`, `last` and others.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values, leaves};
use crate::data::operations;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::current::with;
use crate::emit::value::{Value, wrap};
use crate::flow::branch::if_then;
use crate::library::iterate::{Iter, State, Stream};
use crate::library::option::OptionOf;
use crate::library::ordered::Ordered;
use crate::library::ordering::OrderingOf;
use crate::scalar::compare::{Connect, Relation};
use crate::scalar::var::Var;
use lanework_ptx::ScalarType;

/// The type of an integer; `None` for any other type.
fn integer_of<T: Data>() -> Option<ScalarType> {
    let plain = std::any::type_name::<T>();
    match leaves::<T>().as_slice() {
        [leaf] if INTEGERS.contains(&plain) => Some(leaf.ty),
        _ => None,
    }
}

/// Types whose values are integers. (A struct of one integer has an order of its own.)
const INTEGERS: [&str; 10] =
    ["u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize"];

/// The smallest and the largest integer of a type.
fn limits(ty: ScalarType) -> [i128; 2] {
    let bits = 8 * ty.size();
    match ty.is_signed() {
        true => [-(1 << (bits - 1)), (1 << (bits - 1)) - 1],
        false => [0, (1 << bits) - 1],
    }
}

/// The type of an iterator's elements.
type ItemValue<S> = <<S as Stream>::Item as Valued>::Value;

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn summary(x: &[i32]) -> i32 {
///     let halves = x.iter().filter_map(|&v| if v % 2 == 0 { Some(v / 2) } else { None }).sum::<i32>();
///     let least = x.iter().copied().min_by(|a, b| b.cmp(a)).unwrap_or(0);
///     let most = x.iter().copied().max_by(|a, b| b.cmp(a)).unwrap_or(0);
///     let (at, _) = x.iter().copied().enumerate().max_by_key(|&(_, v)| v * v).unwrap_or((0, 0));
///     let near = x.iter().copied().min_by_key(|v| (*v - 5).abs()).unwrap_or(0);
///     let before = x.iter().map_while(|&v| v.checked_sub(-2147483640)).count() as i32;
///     let after = x.iter().skip_while(|v| **v > 0).copied().sum::<i32>();
///     let both = x.iter().chain(x.iter().rev()).copied().fold(0, |sum, v| sum * 3 + v);
///     halves + 10 * least + 100 * most + 1000 * at as i32 + 3 * near + 7 * before + 11 * after
///         + both + 13 * x.iter().copied().last().unwrap_or(0)
/// }
///
/// #[kernel]
/// fn example(x: &[i32], out: &mut [i32]) {
///     out[0] = summary(x);
/// }
/// # let device = Device::emulator();
/// for x in [vec![4, -9, 6, 9], vec![7, 3, 3, -2, 8]] {
///     let on = device.upload(&x)?;
///     let mut out = device.zeros::<i32>(1)?;
///     example(&on, &mut out).grid(1).block(1).launch(&device)?;
///     assert_eq!(out.download()?, [summary(&x)]);
/// }
/// # Ok::<(), lanework::Error>(())
/// ```
impl<S: Stream<Item: Valued + Copy>> Iter<S> {
    /// The last element; `None` if there are no elements.
    #[track_caller]
    pub fn last(self) -> OptionOf<Values, ItemValue<S>> {
        self.chosen(|_, _| Var::constant(true))
    }

    /// The smallest element, of equal ones the first; `None` if there are no elements.
    #[track_caller]
    pub fn min(self) -> OptionOf<Values, ItemValue<S>>
    where
        ItemValue<S>: Ordered + Ord,
    {
        match integer_of::<ItemValue<S>>() {
            Some(ty) => self.extreme(Operation::Min, limits(ty)[1], ty),
            None => self.chosen(|best, item| ItemValue::<S>::related(Relation::Gt, best, item)),
        }
    }

    /// The largest element, of equal ones the last; `None` if there are no elements.
    #[track_caller]
    pub fn max(self) -> OptionOf<Values, ItemValue<S>>
    where
        ItemValue<S>: Ordered + Ord,
    {
        match integer_of::<ItemValue<S>>() {
            Some(ty) => self.extreme(Operation::Max, limits(ty)[0], ty),
            None => self.chosen(|best, item| ItemValue::<S>::related(Relation::Le, best, item)),
        }
    }

    /// The extreme of integers.
    #[track_caller]
    fn extreme(self, op: Operation, start: i128, ty: ScalarType) -> OptionOf<Values, ItemValue<S>> {
        let some = State::<bool>::new(Var::constant(false));
        let start = Value::Constant(wrap(start, ty));
        let state = State::<ItemValue<S>>::new(operations::handle::<ItemValue<S>>([start]));
        self.consume(|item| {
            some.set(Var::constant(true));
            let word = |value| operations::values::<ItemValue<S>>(value)[0];
            let (old, new) = (word(state.get()), word(item.to()));
            let value = with(|b| binary(b, op, ty, old, new));
            state.set(operations::handle::<ItemValue<S>>([value]));
        });
        OptionOf::new(some.get(), state.get())
    }

    /// The smallest element by a comparison; of equal ones the first.
    #[track_caller]
    pub fn min_by(
        self,
        compare: impl Fn(Handle<ItemValue<S>>, Handle<ItemValue<S>>) -> OrderingOf<Values>,
    ) -> OptionOf<Values, ItemValue<S>> {
        self.chosen(|best, item| compare(best, item).is_gt())
    }

    /// The largest element by a comparison; of equal ones the last.
    #[track_caller]
    pub fn max_by(
        self,
        compare: impl Fn(Handle<ItemValue<S>>, Handle<ItemValue<S>>) -> OrderingOf<Values>,
    ) -> OptionOf<Values, ItemValue<S>> {
        self.chosen(|best, item| compare(best, item).is_le())
    }

    /// The element with the smallest key; of equal ones the first.
    #[track_caller]
    pub fn min_by_key<R: Valued<Value: Ordered>>(
        self,
        key: impl Fn(Handle<ItemValue<S>>) -> R,
    ) -> OptionOf<Values, ItemValue<S>> {
        self.by_key(key, |best, item| R::Value::related(Relation::Lt, item, best))
    }

    /// The element with the largest key; of equal ones the last.
    #[track_caller]
    pub fn max_by_key<R: Valued<Value: Ordered>>(
        self,
        key: impl Fn(Handle<ItemValue<S>>) -> R,
    ) -> OptionOf<Values, ItemValue<S>> {
        self.by_key(key, |best, item| R::Value::related(Relation::Ge, item, best))
    }

    /// The element that the last replacement has chosen.
    #[track_caller]
    fn chosen(
        self,
        replaces: impl Fn(Handle<ItemValue<S>>, Handle<ItemValue<S>>) -> Var<bool>,
    ) -> OptionOf<Values, ItemValue<S>> {
        let some = State::<bool>::new(Var::constant(false));
        let best = State::<ItemValue<S>>::unset();
        self.consume(|item| {
            let item = item.to();
            let first = !some.get();
            if_then(Connect::or(first, || replaces(best.get(), item)), || best.set(item));
            some.set(Var::constant(true));
        });
        OptionOf::new(some.get(), best.get())
    }

    #[track_caller]
    fn by_key<R: Valued>(
        self,
        key: impl Fn(Handle<ItemValue<S>>) -> R,
        replaces: impl Fn(Handle<R::Value>, Handle<R::Value>) -> Var<bool>,
    ) -> OptionOf<Values, ItemValue<S>> {
        let some = State::<bool>::new(Var::constant(false));
        let (best, least) = (State::<ItemValue<S>>::unset(), State::<R::Value>::unset());
        self.consume(|item| {
            let item = item.to();
            let (key, first) = (key(item).to(), !some.get());
            if_then(Connect::or(first, || replaces(least.get(), key)), || {
                best.set(item);
                least.set(key);
            });
            some.set(Var::constant(true));
        });
        OptionOf::new(some.get(), best.get())
    }
}
