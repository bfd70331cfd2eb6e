//! Scans of long rows by bulk copies (sm_90): exchanges sums as in `tiles`, but memory transfers never pause.
//!
//! A block copies its next tiles to shared memory while it works on two: it sums the newest tile and publishes the sum, and scans
//! the tile before it, whose predecessors have had one tile's time to publish their sums. It reads words from other blocks before
//! the tile's elements, and checks them after.

use super::kernels::{ScanConfig, combine, identity, leave_zeros, look, publish, sum_of};
use crate::vectors::{Widened, store, unpack};
use lanework::prelude::*;

/// Threads of a block, and tiles per group; one block fills a multiprocessor.
pub(super) const THREADS: u32 = 1024;
const WARPS: u32 = THREADS / 32;
/// Tiles in shared memory.
pub(super) const STAGES: u32 = 3;
/// Maximum number of vectors per thread.
pub(super) const MOST: usize = 4;

/// Words per tile.
pub(super) fn of_tile(config: ScanConfig) -> u32 {
    THREADS * 4 * config.vectors as u32
}

/// The sum over the lanes of a warp, in each of them.
#[device]
fn of_warp<E: Widened>(value: E::Wide, #[constant] config: ScanConfig) -> E::Wide {
    let mut sum = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        sum = combine::<E::Wide>(sum, shfl_xor_sync(FULL_MASK, sum, bits), config);
    }
    sum
}

/// Vector `k` of this thread: from shared memory if the tile is whole, otherwise from global memory up to the row's end.
#[device]
fn vector<E: Widened, const V: usize>(
    x: &[E],
    stages: Shared<u32, 2>,
    (stage, whole): (u32, bool),
    (from, first, n): (u64, u64, u64),
    k: usize,
    #[constant] config: ScanConfig,
) -> [E::Wide; V] {
    let identity = const { identity::<E>(config) };
    let mut values = [identity; V];
    let place = (thread_idx.x / 32 * config.vectors as u32 + k as u32) * 32 + thread_idx.x % 32;
    if whole {
        values = unpack::<E, V>(stages.load_vec::<4>((stage, 4 * place)));
    } else {
        #[unroll]
        for j in 0..V {
            let at = first + (place * V as u32) as u64 + j as u64;
            if at < n {
                values[j] = load_nc(&x[from + at]) as E::Wide;
            }
        }
    }
    values
}

/// As `tiles`; `words` is the memory of `x`, whose rows are 16-byte aligned.
#[kernel(block = THREADS)]
pub(super) fn ring<E: Widened, const V: usize>(
    x: &[E],
    words: &[u32],
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
    let stages = shared_dynamic::<u32>([STAGES, const { of_tile(config) }]);
    let pipe = pipeline(STAGES, 1, 1);
    let (producer, consumer) = (pipe.producer(), pipe.consumer());
    let ids = shared::<u32>(STAGES);
    let of_warps = shared::<E::Wide>([STAGES, WARPS]);
    let befores = shared::<E::Wide>([2, WARPS]);
    let groups = shared::<E::Wide>(WARPS);
    let (t, lane, warp) = (thread_idx.x, thread_idx.x % 32, thread_idx.x / 32);

    // One thread starts the copy of a tile to the next stage.
    let begin = |tile: u32| {
        let of_row = tile / in_row;
        let first = (tile - of_row * in_row) as u64 * size;
        let slot = producer.acquire();
        ids[slot.index] = tile;
        if tile < tiles && first + size <= n {
            let at = (of_row as u64 * x_row + first) * const { size_of::<E>() as u64 } / 4;
            slot.arrive_expect(const { 4 * of_tile(config) });
            bulk_load(stages.slab(slot.index), words.span(at, const { of_tile(config) }), slot);
        } else {
            slot.commit();
        }
    };
    if t == 0 {
        #[unroll]
        for _ in 0..STAGES - 1 {
            begin(atomic_add(&mut tickets[0], 1));
        }
    }

    // State: the older tile's row, the group being summed, the sum of the groups before it, and the words of this thread's cell of
    // that group, once they hold a sum.
    let mut row = u32::MAX;
    let mut group = 0u32;
    let mut before = identity;
    let mut sum = identity;
    let mut have = false;
    let mut older = tiles;
    let mut old_stage = 0u32;
    let mut turn = 0u32;
    let mut working = true;
    while working {
        let mut next = 0u32;
        if t == 0 {
            next = atomic_add(&mut tickets[0], 1);
        }
        // Read the words that the older tile needs from other blocks.
        let old_row = older / in_row;
        let old_place = older - old_row * in_row;
        let start = old_row as u64 * in_row as u64;
        let mine = start + (old_place / THREADS * THREADS + t) as u64;
        let wanted = older < tiles && t < old_place % THREADS;
        if older < tiles && (old_row != row || group != old_place / THREADS) {
            have = false;
        }
        let mut words_now = (0u64, 0u64);
        if wanted && !have {
            words_now = look::<E::Wide>(cells, mine);
        }

        // Sum the newest tile.
        let stage = consumer.wait().index;
        let tile = ids[stage];
        if tile < tiles {
            let of_row = tile / in_row;
            let first = (tile - of_row * in_row) as u64 * size;
            let whole = first + size <= n;
            let mut total = identity;
            #[unroll]
            for k in 0..vectors {
                let values = vector::<E, V>(
                    x,
                    stages,
                    (stage, whole),
                    (of_row as u64 * x_row, first, n),
                    k,
                    config,
                );
                #[unroll]
                for j in 0..V {
                    total = combine::<E::Wide>(total, values[j], config);
                }
            }
            let total = of_warp::<E>(total, config);
            if lane == 0 {
                of_warps[[stage, warp]] = total;
            }
        }

        // The prefix of the older tile in its row.
        if older < tiles {
            if old_row != row {
                row = old_row;
                group = 0;
                before = identity;
            }
            while group < old_place / THREADS {
                let at = start + (group * THREADS + t) as u64;
                let of_group = sum_of::<E::Wide>(cells, at, (0, 0));
                let part = of_warp::<E>(of_group, config);
                if lane == 0 {
                    groups[warp] = part;
                }
                sync_threads();
                let mut total = groups[0];
                #[unroll]
                for w in 1..WARPS {
                    total = combine::<E::Wide>(total, groups[w], config);
                }
                before = combine::<E::Wide>(before, total, config);
                sync_threads();
                group += 1;
            }
            if wanted && !have {
                sum = sum_of::<E::Wide>(cells, mine, words_now);
                have = true;
            }
            let part = of_warp::<E>(select(wanted, sum, identity), config);
            if lane == 0 {
                befores[[turn, warp]] = part;
            }
        }
        sync_threads();
        if t == 0 && tile < tiles && in_row > 1 {
            let mut total = of_warps[[stage, 0]];
            #[unroll]
            for w in 1..WARPS {
                total = combine::<E::Wide>(total, of_warps[[stage, w]], config);
            }
            publish::<E::Wide>(cells, tile as u64, total);
        }

        // The results of the older tile.
        if older < tiles {
            let mut base = before;
            #[unroll]
            for w in 0..WARPS {
                base = combine::<E::Wide>(base, befores[[turn, w]], config);
            }
            #[unroll]
            for w in 0..WARPS {
                base = select(
                    w < warp,
                    combine::<E::Wide>(base, of_warps[[old_stage, w]], config),
                    base,
                );
            }
            let first = old_place as u64 * size;
            let whole = first + size <= n;
            let mut values = [[E::Wide::ZERO; V]; MOST];
            let mut sums = [identity; MOST];
            #[unroll]
            for k in 0..vectors {
                values[k] = vector::<E, V>(
                    x,
                    stages,
                    (old_stage, whole),
                    (old_row as u64 * x_row, first, n),
                    k,
                    config,
                );
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
                    sums[k] =
                        select(lane >= delta, combine::<E::Wide>(left, sums[k], config), sums[k]);
                }
            }
            let to = old_row as u64 * y_row;
            #[unroll]
            for k in 0..vectors {
                let beside = shfl_up_sync(FULL_MASK, sums[k], 1);
                let all = shfl_sync(FULL_MASK, sums[k], 31);
                let left = combine::<E::Wide>(base, select(lane > 0, beside, identity), config);
                base = combine::<E::Wide>(base, all, config);
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
                let place = ((warp * vectors as u32 + k as u32) * 32 + lane) * V as u32;
                let at = first + place as u64;
                if whole {
                    store::<E, V>(y, to + at, results);
                } else {
                    #[unroll]
                    for j in 0..V {
                        if at + (j as u64) < n {
                            y[to + at + j as u64] = results[j] as E;
                        }
                    }
                }
            }
        }
        working = tile < tiles;
        sync_threads();
        // The older tile's stage is free; in the first round, a stage that was never filled.
        if t == 0 {
            if older < tiles {
                consumer.release_previous();
            }
            begin(next);
        }
        older = tile;
        old_stage = stage;
        turn = turn ^ 1;
    }
    // The last block to finish resets the cells to zero.
    if t == 0 {
        ids[0] = atomic(&mut tickets[1], Order::AcqRel, Scope::Device).add(1);
    }
    sync_threads();
    if ids[0] == grid_dim.x - 1 {
        leave_zeros(cells, tickets, THREADS);
    }
}
