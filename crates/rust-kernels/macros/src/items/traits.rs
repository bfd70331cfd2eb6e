//! `#[device] trait`: functions that generic kernels call on their type parameters.
//!
//! The trait gets a hidden function `f_in_kernels` for each of its functions `f`; a `#[device] impl` of the trait
//! implements both. `T::f(..)` in a kernel calls the hidden function. For `value.f(..)`, the attribute also declares a
//! function with the trait's name. It wraps a value in a type with the trait's methods. A `use` of the trait imports this
//! function, too.

use crate::body::closures::staged_generics;
use crate::body::scope::Translator;
use crate::bounds::{in_kernels, is_of_kernels, is_of_rust, may_be_device, staged_bound};
use crate::items::device::{Staged, allowed, returns, stage};
use crate::items::receiver::{is_exclusive, plain, receiver};
use crate::types::refuse;
use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    ImplItem, ImplItemFn, ItemImpl, ItemTrait, Signature, TraitItem, TraitItemType, Type,
    TypeParamBound,
};

/// The item that holds a function.
#[derive(Clone, Copy)]
enum Owner<'a> {
    /// The trait of this path.
    Trait(&'a syn::Path),
    /// An `impl` of the trait of this path, with these generics.
    Impl(&'a syn::Path, &'a syn::Generics),
}

/// The hidden function for kernels, with a body if `block` is given. Empty for a function without arguments: the host
/// computes it.
fn hidden(
    signature: &Signature,
    block: Option<&syn::Block>,
    ty: &TokenStream,
    of: Owner<'_>,
) -> syn::Result<TokenStream> {
    if signature.inputs.is_empty() {
        return Ok(TokenStream::new());
    }
    let function = ImplItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        modifiers: Default::default(),
        sig: signature.clone(),
        block: block.cloned().unwrap_or_else(|| syn::parse_quote!({})),
    };
    let (plain, taken) = plain(&function, ty)?;
    let mut translator = Translator::new(returns(&plain.sig));
    let (Owner::Trait(path) | Owner::Impl(path, _)) = of;
    translator.declare_bound(&format_ident!("Self"), path);
    if let Owner::Impl(_, generics) = of {
        translator.declare_generics(generics);
    }
    let (this, rt) = (receiver(), quote!(::lanework::lang::rt));
    let (mut taken_as, mut start, mut end) = (None, TokenStream::new(), TokenStream::new());
    if let Some(taken) = &taken {
        let exclusive = is_exclusive(taken);
        translator.declare(&this, taken.mutability.is_some());
        if exclusive {
            translator.declare_reference(&this);
            taken_as = Some(quote!(#this: impl #rt::Exclusive<#ty>,));
            start = quote!(let (#this, __loan) = #rt::Exclusive::<#ty>::enter(#this););
            end = quote!(#rt::give_back(__loan););
        } else {
            taken_as = Some(quote!(#this: impl #rt::To<#ty>,));
            start = quote!(let #this = #rt::by_value::<#ty>(#this););
            if taken.mutability.is_some() {
                start.extend(quote!(let #this = #rt::variable(#this);));
            }
        }
    }
    let staged = stage(&plain.sig, &plain.block, (start, end), &mut translator)?;
    if let Some(errors) = translator.finish() {
        return Ok(errors);
    }
    let Staged { parameters, output, body } = staged;
    let (name, generics) = (in_kernels(&signature.ident), staged_generics(&plain.sig.generics));
    let clause = &generics.where_clause;
    let body = block.map_or(quote!(;), |_| quote!({ #body }));
    let allowed = allowed();
    Ok(quote_spanned!(signature.ident.span() =>
        #[doc(hidden)] #allowed #[track_caller]
        fn #name #generics (#taken_as #(#parameters),*) #output #clause #body))
}

/// Whether an item of a trait names the trait's type. `Self::Item` names another type.
pub fn mentions_self(item: impl ToTokens) -> bool {
    fn mentioned(tokens: TokenStream) -> bool {
        let mut trees = tokens.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let path = matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':' && next.spacing() == Spacing::Joint);
            let found = match tree {
                TokenTree::Ident(word) => word == "self" || word == "Self" && !path,
                TokenTree::Group(group) => mentioned(group.stream()),
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }
    mentioned(item.to_token_stream())
}

/// An associated type, with the bounds that values of it need in kernels, if a function or a constant of the trait names it.
fn with_bounds(ty: &TraitItemType, item: &ItemTrait) -> TraitItemType {
    let mut ty = ty.clone();
    let bounds: Vec<syn::Path> = ty
        .bounds
        .iter()
        .filter_map(|bound| match bound {
            TypeParamBound::Trait(bound) => Some(bound.path.clone()),
            _ => None,
        })
        .collect();
    let of_kernels = |path: &syn::Path| is_of_kernels(path) || may_be_device(path);
    if !is_named(&ty.ident, item) || bounds.iter().any(of_kernels) {
        return ty;
    }
    ty.bounds.push(syn::parse_quote!(::lanework::lang::rt::KernelValue));
    let own = &ty.ident;
    let own: Type = syn::parse_quote!(<Self as Trait>::#own);
    let staged = bounds.iter().filter_map(|path| staged_bound(path, &own));
    let staged: Vec<TypeParamBound> = staged
        .map(|bound| with_trait(bound, &item.ident))
        .filter_map(|b| syn::parse2(b).ok())
        .collect();
    ty.bounds.extend(staged);
    ty
}

/// The tokens with the name of the trait in the place of `Trait`.
fn with_trait(tokens: TokenStream, name: &Ident) -> TokenStream {
    let one = |tree| match tree {
        TokenTree::Ident(word) if word == "Trait" => TokenTree::Ident(name.clone()),
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), with_trait(group.stream(), name)))
        }
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

/// Whether a function or a constant of a trait names the associated type.
fn is_named(name: &Ident, item: &ItemTrait) -> bool {
    let texts = item.items.iter().filter_map(|inner| match inner {
        TraitItem::Fn(function) => Some(function.sig.to_token_stream().to_string()),
        TraitItem::Const(constant) => Some(constant.ty.to_token_stream().to_string()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    let (path, word) = (format!("Self :: {name}"), |c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(&path).any(|(at, _)| !text[at + path.len()..].starts_with(word))
}

/// The hidden functions of an `impl` of a trait; empty for a trait of Rust's library.
pub fn implemented(item: &ItemImpl, ty: &TokenStream) -> syn::Result<TokenStream> {
    let Some((path, _)) = &item.trait_ else { return Ok(TokenStream::new()) };
    if path.segments.last().is_none_or(|last| is_of_rust(&last.ident)) {
        return Ok(TokenStream::new());
    }
    let functions = item.items.iter().filter_map(|inner| match inner {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let of = Owner::Impl(path, &item.generics);
    functions.map(|function| hidden(&function.sig, Some(&function.block), ty, of)).collect()
}

/// Declares a device trait, or reports why it cannot.
pub fn expand(item: &ItemTrait) -> syn::Result<TokenStream> {
    if !item.generics.params.is_empty() {
        return Err(refuse(
            &item.generics,
            "a #[device] trait has no generics",
            "use an associated type",
        ));
    }
    let mut items = TokenStream::new();
    let path: syn::Path = item.ident.clone().into();
    for inner in &item.items {
        let function = match inner {
            TraitItem::Fn(function) => function,
            TraitItem::Type(ty) => {
                with_bounds(ty, item).to_tokens(&mut items);
                continue;
            }
            other => {
                other.to_tokens(&mut items);
                continue;
            }
        };
        match &function.default {
            Some(block) => items.extend(crate::host::function(
                &function.attrs,
                &syn::Visibility::Inherited,
                &function.sig,
                block,
            )),
            None => function.to_tokens(&mut items),
        }
        let ty = quote!(Self);
        items.extend(hidden(&function.sig, function.default.as_ref(), &ty, Owner::Trait(&path))?);
    }
    let names_self = |inner: &TraitItem| match inner {
        TraitItem::Fn(function) => mentions_self(&function.sig),
        other => mentions_self(other),
    };
    let values = item.items.iter().any(names_self);
    let values = values.then(|| quote!(::lanework::lang::rt::KernelValue));
    let (attributes, visibility, name) = (&item.attrs, &item.vis, &item.ident);
    let own = (!item.supertraits.is_empty()).then(|| item.supertraits.to_token_stream());
    let this: Type = syn::parse_quote!(Self);
    let staged = item.supertraits.iter().filter_map(|bound| match bound {
        TypeParamBound::Trait(bound) if values.is_some() => staged_bound(&bound.path, &this),
        _ => None,
    });
    let staged: Vec<_> = staged.collect();
    let bounds = own.into_iter().chain(values).chain(staged);
    let clause = &item.generics.where_clause;
    let methods = crate::items::trait_methods::declare(item)?;
    Ok(quote! {
        #(#attributes)*
        #[allow(dead_code)]
        #visibility trait #name: #(#bounds)+* #clause { #items }

        #methods
    })
}
