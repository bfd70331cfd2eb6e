//! The methods of `f16` and `bf16` that the host has by the crate `half`.

use crate::cast::Cast;
use crate::var::Var;
use half::{bf16, f16};

macro_rules! halves {
    ($($t:ty)*) => {$(
        /// ```
        /// # use lanework::prelude::*;
        /// use half::{bf16, f16};
        ///
        /// #[device]
        /// fn rounded(x: f32) -> f64 {
        ///     f16::from_f32(x).to_f64() + bf16::from_f32(x).to_f32() as f64
        /// }
        ///
        /// #[kernel]
        /// fn example(x: &[f32], out: &mut [f64]) {
        ///     out[0] = rounded(x[0]);
        /// }
        /// # let device = Device::emulator();
        /// # let x = device.upload(&[0.1f32])?;
        /// # let mut out = device.zeros::<f64>(1)?;
        /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
        /// assert_eq!(out.download()?, [rounded(0.1)]);
        /// # Ok::<(), lanework::Error>(())
        /// ```
        impl Var<$t> {
            /// The number as an `f32`.
            #[track_caller]
            pub fn to_f32(self) -> Var<f32> {
                self.cast()
            }

            /// The number as an `f64`.
            #[track_caller]
            pub fn to_f64(self) -> Var<f64> {
                self.cast()
            }
        }
    )*};
}

halves!(f16 bf16);
