//! One rank among its peers: it sends messages to each of them, in order, and receives into one inbox.
//!
//! A message carries the call that it belongs to, and the receiver compares that with its own call, so that ranks that
//! disagree find out, and a rank that waits can say for whom. What is sent is buffered: sending does not wait for a receiver.

use crate::link::{Link, Message, Posted};
use crate::signature::{Kind, Signature};
use crate::words::{disagree, gone, missing, seconds};
use lanework::{Error, Result};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Messages that no call has taken yet.
#[derive(Default)]
struct Lane {
    arrived: VecDeque<(Signature, Vec<u8>)>,
    /// Calls of this rank that a message has to confirm, where nobody waits for it; see [`Mesh::expect`].
    expected: VecDeque<Signature>,
}

/// One peer as this rank sees it.
struct Peer {
    /// `None` of this rank itself.
    link: Option<Link>,
    /// What the peer sends: collectives and messages; and, apart from them, that it receives.
    lanes: [Lane; 2],
    /// Why it takes no further part, if so.
    left: Option<String>,
}

/// This rank's links.
pub(crate) struct Mesh {
    pub rank: usize,
    pub timeout: Duration,
    peers: Vec<Peer>,
    inbox: Receiver<(usize, Message)>,
    /// Why this rank has stopped, after an error that the others were told.
    broken: Option<String>,
}

fn lane(signature: &Signature) -> usize {
    usize::from(signature.kind == Kind::Receipt)
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

    /// A rank with these links, whose receiving ends put messages into `inbox`.
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

    /// Sends a call to a peer. One that is gone is found when something is expected of it.
    pub fn post(&mut self, to: usize, signature: Signature, data: &[u8]) -> Result<()> {
        self.alive()?;
        let Some(link) = &mut self.peers[to].link else { return Ok(()) };
        if link.post(self.rank, &signature, data) == Posted::Stuck {
            let why = "it did not take what was sent to it in time";
            self.peers[to].left.get_or_insert(why.to_owned());
        }
        Ok(())
    }

    /// The data that `from` sends for this call, after its message has come.
    ///
    /// # Errors
    /// When it called something else, is gone, or has not come in time: then with all of `awaited` that have not come.
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

    /// Remembers that `from` has to make this call, too, which [`Mesh::compare`] and [`Mesh::agree`] look at.
    pub fn expect(&mut self, from: usize, own: Signature) {
        self.peers[from].lanes[lane(&own)].expected.push_back(own);
    }

    /// Compares what has come with what was expected; does not wait.
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

    /// Waits until every peer has called what was expected of it.
    pub fn agree(&mut self) -> Result<()> {
        let deadline = Instant::now() + self.timeout;
        loop {
            self.compare()?;
            let Some((from, own)) = self.outstanding().next() else { return Ok(()) };
            let awaited: Vec<usize> = self.outstanding().map(|(peer, _)| peer).collect();
            self.wait(from, &own, &awaited, deadline)?;
        }
    }

    /// Peers that have not called what was expected, with the oldest such call.
    pub fn outstanding(&self) -> impl Iterator<Item = (usize, Signature)> {
        self.peers.iter().enumerate().filter_map(|(index, peer)| {
            let oldest = peer.lanes.iter().find_map(|lane| lane.expected.front());
            oldest.map(|own| (index, *own))
        })
    }

    /// What is said of a wait that took too long: who has not called what was expected, if anybody.
    pub fn late(&self) -> Error {
        let waited = self.timeout;
        let Some((_, own)) = self.outstanding().next() else {
            return Error::Communication {
                why: format!("rank {} waited {} for its device; every rank has made its calls", self.rank, seconds(waited)),
                help: "a kernel may not end, or the network may have failed; NCCL_DEBUG=WARN makes NCCL say more".to_owned(),
            };
        };
        let absent: Vec<usize> = self.outstanding().map(|(peer, _)| peer).collect();
        missing(self.rank, self.size(), &own, &absent, waited)
    }

    /// Ends this rank's part after an error, and tells the others, so that they do not wait.
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

    /// Takes one message of anybody's into its lane.
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
