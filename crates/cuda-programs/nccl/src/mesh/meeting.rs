//! Rendezvous of ranks: each sends a hello to the address of the unique id, and learns the process of every rank. Ranks of one process then
//! use channels, others a socket for each pair.

use crate::mesh::invitation::{ASKS, PATIENCE, UniqueId, WELCOME, address, process, read_hello};
use crate::mesh::{Mesh, settings, timeout};
use crate::status::{Result, Status, failure, refuse};
use lanework_ranks::greeting::{Hello, read_answer};
use lanework_ranks::link::{Inbox, Link, listen_to};
use lanework_ranks::mesh::Waker;
use lanework_ranks::words::{not_arrived, seconds};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Interval between connection attempts.
const PAUSE: Duration = Duration::from_millis(1);

/// The inboxes of this process's ranks, by job and rank.
static HERE: Mutex<Option<HashMap<(u64, usize), Inbox>>> = Mutex::new(None);

fn here<T>(use_it: impl FnOnce(&mut HashMap<(u64, usize), Inbox>) -> T) -> T {
    let mut here = HERE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    use_it(here.get_or_insert_default())
}

/// Registers a rank of a job for the others of its process, until dropped.
pub struct Presence((u64, usize));

impl Drop for Presence {
    fn drop(&mut self) {
        here(|here| here.remove(&self.0));
    }
}

/// Meets the other ranks of an id.
///
/// # Errors
/// If the id is invalid, ranks are missing, or ranks do not agree.
pub fn join(
    id: &UniqueId,
    rank: usize,
    size: usize,
    device: i32,
) -> Result<(Mesh, Waker, Presence)> {
    let Some(job) = id.job() else {
        return refuse(
            Status::InvalidArgument,
            "the unique id is not from ncclGetUniqueId of this library; one rank gets it and copies its 128 bytes to every rank",
        );
    };
    let system = |error: std::io::Error| {
        failure(Status::System, format!("rank {rank} cannot reach the others: {error}"))
    };
    let listener = address(job, Some(rank)).and_then(|address| UnixListener::bind_addr(&address));
    let listener = listener.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => {
            failure(Status::InvalidUsage, format!("two ranks are rank {rank} of {size}"))
        }
        _ => system(error),
    })?;
    let (inbox, receiver) = channel();
    here(|here| here.insert((job, rank), inbox.clone()));
    let presence = Presence((job, rank));
    let processes = meet(job, rank, size, device)?;
    let mut streams: Vec<Option<UnixStream>> = Vec::new();
    let mut links = Vec::new();
    for (peer, of) in processes.iter().enumerate() {
        streams.push(None);
        links.push(if peer == rank {
            Ok(None)
        } else if *of == process() {
            let found = here(|here| here.get(&(job, peer)).cloned());
            found
                .map(|inbox| Some(Link::Local(inbox)))
                .ok_or("its communicator was destroyed".to_owned())
        } else if peer < rank {
            let mut stream = address(job, Some(peer))
                .and_then(|address| UnixStream::connect_addr(&address))
                .map_err(system)?;
            hello(job, rank, size, 0).send(&mut stream).map_err(system)?;
            streams[peer] = Some(stream);
            Ok(None)
        } else {
            Ok(None)
        });
    }
    listener.set_nonblocking(true).map_err(system)?;
    let deadline = Instant::now() + timeout();
    let mut awaited: Vec<usize> =
        (rank + 1..size).filter(|peer| processes[*peer] != process()).collect();
    while let Some(peer) = awaited.first() {
        if Instant::now() > deadline {
            return refuse(Status::Remote, format!("rank {peer} did not connect to rank {rank}"));
        }
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        stream.set_nonblocking(false).map_err(system)?;
        let from = read_hello(job, &mut stream).map(|hello| hello.rank as usize);
        if let Some(place) = awaited.iter().position(|peer| Some(*peer) == from) {
            streams[awaited.swap_remove(place)] = Some(stream);
        }
    }
    for (peer, stream) in streams.into_iter().enumerate() {
        if let Some(stream) = stream {
            stream.set_read_timeout(None).map_err(system)?;
            listen_to(peer, stream.try_clone().map_err(system)?, inbox.clone()).map_err(system)?;
            links[peer] = Ok(Some(Link::Process(Box::new(stream))));
        }
    }
    let (mesh, waker) = Mesh::new(rank, settings(), links, inbox, receiver);
    Ok((mesh, waker, presence))
}

fn hello(job: u64, rank: usize, size: usize, gpu: u64) -> Hello {
    let (rank, size) = (rank as u64, size as u64);
    Hello { job, rank, size, gpu, place: process(), nccl: false }
}

/// Sends the hello to the id's address, and returns the process of each rank.
fn meet(job: u64, rank: usize, size: usize, device: i32) -> Result<Vec<u64>> {
    let nobody = |error: std::io::Error| {
        failure(
            Status::Remote,
            format!(
                "rank {rank} of {size}: nobody listens for the unique id ({error}): it was used for a communicator before, the process \
                     that called ncclGetUniqueId has ended, or it is on another host or in another container"
            ),
        )
    };
    let connect = || address(job, None).and_then(|address| UnixStream::connect_addr(&address));
    let mut stream = connect().map_err(nobody)?;
    let hello = hello(job, rank, size, gpu(device));
    hello.send(&mut stream).map_err(nobody)?;
    let limit = timeout();
    stream.set_read_timeout(Some(limit)).map_err(nobody)?;
    match read_answer(&mut stream) {
        Ok((WELCOME, bytes)) if bytes.len() == 8 * size => Ok(bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(std::array::from_fn(|i| word[i])))
            .collect()),
        Ok((_, bytes)) => {
            refuse(Status::InvalidUsage, String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            let mut stream = connect().map_err(nobody)?;
            let asking = Hello { rank: ASKS, ..hello };
            asking.send(&mut stream).map_err(nobody)?;
            stream.set_read_timeout(Some(PATIENCE)).map_err(nobody)?;
            let (_, come) = read_answer(&mut stream).map_err(nobody)?;
            let come: Vec<u64> = come
                .chunks_exact(8)
                .map(|word| u64::from_le_bytes(std::array::from_fn(|i| word[i])))
                .collect();
            let absent: Vec<usize> =
                (0..size).filter(|rank| !come.contains(&(*rank as u64))).collect();
            refuse(
                Status::Remote,
                format!(
                    "{} to make the communicator, rank {rank} waited {}; every rank calls ncclCommInitRank, those of one \
                     thread within ncclGroupStart and ncclGroupEnd; LANEWORK_NCCL_TIMEOUT (seconds) makes ranks wait longer",
                    not_arrived(&absent, size),
                    seconds(limit)
                ),
            )
        }
        Err(error) => Err(nobody(error)),
    }
}

/// A number for a GPU: its ordinal, with a hash of the visible GPUs above it.
fn gpu(device: i32) -> u64 {
    let mut hash: u32 = 0;
    for byte in std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default().bytes() {
        hash = hash.wrapping_mul(31).wrapping_add(byte.into());
    }
    u64::from(hash) << 32 | u64::from(device as u32)
}
