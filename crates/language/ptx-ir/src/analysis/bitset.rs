//! Dense sets of small numbers (registers, blocks, pending nodes), one bit per number.

/// A set of numbers below a fixed bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// An empty set of numbers below `len`.
    pub fn new(len: usize) -> BitSet {
        BitSet(vec![0; len.div_ceil(64)])
    }

    /// The set of all numbers below `len`.
    pub fn all(len: usize) -> BitSet {
        let mut set = BitSet(vec![u64::MAX; len.div_ceil(64)]);
        if let Some(last) = set.0.last_mut()
            && !len.is_multiple_of(64)
        {
            *last = (1 << (len % 64)) - 1;
        }
        set
    }

    /// Adds a number.
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Removes a number.
    pub fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    /// Whether a number is in the set.
    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 != 0
    }

    /// Adds all of another set; returns whether this set grew.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut grew = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grew |= b & !*a != 0;
            *a |= b;
        }
        grew
    }

    /// Removes the elements of another set.
    pub fn subtract(&mut self, other: &BitSet) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
    }

    /// The least number in the set that is not below `from`.
    pub fn next_from(&self, from: usize) -> Option<usize> {
        let mut word = from / 64;
        let mut bits = self.0.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The numbers in the set, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(word, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    word * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_across_words() {
        let mut set = BitSet::new(200);
        [3, 64, 199].into_iter().for_each(|i| set.insert(i));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 199]);
        assert_eq!([0, 4, 65].map(|from| set.next_from(from)), [Some(3), Some(64), Some(199)]);
        set.remove(199);
        assert_eq!(set.next_from(65), None);
        assert_eq!(BitSet::all(70).iter().count(), 70);
    }

    #[test]
    fn union_returns_whether_the_set_grew() {
        let (mut a, mut b) = (BitSet::new(9), BitSet::new(9));
        b.insert(8);
        assert!(a.union(&b));
        assert!(!a.union(&b));
        a.subtract(&b);
        assert_eq!(a, BitSet::new(9));
    }
}
