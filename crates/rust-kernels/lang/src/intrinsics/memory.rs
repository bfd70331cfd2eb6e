//! Loads with cache operators, and addresses.

use crate::current::{here, with};
use crate::memory::ReadPlace;
use crate::number::Element;
use crate::var::Var;

/// Reads `&x[i]` through the read-only cache (`ld.global.nc`): no thread may write the element
/// while the kernel runs.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[thread_idx.x] = load_nc(&x[thread_idx.x]);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[7], 7);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_nc<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    let place = place.into().place;
    match place.space {
        crate::memory::Space::Global => place.load_with(".nc"),
        _ => place.load_with(""),
    }
}

/// Reads `&x[i]` from memory at every call, as polling a lock or a flag requires (`ld.volatile`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     // Thread 32 waits for thread 0, which is in another warp.
///     if thread_idx.x == 0 {
///         atomic_exch(&mut out[0], 1);
///     }
///     if thread_idx.x == 32 {
///         while load_volatile(&out[0]) == 0 {}
///         out[1] = 2;
///     }
/// }
/// # let device = Device::emulator();
/// # let mut out = device.upload(&[0u32; 2])?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?, [1, 2]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_volatile<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<T> {
    here();
    place.into().place.load_volatile()
}

/// The address of `&x[i]` within its state space (global or shared), for instructions that take an
/// address in a register.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     out[0] = (address_of(&x[3]) - address_of(&x[0])) as u32;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[0u32; 4])?;
/// # let mut out = device.upload(&[0u32; 1])?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [12]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn address_of<T: Element>(place: impl Into<ReadPlace<T>>) -> Var<u64> {
    here();
    let place = place.into().place;
    match place.space {
        crate::memory::Space::Global => Var::new(with(|b| place.address(b))),
        _ => crate::cast::Cast::cast(Var::<u32>::new(with(|b| place.address(b)))),
    }
}
