//! Main loop with tensor-core accumulation along the whole K.

use super::form::{Form, GROUP, ROWS};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// The sums of this warpgroup's rows of a tile over `steps` stages. Of each factor's two tile arrays, one is empty.
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
    #[constant] form: Form,
) -> FragmentC<D, GROUP, COLUMNS> {
    let mut sums = Accumulator::<D, COLUMNS>::zero();
    for step in 0..steps {
        let stage = consumer.wait();
        multiply(sums, a_by_rows, a_by_columns, b_by_columns, b_by_rows, stage.index, group, form);
        // The previous stage's products are done, so it may be refilled.
        sums.wait(1);
        if step > 0 {
            release_previous(consumer, within, beside, form);
        }
    }
    let finished = sums.finish();
    release_last(consumer, within, beside, form);
    finished
}

/// Starts the products of a stage for the upper (`half` = 0) or lower (1) 64 rows of A.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn multiply<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
    const COLUMNS: u32,
>(
    sums: Accumulator<D, COLUMNS>,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, COLUMNS, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, COLUMNS>,
    stage: u32,
    half: u32,
    #[constant] form: Form,
) {
    if form.along_k.0 && form.along_k.1 {
        let left = a_by_rows[stage].rows::<GROUP>(half * GROUP);
        sums.multiply(left, b_by_columns[stage].t());
    } else if form.along_k.0 {
        let left = a_by_rows[stage].rows::<GROUP>(half * GROUP);
        sums.multiply(left, b_by_rows[stage]);
    } else if form.along_k.1 {
        let left = a_by_columns[stage].panel::<GROUP>(half);
        sums.multiply(left.t(), b_by_columns[stage].t());
    } else {
        let left = a_by_columns[stage].panel::<GROUP>(half);
        sums.multiply(left.t(), b_by_rows[stage]);
    }
}

/// Releases the last step's stage, whose products are done.
#[device]
pub fn release_last(consumer: Consumer, within: u32, beside: bool, #[constant] form: Form) {
    if !form.shares() {
        if within == 0 {
            consumer.release_last();
        }
    } else if beside {
        consumer.release_last_to(within);
    }
}

/// Releases the previous step's stage.
#[device]
pub fn release_previous(consumer: Consumer, within: u32, beside: bool, #[constant] form: Form) {
    if !form.shares() {
        if within == 0 {
            consumer.release_previous();
        }
    } else if beside {
        consumer.release_previous_to(within);
    }
}
