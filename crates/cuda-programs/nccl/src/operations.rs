//! C functions for collectives, messages and user-defined reductions.

use crate::collectives::{Factor, Work};
use crate::communicator::{Communicator, get};
use crate::group::{Task, submit};
use crate::reduction::{BUILT_IN, element as element_of, name};
use crate::status::{Failure, Result, Status, refuse};
use lanework_ranks::signature::{CallKind, Reduction};
use lanework_standin::{In, Memory, Out, calls, store};

/// The common arguments: type, communicator and stream, as C passes them.
type Common = (i32, usize, usize);

/// Adds a collective to the group.
fn call(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    kind: impl FnOnce(&Communicator) -> Result<CallKind>,
) -> Result {
    let task = || {
        let communicator = get(communicator)?;
        let work = Work::new(kind(&communicator)?, element_of(element)?, count, memory);
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

/// As [`call`], with a reduction given by its number.
fn reduce(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    number: i32,
    kind: impl FnOnce(&Communicator, Reduction) -> Result<CallKind>,
) -> Result {
    let task = || {
        let (communicator, element) = (get(communicator)?, element_of(element)?);
        let built_in = usize::try_from(number).ok().and_then(|number| BUILT_IN.get(number));
        let (reduction, factor) = match (built_in, communicator.factor(number)) {
            (Some(reduction), _) => (*reduction, None),
            (None, Some((of, factor))) if of == element => (Reduction::PreMulSum, Some(factor)),
            (None, Some((of, _))) => {
                return refuse(
                    Status::InvalidArgument,
                    format!(
                        "the reduction was created for {}, the call has {}",
                        name(of),
                        name(element)
                    ),
                );
            }
            (None, None) => {
                return refuse(
                    Status::InvalidArgument,
                    format!("{number} is not an ncclRedOp_t of this communicator"),
                );
            }
        };
        let mut work = Work::new(kind(&communicator, reduction)?, element, count, memory);
        work.factor = factor;
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

/// Adds a message to the group.
fn message(
    (element, communicator, stream): Common,
    count: usize,
    memory: usize,
    peer: i32,
    sends: bool,
) -> Result {
    let task = || {
        let communicator = get(communicator)?;
        let peer = rank_of(&communicator, peer, "peer")?;
        let mut work = Work::new(CallKind::Message, element_of(element)?, count, (memory, memory));
        work.message = Some((peer as usize, sends));
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

fn rank_of(communicator: &Communicator, rank: i32, what: &str) -> Result<u32> {
    match u32::try_from(rank) {
        Ok(rank) if (rank as usize) < communicator.size => Ok(rank),
        _ => refuse(
            Status::InvalidArgument,
            format!("the {what} is rank {rank}, and there are {} ranks", communicator.size),
        ),
    }
}

calls! {
    "NCCL", Failure;

    fn ncclAllReduce(send: usize, receive: usize, count: usize, element: i32, reduction: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(CallKind::AllReduce(reduction)))
    }

    fn ncclReduce(send: usize, receive: usize, count: usize, element: i32, reduction: i32, root: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |of, reduction| {
            Ok(CallKind::Reduce(reduction, rank_of(of, root, "root")?))
        })
    }

    fn ncclReduceScatter(send: usize, receive: usize, count: usize, element: i32, reduction: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(CallKind::ReduceScatter(reduction)))
    }

    fn ncclBroadcast(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclBcast(memory: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (memory, memory), |of| Ok(CallKind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclAllGather(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(CallKind::AllGather))
    }

    fn ncclAlltoAll(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(CallKind::AllToAll))
    }

    fn ncclGather(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Gather(rank_of(of, root, "root")?)))
    }

    fn ncclScatter(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(CallKind::Scatter(rank_of(of, root, "root")?)))
    }

    fn ncclSend(send: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, send, peer, true)
    }

    fn ncclRecv(receive: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, receive, peer, false)
    }

    fn ncclRedOpCreatePreMulSum(reduction: Out<'_, i32>, scalar: In<'_, u8>, element: i32, residence: i32, communicator: usize) {
        let (communicator, element) = (get(communicator)?, element_of(element)?);
        let factor = match residence {
            _ if scalar.is_null() => return refuse(Status::InvalidArgument, "the scalar's pointer is null"),
            0 => Factor::Device(Memory { at: scalar.address(), bytes: element.bytes() }),
            // SAFETY: `residence` is 1, so the scalar is on the host, and by NCCL's documentation it has the type
            // `element`.
            1 => Factor::Host(unsafe { scalar.bytes(element.bytes()) }.to_vec()),
            _ => return refuse(Status::InvalidArgument, format!("{residence} is not an ncclScalarResidence_t")),
        };
        store(reduction, communicator.add_factor(element, factor))
    }

    fn ncclRedOpDestroy(reduction: i32, communicator: usize) {
        match get(communicator)?.remove_factor(reduction) {
            true => Ok(()),
            false => refuse(Status::InvalidArgument, format!("{reduction} is not a user-defined reduction of this communicator")),
        }
    }
}
