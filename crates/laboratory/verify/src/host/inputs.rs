//! Inputs: seeded random bits, never zeros.

use lanework::Element;
use rand::{Rng, RngCore, SeedableRng, rngs::StdRng};

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
}
