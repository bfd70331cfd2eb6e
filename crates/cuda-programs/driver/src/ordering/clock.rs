//! Vector clocks over strands: how many operations of each stream are known to have ended.

use std::collections::BTreeMap;

/// A vector clock (Mattern 1989): by strand, the number of its last operation that happens before. Strands that are not in it have 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(BTreeMap<u32, u64>);

impl Clock {
    /// The number of the last operation of a strand that happens before.
    pub fn of(&self, strand: u32) -> u64 {
        self.0.get(&strand).copied().unwrap_or(0)
    }

    /// Lets an operation of a strand, with those before it there, happen before.
    pub fn raise(&mut self, strand: u32, number: u64) {
        let known = self.0.entry(strand).or_insert(0);
        *known = (*known).max(number);
    }

    /// Lets all that happens before another clock's owner happen before this one's.
    pub fn join(&mut self, other: &Clock) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        other.0.iter().for_each(|(&strand, &number)| self.raise(strand, number));
    }

    /// Forgets strands whose operations nobody will ask for any more.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.0.retain(|strand, _| keep(*strand));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_takes_the_later_of_each_strand() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        one.raise(1, 5);
        one.raise(2, 1);
        other.raise(2, 7);
        other.raise(1, 3);
        one.join(&other);
        assert_eq!([one.of(1), one.of(2), one.of(3)], [5, 7, 0]);
        one.retain(|strand| strand == 2);
        assert_eq!([one.of(1), one.of(2)], [0, 7]);
    }
}
