//! FP64 rung: `library`: the library's product of f64.
//!
//! Idea: one warp fills a ring of stages by TMA. Eight warps compute 64 x 32 results each, with products of 16 x 8 x 8. The steps along k
//! are summed in an order that lets the lanes of a load access different banks, and fragments are loaded one step ahead of the products.
//! 思路：一个 warp 用 TMA 填充多级环形缓冲区，八个 warp 做乘法，各用 16 x 8 x 8 的 `mma` 计算 64 x 32 个结果。沿 k 各步的累加次序使一次加载的各 lane 访问不同的 bank；片段比乘法提前一步加载。
//! Predicts: threads load no factors; three quarters of the bytes of `fragments` for small products, half for large
//! ones; no bank conflicts.
//! 预测：线程不加载因子；矩阵小时，字节数是 `fragments` 的四分之三，矩阵大时是一半；没有 bank 冲突。
//! Costs: 192 KiB of shared memory, so one block per multiprocessor; extents under 16 use the library's plain kernel.
//! 代价：192 KiB 共享内存，每个多处理器只能容纳一个线程块；边长小于 16 时用库的普通核函数。

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
