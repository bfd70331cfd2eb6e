//! Clocks.

use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::var::Var;
use lanework_ptx::{Operand, ScalarType};

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
