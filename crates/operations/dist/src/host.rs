//! Collectives through the host, for emulated devices and for GPUs without NCCL.
//!
//! An all-reduce is a reduce-scatter and an all-gather: rank r combines share r of every rank in rank order, and sends the result to all.
//! So each result is combined by one rank in one order, and all ranks have the same bits.

use crate::element::Reduction;
use crate::mesh::Mesh;
use crate::mesh::signature::{CallKind, Signature};
use crate::share::share;
use lanework::{Error, Result, View, ViewMut};
use lanework_cuda::NcclElement;

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
    let outcome = exchange(mesh, work);
    // Without this, the others would wait for a rank whose device failed.
    outcome.map_err(|error| mesh.stop(error))
}

fn exchange(mesh: &mut Mesh, work: &mut Work<'_>) -> Result<()> {
    let Work { signature, peer, from, to, reduce, .. } = work;
    let own = *signature;
    let input = match from {
        Some(view) => view.download()?,
        None => Vec::new(),
    };
    let output = match (own.kind, *peer) {
        (CallKind::Message, Some(peer)) if to.is_none() => {
            mesh.post(peer, own, &input)?;
            None
        }
        (CallKind::Message, Some(peer)) => Some(mesh.take(peer, &own, &[peer])?),
        (CallKind::Message | CallKind::Receipt | CallKind::Barrier, _) => None,
        (CallKind::AllReduce(_), _) => {
            let bytes = input.len() / (own.count.max(1) as usize);
            let mine = scatter(mesh, &own, &input, *reduce, |rank, size| {
                let share = share(own.count as usize, size, rank);
                share.start * bytes..share.end * bytes
            })?;
            Some(gather(mesh, &own, mine)?)
        }
        (CallKind::ReduceScatter(_), _) => {
            Some(scatter(mesh, &own, &input, *reduce, |rank, size| {
                let bytes = input.len() / size;
                rank * bytes..(rank + 1) * bytes
            })?)
        }
        (CallKind::AllGather, _) => Some(gather(mesh, &own, input)?),
        (CallKind::Broadcast { root }, _) => broadcast(mesh, &own, root as usize, &input)?,
    };
    match (output, to) {
        (Some(bytes), Some(to)) => to.upload(&bytes),
        _ => Ok(()),
    }
}

/// Sends each rank its part of the input, and combines the parts for this rank in rank order.
fn scatter(
    mesh: &mut Mesh,
    own: &Signature,
    input: &[u8],
    reduce: Option<Reduce>,
    part: impl Fn(usize, usize) -> std::ops::Range<usize>,
) -> Result<Vec<u8>> {
    let (rank, size) = (mesh.rank, mesh.size());
    let others: Vec<usize> = mesh.others().collect();
    for peer in &others {
        mesh.post(*peer, *own, &input[part(*peer, size)])?;
    }
    let Some((reduction, combine)) = reduce else { return Err(impossible()) };
    let mut result: Option<Vec<u8>> = None;
    for from in 0..size {
        let bytes = if from == rank {
            input[part(rank, size)].to_vec()
        } else {
            mesh.take(from, own, &from_on(&others, from))?
        };
        match &mut result {
            None => result = Some(bytes),
            Some(result) if result.len() == bytes.len() => combine(reduction, result, &bytes),
            Some(_) => return Err(impossible()),
        }
    }
    Ok(result.unwrap_or_default())
}

/// Sends this rank's bytes to all, and concatenates the bytes of all in rank order.
fn gather(mesh: &mut Mesh, own: &Signature, mine: Vec<u8>) -> Result<Vec<u8>> {
    let others: Vec<usize> = mesh.others().collect();
    for peer in &others {
        mesh.post(*peer, *own, &mine)?;
    }
    let mut all = Vec::with_capacity(mine.len() * mesh.size());
    for from in 0..mesh.size() {
        if from == mesh.rank {
            all.extend_from_slice(&mine);
        } else {
            all.extend(mesh.take(from, own, &from_on(&others, from))?);
        }
    }
    Ok(all)
}

/// The ranks still awaited after those below `from` have come.
fn from_on(others: &[usize], from: usize) -> Vec<usize> {
    others.iter().copied().filter(|other| *other >= from).collect()
}

fn broadcast(
    mesh: &mut Mesh,
    own: &Signature,
    root: usize,
    input: &[u8],
) -> Result<Option<Vec<u8>>> {
    if mesh.rank == root {
        for peer in mesh.others() {
            mesh.post(peer, *own, input)?;
        }
        return Ok(None);
    }
    mesh.take(root, own, &[root]).map(Some)
}

/// An error that the checks of a call exclude, unless a peer uses another protocol.
fn impossible() -> Error {
    Error::Communication {
        why: "a rank sent data whose length does not match its call".to_owned(),
        help: "build every rank from the same version of this library".to_owned(),
    }
}
