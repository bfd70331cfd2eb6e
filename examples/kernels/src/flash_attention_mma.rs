//! Attention of one head on tensor cores: a warp takes 16 queries, the scores stay in its registers.

use half::bf16;
use lanework::prelude::*;

const HEAD: u32 = 32;
const KEYS: u32 = 32;

/// `output = softmax(q * transpose(k) / sqrt(HEAD)) * v`; only keys up to the query's own position
/// count when `causal`. The number of queries is a multiple of 32.
#[kernel(block = 64)]
pub fn flash_attention_mma(
    q: &[bf16],
    k: &[bf16],
    v: &[bf16],
    output: &mut [f32],
    length: u32,
    #[constant] causal: bool,
) {
    let keys = SharedTile::<bf16, KEYS, HEAD, Swizzle64>::new();
    let values = SharedTile::<bf16, KEYS, HEAD, Swizzle64>::new();
    let pipe = CopyPipeline::<1>::new();
    let row = block_idx.x * 32 + thread_idx.x / 32 * 16;
    let scale = 1.0 / (HEAD as f32).sqrt();

    let queries = [
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 0),
        FragmentA::<bf16, 16, 16>::load(q.matrix(HEAD), row, 16),
    ];
    let mut sums = [FragmentC::<f32, 16, 8>::zero(); 4];
    let mut largest = [-1e30f32; 2];
    let mut total = [0.0f32; 2];
    for start in (0..length).step_by(KEYS) {
        pipe.copy_tile(keys, k.matrix(HEAD), (start, 0), (thread_idx.x, 64));
        pipe.copy_tile(values, v.matrix(HEAD), (start, 0), (thread_idx.x, 64));
        pipe.commit();
        pipe.wait();
        sync_threads();

        let mut scores = [FragmentC::<f32, 16, 8>::zero(); 4];
        #[unroll]
        for d in 0..2u32 {
            #[unroll]
            for n in 0..4u32 {
                scores[n].mma(queries[d], FragmentB::<bf16, 16, 8>::load(keys.t(), 16 * d, 8 * n));
            }
        }
        #[unroll]
        for n in 0..4u32 {
            #[unroll]
            for i in 0..4 {
                let (r, c) = scores[n].position(i);
                let hidden = causal && start + 8 * n + c > row + r;
                scores[n][i] = if hidden { -1e30 } else { scores[n][i] * scale };
            }
        }

        let high = FragmentC::row_max_of(scores);
        let mut fade = [0.0f32; 2];
        #[unroll]
        for line in 0..2 {
            let now = largest[line].max(high[line]);
            fade[line] = (largest[line] - now).exp();
            largest[line] = now;
        }
        #[unroll]
        for n in 0..4 {
            #[unroll]
            for i in 0..4 {
                let line = FragmentC::<f32, 16, 8>::row_of(i);
                scores[n][i] = (scores[n][i] - largest[line]).exp();
                sums[n][i] *= fade[line];
            }
        }
        let weights = FragmentC::row_sum_of(scores);
        #[unroll]
        for line in 0..2 {
            total[line] = total[line] * fade[line] + weights[line];
        }

        #[unroll]
        for at in 0..2u32 {
            let pair = [scores[2 * at].to::<bf16>(), scores[2 * at + 1].to::<bf16>()];
            let left = FragmentA::<bf16, 16, 16>::from_sums(pair);
            #[unroll]
            for n in 0..4u32 {
                sums[n].mma(left, FragmentB::<bf16, 16, 8>::load(values, 16 * at, 8 * n));
            }
        }
        sync_threads();
    }
    #[unroll]
    for n in 0..4u32 {
        #[unroll]
        for i in 0..4 {
            sums[n][i] = sums[n][i] / total[FragmentC::<f32, 16, 8>::row_of(i)];
        }
        sums[n].store(output.matrix(HEAD), row, 8 * n);
    }
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let (length, head) = (96, HEAD as usize);
    let all: Vec<bf16> = crate::values(3 * length * head).into_iter().map(bf16::from_f32).collect();
    let mut parts = all.chunks(length * head);
    let (q, k, v) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let wide = |x: &[bf16]| x.iter().map(|x| x.to_f32()).collect::<Vec<f32>>();
    for device in crate::devices("flash attention with mma") {
        let (dq, dk, dv) = (device.upload(q)?, device.upload(k)?, device.upload(v)?);
        for causal in [false, true] {
            let mut out = device.zeros::<f32>(q.len())?;
            flash_attention_mma(&dq, &dk, &dv, &mut out, length as u32, causal)
                .grid(3)
                .block(64)
                .launch(&device)?;
            let expected =
                crate::flash_attention::attention(&wide(q), &wide(k), &wide(v), head, causal);
            crate::assert_close(&out.download()?, &expected, 2e-2);
        }
    }
    Ok(())
}
