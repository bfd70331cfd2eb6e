//! Calls on a communicator: operation, memory and stream; and groups of calls that start together.

use crate::communicator::{Communicator, Engine};
use crate::element;
use crate::element::Work;
use crate::mesh::stop;
use lanework::{Error, Result, Stream, View, ViewMut};
use lanework_cuda::{CudaError, Nccl, NcclReduction};
use lanework_ranks::link::Part;
use lanework_ranks::signature::{CallKind, Signature};

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
        // Prefers the error of a rank that caused it to one that another rank reported.
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
        element::run(&mut rank.mesh(), &mut call.work)?;
    }
    Ok(())
}

fn with_library(calls: &[Call<'_>]) -> Result<()> {
    // Every rank of this process announces its calls before one of them waits for announcements.
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
    /// Announces the call to the ranks that take part, and expects the same of them.
    pub(crate) fn announce(&self) -> Result<()> {
        let (mut mesh, own) = (self.communicator.mesh(), self.work.signature);
        let mesh = &mut *mesh;
        let receipt = Signature { kind: CallKind::Receipt, ..own };
        // The peer, the call that is expected of it, and the call that it gets.
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
