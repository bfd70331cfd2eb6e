//! Macros of the handler tables.

/// The handlers of an operation on any integer type, written once; `T` is the type.
macro_rules! by_integer {
    ($ty:expr, $make:ident, |$($arg:ident),*| $body:expr) => {
        match $ty {
            Integer::U8 => { type T = u8; $make(|$($arg: T),*| -> T { $body }) }
            Integer::S8 => { type T = i8; $make(|$($arg: T),*| -> T { $body }) }
            Integer::U16 => { type T = u16; $make(|$($arg: T),*| -> T { $body }) }
            Integer::S16 => { type T = i16; $make(|$($arg: T),*| -> T { $body }) }
            Integer::U32 => { type T = u32; $make(|$($arg: T),*| -> T { $body }) }
            Integer::S32 => { type T = i32; $make(|$($arg: T),*| -> T { $body }) }
            Integer::U64 => { type T = u64; $make(|$($arg: T),*| -> T { $body }) }
            Integer::S64 => { type T = i64; $make(|$($arg: T),*| -> T { $body }) }
        }
    };
}

/// Handlers with one for affine operands added.
macro_rules! with_affine {
    ($pure:expr, $affine:expr) => {{
        static PURE: std::sync::OnceLock<$crate::instructions::alu::operation::AluOperation> =
            std::sync::OnceLock::new();
        PURE.get_or_init(|| {
            let base = $pure;
            $crate::instructions::alu::operation::AluOperation { affine: Some($affine), ..*base }
        })
    }};
}
