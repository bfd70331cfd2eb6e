//! A kernel of adjustable run time, to overlap with copies (C4).

use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Threads per block.
const THREADS: u32 = 256;
/// Factor and summand of a step: the linear congruential generator of "Numerical Recipes".
const STEP: (u32, u32) = (1_664_525, 1_013_904_223);

#[kernel]
fn iterate(
    src: &[u32],
    dst: &mut [u32],
    steps: u32,
    #[constant] factor: u32,
    #[constant] add: u32,
) {
    let i = block_idx.x * block_dim.x + thread_idx.x;
    if i < src.len() as u32 {
        let mut value = src[i];
        for _ in 0..steps {
            value = value * factor + add;
        }
        dst[i] = value;
    }
}

/// Prepares `steps` multiply-adds, modulo 2^32, on each element of `src`.
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If `dst` is shorter than `src`.
pub fn prepare<'a>(
    src: &'a Buffer<u32>,
    dst: &'a mut Buffer<u32>,
    steps: u32,
    device: &Device,
) -> Result<Prepared<'a>> {
    assert!(dst.len() >= src.len(), "the result buffer is too short");
    let blocks = (src.len() as u32).div_ceil(THREADS).max(1);
    let launch = iterate(src, dst, steps, STEP.0, STEP.1);
    // SAFETY: the kernel checks i against the length of `src`, and `dst` is at least as long (asserted above).
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// The composition of `steps` steps, as a factor and a summand, by repeated squaring. The host thus
/// needs one multiply-add per element for any number of steps.
pub fn on_host(steps: u32) -> (u32, u32) {
    let (mut all, mut power) = ((1u32, 0u32), STEP);
    let after = |(f, a): (u32, u32), (g, b): (u32, u32)| {
        (f.wrapping_mul(g), a.wrapping_mul(g).wrapping_add(b))
    };
    for bit in 0..u32::BITS {
        if steps >> bit & 1 == 1 {
            all = after(all, power);
        }
        power = after(power, power);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_steps_equal_single_steps() {
        for steps in [0, 1, 2, 7, 100] {
            let (factor, add) = on_host(steps);
            let step = |value: u32, _| value.wrapping_mul(STEP.0).wrapping_add(STEP.1);
            assert_eq!(
                12345u32.wrapping_mul(factor).wrapping_add(add),
                (0..steps).fold(12345, step)
            );
        }
    }
}
