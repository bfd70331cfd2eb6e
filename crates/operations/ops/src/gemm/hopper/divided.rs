//! Split-K within a cluster: every block sends the others their columns, 32 at a time, and reduces its own in block order.

use super::form::{Form, GROUP, SHARE};
use lanework::Element;
use lanework::lang::tensor_cores::MatrixElement;
use lanework::prelude::*;

/// Sends this block's partial sums to the blocks that own the columns. The caller then waits at a cluster barrier.
#[device]
pub fn give<D: MatrixElement<Storage = D> + Element, const COLUMNS: u32>(
    sums: FragmentC<D, GROUP, COLUMNS>,
    given: Shared<D, 3>,
    rank: u32,
    thread: u32,
    #[constant] form: Form,
) {
    #[unroll]
    for i in 0..COLUMNS / SHARE {
        let owner = const { i % form.split };
        if rank != owner {
            let slot = if rank < owner { rank } else { rank - 1 };
            let there = given.of_block(owner);
            let share = sums.columns::<SHARE>(i);
            #[unroll]
            for e in 0..SHARE / 2 {
                there[[slot, i / form.split * (SHARE / 2) + e, thread]] = share[e];
            }
        }
    }
}

/// The reduced sums of column share `at`, which this block owns; `share` holds its own part.
#[device]
pub fn added<D: MatrixElement<Storage = D> + Element>(
    share: FragmentC<D, GROUP, SHARE>,
    given: Shared<D, 3>,
    thread: u32,
    #[constant] at: u32,
    #[constant] form: Form,
) -> FragmentC<D, GROUP, SHARE> {
    let owner = at % form.split;
    let mut summed = FragmentC::<D, GROUP, SHARE>::zero();
    #[unroll]
    for e in 0..SHARE / 2 {
        #[unroll]
        for block in 0..form.split {
            if block == owner {
                summed[e] = summed[e] + share[e];
            } else {
                let slot = if block < owner { block } else { block - 1 };
                let index = at / form.split * (SHARE / 2) + e;
                summed[e] = summed[e] + given[[slot, index, thread]];
            }
        }
    }
    summed
}
