//! Shared memory's 32 banks of 4 bytes: the passes ("wavefronts") that one warp's access takes.
//!
//! The rules match an H200's counts for the probes of `lanework-lab fidelity`. Shared memory serves
//! accesses of up to 4 bytes for a whole warp at once, of 8 bytes by half-warps, and of 16 bytes by
//! quarter-warps. Each group takes as many passes as the maximum number of distinct words in one
//! bank. The groups of 8-byte and 16-byte loads are twice as large if, in every pair of lanes (`i` and `i ^ 1`, or
//! `i` and `i ^ 2`), both share an address or one is idle. Loads through generic addresses are an
//! exception. Atomics take as many passes as the maximum number of lanes in one bank,
//! even if these lanes share an address.

use crate::cost::lanes;
use lanework_engine::event::AccessKind;
use lanework_ptx_ir::analysis::access::AccessClass;

/// Passes that an access takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// Passes through the banks.
    pub wavefronts: u64,
    /// Passes beyond the minimum.
    pub conflicts: u64,
    /// Repetitions of the instruction.
    pub rounds: u64,
}

/// Number of lanes that are served together.
fn group(bytes: u32) -> u32 {
    match bytes {
        16.. => 8,
        8.. => 16,
        _ => 32,
    }
}

/// Mask of `count` lanes, starting at `first`.
fn run(first: u32, count: u32) -> u32 {
    (((1u64 << count) - 1) << first) as u32
}

/// Counts the passes of an access in which each lane of `mask` accesses `bytes` bytes.
pub fn passes(service: AccessClass, mask: u32, addresses: &[u64; 32], bytes: u32) -> Passes {
    let mut found = Passes { rounds: 1, ..Passes::default() };
    let by_lane = by_lane(service);
    served_together(service, mask, addresses, bytes, |lanes| {
        let passes = in_one_bank(lanes, addresses, bytes, by_lane);
        found.wavefronts += passes;
        found.conflicts += passes - u64::from(lanes != 0);
    });
    if service == AccessClass::CompareAndSwap {
        found.wavefronts *= 2;
    }
    found
}

/// Calls `each` with every group of lanes served together.
#[inline(always)]
fn served_together(
    service: AccessClass,
    mask: u32,
    addresses: &[u64; 32],
    bytes: u32,
    mut each: impl FnMut(u32),
) {
    let group = group(bytes);
    let together =
        |part: u32| service == AccessClass::Load && group < 32 && neighbors_share(part, addresses);
    // Half-warps merge if the whole warp meets the condition, quarter-warps if their half-warp does.
    for first in (0..32).step_by(2 * group.min(16) as usize) {
        let both = mask & run(first, 2 * group.min(16));
        if group < 32 && !together(both) {
            for half in [first, first + group] {
                each(mask & run(half, group));
            }
        } else {
            each(both);
        }
    }
}

/// Whether lanes with the same address are served one after the other.
fn by_lane(service: AccessClass) -> bool {
    use AccessClass::{Atomic, CompareAndSwap, Copy, OneLane, OneOfAll};
    matches!(service, Atomic | OneLane | OneOfAll | CompareAndSwap | Copy)
}

/// The groups of lanes that shared memory serves together in a plain access, each with its passes.
pub fn groups(kind: AccessKind, mask: u32, addresses: &[u64; 32], bytes: u32) -> Vec<(u32, u64)> {
    let service = match kind {
        AccessKind::Load => AccessClass::Load,
        AccessKind::Store => AccessClass::Store,
        AccessKind::Atomic => AccessClass::Atomic,
    };
    let mut found = Vec::new();
    served_together(service, mask, addresses, bytes, |lanes| {
        if lanes != 0 {
            found.push((lanes, in_one_bank(lanes, addresses, bytes, by_lane(service))));
        }
    });
    found
}

/// Whether the active lanes of every pair share an address. The pairs are `i` and `i ^ 1`, or `i` and `i ^ 2`.
fn neighbors_share(mask: u32, addresses: &[u64; 32]) -> bool {
    [1, 2].into_iter().any(|step| {
        lanes(mask).all(|i| mask >> (i ^ step) & 1 == 0 || addresses[i] == addresses[i ^ step])
    })
}

fn in_one_bank(mask: u32, addresses: &[u64; 32], bytes: u32, by_lane: bool) -> u64 {
    match by_lane {
        true => most_lanes_in_a_bank(mask, addresses, bytes),
        false => most_words_in_a_bank(mask, addresses, u64::from(bytes.div_ceil(4))),
    }
}

/// The bank of an access of `bytes` bytes, where banks are as wide as the access.
fn bank(address: u64, bytes: u32) -> usize {
    let unit = u64::from(bytes.clamp(4, 16));
    (address / unit % (128 / unit)) as usize
}

/// Maximum number of lanes that access one bank.
fn most_lanes_in_a_bank(mask: u32, addresses: &[u64; 32], bytes: u32) -> u64 {
    let mut count = [0; 32];
    for i in lanes(mask) {
        count[bank(addresses[i], bytes)] += 1;
    }
    count.into_iter().max().unwrap_or(0)
}

/// Counts the passes of the loads, and of the swaps, of an atomic implemented as a loop of load and
/// compare-and-swap. In each round one lane per bank wins, unless a lane served earlier in the
/// round has changed its word.
pub fn compare_and_swap_loop(mask: u32, addresses: &[u64; 32], bytes: u32) -> (Passes, u64) {
    let (mut rest, mut loads, mut swaps) = (mask, Passes::default(), 0);
    while rest != 0 {
        let load = passes(AccessClass::Load, rest, addresses, bytes);
        loads.rounds += 1;
        loads.wavefronts += load.wavefronts;
        loads.conflicts += load.conflicts;
        let mut won = 0u32;
        for first in (0..32).step_by(group(bytes) as usize) {
            let part = rest & run(first, group(bytes));
            swaps += 2 * u64::from(part != 0);
            let (mut banks, before) = (0u32, won);
            for i in lanes(part) {
                let bit = 1 << bank(addresses[i], bytes);
                let changed = lanes(before).any(|j| addresses[j] == addresses[i]);
                if banks & bit == 0 && !changed {
                    won |= 1 << i;
                }
                banks |= bit;
            }
        }
        rest &= !won;
    }
    (loads, swaps)
}

/// Maximum number of distinct words in one bank.
fn most_words_in_a_bank(mask: u32, addresses: &[u64; 32], words: u64) -> u64 {
    if mask == 0 {
        return 0;
    }
    let mut touched = 0u32;
    let mut clash = false;
    for i in lanes(mask) {
        for w in 0..words {
            let bit = 1u32 << ((addresses[i] / 4 + w) & 31);
            clash |= touched & bit != 0;
            touched |= bit;
        }
    }
    if !clash {
        return 1;
    }
    // Up to 32 lanes of 4 words; each bank has a list of its distinct words.
    let mut held = [0u64; 128];
    let mut next = [u8::MAX; 128];
    let mut first = [u8::MAX; 32];
    let mut count = [0u64; 32];
    let mut used = 0;
    for i in lanes(mask) {
        for w in 0..words {
            let word = addresses[i] / 4 + w;
            let bank = (word & 31) as usize;
            let mut at = first[bank];
            while at != u8::MAX && held[usize::from(at)] != word {
                at = next[usize::from(at)];
            }
            if at == u8::MAX && used < 128 {
                held[used] = word;
                next[used] = first[bank];
                first[bank] = used as u8;
                count[bank] += 1;
                used += 1;
            }
        }
    }
    count.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(service: AccessClass, bytes: u32, at: impl Fn(u64) -> u64) -> (u64, u64) {
        let addresses = std::array::from_fn(|lane| at(lane as u64) * u64::from(bytes));
        let found = passes(service, u32::MAX, &addresses, bytes);
        (found.wavefronts, found.conflicts)
    }

    #[test]
    fn words_of_one_bank_take_turns() {
        assert_eq!(of(AccessClass::Load, 4, |lane| lane), (1, 0));
        assert_eq!(of(AccessClass::Load, 4, |lane| 2 * lane), (2, 1));
        assert_eq!(of(AccessClass::Load, 4, |lane| 32 * lane), (32, 31));
        assert_eq!(of(AccessClass::Store, 1, |lane| 32 * lane), (8, 7));
        assert_eq!(of(AccessClass::Load, 2, |lane| 3 * lane), (2, 1));
    }

    #[test]
    fn wide_loads_are_served_in_parts_unless_neighbors_share() {
        assert_eq!(of(AccessClass::Load, 8, |lane| lane), (2, 0));
        assert_eq!(of(AccessClass::Load, 8, |lane| lane / 2), (1, 0));
        assert_eq!(of(AccessClass::Load, 8, |lane| lane & !2), (2, 1));
        assert_eq!(of(AccessClass::Load, 8, |lane| lane & 15), (2, 0));
        assert_eq!(of(AccessClass::Load, 16, |lane| lane), (4, 0));
        assert_eq!(of(AccessClass::Load, 16, |_| 0), (2, 0));
        assert_eq!(of(AccessClass::Load, 16, |lane| lane & !2), (4, 2));
        assert_eq!(of(AccessClass::Store, 16, |lane| lane / 2), (4, 0));
        assert_eq!(of(AccessClass::Rows, 16, |lane| lane / 2), (4, 0));
        assert_eq!(of(AccessClass::Load, 16, |lane| 8 * lane), (32, 28));
    }

    #[test]
    fn groups_tell_who_is_served_together() {
        let quads = std::array::from_fn(|lane| 16 * lane as u64);
        let groups_of = |kind, bytes| groups(kind, u32::MAX, &quads, bytes);
        let quarters = [(0xff, 1), (0xff00, 1), (0xff_0000, 1), (0xff00_0000, 1)];
        assert_eq!(groups_of(AccessKind::Load, 16), quarters);
        assert_eq!(groups_of(AccessKind::Load, 4), [(u32::MAX, 4)]);
        assert_eq!(groups(AccessKind::Atomic, 3, &[0; 32], 4), [(3, 2)]);
        assert!(groups(AccessKind::Store, 0, &quads, 16).is_empty());
    }

    #[test]
    fn lanes_of_an_atomic_never_share_a_pass() {
        assert_eq!(of(AccessClass::Atomic, 4, |_| 0), (32, 31));
        assert_eq!(of(AccessClass::Atomic, 4, |lane| lane / 2), (2, 1));
        assert_eq!(of(AccessClass::CompareAndSwap, 4, |lane| lane), (2, 0));
        assert_eq!(of(AccessClass::CompareAndSwap, 8, |lane| lane / 2), (8, 2));
        assert_eq!(of(AccessClass::Copy, 16, |_| 0), (32, 28));
    }

    #[test]
    fn a_compare_and_swap_loop_runs_until_every_lane_succeeds() {
        let rounds = |bytes: u32, at: fn(u64) -> u64| {
            let addresses = std::array::from_fn(|lane| at(lane as u64) * u64::from(bytes));
            let (loads, swaps) = compare_and_swap_loop(u32::MAX, &addresses, bytes);
            (loads.wavefronts, loads.conflicts, swaps)
        };
        assert_eq!(rounds(4, |_| 0), (32, 0, 64));
        assert_eq!(rounds(4, |lane| 8 * lane), (36, 28, 16));
        assert_eq!(rounds(8, |_| 0), (32, 0, 96));
        assert_eq!(rounds(8, |lane| lane & 15), (3, 0, 6));
        assert_eq!(rounds(8, |lane| 8 * lane), (72, 57, 32));
        assert_eq!(rounds(8, |lane| 32 * lane), (272, 242, 64));
    }
}
