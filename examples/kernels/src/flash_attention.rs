//! Attention of one head without the matrix of scores: softmax(Q K^T / sqrt(d)) V, tile by tile.

use lanework::prelude::*;

const TILE: usize = 32;
const DIMENSION: usize = 16;

/// `output = softmax(q k^T / sqrt(DIMENSION)) v`, all row-major with `DIMENSION` columns; when `causal`,
/// only keys up to the query's own position count. Every thread holds one row of Q and of the result;
/// tiles of K and V go through shared memory.
#[kernel(block = (TILE as u32, 1))]
pub fn flash_attention(q: &[f32], k: &[f32], v: &[f32], output: &mut [f32], causal: bool) {
    let keys = shared::<f32>([TILE, DIMENSION]);
    let values = shared::<f32>([TILE, DIMENSION]);
    let length = q.len() / DIMENSION;
    let row = (block_idx.x * block_dim.x + thread_idx.x) as usize;
    let scale = 1.0 / (DIMENSION as f32).sqrt();

    let mut query = [0.0f32; DIMENSION];
    let mut sum = [0.0f32; DIMENSION];
    for d in 0..DIMENSION {
        query[d] = if row < length { q[row * DIMENSION + d] * scale } else { 0.0 };
    }
    let (mut largest, mut total) = (f32::NEG_INFINITY, 0.0);

    for start in (0..length).step_by(TILE) {
        let mine = start + thread_idx.x as usize;
        for d in 0..DIMENSION {
            keys[[thread_idx.x as usize, d]] =
                if mine < length { k[mine * DIMENSION + d] } else { 0.0 };
            values[[thread_idx.x as usize, d]] =
                if mine < length { v[mine * DIMENSION + d] } else { 0.0 };
        }
        sync_threads();
        for j in 0..TILE.min(length - start) {
            if causal && start + j > row {
                break;
            }
            let mut score = 0.0;
            for d in 0..DIMENSION {
                score += query[d] * keys[[j, d]];
            }
            let new_largest = largest.max(score);
            let (old, new) = ((largest - new_largest).exp(), (score - new_largest).exp());
            total = total * old + new;
            for d in 0..DIMENSION {
                sum[d] = sum[d] * old + new * values[[j, d]];
            }
            largest = new_largest;
        }
        sync_threads();
    }
    if row < length {
        for d in 0..DIMENSION {
            output[row * DIMENSION + d] = sum[d] / total;
        }
    }
}

/// The same on the host, for heads of any size.
pub fn attention(q: &[f32], k: &[f32], v: &[f32], head: usize, causal: bool) -> Vec<f32> {
    let scale = 1.0 / (head as f32).sqrt();
    let mut output = Vec::new();
    for (row, query) in q.chunks(head).enumerate() {
        let seen = if causal { row + 1 } else { k.len() / head };
        let weights: Vec<f32> = k
            .chunks(head)
            .take(seen)
            .map(|key| (query.iter().zip(key).map(|(a, b)| a * b).sum::<f32>() * scale).exp())
            .collect();
        let total: f32 = weights.iter().sum();
        for d in 0..head {
            let sum: f32 = weights.iter().enumerate().map(|(j, w)| w * v[j * head + d]).sum();
            output.push(sum / total);
        }
    }
    output
}

#[test]
fn equals_the_host() -> lanework::Result<()> {
    let length = 75;
    let all = crate::values(3 * length * DIMENSION);
    let mut parts = all.chunks(length * DIMENSION);
    let (q, k, v) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    for device in crate::devices("flash attention") {
        let (dq, dk, dv) = (device.upload(q)?, device.upload(k)?, device.upload(v)?);
        for causal in [false, true] {
            let mut out = device.zeros::<f32>(q.len())?;
            flash_attention(&dq, &dk, &dv, &mut out, causal)
                .grid(3)
                .block(TILE as u32)
                .launch(&device)?;
            crate::assert_close(&out.download()?, &attention(q, k, v, DIMENSION, causal), 1e-4);
        }
    }
    Ok(())
}
