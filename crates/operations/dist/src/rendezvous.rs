//! Rendezvous of processes: every rank connects to rank 0 and sends a hello; rank 0 replies with the addresses of the others,
//! or with an error; then every pair of ranks connects.
//!
//! It trusts its network, as MPI and NCCL do: the job's number only keeps jobs apart.

use crate::communicator::{Mesh, settings};
use crate::environment::Place;
use lanework::{Error, Result};
use lanework_cuda::{Nccl, NcclId};
use lanework_ranks::link::{Hello, Link, answer, listen_to, put, read_answer, take};
use lanework_ranks::signature::{not_arrived, seconds};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Time limit for the hello of a new connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Replies of rank 0: the rendezvous failed, the addresses of all ranks follow, or rank 0 belongs to another job.
const REFUSED: u8 = 0;

const WELCOME: u8 = 1;

const OTHER_JOB: u8 = 2;

/// Capabilities of a rank: whether it can use NCCL, and its GPU.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    /// The reason, if it cannot use NCCL.
    pub nccl: std::result::Result<(), String>,
    /// A number that identifies the GPU on all machines.
    pub gpu: u64,
}

/// The connected ranks.
pub(crate) struct ConnectedRanks {
    pub mesh: Mesh,
    /// The ID of NCCL's communicator, or the reason why NCCL is not used.
    pub nccl: std::result::Result<NcclId, String>,
}

/// Connects to the other ranks.
///
/// # Errors
/// [`Error::Communication`] with the ranks that are missing or disagree, the same at every rank that arrived.
pub(crate) fn meet(place: &Place, offer: &Offer, timeout: Duration) -> Result<ConnectedRanks> {
    let deadline = Instant::now() + timeout;
    if place.rank == 0 {
        host(place, offer, timeout, deadline)
    } else {
        join(place, offer, timeout, deadline)
    }
}

fn host(
    place: &Place,
    offer: &Offer,
    timeout: Duration,
    deadline: Instant,
) -> Result<ConnectedRanks> {
    let target = resolve(&place.address)?;
    let listener = listen(target, timeout)?;
    let mut guests: Vec<Option<(Hello, TcpStream)>> = (0..place.size).map(|_| None).collect();
    let mut refused = Vec::new();
    let gathered = gather(&listener, place, timeout, deadline, &mut guests, &mut refused);
    if let Err(error) = gathered {
        let guests = guests.into_iter().flatten().map(|(_, stream)| stream);
        for mut stream in guests.chain(refused) {
            // Ignore ranks that have gone.
            let _ = answer(&mut stream, REFUSED, error.to_string().as_bytes());
        }
        return Err(error);
    }
    let nccl = common_engine(offer, &guests);
    let mut welcome = Vec::new();
    put(&mut welcome, nccl.as_ref().map_or(&[][..], |id| &id.0));
    put(&mut welcome, nccl.as_ref().map_or_else(|why| why.as_bytes(), |_| &[]));
    for (hello, stream) in guests.iter().flatten() {
        let ip = stream.peer_addr().map_err(lost(hello.rank as usize))?.ip();
        put(&mut welcome, SocketAddr::new(ip, hello.place as u16).to_string().as_bytes());
    }
    let mut streams = vec![];
    for (index, guest) in guests.into_iter().enumerate() {
        let Some((_, mut stream)) = guest else {
            streams.push(None);
            continue;
        };
        answer(&mut stream, WELCOME, &welcome).map_err(lost(index))?;
        streams.push(Some(stream));
    }
    Ok(ConnectedRanks { mesh: mesh(0, timeout, streams)?, nccl })
}

/// Waits for every other rank.
fn gather(
    listener: &TcpListener,
    place: &Place,
    timeout: Duration,
    deadline: Instant,
    guests: &mut [Option<(Hello, TcpStream)>],
    refused: &mut Vec<TcpStream>,
) -> Result<()> {
    let error = |error: std::io::Error| fail(format!("rank 0 cannot listen: {error}"));
    listener.set_nonblocking(true).map_err(error)?;
    loop {
        let absent = || (1..place.size).filter(|rank| guests[*rank].is_none());
        if absent().next().is_none() {
            return Ok(());
        }
        if Instant::now() > deadline {
            let absent: Vec<usize> = absent().collect();
            return Err(fail(format!(
                "{} at rank 0 ({}) within {}",
                not_arrived(&absent, place.size),
                place.address,
                seconds(timeout)
            )));
        }
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let ready =
            stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
        // A connection without a valid hello is not a rank.
        let Some(hello) = ready.ok().and_then(|()| Hello::read(&mut stream)) else { continue };
        let (rank, size) = (hello.rank as usize, hello.size as usize);
        if hello.job != place.job {
            let _ = answer(&mut stream, OTHER_JOB, &[]);
            continue;
        }
        let taken = guests.get(rank).is_some_and(Option::is_some) || rank == 0;
        let (known, wrong) = (rank < place.size, size != place.size);
        if known && !taken {
            guests[rank] = Some((hello, stream));
        } else {
            refused.push(stream);
        }
        if wrong {
            let why = format!("rank {rank} has {size} ranks in its job, rank 0 has {}", place.size);
            return Err(fail(why));
        }
        if taken || !known {
            let what = if known { "two processes are" } else { "a process is" };
            return Err(fail(format!("{what} rank {rank} of {}", place.size)));
        }
    }
}

fn join(
    place: &Place,
    offer: &Offer,
    timeout: Duration,
    deadline: Instant,
) -> Result<ConnectedRanks> {
    let Place { rank, size, .. } = *place;
    let reach = |why: String| {
        fail(format!(
            "rank {rank} did not reach rank 0 at {} within {}: {why}",
            place.address,
            seconds(timeout)
        ))
    };
    // When this rank first found another program at rank 0's port, such as an earlier job whose rank 0 has not ended yet.
    let mut trouble = None;
    let (first, listener, welcome) = loop {
        let end = trouble.map_or(deadline, |began: Instant| deadline.min(began + grace(timeout)));
        let late = Instant::now() > end;
        match resolve(&place.address).and_then(|target| knock(target, place, offer, deadline)) {
            Ok(Answer::Welcome(first, listener, bytes)) => break (first, listener, bytes),
            Ok(Answer::Refused(why)) => return Err(fail(why)),
            Ok(Answer::OtherJob) if late => {
                return Err(fail(format!("rank 0 at {} belongs to another job", place.address)));
            }
            Ok(Answer::Lost(why)) if late => return Err(reach(why)),
            Ok(Answer::OtherJob | Answer::Lost(_)) => {
                trouble.get_or_insert_with(Instant::now);
            }
            Ok(Answer::NoListener(why)) if Instant::now() > deadline => return Err(reach(why)),
            Err(error) if Instant::now() > deadline => return Err(reach(error.to_string())),
            Ok(Answer::NoListener(_)) | Err(_) => {}
        }
        std::thread::sleep(PAUSE * 10);
    };
    let port = listener.local_addr().map_err(lost(rank))?.port();
    let mut rest = &welcome[..];
    let id = take(&mut rest).ok_or_else(garbled)?;
    let why = String::from_utf8_lossy(take(&mut rest).ok_or_else(garbled)?).into_owned();
    let nccl = <[u8; 128]>::try_from(id).map(NcclId).map_err(|_| why);
    let mut streams: Vec<Option<TcpStream>> = (0..size).map(|_| None).collect();
    streams[0] = Some(first);
    for (peer, link) in streams.iter_mut().enumerate().skip(1) {
        let address = take(&mut rest).ok_or_else(garbled)?;
        if peer < rank {
            let address = String::from_utf8_lossy(address);
            let address: SocketAddr = address.parse().map_err(|_| garbled())?;
            let mut stream = TcpStream::connect_timeout(&address, timeout).map_err(lost(peer))?;
            hello(place, port, None).send(&mut stream).map_err(lost(peer))?;
            *link = Some(stream);
        }
    }
    accept_higher(&listener, place, deadline, &mut streams)?;
    Ok(ConnectedRanks { mesh: mesh(rank, timeout, streams)?, nccl })
}

/// The reply of rank 0.
enum Answer {
    /// The connection to rank 0, this rank's listener, and the addresses of all ranks.
    Welcome(TcpStream, TcpListener, Vec<u8>),
    /// The rendezvous failed for this reason.
    Refused(String),
    /// Rank 0 of another job.
    OtherJob,
    /// The connection ended without a reply.
    Lost(String),
    /// No process listens yet.
    NoListener(String),
}

/// The hello of this rank, which listens at a port.
fn hello(place: &Place, port: u16, offer: Option<&Offer>) -> Hello {
    let (rank, size) = (place.rank as u64, place.size as u64);
    let nccl = offer.is_some_and(|offer| offer.nccl.is_ok());
    let gpu = offer.map_or(0, |offer| offer.gpu);
    Hello { job: place.job, rank, size, gpu, place: port.into(), nccl }
}

/// Sends the hello to rank 0.
fn knock(target: SocketAddr, place: &Place, offer: &Offer, deadline: Instant) -> Result<Answer> {
    let rank = place.rank;
    let mut stream = match TcpStream::connect_timeout(&target, PATIENCE) {
        Ok(stream) => stream,
        Err(error) => return Ok(Answer::NoListener(error.to_string())),
    };
    let own = stream.local_addr().map_err(lost(0))?;
    // At an ephemeral port without a listener, a connection may connect to itself.
    if own == target {
        return Ok(Answer::NoListener("no process listens".to_owned()));
    }
    let listener = TcpListener::bind(SocketAddr::new(anyone(own.ip()), 0))
        .map_err(|error| fail(format!("rank {rank} cannot listen: {error}")))?;
    let port = listener.local_addr().map_err(lost(rank))?.port();
    // Rank 0 decides which ranks are missing, so wait longer than it does.
    let wait = deadline.saturating_duration_since(Instant::now()) + PATIENCE;
    let asked = hello(place, port, Some(offer)).send(&mut stream);
    let asked = asked.and_then(|()| stream.set_read_timeout(Some(wait)));
    Ok(match asked.and_then(|()| read_answer(&mut stream)) {
        Ok((WELCOME, bytes)) => Answer::Welcome(stream, listener, bytes),
        Ok((OTHER_JOB, _)) => Answer::OtherJob,
        Ok((_, bytes)) => {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Answer::Refused(text.lines().next().unwrap_or_default().to_owned())
        }
        Err(error) => Answer::Lost(error.to_string()),
    })
}

/// Waits for the connections of higher ranks.
fn accept_higher(
    listener: &TcpListener,
    place: &Place,
    deadline: Instant,
    streams: &mut [Option<TcpStream>],
) -> Result<()> {
    listener.set_nonblocking(true).map_err(lost(place.rank))?;
    while let Some(peer) = (place.rank + 1..place.size).find(|peer| streams[*peer].is_none()) {
        if Instant::now() > deadline + PATIENCE {
            return Err(fail(format!("rank {peer} did not connect to rank {}", place.rank)));
        }
        let Ok((mut stream, _)) = listener.accept() else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let ready =
            stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(PATIENCE)));
        let hello = ready.ok().and_then(|()| Hello::read(&mut stream));
        let hello = hello.filter(|hello| hello.job == place.job);
        let from = hello.map(|hello| hello.rank as usize).filter(|rank| *rank > place.rank);
        if let Some(slot) = from.and_then(|rank| streams.get_mut(rank)) {
            *slot = Some(stream);
        }
    }
    Ok(())
}

/// The engine of all ranks: NCCL if every rank supports it and has its own GPU.
fn common_engine(
    offer: &Offer,
    guests: &[Option<(Hello, TcpStream)>],
) -> std::result::Result<NcclId, String> {
    offer.nccl.clone().map_err(|why| format!("rank 0: {why}"))?;
    let mut known = vec![(0, offer.gpu)];
    for (hello, _) in guests.iter().flatten() {
        if !hello.nccl {
            return Err(format!("rank {} has no NCCL or no GPU", hello.rank));
        }
        if let Some((other, _)) = known.iter().find(|(_, gpu)| *gpu == hello.gpu) {
            return Err(format!("ranks {other} and {} use one GPU", hello.rank));
        }
        known.push((hello.rank as usize, hello.gpu));
    }
    Nccl::unique_id().map_err(|error| error.to_string())
}

fn mesh(rank: usize, timeout: Duration, streams: Vec<Option<TcpStream>>) -> Result<Mesh> {
    let (sender, inbox) = channel();
    let mut links = Vec::new();
    for (peer, stream) in streams.into_iter().enumerate() {
        let link = stream.map(|stream| {
            stream.set_read_timeout(None)?;
            stream.set_write_timeout(Some(timeout))?;
            stream.set_nodelay(true)?;
            listen_to(peer, stream.try_clone()?, sender.clone())?;
            Ok(Link::Process(Box::new(stream)))
        });
        links.push(Ok(link.transpose().map_err(lost(peer))?));
    }
    Ok(Mesh::new(rank, settings(timeout), links, sender, inbox).0)
}

/// Polling interval for connections and free ports.
const PAUSE: Duration = Duration::from_millis(2);

/// Listens for the other ranks. Retries for a while if another job or program uses the port.
fn listen(target: SocketAddr, timeout: Duration) -> Result<TcpListener> {
    let here = SocketAddr::new(anyone(target.ip()), target.port());
    let end = Instant::now() + grace(timeout);
    loop {
        match TcpListener::bind(here) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < end => {
                std::thread::sleep(PAUSE * 10);
            }
            Err(error) => {
                let port = target.port();
                return Err(fail(format!("rank 0 cannot listen at port {port}: {error}")));
            }
        }
    }
}

/// How long another program may keep a port: a fraction of the time that ranks wait for each other.
fn grace(timeout: Duration) -> Duration {
    timeout / 4
}

/// Resolves a host and a port, to IPv4 if possible.
fn resolve(address: &str) -> Result<SocketAddr> {
    let found = address.to_socket_addrs().map_err(|error| fail(format!("{address}: {error}")))?;
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(|address| !address.is_ipv4());
    found.first().copied().ok_or_else(|| fail(format!("{address} is not an address")))
}

/// The address at which to listen so that `ip` reaches this process: loopback if that suffices.
fn anyone(ip: IpAddr) -> IpAddr {
    if ip.is_loopback() {
        ip
    } else if ip.is_ipv4() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED)
    } else {
        IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED)
    }
}

/// The error of a lost connection.
fn lost(rank: usize) -> impl Fn(std::io::Error) -> Error {
    move |error| fail(format!("the connection to rank {rank} failed: {error}"))
}

/// The error of an invalid reply.
fn garbled() -> Error {
    fail("rank 0 sent an invalid reply".to_owned())
}

/// The error of a rendezvous.
fn fail(why: String) -> Error {
    let help = "start every rank with the same number of ranks and the same address of rank 0; LANEWORK_ADDRESS=host:port chooses it, \
                LANEWORK_DIST_TIMEOUT (seconds) how long to wait";
    Error::Communication { why, help: help.to_owned() }
}
