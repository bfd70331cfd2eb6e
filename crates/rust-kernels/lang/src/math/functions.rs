//! The elementary functions as free functions: `math::sin(x)` in a `#[device]` function has the same bits on the host and in a
//! kernel. On the host, the methods of `f32` and `f64` come from Rust's library; their last bits depend on the machine.
//!
//! ```
//! use lanework::prelude::*;
//! use lanework::math;
//!
//! #[device]
//! fn wave(x: f32) -> f32 {
//!     math::sin(x) * math::exp(-x)
//! }
//!
//! #[kernel]
//! fn waves(out: &mut [f32]) {
//!     let i = thread_idx.x;
//!     out[i] = wave(i as f32);
//! }
//!
//! # let device = Device::emulator();
//! # let mut out = device.zeros::<f32>(32)?;
//! waves(&mut out).grid(1).block(32).launch(&device)?;
//! for (i, got) in out.download()?.into_iter().enumerate() {
//!     assert_eq!(got, wave(i as f32));
//! }
//! # Ok::<(), lanework::Error>(())
//! ```

use crate::scalar::number::Float;
use crate::scalar::var::{IntoVar, Var};

pub use lanework_math::*;

macro_rules! staged {
    ($($name:ident($x:ident $(, $y:ident: $t:ty)?) -> $out:ty;)*) => {$(
        #[doc(hidden)]
        #[allow(missing_docs)]
        pub mod $name {
            use super::*;

            #[track_caller]
            pub fn staged<T: Float>($x: impl IntoVar<T> $(, $y: impl IntoVar<$t>)?) -> $out {
                $x.into_var().$name($($y)?)
            }
        }
    )*};
}

staged! {
    exp(x) -> Var<T>;
    exp2(x) -> Var<T>;
    exp_m1(x) -> Var<T>;
    ln(x) -> Var<T>;
    log2(x) -> Var<T>;
    log10(x) -> Var<T>;
    ln_1p(x) -> Var<T>;
    sin(x) -> Var<T>;
    cos(x) -> Var<T>;
    sin_cos(x) -> (Var<T>, Var<T>);
    tan(x) -> Var<T>;
    asin(x) -> Var<T>;
    acos(x) -> Var<T>;
    atan(x) -> Var<T>;
    atan2(y, x: T) -> Var<T>;
    sinh(x) -> Var<T>;
    cosh(x) -> Var<T>;
    tanh(x) -> Var<T>;
    asinh(x) -> Var<T>;
    acosh(x) -> Var<T>;
    atanh(x) -> Var<T>;
    powf(x, y: T) -> Var<T>;
    powi(x, n: i32) -> Var<T>;
    cbrt(x) -> Var<T>;
    hypot(x, y: T) -> Var<T>;
    erf(x) -> Var<T>;
    erfc(x) -> Var<T>;
    rem_euclid(x, y: T) -> Var<T>;
    div_euclid(x, y: T) -> Var<T>;
}

#[doc(hidden)]
#[allow(missing_docs)]
pub mod rem {
    use super::*;

    #[track_caller]
    pub fn staged<T: Float>(x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
        x.into_var() % y.into_var()
    }
}
