//! The softmax of a warpgroup's scores in the register layout of `wgmma`: rows of 64 x 128 results.

use lanework::prelude::*;

/// The weights of some scores. For the two rows of a lane's elements, `most` is the largest score so far, and `total`
/// the sum of the weights in this lane; `fade` rescales both for the earlier tiles.
#[device]
pub(super) fn soften(
    scores: FragmentC<f32, 64, 128>,
    most: &mut [f32; 2],
    total: &mut [f32; 2],
    fade: &mut [f32; 2],
    scale: f32,
) -> FragmentC<f32, 64, 128> {
    let mut scores = scores;
    let high = scores.row_max();
    #[unroll]
    for line in 0..2 {
        let now = most[line].max(high[line] * scale);
        fade[line] = fast::exp2_ftz(most[line] - now);
        most[line] = now;
        total[line] *= fade[line];
    }
    #[unroll]
    for j in 0..FragmentC::<f32, 64, 128>::ELEMENTS {
        let line = FragmentC::<f32, 64, 128>::row_of(j);
        scores[j] = fast::exp2_ftz(fma(scores[j], scale, -most[line]));
        total[line] += scores[j];
    }
    scores
}

/// Divides results by the sums of the weights over the four lanes of a row.
#[device]
pub(super) fn divided(
    results: FragmentC<f32, 64, 128>,
    total: [f32; 2],
) -> FragmentC<f32, 64, 128> {
    let mut results = results;
    let mut inverse = [0.0f32; 2];
    #[unroll]
    for line in 0..2 {
        let mut sum = total[line];
        #[unroll]
        for bits in [1u32, 2] {
            sum += shfl_xor_sync(FULL_MASK, sum, bits);
        }
        inverse[line] = 1.0 / sum;
    }
    #[unroll]
    for j in 0..FragmentC::<f32, 64, 128>::ELEMENTS {
        results[j] *= inverse[FragmentC::<f32, 64, 128>::row_of(j)];
    }
    results
}
