//! The two sides of a pipeline: producers fill stages, consumers empty them. Each thread tracks its position in the ring: the next
//! stage, and the parity of its barrier's phase.

use crate::asynchrony::mbarrier::{Mbarrier, Mbarriers, Signal, word};
use crate::asynchrony::part::handle;
use crate::asynchrony::remote::RemoteMbarrier;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Register, Value};
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::IndexValue;
use crate::scalar::var::{Read, Var};
use lanework_ptx::ScalarType;

/// The next stage and the parity to wait for, in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    /// The barriers to wait at.
    waits: Mbarriers,
    stage: Register,
    parity: Register,
    stages: u32,
    near: bool,
}

impl Ring {
    /// A position before stage 0. The first wait at its barrier in `waits` uses this parity.
    pub(crate) fn new(waits: Mbarriers, stages: u32, parity: u64, near: bool) -> Ring {
        with(|b| {
            let mut register = |value| {
                let register = b.register(ScalarType::U32, true);
                b.assign(register, Value::Constant(value), ScalarType::U32);
                register
            };
            Ring { waits, stage: register(0), parity: register(parity), stages, near }
        })
    }

    /// The number of stages.
    pub(crate) fn stages(self) -> u32 {
        self.stages
    }

    /// Waits for the next stage, advances past it, and returns it.
    pub(crate) fn next(self) -> Var<u32> {
        let stage = Var::<u32>::new(Value::Register(self.stage)).copy();
        with(|b| {
            let index = Index { value: stage.value, ty: ScalarType::U32 };
            let barrier = self.waits.element(b, Some(index));
            barrier.wait_parity(b, Value::Register(self.parity), self.near);
            self.advance(b, stage.value);
        });
        stage
    }

    /// Advances by this many stages.
    pub(crate) fn skip(self, b: &mut Builder, by: Value) {
        let (ty, stages) = (ScalarType::U32, Value::Constant(self.stages.into()));
        let ahead = binary(b, Operation::Add, ty, Value::Register(self.stage), by);
        let rounds = binary(b, Operation::Div, ty, ahead, stages);
        let stage = binary(b, Operation::Rem, ty, ahead, stages);
        let flip = binary(b, Operation::And, ty, rounds, Value::Constant(1));
        let parity = binary(b, Operation::Xor, ty, Value::Register(self.parity), flip);
        b.assign(self.stage, stage, ty);
        b.assign(self.parity, parity, ty);
    }

    /// Advances from `stage` to the next one, or from the last one to the first in the next phase.
    fn advance(self, b: &mut Builder, stage: Value) {
        let (word, one) = (ScalarType::U32, Value::Constant(1));
        let next = binary(b, Operation::Add, word, stage, one);
        let last = relate(b, Relation::Eq, word, next, Value::Constant(self.stages.into()));
        let select = |b: &mut Builder, yes, no| {
            b.pure("selp.b32", word, &[(yes, word), (no, word), (last, ScalarType::Pred)])
        };
        let wrapped = select(b, Value::Constant(0), next);
        let flip = select(b, one, Value::Constant(0));
        let parity = binary(b, Operation::Xor, word, Value::Register(self.parity), flip);
        b.assign(self.stage, wrapped, word);
        b.assign(self.parity, parity, word);
    }

    /// The stage `by` stages before this one.
    pub(crate) fn before(self, by: u32) -> Var<u32> {
        Var::new(with(|b| {
            let (word, back) = (ScalarType::U32, u64::from(by % self.stages));
            // No division is needed, because the stage is below the number of stages.
            let stage = Value::Register(self.stage);
            let minus = binary(b, Operation::Sub, word, stage, Value::Constant(back));
            let around = Value::Constant(u64::from(self.stages) - back);
            let plus = binary(b, Operation::Add, word, stage, around);
            let inside = relate(b, Relation::Ge, word, stage, Value::Constant(back));
            let inputs = [(minus, word), (plus, word), (inside, ScalarType::Pred)];
            b.pure("selp.b32", word, &inputs)
        }))
    }
}

/// The barrier of a stage.
pub(crate) fn element(barriers: Mbarriers, stage: Var<u32>) -> Mbarrier {
    with(|b| barriers.element(b, Some(Index { value: stage.value, ty: ScalarType::U32 })))
}

/// The side that fills stages: one per thread that produces.
#[derive(Debug)]
pub struct Producer {
    ring: Ring,
    full: Mbarriers,
}

/// A stage that a producer fills, and that copies signal.
#[derive(Debug)]
pub struct Filling {
    /// The number of the stage, from 0.
    pub index: Var<u32>,
    full: Mbarrier,
}

handle!(Producer);
handle!(Filling);

impl Producer {
    pub(crate) fn new(ring: Ring, full: Mbarriers) -> Producer {
        Producer { ring, full }
    }

    /// Waits until the next stage is empty. After filling it, call [`Filling::commit`] or [`Filling::arrive_expect`].
    #[track_caller]
    pub fn acquire(self) -> Filling {
        here();
        let index = self.ring.next();
        Filling { index, full: element(self.full, index) }
    }

    /// Waits until the next stage is empty, and announces the bytes that copies will bring: the stage is full when all bytes have been
    /// copied.
    #[track_caller]
    pub fn acquire_for(self, bytes: impl IndexValue) -> Filling {
        here();
        let filling = self.acquire();
        filling.arrive_expect(bytes);
        filling
    }

    /// Waits until consumers have released every stage. If other blocks arrive at a block's barriers, the block calls this before it
    /// exits.
    #[track_caller]
    pub fn drain(self) {
        here();
        for _ in 0..self.ring.stages() {
            self.ring.next();
        }
    }
}

impl Filling {
    /// Signals that this thread has filled the stage.
    #[track_caller]
    pub fn commit(self) {
        self.full.arrive();
    }

    /// Signals that this thread has filled the stage once the copies that it started by
    /// [`cp_async`](crate::prelude::cp_async) are complete; the thread does not wait.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Every thread copies a word and reads another one while the next copies are in flight.
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

/// The side that empties stages: one per thread that consumes.
#[derive(Debug)]
pub struct Consumer {
    ring: Ring,
    empty: Mbarriers,
}

/// A stage that is full: a consumer reads it, then releases it.
#[derive(Debug)]
pub struct Filled {
    /// The number of the stage, from 0.
    pub index: Var<u32>,
    empty: Mbarrier,
}

handle!(Consumer);
handle!(Filled);

impl Consumer {
    pub(crate) fn new(ring: Ring, empty: Mbarriers) -> Consumer {
        Consumer { ring, empty }
    }

    /// Waits until the next stage is full.
    #[track_caller]
    pub fn wait(self) -> Filled {
        here();
        let index = self.ring.next();
        Filled { index, empty: element(self.empty, index) }
    }

    /// Skips the next `stages` stages, which another consumer waits for and releases.
    ///
    /// A stage's barrier reports only whether its last phase has ended. So before this thread waits for a stage, it must have
    /// waited for the stage's previous phase, or the other consumer must have, with a barrier after it.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// The last warp loads rows. The others take turns adding two rows each: each owns two of the four stages.
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

    /// Releases the stage before the one that the last [`wait`](Self::wait) returned, for a consumer that starts the
    /// products of the next stage while this stage's products still run.
    #[track_caller]
    pub fn release_previous(self) {
        here();
        self.previous().arrive();
    }

    /// Releases the stage that the last [`wait`](Self::wait) returned, as its `release` does.
    #[track_caller]
    pub fn release_last(self) {
        here();
        self.before(1).arrive();
    }

    /// [`release_previous`](Self::release_previous) for a producer in block `rank` of the cluster that fills this
    /// block's stages by multicast.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// /// Both blocks of a cluster read the data that the first one loads, and signal it when a stage is free.
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

    /// The barrier of the stage before the one that the last `wait` returned.
    fn previous(self) -> Mbarrier {
        self.before(2)
    }

    /// The barrier of the stage `by` (1 or 2) stages before the next one. The last `wait` returned the stage 1 before it.
    fn before(self, by: u32) -> Mbarrier {
        element(self.empty, self.ring.before(by))
    }
}

impl Filled {
    /// Signals that this thread has read the stage.
    #[track_caller]
    pub fn release(self) {
        self.empty.arrive();
    }

    /// Signals to the producer in block `rank` of the cluster, which fills this block's stage by multicast, that this
    /// thread has read it.
    #[track_caller]
    pub fn release_to(self, rank: impl IndexValue) {
        here();
        RemoteMbarrier::of(self.empty, rank.parts()).arrive_after_reads();
    }
}
