//! The producer warp of Hopper attention: claims query tiles from a counter, announces them, and fills the rings of queries, keys
//! and values.
//!
//! The producer issues a load when buffer space becomes free, not when data is needed. It loads the next tile's
//! queries a few key blocks before the end of the current tile, as soon as the ring slot's results have been stored;
//! they arrive in time even if all multiprocessors request theirs simultaneously. It loads a block's values after the
//! next block's keys, because scores are computed one step ahead of the PV products.

use crate::attention::choice::Division;
use crate::attention::problem::{AttentionWork, Half, KernelOptions};
use lanework::lang::Filling;
use lanework::prelude::*;

/// Number of a tile's key blocks loaded before the next tile's queries. The minimum is 2: the query slot becomes free
/// in the tile's second step, which needs its keys. With 4, no warpgroup waits for the queries.
const BEFORE: u32 = 4;

/// Loads a block of keys or values from row `row` on.
#[device]
fn block<T: Half, const HEAD: u32, const KEYS: u32>(
    from: &TensorMap<T, 4>,
    tile: SharedTile<T, KEYS, HEAD>,
    slot: Filling,
    batch: u32,
    head: u32,
    row: u32,
) {
    #[unroll]
    for panel in 0..HEAD / 64 {
        from.load(tile.panel::<64>(panel), (batch, head, row, 64 * panel), slot);
    }
}

/// Loads all tiles of this thread block. `numbers` announces a tile: its index, its position, its number of key blocks, and how
/// many need no mask. If keys are divided, the parts of a tile are consecutive, and the lowest digit of the announced batch (base
/// `parts`) is the part.
#[device]
#[allow(clippy::too_many_arguments)]
pub(super) fn load<T: Half, const HEAD: u32, const KEYS: u32>(
    q: &TensorMap<T, 4>,
    k: &TensorMap<T, 4>,
    v: &TensorMap<T, 4>,
    queries: SharedTiles<T, 64, HEAD>,
    tiles_k: SharedTiles<T, KEYS, HEAD>,
    tiles_v: SharedTiles<T, KEYS, HEAD>,
    numbers: Shared<u32, 2>,
    to_q: Producer,
    to_k: Producer,
    to_v: Producer,
    to_tiles: Producer,
    counter: &mut [u32],
    work: AttentionWork,
    #[constant] plan: Division,
    #[constant] options: KernelOptions,
) {
    let bytes = const { 2 * HEAD * KEYS };
    // Whether to load values after the next block's keys. With long unmasked blocks they would arrive too late.
    let behind = KEYS == 128 || options.causal;
    // Key blocks of the current tile still to load, and the remaining count at which the next tile is announced.
    let (mut left, mut ahead) = (0u32, 0u32);
    let (mut batch, mut head, mut begin) = (0u32, 0u32, 0u32);
    // The next tile; the first one is this block's index.
    let mut tile = block_idx.x;
    let mut taken = 0u32;
    let (mut next_batch, mut next_head, mut next_left, mut next_begin) = (0u32, 0u32, 0u32, 0u32);
    // Position of the block whose keys were loaded last.
    let (mut of_batch, mut of_head, mut of_row) = (0u32, 0u32, 0u32);
    let mut begun = false;
    loop {
        if left == ahead {
            if begun {
                // Read the counter's result only here: earlier, the loads would wait for the atomic.
                tile = taken + grid_dim.x;
                if taken == work.tiles - 1 {
                    atomic_exch(&mut counter[0], 0); // no block claims another tile
                }
            }
            let announced = to_tiles.acquire();
            numbers[[announced.index, 0]] = tile;
            if tile < work.tiles {
                let (mut of_queries, mut part) = (tile, 0u32);
                if options.split {
                    of_queries = tile / work.parts;
                    part = tile % work.parts;
                }
                let place = work.place(of_queries, 64 * plan.groups);
                let last = place.row + (64 * plan.groups - 1);
                let (mut blocks, mut full) = work.blocks::<KEYS>(place.row, last, options.causal);
                if options.split {
                    // Load at least one block, even if no query of the tile sees keys of the part.
                    next_begin = part * work.each;
                    blocks = blocks.min(next_begin + work.each).max(next_begin + 1) - next_begin;
                    full = full.max(next_begin) - next_begin;
                }
                next_batch = place.batch;
                next_head = place.head / work.share;
                next_left = blocks;
                let mut of_batch = place.batch;
                if options.split {
                    of_batch = place.batch * work.parts + part;
                }
                numbers[[announced.index, 1]] = of_batch;
                numbers[[announced.index, 2]] = place.head;
                numbers[[announced.index, 3]] = place.row;
                numbers[[announced.index, 4]] = blocks;
                numbers[[announced.index, 5]] = full;
                let slot = to_q.acquire_for(const { 128 * HEAD } * plan.groups);
                #[unroll]
                for group in 0..plan.groups {
                    let to = queries[slot.index * plan.groups + group];
                    block::<T, HEAD, 64>(
                        q,
                        to,
                        slot,
                        place.batch,
                        place.head,
                        place.row + 64 * group,
                    );
                }
            }
            announced.commit();
        }
        if left == 0 {
            if tile >= work.tiles {
                break;
            }
            batch = next_batch;
            head = next_head;
            begin = next_begin;
            left = next_left;
            ahead = left - left.min(BEFORE);
            taken = atomic_add(&mut counter[0], 1);
        }
        left -= 1;
        let row = (if options.split { begin + left } else { left }) * KEYS;
        let slot = to_k.acquire_for(bytes);
        block::<T, HEAD, KEYS>(k, tiles_k[slot.index], slot, batch, head, row);
        if behind {
            if begun {
                let slot = to_v.acquire_for(bytes);
                block::<T, HEAD, KEYS>(v, tiles_v[slot.index], slot, of_batch, of_head, of_row);
            }
            of_batch = batch;
            of_head = head;
            of_row = row;
        } else {
            let slot = to_v.acquire_for(bytes);
            block::<T, HEAD, KEYS>(v, tiles_v[slot.index], slot, batch, head, row);
        }
        begun = true;
    }
    if behind {
        let slot = to_v.acquire_for(bytes);
        block::<T, HEAD, KEYS>(v, tiles_v[slot.index], slot, of_batch, of_head, of_row);
    }
}
