//! Sets of bytes of global memory accessed by a launch or a copy.
//!
//! *Representation.* Addresses in chunks of 4096 bytes. A run of full chunks takes three words; a
//! partial chunk has a bitmap, as in Roaring bitmaps (Chambi et al. 2016). A completely written array
//! costs a few words; an array with every other element written costs an eighth of its size.
//!
//! *Invariant.* Each set has one representation: pieces are sorted, not empty, and adjacent full
//! pieces are merged.

/// Bytes of a chunk.
const CHUNK: u64 = 4096;
/// Words of a chunk's bitmap.
const WORDS: usize = (CHUNK / 64) as usize;
/// Bitmap of a chunk.
type Bits = [u64; WORDS];

/// A run of full chunks, or one partial chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    first: u64,
    chunks: u64,
    bits: Option<Box<Bits>>,
}

/// A set of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ByteSet {
    /// Sorted by address.
    pieces: Vec<Piece>,
}

/// Sets the bits of the bytes from `first` to `last` (exclusive), relative to the chunk.
fn set_bits(bits: &mut Bits, first: u64, last: u64) {
    for (word, bits) in (0u64..).zip(bits.iter_mut()) {
        let (low, high) = (first.max(64 * word), last.min(64 * (word + 1)));
        if low < high {
            *bits |= (u64::MAX >> (64 - (high - low))) << (low - 64 * word);
        }
    }
}

impl ByteSet {
    /// The bytes from `start` to `end` (exclusive).
    pub fn range(start: u64, end: u64) -> ByteSet {
        let mut set = ByteSet::default();
        set.append(start, end);
        set
    }

    /// Adds the bytes from `start` to `end` (exclusive); fast if they follow the last byte of the
    /// set.
    pub fn append(&mut self, start: u64, end: u64) {
        let behind = self.pieces.last().is_none_or(|last| {
            let chunk = start / CHUNK;
            chunk >= last.first + last.chunks || chunk == last.first && last.bits.is_some()
        });
        if !behind {
            *self = self.union(&ByteSet::range(start, end));
            return;
        }
        let mut at = start;
        while at < end {
            let chunk = at / CHUNK;
            if at.is_multiple_of(CHUNK) && end - at >= CHUNK {
                let chunks = (end - at) / CHUNK;
                self.append_whole(chunk, chunks);
                at += chunks * CHUNK;
                continue;
            }
            let stop = end.min((chunk + 1) * CHUNK);
            match self.pieces.last_mut() {
                Some(Piece { first, bits: Some(bits), .. }) if *first == chunk => {
                    set_bits(bits, at - chunk * CHUNK, stop - chunk * CHUNK);
                    if bits.iter().all(|word| *word == u64::MAX) {
                        self.pieces.pop();
                        self.append_whole(chunk, 1);
                    }
                }
                _ => {
                    let mut bits = Box::new([0; WORDS]);
                    set_bits(&mut bits, at - chunk * CHUNK, stop - chunk * CHUNK);
                    self.pieces.push(Piece { first: chunk, chunks: 1, bits: Some(bits) });
                }
            }
            at = stop;
        }
    }

    fn append_whole(&mut self, chunk: u64, count: u64) {
        match self.pieces.last_mut() {
            Some(Piece { first, chunks, bits: None }) if *first + *chunks == chunk => {
                *chunks += count;
            }
            _ => {
                // The set may already hold part of the first chunk.
                if self.pieces.last().is_some_and(|last| last.first == chunk) {
                    self.pieces.pop();
                    return self.append_whole(chunk, count);
                }
                self.pieces.push(Piece { first: chunk, chunks: count, bits: None });
            }
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bounds of the set, rounded to chunks.
    pub fn hull(&self) -> (u64, u64) {
        match (self.pieces.first(), self.pieces.last()) {
            (Some(first), Some(last)) => (first.first * CHUNK, (last.first + last.chunks) * CHUNK),
            _ => (0, 0),
        }
    }

    /// Number of bytes in the set.
    pub fn bytes(&self) -> u64 {
        let of = |piece: &Piece| match &piece.bits {
            None => piece.chunks * CHUNK,
            Some(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
        };
        self.pieces.iter().map(of).sum()
    }

    /// The first address and the address after the last; `None` for the empty set.
    pub fn ends(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.pieces.first()?, self.pieces.last()?);
        let start = match &first.bits {
            None => 0,
            Some(bits) => {
                let word = bits.iter().position(|word| *word != 0)?;
                64 * word as u64 + u64::from(bits[word].trailing_zeros())
            }
        };
        let end = match &last.bits {
            None => last.chunks * CHUNK,
            Some(bits) => {
                let word = bits.iter().rposition(|word| *word != 0)?;
                64 * word as u64 + 64 - u64::from(bits[word].leading_zeros())
            }
        };
        Some((first.first * CHUNK + start, last.first * CHUNK + end))
    }

    /// Bytes in both sets.
    #[must_use]
    pub fn intersection(&self, other: &ByteSet) -> ByteSet {
        let ((a, b), (c, d)) = (self.hull(), other.hull());
        if a >= d || c >= b {
            return ByteSet::default();
        }
        self.combine(other, |one, other| one & other)
    }

    /// Bytes in either set.
    #[must_use]
    pub fn union(&self, other: &ByteSet) -> ByteSet {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.combine(other, |one, other| one | other),
        }
    }

    /// Bytes of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &ByteSet) -> ByteSet {
        let ((a, b), (c, d)) = (self.hull(), other.hull());
        if a >= d || c >= b {
            return self.clone();
        }
        self.combine(other, |one, other| one & !other)
    }

    /// Applies a bitwise function, which must map two zeros to zero.
    fn combine(&self, other: &ByteSet, of: impl Fn(u64, u64) -> u64) -> ByteSet {
        let mut result = ByteSet::default();
        let (mut ones, mut others) = (self.pieces.as_slice(), other.pieces.as_slice());
        let mut at = 0;
        loop {
            for pieces in [&mut ones, &mut others] {
                while let [first, rest @ ..] = *pieces
                    && first.first + first.chunks <= at
                {
                    *pieces = rest;
                }
            }
            let heads = [ones.first(), others.first()];
            let Some(start) = heads.iter().flatten().map(|piece| piece.first.max(at)).min() else {
                return result;
            };
            let here = heads.map(|head| head.filter(|piece| piece.first <= start));
            let stops = heads.iter().flatten().map(|piece| match piece.first > start {
                true => piece.first,
                false => piece.first + piece.chunks,
            });
            let stop = stops.min().unwrap_or(start + 1);
            let word = |piece: Option<&Piece>, index: usize| match piece {
                None => 0,
                Some(Piece { bits: None, .. }) => u64::MAX,
                Some(Piece { bits: Some(bits), .. }) => bits[index],
            };
            if here.iter().flatten().all(|piece| piece.bits.is_none()) {
                if of(word(here[0], 0), word(here[1], 0)) != 0 {
                    result.append_whole(start, stop - start);
                }
            } else {
                let bits: Bits = std::array::from_fn(|i| of(word(here[0], i), word(here[1], i)));
                if bits.iter().all(|word| *word == u64::MAX) {
                    result.append_whole(start, 1);
                } else if bits.iter().any(|word| *word != 0) {
                    let bits = Some(Box::new(bits));
                    result.pieces.push(Piece { first: start, chunks: 1, bits });
                }
            }
            at = stop;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Mostly ascending ranges from a linear congruential generator.
    fn ranges(seed: u64) -> Vec<(u64, u64)> {
        let mut state = seed;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed | 1);
            (state >> 33) % below
        };
        let mut at = next(5000);
        let mut ranges = Vec::new();
        for _ in 0..next(12) {
            let bytes = [1, 4, 100, 4096, 9000][next(5) as usize];
            ranges.push((at, at + bytes));
            at += [0, 1, 4, 64, 4096, 20_000][next(6) as usize] + bytes * next(2);
            if next(9) == 0 {
                at /= 2;
            }
        }
        ranges
    }

    fn of(ranges: &[(u64, u64)]) -> (ByteSet, BTreeSet<u64>) {
        let (mut set, mut bytes) = (ByteSet::default(), BTreeSet::new());
        for &(start, end) in ranges {
            set.append(start, end);
            bytes.extend(start..end);
        }
        (set, bytes)
    }

    fn same(set: &ByteSet, bytes: &BTreeSet<u64>) {
        assert_eq!(set.bytes(), bytes.len() as u64);
        assert_eq!(set.is_empty(), bytes.is_empty());
        let ends = bytes.first().map(|first| (*first, bytes.last().map_or(0, |last| last + 1)));
        assert_eq!(set.ends(), ends);
        let mut again = ByteSet::default();
        bytes.iter().for_each(|&byte| again.append(byte, byte + 1));
        assert_eq!(*set, again, "one set has one representation");
    }

    #[test]
    fn byte_sets_match_sets_of_single_bytes() {
        for seed in 1..60 {
            let ((a, of_a), (b, of_b)) = (of(&ranges(seed)), of(&ranges(seed + 1000)));
            same(&a, &of_a);
            same(&a.intersection(&b), &of_a.intersection(&of_b).copied().collect());
            same(&a.union(&b), &of_a.union(&of_b).copied().collect());
            same(&a.difference(&b), &of_a.difference(&of_b).copied().collect());
        }
    }

    #[test]
    fn interleaved_halves_have_no_byte_in_common() {
        let (mut even, mut odd) = (ByteSet::default(), ByteSet::default());
        for word in (0..1u64 << 16).step_by(8) {
            even.append(word, word + 4);
            odd.append(word + 4, word + 8);
        }
        assert!(even.intersection(&odd).is_empty());
        assert_eq!(even.union(&odd), ByteSet::range(0, 1 << 16));
        assert_eq!(ByteSet::range(0, 1 << 40).difference(&even).bytes(), (1 << 40) - (1 << 15));
    }
}
