//! Matrix product rung: `library`.
//!
//! Idea: the library's compensated product: tiles of 8 x 4 results per thread in registers, fed by a ring of stages in shared
//! memory. The rounding errors of all products and additions are summed separately.
//! Predicts: no block barriers; results as accurate as with twice the bits.
//! Costs: 7 operations per multiply-add instead of 1, and twice the registers for sums.
//! 思路：库的补偿矩阵乘法：每个线程在寄存器中计算 8 x 4 个结果，数据来自共享内存中的多级环形缓冲区；所有乘法和加法的舍入误差另外累加。
//! 预测：没有线程块屏障；结果相当于用两倍位数计算。
//! 代价：每次乘加需要 7 次运算而不是 1 次，累加所用的寄存器加倍。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{Precision, Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Matrices, _: &Device) -> Result<Prepared<'a>> {
    let [m, n, k] = [x.extents.m, x.extents.n, x.extents.k].map(|extent| extent as usize);
    let (a, b) = (Tensor::new(&x.a.buffer, [m, k])?, Tensor::new(&x.b.buffer, [k, n])?);
    let product = gemm(a, b).precision(Precision::Compensated);
    let kernel = product.prepare(TensorMut::new(&mut x.c.buffer, [m, n])?)?.into_kernel();
    kernel.ok_or_else(|| Error::Request {
        why: "a product without results has no kernel".to_owned(),
        help: "give at least one row and one column".to_owned(),
    })
}
