//! Sum-of-squares rung: `library`: `reduce::sum_of_squares` of `lanework-ops`.
//!
//! Idea: combines eight loads with announced sums, fuses square and sum (`fma`), and overlaps launches (programmatic
//! dependent launch): when a launch ends, the blocks of the next one are already waiting on the multiprocessors.
//! 思路：把 8 次加载与带标志的和结合起来，平方与加法融合（`fma`），并让启动重叠（programmatic dependent launch）：一次启动结束时，下一次启动的线程块已在多处理器上等待。
//! Predicts: the same requests and sectors for the numbers; no atomic operations and no clock stores.
//! 预测：加载这些数的请求数和扇区数不变；没有原子操作，也不存储时钟。
//! Costs: the words must stay zero between launches, so they need a persistent workspace.
//! 代价：要有一块持久的工作区，其中的字在两次启动之间保持为零。

use super::{Numbers, Summand};
use lanework::{Device, Prepared, Result};

pub(super) fn prepare<'a, E: Summand>(
    n: &'a mut Numbers<E>,
    device: &Device,
) -> Result<Prepared<'a>> {
    n.make_room(device, 0, 1)?;
    E::by_library(&n.src, &mut n.sums)
}
