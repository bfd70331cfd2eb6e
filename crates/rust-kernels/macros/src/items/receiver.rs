//! The receiver of a method: staged functions name it instead of `self`.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, ImplItemFn, ReceiverKind};

/// The name of the receiver in a staged body.
pub fn receiver() -> Ident {
    Ident::new("this", Span::mixed_site())
}

/// Replaces `self` and `Self` in a function.
pub fn without_self(tokens: TokenStream, ty: &TokenStream) -> TokenStream {
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
pub fn plain(
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
pub fn is_exclusive(receiver: &syn::Receiver) -> bool {
    matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_)))
}
