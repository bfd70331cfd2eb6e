//! Addresses and ports of listening ranks, and network errors.

use lanework::{Error, Result};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs};
use std::time::{Duration, Instant};

/// Polling interval for connections and free ports.
pub(super) const PAUSE: Duration = Duration::from_millis(2);

/// Listens for the other ranks. Another job or program may use the port for a while.
pub(super) fn listen(target: SocketAddr, timeout: Duration) -> Result<TcpListener> {
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

/// The time that others may use a port: a fraction of the time that ranks wait for each other.
pub(super) fn grace(timeout: Duration) -> Duration {
    timeout / 4
}

/// Resolves a host and a port, to IPv4 if possible.
pub(super) fn resolve(address: &str) -> Result<SocketAddr> {
    let found = address.to_socket_addrs().map_err(|error| fail(format!("{address}: {error}")))?;
    let mut found: Vec<SocketAddr> = found.collect();
    found.sort_by_key(|address| !address.is_ipv4());
    found.first().copied().ok_or_else(|| fail(format!("{address} is not an address")))
}

/// The address to listen at so that `ip` reaches this process: loopback only if that is enough.
pub(super) fn anyone(ip: IpAddr) -> IpAddr {
    if ip.is_loopback() {
        ip
    } else if ip.is_ipv4() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED)
    } else {
        IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED)
    }
}

/// The error of a lost connection.
pub(super) fn lost(rank: usize) -> impl Fn(std::io::Error) -> Error {
    move |error| fail(format!("the connection to rank {rank} failed: {error}"))
}

/// The error of an invalid reply.
pub(super) fn garbled() -> Error {
    fail("rank 0 sent an invalid reply".to_owned())
}

/// The error of a rendezvous.
pub(super) fn fail(why: String) -> Error {
    let help = "start every rank with the same number of ranks and the same address of rank 0; LANEWORK_ADDRESS=host:port chooses it, \
                LANEWORK_DIST_TIMEOUT (seconds) how long to wait";
    Error::Communication { why, help: help.to_owned() }
}
