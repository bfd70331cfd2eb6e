//! The whole grid: a barrier of all of its threads, and launches that overlap (programmatic dependent launch).

use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::compare::{Relation, relate};
use crate::current::{here, with};
use crate::operation::Operation;
use crate::value::Value;
use lanework_ptx::{Operand, ScalarType};

const WORD: ScalarType = ScalarType::U32;

/// Waits until every thread of the grid has arrived: what was written before it, anywhere, is read after it. The launch has
/// to be `.cooperative()`, so that all blocks are on the device at once; in another one the kernel traps.
///
/// The blocks meet as those of CUDA's cooperative groups do: at a counter in the workspace that the driver gives to a
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

/// The address of the counter that blocks arrive at; traps where the launch has none.
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

/// Whether special registers are all 0.
fn all_zero(b: &mut Builder, names: [&'static str; 3]) -> Value {
    let [x, y, z] = names.map(Value::Special);
    let rest = binary(b, Operation::Or, WORD, y, z);
    let all = binary(b, Operation::Or, WORD, x, rest);
    relate(b, Relation::Eq, WORD, all, Value::Constant(0))
}

/// What a block adds to the counter: together, the blocks flip its highest bit and leave the others as they were.
fn arrivals(b: &mut Builder) -> Value {
    let [x, y, z] = ["%nctaid.x", "%nctaid.y", "%nctaid.z"].map(Value::Special);
    let plane = binary(b, Operation::Mul, WORD, y, z);
    let blocks = binary(b, Operation::Mul, WORD, x, plane);
    let of_first = binary(b, Operation::Sub, WORD, Value::Constant(0x8000_0001), blocks);
    let first = all_zero(b, ["%ctaid.x", "%ctaid.y", "%ctaid.z"]);
    let inputs = [(of_first, WORD), (Value::Constant(1), WORD), (first, ScalarType::Pred)];
    b.pure("selp.b32", WORD, &inputs)
}

/// Lets the next launch of the stream start, if it is a `.programmatic()` one, once every block has come here or ended
/// (`griddepcontrol.launch_dependents`).
#[track_caller]
pub fn launch_dependents() {
    here();
    with(|b| b.emit("griddepcontrol.launch_dependents", vec![]));
}

/// In a `.programmatic()` launch, waits until the launches before it have ended and what they wrote can be read
/// (`griddepcontrol.wait`). What stands before it overlaps with them and must not depend on them.
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
