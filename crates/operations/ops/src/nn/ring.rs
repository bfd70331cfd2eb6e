//! Long rows on devices with bulk copies (sm_90): as in `spread`, several blocks hold a row and exchange their statistics, but memory is
//! never idle meanwhile.
//!
//! A block has one part of every row of its group: pieces of the same columns, whose factors it loads once. The parts take pieces in turns, so
//! that what all blocks move at a time is adjacent. The warps of a block have roles, which are coupled by mbarriers alone. One thread has
//! the parts of the next rows copied to shared memory. The warps that compute take a part to registers, which frees its place for another
//! copy, compute its statistics, and go on with the results of an earlier row, whose statistics are known by then. One warp publishes the
//! block's statistics of a row, another one collects those of all its parts. Nothing waits for a whole block.

use super::collect::{collected, of_part as numbers_of_part, of_parts, publish};
use super::kernels::{How, Kind, NONE, RowPart, SLOTS, is_inside, result};
use super::statistics::{exponential, factors, merged, numbers_of_warp, of_warp};
use crate::vectors::{Widened, store, unpack};
use lanework::prelude::*;

/// Threads that compute.
pub(super) const THREADS: u32 = 512;
/// Threads of a block: these, and a warpgroup of which one warp copies, one publishes and one collects.
pub(super) const BLOCK: u32 = THREADS + 128;
const WARPS: u32 = THREADS / 32;
/// Registers of a thread at first, of a thread that computes and of the others.
const REGISTERS: (u32, u32, u32) = (96, 104, 64);
/// Shared memory for parts of rows.
const ROOM: u32 = 224 << 10;
/// Rows whose statistics are on their way within a block.
const TOLD: u32 = 2;
/// The delay that was fastest on an H200.
pub(super) const DELAY: u32 = 3;
/// The longest delay.
const LONGEST: usize = 4;

/// The most vectors of a thread, and those that leave shared memory for the factors of columns.
pub(super) const MOST: usize = 8;
pub(super) const PREFERRED: usize = 4;

/// Threads that have one vector each of a piece, so many adjacent elements of a row: its parts take pieces in turns, so that what all
/// blocks load and store at a time lies in few pages of memory. On an H200 pieces of 2 KB take 3 to 9 % less time than parts that are one
/// piece, pieces of 8 KB 1 to 6 %; with pieces of 512 bytes the thread that copies them takes the time.
const PIECE: u32 = 128;

/// Words of a part.
fn of_part(how: How) -> u32 {
    THREADS * 4 * how.vectors as u32
}

/// Pieces of a part.
const fn pieces(how: How) -> u32 {
    THREADS / PIECE * how.vectors as u32
}

/// Parts that fit in shared memory.
fn slabs(how: How) -> u32 {
    ROOM / (4 * of_part(how))
}

/// Of them, those of the factors and of the summands of columns.
fn of_columns(how: How) -> u32 {
    u32::from(how.gamma) + u32::from(how.beta)
}

/// Of them, those of rows.
pub(super) fn stages(how: How) -> u32 {
    (slabs(how) - of_columns(how)).min(8)
}

/// Bytes of shared memory for parts.
pub(super) fn shared_bytes(how: How) -> u32 {
    4 * (how.stages + of_columns(how)) * of_part(how)
}

/// Rows whose statistics are in memory at a time. A block that publishes those of a row has collected those of the row `delay` + 1 before,
/// when all blocks had collected those of another `delay` + 1 before that.
const fn kept(delay: u32) -> u32 {
    2 * delay + 2
}

/// Copies of a row's statistics, between which the blocks that wait for them are divided. With one for each block, writing them took 7 %
/// of the time on an H200; from 1 to 4 are as fast as each other.
const COPIES: u32 = 4;

/// Words of the cells of `groups` rows at a time, each in `parts` parts.
pub(super) fn cells(delay: u32, (parts, groups): (usize, usize)) -> usize {
    (2 * kept(delay) * COPIES) as usize * groups * parts
}

/// As `spread`; `words` is the memory of `x`, whose rows begin at multiples of 16 bytes and have a multiple of that. A part has
/// `THREADS` times `V` times `how.vectors` numbers, or fewer where the pieces do not come out even. `space` are as many zeros as [`cells`] says: of each of the rows
/// whose statistics are in memory at a time, as many copies as `COPIES`, in each of which all blocks of the row publish. `done` is a zero.
/// All are zero again in the end.
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
    #[constant] how: How,
) {
    let (vectors, delay) = (how.vectors, how.delay);
    let stages =
        shared_dynamic::<u32>([const { how.stages + of_columns(how) }, const { of_part(how) }]);
    let copies = pipeline(how.stages, 1, WARPS);
    let fixed = pipeline(1, 1, 1);
    let holds = const { of_columns(how) > 0 };
    let (of_gamma, of_beta) = (how.stages, const { how.stages + how.gamma as u32 });
    let told = pipeline(TOLD, WARPS, 1);
    let known = pipeline(const { how.delay + 1 }, 1, WARPS);
    let of_warps = shared::<f32>([2 * TOLD, WARPS]);
    let of_rows = shared::<f32>([2, const { how.delay + 1 }]);
    let (group, part) = (block_idx.x / parts, block_idx.x % parts);
    // Elements of a piece, and from one of a part's pieces to its next.
    let piece = const { PIECE as u64 * V as u64 };
    let turn = parts as u64 * piece;
    let first = part as u64 * piece;
    let mine = numbers_of_part(part, parts, n, piece);
    let slabs = stages.region(
        0u32,
        [const { (how.stages + of_columns(how)) * pieces(how) }, const { PIECE * 4 }],
    );
    let rounds = ((rows - group as u64 + groups as u64 - 1) / groups as u64) as u32;
    let [math, others] = warp_roles([WARPS, 4]);
    if others.active() {
        others.give_registers(REGISTERS.2);
        let (lane, role) = (others.thread() % 32, others.thread() / 32);
        if others.thread() == 0 {
            let all = const { pieces(how) };
            // Of the row that begins at a place, piece `i` of this part goes to a slab.
            let load = |x: Slice<u32>, row: u64, i: u32, slab: u32, slot: Filling| {
                let from = first + i as u64 * turn;
                if how.full || from < n {
                    let mut count = const { PIECE * 4 };
                    if !how.full {
                        count = (n - from).min(piece) as u32 * const { size_of::<E>() as u32 } / 4;
                    }
                    let at = (row + from) * const { size_of::<E>() as u64 } / 4;
                    bulk_load(slabs.slab(slab * all + i), x.span(at, count), slot);
                }
            };
            let bytes = mine * const { size_of::<E>() as u32 };
            if holds {
                let slot = fixed.producer().acquire_for(bytes * const { of_columns(how) });
                for i in 0..all {
                    if how.gamma {
                        load(gamma, 0u64, i, of_gamma, slot);
                    }
                    if how.beta {
                        load(beta, 0u64, i, of_beta, slot);
                    }
                }
            }
            let producer = copies.producer();
            for round in 0..rounds {
                let row = (group as u64 + round as u64 * groups as u64) * x_row;
                let slot = producer.acquire_for(bytes);
                #[unroll]
                for i in 0..const { pieces(how) } {
                    load(words, row, i, slot.index, slot);
                }
            }
        }
        if role == 1 {
            // Numbers of each warp that computes.
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
                let mut of_lane =
                    (const { if how.kind == Kind::Softmax { f32::MIN } else { 0.0 } }, 0.0f32);
                if lane < WARPS {
                    of_lane = (of_warps[[slot.index, lane]], of_warps[[TOLD + slot.index, lane]]);
                }
                sync_warp(FULL_MASK);
                if lane == 0 {
                    slot.release();
                }
                let all = merged(of_lane, numbers, mine as f32, how);
                let base = (round % const { kept(how.delay) } * groups + group) * COPIES;
                // Nobody reads the copies behind the parts.
                if lane < parts.min(COPIES) {
                    publish(space, (base + lane) * parts + part, round + 1, all, how);
                }
            }
        }
        if role == 2 {
            let to = known.producer();
            let share = 1.0 / n as f32;
            let of_parts = of_parts(parts, n, piece);
            for round in 0..rounds {
                let base = (round % const { kept(how.delay) } * groups + group) * COPIES;
                let base = (base + part % COPIES) * parts;
                let of_row = collected(space, base, round + 1, parts, n, of_parts, how);
                let (shift, scale) = factors(of_row, share, eps, how);
                if lane == 0 {
                    let slot = to.acquire();
                    of_rows[[0, slot.index]] = shift;
                    of_rows[[1, slot.index]] = scale;
                    slot.commit();
                }
            }
            // The last block that has collected everything leaves zeros behind.
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
        let fill = const { if how.kind == Kind::Softmax { f32::NEG_INFINITY } else { 0.0 } };
        let (from, to, results) = (copies.consumer(), told.producer(), known.consumer());
        // A thread's vectors are at the same place of pieces that are as far apart as those that all threads have at a time.
        let (me, first) = (t % PIECE, first + (t / PIECE) as u64 * turn);
        let next = const { (THREADS / PIECE) as u64 } * turn;
        let span = RowPart { x: 0, y: 0, x_step: 1, y_step: 1, first, end: n, next, extra: NONE };
        let numbers = numbers_of_warp::<V>(span, me, how);
        if holds {
            fixed.consumer().wait();
        }
        // Rows that wait for their statistics, the newest first.
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
                    if is_inside::<V>(span, me, k, 0, how) {
                        values[k] = unpack::<E, V>(stages.load_vec::<4>((slot.index, 4 * place)));
                    }
                }
                sync_warp(FULL_MASK);
                if lane == 0 {
                    slot.release();
                }
                let (one, two) = of_warp::<V>(&mut values, span, me, numbers, how);
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
                let oldest = const { how.delay as usize - 1 };
                let mut adapted = scale;
                if how.kind == Kind::Softmax {
                    adapted *= exponential(bases[oldest] - shift);
                }
                #[unroll]
                for k in 0..vectors {
                    let vector = k as u32 * THREADS + t;
                    if is_inside::<V>(span, me, k, 0, how) {
                        let mut of_place = [1.0f32; V];
                        let mut more = [0.0f32; V];
                        if how.gamma {
                            of_place = unpack::<E, V>(stages.load_vec::<4>((of_gamma, 4 * vector)));
                        }
                        if how.beta {
                            more = unpack::<E, V>(stages.load_vec::<4>((of_beta, 4 * vector)));
                        }
                        let mut row = [0.0f32; V];
                        #[unroll]
                        for j in 0..V {
                            let x = waiting[oldest][k][j];
                            row[j] = result(x, (shift, adapted), (of_place[j], more[j]), how);
                        }
                        store::<E, V>(y, to_row + k as u64 * next, row);
                    }
                }
                to_row += groups as u64 * y_row;
            }
            #[unroll]
            for i in (1..how.delay as usize).rev() {
                waiting[i] = waiting[i - 1];
                bases[i] = bases[i - 1];
            }
            waiting[0] = values;
            bases[0] = base;
        }
    }
}
