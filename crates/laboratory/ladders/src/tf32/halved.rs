//! TF32 rung: `halved`: the library's product of large factors with `Precision::TensorFloat32`.
//!
//! Idea: an f16 has as many mantissa bits as TF32, and tensor cores multiply it at twice the rate. One pass over each factor scales every
//! row of A and column of B by a power of two into the f16 range and rounds it. The product is computed in f16, and its results are scaled
//! back. The passes check whether the range suffices; where it does not, the device multiplies the original factors, without the host.
//! 思路：f16 的尾数位数与 TF32 相同，张量核心做 f16 乘法的速率却是两倍。对每个因子各做一遍处理：把 A 的每一行、B 的每一列乘以 2 的幂，缩放到 f16 的范围内并舍入。乘法以 f16 计算，再把结果缩放回来。这遍处理同时检查范围是否够用；
//! 不够时，由设备改用原来的因子计算，不经过主机。
//! Predicts: the product copies half as many bytes as `warpgroups`; errors are at least a third smaller, because
//! numbers are rounded and not truncated.
//! 预测：乘法所拷贝的字节数是 `warpgroups` 的一半；误差至少小三分之一，因为数是舍入而不是截断的。
//! Costs: one pass over each factor. The time of a pass grows with the number of elements, the time of the product with
//! m n k. So the library uses this kernel only from about 3,000 rows and columns on. Products under 65 rows or columns
//! use `warpgroups`. On an H200: 1,925 us at 8192, 1.71x `warpgroups`, and 284 us against 407 us at 4096; errors of
//! 2.6e-4 against 7.0e-4.
//! 代价：两个因子都要做一遍处理，这部分时间与元素个数成正比，而乘法的时间与 m n k 成正比，所以库从大约 3,000 行和列起才这样做；不足 65 行或列的矩阵改用 `warpgroups`。
//! H200 上 8192 时为 1,925 us，速度是 `warpgroups` 的 1.71 倍；4096 时为 284 us，`warpgroups` 为 407 us；误差为 2.6e-4，`warpgroups` 为 7.0e-4。

use super::Operands;
use super::warpgroups::{self, plan};
use lanework::prelude::*;
use lanework::{Job, Result};
use lanework_ops::ForcedVariant;

/// Minimum number of rows or columns that pays for a pass.
const FEWEST: usize = 65;

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Job<'a>> {
    if x.extents.0.min(x.extents.1) < FEWEST {
        return warpgroups::prepare(x, device);
    }
    Ok(plan(x, |product| product.force_variant(ForcedVariant::Halved))?.into_kernels().into())
}
