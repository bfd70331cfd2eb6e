//! RMS norm rung: `library`: `nn::rms_norm` of `lanework-ops`.
//!
//! Idea: each row gets as many threads as it needs: part of a warp, a warp, a block, or several blocks that exchange their
//! sums of squares through memory.
//! 思路：每行使用的线程数恰好够用：warp 的一部分、一个 warp、一个线程块，或者几个线程块（通过内存交换各自的平方和）。
//! Predicts: the same sectors at every length, from a few numbers per row to millions.
//! 预测：无论行长是几个数还是几百万个数，扇区数都相同。
//! Costs: a kernel for each number of threads; a cooperative launch for the longest rows.
//! 代价：每种线程数各需一个核函数；最长的行需要协作启动。

use crate::rows::{Rows, only};
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::{Tensor, TensorMut, nn};

pub(super) fn prepare<'a>(r: &'a mut Rows, _device: &Device) -> Result<Prepared<'a>> {
    let shape = [r.rows as usize, r.cols as usize];
    let norm = nn::rms_norm(Tensor::new(&r.x, shape)?).gamma(&r.gamma).eps(r.eps);
    only(norm.prepare(TensorMut::new(&mut r.y, shape)?)?)
}
