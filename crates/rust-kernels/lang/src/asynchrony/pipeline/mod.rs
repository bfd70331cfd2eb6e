//! Pipelines: a ring of stages in shared memory that producers fill and consumers empty, with a full and an empty mbarrier
//! per stage. A producer acquires a stage; a consumer waits for one and releases it. The types track the next stage and
//! the phase of its barrier.

pub(crate) mod ends;

use crate::asynchrony::pipeline::ends::{Consumer, Producer, Ring};

use crate::asynchrony::mbarrier::Mbarriers;
use crate::asynchrony::part::handle;
use crate::emit::current::{here, with};
use crate::scalar::number::{Extent, IndexValue};

/// The barriers of a ring of stages.
///
/// ```
/// # use lanework::prelude::*;
/// /// Threads fill the stages with plain stores. A stage is released when the next one is full.
/// #[kernel(block = 64, cluster = 1)]
/// fn example(x: &[u32], out: &mut [u32], rows: u32) {
///     let buffers = shared::<u32>([2, 32]);
///     let pipe = pipeline(2, 32, 32);
///     let t = thread_idx.x;
///     if t >= 32 {
///         let producer = pipe.producer();
///         for row in 0..rows {
///             let slot = producer.acquire();
///             buffers[[slot.index, t - 32]] = x[32 * row + t - 32];
///             slot.commit();
///         }
///         producer.drain(); // every stage has been released
///     } else {
///         let consumer = pipe.consumer();
///         let mut sum = 0;
///         for row in 0..rows {
///             let slot = consumer.wait();
///             sum += buffers[[slot.index, t]];
///             if row > 0 {
///                 consumer.release_previous();
///             }
///             if row + 1 == rows {
///                 consumer.release_last(); // or `slot.release()`
///             }
///         }
///         out[t] = sum * pipe.stages();
///     }
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1u32; 32 * 10])?;
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&x, &mut out, 10).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?, [20; 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    full: Mbarriers,
    empty: Mbarriers,
    stages: u32,
    /// Whether only this block fills and empties the stages.
    near: bool,
}

handle!(Pipeline);
/// A ring of 1 to 64 stages: a stage is full after `producers` arrivals (1 if one thread announces the bytes of copies)
/// and empty after `consumers` releases. Both must be known before the kernel's first statement.
///
/// ```
/// # use lanework::prelude::*;
/// /// The last warp loads rows, the first adds them up.
/// #[kernel(block = 64)]
/// fn example(x: &[u32], rows: u32, out: &mut [u32]) {
///     let buffers = shared::<u32>([3, 32]);
///     let pipe = pipeline(3, 1, 32);
///     if thread_idx.x == 32 {
///         let producer = pipe.producer();
///         for row in 0..rows {
///             let slot = producer.acquire_for(128); // waits until it is empty, announces 128 bytes
///             bulk_load(buffers.slab(slot.index), x.span(32 * row, 32), slot);
///         }
///     }
///     if thread_idx.x < 32 {
///         let consumer = pipe.consumer();
///         let mut sum = 0u32;
///         for _ in 0..rows {
///             let slot = consumer.wait();
///             sum += buffers[[slot.index, thread_idx.x]];
///             slot.release();
///         }
///         out[thread_idx.x] = sum;
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let (x, mut out) = (device.upload(&[2u32; 320])?, device.zeros::<u32>(32)?);
/// # example(&x, 10, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?, [20; 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn pipeline(
    stages: impl Extent,
    producers: impl IndexValue,
    consumers: impl IndexValue,
) -> Pipeline {
    here();
    let stages = stages.extent().and_then(|n| u32::try_from(n).ok());
    with(|b| {
        let stages = stages.filter(|n| (1..=64).contains(n)).unwrap_or_else(|| {
            b.error("a pipeline has 1 to 64 stages", "use a number in this range");
            1
        });
        let full = Mbarriers::declare(b, stages, producers.parts(), "full");
        let empty = Mbarriers::declare(b, stages, consumers.parts(), "empty");
        Pipeline { full, empty, stages, near: false }
    })
}

impl Pipeline {
    /// This thread as a producer, before the first stage. Every stage is empty at first.
    #[track_caller]
    pub fn producer(self) -> Producer {
        here();
        Producer::new(self.ring(self.empty, 1), self.full)
    }

    /// This thread as a consumer, before the first stage.
    #[track_caller]
    pub fn consumer(self) -> Consumer {
        here();
        Consumer::new(self.ring(self.full, 0), self.empty)
    }

    fn ring(self, waits: Mbarriers, parity: u64) -> Ring {
        Ring::new(waits, self.stages, parity, self.near)
    }

    /// For a kernel with clusters in which each block fills and empties its own stages: waits then acquire at block scope,
    /// which is faster than at cluster scope.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32, cluster = 2)]
    /// fn example(x: &[u32], out: &mut [u32], rows: u32) {
    ///     let (t, buffers) = (thread_idx.x, shared::<u32>([2, 32]));
    ///     let pipe = pipeline(2, 1, 32).within_block();
    ///     let (producer, consumer) = (pipe.producer(), pipe.consumer());
    ///     let mut sum = cluster_rank();
    ///     for row in 0..rows {
    ///         if t == 0 {
    ///             let slot = producer.acquire_for(128);
    ///             bulk_load(buffers.slab(slot.index), x.span(32 * row, 32), slot);
    ///         }
    ///         let slot = consumer.wait();
    ///         sum += buffers[[slot.index, t]];
    ///         slot.release();
    ///     }
    ///     out[32 * block_idx.x + t] = sum;
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let (x, mut out) = (device.upload(&[2u32; 320])?, device.zeros::<u32>(64)?);
    /// # example(&x, &mut out, 10).grid(2).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[31..33], [20, 21]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn within_block(self) -> Pipeline {
        Pipeline { near: true, ..self }
    }

    /// The number of stages.
    pub fn stages(self) -> u32 {
        self.stages
    }
}
