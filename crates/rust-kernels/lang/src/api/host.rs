//! Support for `#[device]` functions that the host calls: indices of any integer type, casts to
//! generic types, vector loads and stores of slices, methods that Rust's numbers lack, and the intrinsics
//! that make sense for a single thread.

pub use crate::scalar::cast::Cast;
pub use crate::scalar::host_methods::{
    FloatMethods, HalfMethods, IntegerMethods, NumberMethods, WordMethods,
};

use crate::scalar::number::{Float, Integer, Number};

/// Names in scope of every device function's body on the host.
pub mod prelude {
    pub use crate::api::host::{SliceLoads as _, SliceStores as _};
    pub use crate::api::rt::comparing::*;
    pub use crate::scalar::host_methods::{HalfMethods as _, WordMethods as _};
}

/// `x as U`, where either type may be generic or a half-precision number.
pub fn cast<U, X: Cast<U>>(x: X) -> X::Output {
    x.cast()
}

/// Panics with the reason why a device function cannot run on the host.
///
/// # Panics
/// Always.
#[track_caller]
pub fn device_only(function: &str, uses: &str) -> ! {
    panic!(
        "`{function}` uses `{uses}`, which exists only inside a kernel\n  = help: call it from a #[kernel], \
         or move what the host needs into a #[device] function without `{uses}`"
    )
}

/// The smaller of two numbers.
pub fn min<T: Number>(x: T, y: T) -> T {
    x.min(y)
}

/// The larger of two numbers.
pub fn max<T: Number>(x: T, y: T) -> T {
    x.max(y)
}

/// The absolute value.
pub fn abs<T: Number>(x: T) -> T {
    x.abs()
}

/// `x` where the condition holds, else `y`.
pub fn select<T: Number>(condition: bool, x: T, y: T) -> T {
    if condition { x } else { y }
}

/// `a * b + c` with one rounding.
pub fn fma<T: Float>(a: T, b: T, c: T) -> T {
    a.mul_add(b, c)
}

/// The reciprocal.
pub fn rcp<T: Float>(x: T) -> T {
    x.recip()
}

macro_rules! rounding {
    ($($name:ident)*) => {$(
        /// The method of the same name.
        pub fn $name<T: Float>(x: T) -> T {
            x.$name()
        }
    )*};
}

rounding!(sqrt floor ceil round trunc);

/// The float with these bits.
pub fn f32_from_bits(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// The `f64` with these bits.
pub fn f64_from_bits(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The number of set bits.
pub fn popc<T: Integer>(x: T) -> u32 {
    x.count_ones()
}

/// The number of leading zero bits.
pub fn clz<T: Integer>(x: T) -> u32 {
    x.leading_zeros()
}

/// The bits in reverse order.
pub fn brev<T: Integer>(x: T) -> T {
    x.reverse_bits()
}

/// The position of the lowest set bit, from 1; 0 if no bit is set.
pub fn ffs<T: Integer>(x: T) -> u32 {
    if x == T::ZERO { 0 } else { x.trailing_zeros() + 1 }
}

/// The high half of the double-width product.
pub fn mul_hi<T: Integer>(x: T, y: T) -> T {
    x.mul_hi(y)
}

/// An integer of any type, as an index on the host.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot index an array",
    label = "expected an integer"
)]
pub trait HostIndex: Copy {
    /// The index.
    fn index(self) -> usize;
}

macro_rules! host_indices {
    ($($t:ty)*) => {$(
        impl HostIndex for $t {
            #[track_caller]
            #[inline]
            fn index(self) -> usize {
                match usize::try_from(self) {
                    Ok(index) => index,
                    Err(_) => panic!("index {self} is out of range: it is negative or too large"),
                }
            }
        }
    )*};
}

host_indices!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// Converts an index of any integer type to `usize`.
#[track_caller]
#[inline]
pub fn index(i: impl HostIndex) -> usize {
    i.index()
}

macro_rules! loads {
    ($($name:ident $count:literal;)*) => {
        /// Reads of several adjacent elements.
        pub trait SliceLoads<T> {
            $(
                /// Loads this many elements, starting with element `i`.
                fn $name(&self, i: impl HostIndex) -> [T; $count];
            )*
            /// `N` elements from `i` on.
            fn load_vec<const N: usize>(&self, i: impl HostIndex) -> [T; N];
            /// `N` elements from `i` on.
            fn load_vec_nc<const N: usize>(&self, i: impl HostIndex) -> [T; N];
        }

        impl<T: Copy> SliceLoads<T> for [T] {
            $(
                #[track_caller]
                fn $name(&self, i: impl HostIndex) -> [T; $count] {
                    self.load_vec(i)
                }
            )*
            #[track_caller]
            fn load_vec<const N: usize>(&self, i: impl HostIndex) -> [T; N] {
                let first = i.index();
                std::array::from_fn(|k| self[first + k])
            }
            #[track_caller]
            fn load_vec_nc<const N: usize>(&self, i: impl HostIndex) -> [T; N] {
                self.load_vec(i)
            }
        }
    };
}

loads! {
    load2 2;
    load4 4;
    load2_nc 2;
    load4_nc 4;
}

/// Writes of several adjacent elements.
pub trait SliceStores<T> {
    /// Two elements from `i` on.
    fn store2(&mut self, i: impl HostIndex, values: [T; 2]);
    /// Four elements from `i` on.
    fn store4(&mut self, i: impl HostIndex, values: [T; 4]);
    /// `N` elements from `i` on.
    fn store_vec<const N: usize>(&mut self, i: impl HostIndex, values: [T; N]);
}

impl<T: Copy> SliceStores<T> for [T] {
    #[track_caller]
    fn store2(&mut self, i: impl HostIndex, values: [T; 2]) {
        self.store_vec(i, values);
    }
    #[track_caller]
    fn store4(&mut self, i: impl HostIndex, values: [T; 4]) {
        self.store_vec(i, values);
    }
    #[track_caller]
    fn store_vec<const N: usize>(&mut self, i: impl HostIndex, values: [T; N]) {
        let first = i.index();
        self[first..first + N].copy_from_slice(&values);
    }
}
