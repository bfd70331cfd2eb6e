//! One rank among its peers: it sends messages to each, in order, and receives into one inbox. A message carries the call that it belongs
//! to, which the receiver compares with its own call, so that ranks that disagree find out, and a rank that waits can say for whom.

use crate::link::{Inbox, Link, Message, Part};
use crate::signature::{Kind, Signature};
use crate::status::{Failure, Result, Status, failure, refuse};
use crate::words::{not_come, ranks, seconds, timeout};
use lanework_standin::line;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// After so long it is said once for whom a rank waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// One peer as this rank sees it.
struct Peer {
    /// `None` of this rank itself.
    link: Option<Link>,
    /// What it sent and no call has taken yet: of collectives, and of messages.
    arrived: [VecDeque<(Signature, Part)>; 2],
    /// Why it takes no further part, if so.
    left: Option<String>,
    /// Messages to it and from it so far.
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
    /// Why this rank has stopped, after an error that the others were told.
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
        // Nobody waits where the inbox has gone.
        let _ = self.inbox.send((self.rank, Message::Wake));
    }
}

fn lane(own: &Signature) -> usize {
    usize::from(own.kind == Kind::Message)
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

    /// A rank with these links, or why a peer is gone already, whose receiving ends put messages into `inbox`.
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

    /// The number of a call among those of its kind: of collectives, or of messages to or from a peer.
    pub fn next(&mut self, message: Option<(usize, bool)>) -> u64 {
        let counter = match message {
            None => &mut self.collectives,
            Some((peer, true)) => &mut self.peers[peer].sent,
            Some((peer, false)) => &mut self.peers[peer].received,
        };
        *counter += 1;
        *counter - 1
    }

    /// Sends a peer this rank's call with the data that it needs. A peer that is gone is noticed by who waits for it.
    ///
    /// # Errors
    /// When this rank has stopped.
    pub fn post(&mut self, to: usize, own: Signature, part: Part) -> Result {
        self.alive()?;
        let rank = self.rank;
        let peer = &mut self.peers[to];
        if to == rank {
            peer.arrived[lane(&own)].push_back((own, part));
        } else if let Some(link) = &mut peer.link
            && link.post(rank, own, part).is_err()
        {
            // It may have said more before it went, which is read first.
            self.drain();
            self.peers[to]
                .left
                .get_or_insert_with(|| "its process or communicator ended".to_owned());
        }
        Ok(())
    }

    /// The data that `from` sends for this call, after its message has come.
    ///
    /// # Errors
    /// When it called something else, is gone, or has not come in time: then with all of `awaited` that have not come.
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
                        "ranks disagree: rank {from} called {}, rank {} {}; every rank has to make the same calls in the same order, with the same counts, types and roots",
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

    /// Those of whom nothing has come for a call.
    fn absent(&self, own: &Signature, awaited: &[usize]) -> Vec<usize> {
        let come = |peer: &usize| !self.peers[*peer].arrived[lane(own)].is_empty();
        awaited.iter().copied().filter(|peer| !come(peer)).collect()
    }

    /// Takes one message of anybody's, or what has come.
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
                    "{}: {}, rank {} waited {}; every rank has to make every call, those of one thread within \
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

    /// Ends this rank's part after a failure, and tells the others, so that they do not wait.
    pub fn stop(&mut self, failure: Failure) -> Failure {
        if self.stopped.is_none() {
            let why = failure.why.clone();
            self.leave(&format!("it stopped: {why}"));
            self.stopped = Some(failure.clone());
        }
        failure
    }

    /// Tells the others that this rank takes no further part.
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
