//! SGEMM rung: `split-bf16`.
//!
//! Idea: three bf16 hold all 24 bits of an f32 and have its range; the six largest of the nine partial products are kept.
//! Predicts: 6 `mma` where `split-promoted` has 3; the same global sectors and 1.5 times the shared memory.
//! Costs: twice the products of `split-promoted`, so it does not help with numbers of ordinary magnitude. It stays accurate
//! if magnitudes differ widely.
//! 思路：三个 bf16 能容纳 f32 的全部 24 位，范围也与 f32 相同；九个部分积中保留最大的六个。
//! 预测：`split-promoted` 用 3 条 `mma` 之处，这里用 6 条；全局扇区数不变，共享内存多用一半。
//! 代价：乘法次数是 `split-promoted` 的两倍，所以对大小相近的数没有帮助；数值大小相差悬殊时，它仍能保持准确。

use super::operands::Operands;
use super::parts::{self, Split};
use half::bf16;
use lanework::{Device, Prepared, Result};

/// Three parts; the omitted products are below 2^-24 of the whole.
const TRIPLES: Split =
    Split { parts: 3, pairs: &[(2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0)], promoted: true };

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    parts::prepare::<bf16>(x, device, TRIPLES)
}
