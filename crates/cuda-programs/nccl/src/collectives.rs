//! What the calls do. Every rank sends each other the part of its input that this one needs, which may be empty, and waits for the call of
//! each; so all ranks compare their calls, whatever moves.
//!
//! An all-reduce is a reduce-scatter and an all-gather: rank r combines the r-th share of every rank in the order of ranks, and sends the
//! result to all. So each element is combined by one rank in one order, and all ranks have the same bits.

use crate::element::Element;
use crate::link::Part;
use crate::mesh::Mesh;
use crate::reduction::{Reduction, combine, scale};
use crate::signature::{Kind, Signature};
use crate::status::{Result, Status, refuse};
use lanework_standin::{Memory, write};
use std::ops::Range;
use std::sync::Arc;

/// What one rank does in a call.
#[derive(Clone, Debug)]
pub struct Work {
    pub kind: Kind,
    pub element: Element,
    pub count: usize,
    pub send: usize,
    pub receive: usize,
    /// The other rank of a message, and whether this one sends.
    pub message: Option<(usize, bool)>,
    /// What the input is multiplied by first: where it lies, on a device or here.
    pub factor: Option<Factor>,
}

/// The number by which a rank multiplies its input.
#[derive(Clone, Debug)]
pub enum Factor {
    Host(Vec<u8>),
    Device(Memory),
}

impl Work {
    /// A collective.
    pub fn new(
        kind: Kind,
        element: Element,
        count: usize,
        (send, receive): (usize, usize),
    ) -> Work {
        Work { kind, element, count, send, receive, message: None, factor: None }
    }

    /// Whether it only sends, which waits for nobody.
    pub fn only_sends(&self) -> bool {
        matches!(self.message, Some((_, true)))
    }

    /// What this rank reads and writes.
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
                    format!("{} elements are more than there can be", self.count),
                ),
            }
        };
        let (one, all) = (bytes(1)?, bytes(size)?);
        let at_root = |root: u32| root as usize == rank;
        let (send, receive) = match self.kind {
            Kind::AllReduce(_) => (Some(one), Some(one)),
            Kind::Reduce(_, root) => (Some(one), at_root(root).then_some(one)),
            Kind::ReduceScatter(_) => (Some(all), Some(one)),
            Kind::Broadcast(root) => (at_root(root).then_some(one), Some(one)),
            Kind::AllGather => (Some(one), Some(all)),
            Kind::AllToAll => (Some(all), Some(all)),
            Kind::Gather(root) => (Some(one), at_root(root).then_some(all)),
            Kind::Scatter(root) => (at_root(root).then_some(all), Some(one)),
            Kind::Message => {
                (self.only_sends().then_some(one), (!self.only_sends()).then_some(one))
            }
            Kind::Split => (None, None),
        };
        let at = |at: usize| move |bytes| Memory { at, bytes };
        Ok((send.map(at(self.send)), receive.map(at(self.receive))))
    }
}

/// Runs one call of this rank, on the context of its device; returns when its result is there.
///
/// # Errors
/// When memory is not there, ranks disagree, or one is missing; this rank has then stopped.
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

/// The parts of a collective's output, in order; none where this rank has no output.
fn collective(mesh: &mut Mesh, own: &Signature, input: &Arc<Vec<u8>>) -> Result<Vec<Part>> {
    let (rank, size) = (mesh.rank, mesh.size());
    let whole = 0..input.len();
    let one = own.count as usize * own.element.bytes();
    let nth = |rank: usize| rank * one..(rank + 1) * one;
    let only = |root: u32, range: &Range<usize>, to: usize| {
        if to == root as usize { range.clone() } else { 0..0 }
    };
    match own.kind {
        Kind::AllReduce(reduction) => {
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
        Kind::ReduceScatter(reduction) => {
            let parts = exchange(mesh, own, input, nth)?;
            Ok(vec![whole_of(combined(own, reduction, &parts)?)])
        }
        Kind::Reduce(reduction, root) => {
            let parts = exchange(mesh, own, input, |to| only(root, &whole, to))?;
            if root as usize != rank {
                return Ok(Vec::new());
            }
            Ok(vec![whole_of(combined(own, reduction, &parts)?)])
        }
        Kind::Broadcast(root) | Kind::Scatter(root) => {
            let is_root = root as usize == rank;
            let scatters = matches!(own.kind, Kind::Scatter(_));
            let part = |to: usize| match (is_root, scatters) {
                (false, _) => 0..0,
                (true, false) => whole.clone(),
                (true, true) => nth(to),
            };
            let mut parts = exchange(mesh, own, input, part)?;
            Ok(vec![parts.swap_remove(root as usize)])
        }
        Kind::AllGather => exchange(mesh, own, input, |_| whole.clone()),
        Kind::AllToAll => exchange(mesh, own, input, nth),
        Kind::Gather(root) => {
            let parts = exchange(mesh, own, input, |to| only(root, &whole, to))?;
            Ok(if root as usize == rank { parts } else { Vec::new() })
        }
        Kind::Message | Kind::Split => Ok(Vec::new()),
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

/// Sends each rank its part of this one's data, and gives what each rank sent to this one, in the order of ranks.
///
/// # Errors
/// When ranks disagree, or one is missing.
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
