//! Numbers as bytes: `to_le_bytes`, `from_be_bytes`, `swap_bytes` and their like.

use crate::cast::Cast;
use crate::current::here;
use crate::data::To;
use crate::var::Var;

/// An integer that is made of `N` bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of {N} bytes in a kernel",
    label = "not an integer of {N} bytes",
    note = "u16 to u64, i16 to i64, usize and isize are made of bytes"
)]
pub trait FromBytes<const N: usize>: Sized {
    /// The number whose least significant byte is the first.
    fn from_bytes(bytes: [Var<u8>; N]) -> Var<Self>;
}

/// `u32::from_le_bytes(bytes)`, and `from_ne_bytes`: GPUs are little-endian.
#[track_caller]
pub fn from_le_bytes<T: FromBytes<N>, const N: usize>(bytes: impl To<[u8; N]>) -> Var<T> {
    here();
    T::from_bytes(bytes.to())
}

/// `u32::from_be_bytes(bytes)`.
#[track_caller]
pub fn from_be_bytes<T: FromBytes<N>, const N: usize>(bytes: impl To<[u8; N]>) -> Var<T> {
    here();
    let mut bytes = bytes.to();
    bytes.reverse();
    T::from_bytes(bytes)
}

macro_rules! bytes {
    ($($t:ty, $u:ty, $n:literal;)*) => {$(
        impl FromBytes<$n> for $t {
            #[track_caller]
            fn from_bytes(bytes: [Var<u8>; $n]) -> Var<$t> {
                let mut whole: Var<$u> = bytes[0].cast();
                for (k, byte) in bytes.into_iter().enumerate().skip(1) {
                    let byte: Var<$u> = byte.cast();
                    whole = whole | (byte << (8 * k as u32));
                }
                whole.cast()
            }
        }

        /// ```
        /// # use lanework::prelude::*;
        /// #[device]
        /// fn mixed(x: u32) -> u32 {
        ///     let [a, b, c, d] = x.to_le_bytes();
        ///     let turned = u32::from_be_bytes([a, b, c, d]).wrapping_add(x.swap_bytes());
        ///     turned.wrapping_sub(u32::from_le_bytes(x.to_be_bytes())) ^ x.to_be()
        /// }
        ///
        /// #[kernel]
        /// fn example(x: &[u32], out: &mut [u32]) {
        ///     out[0] = mixed(x[0]);
        /// }
        /// # let device = Device::emulator();
        /// # let x = device.upload(&[0x0023_4567u32])?;
        /// # let mut out = device.zeros::<u32>(1)?;
        /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
        /// assert_eq!(out.download()?, [mixed(0x0023_4567)]);
        /// # Ok::<(), lanework::Error>(())
        /// ```
        impl Var<$t> {
            /// The bytes, the least significant first.
            #[track_caller]
            pub fn to_le_bytes(self) -> [Var<u8>; $n] {
                here();
                let whole: Var<$u> = self.cast();
                std::array::from_fn(|k| (whole >> (8 * k as u32)).cast())
            }

            /// The bytes as a GPU stores them: the least significant first.
            #[track_caller]
            pub fn to_ne_bytes(self) -> [Var<u8>; $n] {
                self.to_le_bytes()
            }

            /// The bytes, the most significant first.
            #[track_caller]
            pub fn to_be_bytes(self) -> [Var<u8>; $n] {
                let mut bytes = self.to_le_bytes();
                bytes.reverse();
                bytes
            }

            /// The number with its bytes in reverse order.
            #[track_caller]
            pub fn swap_bytes(self) -> Var<$t> {
                <$t>::from_bytes(self.to_be_bytes())
            }

            /// The number as a big-endian machine stores it.
            #[track_caller]
            pub fn to_be(self) -> Var<$t> {
                self.swap_bytes()
            }
        }
    )*};
}

bytes! {
    u16, u16, 2;
    u32, u32, 4;
    u64, u64, 8;
    usize, u64, 8;
    i16, u16, 2;
    i32, u32, 4;
    i64, u64, 8;
    isize, u64, 8;
}
