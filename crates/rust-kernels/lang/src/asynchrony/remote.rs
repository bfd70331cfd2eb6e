//! Distributed shared memory: arrays and mbarriers of other blocks of the cluster.
//!
//! Also asynchronous stores and reductions to another block's shared memory, which signal their bytes to
//! an mbarrier on completion (PTX manual, "st.async", "red.async").

use crate::asynchrony::mbarrier::{Mbarrier, word};
use crate::asynchrony::part::{IntoPart, Part, handle};
use crate::data::place::{Place, Space};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Index;
use crate::intrinsics::memory::AtomicInteger;
use crate::memory::access::Coordinates;
use crate::memory::registers::{Get, Locate, Put};
use crate::memory::shared::Shared;
use crate::scalar::number::{Element, IndexValue, Number};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// The array of another block of the cluster: `tile.of_block(rank)[[y, x]]` reads or writes an element, and atomics accept
/// its elements.
#[derive(Debug)]
pub struct Remote<T, const D: usize> {
    pub(crate) part: Part<T, D>,
}

/// An mbarrier of another block of the cluster. Any block can arrive at it; only its own block can wait.
#[derive(Debug)]
pub struct RemoteMbarrier {
    pub(crate) place: Place<u64>,
}

handle!(Remote<T>[D: usize]);
handle!(RemoteMbarrier);

/// Reports `what` in a kernel that declares no cluster.
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

    /// Arrives without a fence at cluster scope, because such a fence costs as much as one at device scope. For a
    /// thread that has only read, and so has no writes to publish (CUTLASS releases pipeline stages in the same way).
    pub(crate) fn arrive_after_reads(self) {
        with(|b| {
            let operands = vec![Operand::from("_"), self.place.operand(b)];
            b.emit("mbarrier.arrive.shared::cluster.b64", operands);
        });
    }

    /// Arrives; threads that wait for the phase see this thread's earlier accesses.
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

/// Reports an error if the place is in this block, or if the instruction does not support the element's size.
fn check<T: Element>(b: &mut Builder, to: Place<T>, sizes: &[u32], what: &str) {
    needs_cluster(b, what);
    if to.space != Space::Cluster {
        b.error(
            format!("{what} goes to the shared memory of another block, and this place is not there"),
            "write `&mut tile.of_block(rank)[i]`; the own block's memory is written by an ordinary store",
        );
    }
    if !sizes.contains(&T::SCALAR.size()) {
        let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
        b.error(
            format!(
                "{what} takes elements of {} bytes, not of {}",
                sizes.join(" or "),
                T::SCALAR.size()
            ),
            "store elements of this size, or copy a whole part by `bulk_send`",
        );
    }
}

fn emit<T: Element>(name: &str, to: Place<T>, value: impl IntoVar<T>, signal: RemoteMbarrier) {
    let value = value.into_var().value;
    with(|b| {
        let operands = vec![to.operand(b), b.operand(value, T::SCALAR), signal.place.operand(b)];
        b.emit(name, operands);
    });
}

/// Starts to store a value of 4 or 8 bytes into another block's shared memory, and signals its bytes to `signal`, a barrier of the
/// same block (`st.async`). Threads that wait for that barrier see the value; no other synchronization is needed.
///
/// ```
/// # use lanework::prelude::*;
/// /// Each thread sends a value to the next block of the cluster.
/// #[kernel(block = 32, cluster = 4)]
/// fn example(out: &mut [u32]) {
///     let inbox = shared::<u32>(32);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     let next = (cluster_rank() + 1) % cluster_size();
///     if thread_idx.x == 0 {
///         full.arrive_expect(inbox.bytes()); // expect 32 values of 4 bytes
///     }
///     let value = 100 * cluster_rank() + thread_idx.x;
///     store_async(&mut inbox.of_block(next)[thread_idx.x], value, full.of_block(next));
///     filled.wait();
///     out[32 * block_idx.x + thread_idx.x] = inbox[thread_idx.x];
///     cluster_sync(); // no block exits while another one stores to it
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(128)?;
/// # example(&mut out).grid(4).block(32).launch(&device)?;
/// assert_eq!((out.download()?[0], out.download()?[33]), (300, 1));
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn store_async<T: Element>(to: Place<T>, value: impl IntoVar<T>, signal: RemoteMbarrier) {
    here();
    with(|b| check(b, to, &[4, 8], "an asynchronous store"));
    let name =
        format!("st.async.shared::cluster.mbarrier::complete_tx::bytes.{}", T::SCALAR.name());
    emit(&name, to, value, signal);
}

/// Starts to add to an integer of 4 or 8 bytes in another block's shared memory, and signals its bytes to the barrier
/// (`red.async.add`).
///
/// ```
/// # use lanework::prelude::*;
/// /// The first block of a cluster counts the threads of all.
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let count = shared::<u32>(1);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     if thread_idx.x == 0 {
///         count[0] = 0;
///         full.arrive_expect(64 * 4); // 64 additions of 4 bytes
///     }
///     cluster_sync();
///     add_async(&mut count.of_block(0)[0], 1, full.of_block(0));
///     if cluster_rank() == 0 {
///         filled.wait();
///         if thread_idx.x == 0 {
///             out[cluster_idx.x] = count[0];
///         }
///     }
///     cluster_sync();
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(3)?;
/// # example(&mut out).grid(6).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [64; 3]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn add_async<T: AtomicInteger>(to: Place<T>, value: impl IntoVar<T>, signal: RemoteMbarrier) {
    here();
    with(|b| check(b, to, &[4, 8], "an asynchronous addition"));
    // In two's complement, unsigned addition also adds signed integers.
    let ty = match T::SCALAR.size() {
        8 => ScalarType::U64,
        _ => T::SCALAR,
    };
    emit(&reduction("add", ty.name()), to, value, signal);
}

fn reduction(op: &str, ty: &str) -> String {
    format!("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{ty}")
}

macro_rules! reductions {
    ($($name:ident $op:literal $typed:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// As [`add_async`], for integers of 4 bytes.
        #[track_caller]
        pub fn $name<T: AtomicInteger>(to: Place<T>, value: impl IntoVar<T>, signal: RemoteMbarrier) {
            here();
            with(|b| check(b, to, &[4], concat!("an asynchronous `", $op, "`")));
            let ty = if $typed { T::SCALAR.name() } else { "b32" };
            emit(&reduction($op, ty), to, value, signal);
        }
    )*};
}

reductions! {
    min_async "min" true "Starts to replace an integer in another block's shared memory by its minimum with `value` (`red.async.min`).";
    max_async "max" true "Starts to replace an integer in another block's shared memory by its maximum with `value` (`red.async.max`).";
    and_async "and" false "Starts to combine an integer in another block's shared memory with `value` by `&` (`red.async.and`).";
    or_async "or" false "Starts to combine an integer in another block's shared memory with `value` by `|` (`red.async.or`).";
    xor_async "xor" false "Starts to combine an integer in another block's shared memory with `value` by `^` (`red.async.xor`).";
}
