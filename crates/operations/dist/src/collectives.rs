//! The calls of a communicator: collectives, and messages between two ranks.

use crate::call::{Call, Number, Reduction, Work, combine};
use crate::communicator::Communicator;
use lanework::{Device, Error, Result, View, ViewMut};
use lanework_ranks::signature::{CallKind, Signature};

impl Communicator {
    /// Combines the inputs of all ranks, element by element. Every rank receives the result.
    ///
    /// # Errors
    /// [`Error::Request`] if the lengths differ, or memory is on another device than this rank's.
    pub fn all_reduce<'a, T: Number>(
        &'a self,
        reduction: Reduction,
        from: impl Into<View<'a, T>>,
        to: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        let (from, to) = (from.into(), to.into());
        let lengths = [from.len(), to.len()];
        self.lengths("all_reduce", lengths, (1, 1))?;
        self.reduction(CallKind::AllReduce, reduction, from, to)
    }

    /// As [`Communicator::all_reduce`], with the result in place of the input.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn all_reduce_in_place<'a, T: Number>(
        &'a self,
        reduction: Reduction,
        data: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        let data = data.into();
        // SAFETY: the call holds both views for one borrow of the buffer, and reads before it writes.
        let from = unsafe { data.read().unbound() };
        self.reduction(CallKind::AllReduce, reduction, from, data)
    }

    /// Combines the inputs of all ranks. Each rank receives its share of the result, in rank order. The input has as many elements as
    /// the outputs of all ranks together.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn reduce_scatter<'a, T: Number>(
        &'a self,
        reduction: Reduction,
        from: impl Into<View<'a, T>>,
        to: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        let (from, to) = (from.into(), to.into());
        let lengths = [from.len(), to.len()];
        self.lengths("reduce_scatter", lengths, (self.size(), 1))?;
        self.reduction(CallKind::ReduceScatter, reduction, from, to)
    }

    /// Concatenates the inputs of all ranks, in rank order. Every rank receives the result.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn all_gather<'a, T: Number>(
        &'a self,
        from: impl Into<View<'a, T>>,
        to: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        let (from, to) = (from.into(), to.into());
        let lengths = [from.len(), to.len()];
        self.lengths("all_gather", lengths, (1, self.size()))?;
        self.collective(CallKind::AllGather, Some(from), Some(to), lengths[0])
    }

    /// Copies the data of rank `root` to every rank.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`]; [`Error::Request`] if the rank does not exist.
    pub fn broadcast<'a, T: Number>(
        &'a self,
        root: usize,
        data: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        self.known("broadcast", root)?;
        let (data, kind) = (data.into(), CallKind::Broadcast(root as u32));
        let count = data.len();
        if self.rank() == root {
            return self.collective::<T>(kind, Some(data.into()), None, count);
        }
        self.collective(kind, None, Some(data), count)
    }

    /// Sends elements to a rank, which receives them by [`Communicator::recv`]. Two ranks that exchange data send and receive in one
    /// [`crate::group`].
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`]; [`Error::Request`] if the rank does not exist or is this one.
    pub fn send<'a, T: Number>(
        &'a self,
        peer: usize,
        from: impl Into<View<'a, T>>,
    ) -> Result<Call<'a>> {
        self.known("send", peer)?;
        let from = from.into();
        let count = from.len();
        self.prepared(CallKind::Message, Some(from), None, count, Some(peer))
    }

    /// Receives the elements that a rank sends by [`Communicator::send`].
    ///
    /// # Errors
    /// As [`Communicator::send`].
    pub fn recv<'a, T: Number>(
        &'a self,
        peer: usize,
        to: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        self.known("recv", peer)?;
        let to = to.into();
        let count = to.len();
        self.prepared(CallKind::Message, None, Some(to), count, Some(peer))
    }

    /// Waits on the host until every rank has called this. To wait for the devices, use [`Communicator::synchronize`].
    ///
    /// # Errors
    /// [`Error::Communication`], naming the ranks that have not arrived in time.
    pub fn barrier(&self) -> Result<()> {
        let call = self.collective::<u8>(CallKind::Barrier, None, None, 0)?;
        call.announce()?;
        self.agree()
    }

    fn reduction<'a, T: Number>(
        &'a self,
        kind: fn(lanework_ranks::signature::Reduction) -> CallKind,
        reduction: Reduction,
        from: View<'a, T>,
        to: ViewMut<'a, T>,
    ) -> Result<Call<'a>> {
        let count = from.len();
        let mut call = self.collective(kind(reduction.number()), Some(from), Some(to), count)?;
        call.work.reduce = Some((reduction, combine::<T>));
        Ok(call)
    }

    fn collective<'a, T: Number>(
        &'a self,
        kind: CallKind,
        from: Option<View<'a, T>>,
        to: Option<ViewMut<'a, T>>,
        count: usize,
    ) -> Result<Call<'a>> {
        self.prepared(kind, from, to, count, None)
    }

    fn prepared<'a, T: Number>(
        &'a self,
        kind: CallKind,
        from: Option<View<'a, T>>,
        to: Option<ViewMut<'a, T>>,
        count: usize,
        peer: Option<usize>,
    ) -> Result<Call<'a>> {
        if let Some(from) = &from {
            self.here("input", &from.device()?)?;
        }
        if let Some(to) = &to {
            self.here("output", &to.device()?)?;
        }
        let message = peer.map(|peer| (peer, from.is_some()));
        let sequence = self.mesh().counters.next(message);
        let element = T::NCCL;
        let signature = Signature { sequence, kind, element: element as u8, count: count as u64 };
        let (from, to) = (from.map(View::cast), to.map(ViewMut::cast));
        let work = Work { signature, element, peer, from, to, reduce: None };
        Ok(Call { communicator: self, work, stream: None })
    }

    /// Rejects lengths that are not in the ratio `a` to `b`.
    fn lengths(&self, call: &str, [from, to]: [usize; 2], (a, b): (usize, usize)) -> Result<()> {
        if from.checked_mul(b) == to.checked_mul(a) && to.checked_mul(a).is_some() {
            return Ok(());
        }
        let rule = match (a, b) {
            (1, 1) => "as many elements as the input".to_owned(),
            (_, 1) => format!("a {a}th of the input's elements, one share for each of {a} ranks"),
            _ => {
                format!("{b} times as many elements as the input, one share for each of {b} ranks")
            }
        };
        Err(Error::Request {
            why: format!(
                "{call}: the input of rank {} has {from} elements, the output {to}",
                self.rank()
            ),
            help: format!("the output needs {rule}"),
        })
    }

    fn known(&self, call: &str, peer: usize) -> Result<()> {
        let itself = peer == self.rank() && call != "broadcast";
        if peer < self.size() && !itself {
            return Ok(());
        }
        let why = if itself {
            format!("{call}: rank {peer} is this rank itself")
        } else {
            format!("{call}: there is no rank {peer} among {}", self.size())
        };
        Err(Error::Request { why, help: "ranks are numbered from 0".to_owned() })
    }

    fn here(&self, what: &str, device: &Device) -> Result<()> {
        if device == self.device() {
            return Ok(());
        }
        Err(Error::Request {
            why: format!(
                "the {what} of rank {} is on another device ({}) than the rank ({})",
                self.rank(),
                device.info().id,
                self.device().info().id
            ),
            help: "allocate it on `communicator.device()`".to_owned(),
        })
    }
}
