//! `#[kernel]` and `#[device]`: rewrite Rust functions into functions that stage PTX.
//!
//! The rewriting is purely syntactic. The rewritten body calls generic functions of
//! `lanework::lang::rt`, so rustc's type checker checks the kernel and reports errors at the
//! author's lines. The macros never panic; unsupported syntax is a compile error with a remedy.

mod body;
mod bounds;
mod data;
mod grouping;
mod host;
mod intrinsics;
mod items;
mod outline;
mod source;
mod types;
mod why;

use proc_macro::TokenStream;

/// Turns a function into a kernel: calling it with its arguments returns a `Launch`.
///
/// The body is in the language of `lanework::lang`, whose documentation compares it with CUDA C++. Parameters are
/// scalars, `&[T]` and `&mut [T]`. A parameter marked `#[constant]` is an ordinary Rust value that is known while the
/// kernel is staged, as const generics are. The attribute takes `block = (32, 8)` (the only block allowed),
/// `max_threads = 256`, `min_blocks = 2` (per multiprocessor), `max_registers = 64` and `cluster = (2, 1, 1)`. Their
/// values may use generics and constants.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let (attribute, item) = (attribute.into(), grouping::grouped(item.into()));
    let macros = items::expansion::of_item(&attribute, "kernel", &item);
    macros.unwrap_or_else(|| items::kernel::expand(attribute, item)).into()
}

/// Makes a function callable from kernels, which inline it. Ordinary Rust code can still call it with ordinary values.
///
/// Parameters are scalars, slices, shared arrays, `&mut` variables and register arrays, and `#[constant]` values. On
/// the host, a function that uses a kernel-only feature (`thread_idx`, barriers, shared memory, atomics) panics with a
/// message that says so. Integer overflow panics on the host in debug builds, as in all Rust code; in a kernel it
/// wraps.
///
/// One `use` imports such a function for the host and for kernels, because the attribute generates both a function and
/// a type of the same name. Kernels call the type's methods.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let (attribute, item) = (attribute.into(), grouping::grouped(item.into()));
    let macros = items::expansion::of_item(&attribute, "device", &item);
    macros.unwrap_or_else(|| items::expand(attribute, item)).into()
}

/// Continues a kernel or a device function after the expansion of a macro that it calls. Not for direct use.
#[doc(hidden)]
#[proc_macro]
pub fn expanded(tokens: TokenStream) -> TokenStream {
    items::expansion::resume(grouping::grouped(tokens.into())).into()
}
