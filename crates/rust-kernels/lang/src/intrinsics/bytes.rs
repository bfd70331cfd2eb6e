//! Numbers as bytes (`to_le_bytes`, `from_be_bytes`, `swap_bytes`), and ASCII methods of bytes (`is_ascii_digit`,
//! `to_ascii_lowercase`).

use crate::data::convert::To;
use crate::emit::current::here;
use crate::flow::branch::select;
use crate::scalar::cast::Cast;
use crate::scalar::compare::{Equate, Order};
use crate::scalar::var::Var;

/// An integer of `N` bytes.
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

/// Whether a byte is in a range, both ends included.
fn between(byte: Var<u8>, low: u8, high: u8) -> Var<bool> {
    byte.ge(low) & byte.le(high)
}

/// ```
/// # use lanework::prelude::*;
/// #[device]
/// fn class(c: u8) -> u32 {
///     let kinds = [c.is_ascii_digit(), c.is_ascii_alphabetic(), c.is_ascii_uppercase(), c.is_ascii_lowercase()];
///     let others = [c.is_ascii_whitespace(), c.is_ascii_punctuation(), c.is_ascii_hexdigit(), c.is_ascii()];
///     let last = [c.is_ascii_alphanumeric(), c.is_ascii_control(), c.is_ascii_graphic(), c.eq_ignore_ascii_case(&b'q')];
///     let mut flags = 0;
///     for k in 0..4 {
///         flags |= (kinds[k] as u32) << k | (others[k] as u32) << (k + 4) | (last[k] as u32) << (k + 8);
///     }
///     flags | (c.to_ascii_uppercase() as u32) << 16 | (c.to_ascii_lowercase() as u32) << 24
/// }
///
/// #[kernel]
/// fn example(out: &mut [u32]) {
///     out[thread_idx.x] = class(thread_idx.x as u8);
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(256)?;
/// # example(&mut out).grid(1).block(256).launch(&device)?;
/// assert_eq!(out.download()?, (0..=255).map(class).collect::<Vec<_>>());
/// # Ok::<(), lanework::Error>(())
/// ```
impl Var<u8> {
    /// Whether it is below 128.
    #[track_caller]
    pub fn is_ascii(self) -> Var<bool> {
        here();
        self.le(127)
    }

    /// Whether it is `0` to `9`.
    #[track_caller]
    pub fn is_ascii_digit(self) -> Var<bool> {
        here();
        between(self, b'0', b'9')
    }

    /// Whether it is `0` to `9`, `a` to `f` or `A` to `F`.
    #[track_caller]
    pub fn is_ascii_hexdigit(self) -> Var<bool> {
        here();
        self.is_ascii_digit() | between(self, b'a', b'f') | between(self, b'A', b'F')
    }

    /// Whether it is `a` to `z`.
    #[track_caller]
    pub fn is_ascii_lowercase(self) -> Var<bool> {
        here();
        between(self, b'a', b'z')
    }

    /// Whether it is `A` to `Z`.
    #[track_caller]
    pub fn is_ascii_uppercase(self) -> Var<bool> {
        here();
        between(self, b'A', b'Z')
    }

    /// Whether it is an ASCII letter.
    #[track_caller]
    pub fn is_ascii_alphabetic(self) -> Var<bool> {
        self.is_ascii_lowercase() | self.is_ascii_uppercase()
    }

    /// Whether it is an ASCII letter or digit.
    #[track_caller]
    pub fn is_ascii_alphanumeric(self) -> Var<bool> {
        self.is_ascii_alphabetic() | self.is_ascii_digit()
    }

    /// Whether it is a space, a tab, a line feed, a carriage return or a form feed.
    #[track_caller]
    pub fn is_ascii_whitespace(self) -> Var<bool> {
        here();
        self.eq(b' ') | between(self, b'\t', b'\n') | between(self, 0x0C, b'\r')
    }

    /// Whether it is visible, and neither a letter nor a digit.
    #[track_caller]
    pub fn is_ascii_punctuation(self) -> Var<bool> {
        self.is_ascii_graphic() & !self.is_ascii_alphanumeric()
    }

    /// Whether it is visible.
    #[track_caller]
    pub fn is_ascii_graphic(self) -> Var<bool> {
        here();
        between(self, b'!', b'~')
    }

    /// Whether it is a control character.
    #[track_caller]
    pub fn is_ascii_control(self) -> Var<bool> {
        here();
        self.lt(32) | self.eq(127)
    }

    /// The lower case of an ASCII letter; other bytes are unchanged.
    #[track_caller]
    pub fn to_ascii_lowercase(self) -> Var<u8> {
        let upper = self.is_ascii_uppercase();
        select::<u8>(upper, self | 0x20u8, self)
    }

    /// The upper case of an ASCII letter; other bytes are unchanged.
    #[track_caller]
    pub fn to_ascii_uppercase(self) -> Var<u8> {
        let lower = self.is_ascii_lowercase();
        select::<u8>(lower, self & 0xDFu8, self)
    }

    /// Whether two bytes are equal, ignoring the case of letters.
    #[track_caller]
    pub fn eq_ignore_ascii_case(self, other: impl To<u8>) -> Var<bool> {
        let other: Var<u8> = other.to();
        self.to_ascii_lowercase().eq(other.to_ascii_lowercase())
    }
}
