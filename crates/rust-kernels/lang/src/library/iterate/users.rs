//! Users' iterators: types with a `#[device] impl` of `Iterator`. Each element is a call of their `next`.

use crate::data::convert::{To, Valued};
use crate::data::leaves::{Data, Handle, Values, Variables};
use crate::data::operations;
use crate::emit::arithmetic::Operation;
use crate::emit::current::break_loop;
use crate::flow::branch::if_then;
use crate::flow::loops::endless_loop;
use crate::library::iterate::adapters::{Filter, FilterMap, Map, MapWhile, SkipWhile, TakeWhile};
use crate::library::iterate::counted::{
    CountedEnumerate, CountedSkip, CountedTake, StreamAdapters,
};
use crate::library::iterate::sources::IntoStream;
use crate::library::iterate::{Iter, State, Stream, operate, usize_of};
use crate::library::option::{OptionOf, payload};
use crate::library::ordered::Ordered;
use crate::scalar::compare::Condition;
use crate::scalar::number::{IndexValue, Number};
use crate::scalar::var::{IntoVar, Var};

/// A type with a `#[device] impl` of `Iterator`.
pub trait Next: Data {
    /// An element.
    type Item: Data;
    /// The next element.
    #[doc(hidden)]
    fn next_item(of: Self::Of<Variables>) -> Handle<Option<Self::Item>>;
}

/// The elements of a user's iterator, which is a value.
pub struct Pulled<T: Data>(Handle<T>);

/// The elements of a user's iterator in a variable, which the loop changes.
pub struct PulledFrom<T: Data>(T::Of<Variables>);

crate::scalar::var::copied!([T: Data] Pulled<T>);
crate::scalar::var::copied!([T: Data] PulledFrom<T>);

/// The elements of a user's iterator.
pub fn pulled<T: Next>(of: Handle<T>) -> Iter<Pulled<T>> {
    Iter(Pulled(of))
}

/// The elements of a user's iterator in a variable.
pub fn pulled_from<T: Next>(of: T::Of<Variables>) -> Iter<PulledFrom<T>> {
    Iter(PulledFrom(of))
}

impl<T: Next> Stream for PulledFrom<T> {
    type Item = Handle<T::Item>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        endless_loop(name, || {
            let item = T::next_item(self.0);
            if_then(item.is_none(), || break_loop(None));
            body(payload(item));
        });
    }
}

impl<T: Next> Stream for Pulled<T> {
    type Item = Handle<T::Item>;
    #[track_caller]
    fn each(&self, name: Option<&'static str>, body: &mut dyn FnMut(Self::Item)) {
        let state = operations::variable::<T>();
        operations::set::<T, Variables>(state, self.0);
        PulledFrom::<T>(state).each(name, body);
    }
}

/// Stages the loop of a `for` over a user's iterator. `body` takes the position of each element, too.
#[track_caller]
pub fn each_pulled<S: Stream>(
    of: Iter<S>,
    name: Option<&'static str>,
    body: &mut dyn FnMut(Var<usize>, S::Item),
) {
    let count = State::<usize>::new(usize_of(0));
    of.0.each(name, &mut |item| {
        let now = count.get();
        count.set(operate(Operation::Add, now, usize_of(1)));
        body(now, item);
    });
}

type ItemOf<X> = <<X as IntoStream>::Stream as Stream>::Item;
type ItemValue<X> = <ItemOf<X> as Valued>::Value;

/// The methods of Rust's iterators, for users' iterators.
pub trait UserIterator: IntoStream<Stream: Copy> + Copy {
    /// This iterator.
    fn by_ref(self) -> Iter<Self::Stream> {
        self.stream()
    }
    /// Each element mapped by `f`.
    fn map<R, F: Fn(ItemOf<Self>) -> R>(self, f: F) -> Iter<Map<Self::Stream, F>> {
        self.stream().map(f)
    }
    /// The elements for which the condition holds.
    fn filter<C: Condition, F: Fn(ItemOf<Self>) -> C>(self, f: F) -> Iter<Filter<Self::Stream, F>> {
        self.stream().filter(f)
    }
    /// The contents of the options that are `Some`.
    fn filter_map<T: Data, F: Fn(ItemOf<Self>) -> OptionOf<Values, T>>(
        self,
        f: F,
    ) -> Iter<FilterMap<Self::Stream, F>> {
        self.stream().filter_map(f)
    }
    /// The contents of the options before the first `None`.
    fn map_while<T: Data, F: Fn(ItemOf<Self>) -> OptionOf<Values, T>>(
        self,
        f: F,
    ) -> Iter<MapWhile<Self::Stream, F>> {
        self.stream().map_while(f)
    }
    /// The elements before the first for which the condition does not hold.
    fn take_while<C: Condition, F: Fn(ItemOf<Self>) -> C>(
        self,
        f: F,
    ) -> Iter<TakeWhile<Self::Stream, F>> {
        self.stream().take_while(f)
    }
    /// The elements from the first on for which the condition does not hold.
    fn skip_while<C: Condition, F: Fn(ItemOf<Self>) -> C>(
        self,
        f: F,
    ) -> Iter<SkipWhile<Self::Stream, F>> {
        self.stream().skip_while(f)
    }
    /// Each element with its position.
    fn enumerate(self) -> Iter<CountedEnumerate<Self::Stream>> {
        StreamAdapters::enumerate(&self.stream())
    }
    /// The first `n` elements.
    #[track_caller]
    fn take(self, n: impl IndexValue) -> Iter<CountedTake<Self::Stream>> {
        StreamAdapters::take(&self.stream(), n)
    }
    /// The elements after the first `n`.
    #[track_caller]
    fn skip(self, n: impl IndexValue) -> Iter<CountedSkip<Self::Stream>> {
        StreamAdapters::skip(&self.stream(), n)
    }
    /// Calls `f` with each element.
    #[track_caller]
    fn for_each<R>(self, f: impl Fn(ItemOf<Self>) -> R) {
        self.stream().for_each(f);
    }
    /// Folds the elements.
    #[track_caller]
    fn fold<A: Valued, R: To<A::Value>>(
        self,
        start: A,
        f: impl Fn(Handle<A::Value>, ItemOf<Self>) -> R,
    ) -> Handle<A::Value> {
        self.stream().fold(start, f)
    }
    /// The sum of the elements.
    #[track_caller]
    fn sum<T: Number>(self) -> Var<T>
    where
        ItemOf<Self>: IntoVar<T>,
    {
        self.stream().sum()
    }
    /// The product of the elements.
    #[track_caller]
    fn product<T: Number>(self) -> Var<T>
    where
        ItemOf<Self>: IntoVar<T>,
    {
        self.stream().product()
    }
    /// The number of elements.
    #[track_caller]
    fn count(self) -> Var<usize> {
        self.stream().count()
    }
    /// Whether the condition holds for any element.
    #[track_caller]
    fn any<C: Condition>(self, f: impl Fn(ItemOf<Self>) -> C) -> Var<bool> {
        self.stream().any(f)
    }
    /// Whether the condition holds for every element.
    #[track_caller]
    fn all<C: Condition>(self, f: impl Fn(ItemOf<Self>) -> C) -> Var<bool> {
        self.stream().all(f)
    }
    /// The position of the first element for which the condition holds.
    #[track_caller]
    fn position<C: Condition>(self, f: impl Fn(ItemOf<Self>) -> C) -> OptionOf<Values, usize> {
        self.stream().position(f)
    }
    /// The first element for which the condition holds.
    #[track_caller]
    fn find<C: Condition>(self, f: impl Fn(ItemOf<Self>) -> C) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued,
    {
        self.stream().find(f)
    }
    /// Element `n`, counted from 0.
    #[track_caller]
    fn nth(self, n: impl IntoVar<usize>) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued,
    {
        self.stream().nth(n)
    }
    /// The last element.
    #[track_caller]
    fn last(self) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued,
    {
        self.stream().last()
    }
    /// The smallest element.
    #[track_caller]
    fn min(self) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued<Value: Ordered + Ord>,
    {
        self.stream().min()
    }
    /// The largest element.
    #[track_caller]
    fn max(self) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued<Value: Ordered + Ord>,
    {
        self.stream().max()
    }
    /// The element with the smallest key.
    #[track_caller]
    fn min_by_key<R: Valued<Value: Ordered>>(
        self,
        key: impl Fn(Handle<ItemValue<Self>>) -> R,
    ) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued,
    {
        self.stream().min_by_key(key)
    }
    /// The element with the largest key.
    #[track_caller]
    fn max_by_key<R: Valued<Value: Ordered>>(
        self,
        key: impl Fn(Handle<ItemValue<Self>>) -> R,
    ) -> OptionOf<Values, ItemValue<Self>>
    where
        ItemOf<Self>: Valued,
    {
        self.stream().max_by_key(key)
    }
}
