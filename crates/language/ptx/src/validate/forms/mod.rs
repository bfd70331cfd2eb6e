//! The table of instruction forms; `form.rs` says how a row is read.

mod arithmetic;
mod compare;
mod convert;
mod matrix;
mod memory;
mod others;
mod synchronisation;
mod tensor_memory;

use super::row::Row;

/// All rows.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    let tables = [
        arithmetic::ROWS,
        compare::ROWS,
        convert::ROWS,
        matrix::ROWS,
        memory::ROWS,
        others::ROWS,
        synchronisation::ROWS,
        tensor_memory::ROWS,
    ];
    tables.into_iter().flatten()
}
