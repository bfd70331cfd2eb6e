//! The side of a pipeline that empties stages.

use super::ring::{Ring, element};
use crate::asynchrony::handle::handle;
use crate::asynchrony::mbarrier::{Mbarrier, Mbarriers, word};
use crate::asynchrony::remote::RemoteMbarrier;
use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::var::Var;

/// The side that empties stages: one per thread that consumes.
#[derive(Debug)]
pub struct Consumer {
    ring: Ring,
    empty: Mbarriers,
}

/// A stage that is full: a consumer reads it, then releases it.
#[derive(Debug)]
pub struct Filled {
    /// The stage, 0 to one less than there are.
    pub index: Var<u32>,
    empty: Mbarrier,
}

handle!(Consumer);
handle!(Filled);

impl Consumer {
    pub(super) fn new(ring: Ring, empty: Mbarriers) -> Consumer {
        Consumer { ring, empty }
    }

    /// Waits until the next stage is full.
    #[track_caller]
    pub fn wait(self) -> Filled {
        here();
        let index = self.ring.next();
        Filled { index, empty: element(self.empty, index) }
    }

    /// Leaves out the next `stages` stages, which another consumer waits for and releases.
    ///
    /// A stage's barrier tells only whether its last phase has ended: this thread may wait for a stage when what filled it before has
    /// been waited for, by itself or, with a barrier in between, by the other consumer.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// The last warp fetches rows, the others take turns to add two of them: each has two of the four stages.
    /// #[kernel(block = 96)]
    /// fn example(x: &[u32], rows: u32, out: &mut [u32]) {
    ///     let (buffers, warp, lane) = (shared::<u32>([4, 32]), thread_idx.x / 32, thread_idx.x % 32);
    ///     let pipe = pipeline(4, 1, 32);
    ///     if thread_idx.x == 64 {
    ///         let producer = pipe.producer();
    ///         for row in 0..rows {
    ///             let slot = producer.acquire_for(128);
    ///             bulk_load(buffers.slab(slot.index), x.span(32 * row, 32), slot);
    ///         }
    ///     }
    ///     if warp < 2 {
    ///         let consumer = pipe.consumer();
    ///         consumer.skip(2 * warp);
    ///         for pair in (warp..rows / 2).step_by(2) {
    ///             let slot = consumer.wait();
    ///             let mut sum = buffers[[slot.index, lane]];
    ///             slot.release();
    ///             let slot = consumer.wait();
    ///             sum += buffers[[slot.index, lane]];
    ///             slot.release();
    ///             consumer.skip(2);
    ///             out[32 * pair + lane] = sum;
    ///         }
    ///     }
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let x: Vec<u32> = (0..32 * 10).map(|i| i / 32).collect();
    /// # let (x, mut out) = (device.upload(&x)?, device.zeros::<u32>(32 * 5)?);
    /// # example(&x, 10, &mut out).grid(1).block(96).launch(&device)?;
    /// assert_eq!(out.download()?, (0..5).flat_map(|i| [4 * i + 1; 32]).collect::<Vec<u32>>());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn skip(self, stages: impl IndexValue) {
        here();
        with(|b| {
            let stages = word(b, stages.parts());
            self.ring.skip(b, stages);
        });
    }

    /// Releases the stage before the one that the last [`wait`](Self::wait) gave: for a consumer whose
    /// products of that stage are still running while it has started those of the next one.
    #[track_caller]
    pub fn release_previous(self) {
        here();
        self.previous().arrive();
    }

    /// Releases the stage that the last [`wait`](Self::wait) gave, as its `release` does.
    #[track_caller]
    pub fn release_last(self) {
        here();
        self.before(1).arrive();
    }

    /// [`release_previous`](Self::release_previous) for the producer in block `rank` of the cluster, which fills this
    /// block's stages by multicast.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Both blocks of a cluster read what the first one fetches; each tells it when a stage is free.
    /// #[kernel(block = 32, cluster = 2)]
    /// fn example(x: &TensorMap<u32, 1>, out: &mut [u32], rows: u32) {
    ///     let (t, buffers) = (thread_idx.x, shared::<u32>([2, 32]));
    ///     let pipe = pipeline(2, 1, 2 * 32);
    ///     let (producer, consumer) = (pipe.producer(), pipe.consumer());
    ///     let mut sum = 0;
    ///     for row in 0..rows {
    ///         if t == 0 {
    ///             let slot = producer.acquire_for(128);
    ///             let half = buffers.slab(slot.index);
    ///             if cluster_rank() == 0 {
    ///                 x.multicast(0b11).load(half, 32 * row, slot);
    ///             }
    ///         }
    ///         let slot = consumer.wait();
    ///         sum += buffers[[slot.index, t]];
    ///         sync_threads();
    ///         if row > 0 {
    ///             consumer.release_previous_to(0);
    ///             consumer.release_previous_to(1);
    ///         }
    ///         if row + 1 == rows {
    ///             slot.release_to(0);
    ///             consumer.release_last_to(1); // or `slot.release_to(1)`
    ///         }
    ///     }
    ///     out[32 * block_idx.x + t] = sum;
    ///     cluster_sync();
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[1u32; 32 * 4])?;
    /// # let mut out = device.zeros::<u32>(64)?;
    /// let map = TensorMap::new(&x, &Tiles::new([32 * 4], [32]))?;
    /// example(&map, &mut out, 4).grid(2).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [4; 64]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn release_previous_to(self, rank: impl IndexValue) {
        here();
        RemoteMbarrier::of(self.previous(), rank.parts()).arrive_after_reads();
    }

    /// [`release_last`](Self::release_last) for the producer in block `rank` of the cluster.
    #[track_caller]
    pub fn release_last_to(self, rank: impl IndexValue) {
        here();
        RemoteMbarrier::of(self.before(1), rank.parts()).arrive_after_reads();
    }

    /// The barrier of the stage before the one that the last `wait` gave.
    fn previous(self) -> Mbarrier {
        self.before(2)
    }

    /// The barrier of the stage `by`, 1 or 2, before the next one, which is after the one that `wait` gave.
    fn before(self, by: u32) -> Mbarrier {
        element(self.empty, self.ring.before(by))
    }
}

impl Filled {
    /// This thread has read the stage.
    #[track_caller]
    pub fn release(self) {
        self.empty.arrive();
    }

    /// Tells the producer in block `rank` of the cluster, which fills this block's stage by multicast, that this thread
    /// has read it.
    #[track_caller]
    pub fn release_to(self, rank: impl IndexValue) {
        here();
        RemoteMbarrier::of(self.empty, rank.parts()).arrive_after_reads();
    }
}
