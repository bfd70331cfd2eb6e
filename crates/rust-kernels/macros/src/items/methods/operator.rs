//! Operators of device structs and enums: of two handles, and of a handle and an ordinary value.

use super::bounds::with_data;
use super::path::{parts_of, path_of, turbofish};
use super::receiver::{around, plain, without_self};
use crate::body::scope::Translator;
use crate::body::twin::PRIMITIVES;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::types::refuse;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericParam, Generics, ImplItem, ItemImpl, PathArguments, ReturnType, Type};

/// The handle of a type in the header of an `impl`.
fn handle_of(ty: &Type, generics: &Generics) -> TokenStream {
    if let Type::Path(path) = ty
        && path.qself.is_none()
        && let Some(last) = path.path.segments.last()
    {
        let name = last.ident.to_string();
        let parameter = generics.type_params().any(|p| path.path.is_ident(&p.ident));
        if parameter || PRIMITIVES.contains(&name.as_str()) {
            return quote!(::lanework::lang::Var<#ty>);
        }
        return parts_of(path, &quote!(::lanework::lang::rt::Values));
    }
    quote!(::lanework::lang::rt::Handle<#ty>)
}

/// An operator: of two handles, and of a handle and an ordinary value.
pub(super) fn operator_of(item: &ItemImpl, last: &syn::PathSegment) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    let left: Type = syn::parse_quote!(#path);
    let host_type = turbofish(path);
    let right = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(ty.clone()),
            _ => None,
        },
        _ => None,
    };
    let function = item.items.iter().find_map(|inner| match inner {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let Some(function) = function else {
        return Err(refuse(item, "this operator has no function", "write it out"));
    };
    let output = item.items.iter().find_map(|inner| match inner {
        ImplItem::Type(ty) => Some(without_self(ty.ty.to_token_stream(), &host_type)),
        _ => None,
    });
    let (mut plain, taken) = plain(function, &host_type)?;
    if let (Some(output), ReturnType::Type(_, ty)) = (&output, &mut plain.sig.output) {
        **ty = syn::parse_quote!(#output);
    }
    let right_type = plain.sig.inputs.first().and_then(|argument| match argument {
        FnArg::Typed(typed) => Some((*typed.ty).clone()),
        FnArg::Receiver(_) => None,
    });
    let right = match (right_type, right) {
        (None, _) => None,
        (Some(_), Some(right)) => Some(right),
        (Some(_), None) => Some(left.clone()),
    };
    if let Some(Type::Reference(reference)) = &right {
        return Err(refuse(
            reference,
            "an operator of a #[device] struct takes values",
            "implement it for values; in a kernel, `&a + &b` is `a + b`",
        ));
    }
    let right = right.map(|ty| -> syn::Result<Type> {
        syn::parse2(without_self(ty.to_token_stream(), &host_type))
    });
    let right = right.transpose()?;
    if let (Some(right), Some(FnArg::Typed(typed))) = (&right, plain.sig.inputs.first_mut()) {
        *typed.ty = right.clone();
    }
    let mut translator = Translator::new(returns(&plain.sig));
    translator.declare_generics(&item.generics);
    let (start, end) = around(taken.as_ref(), &host_type, &mut translator);
    // The receiver is an argument of the function that all the implementations call.
    let start: TokenStream = start
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Group(group) => {
                let inner = group.stream().into_iter().map(|tree| match tree {
                    TokenTree::Ident(word) if word == "self" => {
                        TokenTree::Ident(Ident::new("__left", word.span()))
                    }
                    other => other,
                });
                TokenTree::Group(Group::new(group.delimiter(), inner.collect()))
            }
            other => other,
        })
        .collect();
    let staged = stage(&plain.sig, &plain.block, (start, end), &mut translator)?;
    if let Some(errors) = translator.finish() {
        return Ok(errors);
    }
    let Staged { parameters, output: handle, body } = staged;
    let generics = with_data(&item.generics);
    let (impl_generics, _, clause) = generics.split_for_impl();
    let arguments = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(constant) => constant.ident.to_token_stream(),
        GenericParam::Lifetime(lifetime) => lifetime.to_token_stream(),
    });
    let arguments: Vec<_> = arguments.collect();
    let (name, operation) = (&function.sig.ident, &last.ident);
    let result = match &plain.sig.output {
        ReturnType::Type(_, ty) => quote!(<#ty as ::lanework::lang::rt::Returned>::Handle),
        ReturnType::Default => quote!(()),
    };
    let left_handle = handle_of(&left, &item.generics);
    let mut implementations = TokenStream::new();
    let forms = match &right {
        None => vec![(left_handle, None)],
        Some(right) => {
            let handle = handle_of(right, &item.generics);
            vec![
                (left_handle.clone(), Some(handle.clone())),
                (left_handle, Some(right.to_token_stream())),
                (left.to_token_stream(), Some(handle)),
            ]
        }
    };
    for (left, right) in forms {
        let of = right.as_ref().map(|right| quote!(<#right>));
        let parameter = right.as_ref().map(|right| quote!(, other: #right));
        let argument = right.as_ref().map(|_| quote!(, other));
        implementations.extend(quote! {
            impl #impl_generics ::core::ops::#operation #of for #left #clause {
                type Output = #result;
                #[track_caller]
                fn #name(self #parameter) -> #result {
                    staged::<#(#arguments),*>(self #argument)
                }
            }
        });
    }
    let allowed = allowed();
    Ok(quote! {
        #allowed
        const _: () = {
            fn staged #impl_generics (
                __left: impl ::lanework::lang::rt::To<#left>, #(#parameters),*
            ) #handle #clause {
                #body
            }
            #implementations
        };
    })
}
