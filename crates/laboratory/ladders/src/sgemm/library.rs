//! SGEMM rung: `library`.
//!
//! Idea: a time model chooses among eight tiles and clusters of 1 to 8 blocks. Its terms are the number of waves of
//! blocks, the number of warps needed to keep a multiprocessor busy, the words copied by threads, the cost of starting
//! and ending a block, and the bytes moved. Their factors were fitted to times of many shapes on an H200.
//! Predicts: more than 16 blocks for 256 x 256 results; a tile of 16 or 32 columns instead of 64 if there are few
//! columns.
//! Costs: eight kernels to compile if all shapes occur; the model is for an H200. Copying A into the order that TMA
//! reads takes a second kernel. The library can also divide long sums among blocks and add the parts in another
//! kernel; this rung never does. Transposing TMA's tiles in shared memory instead was 5 % slower. On an H200: 11.4 us
//! against 15.9 us for `cluster-split` at 512; 44.9 us against 102 us for 4096 x 32 x 4096.
//! 思路：由一个时间模型在八种 tile 和 1 到 8 个线程块的 cluster 中选择。模型包括以下各项：线程块的轮数、使多处理器保持忙碌所需的 warp 数、由线程拷贝的字数、线程块首尾的开销、字节数；各项的系数按 H200 上许多形状的实测时间拟合。
//! 预测：256 x 256 的结果由超过 16 个线程块计算；列数很少时，tile 取 16 或 32 列而不是 64 列。
//! 代价：如果各种形状都出现，要编译八个核函数；模型只针对 H200。把 A 拷贝成 TMA 可读的顺序需要多一个核函数。库还可以把很长的和分给几个线程块，再由另一个核函数把各部分相加；这一级从不这样做。也试过改为在共享内存中转置由 TMA 搬入的 tile，慢 5 %。
//! H200 上 512 时为 11.4 us，`cluster-split` 为 15.9 us；4096 x 32 x 4096 时为 44.9 us 和 102 us。

use super::operands::{Operands, Shape};
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{ForcedVariant, Gemm, Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    kernel(x, |product| product)
}

/// The library's kernel with a tile of these rows and columns; a cluster of this many blocks divides its steps.
pub(super) fn with_tile(
    x: &mut Operands,
    (rows, cols): (u32, u32),
    splits: u32,
) -> Result<Prepared<'_>> {
    // Without steps there is nothing to divide.
    let steps = x.shape.k > 0;
    kernel(x, |product| match steps {
        true => product.force_variant(ForcedVariant::Tile { rows, cols, splits }),
        false => product,
    })
}

fn kernel<'a>(
    x: &'a mut Operands,
    how: impl FnOnce(Gemm<'a, 2>) -> Gemm<'a, 2>,
) -> Result<Prepared<'a>> {
    // Refuses the same shapes as the other rungs.
    x.tiles(64, 64)?;
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|extent| extent as usize);
    let a = Tensor::with_strides(&x.a, [m, k], [lda, 1], 0)?;
    let b = Tensor::with_strides(&x.b, [k, n], [ldb, 1], 0)?;
    let c = TensorMut::with_strides(&mut x.c, [m, n], [ldc, 1], 0)?;
    let product = gemm(a, b).alpha(x.alpha.into()).beta(x.beta.into()).one_kernel();
    how(product).prepare(c)?.into_kernel().ok_or_else(|| Error::Request {
        why: "a product without results has no kernel".to_owned(),
        help: "give at least one row and one column".to_owned(),
    })
}
