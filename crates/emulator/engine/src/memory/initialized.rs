//! The initialized-byte bitmap: a bit for each byte of memory says whether anything has written it.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// A bit per byte of an allocation, shared by the host and the one worker of a checked launch.
#[derive(Debug)]
pub struct InitializedBytes {
    bytes: u64,
    whole: AtomicBool,
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
        InitializedBytes { bytes, whole: AtomicBool::new(bytes == 0), bits }
    }

    /// Marks all bytes as unwritten.
    pub fn clear(&self) {
        self.whole.store(self.bytes == 0, Relaxed);
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
            }
            true
        });
    }

    /// Marks `bytes` bytes at `offset` as unwritten.
    pub fn unset(&self, offset: u64, bytes: u64) {
        if self.bytes != 0 && self.whole.swap(false, Relaxed) {
            self.bits.iter().for_each(|word| word.store(u64::MAX, Relaxed));
        }
        self.each_word(offset, bytes, |word, mask| {
            word.store(word.load(Relaxed) & !mask, Relaxed);
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

    /// The lanes of these whose aligned word of 4 bytes at their offset has been written.
    #[inline(always)]
    pub fn has_words(&self, offsets: &[u64; 32], lanes: u32) -> u32 {
        if self.whole.load(Relaxed) {
            return lanes;
        }
        let mut written = 0;
        for (lane, offset) in offsets.iter().enumerate() {
            let word = self.bits.get((*offset >> 6) as usize).map_or(0, |word| word.load(Relaxed));
            let bytes = word >> (offset & 60) & 15;
            written |= u32::from(bytes == 15) << lane;
        }
        lanes & written
    }

    /// The aligned words of 4 bytes of some lanes have been written, each at its offset.
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
    use crate::memory::initialized::*;

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
}
