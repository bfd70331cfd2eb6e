//! How a function becomes one of cuBLAS's: for each element type, with 32-bit extents and, by the name that ends with `_64`, with
//! 64-bit ones.

/// An argument, whatever C passes it as.
pub trait Argument {
    /// As a number: an extent, an option, an address.
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

/// The C type of an argument: `int` of the given width, `ptr` an address, `opt` an option, `long` always 64 bits.
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

/// `function(kinds)(arguments)` is exported by pairs of names, each with its kinds.
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
                // SAFETY: by the caller.
                unsafe { $function([$($crate::kind::Kind::$kind),*], arguments) }
            })
        }
    };
}
pub(crate) use export;
