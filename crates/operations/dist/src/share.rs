//! Division of an index range among ranks.

use std::ops::Range;

/// The indices of `rank` when `length` indices are divided among `size` ranks. All ranks have equally many; if `size` does not divide
/// `length`, the first ones have one more.
///
/// ```
/// use lanework_dist::share;
///
/// let shares: Vec<_> = (0..3).map(|rank| share(10, 3, rank)).collect();
/// assert_eq!(shares, [0..4, 4..7, 7..10]);
/// ```
pub fn share(length: usize, size: usize, rank: usize) -> Range<usize> {
    lanework_ranks::collectives::share(length, size, rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_index_once() {
        for length in [0, 1, 2, 7, 8, 100] {
            for size in 1..9 {
                let all: Vec<usize> =
                    (0..size).flat_map(|rank| share(length, size, rank)).collect();
                assert!(all.into_iter().eq(0..length), "{length} among {size}");
                let longest = (0..size).map(|rank| share(length, size, rank).len());
                assert!(longest.clone().max() <= longest.min().map(|least| least + 1));
            }
        }
    }
}
