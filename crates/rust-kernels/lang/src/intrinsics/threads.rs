//! Threads: their indices and dimensions, barriers and fences among them, and clocks.
//!
//! Also barriers to code motion, because the driver's compiler moves independent instructions of a basic block freely.

#![allow(non_upper_case_globals)]

use crate::emit::current::{here, with};
use crate::emit::frames::Line;
use crate::emit::value::Value;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::number::IndexValue;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Guard, Instruction, Operand, ScalarType};

/// Waits until every thread of the block has arrived; memory accesses before the barrier are
/// visible to all threads after it (`bar.sync 0`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let tile = shared::<u32>([64]);
///     tile[thread_idx.x] = x[thread_idx.x];
///     sync_threads();
///     out[thread_idx.x] = tile[63 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 64, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[0], 63);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn sync_threads() {
    here();
    with(|b| b.emit("bar.sync", vec![Operand::integer(0)]));
}

/// Waits at barrier `id` (0 to 15) until `threads` threads, a multiple of 32, have arrived
/// (`bar.sync id, threads`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     let tile = shared::<u32>([64]);
///     tile[thread_idx.x] = thread_idx.x;
///     // Each half of the block synchronizes separately.
///     barrier(1 + thread_idx.x / 32, 32);
///     out[thread_idx.x] = tile[thread_idx.x ^ 1];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[..4], [1, 0, 3, 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn barrier(id: impl IndexValue, threads: impl IndexValue) {
    here();
    with(|b| {
        let operands = vec![
            b.operand(id.parts().value, ScalarType::U32),
            b.operand(threads.parts().value, ScalarType::U32),
        ];
        b.emit("bar.sync", operands);
    });
}

/// Counts the threads of the block for which `condition` holds; all wait for each other
/// (`bar.red.popc.u32`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[thread_idx.x] = sync_threads_count(x[thread_idx.x] > 10);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 64, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[0], 53);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn sync_threads_count(condition: impl IntoVar<bool>) -> Var<u32> {
    here();
    let condition = condition.into_var().value;
    Var::new(with(|b| {
        let operands = vec![Operand::integer(0), b.operand(condition, ScalarType::Pred)];
        b.emit_to("bar.red.popc.u32", ScalarType::U32, operands)
    }))
}

/// Waits until the warp's lanes in `mask` have arrived; memory accesses before the barrier are
/// visible to these lanes after it (`bar.warp.sync`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     let tile = shared::<u32>([32]);
///     tile[thread_idx.x] = thread_idx.x;
///     sync_warp(FULL_MASK);
///     out[thread_idx.x] = tile[31 - thread_idx.x];
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 31);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn sync_warp(mask: impl IntoVar<u32>) {
    here();
    let mask = mask.into_var().value;
    with(|b| {
        let operands = vec![b.operand(mask, ScalarType::U32)];
        b.emit("bar.warp.sync", operands);
    });
}

/// Makes this thread's earlier writes visible to the whole device before its later ones (`membar.gl`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then sets a flag.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence() {
    here();
    with(|b| b.emit("membar.gl", vec![]));
}

/// Makes this thread's earlier writes visible to its block before its later ones (`membar.cta`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then sets a flag.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence_block();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence_block() {
    here();
    with(|b| b.emit("membar.cta", vec![]));
}

/// Makes this thread's earlier writes visible to the host and all devices before its later ones (`membar.sys`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 0 writes a value, then sets a flag.
///     if thread_idx.x == 0 {
///         out[1] = 42;
///         threadfence_system();
///         atomic_exch(&mut out[0], 1);
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?, [1, 42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn threadfence_system() {
    here();
    with(|b| b.emit("membar.sys", vec![]));
}

/// The bits of -1, which no square has, not even the square of a NaN.
const NEVER: u64 = 0xbf80_0000;

/// Keeps later instructions after the computation of `x`. Without it, ptxas may move an independent wait, such as the wait for
/// asynchronous products, before the computation, and the two no longer overlap. It costs a product, a comparison and a guarded
/// `exit`, which no thread takes, because the square of `x` is never -1.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[f32], out: &mut [f32]) {
///     let y = fast::exp2(x[0]);
///     scheduling_barrier(y); // computed before the code below
///     nanosleep(10);
///     out[0] = y;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[3.0f32])?;
/// # let mut out = device.zeros::<f32>(1)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [8.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn scheduling_barrier(x: impl IntoVar<f32>) {
    here();
    let x = x.into_var().value;
    with(|b| {
        if matches!(x, Value::Constant(_)) {
            return;
        }
        let word = ScalarType::U32;
        let float = ScalarType::F32;
        let square = b.pure("mul.rn.f32", float, &[(x, float), (x, float)]);
        let bits = b.pure("mov.b32", word, &[(square, float)]);
        let never = relate(b, Relation::Eq, word, bits, Value::Constant(NEVER));
        if let Value::Register(never) = never {
            // A guarded exit instead of a branch, because threads must not diverge while products of a warpgroup are
            // running.
            let mut exit = b.located(Instruction::new("exit", vec![]));
            exit.guard = Some(Guard { register: never.name(), negated: false });
            b.push(Line::Op { instruction: exit, dest: None, pure: false });
        }
    });
}

/// A position or shape in x, y and z.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32], width: u32) {
///     let (x, y) = (thread_idx.x + block_idx.x * block_dim.x, thread_idx.y);
///     out[y * width + x] = grid_dim.x * 100 + x * 10 + y;
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(4)?;
/// # example(&mut out, 2).grid(2).block((1, 2)).launch(&device)?;
/// assert_eq!(out.download()?, [200, 210, 201, 211]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Index3 {
    /// x, the fastest.
    pub x: Var<u32>,
    /// y.
    pub y: Var<u32>,
    /// z.
    pub z: Var<u32>,
}

impl Index3 {
    /// The special registers with these names.
    pub(crate) const fn special(x: &'static str, y: &'static str, z: &'static str) -> Index3 {
        Index3 {
            x: Var::new(Value::Special(x)),
            y: Var::new(Value::Special(y)),
            z: Var::new(Value::Special(z)),
        }
    }
}

/// The thread's position in its block (`%tid`).
pub static thread_idx: Index3 = Index3::special("%tid.x", "%tid.y", "%tid.z");
/// The block's position in the grid (`%ctaid`).
pub static block_idx: Index3 = Index3::special("%ctaid.x", "%ctaid.y", "%ctaid.z");
/// The block's shape in threads (`%ntid`).
pub static block_dim: Index3 = Index3::special("%ntid.x", "%ntid.y", "%ntid.z");
/// The grid's shape in blocks (`%nctaid`).
pub static grid_dim: Index3 = Index3::special("%nctaid.x", "%nctaid.y", "%nctaid.z");

/// The thread's lane in its warp, 0 to 31 (`%laneid`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     out[thread_idx.x] = lane_id();
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 64])?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[33], 1);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn lane_id() -> Var<u32> {
    Var::new(Value::Special("%laneid"))
}

/// Bit mask of the lanes below this one (`%lanemask_lt`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     out[thread_idx.x] = lane_mask_lt();
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[3], 0b111);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn lane_mask_lt() -> Var<u32> {
    Var::new(Value::Special("%lanemask_lt"))
}

/// The multiprocessor's cycle counter, 32 bits, wrapping (`%clock`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     let start = clock();
///     out[1] = 3;
///     out[0] = clock() - start; // cycles; the emulator counts instructions
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(1).launch(&device)?;
/// assert!(out.download()?[0] > 0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn clock() -> Var<u32> {
    here();
    Var::new(with(|b| b.emit_to("mov.u32", ScalarType::U32, vec![Operand::from("%clock")])))
}

/// The multiprocessor's cycle counter (`%clock64`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u64]) {
///     let start = clock64();
///     out[1] = 3;
///     out[0] = clock64() - start;
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u64; 2])?;
/// # example(&mut out).grid(1).block(1).launch(&device)?;
/// assert!(out.download()?[0] > 0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn clock64() -> Var<u64> {
    here();
    Var::new(with(|b| b.emit_to("mov.u64", ScalarType::U64, vec![Operand::from("%clock64")])))
}

/// The device's wall clock in nanoseconds, in steps of about a microsecond (`%globaltimer`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u64]) {
///     out[0] = globaltimer();
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u64; 1])?;
/// # example(&mut out).grid(1).block(1).launch(&device)?;
/// assert!(out.download()?[0] > 0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn globaltimer() -> Var<u64> {
    here();
    Var::new(with(|b| b.emit_to("mov.u64", ScalarType::U64, vec![Operand::from("%globaltimer")])))
}

/// Sleeps for about `nanoseconds`, at most a millisecond (`nanosleep.u32`, from sm_70).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     nanosleep(100);
///     out[0] = 1;
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 1])?;
/// # example(&mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [1]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn nanosleep(nanoseconds: impl IndexValue) {
    here();
    with(|b| {
        let operands = vec![b.operand(nanoseconds.parts().value, ScalarType::U32)];
        b.emit("nanosleep.u32", operands);
    });
}
