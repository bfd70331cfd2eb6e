//! Executes the calls: reads the input from the device, exchanges data with the other ranks, and writes the output.

use crate::mesh::{Mesh, explain, stop, timeout};
use crate::reduction::{combine, number, scale};
use crate::status::{Result, Status, refuse};
use lanework_numbers::NumberType;
use lanework_ranks::link::Part;
use lanework_ranks::mesh::Fault;
use lanework_ranks::signature::{CallKind, Names, Signature};
use lanework_ranks::{all_reduce, exchange, reduce};
use lanework_standin::{Memory, write};
use std::ops::Range;
use std::sync::Arc;

/// One rank's part of a call.
#[derive(Clone, Debug)]
pub struct Work {
    pub kind: CallKind,
    pub element: NumberType,
    pub count: usize,
    pub send: usize,
    pub receive: usize,
    /// The peer of a message, and whether this rank sends.
    pub message: Option<(usize, bool)>,
    /// Factor of the input, on a device or on the host.
    pub factor: Option<Factor>,
}

/// The factor of a rank's input.
#[derive(Clone, Debug)]
pub enum Factor {
    Host(Vec<u8>),
    Device(Memory),
}

impl Work {
    /// A collective.
    pub fn new(
        kind: CallKind,
        element: NumberType,
        count: usize,
        (send, receive): (usize, usize),
    ) -> Work {
        Work { kind, element, count, send, receive, message: None, factor: None }
    }

    /// Whether the call only sends, which never waits.
    pub fn only_sends(&self) -> bool {
        matches!(self.message, Some((_, true)))
    }

    /// The memory that this rank reads and writes.
    fn memory(&self, rank: usize, size: usize) -> Result<(Option<Memory>, Option<Memory>)> {
        let bytes = |times: usize| -> Result<usize> {
            match self
                .count
                .checked_mul(self.element.bytes())
                .and_then(|bytes| bytes.checked_mul(times))
            {
                Some(bytes) => Ok(bytes),
                None => refuse(
                    Status::InvalidArgument,
                    format!("{} elements exceed any memory", self.count),
                ),
            }
        };
        let (one, all) = (bytes(1)?, bytes(size)?);
        let at_root = |root: u32| root as usize == rank;
        let (send, receive) = match self.kind {
            CallKind::AllReduce(_) => (Some(one), Some(one)),
            CallKind::Reduce(_, root) => (Some(one), at_root(root).then_some(one)),
            CallKind::ReduceScatter(_) => (Some(all), Some(one)),
            CallKind::Broadcast(root) => (at_root(root).then_some(one), Some(one)),
            CallKind::AllGather => (Some(one), Some(all)),
            CallKind::AllToAll => (Some(all), Some(all)),
            CallKind::Gather(root) => (Some(one), at_root(root).then_some(all)),
            CallKind::Scatter(root) => (at_root(root).then_some(all), Some(one)),
            CallKind::Message => {
                (self.only_sends().then_some(one), (!self.only_sends()).then_some(one))
            }
            CallKind::Split | CallKind::Receipt | CallKind::Barrier => (None, None),
        };
        let at = |at: usize| move |bytes| Memory { at, bytes };
        Ok((send.map(at(self.send)), receive.map(at(self.receive))))
    }
}

/// Runs one call of this rank, in the context of its device; returns when the result is stored.
///
/// # Errors
/// If memory is not allocated, ranks disagree, or a rank is missing. This rank is then stopped.
pub fn run(mesh: &mut Mesh, work: &Work) -> Result {
    run_or_fail(mesh, work).map_err(|failure| stop(mesh, failure))
}

fn run_or_fail(mesh: &mut Mesh, work: &Work) -> Result {
    let (rank, size) = (mesh.rank, mesh.size());
    let &Work { kind, element, count, .. } = work;
    mesh.settings.timeout = timeout();
    let sequence = mesh.counters.next(work.message);
    let own = Signature { sequence, kind, element: number(element), count: count as u64 };
    let (send, receive) = work.memory(rank, size)?;
    let of = |what: &str| format!("the {what} of {}", own.words(Names::Nccl));
    if let Some(receive) = &receive {
        receive.check(&of("output"))?;
    }
    let mut input = match &send {
        Some(send) => send.read(&of("input"))?,
        None => Vec::new(),
    };
    if let Some(factor) = &work.factor {
        let factor = match factor {
            Factor::Host(bytes) => bytes.clone(),
            Factor::Device(memory) => memory.read("the scalar of ncclRedOpCreatePreMulSum")?,
        };
        scale(element, &mut input, &factor);
    }
    let input = Arc::new(input);
    let moved = match work.message {
        Some((peer, true)) => {
            let part = Part::of(&input, 0..input.len());
            mesh.post(peer, own, part).map(|()| Vec::new())
        }
        Some((peer, false)) => mesh.take(peer, &own, &[peer]).map(|part| vec![part]),
        None => collective(mesh, &own, element, &input),
    };
    let parts = moved.map_err(|fault| explain(mesh, fault))?;
    let Some(receive) = receive else { return Ok(()) };
    if parts.iter().map(|part| part.bytes().len()).sum::<usize>() != receive.bytes {
        return refuse(
            Status::Internal,
            format!("{} of rank {rank} got data of another length", own.words(Names::Nccl)),
        );
    }
    let mut offset = 0;
    for part in parts {
        write(receive.at + offset, part.bytes(), &of("output"))?;
        offset += part.bytes().len();
    }
    Ok(())
}

/// The parts of a collective's output, in order; empty if this rank has no output.
fn collective(
    mesh: &mut Mesh,
    own: &Signature,
    element: NumberType,
    input: &Arc<Vec<u8>>,
) -> std::result::Result<Vec<Part>, Fault> {
    let (rank, whole) = (mesh.rank, 0..input.len());
    let one = own.count as usize * element.bytes();
    let nth = |rank: usize| rank * one..(rank + 1) * one;
    let only = |root: u32, range: &Range<usize>, to: usize| {
        if to == root as usize { range.clone() } else { 0..0 }
    };
    match own.kind {
        CallKind::AllReduce(reduction) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            all_reduce(mesh, own, input, element.bytes(), &combine)
        }
        CallKind::ReduceScatter(reduction) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            Ok(vec![Part::whole(reduce(mesh, own, input, nth, &combine)?)])
        }
        CallKind::Reduce(reduction, root) => {
            let combine = |parts: &[&[u8]]| combine(element, reduction, parts);
            let combined = reduce(mesh, own, input, |to| only(root, &whole, to), &combine)?;
            Ok(if root as usize == rank { vec![Part::whole(combined)] } else { Vec::new() })
        }
        CallKind::Broadcast(root) | CallKind::Scatter(root) => {
            let is_root = root as usize == rank;
            let scatters = matches!(own.kind, CallKind::Scatter(_));
            let part = |to: usize| match (is_root, scatters) {
                (false, _) => 0..0,
                (true, false) => whole.clone(),
                (true, true) => nth(to),
            };
            let mut parts = exchange(mesh, own, input, part)?;
            Ok(vec![parts.swap_remove(root as usize)])
        }
        CallKind::AllGather => exchange(mesh, own, input, |_| whole.clone()),
        CallKind::AllToAll => exchange(mesh, own, input, nth),
        CallKind::Gather(root) => {
            let parts = exchange(mesh, own, input, |to| only(root, &whole, to))?;
            Ok(if root as usize == rank { parts } else { Vec::new() })
        }
        CallKind::Message | CallKind::Receipt | CallKind::Split | CallKind::Barrier => {
            Ok(Vec::new())
        }
    }
}
