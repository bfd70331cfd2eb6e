//! What orders the operations of streams: the happens-before relation of CUDA's streams, events and synchronising calls, as plain data.
//!
//! *Algorithm.* Each stream is a strand, whose operations are numbered. A [`Point`] is an operation's place in the relation: its strand, its
//! number, and a vector clock, which joins the clocks of the operations that it waits for, and the host's at the call that issued it. The
//! host is one strand of time for all its threads: calls are ordered as they were made, so that what host threads say to each other
//! without a call never makes a false race, and may hide a true one.
//!
//! *Rules* (CUDA programming guide, "Streams", and the driver API's "Stream synchronization behavior"). Operations of one stream are in order. An
//! operation of the legacy default stream comes after all of the blocking streams of its context, and theirs after it. A wait for an event takes
//! the record that was last when the wait was called. A call that synchronises orders what it waited for before all later calls.
//!
//! *Invariant.* A clock is computed when its operation begins, at the latest. Operations before it have then begun, since the queues of streams
//! keep the same order.

use crate::handles::Handle;
use crate::state::lock;
use crate::streams::stream::{OrderedStream, StreamKey};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// An operation's place in the relation.
#[derive(Debug)]
pub struct Point {
    /// The stream, as a number of its own.
    pub strand: u32,
    /// Its number among the operations of the stream, from 1.
    pub number: u64,
    state: Mutex<ClockState>,
}

/// The clock of an operation.
#[derive(Debug)]
enum ClockState {
    /// Not computed yet: the join of the clocks of these operations, and of the host's at the call.
    Open { after: Vec<Arc<Point>>, host: Arc<Clock> },
    /// Computed.
    Settled(Arc<Clock>),
}

impl Point {
    /// What happens before the operation, and the operation itself.
    pub fn clock(&self) -> Arc<Clock> {
        let mut state = lock(&self.state);
        let (after, host) = match &*state {
            ClockState::Settled(clock) => return clock.clone(),
            ClockState::Open { after, host } => (after, host),
        };
        let mut clock = Clock::clone(host);
        after.iter().for_each(|point| clock.join(&point.clock()));
        clock.raise(self.strand, self.number);
        let clock = Arc::new(clock);
        *state = ClockState::Settled(clock.clone());
        clock
    }

    /// Lets what another clock's owner knows happen before what follows this operation.
    pub fn acquire(&self, other: &Clock) {
        let mut clock = Clock::clone(&self.clock());
        clock.join(other);
        *lock(&self.state) = ClockState::Settled(Arc::new(clock));
    }

    fn is_settled(&self) -> bool {
        matches!(*lock(&self.state), ClockState::Settled(_))
    }
}

/// A stream.
#[derive(Debug)]
struct Strand {
    number: u32,
    last: Option<Arc<Point>>,
    /// Whether it keeps the order of the legacy default stream.
    blocking: bool,
    /// Whether the program has destroyed it; what was queued in it runs all the same.
    destroyed: bool,
}

/// All streams, and what the host knows.
#[derive(Debug, Default)]
pub struct Strands {
    all: BTreeMap<StreamKey, Strand>,
    host: Arc<Clock>,
    /// The number of the strand that was made last.
    made: u32,
}

impl Strands {
    /// What the host knows to have ended.
    pub fn host(&self) -> &Clock {
        &self.host
    }

    fn last(&self, key: StreamKey) -> Option<Arc<Point>> {
        self.all.get(&key).and_then(|strand| strand.last.clone())
    }

    /// The strands of a context's streams.
    fn strands_of(&self, context: Handle) -> impl Iterator<Item = &Strand> {
        let key = |stream| StreamKey { context, stream };
        self.all.range(key(0)..=key(Handle::MAX)).map(|(_, strand)| strand)
    }

    /// The last operations of a context's streams that keep the order of its default stream, with its own.
    fn of_blocking(&self, context: Handle) -> Vec<Arc<Point>> {
        self.strands_of(context)
            .filter(|strand| strand.blocking)
            .filter_map(|strand| strand.last.clone())
            .collect()
    }

    /// Issues an operation to a stream.
    pub fn issue(&mut self, stream: OrderedStream) -> Arc<Point> {
        self.issue_after(stream, Vec::new())
    }

    /// Issues an operation that also waits for others.
    fn issue_after(&mut self, stream: OrderedStream, mut after: Vec<Arc<Point>>) -> Arc<Point> {
        let OrderedStream { key, blocking } = stream;
        match key.stream {
            0 => after.extend(self.of_blocking(key.context)),
            _ if blocking => after.extend(self.last(StreamKey { stream: 0, ..key })),
            _ => {}
        }
        let Strands { all, host, made } = self;
        let strand = all.entry(key).or_insert_with(|| {
            *made += 1;
            Strand { number: *made, last: None, blocking, destroyed: false }
        });
        let number = strand.last.as_ref().map_or(0, |last| last.number) + 1;
        after.extend(strand.last.take());
        let state = Mutex::new(ClockState::Open { after, host: host.clone() });
        let point = Arc::new(Point { strand: strand.number, number, state });
        strand.last = Some(point.clone());
        point
    }

    /// A stream waits for an event, recorded at a point.
    pub fn wait(&mut self, stream: OrderedStream, event: Arc<Point>) {
        let last = self.last(stream.key);
        let settled = event.is_settled() && last.is_none_or(|last| last.is_settled());
        let point = self.issue_after(stream, vec![event]);
        if settled {
            point.clock();
        }
    }

    /// The host has waited for an operation.
    pub fn host_waited(&mut self, point: &Point) {
        let clock = point.clock();
        Arc::make_mut(&mut self.host).join(&clock);
    }

    /// The host has waited for what comes before an operation.
    pub fn host_waited_before(&mut self, point: &Point) {
        let mut clock = Clock::clone(&point.clock());
        clock.retain(|strand| strand != point.strand);
        clock.raise(point.strand, point.number - 1);
        Arc::make_mut(&mut self.host).join(&clock);
    }

    /// What a call waits for that synchronises with a stream.
    pub fn of_stream(&self, key: StreamKey) -> Vec<Arc<Point>> {
        match key.stream {
            0 => self.of_blocking(key.context),
            _ => self.last(key).into_iter().collect(),
        }
    }

    /// What a call waits for that synchronises with a context.
    pub fn of_context(&self, context: Handle) -> Vec<Arc<Point>> {
        self.strands_of(context).filter_map(|strand| strand.last.clone()).collect()
    }

    /// A point behind all that a context has to do.
    pub fn behind_context(&mut self, context: Handle) -> Arc<Point> {
        let after = self.of_context(context);
        // A strand of no stream, on which nothing waits.
        let key = StreamKey { context, stream: Handle::MAX };
        self.issue_after(OrderedStream { key, blocking: false }, after)
    }

    /// A program destroys a stream.
    pub fn destroy(&mut self, key: StreamKey) {
        if let Some(strand) = self.all.get_mut(&key) {
            strand.destroyed = true;
        }
    }

    /// A context ends with its streams: the host has waited for them.
    pub fn end_context(&mut self, context: Handle) {
        for point in self.of_context(context) {
            self.host_waited(&point);
        }
        self.all.retain(|key, _| key.context != context);
    }

    /// Forgets destroyed streams that the host knows to have ended, and returns the numbers of their strands.
    pub fn forget_ended(&mut self) -> Vec<u32> {
        let host = self.host.clone();
        let ended = |strand: &Strand| {
            let last = strand.last.as_ref().map_or(0, |last| last.number);
            strand.destroyed && last <= host.last(strand.number)
        };
        let gone: Vec<u32> =
            self.all.values().filter(|one| ended(one)).map(|one| one.number).collect();
        if !gone.is_empty() {
            self.all.retain(|_, strand| !gone.contains(&strand.number));
            Arc::make_mut(&mut self.host).retain(|strand| !gone.contains(&strand));
        }
        gone
    }
}

/// A vector clock (Mattern 1989): by strand, the number of its last operation that happens before. Strands that are not in it have 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(BTreeMap<u32, u64>);

impl Clock {
    /// The number of the last operation of a strand that happens before.
    pub fn last(&self, strand: u32) -> u64 {
        self.0.get(&strand).copied().unwrap_or(0)
    }

    /// Lets an operation of a strand, with those before it there, happen before.
    pub fn raise(&mut self, strand: u32, number: u64) {
        let known = self.0.entry(strand).or_insert(0);
        *known = (*known).max(number);
    }

    /// Lets all that happens before another clock's owner happen before this one's.
    pub fn join(&mut self, other: &Clock) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        other.0.iter().for_each(|(&strand, &number)| self.raise(strand, number));
    }

    /// Forgets strands whose operations nobody will ask for any more.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.0.retain(|strand, _| keep(*strand));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_join_takes_the_later_of_each_strand() {
        let (mut one, mut other) = (Clock::default(), Clock::default());
        one.raise(1, 5);
        one.raise(2, 1);
        other.raise(2, 7);
        other.raise(1, 3);
        one.join(&other);
        assert_eq!([one.last(1), one.last(2), one.last(3)], [5, 7, 0]);
        one.retain(|strand| strand == 2);
        assert_eq!([one.last(1), one.last(2)], [0, 7]);
    }
}
