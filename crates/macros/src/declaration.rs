//! `#[device]` by what it marks: a function, a struct, an enum or an `impl` block.

use crate::types::refuse;
use proc_macro2::TokenStream;

/// Rewrites what is marked, or reports why it cannot.
pub fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let declared = syn::parse2::<syn::Item>(item).and_then(|item| match item {
        syn::Item::Fn(function) => Ok(crate::device::expand(attribute, function)),
        syn::Item::Struct(item) => crate::structs::expand(&item),
        syn::Item::Enum(item) => crate::enums::expand(&item),
        syn::Item::Impl(item) => crate::methods::expand(item),
        other => Err(refuse(
            other,
            "#[device] is for functions, structs, enums without data and `impl` blocks",
            "remove it",
        )),
    });
    declared.unwrap_or_else(syn::Error::into_compile_error)
}
