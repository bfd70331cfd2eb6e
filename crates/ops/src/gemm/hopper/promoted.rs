//! Sums of 8-bit floats that are f32 sums: tensor cores sum such products with fewer bits than an f32 has, so the sums of each stage, 128
//! of K, are added to others in registers. The warpgroups take turns: while one adds, the products that the other one has started run.

use super::form::{Form, GROUP, ROWS};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement};
use lanework::prelude::*;

/// The sums of this warpgroup's rows of a tile, of `steps` stages. Both factors have K adjacent.
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
    mine_next: NamedBarrier,
    others_next: NamedBarrier,
    a: SharedTiles<T, ROWS, DEPTH>,
    b: SharedTiles<U, COLUMNS, DEPTH>,
    group: u32,
    within: u32,
    beside: bool,
    steps: u32,
    #[constant] form: Form,
) -> FragmentC<D, GROUP, COLUMNS> {
    let mut total = FragmentC::<D, GROUP, COLUMNS>::zero();
    let mut sums = Accumulator::<D, COLUMNS>::zero();
    for _ in 0..steps {
        let stage = consumer.wait();
        mine_next.sync();
        let left = a[stage.index].rows::<GROUP>(group * GROUP);
        sums.set_product(left, b[stage.index].t());
        others_next.arrive();
        sums.wait(0);
        if !form.shares() {
            if within == 0 {
                stage.release();
            }
        } else if beside {
            stage.release_to(within);
        }
        let part = sums.finish();
        #[unroll]
        for i in 0..FragmentC::<D, GROUP, COLUMNS>::ELEMENTS {
            total[i] = total[i] + part[i];
        }
    }
    total
}
