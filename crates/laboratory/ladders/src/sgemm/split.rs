//! SGEMM rung: `split`.
//!
//! Idea: tensor cores multiply f16 many times faster than the FP32 multiply-add (FFMA) multiplies f32. Each number
//! becomes the sum of two f16. Three of the four partial products are kept (low x high, high x low, high x high) and
//! added in one accumulation chain.
//! Predicts: 3 `mma` for 16 x 8 x 16 multiply-adds: fewer instructions than FFMAs would take, even including the split;
//! each number of a 128 x 128 tile is loaded once.
//! Costs: the tensor cores truncate their sums: at k = 4096 the error is about 3e-5 of the result, 25 times the error of FP32
//! sums. Numbers below 2^-14 lose bits, and those above 65,504 overflow; k under 512 uses `fitted`.
//! 思路：张量核心做 f16 乘法比 FP32 乘加（FFMA）做 f32 乘法快许多倍。把每个数写成两个 f16 之和，四个部分积中保留三个（低 x 高、高 x 低、高 x 高），加在同一条累加链上。
//! 预测：每 16 x 8 x 16 次乘加用 3 条 `mma`：包括拆分在内，指令数仍比只用 FFMA 时少；128 x 128 的 tile 中每个数只加载一次。
//! 代价：张量核心求和时截断：k = 4096 时误差约为结果的 3e-5，是 FP32 求和误差的 25 倍。小于 2^-14 的数会损失位数，大于 65,504 的数会溢出；k 小于 512 时改用 `fitted`。

use super::operands::Operands;
use super::parts::{self, Split};
use half::f16;
use lanework::{Device, Prepared, Result};

/// Two parts; the product of the low parts is below 2^-22 of the whole.
pub(super) const PAIRS: Split =
    Split { parts: 2, pairs: &[(1, 0), (0, 1), (0, 0)], promoted: false };

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    parts::prepare::<f16>(x, device, PAIRS)
}
