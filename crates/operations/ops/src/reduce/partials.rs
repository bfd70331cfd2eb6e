//! Combines partial results: of threads within groups, and of blocks into results.
//!
//! If several blocks share a result, each publishes its partial result as 64-bit words, half payload and half flag: flag and
//! payload are one access, so no fence is needed. The last of the blocks adds the partial results in block order, so results are
//! bitwise reproducible. It waits only for blocks that started before it, and all blocks of the launch are resident. It resets the
//! words to zero.

use super::how::{BF16, F16, F32, F64, How, I64, U64};
use super::numbers::{SIGN, joined, of_lane, rounded};
use half::f16;
use lanework::prelude::*;

/// Combines the partial results of a group's threads into thread 0.
#[device]
pub(super) fn of_group<A: Element>(partial: (A, A, u32), #[constant] how: How) -> (A, A, u32) {
    let mut all = partial;
    let t = thread_idx.x;
    if how.sharing.columns {
        // Indexed by `lane * tile + column`.
        let values = shared::<A>(how.sharing.threads);
        let errors = shared::<A>(if how.compensated { how.sharing.threads } else { 1 });
        let positions = shared::<u32>(if how.finds { how.sharing.threads } else { 1 });
        put::<A>(values, errors, positions, t, all, how);
        sync_threads();
        if t < how.tile {
            #[unroll]
            for lane in 1..how.sharing.group {
                let other = get::<A>(values, errors, positions, t + lane * how.tile, how);
                all = joined::<A>(all, other, how);
            }
        }
    } else {
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            if bits < how.sharing.group {
                all = joined::<A>(all, of_lane::<A>(all, bits, how), how);
            }
        }
        if how.sharing.group > 32 {
            let warps = how.sharing.group / 32;
            let values = shared::<A>(warps);
            let errors = shared::<A>(warps);
            let positions = shared::<u32>(warps);
            if t % 32 == 0 {
                put::<A>(values, errors, positions, t / 32, all, how);
            }
            sync_threads();
            if t < 32 {
                all = get::<A>(values, errors, positions, t % warps, how);
                #[unroll]
                for bits in [16u32, 8, 4, 2, 1] {
                    if bits < warps {
                        all = joined::<A>(all, of_lane::<A>(all, bits, how), how);
                    }
                }
            }
        }
    }
    all
}

#[device]
fn put<A: Element>(
    values: Shared<A>,
    errors: Shared<A>,
    positions: Shared<u32>,
    i: u32,
    partial: (A, A, u32),
    #[constant] how: How,
) {
    values[i] = partial.0;
    if how.compensated {
        errors[i] = partial.1;
    }
    if how.finds {
        positions[i] = partial.2;
    }
}

#[device]
fn get<A: Element>(
    values: Shared<A>,
    errors: Shared<A>,
    positions: Shared<u32>,
    i: u32,
    #[constant] how: How,
) -> (A, A, u32) {
    let mut error = A::ZERO;
    if how.compensated {
        error = errors[i];
    }
    let mut position = 0u32;
    if how.finds {
        position = positions[i];
    }
    (values[i], error, position)
}

/// Publishes a word.
#[device]
fn announce(slots: &mut [u64], i: u64, word: u32) {
    store_relaxed(&mut slots[i], (1u64 << 32) | (word as u64), Scope::Device);
}

/// Waits for a word, and resets its slot.
#[device]
fn awaited(slots: &mut [u64], i: u64) -> u32 {
    let mut word = load_relaxed(&slots[i], Scope::Device);
    while word >> 32 == 0 {
        word = load_relaxed(&slots[i], Scope::Device);
    }
    store_relaxed(&mut slots[i], 0u64, Scope::Device);
    word as u32
}

/// Publishes an accumulator in the slots from `i` on.
#[device]
fn announce_value<A: Number>(slots: &mut [u64], i: u64, value: A, #[constant] how: How) {
    if how.single {
        announce(slots, i, (value as f32).to_bits());
    } else {
        let mut bits = value as u64;
        if how.double {
            bits = (value as f64).to_bits();
        }
        announce(slots, i, bits as u32);
        announce(slots, i + 1, (bits >> 32) as u32);
    }
}

/// Waits for an accumulator.
#[device]
fn awaited_value<A: Number>(slots: &mut [u64], i: u64, #[constant] how: How) -> A {
    if how.single {
        f32_from_bits(awaited(slots, i)) as A
    } else {
        let low = awaited(slots, i);
        let bits = (awaited(slots, i + 1) as u64) << 32 | (low as u64);
        if how.double { f64_from_bits(bits) as A } else { (bits as i64) as A }
    }
}

/// Publishes a block's partial result for result `of` of its tile.
#[device]
pub(super) fn publish<A: Number>(
    slots: &mut [u64],
    first: u64,
    partial: (A, A, u32),
    #[constant] how: How,
) {
    announce_value::<A>(slots, first, partial.0, how);
    if how.compensated {
        announce_value::<A>(slots, first + (how.width as u64), partial.1, how);
    }
    if how.finds {
        announce(slots, first + (how.width as u64), partial.2);
    }
}

/// Waits for a partial result of [`publish`].
#[device]
pub(super) fn collect<A: Number>(
    slots: &mut [u64],
    first: u64,
    #[constant] how: How,
) -> (A, A, u32) {
    let value = awaited_value::<A>(slots, first, how);
    let mut error = A::ZERO;
    if how.compensated {
        error = awaited_value::<A>(slots, first + (how.width as u64), how);
    }
    let mut position = 0u32;
    if how.finds {
        position = awaited(slots, first + (how.width as u64));
    }
    (value, error, position)
}

/// Combines the partial results of the `splits` blocks that share a result; this is block `split`. Thread 0 of each group has
/// `partial`; `neutral` is the neutral element. Returns whether this block has the result.
#[device]
pub(super) fn of_blocks<A: Element>(
    slots: &mut [u64],
    partial: (A, A, u32),
    neutral: (A, A, u32),
    member: (u32, u32),
    place: (u32, u32, u32),
    #[constant] how: How,
) -> (bool, (A, A, u32)) {
    let mut all = partial;
    let mut has_result = true;
    if how.sharing.split {
        let (lane, column) = member;
        let (tile, split, splits) = place;
        let first = (tile as u64) * (splits as u64);
        if split + 1 < splits {
            has_result = false;
            if lane == 0 {
                let slot = (first + (split as u64)) * (how.tile as u64) + (column as u64);
                publish::<A>(slots, slot * (how.words as u64), partial, how);
            }
        } else {
            if lane != 0 {
                all = neutral;
            }
            for other in (lane..splits - 1).step_by(how.sharing.group) {
                let slot = (first + (other as u64)) * (how.tile as u64) + (column as u64);
                let theirs = collect::<A>(slots, slot * (how.words as u64), how);
                all = joined::<A>(all, theirs, how);
            }
            all = of_group::<A>(all, how);
        }
    }
    (has_result, all)
}

/// Writes a result; its type follows from the operation and the element type.
#[device]
pub(super) fn write<A: Number>(
    halves: &mut [f16],
    shorts: &mut [u16],
    words: &mut [u32],
    longs: &mut [u64],
    i: u64,
    partial: (A, A, u32),
    #[constant] how: How,
) {
    let value = rounded::<A>(partial, how);
    if how.finds {
        longs[i] = partial.2 as u64;
    } else if how.root && how.single {
        words[i] = (value as f32).sqrt().to_bits();
    } else if how.root {
        longs[i] = (value as f64).sqrt().to_bits();
    } else if how.element == F64 {
        longs[i] = (value as f64).to_bits();
    } else if how.adds && how.single || how.element == F32 {
        words[i] = (value as f32).to_bits();
    } else if how.adds || how.element == I64 {
        longs[i] = value as u64;
    } else if how.element == U64 {
        longs[i] = (value as u64) ^ SIGN;
    } else if how.element == F16 {
        halves[i] = value as f16;
    } else if how.element == BF16 {
        // The number was a bf16, so truncation is exact.
        shorts[i] = ((value as f32).to_bits() >> 16) as u16;
    } else {
        words[i] = value as u32;
    }
}
