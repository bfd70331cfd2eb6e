//! SGEMM rung: `cluster-split`.
//!
//! Idea: where there are fewer tiles than multiprocessors, the blocks of a cluster divide the steps along k (split-K). Each block adds up one share of the tile, reading the other blocks' partial sums from their shared memory. So no sums go through global memory, and no second kernel adds them.
//! Predicts: at 256 x 256, 8 times as many blocks as `ring`, each with an eighth of the steps, for the same loads and stores.
//! Costs: two cluster barriers and the exchange of a tile per block; no gain where the tiles fill the multiprocessors. On an
//! H200: 5.56 us against 13.8 us for `ring` at 256, 15.9 us against 28.7 us at 512, 52.6 us against 90.8 us at 1000.
//! 思路：tile 少于多处理器时，由一个 cluster 的线程块分担 k 方向的各步（split-K）。每个线程块负责把 tile 的一部分加起来，并从其他线程块的共享内存读取部分和。这样部分和不经过全局内存，也不需要第二个核函数来相加。
//! 预测：256 x 256 时，线程块数是 `ring` 的 8 倍，每个线程块只做八分之一的步数，加载和存储不变。
//! 代价：两次 cluster 屏障，每个线程块交换一个 tile；tile 已经占满多处理器时没有作用。H200 上 256 时为 5.56 us，`ring` 为 13.8 us；512 时为 15.9 us 和 28.7 us；
//! 1000 时为 52.6 us 和 90.8 us。

use super::operands::{Operands, Shape};
use super::{library, ring};
use lanework::{Device, Prepared, Result};

/// The largest cluster that does not give any multiprocessor more blocks, with at least 16 steps per block.
fn splits(Shape { m, n, k, .. }: Shape, edge: u32, multiprocessors: u32) -> u32 {
    let tiles = u64::from(m.div_ceil(edge)) * u64::from(n.div_ceil(edge));
    let fits = |splits: u64| splits * tiles <= multiprocessors.into() && 16 * splits <= k.into();
    [8, 4, 2].into_iter().find(|splits| fits(*splits)).unwrap_or(1) as u32
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let edge = ring::edge(x, device);
    let splits = splits(x.shape, edge, device.info().multiprocessors);
    library::with_tile(x, (edge, edge), splits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_fill_the_multiprocessors_and_no_more() {
        for (size, edge, expected) in [(256, 64, 8), (512, 64, 2), (1000, 128, 2), (4096, 128, 1)] {
            assert_eq!(splits(Shape::packed(size, size, size), edge, 132), expected, "at {size}");
        }
        // A short sum is not divided.
        assert_eq!(splits(Shape::packed(64, 64, 31), 64, 132), 1);
    }
}
