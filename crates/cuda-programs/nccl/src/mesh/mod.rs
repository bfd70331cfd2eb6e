//! One rank among its peers: sends messages to each, in order, and receives into one inbox. A message carries its call, which the receiver
//! compares with its own call. So ranks that disagree get an error, and a waiting rank can name the missing ones.

pub(crate) mod invitation;
pub(crate) mod link;
pub(crate) mod meeting;
pub(crate) mod signature;
pub(crate) mod words;

use crate::mesh::link::{Inbox, Link, Message, Part};
use crate::mesh::signature::{CallKind, Signature};
use crate::mesh::words::{not_come, ranks, seconds, timeout};
use crate::status::{Failure, Result, Status, failure, refuse};
use lanework_standin::line;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// After this time, a message names the ranks that are missing, once.
const PATIENCE: Duration = Duration::from_secs(30);

/// This rank's view of one peer.
struct Peer {
    /// `None` for this rank itself.
    link: Option<Link>,
    /// Messages that no call has taken yet: of collectives, and of messages.
    arrived: [VecDeque<(Signature, Part)>; 2],
    /// Why it left, if it has.
    left: Option<String>,
    /// Messages to and from it so far.
    sent: u64,
    received: u64,
}

/// This rank's links.
pub struct Mesh {
    pub rank: usize,
    peers: Vec<Peer>,
    inbox: Receiver<(usize, Message)>,
    collectives: u64,
    /// Set by another thread that ends the communicator.
    aborted: Arc<AtomicBool>,
    /// Why this rank has stopped, after an error reported to the others.
    stopped: Option<Failure>,
    has_left: bool,
}

/// Ends a rank's waiting from another thread.
pub struct Waker {
    rank: usize,
    inbox: Inbox,
    aborted: Arc<AtomicBool>,
}

impl Waker {
    pub fn abort(&self) {
        self.aborted.store(true, Ordering::Release);
        // If the inbox is gone, no thread waits.
        let _ = self.inbox.send((self.rank, Message::Wake));
    }
}

fn lane(own: &Signature) -> usize {
    usize::from(own.kind == CallKind::Message)
}

impl Mesh {
    /// All ranks of one process.
    pub fn local(size: usize) -> Vec<(Mesh, Waker)> {
        let (inboxes, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        let of = |(rank, receiver)| {
            let links = inboxes.iter().enumerate();
            let links = links.map(|(peer, inbox): (usize, &Inbox)| {
                if peer == rank { Ok(None) } else { Ok(Some(Link::Local(inbox.clone()))) }
            });
            Mesh::new(rank, links.collect(), inboxes[rank].clone(), receiver)
        };
        receivers.into_iter().enumerate().map(of).collect()
    }

    /// A rank with these links, or for each peer that is gone the reason. Receivers put messages into `inbox`.
    pub fn new(
        rank: usize,
        links: Vec<std::result::Result<Option<Link>, String>>,
        inbox: Inbox,
        receiver: Receiver<(usize, Message)>,
    ) -> (Mesh, Waker) {
        let peers = links.into_iter().map(|link| {
            let (link, left) = match link {
                Ok(link) => (link, None),
                Err(why) => (None, Some(why)),
            };
            Peer { link, arrived: Default::default(), left, sent: 0, received: 0 }
        });
        let aborted = Arc::new(AtomicBool::new(false));
        let waker = Waker { rank, inbox, aborted: Arc::clone(&aborted) };
        let peers = peers.collect();
        let mesh = Mesh {
            rank,
            peers,
            inbox: receiver,
            collectives: 0,
            aborted,
            stopped: None,
            has_left: false,
        };
        (mesh, waker)
    }

    pub fn size(&self) -> usize {
        self.peers.len()
    }

    /// The sequence number of a call: among collectives, or among messages to or from a peer.
    pub fn next(&mut self, message: Option<(usize, bool)>) -> u64 {
        let counter = match message {
            None => &mut self.collectives,
            Some((peer, true)) => &mut self.peers[peer].sent,
            Some((peer, false)) => &mut self.peers[peer].received,
        };
        *counter += 1;
        *counter - 1
    }

    /// Sends a peer this rank's call with its data. A peer that is gone is noticed by the rank that waits for it.
    ///
    /// # Errors
    /// If this rank has stopped.
    pub fn post(&mut self, to: usize, own: Signature, part: Part) -> Result {
        self.alive()?;
        let rank = self.rank;
        let peer = &mut self.peers[to];
        if to == rank {
            peer.arrived[lane(&own)].push_back((own, part));
        } else if let Some(link) = &mut peer.link
            && link.post(rank, own, part).is_err()
        {
            // Messages that the peer sent before it left come first.
            self.drain();
            self.peers[to]
                .left
                .get_or_insert_with(|| "its process or communicator ended".to_owned());
        }
        Ok(())
    }

    /// The data that `from` sends for this call; waits for its message.
    ///
    /// # Errors
    /// If it called something else, is gone, or has not come in time: then names all ranks of `awaited` that have not come.
    pub fn take(&mut self, from: usize, own: &Signature, awaited: &[usize]) -> Result<Part> {
        let (begun, limit) = (Instant::now(), timeout());
        let mut said = false;
        loop {
            self.alive()?;
            if let Some((theirs, part)) = self.peers[from].arrived[lane(own)].pop_front() {
                if theirs == *own {
                    return Ok(part);
                }
                return refuse(
                    Status::InvalidUsage,
                    format!(
                        "ranks disagree: rank {from} called {}, rank {} {}; every rank must make the same calls in the same order, with the same counts, types and roots",
                        theirs.words(),
                        self.rank,
                        own.words()
                    ),
                );
            }
            let absent = self.absent(own, awaited);
            self.wait(own, &absent, begun, limit, &mut said)?;
        }
    }

    /// The ranks from which no message has come for a call.
    fn absent(&self, own: &Signature, awaited: &[usize]) -> Vec<usize> {
        let come = |peer: &usize| !self.peers[*peer].arrived[lane(own)].is_empty();
        awaited.iter().copied().filter(|peer| !come(peer)).collect()
    }

    /// Receives one message from any peer, unless there already is one.
    fn wait(
        &mut self,
        own: &Signature,
        absent: &[usize],
        begun: Instant,
        limit: Duration,
        said: &mut bool,
    ) -> Result {
        self.drain();
        if self.absent(own, absent).len() < absent.len() {
            return Ok(());
        }
        let gone = |peer: &&usize| self.peers[**peer].left.is_some();
        if let Some(peer) = absent.iter().find(gone) {
            let why = self.peers[*peer].left.clone().unwrap_or_default();
            let what = own.words();
            return refuse(
                Status::Remote,
                format!("rank {peer} left before {what} of rank {}: {why}", self.rank),
            );
        }
        let waited = begun.elapsed();
        if waited >= limit {
            return refuse(
                Status::Remote,
                format!(
                    "{}: {}, rank {} waited {}; every rank must make every call, those of one thread within \
                     ncclGroupStart and ncclGroupEnd; LANEWORK_NCCL_TIMEOUT (seconds) makes ranks wait longer",
                    own.words(),
                    not_come(absent, self.size()),
                    self.rank,
                    seconds(limit)
                ),
            );
        }
        if !*said && waited >= PATIENCE {
            *said = true;
            line(&format_args!(
                "NCCL's stand-in: rank {} waits for {} of {} in {} for {} now",
                self.rank,
                ranks(absent),
                self.size(),
                own.words(),
                seconds(waited)
            ));
        }
        let next = if *said { limit } else { limit.min(PATIENCE) };
        match self.inbox.recv_timeout(next.saturating_sub(waited)) {
            Ok((from, message)) => self.accept(from, message),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        Ok(())
    }

    /// Stops this rank after a failure, and tells the others, so that they do not wait.
    pub fn stop(&mut self, failure: Failure) -> Failure {
        if self.stopped.is_none() {
            let why = failure.why.clone();
            self.leave(&format!("it stopped: {why}"));
            self.stopped = Some(failure.clone());
        }
        failure
    }

    /// Tells the others that this rank leaves.
    pub fn leave(&mut self, why: &str) {
        if std::mem::replace(&mut self.has_left, true) {
            return;
        }
        let rank = self.rank;
        for link in self.peers.iter_mut().filter_map(|peer| peer.link.as_mut()) {
            link.leave(rank, why);
        }
    }

    fn drain(&mut self) {
        while let Ok((from, message)) = self.inbox.try_recv() {
            self.accept(from, message);
        }
    }

    fn accept(&mut self, from: usize, message: Message) {
        let peer = &mut self.peers[from];
        match message {
            Message::Call(signature, part) => {
                peer.arrived[lane(&signature)].push_back((signature, part))
            }
            Message::Left(why) => drop(peer.left.get_or_insert(why)),
            Message::Wake => {}
        }
    }

    fn alive(&self) -> Result {
        if self.aborted.load(Ordering::Acquire) {
            return refuse(
                Status::InvalidUsage,
                format!("the communicator of rank {} was aborted", self.rank),
            );
        }
        match &self.stopped {
            None => Ok(()),
            Some(Failure { status, why }) => Err(failure(
                *status,
                format!(
                    "rank {} has stopped after an error: {why}; make a new communicator",
                    self.rank
                ),
            )),
        }
    }
}
