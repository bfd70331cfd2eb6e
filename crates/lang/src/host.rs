//! What `#[device]` functions use when the host calls them: indices of any integer type, casts to
//! generic types, the loads and stores of several elements, methods that Rust's numbers lack, and the
//! intrinsics that mean something for one thread.

mod functions;
mod methods;
mod slices;

pub use crate::cast::Cast;
pub use functions::*;
pub use methods::{FloatMethods, HalfMethods, IntegerMethods, NumberMethods, WordMethods};
pub use slices::{SliceLoads, SliceStores};

/// What the body of every device function on the host has in scope.
pub mod prelude {
    pub use super::{HalfMethods as _, SliceLoads as _, SliceStores as _, WordMethods as _};
    pub use crate::rt::comparing::*;
}

/// An integer that indexes on the host, of any type.
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

/// An index of any integer type as Rust takes it.
#[track_caller]
#[inline]
pub fn index(i: impl HostIndex) -> usize {
    i.index()
}

/// `x as U`, where either type may be generic or a half-precision number.
pub fn cast<U, X: Cast<U>>(x: X) -> X::Output {
    x.cast()
}

/// Says why a device function has no meaning on the host.
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
