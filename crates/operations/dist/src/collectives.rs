//! What the ranks of a communicator call: collectives, and messages between two of them.

use crate::call::Call;
use crate::communicator::Communicator;
use crate::element::{Number, Reduction, combine};
use crate::signature::{Kind, Signature};
use crate::work::{Reduce, Work};
use lanework::{Device, Error, Result, View, ViewMut};

impl Communicator {
    /// Combines the inputs of all ranks, element by element; every rank gets the result.
    ///
    /// # Errors
    /// [`Error::Request`] when the lengths differ, or memory lies on another device than this rank's.
    pub fn all_reduce<'a, T: Number>(
        &'a self,
        reduction: Reduction,
        from: impl Into<View<'a, T>>,
        to: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        let (from, to) = (from.into(), to.into());
        let lengths = [from.len(), to.len()];
        self.lengths("all_reduce", lengths, (1, 1))?;
        self.collective(Kind::AllReduce(reduction), Some(from), Some(to), lengths[0])
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
        let count = data.len();
        // SAFETY: the call holds both views for one borrow of the buffer, and reads before it writes.
        let from = unsafe { data.read().unbound() };
        self.collective(Kind::AllReduce(reduction), Some(from), Some(data), count)
    }

    /// Combines the inputs of all ranks; of the result, each rank gets its share, in the order of ranks: the input has as many
    /// elements as the outputs of all ranks together.
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
        self.collective(Kind::ReduceScatter(reduction), Some(from), Some(to), lengths[0])
    }

    /// Joins the inputs of all ranks, in the order of ranks; every rank gets the result.
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
        self.collective(Kind::AllGather, Some(from), Some(to), lengths[0])
    }

    /// Copies the data of rank `root` to every rank.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`]; when there is no such rank.
    pub fn broadcast<'a, T: Number>(
        &'a self,
        root: usize,
        data: impl Into<ViewMut<'a, T>>,
    ) -> Result<Call<'a>> {
        self.known("broadcast", root)?;
        let (data, kind) = (data.into(), Kind::Broadcast { root: root as u32 });
        let count = data.len();
        if self.rank() == root {
            return self.collective::<T>(kind, Some(data.into()), None, count);
        }
        self.collective(kind, None, Some(data), count)
    }

    /// Sends elements to a rank, which receives them by [`Communicator::recv`]. Two ranks that send to each other do so in one
    /// [`crate::group`] with receiving.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`]; when there is no such rank, or it is this one.
    pub fn send<'a, T: Number>(
        &'a self,
        peer: usize,
        from: impl Into<View<'a, T>>,
    ) -> Result<Call<'a>> {
        self.known("send", peer)?;
        let from = from.into();
        let count = from.len();
        self.prepared(Kind::Message, Some(from), None, count, Some(peer))
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
        self.prepared(Kind::Message, None, Some(to), count, Some(peer))
    }

    /// Waits until every rank has come here, on the host; for the devices, [`Communicator::synchronize`].
    ///
    /// # Errors
    /// [`Error::Communication`], naming who has not come in time.
    pub fn barrier(&self) -> Result<()> {
        let call = self.collective::<u8>(Kind::Barrier, None, None, 0)?;
        call.announce()?;
        self.mesh().agree()
    }

    fn collective<'a, T: Number>(
        &'a self,
        kind: Kind,
        from: Option<View<'a, T>>,
        to: Option<ViewMut<'a, T>>,
        count: usize,
    ) -> Result<Call<'a>> {
        self.prepared(kind, from, to, count, None)
    }

    fn prepared<'a, T: Number>(
        &'a self,
        kind: Kind,
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
        let sequence = self.next(peer, from.is_some());
        let element = T::TYPE;
        let signature = Signature { sequence, kind, element: element.number, count: count as u64 };
        let reduce: Option<Reduce> = match kind {
            Kind::AllReduce(reduction) | Kind::ReduceScatter(reduction) => {
                Some((reduction, combine::<T>))
            }
            _ => None,
        };
        let (from, to) = (from.map(View::cast), to.map(ViewMut::cast));
        let work = Work { signature, element: element.nccl, peer, from, to, reduce };
        Ok(Call { communicator: self, work, stream: None })
    }

    /// Refuses lengths that are not as `a` to `b`.
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
        Err(Error::Request { why, help: "ranks are counted from 0".to_owned() })
    }

    fn here(&self, what: &str, device: &Device) -> Result<()> {
        if device == self.device() {
            return Ok(());
        }
        Err(Error::Request {
            why: format!(
                "the {what} of rank {} lies on another device ({}) than the rank's ({})",
                self.rank(),
                device.info().id,
                self.device().info().id
            ),
            help: "allocate it on `communicator.device()`".to_owned(),
        })
    }
}
