//! Elements of tiles: `tile[[row, column]]`.

use super::element::MatrixElement;
use super::swizzle::SwizzleMode;
use super::tile::SharedTile;
use crate::current::here;
use crate::memory::{Get, IndexValue, Locate, Place, Put};
use crate::var::{IntoVar, Var};

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J> Locate<(I, J)>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
{
    type Place = Place<T::Storage>;

    #[track_caller]
    fn locate(&self, (row, column): (I, J)) -> Place<T::Storage> {
        here();
        self.spot(row.parts(), column.parts(), 1)
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J> Get<(I, J)>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
{
    type Output = Var<T::Storage>;

    #[track_caller]
    fn get(&self, index: (I, J)) -> Var<T::Storage> {
        self.locate(index).load_with("")
    }
}

impl<T, const ROWS: u32, const COLUMNS: u32, S, I, J, V> Put<(I, J), V>
    for SharedTile<T, ROWS, COLUMNS, S>
where
    T: MatrixElement,
    S: SwizzleMode,
    I: IndexValue,
    J: IndexValue,
    V: IntoVar<T::Storage>,
{
    #[track_caller]
    fn put(&self, index: (I, J), value: V) {
        self.locate(index).store(value);
    }
}
