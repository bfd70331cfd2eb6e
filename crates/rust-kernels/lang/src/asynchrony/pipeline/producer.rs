//! The side of a pipeline that fills stages.

use super::ring::{Ring, element};
use crate::asynchrony::handle::handle;
use crate::asynchrony::mbarrier::{Mbarrier, Mbarriers, Signal};
use crate::current::here;
use crate::memory::IndexValue;
use crate::var::Var;

/// The side that fills stages: one per thread that produces.
#[derive(Debug)]
pub struct Producer {
    ring: Ring,
    full: Mbarriers,
}

/// A stage that a producer fills: what copies signal.
#[derive(Debug)]
pub struct Filling {
    /// The stage, 0 to one less than there are.
    pub index: Var<u32>,
    full: Mbarrier,
}

handle!(Producer);
handle!(Filling);

impl Producer {
    pub(super) fn new(ring: Ring, full: Mbarriers) -> Producer {
        Producer { ring, full }
    }

    /// Waits until the next stage is empty. What then fills it ends with [`Filling::commit`] or
    /// [`Filling::arrive_expect`].
    #[track_caller]
    pub fn acquire(self) -> Filling {
        here();
        let index = self.ring.next();
        Filling { index, full: element(self.full, index) }
    }

    /// Waits until the next stage is empty, and announces the bytes that copies will bring: the stage is full when all of
    /// them are there.
    #[track_caller]
    pub fn acquire_for(self, bytes: impl IndexValue) -> Filling {
        here();
        let filling = self.acquire();
        filling.arrive_expect(bytes);
        filling
    }

    /// Waits until consumers have released every stage: before a block leaves whose barriers other blocks arrive at.
    #[track_caller]
    pub fn drain(self) {
        here();
        for _ in 0..self.ring.stages() {
            self.ring.next();
        }
    }
}

impl Filling {
    /// The stage is filled as far as this thread is concerned.
    #[track_caller]
    pub fn commit(self) {
        self.full.arrive();
    }

    /// The stage is filled as far as this thread is concerned once the copies that it has started by
    /// [`cp_async`](crate::prelude::cp_async) are there; the thread goes on.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Every thread copies a word and reads another one, and the next copies are on their way meanwhile.
    /// #[kernel(block = 32)]
    /// fn example(x: &[u32], out: &mut [u32], rows: u32) {
    ///     let (t, buffers, pipe) = (thread_idx.x, shared::<u32>([2, 32]), pipeline(2, 32, 32));
    ///     let (producer, consumer) = (pipe.producer(), pipe.consumer());
    ///     let mut sum = 0u32;
    ///     for row in 0..rows + 1 {
    ///         if row < rows {
    ///             let slot = producer.acquire();
    ///             cp_async::<4, _>(&mut buffers[[slot.index, t]], &x[32 * row + t]);
    ///             slot.commit_after_copies();
    ///         }
    ///         if row > 0 {
    ///             let slot = consumer.wait();
    ///             sum += buffers[[slot.index, 31 - t]];
    ///             slot.release();
    ///         }
    ///     }
    ///     out[t] = sum;
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let (x, mut out) = (device.upload(&[2u32; 320])?, device.zeros::<u32>(32)?);
    /// # example(&x, &mut out, 10).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [20; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn commit_after_copies(self) {
        self.full.arrive_after_copies();
    }

    /// Announces the bytes that copies bring, and arrives.
    #[track_caller]
    pub fn arrive_expect(self, bytes: impl IndexValue) {
        self.full.arrive_expect(bytes);
    }
}

impl Signal for Filling {
    fn barrier(self) -> Mbarrier {
        self.full
    }
}
