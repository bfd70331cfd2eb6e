//! `self`: how a method takes it, and its ordinary name in a staged body.

use crate::body::scope::Translator;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, ImplItemFn, ReceiverKind};

/// The name of the receiver in a staged body.
fn receiver() -> Ident {
    Ident::new("this", Span::mixed_site())
}

/// Replaces `self` and `Self` in a function.
pub(super) fn without_self(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
    let one = |tree: TokenTree| -> TokenStream {
        match tree {
            TokenTree::Ident(word) if word == "Self" => ty
                .clone()
                .into_iter()
                .map(|mut tree| {
                    tree.set_span(tree.span().located_at(word.span()));
                    tree
                })
                .collect(),
            TokenTree::Ident(word) if word == "self" => {
                let mut name = receiver();
                name.set_span(name.span().located_at(word.span()));
                name.into_token_stream()
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_self(group.stream(), ty));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        }
    };
    tokens.into_iter().flat_map(one).collect()
}

/// A function whose `self` is an ordinary name, and how it took `self`.
pub(super) fn plain(
    function: &ImplItemFn,
    ty: &TokenStream,
) -> syn::Result<(ImplItemFn, Option<syn::Receiver>)> {
    let mut function = function.clone();
    let receiver = match function.sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => Some(receiver.clone()),
        _ => None,
    };
    if receiver.is_some() {
        function.sig.inputs = function.sig.inputs.into_iter().skip(1).collect();
    }
    function.attrs.clear();
    Ok((syn::parse2(without_self(function.into_token_stream(), ty))?, receiver))
}

/// Whether a method takes `&mut self`.
pub(super) fn is_exclusive(receiver: &syn::Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
}

/// Code before and after the body of a method, for its receiver.
pub(super) fn around(
    receiver_of: Option<&syn::Receiver>,
    ty: &TokenStream,
    translator: &mut Translator,
) -> (TokenStream, TokenStream) {
    let Some(taken) = receiver_of else { return Default::default() };
    let this = receiver();
    let rt = quote!(::lanework::lang::rt);
    let exclusive = is_exclusive(taken);
    translator.declare(&this, exclusive || taken.mutability.is_some());
    if exclusive {
        return (
            quote!(let (#this, __loan) = #rt::Exclusive::<#ty>::enter(self);),
            quote!(#rt::give_back(__loan);),
        );
    }
    let value = match taken.kind {
        ReceiverKind::Reference(..) => quote!(#rt::To::<#ty>::to(self)),
        _ => quote!(#rt::by_value::<#ty>(self)),
    };
    let value = match taken.mutability {
        Some(_) => quote!(#rt::variable(#value)),
        None => value,
    };
    (quote!(let #this = #value;), TokenStream::new())
}
