//! Sums of a tile, as tensor cores add them up along the whole of K.

use super::form::{Form, GROUP, ROWS};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// The sums of this warpgroup's rows of a tile, of `steps` stages. Of each factor, one of the two arrays has no tiles. `turn` is where
/// the second of two staggered warpgroups waits for the first one.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn summed<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
    const COLUMNS: u32,
>(
    consumer: Consumer,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, COLUMNS, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, COLUMNS>,
    group: u32,
    within: u32,
    beside: bool,
    steps: u32,
    turn: NamedBarrier,
    #[constant] form: Form,
) -> FragmentC<D, GROUP, COLUMNS> {
    let mut sums = Accumulator::<D, COLUMNS>::zero();
    let pause = if form.staggered { steps - form.stages } else { steps };
    for step in 0..steps {
        if form.staggered {
            if step == pause {
                // The steps that follow take all stages, this one's, too.
                sums.wait(0);
                release_last(consumer, within, beside, form);
                if group == 1 {
                    turn.sync();
                }
            }
        }
        let stage = consumer.wait();
        if form.along_k.0 && form.along_k.1 {
            let left = a_by_rows[stage.index].rows::<GROUP>(group * GROUP);
            sums.multiply(left, b_by_columns[stage.index].t());
        } else if form.along_k.0 {
            let left = a_by_rows[stage.index].rows::<GROUP>(group * GROUP);
            sums.multiply(left, b_by_rows[stage.index]);
        } else if form.along_k.1 {
            let left = a_by_columns[stage.index].panel::<GROUP>(group);
            sums.multiply(left.t(), b_by_columns[stage.index].t());
        } else {
            let left = a_by_columns[stage.index].panel::<GROUP>(group);
            sums.multiply(left.t(), b_by_rows[stage.index]);
        }
        if form.staggered {
            if group == 0 && step + 1 == steps {
                turn.arrive();
            }
        }
        // The products of the stage before are done: it may be filled again.
        sums.wait(1);
        if step > 0 && step != pause {
            if !form.shares() {
                if within == 0 {
                    consumer.release_previous();
                }
            } else if beside {
                consumer.release_previous_to(within);
            }
        }
    }
    let finished = sums.finish();
    release_last(consumer, within, beside, form);
    finished
}

/// Releases the stage of the last step, whose products are done.
#[device]
fn release_last(consumer: Consumer, within: u32, beside: bool, #[constant] form: Form) {
    if !form.shares() {
        if within == 0 {
            consumer.release_last();
        }
    } else if beside {
        consumer.release_last_to(within);
    }
}
