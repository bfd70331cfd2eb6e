//! `#[kernel]` and `#[device]`: rewrite Rust functions into functions that stage PTX.
//!
//! The rewriting is purely syntactic. The rewritten body calls generic functions of
//! `lanework::lang::rt`, so rustc's type checker checks the kernel and reports errors at the
//! author's lines. The macros never panic; unsupported syntax is a compile error with a remedy.

mod attribute;
mod device;
mod expression;
mod flow;
mod format;
mod inline;
mod kernel;
mod scope;
mod statement;
mod types;

use proc_macro::TokenStream;

/// Turns a function into a kernel: calling it with its arguments returns a `Launch`.
///
/// The body is written in the language of `lanework::lang`, whose page compares it with CUDA C++.
/// Parameters are scalars, `&[T]` and `&mut [T]`; a parameter marked `#[constant]` is an ordinary
/// Rust value, known while the kernel is staged, as are const generics. The attribute takes
/// `block = (32, 8)` (the only block allowed), `max_threads = 256`, `min_blocks = 2` (per
/// multiprocessor), `max_registers = 64` and `cluster = (2, 1, 1)`, whose values may use generics
/// and constants.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(attribute.into(), item.into()).into()
}

/// Turns a function into a device function, inlined into the kernels that call it.
///
/// Parameters are scalars, slices, shared arrays, `&mut` variables and register arrays, and
/// `#[constant]` values.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    device::expand(attribute.into(), item.into()).into()
}
