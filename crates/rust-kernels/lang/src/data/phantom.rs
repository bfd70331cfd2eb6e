//! `PhantomData` in kernels: a value without scalars, which is its own handle, variable and place.

use crate::data::convert::{To, Valued};
use crate::data::generic::InKernel;
use crate::data::leaves::{Data, Kind, Leaf, Part, Parts, Variables};
use crate::data::variable::{Exclusive, IntoVariable, Loan, Receive, Target, lend};
use crate::scalar::var::Read;
use std::marker::PhantomData;

impl<T: 'static> Data for PhantomData<T> {
    type Of<K: Kind> = PhantomData<T>;
    fn leaves(_: u64, _: &mut Vec<Leaf>) {}
    fn bits(self, _: &mut Vec<u64>) {}
    fn build<K: Kind>(_: &mut Parts<'_>) -> Self {
        PhantomData
    }
    fn parts<K: Kind>(_: Self, _: &mut Vec<Part>) {}
}

impl<T: 'static> To<PhantomData<T>> for PhantomData<T> {
    fn to(self) -> Self {
        self
    }
}

impl<T: 'static> Valued for PhantomData<T> {
    type Value = Self;
}

impl<T: 'static> Read for PhantomData<T> {
    type Value = Self;
    fn view(self) -> Self {
        self
    }
    fn copy(self) -> Self {
        self
    }
}

impl<T: 'static> Receive for PhantomData<T> {
    type Receiver = Self;
    fn receive(self) -> Self {
        self
    }
}

impl<T: 'static> IntoVariable for PhantomData<T> {
    type Variable = Self;
    fn into_variable(self) -> Self {
        self
    }
}

impl<T: 'static> Target for PhantomData<T> {
    type Value = Self;
    fn set(self, _: Self) {}
}

impl<T: 'static> Exclusive<PhantomData<T>> for PhantomData<T> {
    fn enter(self) -> (<Self as Data>::Of<Variables>, Loan<Self>) {
        lend::<Self>(self)
    }
}

impl<T: 'static> InKernel for PhantomData<T> {}
