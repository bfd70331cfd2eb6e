//! Softmax rung: `spread`.
//!
//! Idea: several blocks hold a row in their registers and exchange their largest numbers and sums through memory, so a row may be
//! longer than the registers of one block. The library uses this kernel for few long rows.
//! 思路：几个线程块各用寄存器保存一行的一部分，通过内存交换各自的最大值和指数之和，因此一行可以超过一个线程块寄存器的容量。行少而长时，库使用这个核函数。
//! Predicts: it supports rows of 40,000 numbers, which `vectorized` does not, and stores each result once; more loads than
//! numbers, because blocks poll for the statistics of the others.
//! 预测：能处理 `vectorized` 不支持的、每行 40,000 个数的矩阵，每个结果只存储一次；加载次数多于数的个数，因为线程块要轮询其他线程块的统计量。
//! Costs: a cooperative launch, because blocks wait for each other; memory bandwidth is unused during the exchange. On an H200:
//! 370 us for 1024 rows of 131,072; rows that fit a block are slower: 75.8 us against 34.2 us for `vectorized` at 4096 x 4096.
//! 代价：线程块互相等待，所以需要协作启动；交换期间内存带宽闲置。H200 上 1024 行、每行 131,072 个数用时 370 us；一个线程块放得下的行反而更慢：4096 x 4096 时为 75.8 us，`vectorized` 为 34.2 us。

use crate::rows::{Rows, only};
use lanework::prelude::*;
use lanework::{Prepared, Result};
use lanework_ops::{Tensor, TensorMut, nn};

/// Maximum number of 16-byte vectors per thread in a row.
const VECTORS: usize = 8;

pub(super) fn prepare<'a>(r: &'a mut Rows, _device: &Device) -> Result<Prepared<'a>> {
    let shape = [r.rows as usize, r.cols as usize];
    let rows = nn::softmax(Tensor::new(&r.x, shape)?);
    let y = TensorMut::new(&mut r.y, shape)?;
    only(rows.prepare_variant(y, nn::Variant::Spread(VECTORS))?)
}
