//! Bulk copies: contiguous bytes between global and shared memory, or from one block's shared memory to another's of
//! its cluster (PTX manual, "cp.async.bulk"). They move multiples of 16 bytes between addresses aligned to 16.
//!
//! Also bulk groups, by which a thread waits for its bulk and tensor stores, and the fence that orders a thread's accesses before the
//! copy engine's.

use crate::asynchrony::mbarrier::{Signal, word};
use crate::asynchrony::part::{IntoPart, handle};
use crate::asynchrony::remote::{Remote, RemoteMbarrier};
use crate::data::place::Place;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Index, Value};
use crate::intrinsics::memory::{AtomicAdd, AtomicInteger};
use crate::memory::slice::{Slice, SliceMut, place_in_slice};
use crate::scalar::number::{Element, IndexValue};
use crate::scalar::var::Var;
use lanework_abi::IndexKind;
use lanework_ptx::{Operand, ScalarType};

/// Adjacent elements of a slice in global memory: `x.span(i, n)` are elements `i` to `i + n - 1`.
#[derive(Debug)]
pub struct Span<T> {
    place: Place<T>,
    count: Value,
}

/// Adjacent elements of a slice that the kernel may write: `y.span_mut(i, n)`.
///
/// ```
/// # use lanework::prelude::*;
/// /// A block's writes to its part of an array.
/// #[device]
/// fn publish(to: SpanMut<u32>, from: Shared<u32>) {
///     bulk_store(to, from);
///     bulk_commit();
///     bulk_wait(0);
/// }
///
/// #[kernel(block = 32)]
/// fn example(y: &mut [u32]) {
///     let tile = shared::<u32>(32);
///     tile[thread_idx.x] = thread_idx.x;
///     fence_proxy_async(); // all memory, not only shared memory
///     sync_threads();
///     if thread_idx.x == 0 {
///         publish(y.span_mut(0, 32), tile);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut y = device.zeros::<u32>(32)?;
/// # example(&mut y).grid(1).block(32).launch(&device)?;
/// assert_eq!(y.download()?[31], 31);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct SpanMut<T> {
    span: Span<T>,
}

handle!(Span<T>[]);
handle!(SpanMut<T>[]);

impl<T: Element> Span<T> {
    /// The number of bytes that an mbarrier expects.
    #[track_caller]
    pub fn bytes(self) -> Var<u32> {
        here();
        Var::new(with(|b| bytes::<T>(b, self.count)))
    }
}

fn bytes<T: Element>(b: &mut Builder, count: Value) -> Value {
    let size = Value::Constant(T::SCALAR.size().into());
    binary(b, Operation::Mul, ScalarType::U32, count, size)
}

macro_rules! spans {
    ($($slice:ident)*) => {$(
        impl<T: Element> $slice<T> {
            /// Elements `start` to `start + count - 1`, the source of a bulk copy. They are a multiple of 16 bytes, and `count` is
            /// at least 1.
            #[track_caller]
            pub fn span(self, start: impl IndexValue, count: impl IndexValue) -> Span<T> {
                here();
                with(|b| {
                    let (start, count) = (start.parts(), word(b, count.parts()));
                    if let Value::Constant(known) = count
                        && (known == 0 || !(known * u64::from(T::SCALAR.size())).is_multiple_of(16))
                    {
                        let size = T::SCALAR.size();
                        b.error(
                            format!("a bulk copy of {known} elements has {} bytes, not a multiple of 16", known * u64::from(size)),
                            format!("copy a multiple of {} elements", 16 / size.min(16)),
                        );
                    }
                    let place = place_in_slice::<T>(b, self.memory, start, count);
                    Span { place, count }
                })
            }
        }
    )*};
}

spans!(Slice SliceMut);

impl<T: Element> SliceMut<T> {
    /// Elements `start` to `start + count - 1`, the target of a bulk copy; see [`span`](SliceMut::span).
    #[track_caller]
    pub fn span_mut(self, start: impl IndexValue, count: impl IndexValue) -> SpanMut<T> {
        here();
        SpanMut { span: self.span(start, count) }
    }
}

/// Checks that `count` elements fit into the part of shared memory, and aligns it.
fn part<T: Element, const D: usize>(
    b: &mut Builder,
    part: impl IntoPart<T, D>,
    count: Value,
) -> Place<T> {
    let part = part.into_part();
    part.align(b, 16);
    let name = b.symbols[part.symbol].clone();
    let last = binary(b, Operation::Sub, ScalarType::U32, count, Value::Constant(1));
    let index = Index { value: last, ty: ScalarType::U32 };
    b.check(index, Value::Constant(part.len().into()), &name, IndexKind::SharedAxis(0));
    part.first
}

/// Starts to copy a span of global memory to the start of a part of shared memory, and announces its bytes to the barrier
/// (`cp.async.bulk.shared::cluster.global`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 64)]
/// fn example(x: &[f32], y: &mut [f32]) {
///     let values = shared::<f32>(64);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     if thread_idx.x == 0 {
///         let from = x.span(64 * block_idx.x, 64);
///         full.arrive_expect(from.bytes());
///         bulk_load(&values, from, &full);
///     }
///     filled.wait();
///     values[thread_idx.x] = 2.0 * values[thread_idx.x];
///     fence_proxy_async_shared();
///     sync_threads();
///     if thread_idx.x == 0 {
///         bulk_store(y.span_mut(64 * block_idx.x, 64), &values);
///         bulk_commit();
///         bulk_wait_read(0);
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let (x, mut y) = (device.upload(&[3.0f32; 128])?, device.zeros::<f32>(128)?);
/// # example(&x, &mut y).grid(2).block(64).launch(&device)?;
/// assert_eq!(y.download()?, [6.0; 128]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn bulk_load<T: Element, const D: usize>(
    to: impl IntoPart<T, D>,
    from: Span<T>,
    signal: impl Signal,
) {
    here();
    with(|b| {
        let to = part(b, to, from.count);
        let size = bytes::<T>(b, from.count);
        let operands = vec![
            to.operand(b),
            from.place.operand(b),
            b.operand(size, ScalarType::U32),
            signal.barrier().place.operand(b),
        ];
        b.emit("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", operands);
    });
}

fn store<T: Element, const D: usize>(
    to: SpanMut<T>,
    from: impl IntoPart<T, D>,
    verb: &str,
    op: &str,
) {
    with(|b| {
        let from = part(b, from, to.span.count);
        let size = bytes::<T>(b, to.span.count);
        let operands =
            vec![to.span.place.operand(b), from.operand(b), b.operand(size, ScalarType::U32)];
        b.emit(&format!("{verb}.async.bulk.global.shared::cta.bulk_group{op}"), operands);
    });
}

/// Starts to copy the start of a part of shared memory to a span of global memory; the thread waits for it by
/// [`bulk_wait`](crate::prelude::bulk_wait) (`cp.async.bulk.global.shared::cta`).
#[track_caller]
pub fn bulk_store<T: Element, const D: usize>(to: SpanMut<T>, from: impl IntoPart<T, D>) {
    here();
    store(to, from, "cp", "");
}

/// Starts to add the start of a part of shared memory to a span of global memory
/// (`cp.reduce.async.bulk.global.shared::cta.bulk_group.add`).
#[track_caller]
pub fn bulk_add<T: AtomicAdd, const D: usize>(to: SpanMut<T>, from: impl IntoPart<T, D>) {
    here();
    let ty = match T::SCALAR {
        ScalarType::S64 => "u64",
        other => other.name(),
    };
    store(to, from, "cp.reduce", &format!(".add.{ty}"));
}

macro_rules! reductions {
    ($($name:ident $op:literal $typed:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name<T: AtomicInteger, const D: usize>(to: SpanMut<T>, from: impl IntoPart<T, D>) {
            here();
            let ty = match (<T as crate::scalar::var::Scalar>::SCALAR, $typed) {
                (ty, true) => ty.name(),
                (ty, false) if ty.size() == 8 => "b64",
                _ => "b32",
            };
            store(to, from, "cp.reduce", &format!(".{}.{ty}", $op));
        }
    )*};
}

reductions! {
    bulk_min "min" true "Starts to replace the elements of a span of global memory by element-wise minima with a part of shared memory.";
    bulk_max "max" true "Starts to replace the elements of a span of global memory by element-wise maxima with a part of shared memory.";
    bulk_and "and" false "Starts to combine the elements of a span of global memory with a part of shared memory by `&`.";
    bulk_or "or" false "Starts to combine the elements of a span of global memory with a part of shared memory by `|`.";
    bulk_xor "xor" false "Starts to combine the elements of a span of global memory with a part of shared memory by `^`.";
}

/// Prefetches a span of global memory into the L2 cache (`cp.async.bulk.prefetch.L2.global`).
#[track_caller]
pub fn bulk_prefetch<T: Element>(from: Span<T>) {
    here();
    with(|b| {
        let size = bytes::<T>(b, from.count);
        let operands = vec![from.place.operand(b), b.operand(size, ScalarType::U32)];
        b.emit("cp.async.bulk.prefetch.L2.global", operands);
    });
}

/// Starts to copy a whole part of this block's shared memory to another block of the cluster, and signals the bytes to
/// that block's barrier (`cp.async.bulk.shared::cluster.shared::cta`).
///
/// ```
/// # use lanework::prelude::*;
/// /// Each block sends its tile to the other one.
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let mine = shared::<u32>(32);
///     let other = shared::<u32>(32);
///     let full = mbarrier(1);
///     let filled = full.waiter();
///     mine[thread_idx.x] = 100 * cluster_rank() + thread_idx.x;
///     fence_proxy_async_shared();
///     sync_threads();
///     if thread_idx.x == 0 {
///         full.arrive_expect(other.bytes());
///         let peer = 1 - cluster_rank();
///         bulk_send(other.of_block(peer), &mine, full.of_block(peer));
///     }
///     filled.wait();
///     out[32 * block_idx.x + thread_idx.x] = other[thread_idx.x];
///     cluster_sync(); // no block exits while another one sends to it
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(2).block(32).launch(&device)?;
/// assert_eq!(out.download()?[31..33], [131, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn bulk_send<T: Element, const D: usize, const E: usize>(
    to: Remote<T, D>,
    from: impl IntoPart<T, E>,
    signal: RemoteMbarrier,
) {
    here();
    let from = from.into_part();
    with(|b| {
        from.align(b, 16);
        to.part.align(b, 16);
        if from.len() > to.part.len() || !from.bytes().is_multiple_of(16) {
            b.error(
                format!("{} elements are sent to a part of {}", from.len(), to.part.len()),
                "send a multiple of 16 bytes, at most as many as there is room for",
            );
        }
        let operands = vec![
            to.part.first.operand(b),
            from.first.operand(b),
            Operand::integer(from.bytes()),
            signal.place.operand(b),
        ];
        b.emit("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", operands);
    });
}

/// Commits the bulk and tensor stores and reductions that this thread started since the last call as one group
/// (`cp.async.bulk.commit_group`).
#[track_caller]
pub fn bulk_commit() {
    here();
    with(|b| b.emit("cp.async.bulk.commit_group", vec![]));
}

/// Waits until all but the latest `pending` groups of this thread are complete (`cp.async.bulk.wait_group`): their
/// results may be read.
#[track_caller]
pub fn bulk_wait(pending: u32) {
    here();
    with(|b| b.emit("cp.async.bulk.wait_group", vec![Operand::integer(pending)]));
}

/// Waits until all but the latest `pending` groups of this thread have read shared memory
/// (`cp.async.bulk.wait_group.read`): their sources may be overwritten, but their targets may not be written yet.
#[track_caller]
pub fn bulk_wait_read(pending: u32) {
    here();
    with(|b| b.emit("cp.async.bulk.wait_group.read", vec![Operand::integer(pending)]));
}

/// Orders this thread's accesses to shared memory before the accesses of copies that start after it, in this thread
/// or, after a barrier, in another (`fence.proxy.async.shared::cta`). Use it between writing a tile and storing it.
#[track_caller]
pub fn fence_proxy_async_shared() {
    here();
    with(|b| b.emit("fence.proxy.async.shared::cta", vec![]));
}

/// [`fence_proxy_async_shared`] for all memory (`fence.proxy.async`).
#[track_caller]
pub fn fence_proxy_async() {
    here();
    with(|b| b.emit("fence.proxy.async", vec![]));
}
