//! Thread and block indices and dimensions.
//!
//! Clocks.

#![allow(non_upper_case_globals)]

use crate::emit::current::{here, with};
use crate::emit::value::Value;
use crate::scalar::number::IndexValue;
use crate::scalar::var::Var;
use lanework_ptx::{Operand, ScalarType};

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
    /// The special registers of these names.
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

/// A mask of the lanes below this one (`%lanemask_lt`).
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
