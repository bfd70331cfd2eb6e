//! The types that device memory holds, and their bytes there.
//!
//! A kernel and the host agree on the place of each scalar, which is the host's. Values without padding, whose bytes may be any,
//! are copied as they are. All others are copied scalar by scalar: the padding of a struct has no value, and not every byte is a
//! `bool`.

use bytemuck::Pod;
use std::mem::offset_of;

/// A type whose values buffers hold: scalars, `bool`, arrays and tuples of them, and `#[device]` structs of these. A
/// `#[device]` enum without data is its number.
///
/// ```
/// use lanework::{Device, Storable};
///
/// /// Uploads default values, in generic host code.
/// fn defaults<T: Storable + Default>(device: &Device) -> lanework::Result<Vec<T>> {
///     device.upload(&[T::default(); 4])?.download()
/// }
///
/// assert_eq!(defaults::<u8>(&Device::emulator())?, [0; 4]);
/// assert_eq!(defaults::<(bool, u32)>(&Device::emulator())?, [(false, 0); 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory",
    label = "not a type that buffers hold",
    note = "buffers hold bool, u8 to u64, i8 to i64, usize, isize, f16, bf16, f32, f64, arrays and tuples of them, #[device] \
            structs of these, and #[device] enums without data"
)]
pub trait Storable: Copy + 'static {
    /// The bytes of values that are copied as they are.
    #[doc(hidden)]
    fn bytes(_values: &[Self]) -> Option<&[u8]> {
        None
    }

    /// The bytes of values that are copied as they are.
    #[doc(hidden)]
    fn bytes_mut(_values: &mut [Self]) -> Option<&mut [u8]> {
        None
    }

    /// Writes the value to as many bytes as its size.
    #[doc(hidden)]
    fn write(&self, to: &mut [u8]);

    /// Reads a value; `None` if the bytes are none of the type.
    #[doc(hidden)]
    fn read(from: &[u8]) -> Option<Self>;
}

/// The implementation for a type without padding whose bytes may be any.
macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Storable for $t {
            fn bytes(values: &[Self]) -> Option<&[u8]> {
                Some(bytemuck::cast_slice(values))
            }
            fn bytes_mut(values: &mut [Self]) -> Option<&mut [u8]> {
                Some(bytemuck::cast_slice_mut(values))
            }
            fn write(&self, to: &mut [u8]) {
                to.copy_from_slice(bytemuck::bytes_of(self));
            }
            fn read(from: &[u8]) -> Option<Self> {
                Some(bytemuck::pod_read_unaligned(from))
            }
        }
    )*};
}

plain!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64);
#[cfg(feature = "half")]
plain!(half::f16 half::bf16);

impl<T: 'static> Storable for std::marker::PhantomData<T> {
    fn write(&self, _: &mut [u8]) {}
    fn read(_: &[u8]) -> Option<Self> {
        Some(Self)
    }
}

impl Storable for bool {
    fn write(&self, to: &mut [u8]) {
        to[0] = (*self).into();
    }
    fn read(from: &[u8]) -> Option<Self> {
        match from[0] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl<T: Storable, const N: usize> Storable for [T; N] {
    fn bytes(values: &[Self]) -> Option<&[u8]> {
        T::bytes(values.as_flattened())
    }
    fn bytes_mut(values: &mut [Self]) -> Option<&mut [u8]> {
        T::bytes_mut(values.as_flattened_mut())
    }
    fn write(&self, to: &mut [u8]) {
        let size = size_of::<T>();
        self.iter().enumerate().for_each(|(k, value)| value.write(&mut to[k * size..][..size]));
    }
    fn read(from: &[u8]) -> Option<Self> {
        let (size, mut all) = (size_of::<T>(), [None; N]);
        for (k, value) in all.iter_mut().enumerate() {
            *value = Some(T::read(&from[k * size..][..size])?);
        }
        // Every element has a value.
        all.iter()
            .all(Option::is_some)
            .then(|| all.map(|value| value.unwrap_or_else(|| unreachable!())))
    }
}

macro_rules! tuples {
    ($($($t:ident $i:tt),*;)*) => {$(
        impl<$($t: Storable),*> Storable for ($($t,)*) {
            fn write(&self, to: &mut [u8]) {
                $(self.$i.write(&mut to[offset_of!(Self, $i)..][..size_of::<$t>()]);)*
            }
            fn read(from: &[u8]) -> Option<Self> {
                Some(($($t::read(&from[offset_of!(Self, $i)..][..size_of::<$t>()])?,)*))
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}

/// Finds out whether a type is [`Pod`], for the attribute of a struct: `(&&PlainOf::<T>::NEW).bytes(values)`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct PlainOf<T>(std::marker::PhantomData<fn() -> T>);

impl<T> PlainOf<T> {
    /// The only value.
    pub const NEW: Self = PlainOf(std::marker::PhantomData);
}

/// The bytes of a type that is `Pod`.
#[doc(hidden)]
pub trait BytesOfPlain<T> {
    /// The bytes.
    fn bytes(self, values: &[T]) -> Option<&[u8]>;
    /// The bytes.
    fn bytes_mut(self, values: &mut [T]) -> Option<&mut [u8]>;
}

impl<T: Pod> BytesOfPlain<T> for &&PlainOf<T> {
    fn bytes(self, values: &[T]) -> Option<&[u8]> {
        Some(bytemuck::cast_slice(values))
    }
    fn bytes_mut(self, values: &mut [T]) -> Option<&mut [u8]> {
        Some(bytemuck::cast_slice_mut(values))
    }
}

/// No bytes, for any other type.
#[doc(hidden)]
pub trait BytesOfOther<T> {
    /// None.
    fn bytes(self, values: &[T]) -> Option<&[u8]>;
    /// None.
    fn bytes_mut(self, values: &mut [T]) -> Option<&mut [u8]>;
}

impl<T> BytesOfOther<T> for &PlainOf<T> {
    fn bytes(self, _: &[T]) -> Option<&[u8]> {
        None
    }
    fn bytes_mut(self, _: &mut [T]) -> Option<&mut [u8]> {
        None
    }
}
