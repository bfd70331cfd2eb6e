//! Costs of known access patterns, computed by hand.

use crate::cost::*;

fn counted(kind: AccessKind, bytes: u32, mask: u32, at: impl Fn(u64) -> u64) -> Counters {
    let mut counters = Counters::default();
    let addresses = std::array::from_fn(|lane| 4096 + at(lane as u64));
    let how = (kind, AccessClass::Load);
    count(&mut counters, Space::Global, how, bytes, mask, &addresses);
    counters
}

#[test]
fn ideal_sectors_are_what_the_active_bytes_fill() {
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
fn one_lane_does_what_all_ask_of_one_address() {
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
    for service in [AccessClass::First(4), AccessClass::Rest, AccessClass::Rest, AccessClass::Rest]
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
