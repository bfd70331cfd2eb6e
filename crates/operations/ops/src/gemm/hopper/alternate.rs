//! Sums of a tile that a warpgroup computes alone, while the other one stores those of the tile before and then waits for its turn.

use super::form::{Form, ROWS};
use super::summed::{multiply, release_last, release_previous};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// Adds up the upper and the lower 64 rows of a tile, of `steps` stages. The stages of the tile after it, which are the other warpgroup's,
/// are left out. Of each factor, one of the two arrays has no tiles. `next` is where the other warpgroup waits for its turn, if there is
/// a tile for it: it waits for stages when this one has waited for all of its own, since a barrier tells the last phase alone.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn alone<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
    const COLUMNS: u32,
>(
    upper: Accumulator<D, COLUMNS>,
    lower: Accumulator<D, COLUMNS>,
    consumer: Consumer,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, COLUMNS, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, COLUMNS>,
    within: u32,
    beside: bool,
    steps: u32,
    next: NamedBarrier,
    follows: bool,
    #[constant] form: Form,
) {
    for step in 0..steps {
        let stage = consumer.wait();
        multiply(upper, a_by_rows, a_by_columns, b_by_columns, b_by_rows, stage.index, 0u32, form);
        multiply(lower, a_by_rows, a_by_columns, b_by_columns, b_by_rows, stage.index, 1u32, form);
        if follows && step + 1 == steps {
            next.arrive();
        }
        // The products of the stage before are done: it may be filled again.
        upper.wait(2);
        lower.wait(2);
        if step > 0 {
            release_previous(consumer, within, beside, form);
        }
    }
    upper.wait(0);
    lower.wait(0);
    release_last(consumer, within, beside, form);
    consumer.skip(steps);
}
