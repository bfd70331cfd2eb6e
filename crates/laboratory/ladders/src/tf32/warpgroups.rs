//! TF32 rung: `warpgroups`.
//!
//! Idea: the library's `wgmma` product of the unconverted factors: TMA copies into a ring of stages, warps with roles, a tile
//! chosen by the shape.
//! 思路：库中对未经转换的因子使用 `wgmma` 的矩阵乘法：TMA 把数据拷贝到多级环形缓冲区，warp 各有角色，tile 按形状选择。
//! Predicts: threads issue no loads and no stores; one kernel.
//! 预测：线程既不加载也不存储；只有一个核函数。
//! Costs: as in `fragments`, only the upper 19 bits of each number; half the rate of 16-bit factors, and twice their bytes. On an
//! H200 at 8192: 3,295 us, 2.19x `fragments`.
//! 代价：与 `fragments` 一样，只用每个数的高 19 位；速率是 16 位因子的一半，字节数是两倍。H200 上 8192 时为 3,295 us，速度是 `fragments` 的 2.19 倍。

use super::Operands;
use lanework::prelude::*;
use lanework::{Job, Result};
use lanework_ops::{Gemm, Plan, Precision, Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Job<'a>> {
    Ok(plan(x, Gemm::one_kernel)?.into_kernels().into())
}

/// The library's product, with an option.
pub(super) fn plan<'a>(
    x: &'a mut Operands,
    option: impl FnOnce(Gemm<'a, 2>) -> Gemm<'a, 2>,
) -> Result<Plan<'a>> {
    let (m, n, k) = x.extents;
    let (_, columns, depth) = x.padded;
    let a = Tensor::with_strides(&x.a, [m, k], [depth, 1], 0)?;
    let b = Tensor::with_strides(&x.b, [n, k], [depth, 1], 0)?.t();
    let c = TensorMut::with_strides(&mut x.c, [m, n], [columns, 1], 0)?;
    option(gemm(a, b).precision(Precision::TensorFloat32)).prepare(c)
}
