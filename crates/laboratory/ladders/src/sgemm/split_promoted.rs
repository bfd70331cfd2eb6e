//! SGEMM rung: `split-promoted`.
//!
//! Idea: the tensor cores accumulate only 64 steps at a time. Each of these sums is added to a sum in registers, which
//! rounds to nearest (promotion), so the truncated part stays small relative to the sum.
//! Predicts: the `mma` and the traffic of `split`, and one addition per result every 64 steps; a smaller error than
//! FP32 sums.
//! Costs: twice the registers for sums; the range of f16, as before. The library's product scales rows and columns by powers of
//! two and detects numbers outside the f16 range (`Precision::Accurate`).
//! 思路：张量核心每次只累加 64 步，得到的和再加到寄存器中就近舍入的总和上（promotion），因此被截断的部分相对于总和始终很小。
//! 预测：`mma` 数量和流量与 `split` 相同，每个结果每 64 步多一次加法；误差小于 FP32 求和。
//! 代价：累加所用的寄存器加倍；仍受 f16 范围的限制。库的矩阵乘法按 2 的幂缩放行与列，并检测超出 f16 范围的数（`Precision::Accurate`）。

use super::operands::Operands;
use super::parts::{self, Split};
use super::split::PAIRS;
use half::f16;
use lanework::{Device, Prepared, Result};

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    parts::prepare::<f16>(x, device, Split { promoted: true, ..PAIRS })
}
