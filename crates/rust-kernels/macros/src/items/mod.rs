//! The items that the attributes rewrite: kernels, and what `#[device]` marks: functions, structs, enums, traits, `impl`
//! blocks and macros.

mod device;
pub mod expansion;
mod host_objects;
mod imported;
pub mod kernel;
mod methods;
mod receiver;
mod trait_methods;
mod traits;

use crate::types::refuse;
use proc_macro2::TokenStream;

/// Rewrites the marked item, or returns tokens of the error.
pub fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let declared = syn::parse2::<syn::Item>(item).and_then(|item| match item {
        syn::Item::Fn(function) => Ok(crate::items::device::expand(attribute, function)),
        syn::Item::Struct(item) => crate::data::structs::expand(&item),
        syn::Item::Enum(item) => crate::data::enums::expand(&item),
        syn::Item::Impl(item) => crate::items::methods::expand(item),
        syn::Item::Trait(item) => crate::items::traits::expand(&item),
        syn::Item::Macro(item) => crate::items::expansion::declare(&item),
        other => Err(refuse(
            other,
            "#[device] is for functions, structs, enums, traits and `impl` blocks",
            "remove it",
        )),
    });
    declared.unwrap_or_else(syn::Error::into_compile_error)
}
