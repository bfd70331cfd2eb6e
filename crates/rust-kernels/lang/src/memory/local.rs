//! Arrays at indices known only at run time: `a[i]` of an array of variables, of run-time values or of
//! constants.
//!
//! An array of variables is registers until the first index that is known only at run time. From then on
//! its registers live in local memory: accesses by such an index are loads and stores, and after staging
//! every use of one of its registers gets a load before it and every assignment a store after it
//! ([`spill`]). An array of constants is a table in constant memory. Any other array is copied into local
//! memory before the access. In memory an array has the layout that it has on the host.

mod homes;
mod spill;

use homes::Cell;
pub(crate) use spill::spill;

use super::address::stepped;
use super::index::{Extent, IndexValue};
use super::place::{Base, Place};
use super::registers::{Get, Put};
use crate::current::{Abandon, here, with};
use crate::data::{At, Data, Handle, Places, Target, To, Valued, leaves, operations};
use crate::number::Integer;
use crate::value::{Index, Value};
use crate::var::{Read, Var};
use lanework_abi::IndexKind;

/// The place of element `index` of an array, after a check.
#[track_caller]
fn place_of<X: Valued>(array: &[X], index: Index) -> Place<X::Value> {
    here();
    let size = X::Value::size();
    let mut cells = Vec::new();
    for (k, element) in array.iter().enumerate() {
        let values = operations::values::<X::Value>(element.to());
        for (value, leaf) in values.into_iter().zip(leaves::<X::Value>()) {
            cells.push(Cell { value, ty: leaf.ty, offset: k as u64 * size + leaf.offset });
        }
    }
    with(|b| {
        b.check(index, Value::Constant(array.len() as u64), "array", IndexKind::Array);
        let (space, symbol, offset) = homes::home(b, &cells, size * array.len() as u64);
        let first: Place<X::Value> = Place::new(space, Base::Symbol(symbol), offset);
        stepped(b, first, index, size as i64)
    })
}

impl<X: Valued, I: Integer, const N: usize> Get<Var<I>> for [X; N] {
    type Output = Handle<X::Value>;
    #[track_caller]
    fn get(&self, index: Var<I>) -> Handle<X::Value> {
        operations::load(place_of(self, index.parts()))
    }
}

impl<X, I: Integer, V, const N: usize> Put<Var<I>, V> for [X; N]
where
    X: Target + Valued<Value = <X as Target>::Value>,
    V: To<<X as Target>::Value>,
{
    #[track_caller]
    fn put(&self, index: Var<I>, value: V) {
        operations::save(place_of(self, index.parts()), value.to());
    }
}

impl<X: Valued, I: Integer, const N: usize> At<Var<I>> for [X; N] {
    type Element = <X::Value as Data>::Of<Places>;
    #[track_caller]
    fn at(&self, index: Var<I>) -> Self::Element {
        operations::place::<X::Value, Places>(place_of(self, index.parts()))
    }
}

/// Slices of constants: `const TABLE: &[f32] = &[..];`.
impl<X: Valued, I: Integer> Get<Var<I>> for &[X] {
    type Output = Handle<X::Value>;
    #[track_caller]
    fn get(&self, index: Var<I>) -> Handle<X::Value> {
        operations::load(place_of(self, index.parts()))
    }
}

impl<X: Read, I: Extent> Get<I> for &[X] {
    type Output = X::Value;
    #[track_caller]
    fn get(&self, index: I) -> X::Value {
        here();
        match index.extent().and_then(|at| <[X]>::get(self, at)) {
            Some(element) => element.view(),
            None => {
                with(|b| {
                    b.error(
                        format!(
                            "this index is out of range: the slice has {} elements",
                            self.len()
                        ),
                        "correct the index or the slice's length",
                    );
                });
                std::panic::resume_unwind(Box::new(Abandon))
            }
        }
    }
}
