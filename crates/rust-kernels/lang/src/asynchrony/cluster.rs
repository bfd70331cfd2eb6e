//! Clusters and grids: a block's position in its cluster, barriers of all threads of a cluster or a grid, and launches that overlap
//! (programmatic dependent launch).

#![allow(non_upper_case_globals)]

use crate::asynchrony::part::handle;
use crate::asynchrony::remote::needs_cluster;
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::intrinsics::threads::Index3;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::var::Var;
use lanework_ptx::{Operand, ScalarType};

/// The block's position in its cluster (`%cluster_ctaid`).
pub static cluster_block_idx: Index3 =
    Index3::special("%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z");
/// The cluster's shape in blocks (`%cluster_nctaid`).
pub static cluster_dim: Index3 =
    Index3::special("%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z");
/// The cluster's position in the grid (`%clusterid`).
pub static cluster_idx: Index3 = Index3::special("%clusterid.x", "%clusterid.y", "%clusterid.z");

/// The block's rank in its cluster (`%cluster_ctarank`), which `of_block` takes.
pub fn cluster_rank() -> Var<u32> {
    Var::new(Value::Special("%cluster_ctarank"))
}

/// The number of blocks of a cluster (`%cluster_nctarank`).
pub fn cluster_size() -> Var<u32> {
    Var::new(Value::Special("%cluster_nctarank"))
}

/// A thread's arrival at the barrier of its cluster; see [`cluster_arrive`].
#[derive(Debug)]
#[must_use = "a thread that arrived has to wait before it arrives again"]
pub struct ClusterArrival {
    _private: (),
}

handle!(ClusterArrival);

/// Waits until every thread of the cluster has arrived: accesses before it, including those to other blocks' shared
/// memory, are visible after it (`barrier.cluster.arrive`, `barrier.cluster.wait`).
///
/// ```
/// # use lanework::prelude::*;
/// /// Each block reads what the other one wrote.
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let mine = shared::<u32>(32);
///     mine[thread_idx.x] = 100 * cluster_rank() + thread_idx.x;
///     cluster_sync();
///     let other = mine.of_block(1 - cluster_rank());
///     out[block_idx.x * 32 + thread_idx.x] = other[thread_idx.x];
///     cluster_sync(); // no block leaves while another one reads its memory
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(2).block(32).launch(&device)?;
/// assert_eq!(out.download()?[31..33], [131, 0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn cluster_sync() {
    here();
    cluster_arrive().wait();
}

/// Arrives at the barrier of the cluster without waiting; [`ClusterArrival::wait`] waits for the others. All threads of a warp
/// arrive together.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 32, cluster = 2)]
/// fn example(out: &mut [u32]) {
///     let mine = shared::<u32>(32);
///     mine[thread_idx.x] = 100 * cluster_rank() + thread_idx.x;
///     let written = cluster_arrive();
///     let own = mine[thread_idx.x]; // other work, until the other block has arrived
///     written.wait();
///     let other = mine.of_block(1 - cluster_rank());
///     let width = other.shape()[0];
///     out[block_idx.x * width + thread_idx.x] = own + other[thread_idx.x];
///     cluster_sync(); // no block leaves while another one reads its memory
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(2).block(32).launch(&device)?;
/// assert_eq!(out.download()?[..2], [100, 102]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn cluster_arrive() -> ClusterArrival {
    here();
    with(|b| {
        needs_cluster(b, "the barrier of a cluster");
        b.emit("barrier.cluster.arrive.release.aligned", vec![]);
    });
    ClusterArrival { _private: () }
}

impl ClusterArrival {
    /// Waits until every thread of the cluster has arrived.
    #[track_caller]
    pub fn wait(self) {
        here();
        with(|b| b.emit("barrier.cluster.wait.acquire.aligned", vec![]));
    }
}

const WORD: ScalarType = ScalarType::U32;

/// Waits until every thread of the grid has arrived; all writes before it are visible after it. The launch has to be
/// `.cooperative()`, so that all blocks are resident at the same time; otherwise the kernel traps.
///
/// Blocks synchronize as in CUDA's cooperative groups: through a counter in the workspace that the driver passes to a
/// cooperative launch.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &mut [u32], out: &mut [u32]) {
///     let i = block_idx.x * block_dim.x + thread_idx.x;
///     x[i] = i;
///     grid_sync();
///     out[i] = x[(i + 100) % x.len() as u32];
/// }
/// # let device = Device::emulator().sanitized();
/// # let (mut x, mut out) = (device.zeros::<u32>(256)?, device.zeros::<u32>(256)?);
/// example(&mut x, &mut out).grid(4).block(64).cooperative().launch(&device)?;
/// assert_eq!(out.download()?[..2], [100, 101]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn grid_sync() {
    here();
    with(|b| {
        let counter = counter(b);
        let first_thread = all_zero(b, ["%tid.x", "%tid.y", "%tid.z"]);
        let arrivals = arrivals(b);
        b.emit("barrier.sync", vec![Operand::integer(0)]);
        let (wait, end) = (b.label("grid_wait"), b.label("grid_synced"));
        if let Value::Register(first) = first_thread {
            b.jump_if(first, true, &end);
        }
        let place = |b: &mut Builder| match b.operand(counter, ScalarType::U64) {
            Operand::Name(name) => Operand::address(name, 0),
            other => other,
        };
        let operands = vec![place(b), b.operand(arrivals, WORD)];
        let before = b.emit_to("atom.add.release.gpu.u32", WORD, operands);
        b.place_always(&wait);
        let operands = vec![place(b)];
        let now = b.emit_to("ld.acquire.gpu.u32", WORD, operands);
        b.enter();
        let changed = binary(b, Operation::Xor, ScalarType::S32, now, before);
        let same = relate(b, Relation::Ge, ScalarType::S32, changed, Value::Constant(0));
        b.leave();
        if let Value::Register(same) = same {
            b.wait_while(same, false, &wait);
        }
        b.place(&end);
        b.emit("barrier.sync", vec![Operand::integer(0)]);
    });
}

/// The address of the grid barrier's counter. Traps if the launch has none.
fn counter(b: &mut Builder) -> Value {
    let long = ScalarType::U64;
    let half = |b: &mut Builder, name| b.pure("cvt.u64.u32", long, &[(Value::Special(name), WORD)]);
    let (high, low) = (half(b, "%envreg1"), half(b, "%envreg2"));
    let high = binary(b, Operation::Shl, long, high, Value::Constant(32));
    let workspace = binary(b, Operation::Or, long, high, low);
    let there = relate(b, Relation::Ne, long, workspace, Value::Constant(0));
    let label = b.label("cooperative");
    if let Value::Register(there) = there {
        b.jump_if(there, false, &label);
    }
    b.emit("trap", vec![]);
    b.place(&label);
    binary(b, Operation::Add, long, workspace, Value::Constant(4))
}

/// Whether all three special registers are 0.
fn all_zero(b: &mut Builder, names: [&'static str; 3]) -> Value {
    let [x, y, z] = names.map(Value::Special);
    let rest = binary(b, Operation::Or, WORD, y, z);
    let all = binary(b, Operation::Or, WORD, x, rest);
    relate(b, Relation::Eq, WORD, all, Value::Constant(0))
}

/// The amount that a block adds to the counter: together, all blocks flip the highest bit and leave the other bits unchanged.
fn arrivals(b: &mut Builder) -> Value {
    let [x, y, z] = ["%nctaid.x", "%nctaid.y", "%nctaid.z"].map(Value::Special);
    let plane = binary(b, Operation::Mul, WORD, y, z);
    let blocks = binary(b, Operation::Mul, WORD, x, plane);
    let of_first = binary(b, Operation::Sub, WORD, Value::Constant(0x8000_0001), blocks);
    let first = all_zero(b, ["%ctaid.x", "%ctaid.y", "%ctaid.z"]);
    let inputs = [(of_first, WORD), (Value::Constant(1), WORD), (first, ScalarType::Pred)];
    b.pure("selp.b32", WORD, &inputs)
}

/// Lets the stream's next launch, if it is `.programmatic()`, start once every block has executed this call or exited
/// (`griddepcontrol.launch_dependents`).
#[track_caller]
pub fn launch_dependents() {
    here();
    with(|b| b.emit("griddepcontrol.launch_dependents", vec![]));
}

/// In a `.programmatic()` launch, waits until the preceding launches have ended and their writes are visible
/// (`griddepcontrol.wait`). Code before it overlaps with them and must not depend on them.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn produce(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0;
///     launch_dependents();
/// }
///
/// #[kernel]
/// fn consume(x: &[f32], y: &mut [f32]) {
///     let scale = (thread_idx.x + 1) as f32; // while `produce` still runs
///     wait_for_dependencies();
///     y[thread_idx.x] = scale * x[thread_idx.x];
/// }
/// # let device = Device::emulator().sanitized();
/// # let (mut x, mut y) = (device.zeros::<f32>(32)?, device.zeros::<f32>(32)?);
/// produce(&mut x).grid(1).block(32).launch(&device)?;
/// consume(&x, &mut y).grid(1).block(32).programmatic().launch(&device)?;
/// assert_eq!(y.download()?[..2], [2.0, 4.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn wait_for_dependencies() {
    here();
    with(|b| b.emit("griddepcontrol.wait", vec![]));
}
