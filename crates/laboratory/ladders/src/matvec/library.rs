//! Matrix-vector rung: `library`: the library's product of a matrix and up to four vectors.
//!
//! Idea: the shape determines the rows per warp, the loads of a row in flight, and the warps that share a row. With many rows a
//! warp takes four; with few rows, two to eight warps divide a row and add up their sums through shared memory.
//! 思路：由形状决定每个 warp 处理几行、一行有几次加载同时在途、几个 warp 分担一行。行多时，一个 warp 处理四行；行少时，两到八个 warp 分担一行，并通过共享内存把各自的和相加。
//! Predicts: each sector of A is loaded once, whatever the shape; more warps than rows for 512 rows of 4096.
//! 预测：无论什么形状，A 的每个扇区只加载一次；512 行、每行 4096 个元素时，warp 数多于行数。
//! Costs: a kernel for each choice. On an H200: 35.7 us for 512 rows of 65,536, 3.2x
//! `vectorized`.
//! 代价：每种选择各需一个核函数。H200 上 512 行、每行 65,536 个元素为 35.7 us，速度是 `vectorized` 的 3.2 倍。

use super::Operands;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(o: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    let (rows, cols) = (o.rows as usize, o.cols as usize);
    let a = Tensor::new(&o.a, [rows, cols])?;
    let x = Tensor::new(&o.x, [cols, 1])?;
    let product = gemm(a, x).one_kernel().prepare(TensorMut::new(&mut o.y, [rows, 1])?)?;
    product.into_kernel().ok_or_else(|| Error::Request {
        why: "a matrix without rows has no kernel".to_owned(),
        help: "give at least one row".to_owned(),
    })
}
