//! SGEMM rung: `library`, after `prefetched`, before `split`.
//!
//! Idea: the library's `gemm`: a ring of stages that barriers in shared memory hand on, so that no barrier stops the whole
//! block; tiles of B by the tensor memory accelerator, those of A word by word and transposed; numbers of the next step in
//! registers, across stages, too. Where there are few tiles, the blocks of a cluster share the steps along k and add up their
//! parts through each other's shared memory. A model of the time picks the tile.
//! Predicts: one barrier of the block, after its steps; no loads of B by threads; 256 x 256 results by more than 16 blocks.
//! Costs: needs sm_90. Copying A into the order that TMA reads takes a second kernel, which the library launches for large
//! products and this rung does not. Transposing in shared memory what TMA brought as it lies, tried too, was 5 % slower.
//! 思路：库函数 `gemm`：多级缓冲由共享内存中的 mbarrier 交接，没有让整个线程块停下的屏障；B 的 tile 由 TMA 搬运，A 逐字拷贝并转置；
//! 下一步的数提前装入寄存器，跨级也是如此。tile 较少时，同一 cluster 的线程块分担 k 方向的步数，通过彼此的共享内存把部分和相加。
//! tile 由一个时间模型选择。
//! 预测：线程块只在各步之后有一次屏障；线程不加载 B；256×256 的结果由多于 16 个线程块计算。
//! 代价：需要 sm_90。把 A 拷贝成 TMA 可读的顺序要多一个核函数，库对较大的乘积会这样做，这里不做。也试过让 TMA 原样搬入 A、再在共享内存
//! 内部转置，慢 5 %。

use super::operands::{Operands, Shape};
use lanework::prelude::*;
use lanework::{Error, Prepared, Result};
use lanework_ops::{Tensor, TensorMut, gemm};

pub(super) fn prepare<'a>(x: &'a mut Operands, _: &Device) -> Result<Prepared<'a>> {
    // Refuses what the other rungs refuse.
    x.tiles(64, 64)?;
    let only = plan(x)?.into_kernel();
    only.ok_or_else(|| Error::Request {
        why: "a product without results has no kernel".to_owned(),
        help: "give at least one row and one column".to_owned(),
    })
}

fn plan(x: &mut Operands) -> Result<lanework_ops::Plan<'_>> {
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let [m, n, k, lda, ldb, ldc] = [m, n, k, lda, ldb, ldc].map(|extent| extent as usize);
    let a = Tensor::with_strides(&x.a, [m, k], [lda, 1], 0)?;
    let b = Tensor::with_strides(&x.b, [k, n], [ldb, 1], 0)?;
    let c = TensorMut::with_strides(&mut x.c, [m, n], [ldc, 1], 0)?;
    gemm(a, b).alpha(x.alpha.into()).beta(x.beta.into()).one_kernel().prepare(c)
}
