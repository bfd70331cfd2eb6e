//! Work on all cores of the host.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `f(i)` for every `i` below `count`, in order. Threads claim one index at a time.
///
/// # Panics
/// If `f` panics.
pub(crate) fn in_parallel<T: Send>(count: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let claim = || {
        let claimed = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count);
        std::iter::from_fn(claimed).map(|i| (i, f(i))).collect::<Vec<_>>()
    };
    let others = thread::available_parallelism().map_or(1, usize::from).min(count).max(1) - 1;
    let mut values = thread::scope(|scope| {
        let threads: Vec<_> = (0..others).map(|_| scope.spawn(claim)).collect();
        let mut values = claim();
        for thread in threads {
            values.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        values
    });
    values.sort_unstable_by_key(|(i, _)| *i);
    values.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_order() {
        for count in [0, 1, 2, 1000] {
            let want: Vec<usize> = (0..count).map(|i| i * i).collect();
            assert_eq!(in_parallel(count, |i| i * i), want);
        }
    }
}
