//! FP64 rung: `library`, after `fragments`, the last: the library's product of f64.
//!
//! Idea: a block has 128 x 128 results and 16 warps with `mma` of 16 x 8 x 4 (sm_90); groups of four elements of a row change places by the
//! row's number, so that no two lanes share a bank; fragments are loaded a step ahead of the products, across stages, too; tiles that share rows of A start together, so that these stay in the L2 cache.
//! 思路：一个线程块 128×128 个结果，16 个 warp 使用 16×8×4 的 `mma`（sm_90）；一行中每四个元素一组按行号换位，没有两个 lane 落在同一个 bank；fragment 比乘法提前一步加载，跨级也是如此；
//! 共用 A 的行的 tile 一起开始，使这些行留在 L2 缓存里。
//! Predicts: half of the sectors of `fragments`, little more than half of its warp instructions, no bank conflicts.
//! 预测：扇区数是 `fragments` 的一半，warp 指令数略多于它的一半，没有 bank 冲突。
//! Costs: 132 KiB of shared memory, one block per multiprocessor; extents under 16 take the library's plain kernel.
//! 代价：132 KiB 共享内存，每个多处理器一个线程块；小于 16 的边长用库的普通核函数。

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
