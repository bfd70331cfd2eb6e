//! Number types of the sums of a product, with the functions of `matrixmultiply`.

use crate::kind::Number;
use matrixmultiply::CGemmOption::Standard;

/// Number types of the sums.
pub trait SumType: Copy + Default + Send + Sync {
    /// Converts a number; drops the imaginary part if the type is real.
    fn of(number: Number) -> Self;
    fn number(self) -> Number;
    /// C = A B.
    ///
    /// # Safety
    /// A is valid for reads of m x k elements with the given strides between rows and columns, B of k x n elements, and C for writes of m x n
    /// elements, row by row.
    unsafe fn multiply(
        extents: [usize; 3],
        a: (*const Self, [isize; 2]),
        b: (*const Self, [isize; 2]),
        c: *mut Self,
    );
}

macro_rules! sum {
    ($($type:ty: $gemm:ident($($option:ident)*), $zero:expr, $one:expr, $of:expr, $number:expr;)*) => {$(
        impl SumType for $type {
            fn of(number: Number) -> Self {
                $of(number)
            }
            fn number(self) -> Number {
                $number(self)
            }
            unsafe fn multiply(
                [m, k, n]: [usize; 3],
                (a, [rsa, csa]): (*const Self, [isize; 2]),
                (b, [rsb, csb]): (*const Self, [isize; 2]),
                c: *mut Self,
            ) {
                let (zero, one) = ($zero, $one);
                // SAFETY: this function has the contract of `matrixmultiply`'s functions, with C's rows `n` elements apart.
                unsafe {
                    matrixmultiply::$gemm(
                        $($option,)* m, k, n, one, a, rsa, csa, b, rsb, csb, zero, c, n as isize, 1,
                    )
                }
            }
        }
    )*};
}

sum! {
    f32: sgemm(), 0.0, 1.0, |[re, _]: Number| re as f32, |value: f32| [value.into(), 0.0];
    f64: dgemm(), 0.0, 1.0, |[re, _]: Number| re, |value: f64| [value, 0.0];
    [f32; 2]: cgemm(Standard Standard), [0.0; 2], [1.0, 0.0],
        |number: Number| number.map(|part| part as f32), |value: [f32; 2]| value.map(f64::from);
    [f64; 2]: zgemm(Standard Standard), [0.0; 2], [1.0, 0.0], |number: Number| number, |value: Number| value;
}
