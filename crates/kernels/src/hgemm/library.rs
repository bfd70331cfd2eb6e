//! Tensor-core rung: `library`, after `clusters`.
//!
//! Idea: `lanework_ops::gemm`, for any extents and strides: tiles chosen by the shape, K divided among blocks where there are few tiles, and
//! launches that overlap: a block's barriers and maps are ready before the launch before it has ended.
//! Predicts: what `specialized` moves where tiles are many; no padding is read or written.
//! Costs: code for every layout of the factors, every type of results and what is fused behind them.
//! 思路：`lanework_ops::gemm`，任意形状和步长：按形状选 tile，tile 少时把 K 分给多个线程块；相邻的启动相互重叠，
//! 前一个启动结束之前，线程块的屏障和 tensor map 已经就绪。
//! 预测：tile 多时，搬运的数据与 `specialized` 相同；不读写填充部分。
//! 代价：要为每种因子布局、每种结果类型和其后融合的运算准备代码。

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
    gemm(a, b).prepare(c)?.into_kernel().ok_or_else(|| Error::Request {
        why: "this product takes several kernels".to_owned(),
        help: "run it by `lanework_ops::gemm`".to_owned(),
    })
}
