//! `#[device] trait`: functions that generic kernels call on their type parameters.
//!
//! The trait gets a hidden function `f_in_kernels` for each of its functions `f`; a `#[device] impl` of the trait
//! implements both. `T::f(..)` in a kernel calls the hidden function. For `value.f(..)`, the attribute declares a function
//! with the trait's name, which wraps a value and has the trait's methods: a `use` of the trait imports it, too.

use crate::body::closures::staged_generics;
use crate::body::scope::Translator;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::items::methods::{is_exclusive, plain, receiver};
use crate::types::refuse;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeSet;
use std::sync::Mutex;
use syn::{FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, ItemTrait, Signature, TraitItem};

/// The device traits that the attribute has seen in this crate. A bound by one of them means that a function holds any
/// values; a bound by another trait may mean numbers, whose handles rustc would no longer know.
static KNOWN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Whether a trait, by the last part of its path, is a device trait above in this crate.
pub fn is_known(name: &Ident) -> bool {
    KNOWN.lock().is_ok_and(|known| known.contains(&name.to_string()))
}

/// The hidden function for a function of a trait.
pub fn in_kernels(name: &Ident) -> Ident {
    Ident::new(&format!("{name}_in_kernels"), name.span())
}

/// Traits of Rust's library, which have no functions for kernels.
const OF_RUST: &str = "Default From Into TryFrom TryInto PartialEq Eq PartialOrd Ord Clone Copy Debug Display Hash Send \
    Sync Sized Iterator IntoIterator FromIterator Sum Product Deref DerefMut Index IndexMut AsRef AsMut Borrow Drop \
    Fn FnMut FnOnce Add Sub Mul Div Rem Neg Not BitAnd BitOr BitXor Shl Shr AddAssign \
    SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign FromStr ToString \
    Error Write Any Pod Zeroable";

/// Whether it is a trait of Rust's library.
pub fn of_rust(name: &Ident) -> bool {
    OF_RUST.split_whitespace().any(|known| name == known)
}

/// The bounds of a type whose values a generic function holds, by which rustc knows its handles and variables.
pub fn of_values(ty: &TokenStream) -> Vec<syn::WherePredicate> {
    let rt = quote!(::lanework::lang::rt);
    let of = |kind: &str| {
        let kind = format_ident!("{}", kind);
        quote!(<#ty as ::lanework::lang::Data>::Of<#rt::#kind>)
    };
    let (handle, variable) = (of("Values"), of("Variables"));
    let value = quote!(#rt::Valued<Value = #ty> + #rt::To<#ty>);
    vec![
        syn::parse_quote!(#ty: ::lanework::lang::Data + #value + #rt::Read<Value = #ty>),
        syn::parse_quote!(#handle: #value + #rt::Read<Value = #handle> + #rt::IntoVariable<Variable = #variable>),
        syn::parse_quote!(#variable: #value + #rt::Read<Value = #handle> + #rt::Target<Value = #ty>
            + #rt::Receive + #rt::Exclusive<#ty>),
    ]
}

/// A function for kernels: with its body, or without.
fn hidden(
    signature: &Signature,
    block: Option<&syn::Block>,
    ty: &TokenStream,
    own: Option<&syn::Path>,
) -> syn::Result<TokenStream> {
    let function = ImplItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        modifiers: Default::default(),
        sig: signature.clone(),
        block: block.cloned().unwrap_or_else(|| syn::parse_quote!({})),
    };
    let (plain, taken) = plain(&function, ty)?;
    let mut translator = Translator::new(returns(&plain.sig));
    if let Some(path) = own {
        translator.declare_bound(&format_ident!("Self"), path);
    }
    let (this, rt) = (receiver(), quote!(::lanework::lang::rt));
    let (mut taken_as, mut start, mut end) = (None, TokenStream::new(), TokenStream::new());
    if let Some(taken) = &taken {
        let exclusive = is_exclusive(taken);
        translator.declare(&this, exclusive || taken.mutability.is_some());
        if exclusive {
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
    let (name, mut generics) = (in_kernels(&signature.ident), staged_generics(&plain.sig.generics));
    if own.is_some() && mentions_self(signature) {
        generics.make_where_clause().predicates.extend(of_values(&quote!(Self)));
    }
    let clause = &generics.where_clause;
    let body = block.map_or(quote!(;), |_| quote!({ #body }));
    let allowed = allowed();
    Ok(quote_spanned!(signature.ident.span() =>
        #[doc(hidden)] #allowed
        fn #name #generics (#taken_as #(#parameters),*) #output #clause #body))
}

/// Whether a signature takes or gives a value of the trait's type.
pub fn mentions_self(signature: &Signature) -> bool {
    fn mentioned(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Ident(word) => word == "Self" || word == "self",
            TokenTree::Group(group) => mentioned(group.stream()),
            _ => false,
        })
    }
    mentioned(signature.to_token_stream())
}

/// The hidden functions of an `impl` of a trait; empty for a trait of Rust's library.
pub fn implemented(item: &ItemImpl, ty: &TokenStream) -> syn::Result<TokenStream> {
    let Some((path, _)) = &item.trait_ else { return Ok(TokenStream::new()) };
    if path.segments.last().is_none_or(|last| of_rust(&last.ident)) {
        return Ok(TokenStream::new());
    }
    let functions = item.items.iter().filter_map(|inner| match inner {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    functions.map(|function| hidden(&function.sig, Some(&function.block), ty, None)).collect()
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
    if let Ok(mut known) = KNOWN.lock() {
        known.insert(item.ident.to_string());
    }
    let (mut items, mut methods) = (TokenStream::new(), TokenStream::new());
    let path: syn::Path = item.ident.clone().into();
    for inner in &item.items {
        let TraitItem::Fn(function) = inner else {
            inner.to_tokens(&mut items);
            continue;
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
        items.extend(hidden(&function.sig, function.default.as_ref(), &ty, Some(&path))?);
        methods.extend(method(&function.sig, &item.ident)?);
    }
    let values = of_values(&quote!(X::Value));
    let (attributes, visibility, name) = (&item.attrs, &item.vis, &item.ident);
    let (colon, bounds) = (&item.colon_token, &item.supertraits);
    let wrapper = format_ident!("{}Of", name);
    let allowed = allowed();
    Ok(quote! {
        #(#attributes)*
        #[allow(dead_code)]
        #visibility trait #name #colon #bounds { #items }

        #[doc(hidden)]
        #[derive(Clone, Copy)]
        #[allow(dead_code, missing_docs, missing_debug_implementations)]
        #visibility struct #wrapper<X>(X);

        #[doc(hidden)]
        #[allow(non_snake_case, dead_code, missing_docs)]
        #visibility fn #name<X>(value: X) -> #wrapper<X> {
            #wrapper(value)
        }

        impl<X> ::core::ops::Deref for #wrapper<X> {
            type Target = X;
            fn deref(&self) -> &X {
                &self.0
            }
        }

        #allowed
        impl<X: ::lanework::lang::rt::Valued> #wrapper<X>
        where
            X::Value: #name,
            #(#values,)*
        {
            #methods
        }
    })
}

/// The method of the wrapper that calls a hidden function; nothing for a function without a receiver.
fn method(signature: &Signature, of: &Ident) -> syn::Result<TokenStream> {
    let function = ImplItemFn {
        attrs: Vec::new(),
        vis: syn::Visibility::Inherited,
        modifiers: Default::default(),
        sig: signature.clone(),
        block: syn::parse_quote!({}),
    };
    let ty = quote!(<X as ::lanework::lang::rt::Valued>::Value);
    let (plain, Some(taken)) = plain(&function, &ty)? else { return Ok(TokenStream::new()) };
    let mut translator = Translator::new(returns(&plain.sig));
    let nothing = (TokenStream::new(), TokenStream::new());
    let Staged { parameters, output, .. } =
        stage(&plain.sig, &plain.block, nothing, &mut translator)?;
    let names = plain.sig.inputs.iter().enumerate().map(|(number, argument)| match argument {
        FnArg::Typed(typed) => match &*typed.pat {
            syn::Pat::Ident(name) => name.ident.clone(),
            _ => format_ident!("argument_{}", number),
        },
        FnArg::Receiver(_) => Ident::new("this", Span::call_site()),
    });
    let names: Vec<_> = names.collect();
    let (name, call, generics) =
        (&signature.ident, in_kernels(&signature.ident), staged_generics(&plain.sig.generics));
    let exclusive =
        is_exclusive(&taken).then(|| quote!(where X: ::lanework::lang::rt::Exclusive<#ty>));
    Ok(quote_spanned!(name.span() =>
    #[doc(hidden)]
    #[track_caller]
    pub fn #name #generics (self #(, #parameters)*) #output #exclusive {
        <#ty as #of>::#call(self.0 #(, #names)*)
    }))
}
