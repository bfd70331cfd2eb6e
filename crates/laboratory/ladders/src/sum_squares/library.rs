//! Sum-of-squares rung: `library`, after `bulk-copies`, the last: `reduce::sum_of_squares` of `lanework-ops`.
//!
//! Idea: eight loads and announced sums together, squares and sums fused (`fma`), and launches that overlap (programmatic dependent
//! launch): the blocks of a launch are on their multiprocessors, waiting, when the one before it ends.
//! 思路：8 次加载与带标志的和合在一起，平方与加法融合（`fma`），并让启动重叠（programmatic dependent launch）：前一个核函数结束时，后一个的线程块已在多处理器上等待。
//! Predicts: requests and sectors of numbers as before; neither atomic operations nor stores of clocks.
//! 预测：读数的请求和扇区不变；没有原子操作，也不存储时钟。
//! Costs: words that stay zero between launches, in a workspace that is kept.
//! 代价：要保留一块工作区，其中的字在两次启动之间保持为零。

use super::{Numbers, Summand};
use lanework::{Device, Prepared, Result};

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, 0, 1)?;
    E::by_library(&n.src, &mut n.sums)
}
