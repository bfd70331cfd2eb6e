//! Distributed shared memory: arrays and mbarriers of other blocks of the cluster.

use super::handle::handle;
use super::mbarrier::{Mbarrier, word};
use super::part::{IntoPart, Part};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::memory::{Coordinates, Get, IndexValue, Locate, Place, Put, Shared};
use crate::number::{Element, Number};
use crate::value::Index;
use crate::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// The array of another block of the cluster: `tile.of_block(rank)[[y, x]]` reads and writes it, atomics take its elements.
#[derive(Debug)]
pub struct Remote<T, const D: usize> {
    pub(crate) part: Part<T, D>,
}

/// The mbarrier of another block of the cluster. One can arrive there; only its own block can wait.
#[derive(Debug)]
pub struct RemoteMbarrier {
    pub(crate) place: Place<u64>,
}

handle!(Remote<T>[D: usize]);
handle!(RemoteMbarrier);

/// Refuses what needs a cluster in a kernel that declares none.
pub(crate) fn needs_cluster(b: &mut Builder, what: &str) {
    if b.cluster.is_none() {
        b.error(
            format!("{what} needs a cluster, and this kernel declares none"),
            "write `#[kernel(cluster = (2, 1, 1))]`, with the blocks of a cluster in x, y and z",
        );
    }
}

impl<T: Element, const D: usize> Part<T, D> {
    /// The same part in the shared memory of block `rank` of the cluster (`mapa`).
    #[track_caller]
    pub fn of_block(self, rank: impl IndexValue) -> Remote<T, D> {
        here();
        with(|b| {
            needs_cluster(b, "the shared memory of another block");
            let rank = word(b, rank.parts());
            Remote { part: self.mapped(b, rank) }
        })
    }
}

impl<T: Element, const D: usize> Shared<T, D> {
    /// The array of block `rank` of the cluster (`mapa`).
    #[track_caller]
    pub fn of_block(self, rank: impl IndexValue) -> Remote<T, D> {
        self.into_part().of_block(rank)
    }
}

impl Mbarrier {
    /// The barrier of block `rank` of the cluster (`mapa`).
    #[track_caller]
    pub fn of_block(self, rank: impl IndexValue) -> RemoteMbarrier {
        here();
        RemoteMbarrier::of(self, rank.parts())
    }
}

impl RemoteMbarrier {
    pub(crate) fn of(barrier: Mbarrier, rank: Index) -> RemoteMbarrier {
        with(|b| {
            needs_cluster(b, "the barrier of another block");
            let rank = word(b, rank);
            RemoteMbarrier { place: barrier.part().mapped(b, rank).first }
        })
    }

    fn arrive_by(self, name: &str, count: Option<Index>) {
        with(|b| {
            let mut operands = vec![Operand::from("_"), self.place.operand(b)];
            if let Some(count) = count {
                let count = word(b, count);
                operands.push(b.operand(count, ScalarType::U32));
            }
            b.emit(&format!("mbarrier.{name}.release.cluster.shared::cluster.b64"), operands);
        });
    }

    /// Arrives without a fence for the whole cluster, which costs as much as one for the whole GPU: for a thread that
    /// has only read. The reads are over; no write of this thread is published (CUTLASS releases the stages of its
    /// pipelines so).
    pub(crate) fn arrive_after_reads(self) {
        with(|b| {
            let operands = vec![Operand::from("_"), self.place.operand(b)];
            b.emit("mbarrier.arrive.shared::cluster.b64", operands);
        });
    }

    /// Arrives: what this thread did before is seen by those who wait for the phase.
    #[track_caller]
    pub fn arrive(self) {
        here();
        self.arrive_by("arrive", None);
    }

    /// Announces bytes of copies to the barrier, and arrives.
    #[track_caller]
    pub fn arrive_expect(self, bytes: impl IndexValue) {
        here();
        self.arrive_by("arrive.expect_tx", Some(bytes.parts()));
    }
}

impl<T: Element, const D: usize> Remote<T, D> {
    /// The extents, outermost first.
    pub fn shape(&self) -> [u32; D] {
        self.part.dims
    }

    /// Four adjacent elements of the last axis in one access, which must be aligned to its size.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 8, cluster = 2)]
    /// fn example(out: &mut [u32]) {
    ///     let (t, tile) = (thread_idx.x, shared::<u32>(32));
    ///     let mine = 100 * cluster_rank() + t;
    ///     tile.store4((4 * t,), [mine, mine, mine, mine]);
    ///     cluster_sync();
    ///     let four = tile.of_block(1 - cluster_rank()).load4((4 * t,));
    ///     cluster_sync();
    ///     out.store4(32 * block_idx.x + 4 * t, four);
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(64)?;
    /// # example(&mut out).grid(2).block(8).launch(&device)?;
    /// assert_eq!(out.download()?[..8], [100, 100, 100, 100, 101, 101, 101, 101]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn load4(&self, at: impl Coordinates<T, D>) -> [Var<T>; 4] {
        here();
        self.part.vector(&at.coordinates(), 4).load_vector("")
    }
}

impl<T: Number, I, const D: usize> Locate<I> for Remote<T, D>
where
    Part<T, D>: Locate<I, Place = Place<T>>,
{
    type Place = Place<T>;
    #[track_caller]
    fn locate(&self, index: I) -> Place<T> {
        self.part.locate(index)
    }
}

impl<T: Number, I, const D: usize> Get<I> for Remote<T, D>
where
    Part<T, D>: Get<I, Output = Var<T>>,
{
    type Output = Var<T>;
    #[track_caller]
    fn get(&self, index: I) -> Var<T> {
        self.part.get(index)
    }
}

impl<T: Number, I, V: IntoVar<T>, const D: usize> Put<I, V> for Remote<T, D>
where
    Part<T, D>: Put<I, V>,
{
    #[track_caller]
    fn put(&self, index: I, value: V) {
        self.part.put(index, value);
    }
}
