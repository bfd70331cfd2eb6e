//! Ping-pong main loop: a warpgroup computes a whole tile while the other stores the previous tile and waits for its turn.

use super::form::{Form, ROWS};
use super::summed::{multiply, release_last, release_previous};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// Accumulates the upper and lower 64 rows of a tile over `steps` stages, then skips the stages of the next tile, which belong to
/// the other warpgroup. Of each factor's two tile arrays, one is empty. `next` is the barrier at which the other warpgroup waits
/// for its turn, if it has a tile. This warpgroup first waits for all of its own stages, because a barrier distinguishes only
/// adjacent phases.
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
        // The previous stage's products are done, so it may be refilled.
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
