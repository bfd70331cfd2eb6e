//! The interface between the kernel language and the runtime: staged kernels as data, and the types that device
//! memory holds. Neither side depends on the other.

mod kernel;

pub use kernel::{
    CheckSite, Definition, FaultRecord, IndexKind, Parameter, ParameterKind, StageError,
    StageOptions, Staged, Tile,
};

use bytemuck::Pod;

/// A type whose values buffers hold: scalars, arrays of them, and `#[device]` structs without
/// padding.
///
/// ```
/// use lanework::{Device, Storable};
///
/// /// Uploads default values, in generic host code.
/// fn zeroed<T: Storable + Default>(device: &Device) -> lanework::Result<Vec<T>> {
///     device.upload(&[T::default(); 4])?.download()
/// }
///
/// assert_eq!(zeroed::<u8>(&Device::emulator())?, [0; 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory",
    label = "not a type that buffers hold",
    note = "buffers hold u8 to u64, i8 to i64, usize, isize, f16, bf16, f32, f64, arrays of them, \
            and #[device] structs of these; a `bool` is a `u8` there (`x[i] != 0`), an enum its number, a tuple a struct"
)]
pub trait Storable: Pod {}

impl<T: Storable, const N: usize> Storable for [T; N] {}

macro_rules! storable {
    ($($t:ty)*) => { $(impl Storable for $t {})* };
}

storable!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);
#[cfg(feature = "half")]
storable!(half::f16 half::bf16);
