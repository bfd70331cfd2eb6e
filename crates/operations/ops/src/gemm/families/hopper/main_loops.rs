//! The three main loops of the Hopper kernel.
//!
//! - [`summed`]: tensor cores accumulate along the whole K.
//! - [`promoted`], for 8-bit floats with f32 accuracy: tensor cores accumulate such products with fewer bits than f32, so each
//!   stage's sums (128 of K) are added to f32 registers. Two accumulators alternate: one is added while the other receives the next
//!   stage's products.
//! - [`alone`] (ping-pong): a warpgroup computes a whole tile while the other stores the previous tile and waits for its turn.

use super::config::{GROUP, HopperConfig, ROWS};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement, STAGED};
use lanework::prelude::*;

/// The sums of this warpgroup's rows of a tile over `steps` stages. One of each factor's two tile arrays is empty.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn summed<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
>(
    consumer: Consumer,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, STAGED, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, STAGED>,
    group: u32,
    within: u32,
    beside: bool,
    steps: u32,
    #[constant] config: HopperConfig,
) -> FragmentC<D, GROUP, STAGED> {
    let mut sums = Accumulator::<D, STAGED>::zero_of(config.columns);
    for step in 0..steps {
        let stage = consumer.wait();
        multiply(
            sums,
            a_by_rows,
            a_by_columns,
            b_by_columns,
            b_by_rows,
            stage.index,
            group,
            config,
        );
        // The previous stage's products are done, so it may be refilled.
        sums.wait(1);
        if step > 0 {
            release_previous(consumer, within, beside, config);
        }
    }
    let finished = sums.finish();
    release_last(consumer, within, beside, config);
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
>(
    sums: Accumulator<D, STAGED>,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, STAGED, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, STAGED>,
    stage: u32,
    half: u32,
    #[constant] config: HopperConfig,
) {
    if config.along_k.0 && config.along_k.1 {
        let left = a_by_rows[stage].rows::<GROUP>(half * GROUP);
        sums.multiply(left, b_by_columns[stage].t());
    } else if config.along_k.0 {
        let left = a_by_rows[stage].rows::<GROUP>(half * GROUP);
        sums.multiply(left, b_by_rows[stage]);
    } else if config.along_k.1 {
        let left = a_by_columns[stage].panel::<GROUP>(half);
        sums.multiply(left.t(), b_by_columns[stage].t());
    } else {
        let left = a_by_columns[stage].panel::<GROUP>(half);
        sums.multiply(left.t(), b_by_rows[stage]);
    }
}

/// Releases the last step's stage, whose products are done.
#[device]
pub fn release_last(
    consumer: Consumer,
    within: u32,
    beside: bool,
    #[constant] config: HopperConfig,
) {
    if !config.shares() {
        if within == 0 {
            consumer.release_last();
        }
    } else if beside {
        consumer.release_last_to(within);
    }
}

/// Releases the previous step's stage.
#[device]
pub fn release_previous(
    consumer: Consumer,
    within: u32,
    beside: bool,
    #[constant] config: HopperConfig,
) {
    if !config.shares() {
        if within == 0 {
            consumer.release_previous();
        }
    } else if beside {
        consumer.release_previous_to(within);
    }
}

/// The sums of this warpgroup's rows of a tile over `steps` stages, an even number. Both factors are adjacent along K.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn promoted<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
>(
    consumer: Consumer,
    a: SharedTiles<T, ROWS, DEPTH>,
    b: SharedTiles<U, STAGED, DEPTH>,
    group: u32,
    within: u32,
    beside: bool,
    steps: u32,
    #[constant] config: HopperConfig,
) -> FragmentC<D, GROUP, STAGED> {
    let mut total = FragmentC::<D, GROUP, STAGED>::zero_of(config.columns);
    let mut first = Accumulator::<D, STAGED>::zero_of(config.columns);
    let mut second = Accumulator::<D, STAGED>::zero_of(config.columns);
    for _ in (0..steps).step_by(2) {
        let stage = consumer.wait();
        first.set_product(a[stage.index].rows::<GROUP>(group * GROUP), b[stage.index].t());
        let stage = consumer.wait();
        second.set_product(a[stage.index].rows::<GROUP>(group * GROUP), b[stage.index].t());
        let part = first.finish_before(1);
        if !config.shares() {
            if within == 0 {
                consumer.release_previous();
            }
        } else if beside {
            consumer.release_previous_to(within);
        }
        #[unroll]
        for i in 0..total.elements() {
            total[i] = total[i] + part[i];
        }
        let part = second.finish();
        if !config.shares() {
            if within == 0 {
                stage.release();
            }
        } else if beside {
            stage.release_to(within);
        }
        #[unroll]
        for i in 0..total.elements() {
            total[i] = total[i] + part[i];
        }
    }
    total
}

/// Accumulates the upper and lower 64 rows of a tile over `steps` stages, then skips the stages of the next tile,
/// which belongs to the other warpgroup. One of each factor's two tile arrays is empty. `next` is the barrier at
/// which the other warpgroup waits for its turn, if it has a tile. First this warpgroup waits until all its own stages
/// are full, because a barrier can distinguish only adjacent phases.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn alone<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
>(
    upper: Accumulator<D, STAGED>,
    lower: Accumulator<D, STAGED>,
    consumer: Consumer,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, STAGED, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, STAGED>,
    within: u32,
    beside: bool,
    steps: u32,
    next: NamedBarrier,
    follows: bool,
    #[constant] config: HopperConfig,
) {
    for step in 0..steps {
        let stage = consumer.wait();
        multiply(
            upper,
            a_by_rows,
            a_by_columns,
            b_by_columns,
            b_by_rows,
            stage.index,
            0u32,
            config,
        );
        multiply(
            lower,
            a_by_rows,
            a_by_columns,
            b_by_columns,
            b_by_rows,
            stage.index,
            1u32,
            config,
        );
        if follows && step + 1 == steps {
            next.arrive();
        }
        // The previous stage's products are done, so it may be refilled.
        upper.wait(2);
        lower.wait(2);
        if step > 0 {
            release_previous(consumer, within, beside, config);
        }
    }
    upper.wait(0);
    lower.wait(0);
    release_last(consumer, within, beside, config);
    consumer.skip(steps);
}
