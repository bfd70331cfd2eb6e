//! Matrix product rung: `pitched`.
//!
//! Idea: `row-shared` on matrices whose rows start at aligned addresses; 2-D copies fill them.
//! Predicts: 4 sectors per load of B at any width; packed rows of an odd width touch five.
//! Costs: up to 508 bytes of padding per row; widths that are a multiple of 8 gain nothing in
//! sectors.
//! 思路：与 `row-shared` 相同，但每行从对齐的地址开始，由二维拷贝填充。
//! 预测：无论宽度多少，每次加载 B 都是 4 个扇区；紧密排列且宽度为奇数时要访问 5 个扇区。
//! 代价：每行最多 508 字节的填充；宽度为 8 的倍数时，扇区数没有减少。

use super::Matrices;
use super::matrices::THREADS;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn pitched(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    n: u32,
    #[constant] k: u32,
    a_pitch: u32,
    pitch: u32,
) {
    let line = shared_dynamic::<f32>(k);
    let row = block_idx.x;
    for p in (thread_idx.x..k).step_by(block_dim.x) {
        line[p] = a[row * a_pitch + p];
    }
    sync_threads();
    for col in (thread_idx.x..n).step_by(block_dim.x) {
        let (mut sum, mut rest) = (0.0f32, 0.0f32);
        for p in 0..k {
            let term = line[p].mul_add(b[p * pitch + col], rest);
            let next = sum + term;
            rest = term - (next - sum);
            sum = next;
        }
        c[row * pitch + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (bytes, e, (a_pitch, pitch)) = (x.row_bytes(device)?, x.extents, (x.a.pitch, x.b.pitch));
    let launch = pitched(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.n, e.k, a_pitch, pitch);
    // SAFETY: there is a block per row, so row < m; col < n and p < k are under their pitches. B and C have the same
    // width and pitch.
    unsafe { launch.grid(e.m).block(THREADS).shared_bytes(bytes).prepare_unchecked(device) }
}
