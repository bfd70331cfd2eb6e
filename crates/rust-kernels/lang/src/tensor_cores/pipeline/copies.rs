//! `cp.async`, and a thread's part of the copies of a tile.

use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::control::if_then;
use crate::current::with;
use crate::memory::{Place, Space};
use crate::operation::Operation;
use crate::scalar::Scalar;
use crate::tensor_cores::element::MatrixElement;
use crate::tensor_cores::source::{Matrix, Source};
use crate::tensor_cores::swizzle::SwizzleMode;
use crate::tensor_cores::tile::SharedTile;
use crate::tensor_cores::words::{add, constant, mul, word};
use crate::value::{Index, Value};
use crate::var::Var;
use lanework_ptx::{Operand, ScalarType};

/// `cp.async` of `bytes`.
pub(super) fn copy<T>(
    b: &mut Builder,
    (cache, bytes): (&str, u32),
    to: Place<T>,
    from: Place<T>,
    have: Option<Value>,
) {
    if to.space != Space::Shared || from.space != Space::Global {
        b.error("this copies from global to shared memory", "exchange the two places");
        return;
    }
    let mut operands = vec![to.operand(b), from.operand(b), Operand::integer(bytes)];
    operands.extend(have.map(|have| b.operand(have, ScalarType::U32)));
    b.emit(&format!("cp.async.{cache}.shared.global"), operands);
}

/// A thread's part of a tile's copies.
pub(super) fn copy_tile<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
    tile: SharedTile<T, R, C, S>,
    source: Matrix<T::Storage>,
    (row, column): (Value, Value),
    (thread, threads): (Index, Option<usize>),
    rows: Option<Value>,
) {
    let chunks = R * (C * T::BITS / 128).max(1);
    let threads = threads.and_then(|threads| u32::try_from(threads).ok()).unwrap_or(0);
    if threads == 0 {
        with(|b| b.error("no threads share the copies of this tile", "give at least 1"));
        return;
    }
    let thread = with(|b| word(b, thread));
    for turn in 0..chunks.div_ceil(threads) {
        let linear = with(|b| add(b, thread, constant(turn * threads)));
        let one = || copy_chunk(tile, source, (row, column), linear, rows);
        if (turn + 1) * threads <= chunks {
            one();
        } else {
            // Not every thread has one more.
            let has = with(|b| relate(b, Relation::Lt, ScalarType::U32, linear, constant(chunks)));
            if_then(Var::<bool>::new(has), one);
        }
    }
}

/// Copy `linear` of a tile, counted by rows.
fn copy_chunk<T: MatrixElement, const R: u32, const C: u32, S: SwizzleMode>(
    tile: SharedTile<T, R, C, S>,
    source: Matrix<T::Storage>,
    (row, column): (Value, Value),
    linear: Value,
    rows: Option<Value>,
) {
    let ty = ScalarType::U32;
    let in_row = (C * T::BITS / 128).max(1);
    let scalars = 16 / T::Storage::SCALAR.size();
    let index = |value| Index { value, ty };
    let (line, chunk, at, have) = with(|b| {
        let line = binary(b, Operation::Div, ty, linear, constant(in_row));
        let chunk = binary(b, Operation::Rem, ty, linear, constant(in_row));
        let chunk = mul(b, chunk, scalars);
        let mut at = (add(b, row, line), add(b, column, chunk));
        let have = rows.map(|rows| {
            let down = relate(b, Relation::Lt, ty, at.0, rows);
            let across = relate(b, Relation::Lt, ty, at.1, source.columns);
            let inside = binary(b, Operation::And, ScalarType::Pred, down, across);
            at = (select(b, inside, at.0, 0), select(b, inside, at.1, 0));
            select(b, inside, constant(16), 0)
        });
        (line, chunk, at, have)
    });
    let to = tile.spot(index(line), index(chunk), scalars);
    let from = source.spot(index(at.0), index(at.1), scalars);
    with(|b| copy(b, ("cg", 16), to, from, have));
}

/// `condition ? value : other`.
fn select(b: &mut Builder, condition: Value, value: Value, other: u32) -> Value {
    let ty = ScalarType::U32;
    match condition {
        Value::Constant(0) => constant(other),
        Value::Constant(_) => value,
        _ => {
            let inputs = [(value, ty), (constant(other), ty), (condition, ScalarType::Pred)];
            b.pure("selp.u32", ty, &inputs)
        }
    }
}
