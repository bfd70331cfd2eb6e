//! The persistent sm_90a kernel: one warp loads tiles by TMA into a ring of stages; two warpgroups multiply them by `wgmma` and
//! store results by TMA while the next tile's stages are loaded.
//!
//! A block's tile has 128 rows and `config.columns` columns; its warpgroups take half of the rows each, or alternate tiles. Blocks
//! of a cluster that share rows of A, or columns of B, each load a part for all of them (multicast). A stage holds 128 bytes of
//! every row along K. TMA zero-fills reads and drops writes outside the matrices, so extents need not be multiples of the tile.
//!
//! The number of columns is a value at staging time, not a type ([`STAGED`]); and code that depends on fewer types
//! than the kernel is in separate functions, because rustc compiles every instance.

use super::config::{GROUP, HopperConfig, ROWS, Store};
use super::loads::fill;
use super::main_loops::{alone, promoted, summed};
use super::results::{ResultElement, Results, finished, finished_shares, give};
use super::shape::place;
use crate::gemm::finish::{Finish, Sum};
use lanework::Element;
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement, STAGED};
use lanework::prelude::*;

/// `c = finish(a * b)`, with matrix layouts given by [`HopperConfig`]. `DEPTH` elements have 128 bytes, as do `WIDE` result elements.
#[kernel(block = 384, cluster = config.blocks(), max_registers = 168)]
pub fn product<
    T: GroupProduct<U, D>,
    U: MatrixElement,
    D: MatrixElement<Storage = D> + Element,
    S: Sum + MatrixElement<Storage = S>,
    O: ResultElement<S>,
    const DEPTH: u32,
    const WIDE: u32,
>(
    a: &TensorMap<T::Storage, 3>,
    b: &TensorMap<U::Storage, 3>,
    c: &mut TensorMapMut<O, 3>,
    out: &mut [O],
    before: &[O],
    bias: &[S],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 4],
    batch_steps: [u32; 2],
    strides_c: [u64; 3],
    choice: &[u32],
    mine: u32,
    alpha: S,
    beta: S,
    #[constant] config: HopperConfig,
    #[constant] finish: Finish,
) {
    // One of each factor's two tile arrays is empty.
    let a_by_rows = SharedTiles::<T, ROWS, DEPTH>::dynamic(config.stages_if(config.along_k.0))
        .of_format(config.formats.0);
    let a_by_columns = SharedTiles::<T, DEPTH, ROWS>::dynamic(config.stages_if(!config.along_k.0))
        .of_format(config.formats.0);
    let b_by_columns = SharedTiles::<U, STAGED, DEPTH>::dynamic_of(
        (config.columns, DEPTH),
        config.stages_if(config.along_k.1),
    )
    .of_format(config.formats.1);
    let b_by_rows = SharedTiles::<U, DEPTH, STAGED>::dynamic_of(
        (DEPTH, config.columns),
        config.stages_if(!config.along_k.1),
    )
    .of_format(config.formats.1);
    let parts = SharedTiles::<O, GROUP, WIDE>::dynamic(if config.store == Store::Tma {
        2 * config.parts
    } else {
        0
    });
    // Partial sums from the other blocks of a split K, by block, element and thread.
    let given = shared_dynamic::<D>(if config.split > 1 {
        [config.split - 1, config.given(), 256]
    } else {
        [1, 1, 4]
    });
    // A stage is empty when both warpgroups of every sharing block have read it. Waits order only TMA copies and completed reads,
    // no data written by other blocks' threads; a cluster-scope wait would be slower.
    let ring = pipeline(config.stages, 1, config.releases()).within_block();
    let [math, load] = warp_roles([8, 4]);
    let [batches, m, n, k] = extents;
    let (down, across) =
        (m.div_ceil(config.cluster.0 * ROWS), n.div_ceil(config.cluster.1 * config.columns));
    let all_steps = config.whole(k.div_ceil(DEPTH));
    let (first, step_by) = (block_idx.x / config.blocks(), grid_dim.x / config.blocks());
    // This block's row and column in its cluster.
    let rank = if config.blocks() > 1 { cluster_rank() } else { 0 };
    let (rank_row, rank_column) =
        (rank / config.split % config.cluster.0, rank / config.split / config.cluster.0);
    // This block's part of K.
    let per_block =
        if config.split > 1 { config.whole(all_steps.div_ceil(config.split)) } else { all_steps };
    let first_step = if config.split > 1 { (rank * per_block).min(all_steps) } else { 0 };
    let steps = if config.split > 1 { per_block.min(all_steps - first_step) } else { all_steps };
    if thread_idx.x == 0 {
        a.prefetch_map();
        b.prefetch_map();
    }
    // Compute tile positions one tile ahead; the first one before the previous launch has ended.
    let (row, column) = place(first % (down * across), down, across, config.order);
    let mut next_batch = first / (down * across);
    let mut next_row = row;
    let mut next_column = column;
    if config.overlapped {
        launch_dependents();
        wait_for_dependencies();
    }
    let mut tiles = down * across * batches;
    if config.chosen {
        if choice[0] != mine {
            tiles = 0;
        }
    }
    if load.active() {
        load.give_registers(40);
        if load.thread() == 0 {
            let producer = ring.producer();
            for tile in (first..tiles).step_by(step_by) {
                let row = (next_row * config.cluster.0 + rank_row) * ROWS;
                let column = (next_column * config.cluster.1 + rank_column) * config.columns;
                fill::<T, U, DEPTH>(
                    producer,
                    a,
                    b,
                    a_by_rows,
                    a_by_columns,
                    b_by_columns,
                    b_by_rows,
                    next_batch,
                    batch_steps,
                    row,
                    column,
                    first_step,
                    steps,
                    rank_row,
                    rank_column,
                    config,
                );
                let next = tile + step_by;
                let (row, column) = place(next % (down * across), down, across, config.order);
                next_batch = next / (down * across);
                next_row = row;
                next_column = column;
            }
        }
    }
    if config.split > 1 && load.active() {
        cluster_sync();
    }
    if math.active() {
        math.take_registers(232);
        let consumer = ring.consumer();
        let (group, within) = (math.thread() / 128, math.thread() % 128);
        let (warp, lane) = (within / 32, within % 32);
        let scalars = (alpha, beta);
        // This thread releases stages to the block of the same index, if that block shares them.
        let beside = within < config.blocks()
            && (within % config.cluster.0 == rank_row || within / config.cluster.0 == rank_column);
        if config.alternate {
            let turns = named_barriers(2, 256);
            if group == 1 {
                consumer.skip(steps);
            }
            for tile in (first + group * step_by..tiles).step_by(2 * step_by) {
                let matrix = Results { extents, strides: strides_c, batch: tile / (down * across) };
                let (row, column) = place(tile % (down * across), down, across, config.order);
                let row = (row * config.cluster.0 + rank_row) * ROWS;
                let column = (column * config.cluster.1 + rank_column) * config.columns;
                if tile != first {
                    turns.at(group).sync();
                }
                let mut upper = Accumulator::<D, STAGED>::zero_of(config.columns);
                let mut lower = Accumulator::<D, STAGED>::zero_of(config.columns);
                alone(
                    upper,
                    lower,
                    consumer,
                    a_by_rows,
                    a_by_columns,
                    b_by_columns,
                    b_by_rows,
                    within,
                    beside,
                    steps,
                    turns.at(1 - group),
                    tile + step_by < tiles,
                    config,
                );
                let sums = upper.finish();
                finished(
                    sums,
                    c,
                    parts,
                    out,
                    before,
                    bias,
                    scale_a,
                    scale_b,
                    matrix,
                    scalars,
                    (row, column),
                    (group, warp, lane),
                    config,
                    finish,
                );
                let (sums, below) = (lower.finish(), row + GROUP);
                finished(
                    sums,
                    c,
                    parts,
                    out,
                    before,
                    bias,
                    scale_a,
                    scale_b,
                    matrix,
                    scalars,
                    (below, column),
                    (group, warp, lane),
                    config,
                    finish,
                );
            }
        }
        let shared = if config.alternate { 0 } else { tiles };
        for tile in (first..shared).step_by(step_by) {
            let matrix = Results { extents, strides: strides_c, batch: tile / (down * across) };
            let (row, column) = place(tile % (down * across), down, across, config.order);
            let row = (row * config.cluster.0 + rank_row) * ROWS + group * GROUP;
            let column = (column * config.cluster.1 + rank_column) * config.columns;
            let mut results = FragmentC::<D, GROUP, STAGED>::zero_of(config.columns);
            if config.promote {
                results = promoted(
                    consumer,
                    a_by_rows,
                    b_by_columns,
                    group,
                    within,
                    beside,
                    steps,
                    config,
                );
            }
            if !config.promote {
                results = summed(
                    consumer,
                    a_by_rows,
                    a_by_columns,
                    b_by_columns,
                    b_by_rows,
                    group,
                    within,
                    beside,
                    steps,
                    config,
                );
            }
            if config.split > 1 {
                give(results, given, rank, math.thread(), config);
                cluster_sync();
            }
            if config.split == 1 {
                finished(
                    results,
                    c,
                    parts,
                    out,
                    before,
                    bias,
                    scale_a,
                    scale_b,
                    matrix,
                    scalars,
                    (row, column),
                    (group, warp, lane),
                    config,
                    finish,
                );
            }
            if config.split > 1 {
                finished_shares(
                    results,
                    given,
                    out,
                    before,
                    bias,
                    scale_a,
                    scale_b,
                    matrix,
                    scalars,
                    (row, column),
                    (rank, math.thread()),
                    config,
                    finish,
                );
            }
        }
        if config.store == Store::Tma && lane == 0 {
            bulk_wait(0);
        }
    }
    if config.shares() {
        cluster_sync(); // no block exits while another still arrives at its barriers
    }
}
