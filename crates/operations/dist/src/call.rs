//! Calls on a communicator: operation, memory and stream; groups of calls that start together; element types and reductions.
//!
//! Emulated devices, and GPUs without NCCL, exchange their data through the host. One rank combines each element, in rank order, so
//! all ranks have the same bits.

use crate::communicator::{Communicator, Engine, Mesh, stop, stop_by};
use half::{bf16, f16};
use lanework::{Error, Result, Storable, Stream, View, ViewMut};
use lanework_cuda::{CudaError, Nccl, NcclElement, NcclReduction};
use lanework_ranks::link::Part;
use lanework_ranks::mesh::Fault;
use lanework_ranks::signature::{CallKind, Signature};
use lanework_ranks::{all_reduce, exchange, reduce};
use std::sync::Arc;

/// A call on a communicator that has not started yet.
///
/// Made by the methods of [`Communicator`], which have examples; [`group`] starts several together.
#[must_use = "a call does nothing until `.run()`"]
pub struct Call<'a> {
    pub(crate) communicator: &'a Communicator,
    pub(crate) work: Work<'a>,
    pub(crate) stream: Option<&'a Stream>,
}

impl<'a> Call<'a> {
    /// Runs the call on a stream of the communicator's device. By default it runs in the order of the device's other work.
    pub fn on(mut self, stream: &'a Stream) -> Call<'a> {
        self.stream = Some(stream);
        self
    }

    /// Starts the call. With NCCL it is queued, and nothing waits for the GPU; through the host it is complete when this returns.
    ///
    /// # Errors
    /// [`Error::Communication`] if ranks disagree or one is missing; errors of the device or NCCL.
    pub fn run(self) -> Result<()> {
        group([self])
    }
}

/// Starts several calls together, of one communicator or of several: a rank can send and receive at once, and one thread can drive all
/// ranks of its process.
///
/// ```
/// use lanework::Device;
/// use lanework_dist::{Communicator, Reduction, group};
///
/// let ranks = Communicator::local(&Device::several(2))?;
/// let mut x = Vec::new();
/// for rank in &ranks {
///     x.push(rank.device().upload(&[1.0f32 + rank.rank() as f32; 100])?);
/// }
/// let calls = ranks.iter().zip(&mut x);
/// let calls: Vec<_> = calls
///     .map(|(rank, x)| rank.all_reduce_in_place(Reduction::Sum, x))
///     .collect::<lanework::Result<_>>()?;
/// group(calls)?;
/// assert_eq!(x[0].download()?, [3.0; 100]);
/// assert_eq!(x[1].download()?, [3.0; 100]);
/// # Ok::<(), lanework::Error>(())
/// ```
///
/// # Errors
/// As [`Call::run`]; [`Error::Request`] if some of the communicators use NCCL and others do not.
pub fn group<'a>(calls: impl IntoIterator<Item = Call<'a>>) -> Result<()> {
    let calls: Vec<Call<'a>> = calls.into_iter().collect();
    let with_nccl = calls.iter().filter(|call| call.communicator.uses_nccl()).count();
    match with_nccl {
        0 => through_host(calls),
        all if all == calls.len() => with_library(&calls),
        _ => Err(Error::Request {
            why: "a group in which some calls use NCCL and others go through the host".to_owned(),
            help: "make one group of each kind".to_owned(),
        }),
    }
}

/// Runs each communicator's calls in a separate thread, because they wait for each other.
fn through_host(calls: Vec<Call<'_>>) -> Result<()> {
    let mut ranks: Vec<(&Communicator, Vec<Call<'_>>)> = Vec::new();
    for call in calls {
        let known = ranks.iter_mut().find(|(rank, _)| std::ptr::eq(*rank, call.communicator));
        match known {
            Some((_, calls)) => calls.push(call),
            None => ranks.push((call.communicator, vec![call])),
        }
    }
    let Some((rank, own)) = ranks.pop() else { return Ok(()) };
    std::thread::scope(|scope| {
        let others: Vec<_> = ranks
            .into_iter()
            .map(|(rank, calls)| scope.spawn(move || of_rank(rank, calls)))
            .collect();
        let mut outcomes = vec![of_rank(rank, own)];
        for other in others {
            outcomes.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        // Prefers the error of the rank that caused it to the errors of ranks that only noticed.
        let heard = |error: &Error| error.to_string().contains(" left before ");
        let mut errors = outcomes.into_iter().filter_map(Result::err);
        let Some(first) = errors.next() else { return Ok(()) };
        let better = errors.find(|error| heard(&first) && !heard(error));
        Err(better.unwrap_or(first))
    })
}

/// Runs the calls of one rank: sends first, since they never wait.
fn of_rank(rank: &Communicator, mut calls: Vec<Call<'_>>) -> Result<()> {
    calls.sort_by_key(|call| {
        !(call.work.signature.kind == CallKind::Message && call.work.to.is_none())
    });
    for mut call in calls {
        if let Some(stream) = call.stream {
            stream.synchronize()?;
        }
        run(&mut rank.mesh(), &mut call.work)?;
    }
    Ok(())
}

fn with_library(calls: &[Call<'_>]) -> Result<()> {
    // All ranks of this process must announce their calls before any of them waits for announcements.
    for call in calls {
        call.announce()?;
    }
    for call in calls {
        call.agree()?;
    }
    let mut failed = Ok(());
    let queued = Nccl::group(|| {
        failed = calls.iter().try_for_each(Call::queue);
        Ok::<(), CudaError>(())
    });
    failed?;
    Ok(queued?)
}

impl Call<'_> {
    /// Announces the call to the ranks that take part, and records that they must announce it, too.
    pub(crate) fn announce(&self) -> Result<()> {
        let (mut mesh, own) = (self.communicator.mesh(), self.work.signature);
        let mesh = &mut *mesh;
        let receipt = Signature { kind: CallKind::Receipt, ..own };
        // The peer, the call that it must make, and the call to announce to it.
        let told: Vec<(usize, Signature, Signature)> = match (own.kind, self.work.peer) {
            (CallKind::Message, Some(peer)) if self.work.to.is_none() => vec![(peer, receipt, own)],
            (CallKind::Message, Some(peer)) => vec![(peer, own, receipt)],
            _ => mesh.others().map(|peer| (peer, own, own)).collect(),
        };
        let posted = mesh.compare().and_then(|()| {
            told.into_iter().try_for_each(|(peer, theirs, ours)| {
                mesh.expect(peer, theirs);
                mesh.post(peer, ours, Part::default())
            })
        });
        posted.map_err(|fault| stop(mesh, fault))
    }

    /// Waits for the other ranks before NCCL first connects for a call of this kind, since NCCL would wait forever.
    fn agree(&self) -> Result<()> {
        let key = (std::mem::discriminant(&self.work.signature.kind), self.work.peer);
        if self.communicator.first_of(key) { self.communicator.agree() } else { Ok(()) }
    }

    fn queue(&self) -> Result<()> {
        let Work { signature, element, peer, from, to, reduce } = &self.work;
        let reduction = reduce.map_or(NcclReduction::Sum, |(reduction, _)| reduction.nccl());
        let Engine::Nccl(nccl) = &self.communicator.engine else { return Ok(()) };
        let stream = match self.stream {
            Some(stream) => stream.raw(),
            None => self.communicator.device().raw_stream()?,
        };
        let stream = stream.unwrap_or_default();
        let nccl = nccl.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(nccl) = &*nccl else { return Ok(()) };
        let sends = to.is_none();
        let from = from.as_ref().map_or(0, View::address);
        let to = to.as_ref().map_or(0, ViewMut::address);
        let (count, peer) = (signature.count as usize, peer.unwrap_or_default());
        let size = self.communicator.size();
        // SAFETY: the call borrows the memory, which is on this rank's device; later uses are ordered with the stream, as for kernels;
        // dropping a buffer waits for the device.
        unsafe {
            match signature.kind {
                CallKind::AllReduce(_) => {
                    nccl.all_reduce((from, to), count, (*element, reduction), stream)
                }
                CallKind::ReduceScatter(_) => {
                    nccl.reduce_scatter((from, to), count / size, (*element, reduction), stream)
                }
                CallKind::AllGather => nccl.all_gather((from, to), count, *element, stream),
                CallKind::Broadcast(root) => {
                    let memory = if sends { from } else { to };
                    nccl.broadcast(memory, count, *element, root as usize, stream)
                }
                CallKind::Message if sends => nccl.send(from, count, *element, peer, stream),
                CallKind::Message => nccl.recv(to, count, *element, peer, stream),
                _ => Ok(()),
            }
        }?;
        Ok(())
    }
}

/// Combines the elements of the ranks.
///
/// The emulator combines them in rank order, rounding to the element type after each step, so results are the same in each run and
/// on each rank. NCCL's order depends on the sizes and on how GPUs are connected: with more than two ranks its floating-point sums
/// and products may differ in the last bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Sum; integers wrap.
    Sum,
    /// Product; integers wrap.
    Prod,
    /// Minimum. If one operand is NaN, the result is the other one.
    Min,
    /// Maximum. If one operand is NaN, the result is the other one.
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

/// Element types of collectives: integers of 8, 32 and 64 bits, and floats of 16, 32 and 64 bits.
pub trait Number: Storable + bytemuck::Pod {
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
    // If the device failed, stop, so that the other ranks do not wait.
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

/// Exchanges data with the other ranks, and returns the parts of this rank's output, if it has one.
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
