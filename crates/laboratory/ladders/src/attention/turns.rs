//! Attention rung: `turns`.
//!
//! Idea: named barriers (barriers for some of the warps of a block) let one warpgroup at a time start its products
//! (ping-pong), so the two do not first compete for the tensor cores and then wait at the same time.
//! 思路：用命名屏障（只供线程块中部分 warp 使用的屏障）使两个 warpgroup 轮流发起乘法（ping-pong），避免两者先是同时争用张量核心、接着又同时等待。
//! Predicts: two more arrivals and waits per tile; the two warpgroups stay half a tile apart.
//! 预测：每个 tile 多两次到达和等待；两个 warpgroup 始终错开半个 tile。
//! Costs: two of the block's 16 barriers, and waiting time for the warpgroup that arrives early.
//! 代价：占用线程块 16 个屏障中的两个；先到的 warpgroup 要等待。

use super::heads::Heads;
use super::overlapped;
use lanework::{Device, Prepared, Result};

pub(super) fn prepare<'a>(x: &'a mut Heads, device: &Device) -> Result<Prepared<'a>> {
    overlapped::prepare_ordered(x, device, true)
}
