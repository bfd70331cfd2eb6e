//! Tensor-core rung: `library`.
//!
//! Idea: `lanework_ops::gemm` takes any extents and strides. It chooses the tile by the shape, divides K among blocks if there
//! are few tiles, and overlaps launches: a block sets up its barriers and tensor maps before the previous launch ends. Warpgroups
//! alternate between tiles of 128 x 128 or 128 x 192; if there are many tiles, blocks form pairs; TMA stores the results.
//! Predicts: a sixth fewer bytes from the L2 cache than `turns` with tiles of 128 x 192; no padding is read or written.
//! Costs: code for every layout of the factors, every result type and every fused epilogue. On an H200, alternating
//! between tiles is 1 to 9 % faster at 2048 to 8192 than tiles that both warpgroups share (each variant was measured
//! against cuBLASLt in one process).
//! 思路：`lanework_ops::gemm` 接受任意形状和步长。它按形状选择 tile，tile 少时把 K 分给几个线程块，并使启动重叠：在前一次启动结束之前，线程块就准备好自己的屏障和张量映射（tensor map）。
//! 两个 warpgroup 轮流计算 128 x 128 或 128 x 192 的 tile；tile 多时，线程块两两成对；结果由 TMA 写出。
//! 预测：tile 为 128 x 192 时，来自 L2 缓存的字节数比 `turns` 少六分之一；不读写填充部分。
//! 代价：要为每种因子布局、每种结果类型和每种融合的尾处理（epilogue）准备代码。
//! 在 H200 上，2048 到 8192 时，轮流计算 tile 比两个 warpgroup 共用 tile 快 1 % 到 9 %（两种做法各自在同一进程中与 cuBLASLt 比较）。

use super::Operands;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    let (m, n, k) = x.extents;
    let (_, columns, depth) = x.padded;
    let a = Tensor::with_strides(&x.a, [m, k], [depth, 1], 0)?;
    let b = Tensor::with_strides(&x.b, [n, k], [depth, 1], 0)?.t();
    let c = TensorMut::with_strides(&mut x.c, [m, n], [columns, 1], 0)?;
    gemm(a, b).one_kernel().prepare(c)?.into_kernel().ok_or_else(|| Error::Request {
        why: "this product takes several kernels".to_owned(),
        help: "run it by `lanework_ops::gemm`".to_owned(),
    })
}
