//! Scan rung: `library`, after `big-tiles`, the last: `scan::inclusive` of `lanework-ops`.
//!
//! Idea: blocks that stay take one tile after the other and keep the running sum themselves: only sums of single tiles are published,
//! and each thread of a block reads one of those that are new. No sum travels from tile to tile, and what is added to what depends on
//! places alone. The next ticket is taken while the tile is loaded.
//! 思路：线程块常驻，一个接一个地领取 tile，并各自保存到目前为止的和：只公布单个 tile 的和，块中每个线程读取其中一个新公布的。没有和在 tile 之间传递，什么与什么相加只取决于位置。加载 tile 的同时领取下一个号。
//! Predicts: the same accesses of numbers; published sums are read by every block once.
//! 预测：对数的访问不变；公布的和每个线程块各读一次。
//! Costs: a scan of the published sums by every block: 8 bytes per block and tile from the L2 cache.
//! 代价：每个线程块都要扫描公布的和：每个块、每个 tile 从 L2 缓存读 8 字节。

use super::Sums;
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::scan;

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    if s.x.is_empty() {
        return super::one_thread::prepare(s, device); // of nothing
    }
    let plan = scan::inclusive(&s.x).prepare(&mut s.y)?;
    match plan.into_kernel() {
        Some(kernel) => Ok(kernel),
        None => unreachable!("a scan of numbers is one kernel"),
    }
}
