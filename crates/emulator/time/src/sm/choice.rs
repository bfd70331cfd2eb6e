//! The choice of the next warp to issue, among the warps of all schedulers.

use crate::sm::pipes::{SCHEDULERS, Stall};
use std::cmp::Ordering;

/// A warp that can issue.
#[derive(Clone, Copy, Debug)]
pub struct NextIssue {
    /// The first cycle at which it can.
    pub time: f64,
    /// Whether another warp of its scheduler issued last.
    pub other: bool,
    /// The warp.
    pub at: usize,
    /// Why it cannot issue earlier.
    pub reason: Stall,
}

impl NextIssue {
    /// No warp.
    pub const NONE: NextIssue =
        NextIssue { time: f64::INFINITY, other: true, at: usize::MAX, reason: Stall::Wait };

    /// Whether it issues before another one.
    pub fn precedes(&self, other: &NextIssue) -> bool {
        self.order(other) == Ordering::Less
    }

    fn order(&self, other: &NextIssue) -> Ordering {
        let rest = |one: &NextIssue| (one.other, one.at);
        self.time.total_cmp(&other.time).then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// Cached next issue of a scheduler.
#[derive(Clone, Copy, Debug, Default)]
struct KnownIssue {
    /// A lower bound of its cycle: pipes and queues only get busier, and a warp that wakes resets it.
    bound: f64,
    /// The warp, if the scheduler was searched since the last issue.
    known: Option<NextIssue>,
}

/// Cached next issues of all schedulers.
#[derive(Clone, Debug, Default)]
pub struct Choices([KnownIssue; SCHEDULERS]);

impl Choices {
    /// The next warp to issue, and its scheduler. Only the schedulers whose bound is low enough are searched.
    pub fn next(&mut self, search: impl Fn(usize) -> NextIssue) -> Option<(usize, NextIssue)> {
        loop {
            let all = || self.0.iter().enumerate();
            let known = all().filter_map(|(at, choice)| Some((at, choice.known?)));
            let best = known.min_by(|(_, a), (_, b)| a.order(b));
            let low = |choice: &KnownIssue| best.is_none_or(|(_, best)| choice.bound <= best.time);
            let stale = all().filter(|(_, choice)| choice.known.is_none() && low(choice));
            let first = stale.min_by(|(_, a), (_, b)| a.bound.total_cmp(&b.bound));
            let Some((scheduler, _)) = first else {
                return best.filter(|(_, best)| best.time.is_finite());
            };
            let found = search(scheduler);
            self.0[scheduler] = KnownIssue { bound: found.time, known: Some(found) };
        }
    }

    /// After an issue, drops the cached candidates and keeps their cycles as lower bounds.
    pub fn issued(&mut self) {
        self.0.iter_mut().for_each(|choice| choice.known = None);
    }

    /// A warp of a scheduler may issue earlier than before.
    pub fn wake(&mut self, scheduler: usize) {
        self.0[scheduler].bound = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_warp_is_found_also_after_it_woke() {
        let mut times = [9.0, 7.0, f64::INFINITY, 8.0];
        let mut choices = Choices::default();
        let one = |times: [f64; 4]| {
            move |at: usize| NextIssue { time: times[at], other: false, at, reason: Stall::Wait }
        };
        assert_eq!(choices.next(one(times)).map(|(at, _)| at), Some(1));
        times[1] = 8.5;
        choices.issued();
        assert_eq!(choices.next(one(times)).map(|(at, _)| at), Some(3));
        (times[2], times[3]) = (8.0, 20.0);
        choices.issued();
        choices.wake(2);
        assert_eq!(choices.next(one(times)).map(|(at, _)| at), Some(2));
        choices.issued();
        assert!(choices.next(one([f64::INFINITY; 4])).is_none());
    }
}
