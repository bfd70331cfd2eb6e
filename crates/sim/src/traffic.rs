//! Sectors, wavefronts and bank conflicts of one warp's access.

use crate::counters::{Counters, Global, Shared};
use crate::observe::{AccessKind, Space};

/// Counts an access.
pub fn count(
    counters: &mut Counters,
    space: Space,
    kind: AccessKind,
    bytes: u32,
    mask: u32,
    addresses: &[u64; 32],
) {
    if mask == 0 {
        return;
    }
    match space {
        Space::Global => {
            let to = global(counters, kind);
            to.requests += 1;
            to.sectors += sectors(mask, addresses, bytes);
        }
        Space::Shared => {
            let (wavefronts, least) = wavefronts(mask, addresses, bytes);
            let to = shared(counters, kind);
            to.requests += 1;
            to.wavefronts += wavefronts;
            to.bank_conflicts += wavefronts - least;
        }
        Space::Local => counters.local_requests += 1,
        Space::Constant => {}
    }
}

/// The counts of global traffic of a kind.
pub fn global(counters: &mut Counters, kind: AccessKind) -> &mut Global {
    match kind {
        AccessKind::Load => &mut counters.global_load,
        AccessKind::Store => &mut counters.global_store,
        AccessKind::Atomic => &mut counters.global_atomic,
    }
}

/// The counts of shared traffic of a kind.
pub fn shared(counters: &mut Counters, kind: AccessKind) -> &mut Shared {
    match kind {
        AccessKind::Load => &mut counters.shared_load,
        AccessKind::Store => &mut counters.shared_store,
        AccessKind::Atomic => &mut counters.shared_atomic,
    }
}

fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |i| mask >> i & 1 != 0)
}

/// Distinct 32-byte sectors that the active lanes touch.
pub fn sectors(mask: u32, addresses: &[u64; 32], bytes: u32) -> u64 {
    let sector = |a: u64| a / 32;
    let low = lanes(mask).map(|i| sector(addresses[i])).min().unwrap_or(0);
    let high = lanes(mask).map(|i| sector(addresses[i] + u64::from(bytes) - 1)).max().unwrap_or(0);
    if high - low < 64 {
        let mut seen = 0u64;
        for i in lanes(mask) {
            // An access is aligned to its size, so it spans two sectors only if it is 64 bytes or more.
            seen |= 1 << (sector(addresses[i]) - low);
            seen |= 1 << (sector(addresses[i] + u64::from(bytes) - 1) - low);
        }
        return u64::from(seen.count_ones());
    }
    let mut distinct = 0;
    for i in lanes(mask) {
        let earlier =
            lanes(mask & ((1u32 << i) - 1)).any(|j| sector(addresses[j]) == sector(addresses[i]));
        distinct += u64::from(!earlier);
    }
    distinct
}

/// Passes through the banks, and the fewest possible: 4-byte accesses go in one request of 32 lanes,
/// 8-byte ones in two halves, 16-byte ones in four quarters; each takes as many passes as the most
/// distinct words that fall in one bank.
pub fn wavefronts(mask: u32, addresses: &[u64; 32], bytes: u32) -> (u64, u64) {
    let group = match bytes {
        16.. => 8,
        8 => 16,
        _ => 32,
    };
    let words = u64::from(bytes.div_ceil(4));
    let (mut passes, mut least) = (0, 0);
    for first in (0..32).step_by(group) {
        let part = mask & (((1u64 << group) - 1) << first) as u32;
        if part == 0 {
            continue;
        }
        let mut held = [[0u64; 32]; 32];
        let mut count = [0usize; 32];
        for i in lanes(part) {
            for w in 0..words {
                let word = addresses[i] / 4 + w;
                let bank = (word % 32) as usize;
                let known = held[bank][..count[bank]].contains(&word);
                if !known && count[bank] < 32 {
                    held[bank][count[bank]] = word;
                    count[bank] += 1;
                }
            }
        }
        passes += count.iter().copied().max().unwrap_or(0) as u64;
        least += 1;
    }
    (passes, least)
}
