//! Ranks that exchange data through the host: the communication layer of `lanework-dist` and of the stand-in for NCCL.
//!
//! | module | holds |
//! | --- | --- |
//! | [`mesh`] | one rank among its peers: sends messages, receives into one inbox, and compares calls |
//! | [`link`](mod@link) | the link to one peer: a channel within a process, or a stream between processes, and its first messages |
//! | [`signature`] | the description of a call that ranks compare |
//!
//! The functions here exchange data between all ranks. Every rank sends each other rank the part of its data that this rank needs,
//! which may be empty, and waits for the call of each. So all ranks compare their calls, even if no data moves.

pub mod link;
pub mod mesh;
pub mod signature;

use link::Part;
use mesh::{Fault, FaultKind, Mesh};
use signature::Signature;
use std::ops::Range;
use std::sync::Arc;

/// Combines the parts of all ranks, in rank order.
pub type Combine<'a> = &'a dyn Fn(&[&[u8]]) -> Vec<u8>;

/// The indices of `rank` when `length` indices are divided among `size` ranks. All ranks have equally many; if `size` does not divide
/// `length`, the first ones have one more.
pub fn share(length: usize, size: usize, rank: usize) -> Range<usize> {
    let size = size.max(1);
    let (each, more) = (length / size, length % size);
    let start = |rank: usize| rank.min(size) * each + rank.min(more);
    start(rank)..start(rank + 1)
}

/// Sends each rank its part of this rank's data, and returns the received parts in rank order.
///
/// # Errors
/// If ranks disagree, or one is missing.
pub fn exchange<F>(
    mesh: &mut Mesh<F>,
    own: &Signature,
    data: &Arc<Vec<u8>>,
    part: impl Fn(usize) -> Range<usize>,
) -> Result<Vec<Part>, Fault> {
    for to in 0..mesh.size() {
        mesh.post(to, *own, Part::of(data, part(to)))?;
    }
    let all: Vec<usize> = (0..mesh.size()).collect();
    all.iter().map(|&from| mesh.take(from, own, &all[from..])).collect()
}

/// As [`exchange`], and combines the received parts.
///
/// # Errors
/// As [`exchange`], and if the parts have different lengths.
pub fn reduce<F>(
    mesh: &mut Mesh<F>,
    own: &Signature,
    data: &Arc<Vec<u8>>,
    part: impl Fn(usize) -> Range<usize>,
    combine: Combine<'_>,
) -> Result<Vec<u8>, Fault> {
    let parts = exchange(mesh, own, data, part)?;
    let parts: Vec<&[u8]> = parts.iter().map(Part::bytes).collect();
    if parts.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(mesh.fault(Some(*own), FaultKind::Lengths));
    }
    Ok(combine(&parts))
}

/// Combines the data of all ranks. Every rank receives the result, in parts.
///
/// It is a reduce-scatter and an all-gather: rank r combines share r of all ranks in rank order, and sends the result to all. So one
/// rank combines each element, in one order, and all ranks have the same bits.
///
/// # Errors
/// As [`reduce`].
pub fn all_reduce<F>(
    mesh: &mut Mesh<F>,
    own: &Signature,
    data: &Arc<Vec<u8>>,
    element_bytes: usize,
    combine: Combine<'_>,
) -> Result<Vec<Part>, Fault> {
    let size = mesh.size();
    let part = |rank: usize| {
        let Range { start, end } = share(data.len() / element_bytes, size, rank);
        start * element_bytes..end * element_bytes
    };
    let mine = Arc::new(reduce(mesh, own, data, part, combine)?);
    exchange(mesh, own, &mine, |_| 0..mine.len())
}
