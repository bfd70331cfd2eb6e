//! RMS norm rung: `ring`.
//!
//! Idea: specialized warps keep memory busy. One thread copies parts of the next rows to shared memory (bulk copies, sm_90).
//! Compute warps load a part into registers, then continue with an earlier row. One warp publishes the block's statistics;
//! another collects the statistics of all parts. The library uses this kernel for many long rows.
//! 思路：由特化的 warp 使内存保持忙碌：一个线程把后面各行的数据拷贝到共享内存（批量拷贝，sm_90）；做计算的 warp 把一部分加载到寄存器，然后接着处理更早的一行；一个 warp 发布本线程块的统计量，另一个 warp 收集所有部分的统计量。
//! 行多且长时，库使用这个核函数。
//! Predicts: bulk copies read each number once, and each result is stored once; threads load only statistics.
//! 预测：每个数由批量拷贝读取一次，每个结果存储一次；线程只加载统计量。
//! Costs: one block per multiprocessor with 224 KiB of shared memory, and registers reallocated between warps
//! (`setmaxnreg`); rows whose length is not a multiple of 4 are handled as in `spread`. On an H200: 283 us for 1024
//! rows of 131,072, against 306 us for `spread`; it does not help at 4096 x 4096: 50.5 us against 34.6 us for
//! `vectorized`.
//! 代价：每个多处理器只有一个线程块，占 224 KiB 共享内存，寄存器要在 warp 之间重新分配（`setmaxnreg`）；行长不是 4 的倍数时按 `spread` 的方式处理。
//! H200 上 1024 行、每行 131,072 个数为 283 us，`spread` 为 306 us；4096 x 4096 时没有帮助：50.5 us，`vectorized` 为 34.6 us。

use crate::rows::{Rows, only};
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::{Tensor, TensorMut, nn};

/// Maximum number of 16-byte vectors per thread in a part.
const VECTORS: usize = 4;

pub(super) fn prepare<'a>(r: &'a mut Rows, _device: &Device) -> Result<Prepared<'a>> {
    let shape = [r.rows as usize, r.cols as usize];
    let rows = nn::rms_norm(Tensor::new(&r.x, shape)?).gamma(&r.gamma).eps(r.eps);
    let y = TensorMut::new(&mut r.y, shape)?;
    only(rows.prepare_variant(y, nn::Variant::Ring(VECTORS))?)
}
