//! Exports a function under cuBLAS's names, for each element type: one name with 32-bit extents, and one that ends
//! with `_64` with 64-bit extents.
//!
//! # Safety contract
//! The exported functions are `unsafe fn`s that take the program's arguments as numbers. Device addresses are checked
//! with the driver. For the rest, the program keeps the promise of cuBLAS's documentation: each pointer to host memory
//! (scalars and results in host pointer mode, the `info` of batched solvers) is null, or valid during the call for the
//! type that the function's documentation names.

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
            $crate::export::export!(@one $function, i32, $narrow, [$($kind)*], $arguments);
            $crate::export::export!(@one $function, i64, $wide, [$($kind)*], $arguments);
        )*
    };
    (@one $function:path, $int:ty, $name:ident, [$($kind:ident)*], ($($argument:ident $type:ident),*)) => {
        #[unsafe(no_mangle)]
        #[doc = concat!("cuBLAS's `", stringify!($name), "`.")]
        pub unsafe extern "C" fn $name($($argument: $crate::export::c_type!($type $int)),*) -> i32 {
            lanework_standin::call(stringify!($name), || {
                let arguments = [$($crate::export::Argument::number($argument)),*];
                // SAFETY: the program's arguments, unchanged: the module's contract.
                unsafe { $function([$($crate::kind::ElementType::$kind),*], arguments) }
            })
        }
    };
}
pub(crate) use export;
