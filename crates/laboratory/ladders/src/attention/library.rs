//! Attention rung: `library`: `lanework_ops::attention`.
//!
//! Idea: blocks are persistent and take tiles of queries from a counter. A block overlaps one tile's first softmax with
//! the previous tile's last product of weights and values, stores results by TMA, and rescales sums only when a row's
//! largest score has grown a lot.
//! 思路：线程块是持久化的，从计数器领取查询的 tile。一个 tile 的第一次 softmax 与前一个 tile 的最后一次“权重乘以值”的乘法重叠；结果由 TMA 写出；只有当某行的最大分数明显增大时，才重新缩放累加和。
//! Predicts: the pipeline drains once per block instead of once per tile; the gain is largest with few keys.
//! 预测：流水线每个线程块只排空一次，而不是每个 tile 一次；键少时收益最大。
//! Costs: two tiles of queries in shared memory, and a counter in global memory.
//! 代价：共享内存里有两个查询 tile，全局内存里有一个计数器。

use super::heads::{HEAD, Heads};
use lanework::{Device, Error, Prepared, Result};
use lanework_ops::{Tensor, TensorMut, attention};

pub(super) fn prepare<'a>(x: &'a mut Heads, _: &Device) -> Result<Prepared<'a>> {
    let shape = [1, x.heads as usize, x.length as usize, HEAD as usize];
    let (q, k, v) =
        (Tensor::new(&x.q, shape)?, Tensor::new(&x.k, shape)?, Tensor::new(&x.v, shape)?);
    let plan = attention(q, k, v).undivided().prepare(TensorMut::new(&mut x.out, shape)?)?;
    plan.into_kernel().ok_or_else(|| Error::Launch {
        kernel: "attention".to_owned(),
        why: "the operation is more than one launch".to_owned(),
        help: "time the plan as a job".to_owned(),
    })
}
