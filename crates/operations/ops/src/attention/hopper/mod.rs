//! Attention on Hopper's tensor cores. One warp loads tiles of keys and values by TMA (`loads`); two or three warpgroups multiply
//! 64 queries each by `wgmma`.
//!
//! A warpgroup keeps 64 x `KEYS` scores in registers, computes their softmax there, and multiplies the weights from registers (Dao
//! 2023, "FlashAttention-2"). The products of one key block's weights and values overlap the scores and the softmax of the next
//! block; named barriers let one warpgroup at a time issue products, which overlap the exponentials of the others (Shah et al.
//! 2024, "FlashAttention-3"). The pipeline continues across query tiles: it overlaps one tile's first softmax with the previous
//! tile's last PV product. Persistent blocks claim tiles from a counter, longest first. Results leave by TMA from the shared memory
//! of the tile's queries.
//!
//! When there are fewer tiles than blocks, the keys of a tile are divided into parts. Each part is a separate tile; another
//! launch (`combine`) combines their sums, largest scores and sums of weights.

mod loads;

use super::choice::Division;
use super::problem::{AttentionWork, Half, KernelOptions};
use lanework::prelude::*;
use loads::load;

/// Row maxima of the two rows that a lane holds. Each uses two independent chains of maxima; the second row's maxima overlap the
/// first row's exponentials.
#[device]
fn highest<const KEYS: u32>(scores: FragmentC<f32, 64, KEYS>) -> [f32; 2] {
    let mut highest = [f32::NEG_INFINITY; 2];
    #[unroll]
    for line in 0..2u32 {
        let mut pair = [scores[2 * line], scores[2 * line + 1]];
        #[unroll]
        for i in 1..KEYS / 8 {
            pair[0] = pair[0].max(scores[4 * i + 2 * line]);
            pair[1] = pair[1].max(scores[4 * i + 2 * line + 1]);
        }
        let mut most = pair[0].max(pair[1]);
        #[unroll]
        for bits in [1u32, 2] {
            most = most.max(shfl_xor_sync(FULL_MASK, most, bits));
        }
        highest[line as usize] = most;
    }
    highest
}

/// `out = softmax(scale * q * transpose(k)) * v` for every batch and head, tile by tile.
///
/// `wide` receives f32 results, `out` rounded ones. `counter` is 0 at the start and at the end of the launch. `scale` is the score
/// scale times log2(e).
#[kernel(block = plan.threads(), max_registers = plan.registers().0)]
pub(super) fn attention_hopper<T: Half, const HEAD: u32, const KEYS: u32>(
    q: &TensorMap<T, 4>,
    k: &TensorMap<T, 4>,
    v: &TensorMap<T, 4>,
    out: &mut TensorMapMut<T, 4>,
    wide: &mut [f32],
    log_sums: &mut [f32],
    counter: &mut [u32],
    work: AttentionWork,
    scale: f32,
    #[constant] plan: Division,
    #[constant] options: KernelOptions,
) {
    let queries = SharedTiles::<T, 64, HEAD>::dynamic(2 * plan.groups);
    let tiles_k = SharedTiles::<T, KEYS, HEAD>::dynamic(plan.stages);
    let tiles_v = SharedTiles::<T, KEYS, HEAD>::dynamic(plan.stages);
    let numbers = shared::<u32>([2, 6]);
    let ring_q = pipeline(2, 1, plan.groups);
    let ring_k = pipeline(plan.stages, 1, plan.groups);
    let ring_v = pipeline(plan.stages, 1, plan.groups);
    let ring_tiles = pipeline(2, 1, 128 * plan.groups);
    let turns = named_barriers(plan.groups, 256);
    let owns = named_barriers(plan.groups, 128);
    let [math, loads] = warp_roles([4 * plan.groups, 4]);
    if loads.active() {
        loads.give_registers(plan.registers().1);
        if loads.thread() == 0 {
            q.prefetch_map();
            k.prefetch_map();
            v.prefetch_map();
            load::<T, HEAD, KEYS>(
                q,
                k,
                v,
                queries,
                tiles_k,
                tiles_v,
                numbers,
                ring_q.producer(),
                ring_k.producer(),
                ring_v.producer(),
                ring_tiles.producer(),
                &mut counter,
                work,
                plan,
                options,
            );
        }
    }
    if math.active() {
        math.take_registers(plan.registers().2);
        let (from_q, from_k, from_v) = (ring_q.consumer(), ring_k.consumer(), ring_v.consumer());
        let from_tiles = ring_tiles.consumer();
        let group = shfl_sync(FULL_MASK, math.thread() / 128, 0);
        let leads = math.thread() % 128 == 0;
        let (mine, next) = (turns.at(group), turns.at((group + 1) % plan.groups));
        let own = owns.at(group);
        if plan.ordered && group == plan.groups - 1 {
            next.arrive(); // the first warpgroup starts
        }
        let column = 2 * (thread_idx.x % 4);
        // State of the tile whose scores are being computed: position, next key block, and the number of blocks that need no mask.
        // For each of the two rows of a lane: the number of visible keys, the largest score so far, and this lane's partial sum of
        // weights.
        let (mut batch, mut head, mut row) = (0u32, 0u32, 0u32);
        let (mut block, mut full, mut stage) = (0u32, 0u32, 0u32);
        let mut seen = [0i32; 2];
        let mut most = [f32::NEG_INFINITY; 2];
        let mut total = [0.0f32; 2];
        // State of the tile whose values are being multiplied.
        let (mut of_batch, mut of_head, mut of_row, mut of_stage) = (0u32, 0u32, 0u32, 0u32);
        let mut sums = Accumulator::<f32, HEAD>::zero();
        let mut weights = FragmentC::<T, 64, KEYS>::zero();
        let mut stored = false;
        // The first block's scores are computed alone, the others together with the values of the step before.
        #[unroll]
        for later in [false, true] {
            loop {
                let fresh = block == 0;
                if fresh {
                    if stored && leads {
                        bulk_wait_read(0); // the results have left the buffer that receives the next queries
                        from_q.release_previous();
                    }
                    stored = false;
                    let announced = from_tiles.wait();
                    if numbers[[announced.index, 0]] >= work.tiles {
                        break;
                    }
                    batch = numbers[[announced.index, 1]];
                    head = numbers[[announced.index, 2]];
                    row = numbers[[announced.index, 3]] + 64 * group;
                    block = numbers[[announced.index, 4]];
                    full = numbers[[announced.index, 5]];
                    announced.release();
                    let first = row + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4;
                    seen[0] = work.seen(first, options.causal) - column as i32;
                    seen[1] = work.seen(first + 8, options.causal) - column as i32;
                    if options.split {
                        let before = (batch % work.parts * work.each * KEYS) as i32;
                        seen[0] -= before;
                        seen[1] -= before;
                    }
                    stage = from_q.wait().index;
                }
                block -= 1;
                let slot = from_k.wait();
                let mut products = Accumulator::<f32, KEYS>::zero();
                if later && plan.ordered {
                    mine.sync();
                }
                let left = queries[stage * plan.groups + group];
                products.set_product(left, tiles_k[slot.index].t());
                if later {
                    let values = from_v.wait();
                    sums.multiply_sums(weights, tiles_v[values.index]);
                    if plan.ordered {
                        next.arrive();
                    }
                }
                let mut scores = products.finish_ahead_of(if later { 1 } else { 0 });
                if leads {
                    from_k.release_last();
                    if stored {
                        bulk_wait_read(0); // as above
                        from_q.release_previous();
                    }
                }
                stored = false;
                if block >= full {
                    #[unroll]
                    for j in 0..FragmentC::<f32, 64, KEYS>::ELEMENTS {
                        let line = FragmentC::<f32, 64, KEYS>::row_of(j);
                        let at = (block * KEYS + j / 4 * 8 + j % 2) as i32;
                        scores[j] = select(at < seen[line], scores[j], f32::NEG_INFINITY);
                    }
                }
                let (of_most, of_total) = (most, total);
                if fresh {
                    most = [f32::NEG_INFINITY; 2];
                    total = [0.0f32; 2];
                }
                let high = highest(scores);
                let mut fade = [0.0f32; 2];
                let mut base = [0.0f32; 2];
                let mut grown = false;
                #[unroll]
                for line in 0..2 {
                    let mut now = most[line].max(high[line]);
                    if plan.lazy {
                        let much = high[line] * scale > most[line] * scale + 8.0;
                        now = select(much, high[line], most[line]);
                        grown = grown | much;
                    }
                    base[line] = select(now == f32::NEG_INFINITY, 0.0, now * scale);
                    fade[line] = fast::exp2_ftz(most[line] * scale - base[line]);
                    most[line] = now;
                    total[line] *= fade[line];
                }
                #[unroll]
                for j in 0..FragmentC::<f32, 64, KEYS>::ELEMENTS {
                    let line = FragmentC::<f32, 64, KEYS>::row_of(j);
                    scores[j] = fast::exp2_ftz(fma(scores[j], scale, -base[line]));
                    total[line] += scores[j];
                }
                if later {
                    if plan.held {
                        scheduling_barrier(total[0] + total[1]);
                    }
                    sums.wait(0);
                    if leads {
                        from_v.release_last();
                    }
                    if fresh {
                        let to = queries[of_stage * plan.groups + group];
                        store(
                            sums.finish(),
                            of_most,
                            of_total,
                            to,
                            own,
                            out,
                            &mut wide,
                            &mut log_sums,
                            work,
                            of_batch,
                            of_head,
                            of_row,
                            scale,
                            options,
                        );
                        sums = Accumulator::<f32, HEAD>::zero();
                        stored = true;
                    } else if plan.lazy {
                        if any_sync(FULL_MASK, grown) {
                            sums.scale_rows(fade);
                        }
                    } else {
                        sums.scale_rows(fade);
                    }
                }
                if fresh {
                    of_batch = batch;
                    of_head = head;
                    of_row = row;
                    of_stage = stage;
                }
                weights = scores.to::<T>();
                if !later {
                    break;
                }
            }
        }
        let values = from_v.wait();
        sums.multiply_sums(weights, tiles_v[values.index]);
        let to = queries[of_stage * plan.groups + group];
        store(
            sums.finish(),
            most,
            total,
            to,
            own,
            out,
            &mut wide,
            &mut log_sums,
            work,
            of_batch,
            of_head,
            of_row,
            scale,
            options,
        );
        if leads {
            bulk_wait(0);
        }
        if plan.ordered && group == 0 {
            mine.sync(); // consume the last arrival of the last warpgroup
        }
    }
}

/// Normalizes and stores a warpgroup's results from row `row` on; rounded results go through the shared tile `to`.
#[device]
pub(super) fn store<T: Half, const HEAD: u32>(
    results: FragmentC<f32, 64, HEAD>,
    most: [f32; 2],
    total: [f32; 2],
    to: SharedTile<T, 64, HEAD>,
    own: NamedBarrier,
    out: &mut TensorMapMut<T, 4>,
    wide: &mut [f32],
    log_sums: &mut [f32],
    work: AttentionWork,
    batch: u32,
    head: u32,
    row: u32,
    scale: f32,
    #[constant] options: KernelOptions,
) {
    let (mut results, mut total) = (results, total);
    let mut inverse = [0.0f32; 2];
    #[unroll]
    for line in 0..2 {
        #[unroll]
        for bits in [1u32, 2] {
            total[line] += shfl_xor_sync(FULL_MASK, total[line], bits);
        }
        inverse[line] = select(total[line] == 0.0, 0.0, fast::recip(total[line]));
    }
    if options.split {
        // The parts of a row are consecutive.
        let column = 2 * (thread_idx.x % 4);
        let pair = batch / work.parts * work.heads + head;
        #[unroll]
        for line in 0..2u32 {
            let row = row + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4 + 8 * line;
            if row < work.rows {
                let of_row = pair as u64 * work.rows as u64 + row as u64;
                let place = of_row * work.parts as u64 + (batch % work.parts) as u64;
                let first = place * HEAD as u64 + column as u64;
                #[unroll]
                for j in 0..HEAD / 8 {
                    let pair = [results[4 * j + 2 * line], results[4 * j + 2 * line + 1]];
                    wide.store2(first + (8 * j) as u64, pair);
                }
                if column == 0 {
                    log_sums.store2(2 * place, [most[line], total[line]]);
                }
            }
        }
    } else {
        #[unroll]
        for j in 0..FragmentC::<f32, 64, HEAD>::ELEMENTS {
            results[j] *= inverse[FragmentC::<f32, 64, HEAD>::row_of(j)];
        }
    }
    if !options.wide && !options.split {
        results.to::<T>().store_matrix(to, 0, 0);
        fence_proxy_async_shared();
        own.sync();
        if thread_idx.x % 128 == 0 {
            if row < work.rows {
                #[unroll]
                for panel in 0..HEAD / 64 {
                    out.store(to.panel::<64>(panel), (batch, head, row, 64 * panel));
                }
            }
            bulk_commit();
        }
    }
    if (options.wide || options.log_sums) && !options.split {
        let column = 2 * (thread_idx.x % 4);
        #[unroll]
        for line in 0..2u32 {
            let row = row + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4 + 8 * line;
            if row < work.rows {
                if options.wide {
                    let first = work.out.at(batch, head, row) + column as u64;
                    #[unroll]
                    for j in 0..HEAD / 8 {
                        let pair = [results[4 * j + 2 * line], results[4 * j + 2 * line + 1]];
                        wide.store2(first + (8 * j) as u64, pair);
                    }
                }
                if options.log_sums && column == 0 {
                    let log = most[line] * (scale * std::f32::consts::LN_2) + total[line].ln();
                    log_sums[work.log_sums.at(batch, head, row)] = log;
                }
            }
        }
    }
}
