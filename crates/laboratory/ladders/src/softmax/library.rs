//! Softmax rung: `library`: `nn::softmax` of `lanework-ops`.
//!
//! Idea: each row gets as many threads as it needs: part of a warp (a block then holds many short rows), one warp (no barrier),
//! one block, or several blocks, which exchange their largest numbers and sums through memory.
//! 思路：每行使用的线程数恰好够用：warp 的一部分（一个线程块保存许多短行）、一个 warp（不需要屏障）、一个线程块，或者几个线程块（通过内存交换各自的最大值和指数之和）。
//! Predicts: the same sectors at every length, from a few numbers per row to millions.
//! 预测：无论行长是几个数还是几百万个数，扇区数都相同。
//! Costs: a kernel for each number of threads; a cooperative launch for the longest rows. On an H200 (2^28 numbers) it
//! runs at 100 to 104 % of copy speed for rows of 4 to 32768 numbers, and at 89 % for rows of 2^20. Load hints that
//! keep the input out of L1 did not help: 96 % instead of 101 % of copy speed for rows of 16384.
//! 代价：每种线程数各需一个核函数；最长的行需要协作启动。在 H200 上处理 2^28 个数，行长 4 到 32768 时达到拷贝速度的 100 % 到 104 %，行长 2^20 时为 89 %。用加载提示使输入不进 L1 没有帮助：
//! 行长 16384 时为拷贝速度的 96 %，不用时为 101 %。

use crate::rows::{Rows, only};
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::{Tensor, TensorMut, nn};

pub(super) fn prepare<'a>(r: &'a mut Rows, _device: &Device) -> Result<Prepared<'a>> {
    let shape = [r.rows as usize, r.cols as usize];
    let plan = nn::softmax(Tensor::new(&r.x, shape)?).prepare(TensorMut::new(&mut r.y, shape)?)?;
    only(plan)
}
