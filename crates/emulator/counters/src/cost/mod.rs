//! The cost of one warp's access. This module counts sectors of global and local memory, and
//! [`banks`] the passes through the banks of shared memory.

pub mod banks;

use crate::counters::{Counters, Global, Shared};
use lanework_engine::counter::{Pattern, distinct_far};
use lanework_engine::event::{AccessKind, BulkDirection, BulkTraffic, Space};
use lanework_ptx_ir::analysis::access::AccessClass;

/// Counts an access.
pub fn count(
    counters: &mut Counters,
    space: Space,
    (kind, service): (AccessKind, AccessClass),
    bytes: u32,
    mask: u32,
    addresses: &[u64; 32],
) {
    if mask == 0 || service == AccessClass::Rest {
        return;
    }
    let (mut mask, mut bytes) = (mask, bytes);
    match service {
        AccessClass::First(elements) => bytes *= u32::from(elements),
        AccessClass::OneOfAll if mask == u32::MAX => mask = 1,
        AccessClass::OneLane => mask &= mask.wrapping_neg(),
        AccessClass::Vectorized(wide) => {
            let starts = addresses.map(|address| address & !(u64::from(wide) - 1));
            let joined = (kind, AccessClass::Load);
            return count(counters, space, joined, u32::from(wide), mask, &starts);
        }
        AccessClass::SwapOfHalf | AccessClass::LoopOfHalf => {
            let words = addresses.map(|address| address & !3);
            let swap = (kind, AccessClass::CompareAndSwap);
            count(counters, space, (AccessKind::Load, AccessClass::Load), 4, mask, &words);
            let mut rest = mask;
            while rest != 0 {
                count(counters, space, swap, 4, rest, &words);
                // The first lane of each word wins.
                rest = match service {
                    AccessClass::SwapOfHalf => 0,
                    _ => repeated(rest, &words),
                };
            }
            return;
        }
        _ => {}
    }
    let asked = u64::from(mask.count_ones() * bytes);
    if kind == AccessKind::Atomic && matches!(space, Space::Global | Space::Shared) {
        counters.atomic_collisions += collisions(mask, addresses);
    }
    match space {
        Space::Global => {
            let sectors = match kind {
                AccessKind::Atomic => sectors_in_turns(mask, addresses, bytes),
                _ => sectors(mask, addresses, bytes),
            };
            add_global(global(counters, kind), sectors, asked);
        }
        Space::Shared if service == AccessClass::Loop => {
            let (loads, atomics) = banks::compare_and_swap_loop(mask, addresses, bytes);
            counters.shared_load.requests += loads.rounds;
            counters.shared_load.wavefronts += loads.wavefronts;
            counters.shared_load.bank_conflicts += loads.conflicts;
            counters.shared_atomic.requests += 1;
            counters.shared_atomic.wavefronts += atomics;
            counters.shared_atomic.bytes += asked;
        }
        Space::Shared => {
            let passes = banks::passes(service, mask, addresses, bytes);
            let to = match service {
                AccessClass::Copy => &mut counters.shared_copy,
                _ => shared(counters, kind),
            };
            to.requests += 1;
            to.wavefronts += passes.wavefronts;
            to.bank_conflicts += passes.conflicts;
            to.bytes += asked;
        }
        Space::Local => {
            let to = match kind {
                AccessKind::Load => &mut counters.local_load,
                _ => &mut counters.local_store,
            };
            add_global(to, local_sectors(mask, addresses, bytes), asked);
            // One request per word.
            to.requests += u64::from(bytes.div_ceil(4) - 1);
        }
        Space::Constant => {}
    }
}

/// Counts the extra pass of an atomic with a generic address, which occurs if it accesses global
/// memory, or if shared memory lacks the atomic.
pub fn count_generic(counters: &mut Counters, space: Space, service: AccessClass) {
    if space == Space::Global || service == AccessClass::Loop {
        counters.shared_atomic.wavefronts += 1;
    }
}

fn add_global(to: &mut Global, sectors: u64, asked: u64) {
    to.requests += 1;
    to.sectors += sectors;
    to.ideal_sectors += sectors.min(asked.div_ceil(32));
    to.bytes += asked;
}

/// Counts a bulk copy, or one of its targets.
pub fn count_bulk(counters: &mut Counters, traffic: &BulkTraffic) {
    let to = match traffic.global {
        Some(BulkDirection::Load) => &mut counters.bulk_load,
        Some(BulkDirection::Store) => &mut counters.bulk_store,
        Some(BulkDirection::Reduce) => &mut counters.bulk_reduce,
        None => {
            counters.bulk_shared.requests += u64::from(traffic.first);
            counters.bulk_shared.bytes += traffic.shared_bytes;
            return;
        }
    };
    to.shared_bytes += traffic.shared_bytes;
    if !traffic.first {
        return;
    }
    let bytes: u64 = traffic.runs.iter().map(|(_, bytes)| bytes).sum();
    let sectors = sectors_of_runs(&traffic.runs);
    to.requests += 1;
    to.sectors += sectors;
    to.ideal_sectors += sectors.min(bytes.div_ceil(32));
    to.bytes += bytes;
}

/// Number of distinct 32-byte sectors in runs of bytes.
fn sectors_of_runs(runs: &[(u64, u64)]) -> u64 {
    let mut ends: Vec<[u64; 2]> = runs
        .iter()
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(at, bytes)| [at / 32, (at + bytes - 1) / 32 + 1])
        .collect();
    ends.sort_unstable();
    let (mut sum, mut seen) = (0, 0);
    for [first, end] in ends {
        sum += end.saturating_sub(first.max(seen));
        seen = seen.max(end);
    }
    sum
}

/// The counters of global traffic by a kind of access.
pub fn global(counters: &mut Counters, kind: AccessKind) -> &mut Global {
    match kind {
        AccessKind::Load => &mut counters.global_load,
        AccessKind::Store => &mut counters.global_store,
        AccessKind::Atomic => &mut counters.global_atomic,
    }
}

/// The counters of shared traffic by a kind of access.
pub fn shared(counters: &mut Counters, kind: AccessKind) -> &mut Shared {
    match kind {
        AccessKind::Load => &mut counters.shared_load,
        AccessKind::Store => &mut counters.shared_store,
        AccessKind::Atomic => &mut counters.shared_atomic,
    }
}

/// Number of distinct 32-byte sectors that the active lanes access.
pub fn sectors(mask: u32, addresses: &[u64; 32], bytes: u32) -> u64 {
    let sector = |a: u64| a / 32;
    let low = lanes(mask).map(|i| sector(addresses[i])).min().unwrap_or(0);
    let end = |i: usize| addresses[i].wrapping_add(u64::from(bytes) - 1);
    let high = lanes(mask).map(|i| sector(end(i))).max().unwrap_or(0);
    if high.wrapping_sub(low) < 64 {
        let mut seen = 0u64;
        for i in lanes(mask) {
            // An access is aligned to its size, so it only spans two sectors if it has 64 bytes or
            // more.
            seen |= 1 << (sector(addresses[i]).wrapping_sub(low) & 63);
            seen |= 1 << (sector(end(i)).wrapping_sub(low) & 63);
        }
        return u64::from(seen.count_ones());
    }
    let mut list = [sector(addresses[mask.trailing_zeros() as usize & 31]) as u32; 32];
    for i in lanes(mask) {
        list[i] = sector(addresses[i]) as u32;
    }
    // 32 bits identify a sector within 128 GB.
    u64::from(distinct_far(&list))
}

/// For each lane, the number of lower active lanes with its address.
fn turns(mask: u32, addresses: &[u64; 32]) -> [u8; 32] {
    let mut turns = [0; 32];
    for i in lanes(mask) {
        turns[i] =
            lanes(mask & ((1 << i) - 1)).filter(|&j| addresses[j] == addresses[i]).count() as u8;
    }
    turns
}

/// Mask of active lanes whose address equals a lower lane's.
fn repeated(mask: u32, addresses: &[u64; 32]) -> u32 {
    let turns = turns(mask, addresses);
    lanes(mask).filter(|&i| turns[i] > 0).fold(0, |mask, i| mask | 1 << i)
}

fn collisions(mask: u32, addresses: &[u64; 32]) -> u64 {
    u64::from(repeated(mask, addresses).count_ones())
}

/// Number of sectors of an atomic. Lanes with the same address take separate passes, and each pass
/// accesses its sectors again.
fn sectors_in_turns(mask: u32, addresses: &[u64; 32], bytes: u32) -> u64 {
    let turns = turns(mask, addresses);
    let last = lanes(mask).map(|i| turns[i]).max().unwrap_or(0);
    let of_turn = |turn| lanes(mask).filter(|&i| turns[i] == turn).fold(0, |m, i| m | 1 << i);
    (0..=last).map(|turn| sectors(of_turn(turn), addresses, bytes)).sum()
}

/// Number of sectors of local memory, which is interleaved by word: the same word of all lanes is
/// contiguous.
fn local_sectors(mask: u32, addresses: &[u64; 32], bytes: u32) -> u64 {
    let mut sum = 0;
    for word in 0..bytes.div_ceil(4) {
        let mut at = [0; 32];
        for i in lanes(mask) {
            at[i] =
                (addresses[i] / 4).wrapping_add(u64::from(word)).wrapping_mul(128) + 4 * i as u64;
        }
        sum += sectors(mask, &at, 4);
    }
    sum
}

/// The cost of an access pattern with all lanes active: sectors and ideal sectors, or wavefronts
/// and bank conflicts.
pub fn pattern_cost(class: u8, pattern: &Pattern) -> [u64; 2] {
    let &Pattern { stride, delta, low, bytes } = pattern;
    // Only differences and the offset in the first sector matter; the large multiple of 128 keeps
    // all addresses positive.
    let base = (1u64 << 56) + low;
    let mut addresses = [0u64; 32];
    for (i, address) in addresses.iter_mut().enumerate() {
        let half = if i < 16 { base } else { base.wrapping_add(delta) };
        *address = half.wrapping_add(stride.wrapping_mul(i as u64 & 15));
    }
    match class {
        0..3 => {
            let passes = sectors(u32::MAX, &addresses, bytes as u32);
            // 32 lanes of `bytes` bytes fill `bytes` sectors of 32 bytes.
            [passes, passes.min(bytes)]
        }
        3..7 => {
            let service = if class != 4 { AccessClass::Load } else { AccessClass::Store };
            let passes = banks::passes(service, u32::MAX, &addresses, bytes as u32);
            [passes.wavefronts, passes.conflicts]
        }
        _ => [0; 2],
    }
}

/// The active lanes.
pub fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 != 0)
}

#[cfg(test)]
mod tests {
    use crate::cost::*;

    fn counted(kind: AccessKind, bytes: u32, mask: u32, at: impl Fn(u64) -> u64) -> Counters {
        let mut counters = Counters::default();
        let addresses = std::array::from_fn(|lane| 4096 + at(lane as u64));
        let how = (kind, AccessClass::Load);
        count(&mut counters, Space::Global, how, bytes, mask, &addresses);
        counters
    }

    #[test]
    fn ideal_sectors_are_those_of_the_active_bytes() {
        let of = |bytes, mask, at: fn(u64) -> u64| {
            let load = counted(AccessKind::Load, bytes, mask, at).global_load;
            (load.sectors, load.ideal_sectors, load.bytes)
        };
        assert_eq!(of(4, u32::MAX, |lane| 4 * lane), (4, 4, 128));
        assert_eq!(of(4, u32::MAX, |lane| 4 * lane + 4), (5, 4, 128));
        assert_eq!(of(4, u32::MAX, |lane| 4096 * lane), (32, 4, 128));
        assert_eq!(of(4, u32::MAX, |_| 0), (1, 1, 128));
        assert_eq!(of(16, 0xff, |lane| 32 * lane), (8, 4, 128));
        assert_eq!(of(4, 1, |_| 0), (1, 1, 4));
    }

    #[test]
    fn lanes_of_an_atomic_with_one_address_take_turns() {
        let of = |at: fn(u64) -> u64| {
            let found = counted(AccessKind::Atomic, 4, u32::MAX, at);
            (found.global_atomic.sectors, found.atomic_collisions)
        };
        assert_eq!(of(|lane| 4 * lane), (4, 0));
        assert_eq!(of(|_| 0), (32, 31));
        assert_eq!(of(|lane| lane / 2 * 4), (4, 16));
        assert_eq!(of(|lane| (lane & 15) * 4), (4, 16));
    }

    #[test]
    fn one_lane_performs_the_aggregated_atomic() {
        let of = |service, mask| {
            let mut counters = Counters::default();
            let how = (AccessKind::Atomic, service);
            count(&mut counters, Space::Global, how, 4, mask, &[4096; 32]);
            (counters.global_atomic.sectors, counters.atomic_collisions)
        };
        assert_eq!(of(AccessClass::Atomic, u32::MAX), (32, 31));
        assert_eq!(of(AccessClass::OneLane, 0xff), (1, 0));
        assert_eq!(of(AccessClass::OneOfAll, u32::MAX), (1, 0));
        assert_eq!(of(AccessClass::OneOfAll, 0xff), (8, 7));
    }

    #[test]
    fn vectors_and_joined_loads_are_one_access() {
        let addresses: [u64; 32] = std::array::from_fn(|lane| 4096 + 16 * lane as u64);
        let mut counters = Counters::default();
        for service in
            [AccessClass::First(4), AccessClass::Rest, AccessClass::Rest, AccessClass::Rest]
        {
            let how = (AccessKind::Atomic, service);
            count(&mut counters, Space::Global, how, 4, u32::MAX, &addresses);
        }
        let found = counters.global_atomic;
        assert_eq!((found.requests, found.sectors, found.bytes), (1, 16, 512));
        for (service, word) in
            [(AccessClass::Vectorized(16), 4), (AccessClass::Rest, 0), (AccessClass::Rest, 8)]
        {
            let at = addresses.map(|address| address + word);
            count(&mut counters, Space::Shared, (AccessKind::Load, service), 4, u32::MAX, &at);
        }
        let found = counters.shared_load;
        assert_eq!((found.requests, found.wavefronts, found.bank_conflicts), (1, 4, 0));
    }

    #[test]
    fn atomics_of_16_bits_are_loops_on_words() {
        let addresses: [u64; 32] = std::array::from_fn(|lane| 4096 + 2 * lane as u64);
        let of = |service| {
            let mut counters = Counters::default();
            let how = (AccessKind::Atomic, service);
            count(&mut counters, Space::Global, how, 2, u32::MAX, &addresses);
            let (load, atomic) = (counters.global_load, counters.global_atomic);
            (load.requests, load.sectors, atomic.requests, atomic.sectors)
        };
        assert_eq!(of(AccessClass::SwapOfHalf), (1, 2, 1, 4));
        assert_eq!(of(AccessClass::LoopOfHalf), (1, 2, 2, 6));
    }

    #[test]
    fn sectors_of_runs_are_counted_once() {
        assert_eq!(sectors_of_runs(&[(64, 256)]), 8);
        assert_eq!(sectors_of_runs(&[(80, 256)]), 9);
        // Rows of 16 bytes: two in one sector, and one in another.
        assert_eq!(sectors_of_runs(&[(0, 16), (16, 16), (96, 16)]), 2);
        assert_eq!(sectors_of_runs(&[(96, 16), (0, 0)]), 1);
    }

    #[test]
    fn a_multicast_reads_its_source_once() {
        let mut counters = Counters::default();
        for first in [true, false] {
            let runs = if first { vec![(1024, 512)] } else { Vec::new() };
            let global = Some(BulkDirection::Load);
            let traffic = BulkTraffic { global, first, runs, shared_bytes: 512 };
            count_bulk(&mut counters, &traffic);
        }
        let found = counters.bulk_load;
        assert_eq!((found.requests, found.bytes, found.sectors), (1, 512, 16));
        assert_eq!((found.shared_bytes, counters.sectors()), (1024, 16));
    }

    #[test]
    fn local_memory_is_interleaved_by_lane() {
        let same = [8u64; 32];
        assert_eq!(local_sectors(u32::MAX, &same, 4), 4);
        assert_eq!(local_sectors(u32::MAX, &same, 8), 8);
        let apart = std::array::from_fn(|lane| 4 * lane as u64);
        assert_eq!(local_sectors(u32::MAX, &apart, 4), 32);
    }
}
