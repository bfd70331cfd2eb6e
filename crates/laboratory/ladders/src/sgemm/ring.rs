//! SGEMM rung: `ring`.
//!
//! Idea: no block barriers: each stage of a ring in shared memory is handed over by its own mbarriers (barriers in
//! shared memory), so warps can drift apart. The tensor memory accelerator (TMA, the copy engine) copies tiles of B.
//! This is the library's kernel with a tile of 128 x 128, or of 64 x 64 where tiles are few.
//! Predicts: one block barrier, after the last step; threads issue no loads of B.
//! Costs: needs sm_90, and rows of B at multiples of 16 bytes; otherwise threads copy B word by word. On an H200: 2,668
//! us at 4096, 1.04x `prefetched` and 1.006x cuBLAS; it does not help where tiles are few: at 1000 it takes 90.8 us,
//! `prefetched` 55.8 us.
//! 思路：没有线程块屏障：共享内存中环形缓冲区的每一级由自己的 mbarrier（共享内存中的屏障）交接，各 warp 可以错开运行。B 的 tile 由张量内存加速器（TMA）拷贝。这就是库的核函数，tile 为 128 x 128；tile 太少时用 64 x 64。
//! 预测：只在所有步骤之后有一次线程块屏障；线程不加载 B。
//! 代价：需要 sm_90，B 的各行要从 16 字节的倍数处开始，否则由线程逐字拷贝。H200 上 4096 时为 2,668 us，速度是 `prefetched` 的 1.04 倍、cuBLAS 的 1.006 倍；
//! tile 少时没有帮助：1000 时为 90.8 us，`prefetched` 为 55.8 us。

use super::fitted::fitting;
use super::library;
use super::operands::Operands;
use lanework::{Device, Prepared, Result};

/// Edge of the tile: the largest or the smallest one of `fitted`.
pub(super) fn edge(x: &Operands, device: &Device) -> u32 {
    let tile = fitting(x.shape, device.info().multiprocessors);
    if tile.rows * tile.cols == 64 * 64 { 64 } else { 128 }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let edge = edge(x, device);
    library::with_tile(x, (edge, edge), 1)
}
