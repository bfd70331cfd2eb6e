//! One rank among its peers: sends messages to each, in order, and receives into one inbox.
//!
//! A message carries its call, and the receiver compares it with its own call. So ranks that disagree get an error, and a waiting rank can
//! name the missing ones. Messages are buffered: sending does not wait for a receiver.

pub(crate) mod link;
pub(crate) mod signature;
pub(crate) mod words;

use crate::mesh::link::{Link, Message, Posted};
use crate::mesh::signature::{CallKind, Signature};
use crate::mesh::words::{disagree, gone, missing, seconds};
use lanework::{Error, Result};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Messages that no call has taken yet.
#[derive(Default)]
struct Lane {
    arrived: VecDeque<(Signature, Vec<u8>)>,
    /// Calls of this rank that a message must confirm without a wait; see [`Mesh::expect`].
    expected: VecDeque<Signature>,
}

/// This rank's view of one peer.
struct Peer {
    /// `None` for this rank itself.
    link: Option<Link>,
    /// Messages of the peer: collectives and sends; and, separately, receipts.
    lanes: [Lane; 2],
    /// Why it left, if it has.
    left: Option<String>,
}

/// This rank's links.
pub(crate) struct Mesh {
    pub rank: usize,
    pub timeout: Duration,
    peers: Vec<Peer>,
    inbox: Receiver<(usize, Message)>,
    /// Why this rank has stopped, after an error reported to the others.
    broken: Option<String>,
}

fn lane(signature: &Signature) -> usize {
    usize::from(signature.kind == CallKind::Receipt)
}

impl Mesh {
    /// The links of all ranks of one process.
    pub fn local(size: usize, timeout: Duration) -> Vec<Mesh> {
        let (senders, inboxes): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
        let of = |(rank, inbox)| {
            let links = senders.iter().enumerate();
            let links =
                links.map(|(peer, sender)| (peer != rank).then(|| Link::Channel(sender.clone())));
            Mesh::new(rank, timeout, links.collect(), inbox)
        };
        inboxes.into_iter().enumerate().map(of).collect()
    }

    /// A rank with these links, whose receivers put messages into `inbox`.
    pub fn new(
        rank: usize,
        timeout: Duration,
        links: Vec<Option<Link>>,
        inbox: Receiver<(usize, Message)>,
    ) -> Mesh {
        let peers = links.into_iter();
        let peers = peers.map(|link| Peer { link, lanes: Default::default(), left: None });
        Mesh { rank, timeout, peers: peers.collect(), inbox, broken: None }
    }

    pub fn size(&self) -> usize {
        self.peers.len()
    }

    /// Whether this rank has stopped after an error.
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The other ranks.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.rank;
        (0..self.peers.len()).filter(move |peer| *peer != rank)
    }

    /// Sends a call to a peer. A peer that is gone is noticed when a message of it is awaited.
    pub fn post(&mut self, to: usize, signature: Signature, data: &[u8]) -> Result<()> {
        self.alive()?;
        let Some(link) = &mut self.peers[to].link else { return Ok(()) };
        if link.post(self.rank, &signature, data) == Posted::Stuck {
            let why = "it did not receive its messages in time";
            self.peers[to].left.get_or_insert(why.to_owned());
        }
        Ok(())
    }

    /// The data that `from` sends for this call; waits for its message.
    ///
    /// # Errors
    /// If it called something else, is gone, or has not come in time: then names all ranks of `awaited` that have not come.
    pub fn take(&mut self, from: usize, own: &Signature, awaited: &[usize]) -> Result<Vec<u8>> {
        self.alive()?;
        let deadline = Instant::now() + self.timeout;
        loop {
            if let Some((theirs, data)) = self.peers[from].lanes[lane(own)].arrived.pop_front() {
                if theirs != *own {
                    let error = disagree(self.rank, own, from, &theirs);
                    return Err(self.stop(error));
                }
                return Ok(data);
            }
            self.wait(from, own, awaited, deadline)?;
        }
    }

    /// Records that `from` must make this call, too, which [`Mesh::compare`] and [`Mesh::agree`] check.
    pub fn expect(&mut self, from: usize, own: Signature) {
        self.peers[from].lanes[lane(&own)].expected.push_back(own);
    }

    /// Compares received calls with expected ones, without waiting.
    pub fn compare(&mut self) -> Result<()> {
        self.alive()?;
        while let Ok((from, message)) = self.inbox.try_recv() {
            self.accept(from, message);
        }
        for from in self.others() {
            for index in 0..2 {
                self.compare_lane(from, index)?;
            }
        }
        Ok(())
    }

    /// Waits until every peer has made the expected calls.
    pub fn agree(&mut self) -> Result<()> {
        let deadline = Instant::now() + self.timeout;
        loop {
            self.compare()?;
            let Some((from, own)) = self.outstanding().next() else { return Ok(()) };
            let awaited: Vec<usize> = self.outstanding().map(|(peer, _)| peer).collect();
            self.wait(from, &own, &awaited, deadline)?;
        }
    }

    /// Peers that have not made an expected call, with the oldest such call.
    pub fn outstanding(&self) -> impl Iterator<Item = (usize, Signature)> {
        self.peers.iter().enumerate().filter_map(|(index, peer)| {
            let oldest = peer.lanes.iter().find_map(|lane| lane.expected.front());
            oldest.map(|own| (index, *own))
        })
    }

    /// The error of a wait that took too long: names the peers that have not made their calls, if any.
    pub fn late(&self) -> Error {
        let waited = self.timeout;
        let Some((_, own)) = self.outstanding().next() else {
            return Error::Communication {
                why: format!("rank {} waited {} for its device; every rank has made its calls", self.rank, seconds(waited)),
                help: "a kernel may hang, or the network may have failed; NCCL_DEBUG=WARN makes NCCL say more".to_owned(),
            };
        };
        let absent: Vec<usize> = self.outstanding().map(|(peer, _)| peer).collect();
        missing(self.rank, self.size(), &own, &absent, waited)
    }

    /// Stops this rank after an error, and tells the others, so that they do not wait.
    pub fn stop(&mut self, error: Error) -> Error {
        let why = error.to_string();
        let why = why.lines().next().unwrap_or_default().to_owned();
        if self.broken.is_none() {
            self.leave(&format!("it stopped: {why}"));
            self.broken = Some(why);
        }
        error
    }

    fn compare_lane(&mut self, from: usize, index: usize) -> Result<()> {
        let lane = &mut self.peers[from].lanes[index];
        while let (Some((theirs, _)), Some(own)) = (lane.arrived.front(), lane.expected.front()) {
            if theirs != own {
                let error = disagree(self.rank, own, from, theirs);
                return Err(self.stop(error));
            }
            lane.arrived.pop_front();
            lane.expected.pop_front();
        }
        Ok(())
    }

    /// Receives one message from any peer into its lane.
    fn wait(
        &mut self,
        from: usize,
        own: &Signature,
        awaited: &[usize],
        deadline: Instant,
    ) -> Result<()> {
        if let Some(why) = &self.peers[from].left {
            let error = gone(self.rank, own, from, why);
            return Err(self.stop(error));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        match self.inbox.recv_timeout(left) {
            Ok((from, message)) => self.accept(from, message),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let come = |peer: &usize| !self.peers[*peer].lanes[lane(own)].arrived.is_empty();
                let absent: Vec<usize> =
                    awaited.iter().copied().filter(|peer| !come(peer)).collect();
                let error = missing(self.rank, self.size(), own, &absent, self.timeout);
                return Err(self.stop(error));
            }
        }
        Ok(())
    }

    fn accept(&mut self, from: usize, message: Message) {
        let peer = &mut self.peers[from];
        match message {
            Message::Call(signature, data) => {
                peer.lanes[lane(&signature)].arrived.push_back((signature, data));
            }
            Message::Left(why) => drop(peer.left.get_or_insert(why)),
        }
    }

    fn alive(&self) -> Result<()> {
        let Some(why) = &self.broken else { return Ok(()) };
        Err(Error::Communication {
            why: format!("rank {} has stopped after an error: {why}", self.rank),
            help: "make a new communicator".to_owned(),
        })
    }

    fn leave(&mut self, why: &str) {
        let rank = self.rank;
        for peer in &mut self.peers {
            if let Some(link) = &mut peer.link {
                link.leave(rank, why);
            }
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        if self.broken.is_none() {
            self.leave("its communicator was dropped, or its thread or process ended");
        }
    }
}

#[cfg(test)]
mod tests;
