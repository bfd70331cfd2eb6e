//! Main loop for 8-bit floats with f32 accuracy (promotion): tensor cores accumulate such products with fewer bits than f32, so
//! each stage's sums (128 of K) are added to f32 registers. Two accumulators alternate: one is added while the other receives the
//! next stage's products.

use super::form::{Form, GROUP, ROWS};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// The sums of this warpgroup's rows of a tile over `steps` stages, an even number. Both factors are adjacent along K.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn promoted<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    const DEPTH: u32,
    const COLUMNS: u32,
>(
    consumer: Consumer,
    a: SharedTiles<T, ROWS, DEPTH>,
    b: SharedTiles<U, COLUMNS, DEPTH>,
    group: u32,
    within: u32,
    beside: bool,
    steps: u32,
    #[constant] form: Form,
) -> FragmentC<D, GROUP, COLUMNS> {
    let mut total = FragmentC::<D, GROUP, COLUMNS>::zero();
    let mut first = Accumulator::<D, COLUMNS>::zero();
    let mut second = Accumulator::<D, COLUMNS>::zero();
    for _ in (0..steps).step_by(2) {
        let stage = consumer.wait();
        first.set_product(a[stage.index].rows::<GROUP>(group * GROUP), b[stage.index].t());
        let stage = consumer.wait();
        second.set_product(a[stage.index].rows::<GROUP>(group * GROUP), b[stage.index].t());
        let part = first.finish_before(1);
        if !form.shares() {
            if within == 0 {
                consumer.release_previous();
            }
        } else if beside {
            consumer.release_previous_to(within);
        }
        #[unroll]
        for i in 0..FragmentC::<D, GROUP, COLUMNS>::ELEMENTS {
            total[i] = total[i] + part[i];
        }
        let part = second.finish();
        if !form.shares() {
            if within == 0 {
                stage.release();
            }
        } else if beside {
            stage.release_to(within);
        }
        #[unroll]
        for i in 0..FragmentC::<D, GROUP, COLUMNS>::ELEMENTS {
            total[i] = total[i] + part[i];
        }
    }
    total
}
