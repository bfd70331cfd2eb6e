//! `#[kernel]` and `#[device]`: rewrite Rust functions into functions that stage PTX.
//!
//! The rewriting is purely syntactic. The rewritten body calls generic functions of
//! `lanework::lang::rt`, so rustc's type checker checks the kernel and reports errors at the
//! author's lines. The macros never panic; unsupported syntax is a compile error with a remedy.

mod body;
mod bounds;
mod data;
mod host;
mod items;
mod outline;
mod types;
mod why;

use proc_macro::TokenStream;

/// Turns a function into a kernel: calling it with its arguments returns a `Launch`.
///
/// The body is written in the language of `lanework::lang`, whose documentation compares it with CUDA
/// C++. Parameters are scalars, `&[T]` and `&mut [T]`; a parameter marked `#[constant]` is an ordinary
/// Rust value, known while the kernel is staged, as are const generics. The attribute takes
/// `block = (32, 8)` (the only block allowed), `max_threads = 256`, `min_blocks = 2` (per
/// multiprocessor), `max_registers = 64` and `cluster = (2, 1, 1)`, whose values may use generics and
/// constants.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let (attribute, item) = (attribute.into(), item.into());
    let macros = items::expansion::of_item(&attribute, "kernel", &item);
    macros.unwrap_or_else(|| items::kernel::expand(attribute, item)).into()
}

/// Makes a function callable from kernels, where it is inlined. Called from ordinary Rust, it computes
/// with ordinary values, unchanged.
///
/// Parameters are scalars, slices, shared arrays, `&mut` variables and register arrays, and
/// `#[constant]` values. A function that uses a kernel-only feature (`thread_idx`, barriers, shared
/// memory, atomics) panics on the host with a message that says so. On the host, integer arithmetic
/// that overflows panics in debug builds, as in any Rust; in a kernel it wraps.
///
/// `use` imports such a function for the host and for kernels at once: it is a function, and a type of
/// the same name that holds what kernels call.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let (attribute, item) = (attribute.into(), item.into());
    let macros = items::expansion::of_item(&attribute, "device", &item);
    macros.unwrap_or_else(|| items::expand(attribute, item)).into()
}

/// Continues a kernel or a device function behind the expansion of a macro that it calls. Not for direct use.
#[doc(hidden)]
#[proc_macro]
pub fn expanded(tokens: TokenStream) -> TokenStream {
    items::expansion::resume(tokens.into()).into()
}
