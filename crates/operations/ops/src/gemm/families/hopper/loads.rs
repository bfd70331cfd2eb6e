//! The producer thread: loads a stage's rows of A and columns of B, or this block's share of them for the cluster.

use super::config::{GROUP, HopperConfig, ROWS};
use lanework::lang::tensor_cores::{MatrixElement, STAGED};
use lanework::prelude::*;

/// Fills a stage per step of a tile, from row `row` and column `column` on.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn fill<T: MatrixElement, U: MatrixElement, const DEPTH: u32>(
    producer: Producer,
    a: &TensorMap<T::Storage, 3>,
    b: &TensorMap<U::Storage, 3>,
    a_by_rows: SharedTiles<T, ROWS, DEPTH>,
    a_by_columns: SharedTiles<T, DEPTH, ROWS>,
    b_by_columns: SharedTiles<U, STAGED, DEPTH>,
    b_by_rows: SharedTiles<U, DEPTH, STAGED>,
    batch: u32,
    batch_steps: [u32; 2],
    row: u32,
    column: u32,
    first_step: u32,
    steps: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    for step in 0..steps {
        let stage = producer.acquire_for(config.stage_bytes());
        let depth = (first_step + step) * DEPTH;
        load_a::<T, DEPTH>(
            a,
            a_by_rows,
            a_by_columns,
            stage,
            batch * batch_steps[0],
            row,
            depth,
            rank_row,
            rank_column,
            config,
        );
        load_b::<U, DEPTH>(
            b,
            b_by_columns,
            b_by_rows,
            stage,
            batch * batch_steps[1],
            column,
            depth,
            rank_row,
            rank_column,
            config,
        );
    }
}

/// Loads `DEPTH` columns of A from `depth` on, rows from `row` on. Of the two tile arrays, one is empty.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn load_a<T: MatrixElement, const DEPTH: u32>(
    a: &TensorMap<T::Storage, 3>,
    by_rows: SharedTiles<T, ROWS, DEPTH>,
    by_columns: SharedTiles<T, DEPTH, ROWS>,
    stage: Filling,
    batch: u32,
    row: u32,
    depth: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    let sharing = (1 + (1u32 << config.cluster.0)) << rank_row;
    if config.along_k.0 {
        let tile = by_rows[stage.index];
        if config.cluster.1 == 1 {
            a.load(tile, (batch, row, depth), stage);
        } else {
            let half = tile.rows::<GROUP>(rank_column * GROUP);
            a.multicast(sharing).load(half, (batch, row + rank_column * GROUP, depth), stage);
        }
    } else {
        let tile = by_columns[stage.index];
        if config.cluster.1 == 1 {
            #[unroll]
            for i in 0..ROWS / DEPTH {
                a.load(tile.panel::<DEPTH>(i), (batch, depth, row + i * DEPTH), stage);
            }
        } else {
            let at = (batch, depth, row + rank_column * DEPTH);
            a.multicast(sharing).load(tile.panel::<DEPTH>(rank_column), at, stage);
        }
    }
}

/// Loads columns of B from `column` on in the same way.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn load_b<U: MatrixElement, const DEPTH: u32>(
    b: &TensorMap<U::Storage, 3>,
    by_columns: SharedTiles<U, STAGED, DEPTH>,
    by_rows: SharedTiles<U, DEPTH, STAGED>,
    stage: Filling,
    batch: u32,
    column: u32,
    depth: u32,
    rank_row: u32,
    rank_column: u32,
    #[constant] config: HopperConfig,
) {
    let sharing = ((1u32 << config.cluster.0) - 1) << (rank_column * config.cluster.0);
    if config.along_k.1 {
        let tile = by_columns[stage.index];
        if config.cluster.0 == 1 {
            b.load(tile, (batch, column, depth), stage);
        } else {
            let half = config.columns / 2;
            let line = rank_row * half;
            let at = (batch, column + line, depth);
            b.multicast(sharing).load(tile.rows_of(half, line), at, stage);
        }
    } else {
        let tile = by_rows[stage.index];
        let panels = config.columns / DEPTH / config.cluster.0;
        #[unroll]
        for i in 0..panels {
            let panel = rank_row * panels + i;
            let at = (batch, depth, column + panel * DEPTH);
            if config.cluster.0 == 1 {
                b.load(tile.panel::<DEPTH>(panel), at, stage);
            } else {
                b.multicast(sharing).load(tile.panel::<DEPTH>(panel), at, stage);
            }
        }
    }
}
