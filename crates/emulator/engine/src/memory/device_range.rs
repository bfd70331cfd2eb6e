//! A range of host addresses for devices that use host addresses. Freed memory is never returned to the program, so that a stale device pointer never points into the program's own memory. The range is reserved once per process; pages are allocated when they are touched, and released when an allocation ends.
//!
//! Blocks are found by best fit, and free neighbors are joined (Knuth, The Art of Computer Programming, 2.5). Free bytes are zero.
//! Where accesses are checked, a block is placed in the middle of the largest free one, so that blocks are as far apart as the
//! range allows: an index out of bounds then does not reach another allocation. From a distance of [`LEAST_APART`] on, best fit
//! saves pages: each block far from others takes 12 KiB for its part of the host's page table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Sizes of the range to try: a host with a limit may only allow a smaller one, or none. Hosts with
/// 32-bit addresses have no room for any.
const SIZES: [u64; 3] = [1 << 42, 1 << 38, 1 << 34];
/// The size to try first if blocks are placed far apart: a quarter of the addresses of a program on x86-64.
const ROOMY: u64 = 1 << 45;
/// The least distance of blocks that are placed far apart: a signed 32-bit index of 4-byte elements bridges no more.
const LEAST_APART: u64 = 1 << 33;
/// Blocks start at multiples of this.
const GRAIN: usize = 256;
/// Size of a page.
pub const PAGE: usize = 4096;
/// Freed blocks of this size or more return their pages to the system; smaller ones are zeroed.
const GIVEN_BACK: usize = 64 << 10;

/// Blocks of this size or more get large pages, which have 2 MiB on most hosts.
const LARGE: usize = 8 << 20;

/// The free blocks, by start and by size.
#[derive(Default)]
struct Free {
    starts: BTreeMap<usize, usize>,
    sizes: BTreeSet<(usize, usize)>,
}

impl Free {
    fn add(&mut self, start: usize, bytes: usize) {
        if bytes > 0 {
            self.starts.insert(start, bytes);
            self.sizes.insert((bytes, start));
        }
    }

    fn remove(&mut self, start: usize, bytes: usize) {
        self.starts.remove(&start);
        self.sizes.remove(&(bytes, start));
    }

    /// Takes a block.
    fn take(&mut self, bytes: usize, align: usize) -> Option<usize> {
        // The smallest block that fits for any alignment of its start, unless a smaller one happens to be aligned.
        let fits = |&(length, start): &(usize, usize)| {
            let at = start.next_multiple_of(align);
            at - start + bytes <= length
        };
        let first = self.sizes.range((bytes, 0)..).next().copied().filter(fits);
        let (length, start) =
            first.or_else(|| self.sizes.range((bytes.checked_add(align)?, 0)..).next().copied())?;
        self.remove(start, length);
        let at = start.next_multiple_of(align);
        self.add(start, at - start);
        self.add(at + bytes, start + length - at - bytes);
        Some(at)
    }

    /// Takes a block from the middle of the largest free one, if it is then far enough from others.
    fn take_apart(&mut self, bytes: usize, align: usize) -> Option<usize> {
        let (length, start) = self.sizes.last().copied()?;
        let before = length.checked_sub(bytes)? / 2;
        if (before as u64) < LEAST_APART {
            return None;
        }
        self.remove(start, length);
        let at = (start + before) / align * align;
        self.add(start, at - start);
        self.add(at + bytes, start + length - at - bytes);
        Some(at)
    }

    /// Frees a block and merges it with free neighbors.
    fn give(&mut self, start: usize, bytes: usize) {
        let (mut from, mut length) = (start, bytes);
        if let Some((&before, &size)) = self.starts.range(..start).next_back()
            && before + size == start
        {
            self.remove(before, size);
            (from, length) = (before, size + length);
        }
        if let Some(&size) = self.starts.get(&(start + bytes)) {
            self.remove(start + bytes, size);
            length += size;
        }
        self.add(from, length);
    }
}

/// The range.
struct Range {
    start: usize,
    bytes: usize,
    free: Mutex<Free>,
}

impl Range {
    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static RANGE: OnceLock<Option<Range>> = OnceLock::new();

/// The range of this process, reserved on first use; `None` if the host allows none.
fn range(apart: bool) -> Option<&'static Range> {
    RANGE
        .get_or_init(|| {
            let roomy = apart.then_some(ROOMY);
            let (start, bytes) = roomy
                .into_iter()
                .chain(SIZES)
                .filter_map(|bytes| usize::try_from(bytes).ok())
                .find_map(|bytes| Some((system::reserve(bytes)?, bytes)))?;
            let mut free = Free::default();
            free.add(start, bytes);
            Some(Range { start, bytes, free: Mutex::new(free) })
        })
        .as_ref()
}

/// Zeroed bytes of the range at a multiple of `align`, itself a multiple of 256; `None` if the range is
/// full. With `apart`, they are far from others if there is room, at a multiple of a page.
pub fn take(bytes: usize, align: usize, apart: bool) -> Option<*mut u8> {
    let bytes = bytes.checked_next_multiple_of(GRAIN)?;
    let mut free = range(apart)?.free();
    let far = if apart { free.take_apart(bytes, align.max(PAGE)) } else { None };
    let at = far.or_else(|| free.take(bytes, align.max(GRAIN)))?;
    drop(free);
    prefer_large_pages(at, bytes);
    Some(std::ptr::with_exposed_provenance_mut(at))
}

/// Asks the system for large pages in large blocks: they are allocated with fewer faults, and scattered accesses miss the
/// host's cache of addresses less often.
pub fn prefer_large_pages(start: usize, bytes: usize) {
    if bytes >= LARGE {
        system::prefer_large_pages(start.next_multiple_of(PAGE), bytes - PAGE);
    }
}

/// Frees bytes.
///
/// # Safety
/// [`take`] returned `start` for this many bytes, and they are no longer used.
pub unsafe fn give(start: *mut u8, bytes: usize) {
    let reserved = RANGE.get().and_then(Option::as_ref);
    let (Some(range), Some(bytes)) = (reserved, bytes.checked_next_multiple_of(GRAIN)) else {
        return;
    };
    let at = start.addr();
    let (first, last) = (at.next_multiple_of(PAGE), (at + bytes) / PAGE * PAGE);
    let whole = bytes >= GIVEN_BACK && system::forget(first, last - first);
    // SAFETY: `take` returned these bytes and no code uses them any more, as this function requires; `madvise` has made
    // the whole pages in the middle zero.
    unsafe {
        if whole {
            start.write_bytes(0, first - at);
            start.add(last - at).write_bytes(0, at + bytes - last);
        } else {
            start.write_bytes(0, bytes);
        }
    }
    range.free().give(at, bytes);
}

/// Whether an address is in the range, in use or not.
pub fn holds(address: u64) -> bool {
    RANGE.get().and_then(Option::as_ref).is_some_and(|range| {
        address.checked_sub(range.start as u64).is_some_and(|offset| offset < range.bytes as u64)
    })
}

#[cfg(all(target_os = "linux", not(miri)))]
mod system {
    /// Reserves addresses; the system allocates their pages on first touch.
    pub fn reserve(bytes: usize) -> Option<usize> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address that the system chooses replaces no other mapping.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
        (at != libc::MAP_FAILED).then(|| at.expose_provenance())
    }

    /// Advises the system to use large pages for some pages; it is free not to.
    pub fn prefer_large_pages(start: usize, bytes: usize) {
        let at = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the advice changes no contents, whatever the addresses hold.
        unsafe { libc::madvise(at, bytes, libc::MADV_HUGEPAGE) };
    }

    /// Returns pages to the system; they read as zeros when they are touched again.
    pub fn forget(start: usize, bytes: usize) -> bool {
        let at = std::ptr::with_exposed_provenance_mut(start);
        // SAFETY: `give` passes the whole pages of a block that no code uses any more; the pages stay mapped, and read
        // as zeros.
        unsafe { libc::madvise(at, bytes, libc::MADV_DONTNEED) == 0 }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod system {
    pub fn reserve(_bytes: usize) -> Option<usize> {
        None
    }

    pub fn prefer_large_pages(_start: usize, _bytes: usize) {}

    pub fn forget(_start: usize, _bytes: usize) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::device_range::*;

    #[test]
    fn blocks_are_taken_apart_and_joined_again() {
        let mut free = Free::default();
        free.add(4096, 1 << 20);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let mut state = 7u64;
        for round in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bytes = GRAIN * (1 + (state >> 33) as usize % 40);
            let align = if state >> 62 == 0 { PAGE } else { GRAIN };
            if round % 3 < 2 {
                let Some(at) = free.take(bytes, align) else { continue };
                assert!(at.is_multiple_of(align));
                assert!(at >= 4096 && at + bytes <= 4096 + (1 << 20));
                assert!(
                    taken.iter().all(|&(other, size)| other + size <= at || at + bytes <= other)
                );
                taken.push((at, bytes));
            } else if !taken.is_empty() {
                let (at, bytes) = taken.swap_remove((state >> 40) as usize % taken.len());
                free.give(at, bytes);
            }
        }
        taken.into_iter().for_each(|(at, bytes)| free.give(at, bytes));
        assert_eq!(free.starts, BTreeMap::from([(4096, 1 << 20)]));
        assert_eq!(free.sizes, BTreeSet::from([(1 << 20, 4096)]));
        assert_eq!(free.take(1 << 21, GRAIN), None);
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn blocks_are_far_apart_while_there_is_room() {
        let mut free = Free::default();
        let (start, bytes) = (1 << 20, 1 << 38);
        free.add(start, bytes);
        let mut taken: Vec<usize> = Vec::new();
        while let Some(at) = free.take_apart(3 * GRAIN, PAGE) {
            taken.push(at);
        }
        assert!((15..=31).contains(&taken.len()), "{}", taken.len());
        let mut places: Vec<usize> = taken.iter().copied().chain([start, start + bytes]).collect();
        places.sort_unstable();
        // Rounding to a page, and the blocks themselves.
        assert!(places.windows(2).all(|two| two[1] - two[0] + 32 * PAGE >= LEAST_APART as usize));
        assert!(taken.iter().all(|at| at.is_multiple_of(PAGE)));
        assert!(free.take(GRAIN, GRAIN).is_some_and(|at| !taken.contains(&at)));
        taken.into_iter().for_each(|at| free.give(at, 3 * GRAIN));
        assert!(free.take_apart(GRAIN, PAGE).is_some());
    }

    #[test]
    fn released_memory_is_zero_when_allocated_again() {
        for (bytes, apart) in [(GRAIN, false), (10_000, true), (GIVEN_BACK, true), (1 << 20, false)]
        {
            for _ in 0..3 {
                let Some(at) = take(bytes, GRAIN, apart) else {
                    eprintln!("skipped: the host reserves no addresses");
                    return;
                };
                assert!(holds(at as u64) && holds(at as u64 + bytes as u64 - 1));
                // SAFETY: the bytes are this test's.
                unsafe {
                    let all = std::slice::from_raw_parts_mut(at, bytes);
                    assert!(all.iter().all(|&byte| byte == 0), "{bytes}");
                    all.fill(7);
                    give(at, bytes);
                }
            }
        }
        assert!(!holds(0) && !holds(u64::MAX));
    }
}
