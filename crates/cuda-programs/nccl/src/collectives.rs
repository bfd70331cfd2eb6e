//! Executes the calls. Every rank sends each other rank the part of its input that this rank needs, which may be empty, and waits for the
//! call of each. So all ranks compare their calls, whatever moves.
//!
//! An all-reduce is a reduce-scatter and an all-gather: rank r combines share r of every rank in rank order, and sends the result to all.
//! So each element is combined by one rank in one order, and all ranks have the same bits.

use crate::mesh::Mesh;
use crate::mesh::link::Part;
use crate::mesh::signature::{CallKind, Signature};
use crate::reduction::element::Element;
use crate::reduction::{Reduction, combine, scale};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, write};
use std::ops::Range;
use std::sync::Arc;

/// One rank's part of a call.
#[derive(Clone, Debug)]
pub struct Work {
    pub kind: CallKind,
    pub element: Element,
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
        element: Element,
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
            CallKind::Split => (None, None),
        };
        let at = |at: usize| move |bytes| Memory { at, bytes };
        Ok((send.map(at(self.send)), receive.map(at(self.receive))))
    }
}

/// Runs one call of this rank, in the context of its device; returns when the result is stored.
///
/// # Errors
/// If memory is not allocated, ranks disagree, or one is missing; this rank has then stopped.
pub fn run(mesh: &mut Mesh, work: &Work) -> Result {
    run_or_fail(mesh, work).map_err(|failure| mesh.stop(failure))
}

fn run_or_fail(mesh: &mut Mesh, work: &Work) -> Result {
    let (rank, size) = (mesh.rank, mesh.size());
    let &Work { kind, element, count, .. } = work;
    let own = Signature { sequence: mesh.next(work.message), kind, element, count: count as u64 };
    let (send, receive) = work.memory(rank, size)?;
    let of = |what: &str| format!("the {what} of {}", own.words());
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
    let parts = match work.message {
        Some((peer, true)) => {
            mesh.post(peer, own, Part::of(&input, 0..input.len()))?;
            Vec::new()
        }
        Some((peer, false)) => vec![mesh.take(peer, &own, &[peer])?],
        None => collective(mesh, &own, &input)?,
    };
    let Some(receive) = receive else { return Ok(()) };
    if parts.iter().map(|part| part.bytes().len()).sum::<usize>() != receive.bytes {
        return refuse(
            Status::Internal,
            format!("{} of rank {rank} got data of another length", own.words()),
        );
    }
    let mut offset = 0;
    for part in parts {
        write(receive.at + offset, part.bytes(), &of("output"))?;
        offset += part.bytes().len();
    }
    Ok(())
}

/// The parts of a collective's output, in order; `None` if this rank has no output.
fn collective(mesh: &mut Mesh, own: &Signature, input: &Arc<Vec<u8>>) -> Result<Vec<Part>> {
    let (rank, size) = (mesh.rank, mesh.size());
    let whole = 0..input.len();
    let one = own.count as usize * own.element.bytes();
    let nth = |rank: usize| rank * one..(rank + 1) * one;
    let only = |root: u32, range: &Range<usize>, to: usize| {
        if to == root as usize { range.clone() } else { 0..0 }
    };
    match own.kind {
        CallKind::AllReduce(reduction) => {
            let share = |rank: usize| {
                let bound =
                    |rank: usize| (own.count as u128 * rank as u128 / size as u128) as usize;
                bound(rank) * own.element.bytes()..bound(rank + 1) * own.element.bytes()
            };
            let parts = exchange(mesh, own, input, share)?;
            let mine = Arc::new(combined(own, reduction, &parts)?);
            let all = 0..mine.len();
            exchange(mesh, own, &mine, |_| all.clone())
        }
        CallKind::ReduceScatter(reduction) => {
            let parts = exchange(mesh, own, input, nth)?;
            Ok(vec![whole_of(combined(own, reduction, &parts)?)])
        }
        CallKind::Reduce(reduction, root) => {
            let parts = exchange(mesh, own, input, |to| only(root, &whole, to))?;
            if root as usize != rank {
                return Ok(Vec::new());
            }
            Ok(vec![whole_of(combined(own, reduction, &parts)?)])
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
        CallKind::Message | CallKind::Split => Ok(Vec::new()),
    }
}

fn whole_of(bytes: Vec<u8>) -> Part {
    let range = 0..bytes.len();
    Part::of(&Arc::new(bytes), range)
}

/// Combines the parts of all ranks.
fn combined(own: &Signature, reduction: Reduction, parts: &[Part]) -> Result<Vec<u8>> {
    let parts: Vec<&[u8]> = parts.iter().map(Part::bytes).collect();
    if parts.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return refuse(
            Status::Internal,
            format!("ranks sent parts of different lengths in {}", own.words()),
        );
    }
    Ok(combine(own.element, reduction, &parts))
}

/// Sends each rank its part of this rank's data, and returns the parts received, in rank order.
///
/// # Errors
/// If ranks disagree, or one is missing.
pub fn exchange(
    mesh: &mut Mesh,
    own: &Signature,
    data: &Arc<Vec<u8>>,
    part: impl Fn(usize) -> Range<usize>,
) -> Result<Vec<Part>> {
    for to in 0..mesh.size() {
        mesh.post(to, *own, Part::of(data, part(to)))?;
    }
    let all: Vec<usize> = (0..mesh.size()).collect();
    all.iter().map(|&from| mesh.take(from, own, &all[from..])).collect()
}
