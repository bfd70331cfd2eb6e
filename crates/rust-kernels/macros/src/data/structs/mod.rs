//! `#[device] struct`: the unchanged struct, and the type of its values while staging.
//!
//! For `struct Body { mass: f32 }` this declares `BodyOf<K>`, whose fields correspond to the
//! struct's: handles, variables or places, depending on the kind `K`. Kernels use it only through
//! the trait `Data`; only `#[device] impl` names it.

use crate::types::refuse;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ItemStruct, Type};

mod comparisons;
mod parts;
mod storable;

pub use parts::{Parts, staged_name};

/// Declares a device struct, or reports why it cannot.
pub fn expand(item: &ItemStruct) -> syn::Result<TokenStream> {
    let layout = layout(&item.attrs)?;
    for field in &item.fields {
        if let Type::Reference(reference) = &field.ty {
            return Err(refuse(
                reference,
                "a #[device] struct cannot hold a reference",
                "pass slices to the function as separate parameters",
            ));
        }
    }
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(refuse(lifetime, "a #[device] struct has no lifetimes", "hold values"));
    }
    let parts = Parts::new(item);
    let (staged, data, uses) = (parts.staged(), parts.data(), parts.conversions());
    let copied = parts.copied();
    let storable = parts.storable();
    let compared = parts.comparisons();
    let checks = parts.checks();
    Ok(quote! {
        #layout
        #item
        #staged
        #[allow(clippy::all, unused_qualifications)]
        const _: () = {
            #data
            #copied
            #uses
            #storable
            #compared
            #checks
        };
    })
}

/// `#[repr(C)]`, unless the struct has it already.
fn layout(attributes: &[Attribute]) -> syn::Result<TokenStream> {
    let mut known = false;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("repr")) {
        let text = attribute.meta.to_token_stream().to_string();
        if text.contains("packed") {
            return Err(refuse(
                attribute,
                "a packed struct cannot be a #[device] struct",
                "the GPU loads and stores only at multiples of a scalar's size; remove `packed`",
            ));
        }
        known |= text.contains('C') || text.contains("transparent");
    }
    Ok(if known { quote!() } else { quote!(#[repr(C)]) })
}
