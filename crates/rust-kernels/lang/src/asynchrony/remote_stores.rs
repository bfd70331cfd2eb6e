//! Asynchronous stores to the shared memory of another block of the cluster, and reductions there, which tell an mbarrier of
//! their bytes when they are done (PTX manual, "st.async", "red.async").

use super::remote::{RemoteMbarrier, needs_cluster};
use crate::builder::Builder;
use crate::current::{here, with};
use crate::intrinsics::AtomicInteger;
use crate::memory::{Place, Space};
use crate::number::Element;
use crate::var::IntoVar;
use lanework_ptx::ScalarType;

/// Refuses places of this block, and elements of a size that the hardware does not store so.
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

/// Starts to store a value of 4 or 8 bytes into another block's shared memory; the barrier `signal` of the same block is
/// told of its bytes (`st.async`). Whoever waits for that barrier sees the value: no other synchronisation is needed.
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
///         full.arrive_expect(inbox.bytes()); // 32 values of 4 bytes will come
///     }
///     let value = 100 * cluster_rank() + thread_idx.x;
///     store_async(&mut inbox.of_block(next)[thread_idx.x], value, full.of_block(next));
///     filled.wait();
///     out[32 * block_idx.x + thread_idx.x] = inbox[thread_idx.x];
///     cluster_sync(); // no block leaves while another one stores to it
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

/// Starts to add to an integer of 4 or 8 bytes in another block's shared memory; the barrier is told of its bytes
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
    // In two's complement the unsigned addition is that of signed integers, too.
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
        /// Integers of 4 bytes; the barrier is told of them. See [`add_async`].
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
    min_async "min" true "Starts to take the minimum with an integer in another block's shared memory (`red.async.min`).";
    max_async "max" true "Starts to take the maximum with an integer in another block's shared memory (`red.async.max`).";
    and_async "and" false "Starts to `&` an integer in another block's shared memory (`red.async.and`).";
    or_async "or" false "Starts to `|` an integer in another block's shared memory (`red.async.or`).";
    xor_async "xor" false "Starts to `^` an integer in another block's shared memory (`red.async.xor`).";
}
