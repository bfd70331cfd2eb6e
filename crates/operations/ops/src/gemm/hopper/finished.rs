//! Epilogue and stores of a result tile.

use super::super::finish::{Finish, Sum, result};
use super::divided::added;
use super::form::{Form, GROUP, SHARE, Store, WARP};
use super::scattered::stored;
use super::stored::Stored;
use lanework::Element;
use lanework::lang::tensor_cores::MatrixElement;
use lanework::prelude::*;

/// The batch matrix that results belong to.
#[device]
#[derive(Clone, Copy)]
pub struct Results {
    /// Batches, rows, columns, and K.
    pub extents: [u32; 4],
    /// Strides of C in elements: batch, row, column.
    pub strides: [u64; 3],
    pub batch: u32,
}

/// Finishes and stores this warpgroup's rows of a tile, whose first element is at `row` and `column`.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn finished<
    D: MatrixElement<Storage = D> + Element,
    S: Sum + MatrixElement<Storage = S>,
    O: Stored<S>,
    const COLUMNS: u32,
    const WIDE: u32,
>(
    results: FragmentC<D, GROUP, COLUMNS>,
    c: &TensorMapMut<O, 3>,
    parts: SharedTiles<O, GROUP, WIDE>,
    out: &mut [O],
    before: &[O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    matrix: Results,
    scalars: (S, S),
    (row, column): (u32, u32),
    (group, warp, lane): (u32, u32, u32),
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    // Issue all loads of the epilogue before the first store, except if the other warpgroup is multiplying: then registers are
    // scarce.
    let mut values = FragmentC::<S, GROUP, COLUMNS>::zero();
    if !form.alternate {
        let at = (row, column);
        values = results_of(results, before, bias, scale_a, scale_b, matrix, scalars, at, finish);
    }
    #[unroll]
    for i in 0..COLUMNS / WIDE {
        let mut part = FragmentC::<S, GROUP, WIDE>::zero();
        if !form.alternate {
            part = values.columns::<WIDE>(i);
        }
        if form.alternate {
            let (some, at) = (results.columns::<WIDE>(i), (row, column + i * WIDE));
            part = results_of(some, before, bias, scale_a, scale_b, matrix, scalars, at, finish);
        }
        if form.store == Store::Tma {
            // Each warp stores its 16 rows independently.
            let tile = parts[form.parts * group + i % form.parts];
            if lane == 0 {
                bulk_wait_read(const { form.parts - 1 }); // earlier stores from this buffer have been read
            }
            sync_warp(FULL_MASK);
            O::place(part, tile);
            fence_proxy_async_shared();
            sync_warp(FULL_MASK);
            if lane == 0 {
                let of_warp = tile.rows::<WARP>(warp * WARP);
                c.store(of_warp, (matrix.batch, row + warp * WARP, column + i * WIDE));
                bulk_commit();
            }
        } else {
            #[unroll]
            for e in (0..FragmentC::<S, GROUP, WIDE>::ELEMENTS).step_by(2) {
                let (y, x) = part.position(e);
                let at = (row + y, column + i * WIDE + x);
                let pair = [part[e] as O, part[e + 1] as O];
                stored(out, matrix.batch, at, matrix.extents, matrix.strides, pair, form.store);
            }
        }
    }
}

/// Applies the epilogue to sums whose first element is at `row` and `column`.
#[device]
#[allow(clippy::too_many_arguments)]
fn results_of<
    D: MatrixElement<Storage = D> + Element,
    S: Sum + MatrixElement<Storage = S>,
    O: Stored<S>,
    const COLUMNS: u32,
>(
    sums: FragmentC<D, GROUP, COLUMNS>,
    before: &[O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    matrix: Results,
    scalars: (S, S),
    (row, column): (u32, u32),
    #[constant] finish: Finish,
) -> FragmentC<S, GROUP, COLUMNS> {
    let mut values = FragmentC::<S, GROUP, COLUMNS>::zero();
    #[unroll]
    for e in 0..FragmentC::<S, GROUP, COLUMNS>::ELEMENTS {
        let (y, x) = values.position(e);
        values[e] = result(
            sums[e] as S,
            (before, matrix.batch, matrix.strides),
            (row + y, column + x),
            (matrix.extents[1], matrix.extents[2]),
            scalars,
            bias,
            (scale_a, scale_b),
            finish,
        );
    }
    values
}

/// Finishes and stores the column shares that this block owns after a split along K.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn finished_shares<
    D: MatrixElement<Storage = D> + Element,
    S: Sum + MatrixElement<Storage = S>,
    O: Stored<S>,
    const COLUMNS: u32,
>(
    results: FragmentC<D, GROUP, COLUMNS>,
    given: Shared<D, 3>,
    out: &mut [O],
    before: &[O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    matrix: Results,
    scalars: (S, S),
    (row, column): (u32, u32),
    (rank, thread): (u32, u32),
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    #[unroll]
    for i in 0..COLUMNS / SHARE {
        let owner = const { i % form.split };
        if rank == owner {
            let share = added(results.columns::<SHARE>(i), given, thread, i, form);
            #[unroll]
            for e in (0..SHARE / 2).step_by(2) {
                let (y, x) = share.position(e);
                let at = (row + y, column + i * SHARE + x);
                let next = (at.0, at.1 + 1);
                let c = (before, matrix.batch, matrix.strides);
                let [_, m, n, _] = matrix.extents;
                let scales = (scale_a, scale_b);
                let low = result(share[e] as S, c, at, (m, n), scalars, bias, scales, finish);
                let high =
                    result(share[e + 1] as S, c, next, (m, n), scalars, bias, scales, finish);
                let pair = [low as O, high as O];
                stored(out, matrix.batch, at, matrix.extents, matrix.strides, pair, form.store);
            }
        }
    }
}
