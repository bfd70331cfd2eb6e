//! How ranks find each other: the process that makes a unique id listens at an address that follows from it; each rank says who it is, and
//! when all have come each is told which process every rank is in. Ranks of one process then use channels, others a socket for each two.
//!
//! Addresses are in the abstract namespace of Unix sockets, so nothing is left behind, and all ranks are on one host. Who knows the
//! id's random number is trusted.

use crate::link::{Inbox, Link, listen_to};
use crate::mesh::{Mesh, Waker};
use crate::status::{Result, Status, failure, refuse};
use crate::words::{not_come, ranks, seconds, timeout};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{ErrorKind, Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Bytes of an `ncclUniqueId`.
pub const BYTES: usize = 128;
const MAGIC: [u8; 8] = *b"LWNCCL01";

/// `ncclUniqueId`: what all ranks of a communicator are given.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UniqueId(pub [u8; BYTES]);

/// Time for a connection to say who it is.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(1);

/// What a rank says to the process that made the id; of one that asks who is missing, `rank` is [`ASKS`].
#[derive(Clone, Copy)]
struct Hello {
    rank: u64,
    size: u64,
    process: u64,
    gpu: u64,
}

const ASKS: u64 = u64::MAX;

impl Hello {
    fn send(self, job: u64, to: &mut UnixStream) -> std::io::Result<()> {
        let words = [job, self.rank, self.size, self.process, self.gpu].map(u64::to_le_bytes);
        to.write_all(words.as_flattened())
    }

    /// What a connection of this job says.
    fn read(job: u64, from: &mut UnixStream) -> Option<Hello> {
        let mut words = [[0; 8]; 5];
        from.set_read_timeout(Some(PATIENCE)).ok()?;
        from.read_exact(words.as_flattened_mut()).ok()?;
        let [of, rank, size, process, gpu] = words.map(u64::from_le_bytes);
        (of == job).then_some(Hello { rank, size, process, gpu })
    }
}

/// What is answered: where each rank is, or why nobody meets, or who has come.
const WELCOME: u8 = 1;
const REFUSED: u8 = 2;
const COME: u8 = 3;

fn answer(to: &mut UnixStream, kind: u8, bytes: &[u8]) {
    let mut frame = vec![kind];
    frame.extend((bytes.len() as u32).to_le_bytes());
    frame.extend(bytes);
    // Who has gone meanwhile need not be told.
    let _ = to.write_all(&frame);
}

fn read_answer(from: &mut UnixStream) -> std::io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    from.read_exact(&mut head)?;
    let length = u32::from_le_bytes(std::array::from_fn(|i| head[1 + i]));
    let mut bytes = Vec::new();
    from.take(length.into()).read_to_end(&mut bytes)?;
    Ok((head[0], bytes))
}

fn address(job: u64, rank: Option<usize>) -> std::io::Result<SocketAddr> {
    let rank = rank.map_or(String::new(), |rank| format!("-{rank}"));
    SocketAddr::from_abstract_name(format!("lanework-nccl-{job:016x}{rank}"))
}

/// A number for this process that no other on this host has.
fn process() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER
        .get_or_init(|| RandomState::new().build_hasher().finish() ^ u64::from(std::process::id()))
}

/// Makes a unique id, at whose address this process listens until all ranks have come.
///
/// # Errors
/// When it cannot listen.
pub fn unique_id() -> Result<UniqueId> {
    let job = RandomState::new().build_hasher().finish();
    let bound = address(job, None).and_then(|address| UnixListener::bind_addr(&address));
    let cannot = |error: std::io::Error| {
        failure(Status::System, format!("the ranks' meeting cannot be opened: {error}"))
    };
    let listener = bound.map_err(cannot)?;
    let host = move || host(job, &listener);
    std::thread::Builder::new().name("nccl meeting".to_owned()).spawn(host).map_err(cannot)?;
    let mut id = UniqueId([0; BYTES]);
    id.0[..8].copy_from_slice(&MAGIC);
    id.0[8..16].copy_from_slice(&job.to_le_bytes());
    Ok(id)
}

/// Waits for all ranks of a job and tells each where the others are, or what is wrong.
fn host(job: u64, listener: &UnixListener) {
    let mut guests: BTreeMap<u64, (Hello, UnixStream)> = BTreeMap::new();
    let mut size = None;
    while size != Some(guests.len() as u64) {
        let Ok((mut stream, _)) = listener.accept() else { return };
        // Who says nothing, or something else, is no rank.
        let Some(hello) = Hello::read(job, &mut stream) else { continue };
        if hello.rank == ASKS {
            let come: Vec<u8> = guests.keys().flat_map(|rank| rank.to_le_bytes()).collect();
            answer(&mut stream, COME, &come);
            continue;
        }
        let expected = *size.get_or_insert(hello.size);
        let wrong = if hello.size != expected {
            Some(format!(
                "rank {} says that there are {} ranks, another rank says {expected}",
                hello.rank, hello.size
            ))
        } else if guests.contains_key(&hello.rank) {
            Some(format!("two ranks say that they are rank {} of {expected}", hello.rank))
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
            guests
                .chain([stream])
                .for_each(|mut stream| answer(&mut stream, REFUSED, why.as_bytes()));
            return;
        }
        guests.insert(hello.rank, (hello, stream));
    }
    let all: Vec<u8> = guests.values().flat_map(|(hello, _)| hello.process.to_le_bytes()).collect();
    for (_, stream) in guests.values_mut() {
        answer(stream, WELCOME, &all);
    }
}

/// The inboxes of this process's ranks, by job and rank.
static HERE: Mutex<Option<HashMap<(u64, usize), Inbox>>> = Mutex::new(None);

fn here<T>(use_it: impl FnOnce(&mut HashMap<(u64, usize), Inbox>) -> T) -> T {
    let mut here = HERE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    use_it(here.get_or_insert_default())
}

/// A rank of a job that others of its process find, until this ends.
pub struct Presence((u64, usize));

impl Drop for Presence {
    fn drop(&mut self) {
        here(|here| here.remove(&self.0));
    }
}

/// Meets the other ranks of an id.
///
/// # Errors
/// When the id is of nobody, ranks are missing, or do not agree.
pub fn join(
    id: &UniqueId,
    rank: usize,
    size: usize,
    device: i32,
) -> Result<(Mesh, Waker, Presence)> {
    let (magic, job) = (&id.0[..8], u64::from_le_bytes(std::array::from_fn(|i| id.0[8 + i])));
    if magic != MAGIC {
        return refuse(
            Status::InvalidArgument,
            "the unique id was not made by ncclGetUniqueId of this library; one rank makes it, and every rank gets a copy of its 128 bytes",
        );
    }
    let system = |error: std::io::Error| {
        failure(Status::System, format!("rank {rank} cannot reach the others: {error}"))
    };
    let listener = address(job, Some(rank)).and_then(|address| UnixListener::bind_addr(&address));
    let listener = listener.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => failure(
            Status::InvalidUsage,
            format!("two ranks say that they are rank {rank} of {size}"),
        ),
        _ => system(error),
    })?;
    let (inbox, receiver) = channel();
    here(|here| here.insert((job, rank), inbox.clone()));
    let presence = Presence((job, rank));
    let processes = meet(job, rank, size, device)?;
    let mut links = Vec::new();
    for (peer, of) in processes.iter().enumerate() {
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
            let hello = Hello { rank: rank as u64, size: size as u64, process: process(), gpu: 0 };
            hello.send(job, &mut stream).map_err(system)?;
            Ok(Some(Link::Process(stream)))
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
        let from = Hello::read(job, &mut stream).map(|hello| hello.rank as usize);
        if let Some(place) = awaited.iter().position(|peer| Some(*peer) == from) {
            links[awaited.swap_remove(place)] = Ok(Some(Link::Process(stream)));
        }
    }
    for (peer, link) in links.iter().enumerate() {
        if let Ok(Some(Link::Process(stream))) = link {
            stream.set_read_timeout(None).map_err(system)?;
            listen_to(peer, stream.try_clone().map_err(system)?, inbox.clone()).map_err(system)?;
        }
    }
    let (mesh, waker) = Mesh::new(rank, links, inbox, receiver);
    Ok((mesh, waker, presence))
}

/// Says who this is at the address of the id, and learns in which process each rank is.
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
    let hello =
        Hello { rank: rank as u64, size: size as u64, process: process(), gpu: gpu(device) };
    hello.send(job, &mut stream).map_err(nobody)?;
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
            asking.send(job, &mut stream).map_err(nobody)?;
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
                    not_come(&absent, size),
                    seconds(limit)
                ),
            )
        }
        Err(error) => Err(nobody(error)),
    }
}

/// A number for a GPU: its ordinal, and above it which GPUs this process is told to see.
fn gpu(device: i32) -> u64 {
    let mut hash: u32 = 0;
    for byte in std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default().bytes() {
        hash = hash.wrapping_mul(31).wrapping_add(byte.into());
    }
    u64::from(hash) << 32 | u64::from(device as u32)
}
