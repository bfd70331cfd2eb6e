//! The scalar types of kernels.

use half::{bf16, f16};
use lanework_ptx::ScalarType;
use std::fmt::Debug;

/// A value that fits a register: the numbers and `bool`.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::{Scalar, Storable};
///
/// /// Buffers of what is stored, in a function of the host.
/// fn zeroed<T: Storable + Scalar + Default>(device: &Device) -> lanework::Result<Vec<T>> {
///     device.upload(&[T::default(); 4])?.download()
/// }
///
/// /// Atomics of any type that has them, and warps of any 32-bit integer.
/// #[device]
/// fn count<T: AtomicAdd, U: AtomicInteger, W: Word>(sum: Place<T>, most: Place<U>, x: T, y: U, w: W) -> W {
///     atomic_add(sum, x);
///     atomic_max(most, y);
///     reduce_max_sync(FULL_MASK, w)
/// }
///
/// #[kernel]
/// fn example(sum: &mut [f32], most: &mut [u64], out: &mut [u32]) {
///     let t = thread_idx.x;
///     out[t] = count(&mut sum[0], &mut most[0], 1.0f32, t as u64, t);
/// }
/// # let device = Device::emulator();
/// # let (mut sum, mut most) = (device.zeros::<f32>(1)?, device.zeros::<u64>(1)?);
/// # let mut out = device.zeros::<u32>(32)?;
/// # example(&mut sum, &mut most, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!((sum.download()?, most.download()?, out.download()?[0]), (vec![32.0], vec![31], 31));
/// assert_eq!(zeroed::<u8>(&device)?, [0; 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar of the kernel language",
    note = "scalars are bool, u8 to u64, i8 to i64, usize, isize, f16, bf16, f32 and f64"
)]
pub trait Scalar: Copy + Debug + PartialEq + PartialOrd + Send + Sync + 'static {
    /// The PTX type, `pred` for `bool`.
    #[doc(hidden)]
    const SCALAR: ScalarType;
    /// The value's bits, zero-extended.
    #[doc(hidden)]
    fn bits(self) -> u64;
    /// The value with these bits; bits beyond the type's width are ignored.
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
}

/// Scalars with bitwise operators: integers and `bool`.
#[diagnostic::on_unimplemented(message = "`{Self}` has no bitwise operators")]
pub trait Bits: Scalar {}

macro_rules! bits {
    ($($t:ty)*) => { $(impl Bits for $t {})* };
}

bits!(bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

macro_rules! integers {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                (self as $bits).into()
            }
            fn from_bits(bits: u64) -> Self {
                bits as $t
            }
        }
    )*};
}

integers!(u8 as u8 => U8, u16 as u16 => U16, u32 as u32 => U32, u64 as u64 => U64,
    i8 as u8 => S8, i16 as u16 => S16, i32 as u32 => S32, i64 as u64 => S64,
    usize as u64 => U64, isize as u64 => S64);

macro_rules! floats {
    ($($t:ty as $bits:ty => $scalar:ident),*) => {$(
        impl Scalar for $t {
            const SCALAR: ScalarType = ScalarType::$scalar;
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
            fn from_bits(bits: u64) -> Self {
                <$t>::from_bits(bits as $bits)
            }
        }
    )*};
}

floats!(f16 as u16 => F16, bf16 as u16 => Bf16, f32 as u32 => F32, f64 as u64 => F64);

impl Scalar for bool {
    const SCALAR: ScalarType = ScalarType::Pred;
    fn bits(self) -> u64 {
        self.into()
    }
    fn from_bits(bits: u64) -> Self {
        bits & 1 == 1
    }
}
