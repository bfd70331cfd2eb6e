//! Long rows on devices with bulk copies (sm_90): as in `spread`, several blocks hold a row and exchange their statistics, but memory is
//! never idle meanwhile.
//!
//! A block has its part of several rows in shared memory, of which the next ones are being copied while it works on two: of the newest it
//! computes and publishes the statistics, and of the one before, whose other parts had the time of a row to be published, the results.
//! It has the same columns of every row, so that it loads their factors once.

use super::kernels::{How, Kind, exponential, factors, result};
use crate::vectors::{Widened, load, store, unpack};
use lanework::prelude::*;

/// Threads of a block: no more parts than this.
pub(super) const THREADS: u32 = 256;
/// Blocks that a multiprocessor holds.
pub(super) const RESIDENT: u32 = 2;
const WARPS: u32 = THREADS / 32;
/// Rows of which a part is in shared memory.
pub(super) const STAGES: u32 = 3;

/// The most vectors of a thread.
pub(super) const MOST: usize = 8;

/// Words of a part.
pub(super) fn of_part(how: How) -> u32 {
    THREADS * 4 * how.vectors as u32
}

#[device]
fn of_warp(value: f32, #[constant] most: bool) -> f32 {
    let mut all = value;
    #[unroll]
    for bits in [16u32, 8, 4, 2, 1] {
        let other = shfl_xor_sync(FULL_MASK, all, bits);
        all = if most { all.max(other) } else { all + other };
    }
    all
}

/// The statistics of `numbers` of the lanes of a warp together: the largest and the sum of exponentials, the mean and the sum of squared
/// differences, or 0 and the sum of squares.
#[device]
fn merged((first, second): (f32, f32), numbers: f32, #[constant] how: How) -> (f32, f32) {
    let mut all = (0.0f32, 0.0f32);
    if how.kind == Kind::Softmax {
        all.0 = of_warp(first, true);
        all.1 = of_warp(second * exponential(first - all.0), false);
    }
    if how.kind == Kind::LayerNorm {
        all.0 = of_warp(numbers * first, false) / of_warp(numbers, false).max(1.0);
        let off = first - all.0;
        all.1 = of_warp(second + numbers * off * off, false);
    }
    if how.kind == Kind::RmsNorm {
        all.1 = of_warp(second, false);
    }
    all
}

/// The words of a cell as they are now: of a round where that is in their upper halves.
#[device]
fn look(cells: &mut [u64], at: u32, #[constant] how: How) -> (u64, u64) {
    let second = load_relaxed(&cells[2 * at + 1], Scope::Device);
    let mut first = second;
    if how.kind != Kind::RmsNorm {
        first = load_relaxed(&cells[2 * at], Scope::Device);
    }
    (first, second)
}

/// As `spread`; `words` is the memory of `x`, whose rows begin at multiples of 16 bytes and have a multiple of that. A part has
/// `THREADS` times `V` times `how.vectors` numbers, the last one the rest.
#[kernel(block = THREADS, min_blocks = RESIDENT)]
pub(super) fn ring<E: Widened<Wide = f32>, const V: usize>(
    words: &[u32],
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    cells: &mut [u64],
    done: &mut [u32],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (parts, groups): (u32, u32),
    eps: f32,
    #[constant] how: How,
) {
    let vectors = how.vectors;
    let fill = const { if how.kind == Kind::Softmax { f32::NEG_INFINITY } else { 0.0 } };
    let least = const { if how.kind == Kind::Softmax { f32::MIN } else { 0.0 } };
    let size = const { THREADS as u64 * V as u64 * how.vectors as u64 };
    let stages = shared_dynamic::<u32>([STAGES, const { of_part(how) }]);
    let pipe = pipeline(STAGES, 1, 1);
    let (producer, consumer) = (pipe.producer(), pipe.consumer());
    let of_warps = shared::<f32>([2, WARPS]);
    let of_parts = shared::<f32>([2, WARPS]);
    let counts = shared::<f32>([2, WARPS]);
    let last = shared::<u32>(1);
    let (t, lane, warp) = (thread_idx.x, thread_idx.x % 32, thread_idx.x / 32);
    let (group, part) = (block_idx.x / parts, block_idx.x % parts);
    let first = part as u64 * size;
    let mine = (n - first).min(size) as u32;
    let rounds = ((rows - group as u64 + groups as u64 - 1) / groups as u64) as u32;

    // Starts the copy of the part of a row to the next stage; by one thread.
    let begin = |round: u32| {
        if round < rounds {
            let row = group as u64 + round as u64 * groups as u64;
            let at = (row * x_row + first) * const { size_of::<E>() as u64 } / 4;
            let count = mine * const { size_of::<E>() as u32 } / 4;
            let slot = producer.acquire();
            slot.arrive_expect(4 * count);
            bulk_load(stages.slab(slot.index), words.span(at, count), slot);
        }
    };
    if t == 0 {
        #[unroll]
        for round in 0..STAGES - 1 {
            begin(round);
        }
    }
    // The factors and summands of this thread's columns.
    let mut of_columns = [[1.0f32; V]; MOST];
    let mut plus = [[0.0f32; V]; MOST];
    #[unroll]
    for k in 0..vectors {
        let place = (k as u32 * THREADS + t) * V as u32;
        if place < mine {
            if how.gamma {
                of_columns[k] = load::<E, V>(gamma, first + place as u64);
            }
            if how.beta {
                plus[k] = load::<E, V>(beta, first + place as u64);
            }
        }
    }

    let mut old_stage = 0u32;
    for round in 0..rounds + 1 {
        // What others said of the row before.
        let at = ((round + 1) % 2 * groups + group) * parts + t;
        let mut said = (0u64, 0u64);
        if round > 0 && t < parts {
            said = look(cells, at, how);
        }

        // The statistics of the new row, of a warp's numbers.
        let mut stage = 0u32;
        if round < rounds {
            stage = consumer.wait().index;
            let mut values = [[fill; V]; MOST];
            let mut most = least;
            let mut sum = 0.0f32;
            let mut numbers = 0u32;
            #[unroll]
            for k in 0..vectors {
                let place = k as u32 * THREADS + t;
                if place * (V as u32) < mine {
                    values[k] = unpack::<E, V>(stages.load_vec::<4>((stage, 4 * place)));
                    numbers += V as u32;
                }
                #[unroll]
                for j in 0..V {
                    if how.kind == Kind::Softmax {
                        most = most.max(values[k][j]);
                    } else {
                        sum += values[k][j];
                    }
                }
            }
            let mut shift = 0.0f32;
            let mut count = 0.0f32;
            if how.kind == Kind::Softmax {
                shift = of_warp(most, true);
            }
            if how.kind == Kind::LayerNorm {
                count = of_warp(numbers as f32, false);
                shift = of_warp(sum, false) / count.max(1.0);
            }
            let mut total = 0.0f32;
            #[unroll]
            for k in 0..vectors {
                let inside = (k as u32 * THREADS + t) * (V as u32) < mine;
                #[unroll]
                for j in 0..V {
                    let x = values[k][j];
                    if how.kind == Kind::Softmax {
                        total += exponential(x - shift);
                    }
                    if how.kind == Kind::LayerNorm {
                        let off = select(inside, x - shift, 0.0);
                        total += off * off;
                    }
                    if how.kind == Kind::RmsNorm {
                        total += x * x;
                    }
                }
            }
            let total = of_warp(total, false);
            if lane == 0 {
                of_warps[[0, warp]] = shift;
                of_warps[[1, warp]] = total;
                counts[[0, warp]] = count;
            }
        }

        // The statistics of the row before, of the parts that a warp reads.
        if round > 0 {
            let mut of_part = (least, 0.0f32);
            let mut numbers = 0.0f32;
            if t < parts {
                while (said.0 >> 32) as u32 != round || (said.1 >> 32) as u32 != round {
                    said = look(cells, at, how);
                }
                of_part = (f32_from_bits(said.0 as u32), f32_from_bits(said.1 as u32));
                numbers = (n - t as u64 * size).min(size) as f32;
            }
            let of_part = merged(of_part, numbers, how);
            let numbers = of_warp(numbers, false);
            if lane == 0 {
                of_parts[[0, warp]] = of_part.0;
                of_parts[[1, warp]] = of_part.1;
                counts[[1, warp]] = numbers;
            }
        }
        sync_threads();
        let mut pair = (least, 0.0f32);
        let mut numbers = 0.0f32;
        if round < rounds && warp == 0 {
            if lane < WARPS {
                pair = (of_warps[[0, lane]], of_warps[[1, lane]]);
                numbers = counts[[0, lane]];
            }
            let all = merged(pair, numbers, how);
            if lane == 0 {
                let at = (round % 2 * groups + group) * parts + part;
                let tag = (round as u64 + 1) << 32;
                if how.kind != Kind::RmsNorm {
                    store_relaxed(&mut cells[2 * at], tag | all.0.to_bits() as u64, Scope::Device);
                }
                store_relaxed(&mut cells[2 * at + 1], tag | all.1.to_bits() as u64, Scope::Device);
            }
        }

        // The results of the row before.
        if round > 0 {
            pair = (least, 0.0f32);
            numbers = 0.0f32;
            if lane < WARPS {
                pair = (of_parts[[0, lane]], of_parts[[1, lane]]);
                numbers = counts[[1, lane]];
            }
            let of_row = merged(pair, numbers, how);
            let (shift, scale) = factors(of_row, n as f32, eps, how);
            let row = group as u64 + (round - 1) as u64 * groups as u64;
            #[unroll]
            for k in 0..vectors {
                let place = k as u32 * THREADS + t;
                if place * (V as u32) < mine {
                    let values = unpack::<E, V>(stages.load_vec::<4>((old_stage, 4 * place)));
                    let mut results = [0.0f32; V];
                    #[unroll]
                    for j in 0..V {
                        let mut x = values[j];
                        if how.kind == Kind::Softmax {
                            x = exponential(x - shift);
                        }
                        results[j] = result(x, (shift, scale), (of_columns[k][j], plus[k][j]), how);
                    }
                    let to = row * y_row + first + (place * V as u32) as u64;
                    store::<E, V>(y, to, results);
                }
            }
        }
        sync_threads();
        // The stage of the row before is free; in the first round, one that nothing was copied to.
        if t == 0 && round < rounds {
            if round > 0 {
                consumer.release_previous();
            }
            begin(round + const { STAGES - 1 });
        }
        old_stage = stage;
    }
    // The last block to end leaves zeros behind.
    if t == 0 {
        last[0] = atomic(&mut done[0], Order::AcqRel, Scope::Device).add(1);
    }
    sync_threads();
    if last[0] == grid_dim.x - 1 {
        for cell in (t..cells.len() as u32).step_by(THREADS) {
            cells[cell] = 0;
        }
        if t == 0 {
            done[0] = 0;
        }
    }
}
