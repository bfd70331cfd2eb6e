//! Collectives through the host, for emulated devices and for GPUs without NCCL. One rank combines each element, in rank order, so all
//! ranks have the same bits.

use crate::element::Reduction;
use crate::mesh::{Mesh, stop, stop_by};
use lanework::{Result, View, ViewMut};
use lanework_cuda::NcclElement;
use lanework_ranks::collectives::{all_reduce, exchange, reduce};
use lanework_ranks::link::Part;
use lanework_ranks::mesh::Fault;
use lanework_ranks::signature::{CallKind, Signature};
use std::sync::Arc;

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
