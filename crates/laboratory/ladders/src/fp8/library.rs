//! FP8 rung: `library`.
//!
//! Idea: the library's 8-bit product with default options, also one chain: it chooses the tile by the shape, divides K among
//! blocks where tiles are few, stores results by TMA, and starts a launch before the previous one ends.
//! 思路：库的 8 位浮点矩阵乘法，采用默认选项，同样是一条累加链：按形状选择 tile，tile 少时把 K 分给几个线程块，结果由 TMA 写出，前一次启动结束之前就开始下一次启动。
//! Predicts: threads store no results; the errors of `chained`.
//! 预测：线程不存储结果；误差与 `chained` 相同。
//! Costs: the kernel supports every option of the library, and this product needs none of them. On an H200: 882 us at 8192, 1.7 %
//! slower than `chained`, and 119.0 us against 120.5 us at 4096.
//! 代价：核函数支持库的所有选项，而这里一个也用不到。H200 上 8192 时为 882 us，比 `chained` 慢 1.7 %；4096 时为 119.0 us，`chained` 为 120.5 us。

use super::Operands;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result, View};
use lanework_ops::{Fp8E4m3, Precision, Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    kernel(x, Precision::Full)
}

/// The library's kernel.
pub(super) fn kernel(x: &mut Operands, precision: Precision) -> Result<Prepared<'_>> {
    let (m, n, k) = x.extents;
    let (_, columns, depth) = x.padded;
    let of = |lines: usize, factor| {
        let bytes: View<'_, u8> = View::from(factor);
        Tensor::<Fp8E4m3, 2>::from_view(bytes.cast(), [lines, k], [depth, 1])
    };
    let (a, b) = (of(m, &x.a)?, of(n, &x.b)?.t());
    let c = TensorMut::with_strides(&mut x.c, [m, n], [columns, 1], 0)?;
    let plan = gemm(a, b).precision(precision).one_kernel().prepare(c)?;
    plan.into_kernel().ok_or_else(|| Error::Request {
        why: "this product takes several kernels".to_owned(),
        help: "run it by `lanework_ops::gemm`".to_owned(),
    })
}
