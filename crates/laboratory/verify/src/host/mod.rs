//! Data on the host: arrays, number formats, seeded random inputs that are never zero, and work on all cores.

pub mod array;
pub mod formats;

use lanework::Element;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `length` elements of random bits; the same seed gives the same elements.
///
/// Floats drawn this way include NaNs, infinities and subnormals; a kernel that only moves data must preserve them.
pub fn random_elements<E: Element>(length: usize, seed: u64) -> Vec<E> {
    let mut elements = vec![E::zeroed(); length];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
    StdRng::seed_from_u64(seed).fill_bytes(bytes);
    elements
}

/// `length` floats, uniform in -1 to 1; the same seed gives the same floats.
pub fn uniform_floats(length: usize, seed: u64) -> Vec<f32> {
    let mut random = StdRng::seed_from_u64(seed);
    (0..length).map(|_| random.random_range(-1.0..1.0)).collect()
}

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
    fn a_seed_determines_its_elements() {
        let first: Vec<u32> = random_elements(100, 7);
        assert_eq!(first, random_elements::<u32>(100, 7));
        assert_ne!(first, random_elements::<u32>(100, 8));
        assert!(first.iter().filter(|&&word| word == 0).count() < 5);
    }

    #[test]
    fn values_come_in_order() {
        for count in [0, 1, 2, 1000] {
            let want: Vec<usize> = (0..count).map(|i| i * i).collect();
            assert_eq!(in_parallel(count, |i| i * i), want);
        }
    }
}
