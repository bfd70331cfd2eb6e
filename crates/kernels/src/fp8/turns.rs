//! FP8 rung: `turns`, after `promoted`, the last: the library's product with `Precision::Accurate`.
//!
//! Idea: the two warpgroups take turns at the tensor cores, handed on by named barriers: while one adds its sums of a stage, the
//! products that the other one has started run.
//! 思路：两个 warpgroup 轮流使用张量核心，由具名屏障交接：一个把这一级的和相加时，另一个发起的乘积正在计算。
//! Predicts: the results of `promoted`, bit by bit: the same products are summed in the same order.
//! 预测：结果与 `promoted` 逐位相同：同样的乘积按同样的次序相加。
//! Costs: the order of the turns is fixed, so that a warpgroup whose stage has come waits for the other one.
//! It did not help on an H200 beside `promoted`: 1,055 us against 1,025 us at 8192, 141.1 us against 139.7 us at 4096.
//! 代价：轮次固定，一个 warpgroup 的数据到了也要等另一个。在 H200 上与 `promoted` 相比没有帮助：8192 时 1,055 us 对 1,025 us，4096 时 141.1 us 对 139.7 us。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::Precision;

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    super::library::kernel(x, Precision::Accurate)
}
