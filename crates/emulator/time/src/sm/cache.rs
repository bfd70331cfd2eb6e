//! The L1 of a multiprocessor: sectored lines in sets with LRU replacement, and the cycle at which each sector arrives.

use std::collections::HashMap;

/// Ways of a set.
const WAYS: usize = 16;

/// A line.
#[derive(Clone, Debug)]
struct Line {
    tag: u64,
    used: u64,
    arrives: [f64; 4],
}

/// The cache.
#[derive(Clone, Debug)]
pub struct L1Cache {
    sets: HashMap<u64, Vec<Line>>,
    count: u64,
    clock: u64,
}

impl L1Cache {
    /// An empty cache of so many bytes.
    pub fn new(bytes: u64) -> L1Cache {
        L1Cache { sets: HashMap::new(), count: (bytes / 128 / WAYS as u64).max(1), clock: 0 }
    }

    fn line(&mut self, sector: u64) -> &mut Line {
        self.clock += 1;
        let (tag, clock) = (sector / 4, self.clock);
        // A hash of the line chooses the set, as in NVIDIA's caches.
        let set = (tag ^ (tag >> 7) ^ (tag >> 15)) % self.count;
        let lines = self.sets.entry(set).or_default();
        let at = match lines.iter().position(|line| line.tag == tag) {
            Some(at) => at,
            None => {
                if lines.len() == WAYS {
                    let oldest = (0..WAYS).min_by_key(|&at| lines[at].used).unwrap_or(0);
                    lines.swap_remove(oldest);
                }
                lines.push(Line { tag, used: 0, arrives: [f64::INFINITY; 4] });
                lines.len() - 1
            }
        };
        lines[at].used = clock;
        &mut lines[at]
    }

    /// When a sector is there, if it was requested.
    pub fn arrival(&mut self, sector: u64) -> Option<f64> {
        let time = self.line(sector).arrives[(sector % 4) as usize];
        time.is_finite().then_some(time)
    }

    /// A requested sector arrives at a time.
    pub fn fill(&mut self, sector: u64, time: f64) {
        self.line(sector).arrives[(sector % 4) as usize] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_arrives_once_and_full_sets_forget() {
        let mut cache = L1Cache::new(128 * WAYS as u64);
        assert_eq!(cache.arrival(5), None);
        cache.fill(5, 300.0);
        assert_eq!(cache.arrival(5), Some(300.0));
        assert_eq!(cache.arrival(4), None);
        for line in 2..2 + WAYS as u64 {
            cache.fill(4 * line, 1.0);
        }
        assert_eq!(cache.arrival(5), None);
    }
}
