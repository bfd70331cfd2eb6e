//! One rank among its peers: sends messages to each, in order, and receives into one inbox.
//!
//! A message carries its call, which the receiver compares with its own call. So ranks that disagree get an error, and a waiting
//! rank can name the missing ones. Messages are buffered: sending does not wait for a receiver.

use crate::link::{Inbox, Link, Message, Part};
use crate::signature::{CallKind, Signature};
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The reason why a rank cannot continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// This rank.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Its call, if any.
    pub own: Option<Signature>,
    /// The fault.
    pub kind: FaultKind,
}

/// The kinds of [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A rank made a different call.
    Disagreement {
        /// The other rank.
        from: usize,
        /// Its call.
        theirs: Signature,
    },
    /// An awaited rank has left.
    Gone {
        /// The other rank.
        from: usize,
        /// The reason.
        why: String,
    },
    /// Ranks did not arrive in time.
    Missing {
        /// The ranks.
        absent: Vec<usize>,
        /// The time limit.
        waited: Duration,
    },
    /// Ranks sent parts of different lengths.
    Lengths,
    /// Another thread has ended the communicator.
    Aborted,
    /// This rank has stopped after an error; see [`Mesh::stopped`].
    Stopped,
}

/// A wait that takes long.
#[derive(Debug)]
pub struct LongWait<'a> {
    /// This rank.
    pub rank: usize,
    /// Number of ranks.
    pub size: usize,
    /// Its call.
    pub own: Signature,
    /// The ranks that have not arrived.
    pub absent: &'a [usize],
    /// Time so far.
    pub waited: Duration,
}

/// Reports a wait that takes long.
pub type OnLongWait = fn(&LongWait<'_>);

/// Settings of a rank.
#[derive(Clone, Copy)]
pub struct Settings {
    /// The time limit of waits for other ranks.
    pub timeout: Duration,
    /// The lane of a kind of call, 0 or 1. Calls of one lane stay in order.
    pub lane: fn(CallKind) -> usize,
    /// Called once in each wait that exceeds this time.
    pub on_long_wait: Option<(Duration, OnLongWait)>,
}

/// Messages of a peer.
#[derive(Default)]
struct Lane {
    /// Messages that no call has received yet.
    arrived: VecDeque<(Signature, Part)>,
    /// Calls of this rank that a later message must confirm; see [`Mesh::expect`].
    expected: VecDeque<Signature>,
}

/// This rank's view of one peer.
struct Peer {
    /// `None` for this rank itself.
    link: Option<Link>,
    lanes: [Lane; 2],
    /// The reason why it left, if it has.
    left: Option<String>,
}

/// The link to each peer (`None` for the rank itself), or the reason why the peer has gone.
pub type Links = Vec<Result<Option<Link>, String>>;

/// Number of calls so far.
#[derive(Debug)]
pub struct Counters {
    collectives: u64,
    /// Messages to and from each rank.
    messages: Vec<[u64; 2]>,
}

impl Counters {
    fn new(size: usize) -> Counters {
        Counters { collectives: 0, messages: vec![[0; 2]; size] }
    }

    /// The number of earlier collectives, or of earlier messages to (`true`) or from a peer. Counts the new call.
    pub fn next(&mut self, message: Option<(usize, bool)>) -> u64 {
        let counter = match message {
            None => &mut self.collectives,
            Some((peer, sends)) => &mut self.messages[peer][usize::from(sends)],
        };
        *counter += 1;
        *counter - 1
    }
}

/// This rank's links. `F` is the failure that stops a rank.
pub struct Mesh<F> {
    /// This rank, from 0.
    pub rank: usize,
    /// Settings.
    pub settings: Settings,
    /// Number of calls so far.
    pub counters: Counters,
    peers: Vec<Peer>,
    inbox: Receiver<(usize, Message)>,
    /// Set by another thread that ends the communicator.
    aborted: Arc<AtomicBool>,
    stopped: Option<F>,
    has_left: bool,
}

/// Ends a rank's wait from another thread.
pub struct Waker {
    rank: usize,
    inbox: Inbox,
    aborted: Arc<AtomicBool>,
}

impl Waker {
    /// Ends the wait, and all later calls of the rank.
    pub fn abort(&self) {
        self.aborted.store(true, Ordering::Release);
        // If the inbox is gone, no thread waits.
        let _ = self.inbox.send((self.rank, Message::Wake));
    }
}

impl<F> Mesh<F> {
    /// All ranks of one process.
    pub fn local(size: usize, settings: Settings) -> Vec<(Mesh<F>, Waker)> {
        let (inboxes, receivers): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        let of = |(rank, receiver)| {
            let links = inboxes.iter().enumerate();
            let links = links.map(|(peer, inbox): (usize, &Inbox)| {
                Ok((peer != rank).then(|| Link::Local(inbox.clone())))
            });
            Mesh::new(rank, settings, links.collect(), inboxes[rank].clone(), receiver)
        };
        receivers.into_iter().enumerate().map(of).collect()
    }

    /// A rank with these links, whose receivers put messages into `inbox`.
    pub fn new(
        rank: usize,
        settings: Settings,
        links: Links,
        inbox: Inbox,
        receiver: Receiver<(usize, Message)>,
    ) -> (Mesh<F>, Waker) {
        let peers = links.into_iter().map(|link| {
            let (link, left) = link.map_or_else(|why| (None, Some(why)), |link| (link, None));
            Peer { link, lanes: Default::default(), left }
        });
        let peers: Vec<Peer> = peers.collect();
        let counters = Counters::new(peers.len());
        let aborted = Arc::new(AtomicBool::new(false));
        let waker = Waker { rank, inbox, aborted: Arc::clone(&aborted) };
        let (inbox, stopped, has_left) = (receiver, None, false);
        let mesh = Mesh { rank, settings, counters, peers, inbox, aborted, stopped, has_left };
        (mesh, waker)
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.peers.len()
    }

    /// The other ranks.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<F> {
        let rank = self.rank;
        (0..self.peers.len()).filter(move |peer| *peer != rank)
    }

    /// The failure that has stopped this rank, if any.
    pub fn stopped(&self) -> Option<&F> {
        self.stopped.as_ref()
    }

    /// A fault of this rank.
    pub fn fault(&self, own: Option<Signature>, kind: FaultKind) -> Fault {
        Fault { rank: self.rank, size: self.size(), own, kind }
    }

    fn lane(&self, own: &Signature) -> usize {
        (self.settings.lane)(own.kind)
    }

    /// Sends this rank's call with its data to a peer. If the peer has gone, the next wait for its messages reports it.
    ///
    /// # Errors
    /// If this rank has stopped.
    pub fn post(&mut self, to: usize, own: Signature, part: Part) -> Result<(), Fault> {
        self.alive()?;
        let (rank, lane) = (self.rank, self.lane(&own));
        let peer = &mut self.peers[to];
        if to == rank {
            peer.lanes[lane].arrived.push_back((own, part));
        } else if let Some(link) = &mut peer.link
            && let Err(error) = link.post(rank, own, part)
            && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
        {
            peer.left.get_or_insert("it did not receive its messages in time".to_owned());
        }
        Ok(())
    }

    /// The data that `from` sends for this call; waits for its message.
    ///
    /// # Errors
    /// If `from` made a different call, has gone, or has not arrived in time. The last error names all ranks of `awaited` that have
    /// not arrived.
    pub fn take(&mut self, from: usize, own: &Signature, awaited: &[usize]) -> Result<Part, Fault> {
        let mut wait = Wait::begin();
        loop {
            self.alive()?;
            let lane = self.lane(own);
            if let Some((theirs, part)) = self.peers[from].lanes[lane].arrived.pop_front() {
                if theirs == *own {
                    return Ok(part);
                }
                return Err(self.fault(Some(*own), FaultKind::Disagreement { from, theirs }));
            }
            let absent = self.absent(own, awaited);
            self.wait(own, &absent, &mut wait)?;
        }
    }

    /// Records that `from` must make this call, too. [`Mesh::compare`] and [`Mesh::agree`] check it.
    pub fn expect(&mut self, from: usize, own: Signature) {
        let lane = self.lane(&own);
        self.peers[from].lanes[lane].expected.push_back(own);
    }

    /// Compares received calls with expected ones, without waiting.
    ///
    /// # Errors
    /// If a rank made a different call.
    pub fn compare(&mut self) -> Result<(), Fault> {
        self.alive()?;
        self.drain();
        for from in self.others() {
            for lane in 0..2 {
                let Lane { arrived, expected } = &mut self.peers[from].lanes[lane];
                while let (Some((theirs, _)), Some(own)) = (arrived.front(), expected.front()) {
                    if theirs != own {
                        let (own, theirs) = (Some(*own), *theirs);
                        return Err(self.fault(own, FaultKind::Disagreement { from, theirs }));
                    }
                    arrived.pop_front();
                    expected.pop_front();
                }
            }
        }
        Ok(())
    }

    /// Waits until every peer has made the expected calls.
    ///
    /// # Errors
    /// As [`Mesh::take`].
    pub fn agree(&mut self) -> Result<(), Fault> {
        let mut wait = Wait::begin();
        loop {
            self.compare()?;
            let Some((_, own)) = self.outstanding().next() else { return Ok(()) };
            let awaited: Vec<usize> = self.outstanding().map(|(peer, _)| peer).collect();
            self.wait(&own, &awaited, &mut wait)?;
        }
    }

    /// Peers that have not made an expected call, with the oldest such call.
    pub fn outstanding(&self) -> impl Iterator<Item = (usize, Signature)> {
        self.peers.iter().enumerate().filter_map(|(index, peer)| {
            let oldest = peer.lanes.iter().find_map(|lane| lane.expected.front());
            oldest.map(|own| (index, *own))
        })
    }

    /// The ranks whose messages for a call have not arrived.
    fn absent(&self, own: &Signature, awaited: &[usize]) -> Vec<usize> {
        let lane = self.lane(own);
        let come = |peer: &usize| !self.peers[*peer].lanes[lane].arrived.is_empty();
        awaited.iter().copied().filter(|peer| !come(peer)).collect()
    }

    /// Receives one message from any peer, unless a message of an absent peer has already arrived.
    fn wait(&mut self, own: &Signature, absent: &[usize], wait: &mut Wait) -> Result<(), Fault> {
        self.drain();
        if self.absent(own, absent).len() < absent.len() {
            return Ok(());
        }
        let left = |peer: &usize| Some((*peer, self.peers[*peer].left.clone()?));
        if let Some((from, why)) = absent.iter().find_map(left) {
            return Err(self.fault(Some(*own), FaultKind::Gone { from, why }));
        }
        let (waited, limit) = (wait.begun.elapsed(), self.settings.timeout);
        if waited >= limit {
            let absent = absent.to_vec();
            return Err(self.fault(Some(*own), FaultKind::Missing { absent, waited: limit }));
        }
        let mut next = limit;
        if let Some((patience, tell)) = self.settings.on_long_wait.filter(|_| !wait.told) {
            if waited >= patience {
                wait.told = true;
                tell(&LongWait { rank: self.rank, size: self.size(), own: *own, absent, waited });
            } else {
                next = limit.min(patience);
            }
        }
        match self.inbox.recv_timeout(next.saturating_sub(waited)) {
            Ok((from, message)) => self.accept(from, message),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        Ok(())
    }

    /// Stops this rank after a failure, and sends the others the reason, so that they do not wait.
    pub fn stop(&mut self, failure: F, why: &str) {
        if self.stopped.is_none() {
            self.leave(&format!("it stopped: {why}"));
            self.stopped = Some(failure);
        }
    }

    /// Notifies the others once that this rank leaves.
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
        match message {
            Message::Call(signature, part) => {
                let lane = self.lane(&signature);
                self.peers[from].lanes[lane].arrived.push_back((signature, part));
            }
            Message::Left(why) => drop(self.peers[from].left.get_or_insert(why)),
            Message::Wake => {}
        }
    }

    fn alive(&self) -> Result<(), Fault> {
        if self.aborted.load(Ordering::Acquire) {
            return Err(self.fault(None, FaultKind::Aborted));
        }
        match &self.stopped {
            None => Ok(()),
            Some(_) => Err(self.fault(None, FaultKind::Stopped)),
        }
    }
}

impl<F> Drop for Mesh<F> {
    fn drop(&mut self) {
        self.leave("its communicator was dropped, or its thread or process ended");
    }
}

/// The state of a wait.
struct Wait {
    begun: Instant,
    /// Whether the long wait has been reported.
    told: bool,
}

impl Wait {
    fn begin() -> Wait {
        Wait { begun: Instant::now(), told: false }
    }
}
