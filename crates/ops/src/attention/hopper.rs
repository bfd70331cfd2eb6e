//! Attention on Hopper's tensor cores: a warp loads tiles of keys and values by TMA, two or three warpgroups multiply by
//! `wgmma`, each 64 queries.
//!
//! A warpgroup keeps 64 x `KEYS` scores in registers, takes their softmax there, and multiplies the weights from registers
//! (Dao 2023, "FlashAttention-2"). While a block's weights are multiplied by its values, the next block's scores are already
//! softened; and named barriers let one warpgroup at a time start products, so that the others' exponentials run meanwhile
//! (Shah et al. 2024, "FlashAttention-3"). Blocks of the GPU take tiles of queries from a counter, longest first.

use super::Half;
use super::problem::{Options, Work};
use lanework::prelude::*;

/// How the kernel divides its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Division {
    /// Warpgroups that multiply, 64 queries each: 2 or 3.
    pub groups: u32,
    /// Tiles of keys, and of values, that are loaded ahead.
    pub stages: u32,
    /// Whether warpgroups take turns at starting products.
    pub ordered: bool,
    /// Whether the wait for products stays behind the exponentials.
    pub held: bool,
}

impl Division {
    /// Threads of a block: the warpgroups that multiply and one that loads.
    pub(crate) const fn threads(self) -> u32 {
        128 * self.groups + 128
    }

    /// Registers per thread: as launched, of the warpgroup that loads, and of those that multiply.
    const fn registers(self) -> (u32, u32, u32) {
        match self.groups {
            2 => (168, 24, 240),
            _ => (128, 32, 160),
        }
    }

    /// Dynamic shared memory of a block.
    pub(crate) const fn shared_bytes(self, head: u32, keys: u32) -> u32 {
        2 * head * (64 * self.groups + 2 * self.stages * keys)
    }
}

/// `out = softmax(scale * q * transpose(k)) * v` for every batch and head, tile by tile.
///
/// `counter` is 0 when the launch begins, and when it ends. `scale` is that of the scores times log2(e).
#[kernel(block = plan.threads(), max_registers = plan.registers().0)]
pub(super) fn attention_hopper<T: Half, const HEAD: u32, const KEYS: u32>(
    q: &TensorMap<T, 4>,
    k: &TensorMap<T, 4>,
    v: &TensorMap<T, 4>,
    out: &mut [u32],
    log_sums: &mut [f32],
    counter: &mut [u32],
    work: Work,
    scale: f32,
    #[constant] plan: Division,
    #[constant] options: Options,
) {
    let queries = SharedTiles::<T, 64, HEAD>::dynamic(plan.groups);
    let tiles_k = SharedTiles::<T, KEYS, HEAD>::dynamic(plan.stages);
    let tiles_v = SharedTiles::<T, KEYS, HEAD>::dynamic(plan.stages);
    let numbers = shared::<u32>(2);
    let ring_q = pipeline(1, 1, plan.groups);
    let ring_k = pipeline(plan.stages, 1, plan.groups);
    let ring_v = pipeline(plan.stages, 1, plan.groups);
    let ring_tiles = pipeline(2, 1, 128 * plan.groups);
    let turns = named_barriers(plan.groups, 256);
    let [math, load] = warp_roles([4 * plan.groups, 4]);
    if load.active() {
        load.give_registers(plan.registers().1);
        if load.thread() == 0 {
            let (to_q, to_k, to_v) = (ring_q.producer(), ring_k.producer(), ring_v.producer());
            let to_tiles = ring_tiles.producer();
            let mut tile = block_idx.x;
            while tile < work.tiles {
                let announced = to_tiles.acquire();
                numbers[announced.index] = tile;
                announced.commit();
                let taken = atomic_add(&mut counter[0], 1);
                if taken == work.tiles - 1 {
                    atomic_exch(&mut counter[0], 0); // no block takes another one
                }
                let place = work.place(tile, 64 * plan.groups);
                let (blocks, _) = work.blocks::<KEYS>(place.row, 64 * plan.groups, options.causal);
                let slot = to_q.acquire_for(const { 128 * HEAD } * plan.groups);
                #[unroll]
                for group in 0..plan.groups {
                    #[unroll]
                    for panel in 0..HEAD / 64 {
                        let to = queries[group].panel::<64>(panel);
                        let row = place.row + 64 * group;
                        q.load(to, (place.batch, place.head, row, 64 * panel), slot);
                    }
                }
                let of_keys = place.head / work.share;
                for i in 0..blocks {
                    let row = (blocks - 1 - i) * KEYS;
                    let slot = to_k.acquire_for(const { 2 * HEAD * KEYS });
                    #[unroll]
                    for panel in 0..HEAD / 64 {
                        let to = tiles_k[slot.index].panel::<64>(panel);
                        k.load(to, (place.batch, of_keys, row, 64 * panel), slot);
                    }
                    let slot = to_v.acquire_for(const { 2 * HEAD * KEYS });
                    #[unroll]
                    for panel in 0..HEAD / 64 {
                        let to = tiles_v[slot.index].panel::<64>(panel);
                        v.load(to, (place.batch, of_keys, row, 64 * panel), slot);
                    }
                }
                tile = taken + grid_dim.x;
            }
            let announced = to_tiles.acquire();
            numbers[announced.index] = tile;
            announced.commit();
        }
    }
    if math.active() {
        math.take_registers(plan.registers().2);
        let (from_q, from_k, from_v) = (ring_q.consumer(), ring_k.consumer(), ring_v.consumer());
        let from_tiles = ring_tiles.consumer();
        let group = shfl_sync(FULL_MASK, math.thread() / 128, 0);
        let leads = math.thread() % 128 == 0;
        let (mine, next) = (turns.at(group), turns.at((group + 1) % plan.groups));
        if plan.ordered && group == plan.groups - 1 {
            next.arrive(); // the first warpgroup begins
        }
        let left = queries[group];
        let announced = from_tiles.wait();
        let mut tile = numbers[announced.index];
        announced.release();
        while tile < work.tiles {
            let place = work.place(tile, 64 * plan.groups);
            let (blocks, full) = work.blocks::<KEYS>(place.row, 64 * plan.groups, options.causal);
            let row = place.row + 64 * group + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4;
            let column = 2 * (thread_idx.x % 4);
            // Of the two rows that a lane has elements of: the keys that it sees, the largest score so far, and the sum of
            // the weights in this lane.
            let seen = [
                work.seen(row, options.causal) - column as i32,
                work.seen(row + 8, options.causal) - column as i32,
            ];
            let mut most = [f32::NEG_INFINITY; 2];
            let mut total = [0.0f32; 2];
            let mut sums = Accumulator::<f32, HEAD>::zero();
            let mut weights = FragmentC::<T, 64, KEYS>::zero();
            from_q.wait();
            // The first block of keys by itself, then all others.
            #[unroll]
            for later in [false, true] {
                let first = if later { 1u32 } else { 0 };
                let behind = if later { blocks } else { blocks.min(1) };
                for i in first..behind {
                    let block = blocks - 1 - i;
                    let slot = from_k.wait();
                    let mut products = Accumulator::<f32, KEYS>::zero();
                    if later && plan.ordered {
                        mine.sync();
                    }
                    products.set_product(left, tiles_k[shfl_sync(FULL_MASK, slot.index, 0)].t());
                    if later {
                        let values = from_v.wait();
                        sums.multiply_sums(weights, tiles_v[shfl_sync(FULL_MASK, values.index, 0)]);
                        if plan.ordered {
                            next.arrive();
                        }
                    }
                    let mut scores = products.finish_ahead_of(if later { 1 } else { 0 });
                    if leads {
                        from_k.release_last();
                    }
                    if block >= full {
                        #[unroll]
                        for j in 0..FragmentC::<f32, 64, KEYS>::ELEMENTS {
                            let line = FragmentC::<f32, 64, KEYS>::row_of(j);
                            let at = (block * KEYS + j / 4 * 8 + j % 2) as i32;
                            scores[j] = select(at < seen[line], scores[j], f32::NEG_INFINITY);
                        }
                    }
                    let high = scores.row_max();
                    let mut fade = [0.0f32; 2];
                    let mut base = [0.0f32; 2];
                    #[unroll]
                    for line in 0..2 {
                        let now = most[line].max(high[line]);
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
                        sums.scale_rows(fade);
                        if leads {
                            from_v.release_last();
                        }
                    }
                    weights = scores.to::<T>();
                }
            }
            if leads {
                from_q.release_last();
            }
            let values = from_v.wait();
            sums.multiply_sums(weights, tiles_v[values.index]);
            #[unroll]
            for line in 0..2 {
                #[unroll]
                for bits in [1u32, 2] {
                    total[line] += shfl_xor_sync(FULL_MASK, total[line], bits);
                }
            }
            let announced = from_tiles.wait();
            tile = numbers[announced.index];
            announced.release();
            let mut results = sums.finish();
            if leads {
                from_v.release_last();
            }
            #[unroll]
            for j in 0..FragmentC::<f32, 64, HEAD>::ELEMENTS {
                let sum = total[FragmentC::<f32, 64, HEAD>::row_of(j)];
                results[j] *= select(sum == 0.0, 0.0, 1.0 / sum);
            }
            let rounded = results.to::<T>();
            #[unroll]
            for line in 0..2u32 {
                let row = row + 8 * line;
                if row < work.rows {
                    let first = work.out.at(place.batch, place.head, row) + column as u64;
                    #[unroll]
                    for j in 0..HEAD / 8 {
                        let at = first + (8 * j) as u64;
                        if options.wide {
                            let pair = 4 * j + 2 * line;
                            out.store2(at, [results.word(pair), results.word(pair + 1)]);
                        } else {
                            out[at / 2] = rounded.word(2 * j + line);
                        }
                    }
                    if options.log_sums && column == 0 {
                        let log = most[line] * (scale * std::f32::consts::LN_2) + total[line].ln();
                        log_sums[work.log_sums.at(place.batch, place.head, row)] = log;
                    }
                }
            }
        }
        if plan.ordered && group == 0 {
            mine.sync(); // the turn that the last warpgroup gave
        }
    }
}
