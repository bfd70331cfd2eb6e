//! `#[device] impl`: methods, associated functions and operators of device structs and enums.
//!
//! The block stays unchanged for the host. For staging, its methods are also implemented for the
//! struct's parts (`BodyOf<K>`), and its operators for handles.

use crate::body::closures::staged_generics;
use crate::body::scope::Translator;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::types::refuse;
use bounds::with_data;
use operator::operator_of;
use path::{parts_of, path_of, turbofish};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use receiver::{around, is_exclusive, plain};
use syn::spanned::Spanned;
use syn::{ImplItem, ItemImpl};

mod bounds;
mod operator;
mod path;
mod receiver;

/// The operators that handles get.
const OPERATORS: [&str; 12] =
    ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not"];

/// The operators that assign; in a kernel, `a += b` uses `Add`.
const ASSIGNING: [&str; 10] = [
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
];

/// Stages the functions of an `impl` block, or reports why it cannot.
pub fn expand(item: ItemImpl) -> syn::Result<TokenStream> {
    let host = host(&item)?;
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(refuse(lifetime, "a #[device] impl has no lifetimes", "take values"));
    }
    let operator = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let staged = match operator {
        Some(last) if OPERATORS.iter().any(|name| last.ident == name) => operator_of(&item, last)?,
        Some(last) if ASSIGNING.iter().any(|name| last.ident == name) => TokenStream::new(),
        _ => methods(&item)?,
    };
    Ok(quote!(#host #staged))
}

/// The block for the host.
fn host(item: &ItemImpl) -> syn::Result<TokenStream> {
    let mut items = TokenStream::new();
    for inner in &item.items {
        match inner {
            ImplItem::Fn(function) => items.extend(crate::host::function(
                &function.attrs,
                &function.vis,
                &function.sig,
                &function.block,
            )),
            ImplItem::Const(_) | ImplItem::Type(_) => inner.to_tokens(&mut items),
            other => {
                return Err(refuse(
                    other,
                    "a #[device] impl holds functions and constants",
                    "move it out of the block",
                ));
            }
        }
    }
    let (attributes, unsafety, generics) = (&item.attrs, &item.unsafety, &item.generics);
    let (parameters, _, clause) = generics.split_for_impl();
    let not = &item.modifiers.polarity;
    let of = item.trait_.as_ref().map(|(path, word)| quote!(#not #path #word));
    let ty = &item.self_ty;
    Ok(quote!(#(#attributes)* #unsafety impl #parameters #of #ty #clause { #items }))
}

/// Methods and associated functions, of the parts of every kind.
fn methods(item: &ItemImpl) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    let host_type = turbofish(path);
    let mut functions = TokenStream::new();
    for inner in &item.items {
        let ImplItem::Fn(function) = inner else { continue };
        let conditions = function.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        let (plain, taken) = plain(function, &host_type)?;
        let mut translator = Translator::new(returns(&plain.sig));
        translator.declare_generics(&item.generics);
        let around = around(taken.as_ref(), &host_type, &mut translator);
        let staged = stage(&plain.sig, &plain.block, around, &mut translator)?;
        if let Some(errors) = translator.finish() {
            return Ok(errors);
        }
        let Staged { parameters, output, body } = staged;
        let (name, generics) = (&function.sig.ident, staged_generics(&plain.sig.generics));
        let mut clause = generics.where_clause.clone();
        let this = taken.as_ref().map(|_| quote!(self,));
        if taken.as_ref().is_some_and(is_exclusive) {
            let exclusive = syn::parse_quote!(Self: ::lanework::lang::rt::Exclusive<#host_type>);
            clause.get_or_insert_with(|| syn::parse_quote!(where)).predicates.push(exclusive);
        }
        let visibility = match item.trait_ {
            Some(_) => quote!(pub),
            None => function.vis.to_token_stream(),
        };
        functions.extend(quote_spanned!(function.sig.span() =>
            #(#conditions)*
            #[doc(hidden)]
            #visibility fn #name #generics (#this #(#parameters),*) #output #clause { #body }));
    }
    let mut generics = with_data(&item.generics);
    generics.params.insert(0, syn::parse_quote!(__K: ::lanework::lang::rt::Kind));
    let (parameters, _, clause) = generics.split_for_impl();
    let parts = parts_of(path, &quote!(__K));
    let allowed = allowed();
    Ok(
        quote!(#allowed #[allow(clippy::wrong_self_convention, clippy::should_implement_trait, clippy::new_ret_no_self)]
        impl #parameters #parts #clause { #functions }),
    )
}
