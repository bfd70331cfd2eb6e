//! Long rows on devices with bulk copies (sm_90): as in `spread`, several blocks hold a row and exchange their statistics, but
//! memory transfers continue meanwhile.
//!
//! A block has one part of every row of its group: always the same columns, whose gamma and beta it loads once. A
//! row's pieces are assigned to its parts round-robin, so concurrent accesses of all blocks are adjacent. The warps of
//! a block are specialized and synchronize only through mbarriers. One thread issues the bulk copies of the next rows'
//! parts to shared memory. The computing warps move a part to registers, which frees its stage, compute its
//! statistics, and finish an earlier row, whose statistics are complete by then. One warp publishes the block's
//! statistics of a row; another collects the statistics of all parts. There is no block-wide barrier.

use super::exchange::{collected, of_part as numbers_of_part, of_parts, publish};
use super::kernels::{NONE, RowConfig, RowOperation, RowPart, SLOTS, is_inside, result};
use super::statistics::{exponential, factors, merged, numbers_of_warp, of_warp};
use crate::vectors::{Widened, store, unpack};
use lanework::prelude::*;

/// Computing threads.
pub(super) const THREADS: u32 = 512;
/// Threads of a block: the computing ones, and a warpgroup with one warp each to copy, to publish and to collect.
pub(super) const BLOCK: u32 = THREADS + 128;
const WARPS: u32 = THREADS / 32;
/// Registers per thread: at launch, of the computing threads, and of the others.
const REGISTERS: (u32, u32, u32) = (96, 104, 64);
/// Bytes of shared memory for parts of rows.
const ROOM: u32 = 224 << 10;
/// Rows whose statistics are in flight within a block.
const TOLD: u32 = 2;
/// The fastest delay on an H200.
pub(super) const DELAY: u32 = 3;
/// Maximum delay.
const LONGEST: usize = 4;

/// Maximum vectors per thread, without and with gamma and beta in shared memory.
pub(super) const MOST: usize = 8;
pub(super) const PREFERRED: usize = 4;

/// Threads that load adjacent vectors (a piece). Pieces are assigned to a row's parts round-robin, so concurrent loads
/// and stores of all blocks touch few memory pages. On an H200 pieces of 2 KB take 3 to 9 % less time than one per
/// part, pieces of 8 KB 1 to 6 % less; with pieces of 512 bytes the copying thread is the bottleneck.
const PIECE: u32 = 128;

/// Words of a part.
fn of_part(config: RowConfig) -> u32 {
    THREADS * 4 * config.vectors as u32
}

/// Pieces of a part.
const fn pieces(config: RowConfig) -> u32 {
    THREADS / PIECE * config.vectors as u32
}

/// Parts that fit in shared memory.
fn slabs(config: RowConfig) -> u32 {
    ROOM / (4 * of_part(config))
}

/// Shared-memory parts used for gamma and beta.
fn of_columns(config: RowConfig) -> u32 {
    u32::from(config.gamma) + u32::from(config.beta)
}

/// Shared-memory parts used for rows.
pub(super) fn stages(config: RowConfig) -> u32 {
    (slabs(config) - of_columns(config)).min(8)
}

/// Shared-memory bytes for parts.
pub(super) fn shared_bytes(config: RowConfig) -> u32 {
    4 * (config.stages + of_columns(config)) * of_part(config)
}

/// Number of rows whose statistics are in memory concurrently. A block that publishes a row has collected the row
/// `delay` + 1 rows before it; by then, all blocks had collected the row another `delay` + 1 rows before that.
const fn kept(delay: u32) -> u32 {
    2 * delay + 2
}

/// Copies of a row's statistics, among which the polling blocks are divided. On an H200, writing one copy per block took 7 % of the
/// time; 1 to 4 copies are equally fast.
const COPIES: u32 = 4;

/// Words of the cells for `groups` concurrent rows, each in `parts` parts.
pub(super) fn cells(delay: u32, (parts, groups): (usize, usize)) -> usize {
    (2 * kept(delay) * COPIES) as usize * groups * parts
}

/// As `spread`. `words` is the memory of `x`; rows start at, and have, multiples of 16 bytes. A part has up to
/// `THREADS * V * config.vectors` elements. `space` has as many zeros as [`cells`] returns: `COPIES` copies for each
/// row in flight, to which all blocks of the row publish. `done` is a zero. The kernel leaves all of them zero.
#[kernel(block = BLOCK, max_registers = REGISTERS.0)]
pub(super) fn ring<E: Widened<Wide = f32>, const V: usize>(
    words: &[u32],
    y: &mut [E],
    gamma: &[u32],
    beta: &[u32],
    space: &mut [u64],
    done: &mut [u32],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (parts, groups): (u32, u32),
    eps: f32,
    #[constant] config: RowConfig,
) {
    let (vectors, delay) = (config.vectors, config.delay);
    let stages = shared_dynamic::<u32>([
        const { config.stages + of_columns(config) },
        const { of_part(config) },
    ]);
    let copies = pipeline(config.stages, 1, WARPS);
    let fixed = pipeline(1, 1, 1);
    let holds = const { of_columns(config) > 0 };
    let (of_gamma, of_beta) = (config.stages, const { config.stages + config.gamma as u32 });
    let told = pipeline(TOLD, WARPS, 1);
    let known = pipeline(const { config.delay + 1 }, 1, WARPS);
    let of_warps = shared::<f32>([2 * TOLD, WARPS]);
    let of_rows = shared::<f32>([2, const { config.delay + 1 }]);
    let (group, part) = (block_idx.x / parts, block_idx.x % parts);
    // Elements of a piece, and the stride between a part's pieces.
    let piece = const { PIECE as u64 * V as u64 };
    let turn = parts as u64 * piece;
    let first = part as u64 * piece;
    let mine = numbers_of_part(part, parts, n, piece);
    let slabs = stages.region(
        0u32,
        [const { (config.stages + of_columns(config)) * pieces(config) }, const { PIECE * 4 }],
    );
    let rounds = ((rows - group as u64 + groups as u64 - 1) / groups as u64) as u32;
    let [math, others] = warp_roles([WARPS, 4]);
    if others.active() {
        others.give_registers(REGISTERS.2);
        let (lane, role) = (others.thread() % 32, others.thread() / 32);
        if others.thread() == 0 {
            let all = const { pieces(config) };
            // Copies piece `i` of this part of a row to a slab.
            let load = |x: Slice<u32>, row: u64, i: u32, slab: u32, slot: Filling| {
                let from = first + i as u64 * turn;
                if config.full || from < n {
                    let mut count = const { PIECE * 4 };
                    if !config.full {
                        count = (n - from).min(piece) as u32 * const { size_of::<E>() as u32 } / 4;
                    }
                    let at = (row + from) * const { size_of::<E>() as u64 } / 4;
                    bulk_load(slabs.slab(slab * all + i), x.span(at, count), slot);
                }
            };
            let bytes = mine * const { size_of::<E>() as u32 };
            if holds {
                let slot = fixed.producer().acquire_for(bytes * const { of_columns(config) });
                for i in 0..all {
                    if config.gamma {
                        load(gamma, 0u64, i, of_gamma, slot);
                    }
                    if config.beta {
                        load(beta, 0u64, i, of_beta, slot);
                    }
                }
            }
            let producer = copies.producer();
            for round in 0..rounds {
                let row = (group as u64 + round as u64 * groups as u64) * x_row;
                let slot = producer.acquire_for(bytes);
                #[unroll]
                for i in 0..const { pieces(config) } {
                    load(words, row, i, slot.index, slot);
                }
            }
        }
        if role == 1 {
            // Elements of each computing warp.
            let of_columns = const { 32 * V as u32 };
            let mut numbers = 0.0f32;
            #[unroll]
            for k in 0..vectors {
                let vector = (k as u32 * WARPS + lane) * 32;
                let before = first
                    + (vector / PIECE) as u64 * turn
                    + (vector % PIECE * const { V as u32 }) as u64;
                let inside = select(before < n, (n - before).min(of_columns as u64), 0);
                numbers += select(lane < WARPS, inside, 0) as f32;
            }
            let from = told.consumer();
            for round in 0..rounds {
                let slot = from.wait();
                let mut of_lane = (
                    const { if config.kind == RowOperation::Softmax { f32::MIN } else { 0.0 } },
                    0.0f32,
                );
                if lane < WARPS {
                    of_lane = (of_warps[[slot.index, lane]], of_warps[[TOLD + slot.index, lane]]);
                }
                sync_warp(FULL_MASK);
                if lane == 0 {
                    slot.release();
                }
                let all = merged(of_lane, numbers, mine as f32, config);
                let base = (round % const { kept(config.delay) } * groups + group) * COPIES;
                // Lanes beyond the number of parts publish no copy, since no block reads it.
                if lane < parts.min(COPIES) {
                    publish(space, (base + lane) * parts + part, round + 1, all, config);
                }
            }
        }
        if role == 2 {
            let to = known.producer();
            let share = 1.0 / n as f32;
            let of_parts = of_parts(parts, n, piece);
            for round in 0..rounds {
                let base = (round % const { kept(config.delay) } * groups + group) * COPIES;
                let base = (base + part % COPIES) * parts;
                let of_row = collected(space, base, round + 1, parts, n, of_parts, config);
                let (shift, scale) = factors(of_row, share, eps, config);
                if lane == 0 {
                    let slot = to.acquire();
                    of_rows[[0, slot.index]] = shift;
                    of_rows[[1, slot.index]] = scale;
                    slot.commit();
                }
            }
            // The last block to finish collecting resets the cells to zero.
            sync_warp(FULL_MASK);
            let mut before = 0u32;
            if lane == 0 {
                before = atomic(&mut done[0], Order::AcqRel, Scope::Device).add(1);
            }
            if shfl_sync(FULL_MASK, before, 0) == grid_dim.x - 1 {
                for cell in (lane..space.len() as u32).step_by(32) {
                    store_relaxed(&mut space[cell], 0u64, Scope::Device);
                }
                if lane == 0 {
                    store_relaxed(&mut done[0], 0u32, Scope::Device);
                }
            }
        }
    }
    if math.active() {
        math.take_registers(REGISTERS.1);
        let (t, lane, warp) = (math.thread(), math.thread() % 32, math.thread() / 32);
        let fill =
            const { if config.kind == RowOperation::Softmax { f32::NEG_INFINITY } else { 0.0 } };
        let (from, to, results) = (copies.consumer(), told.producer(), known.consumer());
        // A thread's vectors have the same offset in pieces that are one round of all computing threads apart.
        let (me, first) = (t % PIECE, first + (t / PIECE) as u64 * turn);
        let next = const { (THREADS / PIECE) as u64 } * turn;
        let span = RowPart { x: 0, y: 0, x_step: 1, y_step: 1, first, end: n, next, extra: NONE };
        let numbers = numbers_of_warp::<V>(span, me, config);
        if holds {
            fixed.consumer().wait();
        }
        // Rows that wait for their statistics, newest first.
        let mut waiting = [[[0.0f32; V]; SLOTS]; LONGEST];
        let mut bases = [0.0f32; LONGEST];
        let mut to_row = group as u64 * y_row + first + (me * V as u32) as u64;
        for round in 0..rounds + delay {
            let mut values = [[fill; V]; SLOTS];
            let mut base = 0.0f32;
            if round < rounds {
                let slot = from.wait();
                #[unroll]
                for k in 0..vectors {
                    let place = k as u32 * THREADS + t;
                    if is_inside::<V>(span, me, k, 0, config) {
                        values[k] = unpack::<E, V>(stages.load_vec::<4>((slot.index, 4 * place)));
                    }
                }
                sync_warp(FULL_MASK);
                if lane == 0 {
                    slot.release();
                }
                let (one, two) = of_warp::<V>(&mut values, span, me, numbers, config);
                base = one;
                if lane == 0 {
                    let slot = to.acquire();
                    of_warps[[slot.index, warp]] = one;
                    of_warps[[TOLD + slot.index, warp]] = two;
                    slot.commit();
                }
            }
            if round >= delay {
                let slot = results.wait();
                let (shift, scale) = (of_rows[[0, slot.index]], of_rows[[1, slot.index]]);
                sync_warp(FULL_MASK);
                if lane == 0 {
                    slot.release();
                }
                let oldest = const { config.delay as usize - 1 };
                let mut adapted = scale;
                if config.kind == RowOperation::Softmax {
                    adapted *= exponential(bases[oldest] - shift);
                }
                #[unroll]
                for k in 0..vectors {
                    let vector = k as u32 * THREADS + t;
                    if is_inside::<V>(span, me, k, 0, config) {
                        let mut of_place = [1.0f32; V];
                        let mut more = [0.0f32; V];
                        if config.gamma {
                            of_place = unpack::<E, V>(stages.load_vec::<4>((of_gamma, 4 * vector)));
                        }
                        if config.beta {
                            more = unpack::<E, V>(stages.load_vec::<4>((of_beta, 4 * vector)));
                        }
                        let mut row = [0.0f32; V];
                        #[unroll]
                        for j in 0..V {
                            let x = waiting[oldest][k][j];
                            row[j] = result(x, (shift, adapted), (of_place[j], more[j]), config);
                        }
                        store::<E, V>(y, to_row + k as u64 * next, row);
                    }
                }
                to_row += groups as u64 * y_row;
            }
            #[unroll]
            for i in (1..config.delay as usize).rev() {
                waiting[i] = waiting[i - 1];
                bases[i] = bases[i - 1];
            }
            waiting[0] = values;
            bases[0] = base;
        }
    }
}
