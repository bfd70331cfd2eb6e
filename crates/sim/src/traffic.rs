//! Sectors, wavefronts and bank conflicts of one warp's access.

use crate::context::Memo;
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
    let end = |i: usize| addresses[i].wrapping_add(u64::from(bytes) - 1);
    let high = lanes(mask).map(|i| sector(end(i))).max().unwrap_or(0);
    if high.wrapping_sub(low) < 64 {
        let mut seen = 0u64;
        for i in lanes(mask) {
            // An access is aligned to its size, so it spans two sectors only if it is 64 bytes or more.
            seen |= 1 << (sector(addresses[i]).wrapping_sub(low) & 63);
            seen |= 1 << (sector(end(i)).wrapping_sub(low) & 63);
        }
        return u64::from(seen.count_ones());
    }
    let mut list = [sector(addresses[mask.trailing_zeros() as usize & 31]) as u32; 32];
    for i in lanes(mask) {
        list[i] = sector(addresses[i]) as u32;
    }
    // Sectors are told apart by 32 bits: 128 GB of addresses.
    u64::from(distinct_far(&list))
}

/// Distinct numbers, all less than 8192 above `low`.
#[inline(never)]
pub fn distinct_near(numbers: &[u32; 32], low: u32) -> u32 {
    let mut seen = [0u64; 128];
    let mut distinct = 0;
    for number in numbers {
        let at = number - low;
        let (word, bit) = ((at / 64) as usize & 127, at % 64);
        distinct += (!seen[word] >> bit) as u32 & 1;
        seen[word] |= 1 << bit;
    }
    distinct
}

/// Distinct numbers, in a small open-addressed table.
#[inline(never)]
pub fn distinct_far(numbers: &[u32; 32]) -> u32 {
    let mut table = [u64::MAX; 64];
    let mut distinct = 0;
    for number in numbers {
        let this = u64::from(*number);
        let mut at = (this.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize;
        while table[at] != u64::MAX && table[at] != this {
            at = (at + 1) & 63;
        }
        distinct += u32::from(table[at] != this);
        table[at] = this;
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
        passes += most_words_in_a_bank(part, addresses, words);
        least += 1;
    }
    (passes, least)
}

/// The most distinct words of the lanes' accesses that lie in one bank.
fn most_words_in_a_bank(mask: u32, addresses: &[u64; 32], words: u64) -> u64 {
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
    // Up to 32 lanes of 4 words: each bank's list holds the distinct words met so far.
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

/// Works out what an access pattern in scalar form costs, all lanes active.
#[cold]
#[inline(never)]
pub fn remember(memo: &mut Memo, tally: u8, stride: u64, delta: u64, low: u64, bytes: u64) {
    // Only differences matter, and the place in the first sector; a large multiple of 128 keeps
    // negative ones above zero.
    let base = (1u64 << 56) + low;
    let mut addresses = [0u64; 32];
    for (i, address) in addresses.iter_mut().enumerate() {
        let half = if i < 16 { base } else { base.wrapping_add(delta) };
        *address = half.wrapping_add(stride.wrapping_mul(i as u64 & 15));
    }
    *memo = Memo { stride, delta, low, bytes, passes: 0, extra: 0 };
    match tally {
        0..3 => memo.passes = sectors(u32::MAX, &addresses, bytes as u32),
        3..6 => {
            let (passes, least) = wavefronts(u32::MAX, &addresses, bytes as u32);
            memo.passes = passes;
            memo.extra = passes - least;
        }
        _ => {}
    }
}
