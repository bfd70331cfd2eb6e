//! Transpose rung: `library`.
//!
//! Idea: the library's `transpose`: it transposes squares in registers for elements of 1 to 16 bytes, permutes bytes
//! for elements under 4 bytes, and chooses the tile by the shape. Where rows are not aligned, it uses windows, with
//! aligned 16-byte accesses whose data it shifts in registers.
//! 思路：库函数 `transpose`：1 到 16 字节的元素都在寄存器里转置方块；不足 4 字节的元素还要置换字节（byte permutation）；tile 按矩阵的形状选择。行不对齐时使用窗口：以对齐的 16 字节访问读写，再在寄存器里移位。
//! Predicts: 16 sectors per global request for elements of every size; no bank conflicts.
//! 预测：无论元素大小，每个全局请求都是 16 个扇区；没有 bank 冲突。
//! Costs: a kernel for each element size and kind of alignment.
//! 代价：每种元素大小和对齐方式各需一个核函数。

use super::Matrices;
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{Tensor, transpose};

pub(super) fn prepare<'a, E: Element>(m: &'a mut Matrices<E>, _: &Device) -> Result<Prepared<'a>> {
    let source = Tensor::new(&m.src, [m.rows as usize, m.cols as usize])?;
    let kernel = transpose(source).prepare(&mut m.dst)?.into_kernel();
    kernel.ok_or_else(|| Error::Request {
        why: "a matrix without elements has no kernel".to_owned(),
        help: "give at least one row and one column".to_owned(),
    })
}
