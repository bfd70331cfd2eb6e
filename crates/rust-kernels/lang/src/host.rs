//! What `#[device]` functions use when the host calls them: indices of any integer type, casts to
//! generic types, the loads and stores of several elements, methods that Rust's numbers lack, and the
//! intrinsics that mean something for one thread.

mod functions;
mod index;
mod methods;
mod slices;

pub use crate::cast::Cast;
pub use functions::*;
pub use index::{HostIndex, index};
pub use methods::{FloatMethods, HalfMethods, IntegerMethods, NumberMethods, WordMethods};
pub use slices::{SliceLoads, SliceStores};

/// What the body of every device function on the host has in scope.
pub mod prelude {
    pub use super::{HalfMethods as _, SliceLoads as _, SliceStores as _, WordMethods as _};
    pub use crate::rt::comparing::*;
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
