//! Combines the partial results of threads within a group, and of blocks that share a result.
//!
//! If several blocks share a result, each publishes its partial result as 64-bit words, half payload and half flag:
//! one access covers both, so no fence is needed. The last of these blocks adds the partial results in block order, so
//! results are bitwise reproducible. It waits only for blocks that started before it, and all blocks of the launch are
//! resident. It resets the words to zero.

use super::config::{
    BF16, F16, F32, F64, I64, ReductionConfig, SIGN, U64, joined, of_lane, rounded,
};
use half::f16;
use lanework::prelude::*;

/// Combines the partial results of a group's threads into thread 0.
#[device]
pub(super) fn of_group<A: Element>(
    partial: (A, A, u32),
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    let mut all = partial;
    let t = thread_idx.x;
    if config.sharing.columns {
        // Indexed by `lane * tile + column`.
        let values = shared::<A>(config.sharing.threads);
        let errors = shared::<A>(if config.compensated { config.sharing.threads } else { 1 });
        let positions = shared::<u32>(if config.finds { config.sharing.threads } else { 1 });
        put::<A>(values, errors, positions, t, all, config);
        sync_threads();
        if t < config.tile {
            #[unroll]
            for lane in 1..config.sharing.group {
                let other = get::<A>(values, errors, positions, t + lane * config.tile, config);
                all = joined::<A>(all, other, config);
            }
        }
    } else {
        #[unroll]
        for bits in [16u32, 8, 4, 2, 1] {
            if bits < config.sharing.group {
                all = joined::<A>(all, of_lane::<A>(all, bits, config), config);
            }
        }
        if config.sharing.group > 32 {
            let warps = config.sharing.group / 32;
            let values = shared::<A>(warps);
            let errors = shared::<A>(warps);
            let positions = shared::<u32>(warps);
            if t % 32 == 0 {
                put::<A>(values, errors, positions, t / 32, all, config);
            }
            sync_threads();
            if t < 32 {
                all = get::<A>(values, errors, positions, t % warps, config);
                #[unroll]
                for bits in [16u32, 8, 4, 2, 1] {
                    if bits < warps {
                        all = joined::<A>(all, of_lane::<A>(all, bits, config), config);
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
    #[constant] config: ReductionConfig,
) {
    values[i] = partial.0;
    if config.compensated {
        errors[i] = partial.1;
    }
    if config.finds {
        positions[i] = partial.2;
    }
}

#[device]
fn get<A: Element>(
    values: Shared<A>,
    errors: Shared<A>,
    positions: Shared<u32>,
    i: u32,
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    let mut error = A::ZERO;
    if config.compensated {
        error = errors[i];
    }
    let mut position = 0u32;
    if config.finds {
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
fn announce_value<A: Number>(
    slots: &mut [u64],
    i: u64,
    value: A,
    #[constant] config: ReductionConfig,
) {
    if config.single {
        announce(slots, i, (value as f32).to_bits());
    } else {
        let mut bits = value as u64;
        if config.double {
            bits = (value as f64).to_bits();
        }
        announce(slots, i, bits as u32);
        announce(slots, i + 1, (bits >> 32) as u32);
    }
}

/// Waits for an accumulator.
#[device]
fn awaited_value<A: Number>(slots: &mut [u64], i: u64, #[constant] config: ReductionConfig) -> A {
    if config.single {
        f32_from_bits(awaited(slots, i)) as A
    } else {
        let low = awaited(slots, i);
        let bits = (awaited(slots, i + 1) as u64) << 32 | (low as u64);
        if config.double { f64_from_bits(bits) as A } else { (bits as i64) as A }
    }
}

/// Publishes a block's partial result for result `of` of its tile.
#[device]
pub(super) fn publish<A: Number>(
    slots: &mut [u64],
    first: u64,
    partial: (A, A, u32),
    #[constant] config: ReductionConfig,
) {
    announce_value::<A>(slots, first, partial.0, config);
    if config.compensated {
        announce_value::<A>(slots, first + (config.width as u64), partial.1, config);
    }
    if config.finds {
        announce(slots, first + (config.width as u64), partial.2);
    }
}

/// Waits for a partial result of [`publish`].
#[device]
pub(super) fn collect<A: Number>(
    slots: &mut [u64],
    first: u64,
    #[constant] config: ReductionConfig,
) -> (A, A, u32) {
    let value = awaited_value::<A>(slots, first, config);
    let mut error = A::ZERO;
    if config.compensated {
        error = awaited_value::<A>(slots, first + (config.width as u64), config);
    }
    let mut position = 0u32;
    if config.finds {
        position = awaited(slots, first + (config.width as u64));
    }
    (value, error, position)
}

/// Combines the partial results of the `splits` blocks that share a result; this is block `split`. Thread 0 of each
/// group has `partial`; `neutral` is the neutral element. Returns whether this block holds the combined result.
#[device]
pub(super) fn of_blocks<A: Element>(
    slots: &mut [u64],
    partial: (A, A, u32),
    neutral: (A, A, u32),
    member: (u32, u32),
    place: (u32, u32, u32),
    #[constant] config: ReductionConfig,
) -> (bool, (A, A, u32)) {
    let mut all = partial;
    let mut has_result = true;
    if config.sharing.split {
        let (lane, column) = member;
        let (tile, split, splits) = place;
        let first = (tile as u64) * (splits as u64);
        if split + 1 < splits {
            has_result = false;
            if lane == 0 {
                let slot = (first + (split as u64)) * (config.tile as u64) + (column as u64);
                publish::<A>(slots, slot * (config.words as u64), partial, config);
            }
        } else {
            if lane != 0 {
                all = neutral;
            }
            for other in (lane..splits - 1).step_by(config.sharing.group) {
                let slot = (first + (other as u64)) * (config.tile as u64) + (column as u64);
                let theirs = collect::<A>(slots, slot * (config.words as u64), config);
                all = joined::<A>(all, theirs, config);
            }
            all = of_group::<A>(all, config);
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
    #[constant] config: ReductionConfig,
) {
    let value = rounded::<A>(partial, config);
    if config.finds {
        longs[i] = partial.2 as u64;
    } else if config.root && config.single {
        words[i] = (value as f32).sqrt().to_bits();
    } else if config.root {
        longs[i] = (value as f64).sqrt().to_bits();
    } else if config.element == F64 {
        longs[i] = (value as f64).to_bits();
    } else if config.adds && config.single || config.element == F32 {
        words[i] = (value as f32).to_bits();
    } else if config.adds || config.element == I64 {
        longs[i] = value as u64;
    } else if config.element == U64 {
        longs[i] = (value as u64) ^ SIGN;
    } else if config.element == F16 {
        halves[i] = value as f16;
    } else if config.element == BF16 {
        // The value came from a bf16, so truncation is exact.
        shorts[i] = ((value as f32).to_bits() >> 16) as u16;
    } else {
        words[i] = value as u32;
    }
}
