//! This rank's links to its peers: their setup, and the conversion of their faults to NCCL's failures.
//!
//! For the setup, each rank sends a hello to the address of the unique id, and learns which process every rank is in. Ranks
//! of one process then use channels, and other pairs of ranks a socket each. Addresses are in the abstract namespace of
//! Unix sockets, so no files are left behind, and all ranks must be on one host. Any process that knows the id's random
//! number is trusted.

use crate::{Failure, Result, Status, failure, refuse};
use lanework_ranks::link::{Hello, Inbox, Link, answer, listen_to, read_answer};
use lanework_ranks::mesh::{Fault, FaultKind, LongWait, Settings, Waker};
use lanework_ranks::signature::{CallKind, Names, not_arrived, ranks, seconds};
use lanework_standin::{Plain, line};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// This rank's links to its peers.
pub type Mesh = lanework_ranks::mesh::Mesh<Failure>;

/// After this time, one message names the missing ranks.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long ranks wait for each other: 600 seconds, or `LANEWORK_NCCL_TIMEOUT`.
pub fn timeout() -> Duration {
    let told = std::env::var("LANEWORK_NCCL_TIMEOUT").ok();
    let seconds: Option<f64> = told.and_then(|text| text.trim().parse().ok());
    let seconds = seconds.filter(|seconds| (0.001..1e9).contains(seconds)).unwrap_or(600.0);
    Duration::from_secs_f64(seconds)
}

pub fn settings() -> Settings {
    // Collectives and messages are not ordered with each other.
    let lane = |kind| usize::from(kind == CallKind::Message);
    Settings { timeout: timeout(), lane, on_long_wait: Some((PATIENCE, tell)) }
}

fn tell(wait: &LongWait<'_>) {
    line(&format_args!(
        "NCCL's stand-in: rank {} waits for {} of {} in {} for {} now",
        wait.rank,
        ranks(wait.absent),
        wait.size,
        wait.own.words(Names::Nccl),
        seconds(wait.waited)
    ));
}

/// The failure of a call.
pub fn explain(mesh: &Mesh, fault: Fault) -> Failure {
    let (rank, size) = (fault.rank, fault.size);
    let call = fault.own.map(|own| own.words(Names::Nccl)).unwrap_or_default();
    let (status, why) = match fault.kind {
        FaultKind::Disagreement { from, theirs } => (
            Status::InvalidUsage,
            format!(
                "ranks disagree: rank {from} called {}, rank {rank} {call}; every rank must make the same calls in the same order, with the same counts, types and roots",
                theirs.words(Names::Nccl)
            ),
        ),
        FaultKind::Gone { from, why } => {
            (Status::Remote, format!("rank {from} left before {call} of rank {rank}: {why}"))
        }
        FaultKind::Missing { absent, waited } => (
            Status::Remote,
            format!(
                "{call}: {}, rank {rank} waited {}; every rank must make every call, those of one thread within \
                 ncclGroupStart and ncclGroupEnd; LANEWORK_NCCL_TIMEOUT (seconds) makes ranks wait longer",
                not_arrived(&absent, size),
                seconds(waited)
            ),
        ),
        FaultKind::Lengths => {
            (Status::Internal, format!("ranks sent parts of different lengths in {call}"))
        }
        FaultKind::Aborted => {
            (Status::InvalidUsage, format!("the communicator of rank {rank} was aborted"))
        }
        FaultKind::Stopped => {
            let (status, why) = match mesh.stopped() {
                Some(Failure { status, why }) => (*status, why.as_str()),
                None => (Status::Internal, "unknown"),
            };
            let why =
                format!("rank {rank} has stopped after an error: {why}; make a new communicator");
            (status, why)
        }
    };
    failure(status, why)
}

/// Stops this rank after a failure, and notifies the others.
pub fn stop(mesh: &mut Mesh, failure: Failure) -> Failure {
    mesh.stop(failure.clone(), &failure.why);
    failure
}

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

/// Joins the other ranks of an id.
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
                "rank {rank} of {size}: no process waits for the unique id ({error}): it was used for a communicator before, the process \
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
            stream.set_read_timeout(Some(HELLO_TIMEOUT)).map_err(nobody)?;
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

/// A number that identifies a GPU: the low bits are its ordinal, the high bits a hash of the visible GPUs.
fn gpu(device: i32) -> u64 {
    let mut hash: u32 = 0;
    for byte in std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default().bytes() {
        hash = hash.wrapping_mul(31).wrapping_add(byte.into());
    }
    u64::from(hash) << 32 | u64::from(device as u32)
}

/// Bytes of an `ncclUniqueId`.
pub const BYTES: usize = 128;

const MAGIC: [u8; 8] = *b"LWNCCL01";

/// `ncclUniqueId`, which all ranks of a communicator share.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UniqueId(pub [u8; BYTES]);

const _: () = assert!(
    size_of::<UniqueId>() == 128 && align_of::<UniqueId>() == 1,
    "another layout than in C"
);

// SAFETY: `repr(C)` around bytes.
unsafe impl Plain for UniqueId {}

impl UniqueId {
    /// The job's number; `None` for bytes that are not an id.
    pub fn job(&self) -> Option<u64> {
        let number = u64::from_le_bytes(std::array::from_fn(|i| self.0[8 + i]));
        self.0.starts_with(&MAGIC).then_some(number)
    }
}

/// Time limit for the hello of a new connection.
pub const HELLO_TIMEOUT: Duration = Duration::from_secs(10);

/// The rank of a hello that asks who is missing.
pub const ASKS: u64 = u64::MAX;

/// Reads the hello of a connection, which must be of this job.
pub fn read_hello(job: u64, from: &mut UnixStream) -> Option<Hello> {
    from.set_read_timeout(Some(HELLO_TIMEOUT)).ok()?;
    Hello::read(from).filter(|hello| hello.job == job)
}

/// Kinds of reply: where each rank is, why the rendezvous failed, or which ranks have arrived.
pub const WELCOME: u8 = 1;

const REFUSED: u8 = 2;

const COME: u8 = 3;

pub fn address(job: u64, rank: Option<usize>) -> std::io::Result<SocketAddr> {
    let rank = rank.map_or(String::new(), |rank| format!("-{rank}"));
    SocketAddr::from_abstract_name(format!("lanework-nccl-{job:016x}{rank}"))
}

/// A number of this process that is unique on this host.
pub fn process() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER
        .get_or_init(|| RandomState::new().build_hasher().finish() ^ u64::from(std::process::id()))
}

/// Creates a unique id. This process listens at its address until all ranks have arrived.
///
/// # Errors
/// If it cannot listen.
pub fn unique_id() -> Result<UniqueId> {
    let job = RandomState::new().build_hasher().finish();
    let bound = address(job, None).and_then(|address| UnixListener::bind_addr(&address));
    let cannot = |error: std::io::Error| {
        failure(Status::System, format!("the ranks' rendezvous cannot be opened: {error}"))
    };
    let listener = bound.map_err(cannot)?;
    let host = move || host(job, &listener);
    std::thread::Builder::new().name("nccl meeting".to_owned()).spawn(host).map_err(cannot)?;
    let mut id = UniqueId([0; BYTES]);
    id.0[..8].copy_from_slice(&MAGIC);
    id.0[8..16].copy_from_slice(&job.to_le_bytes());
    Ok(id)
}

/// Waits for all ranks of a job, and sends each the addresses of the others, or the error.
fn host(job: u64, listener: &UnixListener) {
    let mut guests: BTreeMap<u64, (Hello, UnixStream)> = BTreeMap::new();
    let mut size = None;
    while size != Some(guests.len() as u64) {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // A connection without a valid hello is not a rank.
        let Some(hello) = read_hello(job, &mut stream) else { continue };
        if hello.rank == ASKS {
            let come: Vec<u8> = guests.keys().flat_map(|rank| rank.to_le_bytes()).collect();
            // Ignores ranks that have disconnected, here and below.
            let _ = answer(&mut stream, COME, &come);
            continue;
        }
        let expected = *size.get_or_insert(hello.size);
        let wrong = if hello.size != expected {
            Some(format!(
                "rank {} has {} ranks in its call, another rank has {expected}",
                hello.rank, hello.size
            ))
        } else if guests.contains_key(&hello.rank) {
            Some(format!("two ranks are rank {} of {expected}", hello.rank))
        } else {
            let other = guests.values().find(|(other, _)| other.gpu == hello.gpu);
            other.map(|(other, _)| {
                let pair = [other.rank.min(hello.rank) as usize, other.rank.max(hello.rank) as usize];
                format!(
                    "{} use one GPU, device {}; each rank takes a GPU of its own by cudaSetDevice: `lanework exec --gpus {expected}` (or \
                     LANEWORK_GPUS) gives enough",
                    ranks(&pair),
                    hello.gpu as u32
                )
            })
        };
        if let Some(why) = wrong {
            let guests = guests.into_values().map(|(_, stream)| stream);
            for mut stream in guests.chain([stream]) {
                let _ = answer(&mut stream, REFUSED, why.as_bytes());
            }
            return;
        }
        guests.insert(hello.rank, (hello, stream));
    }
    let all: Vec<u8> = guests.values().flat_map(|(hello, _)| hello.place.to_le_bytes()).collect();
    for (_, stream) in guests.values_mut() {
        let _ = answer(stream, WELCOME, &all);
    }
}
