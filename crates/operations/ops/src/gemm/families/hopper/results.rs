//! Epilogue and stores of a result tile: by TMA through shared memory, or from registers if TMA cannot store the results.
//!
//! With split-K within a cluster, each block first sends every other block the columns that it owns, 32 at a time, and
//! then reduces its own columns in block order.

use super::config::{GROUP, HopperConfig, SHARE, Store, WARP};
use crate::gemm::finish::{Finish, Sum, result};
use half::{bf16, f16};
use lanework::Element;
use lanework::lang::tensor_cores::{FragmentC, MatrixElement, STAGED, SharedTile};
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
    O: ResultElement<S>,
    const WIDE: u32,
>(
    results: FragmentC<D, GROUP, STAGED>,
    c: &mut TensorMapMut<O, 3>,
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
    #[constant] config: HopperConfig,
    #[constant] finish: Finish,
) {
    // Issue all loads of the epilogue before the first store. While the other warpgroup multiplies, registers are
    // scarce, so do not.
    let mut values = FragmentC::<S, GROUP, STAGED>::zero_of(config.columns);
    if !config.alternate {
        let at = (row, column);
        values = results_of(results, before, bias, scale_a, scale_b, matrix, scalars, at, finish);
    }
    #[unroll]
    for i in 0..config.columns / WIDE {
        let mut part = FragmentC::<S, GROUP, WIDE>::zero();
        if !config.alternate {
            part = values.columns::<WIDE>(i);
        }
        if config.alternate {
            let (some, at) = (results.columns::<WIDE>(i), (row, column + i * WIDE));
            part = results_of(some, before, bias, scale_a, scale_b, matrix, scalars, at, finish);
        }
        if config.store == Store::Tma {
            // Each warp stores its 16 rows independently.
            let tile = parts[config.parts * group + i % config.parts];
            if lane == 0 {
                bulk_wait_read(const { config.parts - 1 }); // TMA has read earlier stores from this buffer
            }
            sync_warp(FULL_MASK);
            <O as ResultElement<S>>::place(part, tile);
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
                stored(out, matrix.batch, at, matrix.extents, matrix.strides, pair, config.store);
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
    O: ResultElement<S>,
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
    let mut values = FragmentC::<S, GROUP, COLUMNS>::zero_of(sums.width());
    #[unroll]
    for e in 0..values.elements() {
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
    O: ResultElement<S>,
>(
    results: FragmentC<D, GROUP, STAGED>,
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
    #[constant] config: HopperConfig,
    #[constant] finish: Finish,
) {
    #[unroll]
    for i in 0..config.columns / SHARE {
        let owner = const { i % config.split };
        if rank == owner {
            let share = added(results.columns::<SHARE>(i), given, thread, i, config);
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
                stored(out, matrix.batch, at, matrix.extents, matrix.strides, pair, config.store);
            }
        }
    }
}

/// Stores two adjacent results of a row, if they are in range.
#[device]
pub fn stored<O: Element>(
    out: &mut [O],
    batch: u32,
    at: (u32, u32),
    extents: [u32; 4],
    strides: [u64; 3],
    values: [O; 2],
    #[constant] store: Store,
) {
    let (y, x) = at;
    let place = batch as u64 * strides[0] + y as u64 * strides[1] + x as u64 * strides[2];
    if y < extents[1] {
        if store == Store::Pairs {
            if x + 1 < extents[2] {
                out.store2(place, values);
            } else if x < extents[2] {
                out[place] = values[0];
            }
        } else {
            if x < extents[2] {
                out[place] = values[0];
            }
            if x + 1 < extents[2] {
                out[place + strides[2]] = values[1];
            }
        }
    }
}

/// A result type, converted from sums of type `S`.
pub trait ResultElement<S: MatrixElement>: Element + MatrixElement<Storage = Self> {
    /// Packs a part of the results into a tile; each warp handles its rows.
    fn place<const W: u32>(part: FragmentC<S, 64, W>, tile: SharedTile<Self, 64, W>);
}

macro_rules! as_they_are {
    ($($t:ty)*) => {$(
        impl ResultElement<$t> for $t {
            #[track_caller]
            fn place<const W: u32>(part: FragmentC<$t, 64, W>, tile: SharedTile<$t, 64, W>) {
                part.store(tile, 0u32, 0u32);
            }
        }
    )*};
}

macro_rules! narrowed {
    ($($t:ty)*) => {$(
        impl ResultElement<f32> for $t {
            #[track_caller]
            fn place<const W: u32>(part: FragmentC<f32, 64, W>, tile: SharedTile<$t, 64, W>) {
                part.to::<$t>().store_matrix(tile, 0u32, 0u32);
            }
        }
    )*};
}

as_they_are!(f32 i32);
narrowed!(f16 bf16);

/// Sends this block's partial sums to the blocks that own the columns. The caller then waits at a cluster barrier.
#[device]
pub fn give<D: MatrixElement<Storage = D> + Element>(
    sums: FragmentC<D, GROUP, STAGED>,
    given: Shared<D, 3>,
    rank: u32,
    thread: u32,
    #[constant] config: HopperConfig,
) {
    #[unroll]
    for i in 0..config.columns / SHARE {
        let owner = const { i % config.split };
        if rank != owner {
            let slot = if rank < owner { rank } else { rank - 1 };
            let there = given.of_block(owner);
            let share = sums.columns::<SHARE>(i);
            #[unroll]
            for e in 0..SHARE / 2 {
                there[[slot, i / config.split * (SHARE / 2) + e, thread]] = share[e];
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
    #[constant] config: HopperConfig,
) -> FragmentC<D, GROUP, SHARE> {
    let owner = at % config.split;
    let mut summed = FragmentC::<D, GROUP, SHARE>::zero();
    #[unroll]
    for e in 0..SHARE / 2 {
        #[unroll]
        for block in 0..config.split {
            if block == owner {
                summed[e] = summed[e] + share[e];
            } else {
                let slot = if block < owner { block } else { block - 1 };
                let index = at / config.split * (SHARE / 2) + e;
                summed[e] = summed[e] + given[[slot, index, thread]];
            }
        }
    }
    summed
}
