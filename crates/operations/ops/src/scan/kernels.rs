//! Scan kernels that load directly into registers: [`rows`] for short rows and [`tiles`] for long ones; with their compile-time
//! configuration and the exchange of tile sums between blocks.
//!
//! [`tiles`] is a single-pass scan. As in decoupled look-back (Merrill and Garland 2016), blocks claim tiles in order from a
//! counter, publish a tile's sum as soon as they have it, and add up the published sums before it, so a block waits only for tiles
//! held by running blocks. Unlike decoupled look-back, blocks publish only sums of single tiles, never prefixes: every block keeps
//! its own running sum of the row, and adds the sums published since its last tile, one per thread. The order of additions depends
//! only on positions: tiles form groups of [`THREADS`]; a tree sums a group, and groups are added from left to right. So results do
//! not depend on the timing of blocks, and no prefix propagates from tile to tile.
//!
//! A tile stays in registers from its single load to its single store. Each warp has consecutive 16-byte vectors, each lane one of
//! 32 adjacent ones, so every access is coalesced and no element changes its thread.

use crate::vectors::{Widened, load, store};
use lanework::prelude::*;

/// The combining operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanOperation {
    Sum,
    Min,
    Max,
}

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanConfig {
    pub operation: ScanOperation,
    pub exclusive: bool,
    /// Whether rows are 16-byte aligned in both tensors, with adjacent elements.
    pub wide: bool,
    /// Vectors per thread, for long rows.
    pub vectors: usize,
    /// Lanes per row, for short rows.
    pub lanes: u32,
}

/// Rows in memory.
#[derive(Clone, Copy, Debug)]
pub struct ScanRows {
    pub rows: usize,
    /// Elements of a row.
    pub n: usize,
    /// Row strides of the input and of the output, in elements.
    pub row: (usize, usize),
    /// Element strides of the input and of the output.
    pub step: (usize, usize),
}

/// Threads of a block, and tiles of a group.
pub(super) const THREADS: u32 = 512;
pub(super) const WARPS: u32 = THREADS / 32;
/// Resident blocks per multiprocessor.
pub(super) const RESIDENT: u32 = 2;
/// Maximum number of vectors per thread.
pub(super) const MOST: usize = 8;
/// Threads of a block for short rows.
pub(super) const ROW_THREADS: u32 = 256;

/// The neutral element: `op(identity, x)` is `x`.
pub(super) fn identity<E: Widened>(config: ScanConfig) -> E::Wide {
    match config.operation {
        ScanOperation::Sum => E::Wide::ZERO,
        ScanOperation::Min => E::MOST,
        ScanOperation::Max => E::LEAST,
    }
}

#[device]
pub(super) fn combine<W: Element>(x: W, y: W, #[constant] config: ScanConfig) -> W {
    if config.operation == ScanOperation::Min {
        x.min(y)
    } else if config.operation == ScanOperation::Max {
        x.max(y)
    } else {
        x + y
    }
}

/// Publishes the sum of a tile, each word with its flag.
#[device]
pub(super) fn publish<W: Element>(cells: &mut [u64], at: u64, value: W) {
    if size_of::<W>() == 8 {
        let (low, high) = ptx!("mov.b64 {{{}, {}}}, {};", out(u32), out(u32), in(value));
        store_relaxed(&mut cells[2 * at], 1u64 << 32 | low as u64, Scope::Device);
        store_relaxed(&mut cells[2 * at + 1], 1u64 << 32 | high as u64, Scope::Device);
    } else {
        let word = ptx!("mov.b32 {}, {};", out(u32), in(value));
        store_relaxed(&mut cells[at], 1u64 << 32 | word as u64, Scope::Device);
    }
}

/// Waits for the word that another block publishes here.
#[device]
fn word(cells: &mut [u64], at: u64) -> u32 {
    let mut word = load_relaxed(&cells[at], Scope::Device);
    while word >> 32 == 0 {
        word = load_relaxed(&cells[at], Scope::Device);
    }
    word as u32
}

/// Waits for the sum of a tile.
#[device]
pub(super) fn published<W: Element>(cells: &mut [u64], at: u64) -> W {
    if size_of::<W>() == 8 {
        let (low, high) = (word(cells, 2 * at), word(cells, 2 * at + 1));
        ptx!("mov.b64 {}, {{{}, {}}};", out(W), in(low), in(high))
    } else {
        let word = word(cells, at);
        ptx!("mov.b32 {}, {};", out(W), in(word))
    }
}

/// The current words of a cell; they hold a sum if the upper half of each is 1.
#[device]
pub(super) fn look<W: Element>(cells: &mut [u64], at: u64) -> (u64, u64) {
    if size_of::<W>() == 8 {
        (
            load_relaxed(&cells[2 * at], Scope::Device),
            load_relaxed(&cells[2 * at + 1], Scope::Device),
        )
    } else {
        let word = load_relaxed(&cells[at], Scope::Device);
        (word, word)
    }
}

/// Waits for the sum in a cell; `words` are an earlier read of it.
#[device]
pub(super) fn sum_of<W: Element>(cells: &mut [u64], at: u64, words: (u64, u64)) -> W {
    let mut now = words;
    while now.0 & now.1 & (1 << 32) == 0 {
        now = look::<W>(cells, at);
    }
    let (low, high) = (now.0 as u32, now.1 as u32);
    if size_of::<W>() == 8 {
        ptx!("mov.b64 {}, {{{}, {}}};", out(W), in(low), in(high))
    } else {
        ptx!("mov.b32 {}, {};", out(W), in(low))
    }
}

/// Called by the last block to finish: resets cells and tickets to zero.
#[device]
pub(super) fn leave_zeros(cells: &mut [u64], tickets: &mut [u32], #[constant] threads: u32) {
    let t = thread_idx.x;
    for cell in (t as u64..cells.len() as u64).step_by(threads) {
        cells[cell] = 0;
    }
    if t < 2 {
        tickets[t] = 0;
    }
}

/// Scans rows of `n` elements with `config.lanes` lanes each. `x_row` and `y_row` are row strides, `x_step` and `y_step` element
/// strides.
#[kernel(block = ROW_THREADS)]
pub(super) fn rows<E: Widened, const V: usize>(
    x: &[E],
    y: &mut [E],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    #[constant] config: ScanConfig,
) {
    let lanes = config.lanes;
    let identity = const { identity::<E>(config) };
    let (group, lane) = (thread_idx.x / lanes, thread_idx.x % lanes);
    let row = block_idx.x as u64 * const { ROW_THREADS / config.lanes } as u64 + group as u64;
    // Lanes without a row still participate in their warp's exchange.
    let end = select(row < rows, n, 0);
    let mut base = identity;
    for first in (0..n).step_by(const { config.lanes as usize * V }) {
        let mine = first + lane as u64 * V as u64;
        let whole = config.wide && mine + V as u64 <= end;
        let mut values = [E::Wide::ZERO; V];
        if whole {
            values = load::<E, V>(x, row * x_row + mine);
        } else {
            #[unroll]
            for j in 0..V {
                values[j] = identity;
                if mine + (j as u64) < end {
                    values[j] = load_nc(&x[row * x_row + (mine + j as u64) * x_step]) as E::Wide;
                }
            }
        }
        #[unroll]
        for j in 1..V {
            values[j] = combine::<E::Wide>(values[j - 1], values[j], config);
        }
        let mut sum = values[V - 1];
        #[unroll]
        for delta in [1u32, 2, 4, 8, 16] {
            if delta < lanes {
                let left = shfl_up_sync(FULL_MASK, sum, delta);
                sum = select(lane >= delta, combine::<E::Wide>(left, sum, config), sum);
            }
        }
        let mut left = base;
        if lanes > 1 {
            let beside = shfl_up_sync(FULL_MASK, sum, 1);
            left = combine::<E::Wide>(base, select(lane > 0, beside, identity), config);
        }
        let all = shfl_sync(FULL_MASK, sum, thread_idx.x % 32 / lanes * lanes + lanes - 1);
        base = combine::<E::Wide>(base, all, config);
        let mut results = [left; V];
        #[unroll]
        for j in 0..V {
            if config.exclusive {
                if j > 0 {
                    results[j] = combine::<E::Wide>(left, values[j - 1], config);
                }
            } else {
                results[j] = combine::<E::Wide>(left, values[j], config);
            }
        }
        if whole {
            store::<E, V>(y, row * y_row + mine, results);
        } else {
            #[unroll]
            for j in 0..V {
                if mine + (j as u64) < end {
                    y[row * y_row + (mine + j as u64) * y_step] = results[j] as E;
                }
            }
        }
    }
}

/// Reduces all of the block's values, in every thread: by a tree per warp, then across warps. There is one barrier, so consecutive
/// calls use different parts of `space`.
#[device]
fn of_block<W: Element>(
    value: W,
    space: Shared<W, 2>,
    part: u32,
    #[constant] config: ScanConfig,
) -> W {
    let mut sum = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        sum = combine::<W>(sum, shfl_xor_sync(FULL_MASK, sum, bits), config);
    }
    if thread_idx.x % 32 == 0 {
        space[[part, thread_idx.x / 32]] = sum;
    }
    sync_threads();
    let mut total = space[[part, 0]];
    #[unroll]
    for warp in 1..WARPS {
        total = combine::<W>(total, space[[part, warp]], config);
    }
    total
}

/// Scans rows of `n` elements, each of `in_row` tiles of `THREADS * V * config.vectors` elements; `x_row` and `y_row` are row strides.
/// `tickets` are two zeros; `cells` are as many zeros as tiles, or twice as many for 8-byte sums. All are zero again at the end.
#[kernel(block = THREADS, min_blocks = RESIDENT)]
pub(super) fn tiles<E: Widened, const V: usize>(
    x: &[E],
    y: &mut [E],
    cells: &mut [u64],
    tickets: &mut [u32],
    n: u64,
    (x_row, y_row): (u64, u64),
    in_row: u32,
    tiles: u32,
    #[constant] config: ScanConfig,
) {
    let vectors = config.vectors;
    let identity = const { identity::<E>(config) };
    let size = const { THREADS as u64 * V as u64 * config.vectors as u64 };
    let turn = shared::<u32>(2);
    let of_warps = shared::<E::Wide>(WARPS);
    let space = shared::<E::Wide>([2, WARPS]);
    let (t, lane, warp) = (thread_idx.x, thread_idx.x % 32, thread_idx.x / 32);

    // State: the last tile's row, the group being summed, the sum of the groups before it, and the sum of this thread's tile of
    // that group, once read.
    let mut row = u32::MAX;
    let mut group = 0u32;
    let mut before = identity;
    let mut sum = identity;
    let mut have = false;

    if t == 0 {
        let first = atomic_add(&mut tickets[0], 1);
        turn[0] = first;
        if first >= tiles {
            turn[1] = atomic(&mut tickets[1], Order::AcqRel, Scope::Device).add(1);
        }
    }
    sync_threads();
    let mut tile = turn[0];
    while tile < tiles {
        let of_row = tile / in_row;
        let place = tile - of_row * in_row;
        let first = place as u64 * size;
        let mine = first + (warp * 32 * vectors as u32 + lane) as u64 * V as u64;
        let from = of_row as u64 * x_row;
        let whole = config.wide && first + size <= n;

        let mut values = [[E::Wide::ZERO; V]; MOST];
        if whole {
            #[unroll]
            for k in 0..vectors {
                values[k] = load::<E, V>(x, from + mine + const { 32 * V * k } as u64);
            }
        } else {
            #[unroll]
            for k in 0..vectors {
                #[unroll]
                for j in 0..V {
                    let at = mine + const { 32 * V * k + j } as u64;
                    values[k][j] = identity;
                    if at < n {
                        values[k][j] = load_nc(&x[from + at]) as E::Wide;
                    }
                }
            }
        }
        let mut next = 0u32;
        if t == 0 {
            next = atomic_add(&mut tickets[0], 1);
        }

        // Scan within vectors, across lanes, from vector to vector.
        let mut sums = [identity; MOST];
        #[unroll]
        for k in 0..vectors {
            #[unroll]
            for j in 1..V {
                values[k][j] = combine::<E::Wide>(values[k][j - 1], values[k][j], config);
            }
            sums[k] = values[k][V - 1];
        }
        #[unroll]
        for delta in [1u32, 2, 4, 8, 16] {
            #[unroll]
            for k in 0..vectors {
                let left = shfl_up_sync(FULL_MASK, sums[k], delta);
                sums[k] = select(lane >= delta, combine::<E::Wide>(left, sums[k], config), sums[k]);
            }
        }
        let mut carry = identity;
        #[unroll]
        for k in 0..vectors {
            let left = shfl_up_sync(FULL_MASK, sums[k], 1);
            let all = shfl_sync(FULL_MASK, sums[k], 31);
            sums[k] = combine::<E::Wide>(carry, select(lane > 0, left, identity), config);
            carry = combine::<E::Wide>(carry, all, config);
        }
        if lane == 0 {
            of_warps[warp] = carry;
        }
        sync_threads();
        let mut base = identity;
        let mut total = identity;
        #[unroll]
        for w in 0..WARPS {
            let sum = of_warps[w];
            base = select(w < warp, combine::<E::Wide>(base, sum, config), base);
            total = combine::<E::Wide>(total, sum, config);
        }

        // The prefix of the tile in its row.
        if in_row > 1 {
            if t == 0 {
                publish::<E::Wide>(cells, tile as u64, total);
            }
            if of_row != row {
                row = of_row;
                group = 0;
                before = identity;
                have = false;
            }
            let start = of_row as u64 * in_row as u64;
            while group < place / THREADS {
                if !have {
                    sum = published::<E::Wide>(cells, start + (group * THREADS + t) as u64);
                }
                before =
                    combine::<E::Wide>(before, of_block::<E::Wide>(sum, space, 0, config), config);
                sync_threads();
                group += 1;
                have = false;
            }
            let of_group = place % THREADS;
            if t < of_group && !have {
                sum = published::<E::Wide>(cells, start + (group * THREADS + t) as u64);
                have = true;
            }
            let sum = select(t < of_group, sum, identity);
            let prefix =
                combine::<E::Wide>(before, of_block::<E::Wide>(sum, space, 1, config), config);
            base = combine::<E::Wide>(prefix, base, config);
        } else {
            sync_threads();
        }
        // After the last tile, the block's threads no longer read published sums.
        if t == 0 {
            turn[0] = next;
            if next >= tiles {
                turn[1] = atomic(&mut tickets[1], Order::AcqRel, Scope::Device).add(1);
            }
        }

        let to = of_row as u64 * y_row;
        #[unroll]
        for k in 0..vectors {
            let left = combine::<E::Wide>(base, sums[k], config);
            let mut results = [left; V];
            #[unroll]
            for j in 0..V {
                if config.exclusive {
                    if j > 0 {
                        results[j] = combine::<E::Wide>(left, values[k][j - 1], config);
                    }
                } else {
                    results[j] = combine::<E::Wide>(left, values[k][j], config);
                }
            }
            if whole {
                store::<E, V>(y, to + mine + const { 32 * V * k } as u64, results);
            } else {
                #[unroll]
                for j in 0..V {
                    let at = mine + const { 32 * V * k + j } as u64;
                    if at < n {
                        y[to + at] = results[j] as E;
                    }
                }
            }
        }
        sync_threads();
        tile = turn[0];
    }
    // The last block to finish resets the cells to zero.
    if turn[1] == grid_dim.x - 1 {
        leave_zeros(cells, tickets, THREADS);
    }
}
