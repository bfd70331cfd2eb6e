//! Collectives through the host, for emulated devices and for GPUs without NCCL.
//!
//! An all-reduce is a reduce-scatter and an all-gather: rank r combines the r-th share of every rank in the order of ranks, and
//! sends the result to all. So each result is combined by one rank in one order, and all ranks have the same bits.

use crate::mesh::Mesh;
use crate::share::share;
use crate::signature::{Kind, Signature};
use crate::work::{Reduce, Work};
use lanework::{Error, Result};

/// Runs one call of this rank; returns when its result is there.
pub(crate) fn run(mesh: &mut Mesh, work: &mut Work<'_>) -> Result<()> {
    let outcome = exchange(mesh, work);
    // The others would wait for a rank whose device failed.
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
        (Kind::Message, Some(peer)) if to.is_none() => {
            mesh.post(peer, own, &input)?;
            None
        }
        (Kind::Message, Some(peer)) => Some(mesh.take(peer, &own, &[peer])?),
        (Kind::Message | Kind::Receipt | Kind::Barrier, _) => None,
        (Kind::AllReduce(_), _) => {
            let bytes = input.len() / (own.count.max(1) as usize);
            let mine = scatter(mesh, &own, &input, *reduce, |rank, size| {
                let share = share(own.count as usize, size, rank);
                share.start * bytes..share.end * bytes
            })?;
            Some(gather(mesh, &own, mine)?)
        }
        (Kind::ReduceScatter(_), _) => Some(scatter(mesh, &own, &input, *reduce, |rank, size| {
            let bytes = input.len() / size;
            rank * bytes..(rank + 1) * bytes
        })?),
        (Kind::AllGather, _) => Some(gather(mesh, &own, input)?),
        (Kind::Broadcast { root }, _) => broadcast(mesh, &own, root as usize, &input)?,
    };
    match (output, to) {
        (Some(bytes), Some(to)) => to.upload(&bytes),
        _ => Ok(()),
    }
}

/// Sends each rank its part of the input, and combines the parts for this one in the order of ranks.
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

/// Sends this rank's bytes to all, and joins those of all in the order of ranks.
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

/// The ranks that are still waited for when those below `from` have come.
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

/// What the checks of a call exclude, unless a peer speaks another protocol.
fn impossible() -> Error {
    Error::Communication {
        why: "a rank sent data of another length than its call says".to_owned(),
        help: "build every rank from the same version of this library".to_owned(),
    }
}
