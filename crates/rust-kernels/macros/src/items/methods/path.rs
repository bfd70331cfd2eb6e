//! The path of a block's type, in the forms that different positions need.

use crate::data::structs::staged_name;
use crate::types::refuse;
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{ItemImpl, PathArguments, Type, TypePath};

/// The path of the type that the block is for.
pub(super) fn path_of(item: &ItemImpl) -> syn::Result<&TypePath> {
    match &*item.self_ty {
        Type::Path(path) if path.qself.is_none() => Ok(path),
        other => Err(refuse(
            other,
            "a #[device] impl is for a #[device] struct or enum",
            "write `impl Name { .. }`, without a reference",
        )),
    }
}

/// `BodyOf<kind, T>` for `Body<T>`.
pub(super) fn parts_of(path: &TypePath, kind: &TokenStream) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = staged_name(&last.ident);
        let kind: syn::GenericArgument = syn::parse_quote!(#kind);
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.insert(0, kind),
            other => {
                *other = PathArguments::AngleBracketed(syn::parse_quote!(<#kind>));
            }
        }
    }
    path.to_token_stream()
}

/// The path with `::` before its generic arguments, as expressions need it.
pub(super) fn turbofish(path: &TypePath) -> TokenStream {
    let mut path = path.clone();
    for segment in &mut path.path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token = Some(Default::default());
        }
    }
    path.to_token_stream()
}
