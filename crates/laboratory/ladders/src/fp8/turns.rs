//! FP8 rung: `turns`: the library's product with `Precision::Accurate`.
//!
//! Idea: the sums of two stages alternate: a warpgroup starts the products of both, and adds the sums of the first while the
//! products of the second run. While it adds the second sums, products of the other warpgroup run.
//! 思路：缓冲区两级的和交替：warpgroup 先发起两级的乘法，第二级的乘法进行时，把第一级的和加上去；加第二级的和时，另一个 warpgroup 的乘法正在进行。
//! Predicts: the results of `promoted`, bit for bit: it sums the same products in the same order.
//! 预测：结果与 `promoted` 逐位相同：同样的乘积按同样的顺序相加。
//! Costs: 192 registers per thread for two sums and their total; a stage of zeros makes an odd number of stages even. On an H200:
//! 907 us at 8192, where warpgroups that alternated by barriers took 1,101 us; 122 us against 144 us at 4096.
//! 代价：每个线程用 192 个寄存器存放两组和以及总和；缓冲区级数为奇数时补一级零。H200 上 8192 时为 907 us，而两个 warpgroup 用屏障轮流执行时为 1,101 us；4096 时为 122 us 和 144 us。

use super::Operands;
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::Precision;

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    super::library::kernel(x, Precision::Accurate)
}
