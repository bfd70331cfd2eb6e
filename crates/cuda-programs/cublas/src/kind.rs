//! Element types, and functions exported for each of them.
//!
//! Elements are read and written as double-precision complex numbers, which represent every element exactly. Products use
//! the functions of `matrixmultiply` for their accumulator types.
//!
//! # Safety contract of exported functions
//! [`export!`] exports a function under two names for each element type: one with 32-bit extents, and one that ends with
//! `_64` and has 64-bit extents. The exported functions are `unsafe fn`s that take the program's arguments as numbers.
//! Device addresses are checked with the driver. For the rest, the program keeps the promise of cuBLAS's documentation:
//! each pointer to host memory (scalars and results in host pointer mode, the `info` of batched solvers) is null, or valid
//! during the call for the type that the function's documentation names.

use crate::{Result, Status, refuse};
use lanework_numbers::{DataType, NumberType};
use matrixmultiply::CGemmOption::Standard;

/// An element type.
pub type ElementType = DataType;

/// A complex number.
pub type Number = [f64; 2];

/// Runs code with the kind as a constant, so the compiler generates one loop per kind.
macro_rules! for_each_kind {
    ($of:expr, $kind:ident => $code:block) => {
        for_each_kind!(@ $of, $kind, $code, F16 BF16 F32 F64 C32 C64 I8 I32)
    };
    (@ $of:expr, $kind:ident, $code:block, $($name:ident)*) => {
        match $of {
            $(ElementType::$name => {
                let $kind = ElementType::$name;
                $code
            })*
            // `element` refuses the other types.
            _ => {
                let $kind = $of;
                $code
            }
        }
    };
}

/// The type of a `cudaDataType`.
///
/// # Errors
/// If the stand-in does not support it.
pub fn element(code: i32) -> Result<ElementType> {
    match ElementType::from_code(code) {
        Some(kind) if kind != ElementType::C16 && kind != ElementType::CBF16 => Ok(kind),
        _ => refuse(
            Status::NotSupported,
            &format!(
                "elements of cudaDataType {code} are not supported; use f16, bf16, f32, f64, complex f32 or f64, or i8"
            ),
        ),
    }
}

/// Whether sums need double precision.
pub fn is_double(kind: ElementType) -> bool {
    matches!(kind.part, NumberType::F64 | NumberType::I32)
}

/// Appends the result of a function for each element of a line; elements are `step` apart.
pub fn read_all<T>(
    element: ElementType,
    from: &[u8],
    step: usize,
    length: usize,
    make: impl Fn(Number) -> T,
    to: &mut Vec<T>,
) {
    for_each_kind!(element, kind => {
        let size = kind.bytes();
        let read = |bytes: &[u8]| make(kind.read(bytes));
        match step {
            1 => to.extend(from.chunks_exact(size).take(length).map(read)),
            _ => to.extend((0..length).map(|at| read(&from[at * step * size..][..size]))),
        }
    })
}

/// The bytes of lines of elements: element `at` of a line is at `line * strides.0 + at * strides.1`.
pub fn put_lines(
    element: ElementType,
    from: &[Number],
    lines: usize,
    length: usize,
    strides: (usize, usize),
) -> Vec<u8> {
    let mut bytes = vec![0; lines * length * element.bytes()];
    for_each_kind!(element, kind => {
        let size = kind.bytes();
        for (line, at) in tiled(lines, length) {
            let place = (line * length + at) * size;
            let encoded = kind.encode(from[line * strides.0 + at * strides.1]);
            bytes[place..place + size].copy_from_slice(&encoded[..size]);
        }
    });
    bytes
}

/// All pairs of a row and a column, in tiles of a few rows: a matrix and its transpose are both accessed in whole cache lines.
pub fn tiled(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    const TILE: usize = 8;
    (0..rows).step_by(TILE).flat_map(move |first| {
        (0..columns)
            .flat_map(move |column| (first..rows.min(first + TILE)).map(move |row| (row, column)))
    })
}

/// The sum of two numbers.
pub fn add(a: Number, b: Number) -> Number {
    [a[0] + b[0], a[1] + b[1]]
}

/// The product of two numbers.
pub fn mul(a: Number, b: Number) -> Number {
    match (a[1] == 0.0, b[1] == 0.0) {
        // Skips the products with zero imaginary parts, which would turn infinities into NaN.
        (true, true) => [a[0] * b[0], 0.0],
        _ => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
    }
}

/// The quotient of two numbers.
pub fn div(a: Number, b: Number) -> Number {
    if b[1] == 0.0 {
        return [a[0] / b[0], a[1] / b[0]];
    }
    let size = b[0] * b[0] + b[1] * b[1];
    let [re, im] = mul(a, [b[0], -b[1]]);
    [re / size, im / size]
}

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

/// An argument of any C type.
pub trait Argument {
    /// The argument as a number: an extent, an option or an address.
    fn number(self) -> i64;
}

impl Argument for i32 {
    fn number(self) -> i64 {
        self.into()
    }
}

impl Argument for i64 {
    fn number(self) -> i64 {
        self
    }
}

impl Argument for usize {
    fn number(self) -> i64 {
        self as i64
    }
}

/// The C type of an argument: `int` for extents of the given width, `ptr` for addresses, `opt` for options, `long` for
/// 64 bits at any width.
macro_rules! c_type {
    (int $int:ty) => {
        $int
    };
    (ptr $int:ty) => {
        usize
    };
    (opt $int:ty) => {
        i32
    };
    (long $int:ty) => {
        i64
    };
}
pub(crate) use c_type;

/// Exports `function(element types, arguments)` under pairs of names (32-bit and 64-bit extents), each with its element types.
macro_rules! export {
    ($function:path, $arguments:tt: $([$narrow:ident $wide:ident $($kind:ident)*])*) => {
        $(
            $crate::kind::export!(@one $function, i32, $narrow, [$($kind)*], $arguments);
            $crate::kind::export!(@one $function, i64, $wide, [$($kind)*], $arguments);
        )*
    };
    (@one $function:path, $int:ty, $name:ident, [$($kind:ident)*], ($($argument:ident $type:ident),*)) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLAS's `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $crate::kind::c_type!($type $int)),*) -> i32 {
            lanework_standin::call(stringify!($name), || {
                let arguments = [$($crate::kind::Argument::number($argument)),*];
                // SAFETY: the program's arguments, unchanged: the module's contract.
                unsafe { $function([$($crate::kind::ElementType::$kind),*], arguments) }
            })
        }
    };
}
pub(crate) use export;
