//! Softmax rung: `library`: `nn::softmax` of `lanework-ops`.
//!
//! Idea: each row gets as many threads as it needs: part of a warp (a block then holds many short rows), one warp (no barrier),
//! one block, or several blocks, which exchange their largest numbers and sums through memory.
//! 思路：一行由恰好够用的线程保存：短行用 warp 的一部分，一个线程块处理许多行；再长用一个 warp，不需要屏障；再长用一个线程块；最长的用几个线程块，通过内存交换各自的最大值与和。
//! Predicts: the same sectors at every length, from a few numbers per row to millions.
//! 预测：任何行长的扇区数都一样，无论一行只有几个数还是几百万个。
//! Costs: a kernel for each number of threads; a cooperative launch for the longest rows. On an H200 (2^28 numbers) it
//! runs at 100 to 104 % of copy speed for rows of 4 to 32768 numbers, and at 89 % for rows of 2^20. Load hints that
//! keep the input out of L1 did not help: 96 % instead of 101 % of copy speed for rows of 16384.
//! 代价：每种线程数各有一个核函数；最长的行需要协作式启动。在 H200 上处理 2^28 个数，行长 4 到 32768 时拷贝的用时是它的 1.00 到 1.04 倍，行长 2^20 时 0.89。提示读入的数据不进 L1 没有用：行长 16384 时由 1.01 降到 0.96。

use crate::rows::{Rows, only};
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::{Tensor, TensorMut, nn};

pub(super) fn prepare<'a>(r: &'a mut Rows, _device: &Device) -> Result<Prepared<'a>> {
    let shape = [r.rows as usize, r.cols as usize];
    let plan = nn::softmax(Tensor::new(&r.x, shape)?).prepare(TensorMut::new(&mut r.y, shape)?)?;
    only(plan)
}
