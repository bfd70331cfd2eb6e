//! Host side of a rendezvous: the process that makes a unique id listens at an address derived from it, receives a hello from each rank,
//! and replies when all have come.
//!
//! Addresses are in the abstract namespace of Unix sockets, so nothing is left behind, and all ranks are on one host. Any process that
//! knows the id's random number is trusted.

use crate::status::{Result, Status, failure};
use lanework_ranks::greeting::{Hello, answer};
use lanework_ranks::words::ranks;
use lanework_standin::Plain;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::OnceLock;
use std::time::Duration;

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
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The rank of a hello that asks who is missing.
pub const ASKS: u64 = u64::MAX;

/// Reads the hello of a connection, which must be of this job.
pub fn read_hello(job: u64, from: &mut UnixStream) -> Option<Hello> {
    from.set_read_timeout(Some(PATIENCE)).ok()?;
    Hello::read(from).filter(|hello| hello.job == job)
}

/// Replies: where each rank is, why the rendezvous failed, or who has come.
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

/// Makes a unique id; this process listens at its address until all ranks have come.
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
            // Ignores ranks that have gone, here and below.
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
