//! A group of `wgmma` products along K: its instructions, and the shapes and layouts that they have.

use super::descriptor::Stored;
use super::element::MatrixElement;
use super::fragment::FragmentC;
use crate::builder::Builder;
use crate::current::with;
use crate::value::Value;
use lanework_ptx::{Operand, ScalarType};

/// What is multiplied.
pub(super) enum Left {
    /// A matrix in shared memory.
    Shared(Stored),
    /// A fragment per instruction.
    Registers(Vec<Operand>),
}

/// Stages one group of products along K, into `sums` (`wgmma.fence`, a `wgmma.mma_async` per 32 bytes of K,
/// `wgmma.commit_group`).
pub(super) fn stage<T, U, D, const N: u32>(
    sums: FragmentC<D, 64, N>,
    k: u32,
    left: Left,
    right: Stored,
    add: bool,
) where
    T: MatrixElement,
    U: MatrixElement,
    D: MatrixElement,
{
    with(|b| {
        sums.check_variable(b, "a product");
        let left_k_major = match &left {
            Left::Shared(stored) => stored.by_rows,
            Left::Registers(_) => true,
        };
        check(b, N, k, T::BITS, left_k_major && !right.by_rows, D::NAME == "s32");
        let step_k = 256 / T::BITS;
        let steps = k / step_k;
        b.emit("wgmma.fence.sync.aligned", vec![]);
        let name = format!(
            "wgmma.mma_async.sync.aligned.m64n{N}k{step_k}.{}.{}.{}",
            D::NAME,
            T::NAME,
            U::NAME
        );
        for step in 0..steps {
            let bytes = T::BITS / 8;
            let a = match &left {
                Left::Shared(stored) => {
                    let bits = stored.descriptor(b, left_k_major, step, bytes);
                    b.operand(bits, ScalarType::U64)
                }
                Left::Registers(fragments) => match fragments.get(step as usize) {
                    Some(fragment) => fragment.clone(),
                    None => break,
                },
            };
            let of_b = right.descriptor(b, !right.by_rows, step, bytes);
            let counts = Value::Constant(u64::from(add || step > 0));
            let mut operands = vec![
                sums.operand(),
                a,
                b.operand(of_b, ScalarType::U64),
                b.operand(counts, ScalarType::Pred),
            ];
            if D::NAME != "s32" {
                operands.extend([Operand::integer(1), Operand::integer(1)]);
            }
            if T::BITS == 16 {
                if matches!(left, Left::Shared(_)) {
                    operands.push(Operand::integer(u64::from(!left_k_major)));
                }
                operands.push(Operand::integer(u64::from(right.by_rows)));
            }
            b.emit(&name, operands);
        }
        b.emit("wgmma.commit_group.sync.aligned", vec![]);
        sums.written(b);
    });
}

/// Refuses shapes and layouts that do not exist.
fn check(b: &mut Builder, n: u32, k: u32, bits: u32, k_major: bool, integers: bool) {
    if n == 0 || !n.is_multiple_of(8) || n > 256 {
        b.error(
            format!("`wgmma` has no results of {n} columns"),
            "choose a multiple of 8 up to 256",
        );
    } else if integers && n > 32 && !n.is_multiple_of(16) {
        b.error(
            format!("`wgmma` has no integer results of {n} columns"),
            "above 32, choose a multiple of 16",
        );
    }
    if k == 0 || !(k * bits).is_multiple_of(256) {
        b.error(
            format!("a factor of {k} columns is not a multiple of 32 bytes along K"),
            format!("choose a multiple of {}", 256 / bits),
        );
    }
    if bits != 16 && !k_major {
        b.error(
            "only 16-bit elements are multiplied with M or N contiguous in memory",
            "store `a` as 64 x K and `b` as N x K, and give `b.t()`",
        );
    }
}
