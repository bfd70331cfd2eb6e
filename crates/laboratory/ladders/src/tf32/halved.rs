//! TF32 rung: `halved`: the library's product of large factors with `Precision::TensorFloat32`.
//!
//! Idea: an f16 has as many mantissa bits as TF32, and tensor cores multiply it at twice the rate. One pass over each factor scales every
//! row of A and column of B by a power of two into the f16 range and rounds it. The product is computed in f16, and its results are scaled
//! back. The passes check whether the range suffices; where it does not, the device multiplies the original factors, without the host.
//! 思路：f16 的位数与 TF32 相同，乘法速率是它的两倍。A 的每一行、B 的每一列乘以 2 的幂，缩放到 f16 的范围内再舍入，每个因子各走一遍；
//! 乘积按 f16 计算，结果再缩放回来。这一遍同时检查范围够不够；不够时由设备自己改用原来的因子，不经过主机。
//! Predicts: half of the bytes of `warpgroups` in the copies of the product; errors at least a third smaller, because numbers are rounded and not truncated.
//! 预测：乘积中拷贝的字节数是 `warpgroups` 的一半；数是舍入而不是截断，误差至少小三分之一。
//! Costs: passes over both factors. Their time grows with the bytes, the product's with its volume, so the library does this from
//! about 3,000 rows and columns on; products under 65 rows or columns use `warpgroups`. On an H200: 1,925 us at 8192, 1.71x
//! `warpgroups`, and 284 us against 407 us at 4096; errors of 2.6e-4 against 7.0e-4.
//! 代价：要把两个因子各走一遍，这部分时间与字节数成正比，而乘积的时间按体积增长：库从大约 3,000 行列起才这样做；不足 65 行或列的乘积交给 `warpgroups`。H200 上 8192 时为 1,925 us，是 `warpgroups` 的 1.71 倍快；4096 时 284 us 对 407 us；误差 2.6e-4 对 7.0e-4。

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
