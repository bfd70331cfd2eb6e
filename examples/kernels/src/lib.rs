//! Kernels as people write them: each file holds a kernel, the same computation on the host, and a
//! test that compares the two on the checked emulator and, where there is one, on a GPU.

pub mod axpby;
pub mod bfs;
pub mod bitonic_sort;
pub mod black_scholes;
pub mod compaction;
pub mod conv2d;
pub mod fft;
pub mod game_of_life;
pub mod histogram;
pub mod kmeans;
pub mod mandelbrot;
pub mod monte_carlo;
pub mod nbody;
pub mod particles;
pub mod radix_sort;
pub mod ray_sphere;
pub mod reduce;
pub mod rng;
pub mod sobel;
pub mod spmv;
pub mod stencil;
pub mod tokens;

/// The devices that the tests run on: the emulator with every check, and a GPU if there is one.
#[cfg(test)]
pub(crate) fn devices(name: &str) -> Vec<lanework::Device> {
    let all = lanework::Device::for_tests(name);
    let emulated = |d: &lanework::Device| d.backend() == lanework::Backend::Emulator;
    all.into_iter().map(|d| if emulated(&d) { d.sanitized() } else { d }).collect()
}

/// Values between -1 and 1 that look random and are the same in every run.
#[cfg(test)]
pub(crate) fn values(count: usize) -> Vec<f32> {
    let mut state = 0x2545_f491u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Checks that two results are equal up to a relative error.
#[cfg(test)]
#[track_caller]
pub(crate) fn assert_close(got: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        let scale = e.abs().max(1.0);
        assert!((g - e).abs() <= tolerance * scale, "element {i}: {g} instead of {e}");
    }
}
