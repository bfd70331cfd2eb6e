//! Collectives and messages as C calls them, and reductions that programs make.

use crate::collectives::{Factor, Work};
use crate::communicator::{Communicator, get};
use crate::element::Element;
use crate::group::{Task, submit};
use crate::reduction::Reduction;
use crate::signature::Kind;
use crate::status::{Failure, Result, Status, refuse};
use lanework_standin::{Memory, calls, store};

/// What all calls of operations have: type, communicator and stream, as C passes them.
type Common = (i32, usize, usize);

/// Adds a call to the group.
fn call(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    kind: impl FnOnce(&Communicator) -> Result<Kind>,
) -> Result {
    let task = || {
        let communicator = get(communicator)?;
        let work = Work::new(kind(&communicator)?, Element::of(element)?, count, memory);
        Ok(Task::Call(communicator, stream, work))
    };
    submit(task())
}

/// As [`call`], with a reduction by its number.
fn reduce(
    (element, communicator, stream): Common,
    count: usize,
    memory: (usize, usize),
    number: i32,
    kind: impl FnOnce(&Communicator, Reduction) -> Result<Kind>,
) -> Result {
    let task = || {
        let (communicator, element) = (get(communicator)?, Element::of(element)?);
        let built_in =
            usize::try_from(number).ok().and_then(|number| Reduction::BUILT_IN.get(number));
        let (reduction, factor) = match (built_in, communicator.factor(number)) {
            (Some(reduction), _) => (*reduction, None),
            (None, Some((of, factor))) if of == element => (Reduction::PreMulSum, Some(factor)),
            (None, Some((of, _))) => {
                return refuse(
                    Status::InvalidArgument,
                    format!(
                        "the reduction was made for {}, the call has {}",
                        of.name(),
                        element.name()
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
        let mut work = Work::new(Kind::Message, Element::of(element)?, count, (memory, memory));
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
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(Kind::AllReduce(reduction)))
    }

    fn ncclReduce(send: usize, receive: usize, count: usize, element: i32, reduction: i32, root: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |of, reduction| {
            Ok(Kind::Reduce(reduction, rank_of(of, root, "root")?))
        })
    }

    fn ncclReduceScatter(send: usize, receive: usize, count: usize, element: i32, reduction: i32, communicator: usize, stream: usize) {
        reduce((element, communicator, stream), count, (send, receive), reduction, |_, reduction| Ok(Kind::ReduceScatter(reduction)))
    }

    fn ncclBroadcast(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(Kind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclBcast(memory: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (memory, memory), |of| Ok(Kind::Broadcast(rank_of(of, root, "root")?)))
    }

    fn ncclAllGather(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(Kind::AllGather))
    }

    fn ncclAlltoAll(send: usize, receive: usize, count: usize, element: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |_| Ok(Kind::AllToAll))
    }

    fn ncclGather(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(Kind::Gather(rank_of(of, root, "root")?)))
    }

    fn ncclScatter(send: usize, receive: usize, count: usize, element: i32, root: i32, communicator: usize, stream: usize) {
        call((element, communicator, stream), count, (send, receive), |of| Ok(Kind::Scatter(rank_of(of, root, "root")?)))
    }

    fn ncclSend(send: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, send, peer, true)
    }

    fn ncclRecv(receive: usize, count: usize, element: i32, peer: i32, communicator: usize, stream: usize) {
        message((element, communicator, stream), count, receive, peer, false)
    }

    fn ncclRedOpCreatePreMulSum(reduction: *mut i32, scalar: *const u8, element: i32, residence: i32, communicator: usize) {
        let (communicator, element) = (get(communicator)?, Element::of(element)?);
        let factor = match residence {
            _ if scalar.is_null() => return refuse(Status::InvalidArgument, "the scalar's pointer is null"),
            0 => Factor::Device(Memory { at: scalar as usize, bytes: element.bytes() }),
            // SAFETY: by the caller, who says that it is on the host.
            1 => Factor::Host(unsafe { std::slice::from_raw_parts(scalar, element.bytes()) }.to_vec()),
            _ => return refuse(Status::InvalidArgument, format!("{residence} is not an ncclScalarResidence_t")),
        };
        // SAFETY: by the caller.
        unsafe { store(reduction, communicator.add_factor(element, factor)) }
    }

    fn ncclRedOpDestroy(reduction: i32, communicator: usize) {
        match get(communicator)?.remove_factor(reduction) {
            true => Ok(()),
            false => refuse(Status::InvalidArgument, format!("{reduction} is not a reduction that was made for this communicator")),
        }
    }
}
