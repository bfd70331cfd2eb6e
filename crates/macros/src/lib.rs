//! `#[kernel]` and `#[device]`: Rust functions rewritten into functions that stage PTX.

use proc_macro::TokenStream;

/// Turns a function into a kernel.
#[proc_macro_attribute]
pub fn kernel(_attribute: TokenStream, _item: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Turns a function into a device function.
#[proc_macro_attribute]
pub fn device(_attribute: TokenStream, _item: TokenStream) -> TokenStream {
    TokenStream::new()
}
