//! Results of products, some columns at a time: each lane's registers hold them one after the other.

use super::element::MatrixElement;
use super::fragment::FragmentC;
use crate::current::{here, with};
use crate::memory::Extent;
use crate::var::Read;

impl<T: MatrixElement, const M: u32, const N: u32> FragmentC<T, M, N> {
    /// `C` columns from column `C * which` on, a number known while the kernel is staged; `C` divides `N` and is a
    /// multiple of 8. They are stored, or converted, by themselves: a tile of all of them need not fit.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(out: &mut [f32]) {
    ///     let mut sums = FragmentC::<f32, 16, 16>::zero();
    ///     #[unroll]
    ///     for i in 0..8 {
    ///         sums[i] = i as f32;
    ///     }
    ///     sums.columns::<8>(1).store(out.matrix(8), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let mut out = device.zeros::<f32>(16 * 8)?;
    /// # example(&mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[..2], [4.0, 5.0]); // a lane has 4 elements of 8 columns
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn columns<const C: u32>(self, which: impl Extent) -> FragmentC<T, M, C> {
        here();
        let parts = if C > 0 && C.is_multiple_of(8) && N.is_multiple_of(C) { N / C } else { 0 };
        let which = which.extent().and_then(|which| u32::try_from(which).ok());
        match which.filter(|which| *which < parts) {
            Some(which) => Read::copy(self).part(which),
            None => {
                with(|b| {
                    b.error(
                        format!("{N} columns of results have no such part of {C} columns"),
                        format!("take a divisor of {N} that is a multiple of 8, and a part below {N} / {C}"),
                    );
                });
                FragmentC::zero()
            }
        }
    }
}
