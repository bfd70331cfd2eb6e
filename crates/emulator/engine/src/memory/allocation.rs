//! One allocation: raw bytes with a name, in the device's own memory or in the host's, and a bitmap with one bit per byte that
//! says whether anything has written the byte.

use crate::fault::NearAllocation;
use crate::memory::host_bytes::{Fresh, HostBytes};
use crate::memory::{Memory, NULL_PAGE};
use lanework_ptx_ir::memory_layout::{PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// The name of page-locked memory of the host.
pub const PAGE_LOCKED: &str = "cuMemAllocHost";

/// The name of managed memory.
pub const MANAGED: &str = "cuMemAllocManaged";

/// One allocation: raw bytes that kernels and the host reach by pointer only.
pub struct Allocation {
    /// Its name, for reports.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Whether it is a variable of a module.
    pub of_module: bool,
    /// Whether it is constant memory, which kernels must not write.
    pub constant: bool,
    /// Which bytes have been written, where accesses are checked.
    pub written: Option<Arc<InitializedBytes>>,
    pub(crate) data: *mut u8,
    /// The bytes that hold it; `None` for a range that the host registered.
    pub(crate) own: Option<HostBytes>,
}

// SAFETY: the bytes are reached through raw pointers under `Memory`'s lock: by the host exclusively, or by kernels and
// readers, whose guest accesses are relaxed atomics. No reference ever covers them.
unsafe impl Send for Allocation {}

// SAFETY: a shared `Allocation` gives out only its name, sizes and pointer; whoever follows the pointer needs `unsafe`
// and uses guest accesses.
unsafe impl Sync for Allocation {}

impl Allocation {
    pub(crate) fn new(
        name: &str,
        bytes: u64,
        addresses: Addresses,
        checked: bool,
        fresh: Fresh,
    ) -> Option<Self> {
        // Slack for vector moves, which may touch but never use bytes after the end.
        let align = if bytes >= PAGE { PAGE } else { GRAIN };
        let size = bytes.checked_add(GRAIN)?.checked_next_multiple_of(align)?;
        let (size, align) = (usize::try_from(size).ok()?, align as usize);
        let own = match addresses {
            Addresses::Own => HostBytes::new(size, align, fresh),
            Addresses::Host => HostBytes::of_device(size, align, fresh, checked),
        }?;
        Some(Allocation::over(name, bytes, checked, own))
    }

    pub(crate) fn over(name: &str, bytes: u64, checked: bool, own: HostBytes) -> Self {
        Allocation {
            name: name.to_owned(),
            bytes,
            of_module: false,
            constant: false,
            written: checked.then(|| Arc::new(InitializedBytes::new(bytes))),
            data: own.start(),
            own: Some(own),
        }
    }

    /// Whether the host registered it.
    pub fn is_registered(&self) -> bool {
        self.own.is_none()
    }

    /// The host address of its first byte.
    pub fn data(&self) -> *mut u8 {
        self.data
    }
}

/// Addresses are multiples of this, which is also the minimum gap between two allocations, in bytes.
pub const GRAIN: u64 = 256;

/// An allocation of this size or more has its own pages, which the host may remap (to share them with another process).
pub const PAGE: u64 = 4096;

/// The source of a device's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// They are counted up, and never reused.
    Own,
    /// They are host addresses.
    Host,
}

/// Whether some of the bytes are where generic addresses mean shared memory, local memory or
/// parameters.
pub fn in_windows(address: u64, bytes: u64) -> bool {
    address < PARAMETER_WINDOW + WINDOW && address.saturating_add(bytes) > SHARED_WINDOW
}

/// Why an address cannot be accessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadAddress {
    /// In the null page.
    Null,
    /// In an allocation that was freed.
    Freed(NearAllocation),
    /// In no allocation; the nearest one below, if there is one.
    Outside(Option<NearAllocation>),
}

impl Memory {
    /// The first unwritten byte of a range in one allocation, if that is tracked.
    pub fn unwritten(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let (start, allocation) = self.find(address)?;
        let (written, offset) = (allocation.written.as_ref()?, address - start);
        if written.has(offset, bytes) {
            return None;
        }
        let gap = (offset..offset + bytes).find(|at| !written.has(*at, 1))?;
        self.nearest(start + gap, 1)
    }

    /// The runs of unwritten bytes in a range of one allocation, if that is tracked: first byte and size of each, as an
    /// offset from `address`.
    pub fn unwritten_runs(&self, address: u64, bytes: u64) -> Vec<(u64, u64)> {
        let found = self.find(address);
        let written = found.and_then(|(start, one)| Some((start, one.written.as_ref()?)));
        written.map_or(Vec::new(), |(start, written)| written.gaps(address - start, bytes))
    }

    /// Marks bytes of one allocation as unwritten, at offsets from `address`: the host copied them from unwritten bytes.
    pub fn forget(&self, address: u64, runs: &[(u64, u64)]) {
        if let Some((start, allocation)) = self.find(address)
            && let Some(written) = &allocation.written
        {
            runs.iter().for_each(|(at, bytes)| written.unset(address - start + at, *bytes));
        }
    }

    /// The live allocation nearest to an access.
    pub fn nearest(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        let before = self.live.range(..=address).next_back();
        let after = self.live.range(address..).next();
        before
            .into_iter()
            .chain(after)
            .map(|(start, a)| near(&a.name, *start, a.bytes, address, bytes))
            .min_by_key(|n| n.distance)
    }

    /// Why an access is bad; call it for bad ones only.
    pub fn diagnose(&self, address: u64, bytes: u64) -> BadAddress {
        if address < NULL_PAGE {
            return BadAddress::Null;
        }
        let freed =
            self.freed.iter().rev().find(|(start, size, _)| {
                address >= *start && address < start.saturating_add(*size)
            });
        match freed {
            Some((start, size, name)) => {
                BadAddress::Freed(near(name, *start, *size, address, bytes))
            }
            None => BadAddress::Outside(self.nearest(address, bytes)),
        }
    }
}

fn near(name: &str, start: u64, size: u64, address: u64, bytes: u64) -> NearAllocation {
    let distance = if address >= start {
        address.saturating_sub(start + size)
    } else {
        start.saturating_sub(address.saturating_add(bytes))
    };
    NearAllocation {
        name: name.to_owned(),
        address: start,
        bytes: size,
        offset: address.wrapping_sub(start) as i64,
        distance,
    }
}

/// A bit per byte of an allocation, shared by the host and the one worker of a checked launch.
#[derive(Debug)]
pub struct InitializedBytes {
    bytes: u64,
    whole: AtomicBool,
    /// Approximate number of set bits in `bits`, so that [`InitializedBytes::fill`] rarely finds unwritten bytes.
    marked: AtomicU64,
    bits: Box<[AtomicU64]>,
}

/// The bits of `bytes` bytes from bit `at` of a word on.
#[inline(always)]
fn mask(at: u64, bytes: u64) -> u64 {
    (u64::MAX >> (64 - bytes.clamp(1, 64))) << at
}

impl InitializedBytes {
    /// A bitmap in which no byte is written.
    pub fn new(bytes: u64) -> InitializedBytes {
        let words = bytes.div_ceil(64) as usize;
        let bits = (0..words).map(|_| AtomicU64::new(0)).collect();
        let (whole, marked) = (AtomicBool::new(bytes == 0), AtomicU64::new(0));
        InitializedBytes { bytes, whole, marked, bits }
    }

    /// Marks all bytes as unwritten.
    pub fn clear(&self) {
        self.whole.store(self.bytes == 0, Relaxed);
        self.marked.store(0, Relaxed);
        self.bits.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Marks `bytes` bytes at `offset` as written.
    #[inline(always)]
    pub fn set(&self, offset: u64, bytes: u64) {
        if self.whole.load(Relaxed) {
            return;
        }
        if offset == 0 && bytes >= self.bytes {
            return self.whole.store(true, Relaxed);
        }
        self.each_word(offset, bytes, |word, mask| {
            let old = word.load(Relaxed);
            if old & mask != mask {
                word.store(old | mask, Relaxed);
                let new = u64::from((mask & !old).count_ones());
                let marked = self.marked.load(Relaxed) + new;
                self.marked.store(marked, Relaxed);
                if marked >= self.bytes {
                    self.fill();
                }
            }
            true
        });
    }

    /// Sets `whole` if all bytes are written; then lookups need only `whole`.
    #[cold]
    #[inline(never)]
    fn fill(&self) {
        // Bits after the last byte may be set, too.
        let valid = |i: u64| mask(0, self.bytes - 64 * i);
        let words = (0..).zip(self.bits.iter());
        let written = words.map(|(i, word)| (word.load(Relaxed) & valid(i)).count_ones());
        let written: u64 = written.map(u64::from).sum();
        self.marked.store(written, Relaxed);
        if written >= self.bytes {
            self.whole.store(true, Relaxed);
        }
    }

    /// Marks `bytes` bytes at `offset` as unwritten.
    pub fn unset(&self, offset: u64, bytes: u64) {
        if self.bytes != 0 && self.whole.swap(false, Relaxed) {
            self.bits.iter().for_each(|word| word.store(u64::MAX, Relaxed));
            self.marked.store(self.bytes, Relaxed);
        }
        self.each_word(offset, bytes, |word, mask| {
            let old = word.load(Relaxed);
            word.store(old & !mask, Relaxed);
            let marked = self.marked.load(Relaxed);
            self.marked.store(marked.saturating_sub((old & mask).count_ones().into()), Relaxed);
            true
        });
    }

    /// Whether all of `bytes` bytes at `offset` have been written.
    #[inline(always)]
    pub fn has(&self, offset: u64, bytes: u64) -> bool {
        if self.whole.load(Relaxed) {
            return true;
        }
        let within = offset & 63;
        if (1..=64 - within).contains(&bytes)
            && let Some(word) = self.bits.get((offset >> 6) as usize)
        {
            return !word.load(Relaxed) & mask(within, bytes) == 0;
        }
        self.each_word(offset, bytes, |word, mask| !word.load(Relaxed) & mask == 0)
    }

    /// The runs of unwritten bytes among `bytes` bytes at `offset`: first byte, from there, and size of each.
    fn gaps(&self, offset: u64, bytes: u64) -> Vec<(u64, u64)> {
        let mut gaps: Vec<(u64, u64)> = Vec::new();
        if self.has(offset, bytes) {
            return gaps;
        }
        let mut at = 0;
        while at < bytes {
            let whole = (bytes - at).min(64);
            if self.has(offset + at, whole) {
                at += whole;
                continue;
            }
            for byte in at..at + whole {
                match gaps.last_mut() {
                    _ if self.has(offset + byte, 1) => {}
                    Some((first, size)) if *first + *size == byte => *size += 1,
                    _ => gaps.push((byte, 1)),
                }
            }
            at += whole;
        }
        gaps
    }

    /// The lanes among `lanes` whose aligned word of 4 bytes, at their offset, has been written.
    #[inline(always)]
    pub fn has_words(&self, offsets: &[u64; 32], lanes: u32) -> u32 {
        if self.whole.load(Relaxed) { lanes } else { lanes & self.written_words(offsets) }
    }

    #[inline(never)]
    fn written_words(&self, offsets: &[u64; 32]) -> u32 {
        let mut written = 0;
        for (lane, offset) in offsets.iter().enumerate() {
            let Some(word) = self.bits.get((*offset >> 6) as usize) else { continue };
            let bytes = word.load(Relaxed) >> (offset & 60) & 15;
            written |= u32::from(bytes == 15) << lane;
        }
        written
    }

    /// Marks the aligned words of some lanes, each of 4 bytes at its offset, as written.
    #[inline(always)]
    pub fn set_words(&self, offsets: &[u64; 32], lanes: u32) {
        if self.has_words(offsets, lanes) == lanes {
            return;
        }
        for (lane, offset) in offsets.iter().enumerate() {
            if lanes >> lane & 1 != 0 {
                self.set(*offset, 4);
            }
        }
    }

    #[inline(always)]
    fn each_word(&self, offset: u64, bytes: u64, f: impl Fn(&AtomicU64, u64) -> bool) -> bool {
        let end = offset.saturating_add(bytes).min(self.bytes);
        let mut at = offset;
        while at < end {
            let within = at & 63;
            let count = (64 - within).min(end - at);
            let Some(word) = self.bits.get((at >> 6) as usize) else { return false };
            if !f(word, mask(within, count)) {
                return false;
            }
            at += count;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::allocation::*;

    #[test]
    fn runs_of_unwritten_bytes_are_found() {
        let written = InitializedBytes::new(200);
        written.set(0, 3);
        written.set(10, 100);
        written.set(199, 1);
        assert_eq!(written.gaps(0, 200), [(3, 7), (110, 89)]);
        assert_eq!(written.gaps(5, 110), [(0, 5), (105, 5)]);
        assert_eq!(written.gaps(20, 80), []);
    }

    #[test]
    fn words_of_lanes_are_remembered() {
        let written = InitializedBytes::new(256);
        let offsets = std::array::from_fn(|lane| 4 * (lane as u64 * 5 % 64));
        written.set_words(&offsets, 0b1011);
        assert_eq!(written.has_words(&offsets, u32::MAX), 0b1011);
        assert!(written.has(20, 4) && !written.has(40, 1));
        written.unset(20, 1);
        assert_eq!(written.has_words(&offsets, 0b11), 0b01);
        written.set(0, 256);
        assert_eq!(written.has_words(&[!3; 32], 5), 5, "all is written");
    }

    #[test]
    fn bytes_are_remembered_across_words() {
        let written = InitializedBytes::new(200);
        written.set(60, 70);
        assert!(written.has(60, 70) && !written.has(59, 1) && !written.has(130, 1));
        assert!(!written.has(100, 60));
        written.set(0, 200);
        assert!(written.has(0, 200));
        written.clear();
        assert!(!written.has(60, 1));
    }

    #[test]
    fn bytes_written_one_by_one_fill_the_whole() {
        let written = InitializedBytes::new(200);
        for offset in (0..200).rev() {
            assert!(!written.whole.load(Relaxed));
            written.set(offset, 1);
            written.set(offset, 1);
        }
        assert!(written.whole.load(Relaxed));
        written.unset(150, 3);
        assert!(!written.has(150, 1) && !written.has(152, 1) && written.has(153, 47));
        written.set(150, 2);
        assert!(!written.whole.load(Relaxed) && written.has(0, 152));
        written.set(152, 1);
        assert!(written.whole.load(Relaxed));
    }
}
