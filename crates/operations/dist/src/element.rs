//! Element types and reductions of collectives, and collectives through the host, for emulated devices and for GPUs without
//! NCCL. One rank combines each element, in rank order, so all ranks have the same bits.

use crate::mesh::{Mesh, stop, stop_by};
use half::{bf16, f16};
use lanework::{Result, Storable, View, ViewMut};
use lanework_cuda::{NcclElement, NcclReduction};
use lanework_ranks::collectives::{all_reduce, exchange, reduce};
use lanework_ranks::link::Part;
use lanework_ranks::mesh::Fault;
use lanework_ranks::signature::{CallKind, Signature};
use std::sync::Arc;

/// Combines the elements of the ranks.
///
/// The emulator combines them in rank order, rounding to the element type after each step, so results are the same in each run and on each
/// rank. NCCL's order depends on the sizes and on how GPUs are connected: with more than two ranks its floating-point sums and products may
/// differ in the last bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum; integers wrap.
    Sum,
    /// Product; integers wrap.
    Prod,
    /// Minimum; of a number and a NaN, the number.
    Min,
    /// Maximum; of a number and a NaN, the number.
    Max,
}

impl Reduction {
    #[cfg(test)]
    const ALL: [Reduction; 4] = [Reduction::Sum, Reduction::Prod, Reduction::Min, Reduction::Max];

    /// The reduction in signatures.
    pub(crate) fn number(self) -> lanework_ranks::signature::Reduction {
        use lanework_ranks::signature::Reduction as By;
        match self {
            Reduction::Sum => By::Sum,
            Reduction::Prod => By::Prod,
            Reduction::Min => By::Min,
            Reduction::Max => By::Max,
        }
    }

    pub(crate) fn nccl(self) -> NcclReduction {
        match self {
            Reduction::Sum => NcclReduction::Sum,
            Reduction::Prod => NcclReduction::Prod,
            Reduction::Min => NcclReduction::Min,
            Reduction::Max => NcclReduction::Max,
        }
    }
}

/// Elements of collectives: integers of 8, 32 and 64 bits, and floats of 16, 32 and 64.
pub trait Number: Storable {
    #[doc(hidden)]
    const NCCL: NcclElement;
    #[doc(hidden)]
    fn combine(reduction: Reduction, a: Self, b: Self) -> Self;
}

macro_rules! integers {
    ($($kind:ident $nccl:ident;)*) => {$(
        impl Number for $kind {
            const NCCL: NcclElement = NcclElement::$nccl;
            fn combine(reduction: Reduction, a: $kind, b: $kind) -> $kind {
                match reduction {
                    Reduction::Sum => a.wrapping_add(b),
                    Reduction::Prod => a.wrapping_mul(b),
                    Reduction::Min => a.min(b),
                    Reduction::Max => a.max(b),
                }
            }
        }
    )*};
}

macro_rules! floats {
    ($($kind:ident $nccl:ident;)*) => {$(
        impl Number for $kind {
            const NCCL: NcclElement = NcclElement::$nccl;
            fn combine(reduction: Reduction, a: $kind, b: $kind) -> $kind {
                match reduction {
                    Reduction::Sum => a + b,
                    Reduction::Prod => a * b,
                    Reduction::Min => a.min(b),
                    Reduction::Max => a.max(b),
                }
            }
        }
    )*};
}

integers! {
    i8 I8;
    u8 U8;
    i32 I32;
    u32 U32;
    i64 I64;
    u64 U64;
}

floats! {
    f16 F16;
    f32 F32;
    f64 F64;
    bf16 Bf16;
}

/// Combines every element of `with`, given as bytes, into the element of `into`, the left operand.
pub(crate) fn combine<T: Number>(reduction: Reduction, into: &mut [u8], with: &[u8]) {
    let size = size_of::<T>();
    for (a, b) in into.chunks_exact_mut(size).zip(with.chunks_exact(size)) {
        let (first, second) = (bytemuck::pod_read_unaligned(a), bytemuck::pod_read_unaligned(b));
        let value: T = T::combine(reduction, first, second);
        a.copy_from_slice(bytemuck::bytes_of(&value));
    }
}

/// A reduction, and the function that applies it to bytes of the call's elements.
pub(crate) type Reduce = (Reduction, fn(Reduction, &mut [u8], &[u8]));

/// The operation of a call.
pub(crate) struct Work<'a> {
    pub signature: Signature,
    pub element: NcclElement,
    /// The peer of a message.
    pub peer: Option<usize>,
    pub from: Option<View<'a, u8>>,
    pub to: Option<ViewMut<'a, u8>>,
    pub reduce: Option<Reduce>,
}

/// Runs one call of this rank; returns when the result is stored.
pub(crate) fn run(mesh: &mut Mesh, work: &mut Work<'_>) -> Result<()> {
    // Without the stop, the others would wait for a rank whose device failed.
    let input = match &work.from {
        Some(view) => view.download().map_err(|error| stop_by(mesh, error))?,
        None => Vec::new(),
    };
    let output = transfer(mesh, work, input).map_err(|fault| stop(mesh, fault))?;
    let Some(to) = &mut work.to else { return Ok(()) };
    let bytes: Vec<u8> = match &output[..] {
        [] => return Ok(()),
        parts => parts.iter().flat_map(Part::bytes).copied().collect(),
    };
    to.upload(&bytes).map_err(|error| stop_by(mesh, error))
}

/// Exchanges data with the other ranks, and returns the parts of the output; none if this rank has no output.
fn transfer(mesh: &mut Mesh, work: &Work<'_>, input: Vec<u8>) -> Result<Vec<Part>, Fault> {
    let (own, size, input) = (work.signature, mesh.size(), Arc::new(input));
    let whole = 0..input.len();
    let combine = |parts: &[&[u8]]| {
        let Some(((reduction, combine), (first, others))) = work.reduce.zip(parts.split_first())
        else {
            return Vec::new();
        };
        let mut result = first.to_vec();
        others.iter().for_each(|other| combine(reduction, &mut result, other));
        result
    };
    match (own.kind, work.peer) {
        (CallKind::Message, Some(peer)) if work.to.is_none() => {
            mesh.post(peer, own, Part::of(&input, whole)).map(|()| Vec::new())
        }
        (CallKind::Message, Some(peer)) => mesh.take(peer, &own, &[peer]).map(|part| vec![part]),
        (CallKind::AllReduce(_), _) => {
            let bytes = (input.len() / own.count.max(1) as usize).max(1);
            all_reduce(mesh, &own, &input, bytes, &combine)
        }
        (CallKind::ReduceScatter(_), _) => {
            let bytes = input.len() / size;
            let part = |rank: usize| rank * bytes..(rank + 1) * bytes;
            Ok(vec![Part::whole(reduce(mesh, &own, &input, part, &combine)?)])
        }
        (CallKind::AllGather, _) => exchange(mesh, &own, &input, |_| whole.clone()),
        (CallKind::Broadcast(root), _) if mesh.rank == root as usize => {
            mesh.others()
                .try_for_each(|peer| mesh.post(peer, own, Part::of(&input, whole.clone())))?;
            Ok(Vec::new())
        }
        (CallKind::Broadcast(root), _) => {
            let root = root as usize;
            mesh.take(root, &own, &[root]).map(|part| vec![part])
        }
        _ => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_combine_elements() {
        let all = |a: f32, b: f32| Reduction::ALL.map(|r| f32::combine(r, a, b));
        assert_eq!(all(3.0, -2.0), [1.0, -6.0, -2.0, 3.0]);
        assert_eq!(all(f32::NAN, 2.0)[2..], [2.0, 2.0]);
        assert_eq!(i8::combine(Reduction::Sum, 127, 1), -128);
        assert_eq!(u64::combine(Reduction::Prod, u64::MAX, 2), u64::MAX - 1);
        let half = |x: f32| f16::from_f32(x);
        assert_eq!(f16::combine(Reduction::Sum, half(2048.0), half(1.0)), half(2048.0));
    }

    #[test]
    fn numbers_map_to_type_names() {
        let name = |element: NcclElement| lanework_ranks::signature::element_name(element as u8);
        assert_eq!([name(f32::NCCL), name(bf16::NCCL)], ["f32", "bf16"]);
        assert_eq!([name(i8::NCCL), name(u64::NCCL)], ["i8", "u64"]);
    }
}
