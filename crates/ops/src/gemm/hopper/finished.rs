//! Results of a tile: what the epilogue makes of its sums, and how they leave.

use super::super::finish::{Finish, Sum, result};
use super::divided::added;
use super::form::{Form, GROUP, SHARE, Store, WARP};
use super::scattered::stored;
use super::stored::Stored;
use lanework::Element;
use lanework::lang::tensor_cores::MatrixElement;
use lanework::prelude::*;

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
    extents: [u32; 4],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    batch: u32,
    row: u32,
    column: u32,
    group: u32,
    warp: u32,
    lane: u32,
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    // Everything that is read for the results is asked for before the first of them leaves, unless the other warpgroup multiplies meanwhile:
    // then registers are dearer.
    let mut values = FragmentC::<S, GROUP, COLUMNS>::zero();
    if !form.alternate {
        values = results_of(
            results, before, bias, scale_a, scale_b, extents, strides_c, alpha, beta, batch, row,
            column, finish,
        );
    }
    #[unroll]
    for i in 0..COLUMNS / WIDE {
        let mut part = FragmentC::<S, GROUP, WIDE>::zero();
        if !form.alternate {
            part = values.columns::<WIDE>(i);
        }
        if form.alternate {
            part = results_of(
                results.columns::<WIDE>(i),
                before,
                bias,
                scale_a,
                scale_b,
                extents,
                strides_c,
                alpha,
                beta,
                batch,
                row,
                column + i * WIDE,
                finish,
            );
        }
        if form.store == Store::Tma {
            // Each warp stores its 16 rows by itself, and waits for no other.
            let tile = parts[form.parts * group + i % form.parts];
            if lane == 0 {
                bulk_wait_read(const { form.parts - 1 }); // what left from here before has been read
            }
            sync_warp(FULL_MASK);
            O::place(part, tile);
            fence_proxy_async_shared();
            sync_warp(FULL_MASK);
            if lane == 0 {
                let of_warp = tile.rows::<WARP>(warp * WARP);
                c.store(of_warp, (batch, row + warp * WARP, column + i * WIDE));
                bulk_commit();
            }
        } else {
            #[unroll]
            for e in (0..FragmentC::<S, GROUP, WIDE>::ELEMENTS).step_by(2) {
                let (y, x) = part.position(e);
                let at = (row + y, column + i * WIDE + x);
                stored(
                    out,
                    batch,
                    at,
                    extents,
                    strides_c,
                    [part[e] as O, part[e + 1] as O],
                    form.store,
                );
            }
        }
    }
}

/// What the epilogue makes of sums whose first element is at `row` and `column`.
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
    extents: [u32; 4],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    batch: u32,
    row: u32,
    column: u32,
    #[constant] finish: Finish,
) -> FragmentC<S, GROUP, COLUMNS> {
    let mut values = FragmentC::<S, GROUP, COLUMNS>::zero();
    #[unroll]
    for e in 0..FragmentC::<S, GROUP, COLUMNS>::ELEMENTS {
        let (y, x) = values.position(e);
        values[e] = result(
            sums[e] as S,
            (before, batch, strides_c),
            (row + y, column + x),
            (extents[1], extents[2]),
            (alpha, beta),
            bias,
            (scale_a, scale_b),
            finish,
        );
    }
    values
}

/// Finishes and stores the shares of the columns that are this block's, of blocks that have a part of K each.
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
    extents: [u32; 4],
    strides_c: [u64; 3],
    alpha: S,
    beta: S,
    batch: u32,
    row: u32,
    column: u32,
    rank: u32,
    thread: u32,
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    let (m, n) = (extents[1], extents[2]);
    #[unroll]
    for i in 0..COLUMNS / SHARE {
        let owner = const { i % form.split };
        if rank == owner {
            let share = added(results.columns::<SHARE>(i), given, thread, i, form);
            #[unroll]
            for e in (0..SHARE / 2).step_by(2) {
                let (y, x) = share.position(e);
                let at = (row + y, column + i * SHARE + x);
                let next = (row + y, column + i * SHARE + x + 1);
                let low = result(
                    share[e] as S,
                    (before, batch, strides_c),
                    at,
                    (m, n),
                    (alpha, beta),
                    bias,
                    (scale_a, scale_b),
                    finish,
                );
                let high = result(
                    share[e + 1] as S,
                    (before, batch, strides_c),
                    next,
                    (m, n),
                    (alpha, beta),
                    bias,
                    (scale_a, scale_b),
                    finish,
                );
                stored(out, batch, at, extents, strides_c, [low as O, high as O], form.store);
            }
        }
    }
}
