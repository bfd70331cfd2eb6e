//! `#[device] impl`: methods, associated functions and operators of device structs and enums.
//!
//! The block stays unchanged for the host. For staging, the macro also implements its methods for the struct's parts
//! (`BodyOf<K>`), and its operators for handles.

use crate::body::closures::staged_generics;
use crate::body::expression::calls::PRIMITIVES;
use crate::body::scope::Translator;
use crate::bounds::{is_of_rust, with_values};
use crate::data::structs::staged_name;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::items::receiver::{is_exclusive, plain, receiver, without_self};
use crate::items::traits::{implemented, mentions_self};
use crate::source::is_unmarked;
use crate::source::lifetimes;
use crate::types::refuse;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, Generics, ImplItem, ItemImpl, PathArguments, ReceiverKind, ReturnType,
    Type, TypePath,
};

/// The operator traits that handles implement.
const OPERATORS: [&str; 12] =
    ["Add", "Sub", "Mul", "Div", "Rem", "BitAnd", "BitOr", "BitXor", "Shl", "Shr", "Neg", "Not"];

/// The assigning operator traits. In a kernel, `a += b` uses `Add`.
const ASSIGNING: &str = "\
    AddAssign SubAssign MulAssign DivAssign RemAssign BitAndAssign BitOrAssign BitXorAssign \
    ShlAssign ShrAssign";

/// Stages the functions of an `impl` block, or returns the error.
pub fn expand(item: ItemImpl) -> syn::Result<TokenStream> {
    let written = item;
    let item = with_types(&lifetimes::of_impl(&written));
    let host = host(&written, &item)?;
    let operator = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let staged = match operator {
        Some(last) if OPERATORS.iter().any(|name| last.ident == name) || last.ident == "Index" => {
            operator_of(&item, last)?
        }
        Some(last) if last.ident == "IndexMut" => setter(&item, last)?,
        Some(last) if last.ident == "Iterator" => {
            let (staged, iterator) = (methods(&item)?, iterator(&item)?);
            quote!(#staged #iterator)
        }
        Some(last) if ASSIGNING.split(' ').any(|name| last.ident == name) => TokenStream::new(),
        Some(last) if !has_parts(&item, last) => TokenStream::new(),
        Some(last) if last.ident == "PartialEq" || last.ident == "PartialOrd" => {
            let (staged, comparison) = (methods(&item)?, comparison(&item, last)?);
            quote!(#staged #comparison)
        }
        Some(last) if last.ident == "From" => {
            let (staged, conversion) = (methods(&item)?, conversion(&item, last)?);
            quote!(#staged #conversion)
        }
        _ => {
            check_marked(&item)?;
            methods(&item)?
        }
    };
    Ok(quote!(#host #staged))
}

/// Reports a block whose functions are staged for the parts of a type, if its file declares the type without `#[device]`.
fn check_marked(item: &ItemImpl) -> syn::Result<()> {
    let Type::Path(path) = &*item.self_ty else { return Ok(()) };
    let Some(name) = path.path.get_ident().filter(|name| is_unmarked(name)) else { return Ok(()) };
    Err(refuse(
        path,
        &format!("the type `{name}` is not marked #[device]"),
        &format!("put #[device] above the declaration of `{name}`"),
    ))
}

/// The conversion of errors by `?`, for an `impl` of `From` without generics that takes a value.
fn conversion(item: &ItemImpl, last: &syn::PathSegment) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return Ok(TokenStream::new());
    };
    let from = match arguments.args.first() {
        Some(syn::GenericArgument::Type(from)) if item.generics.params.is_empty() => from,
        _ => return Ok(TokenStream::new()),
    };
    if matches!(from, Type::Reference(_)) {
        return Ok(TokenStream::new());
    }
    let (rt, parts) =
        (quote!(::lanework::lang::rt), parts_of(path, &quote!(::lanework::lang::rt::Values)));
    Ok(quote! {
        impl #rt::FromValue<#from> for #path {
            #[track_caller]
            fn from_value(error: #rt::Handle<#from>) -> #rt::Handle<Self> {
                <#parts>::from(error)
            }
        }
        impl #rt::FromError<#from> for #path {
            #[track_caller]
            fn from_error(error: #rt::Handle<#from>) -> #rt::Handle<Self> {
                <#parts>::from(error)
            }
        }
    })
}

/// `==` or `<` of kernels, by the function of an `impl` of `PartialEq` or `PartialOrd` for the same type.
fn comparison(item: &ItemImpl, last: &syn::PathSegment) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    if !last.arguments.is_none() {
        return Ok(TokenStream::new());
    }
    let rt = quote!(::lanework::lang::rt);
    let parts = parts_of(path, &quote!(#rt::Values));
    let (of, relation, body) = match last.ident == "PartialEq" {
        true => (quote!(Equal), None, quote!(<#parts>::eq(first, second))),
        false => (
            quote!(Ordered),
            Some(quote!(relation: #rt::Relation,)),
            quote!(#rt::is_relation(relation, <#parts>::partial_cmp(first, second))),
        ),
    };
    let name = Ident::new(if relation.is_some() { "related" } else { "equal" }, last.ident.span());
    let generics = with_values(&item.generics, None);
    let (parameters, _, clause) = generics.split_for_impl();
    Ok(quote! {
        impl #parameters #rt::#of for #path #clause {
            #[track_caller]
            fn #name(
                #relation first: #rt::Handle<Self>, second: #rt::Handle<Self>,
            ) -> ::lanework::lang::Var<bool> {
                #body
            }
        }
    })
}

/// Whether a block's functions are also implemented for the parts of its type. They are not for a number. They are
/// not for a type that only selects functions, that is, if no signature mentions `self` or `Self`: such a type need
/// not be `#[device]`.
fn has_parts(item: &ItemImpl, of: &syn::PathSegment) -> bool {
    let number = match &*item.self_ty {
        Type::Path(path) => PRIMITIVES.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    };
    let values = |inner: &ImplItem| match inner {
        ImplItem::Fn(function) => mentions_self(&function.sig),
        _ => false,
    };
    !number && (is_of_rust(&of.ident) || item.items.iter().any(values))
}

/// The block, whose functions name the associated types that it declares: `u32` instead of `Self::State`.
fn with_types(item: &ItemImpl) -> ItemImpl {
    let types: Vec<_> = item
        .items
        .iter()
        .filter_map(|inner| match inner {
            ImplItem::Type(ty) => Some((ty.ident.clone(), ty.ty.to_token_stream())),
            _ => None,
        })
        .collect();
    let mut item = item.clone();
    for inner in &mut item.items {
        if let ImplItem::Fn(function) = inner
            && let Ok(named) = syn::parse2(named_types(function.to_token_stream(), &types))
        {
            *function = named;
        }
    }
    item
}

/// The tokens with the types in the place of `Self::Name`.
fn named_types(tokens: TokenStream, types: &[(Ident, TokenStream)]) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut out, mut at) = (TokenStream::new(), 0);
    while at < trees.len() {
        if let [
            TokenTree::Ident(word),
            TokenTree::Punct(_),
            TokenTree::Punct(colon),
            TokenTree::Ident(name),
            ..,
        ] = &trees[at..]
            && word == "Self"
            && colon.as_char() == ':'
            && let Some((_, ty)) = types.iter().find(|(known, _)| known == name)
        {
            out.extend(ty.clone());
            at += 4;
            continue;
        }
        match &trees[at] {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), named_types(group.stream(), types));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other.clone()]),
        }
        at += 1;
    }
    out
}

/// The type of a block, as expressions need it.
fn self_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Path(path) => turbofish(path),
        other => other.to_token_stream(),
    }
}

/// The block for the host.
fn host(written: &ItemImpl, item: &ItemImpl) -> syn::Result<TokenStream> {
    let mut items = TokenStream::new();
    for inner in &written.items {
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
    let (attributes, unsafety, generics) = (&written.attrs, &written.unsafety, &written.generics);
    let of_trait = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    // The implementation of a device trait has functions for kernels.
    let generics = match of_trait {
        Some(last) if !is_of_rust(&last.ident) => with_values(generics, None),
        _ => generics.clone(),
    };
    let (parameters, _, clause) = generics.split_for_impl();
    let not = &written.modifiers.polarity;
    let of = written.trait_.as_ref().map(|(path, word)| quote!(#not #path #word));
    let ty = &written.self_ty;
    let hidden = implemented(item, &self_type(&item.self_ty))?;
    Ok(quote!(#(#attributes)* #unsafety impl #parameters #of #ty #clause { #items #hidden }))
}

/// Methods and associated functions for the parts of every kind.
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
        if let Some((path, _)) = &item.trait_ {
            translator.declare_bound(&quote::format_ident!("Self"), path);
        }
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
            #[track_caller]
            #visibility fn #name #generics (#this #(#parameters),*) #output #clause { #body }));
    }
    let mut generics = with_values(&item.generics, None);
    generics.params.insert(0, syn::parse_quote!(__K: ::lanework::lang::rt::Kind));
    let (parameters, _, clause) = generics.split_for_impl();
    let parts = parts_of(path, &quote!(__K));
    let allowed = allowed();
    Ok(
        quote!(#allowed #[allow(clippy::wrong_self_convention, clippy::should_implement_trait, clippy::new_ret_no_self)]
        impl #parameters #parts #clause { #functions }),
    )
}

/// The path of the type that the block is for.
fn path_of(item: &ItemImpl) -> syn::Result<&TypePath> {
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
fn parts_of(path: &TypePath, kind: &TokenStream) -> TokenStream {
    let mut path = path.clone();
    if let Some(last) = path.path.segments.last_mut() {
        last.ident = staged_name(&last.ident);
        let kind: syn::GenericArgument = syn::parse_quote!(#kind);
        match &mut last.arguments {
            PathArguments::AngleBracketed(arguments) => {
                // The parts of a value have no lifetimes.
                let others = std::mem::take(&mut arguments.args).into_iter();
                arguments.args = others
                    .filter(|one| !matches!(one, syn::GenericArgument::Lifetime(_)))
                    .collect();
                arguments.args.insert(0, kind);
            }
            other => {
                *other = PathArguments::AngleBracketed(syn::parse_quote!(<#kind>));
            }
        }
    }
    path.to_token_stream()
}

/// The path with `::` before its generic arguments, as expressions need it.
fn turbofish(path: &TypePath) -> TokenStream {
    let mut path = path.clone();
    for segment in &mut path.path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token = Some(Default::default());
        }
    }
    path.to_token_stream()
}

/// Code before and after the body of a method, for its receiver.
fn around(
    receiver_of: Option<&syn::Receiver>,
    ty: &TokenStream,
    translator: &mut Translator,
) -> (TokenStream, TokenStream) {
    let Some(taken) = receiver_of else { return Default::default() };
    let this = receiver();
    let rt = quote!(::lanework::lang::rt);
    let exclusive = is_exclusive(taken);
    translator.declare(&this, taken.mutability.is_some());
    if exclusive {
        translator.declare_reference(&this);
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
fn operator_of(item: &ItemImpl, last: &syn::PathSegment) -> syn::Result<TokenStream> {
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
        return Err(refuse(item, "this `impl` of an operator has no function", "write it out"));
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
    let indexes = last.ident == "Index";
    if indexes {
        end_with_value(&mut plain.block);
    }
    let mut translator = Translator::new(returns(&plain.sig));
    translator.declare_generics(&item.generics);
    let (start, end) = around(taken.as_ref(), &host_type, &mut translator);
    // All implementations call one function, which takes the receiver as an argument.
    let start = with_left(start);
    let staged = stage(&plain.sig, &plain.block, (start, end), &mut translator)?;
    if let Some(errors) = translator.finish() {
        return Ok(errors);
    }
    let Staged { parameters, output: handle, body } = staged;
    let generics = with_values(&item.generics, None);
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
        Some(right) if indexes => {
            implementations = getter(path, &generics, (right, &result, &arguments));
            Vec::new()
        }
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
            #[track_caller]
            fn staged #impl_generics (
                __left: impl ::lanework::lang::rt::To<#left>, #(#parameters),*
            ) #handle #clause {
                #body
            }
            #implementations
        };
    })
}

/// The tokens with `__left` in the place of `self`.
fn with_left(tokens: TokenStream) -> TokenStream {
    let one = |tree| match tree {
        TokenTree::Ident(word) if word == "self" => {
            TokenTree::Ident(Ident::new("__left", word.span()))
        }
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), with_left(group.stream())))
        }
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

/// `value[i]` of a type with `Index`, by the function `staged`.
fn getter(
    path: &TypePath,
    generics: &Generics,
    (index, result, arguments): (&Type, &TokenStream, &[TokenStream]),
) -> TokenStream {
    let mut generics = generics.clone();
    generics.params.insert(0, syn::parse_quote!(__K: ::lanework::lang::rt::Kind));
    generics.params.push(syn::parse_quote!(__I: ::lanework::lang::rt::To<#index>));
    let (parameters, _, clause) = generics.split_for_impl();
    let parts = parts_of(path, &quote!(__K));
    quote! {
        impl #parameters ::lanework::lang::rt::Get<__I> for #parts #clause {
            type Output = #result;
            #[track_caller]
            fn get(&self, index: __I) -> #result {
                staged::<#(#arguments),*>(*self, index)
            }
        }
    }
}

/// `value[i] = x` of a type with `IndexMut`: the function's body, which sets the place that it returns.
fn setter(item: &ItemImpl, last: &syn::PathSegment) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return Ok(TokenStream::new());
    };
    let Some(syn::GenericArgument::Type(index)) = arguments.args.first() else {
        return Ok(TokenStream::new());
    };
    let function = item.items.iter().find_map(|inner| match inner {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    });
    let Some(function) = function else { return Ok(TokenStream::new()) };
    let host_type = turbofish(path);
    let (mut plain, taken) = plain(function, &host_type)?;
    plain.sig.output = ReturnType::Default;
    let value = Ident::new("__value", proc_macro2::Span::mixed_site());
    set_place(&mut plain.block, &value);
    let mut translator = Translator::new(returns(&plain.sig));
    translator.declare_generics(&item.generics);
    translator.declare(&value, false);
    let (start, end) = around(taken.as_ref(), &host_type, &mut translator);
    let staged = stage(&plain.sig, &plain.block, (with_left(start), end), &mut translator)?;
    if let Some(errors) = translator.finish() {
        return Ok(errors);
    }
    let Staged { parameters, body, .. } = staged;
    let rt = quote!(::lanework::lang::rt);
    let mut generics = with_values(&item.generics, None);
    generics.params.insert(0, syn::parse_quote!(__K: #rt::Kind));
    let parts = parts_of(path, &quote!(__K));
    let clause = generics.make_where_clause();
    clause.predicates.push(syn::parse_quote!(#parts: #rt::Exclusive<#path>));
    let element = quote!(<#path as ::core::ops::Index<#index>>::Output);
    let mut of_put = generics.clone();
    of_put.params.push(syn::parse_quote!(__I: #rt::To<#index>));
    of_put.params.push(syn::parse_quote!(__V: #rt::To<#element>));
    let (own, _, clause) = generics.split_for_impl();
    let (own_of_put, _, _) = of_put.split_for_impl();
    let arguments = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Type(ty) => ty.ident.to_token_stream(),
        GenericParam::Const(constant) => constant.ident.to_token_stream(),
        GenericParam::Lifetime(lifetime) => lifetime.to_token_stream(),
    });
    let allowed = allowed();
    Ok(quote! {
        #allowed
        const _: () = {
            #[track_caller]
            fn put #own (__left: #parts, #(#parameters,)* #value: #rt::Handle<#element>) #clause {
                #body
            }

            impl #own_of_put #rt::Put<__I, __V> for #parts #clause {
                #[track_caller]
                fn put(&self, index: __I, value: __V) {
                    put::<#(#arguments),*>(*self, index, #rt::To::<#element>::to(value));
                }
            }
        };
    })
}

/// Sets the place that a body returns to a value.
fn set_place(block: &mut syn::Block, value: &Ident) {
    if let Some(syn::Stmt::Expr(last, end @ None)) = block.stmts.last_mut() {
        set_place_of(last, value);
        *end = Some(Default::default());
    }
}

fn set_place_of(expression: &mut syn::Expr, value: &Ident) {
    match expression {
        syn::Expr::Reference(reference) => {
            let place = &reference.expr;
            *expression = syn::parse_quote!(#place = #value);
        }
        syn::Expr::Paren(inner) => set_place_of(&mut inner.expr, value),
        syn::Expr::Block(block) => set_place(&mut block.block, value),
        syn::Expr::Match(matched) => {
            matched.arms.iter_mut().for_each(|arm| set_place_of(&mut arm.body, value));
        }
        syn::Expr::If(branch) => {
            set_place(&mut branch.then_branch, value);
            if let Some((_, otherwise)) = &mut branch.else_branch {
                set_place_of(otherwise, value);
            }
        }
        _ => {}
    }
}

/// Loops over the elements that `next` of an `impl Iterator` returns.
fn iterator(item: &ItemImpl) -> syn::Result<TokenStream> {
    let path = path_of(item)?;
    let element = item.items.iter().find_map(|inner| match inner {
        ImplItem::Type(ty) => Some(&ty.ty),
        _ => None,
    });
    let (Some(element), rt) = (element, quote!(::lanework::lang::rt)) else {
        return Ok(TokenStream::new());
    };
    let generics = with_values(&item.generics, None);
    let (parameters, _, clause) = generics.split_for_impl();
    let [values, variables, temporaries] =
        [quote!(#rt::Values), quote!(#rt::Variables), quote!(#rt::Temporaries)]
            .map(|kind| parts_of(path, &kind));
    Ok(quote! {
        impl #parameters #rt::Next for #path #clause {
            type Item = #element;
            #[track_caller]
            fn next_item(of: #rt::Variable<Self>) -> #rt::Handle<::core::option::Option<#element>> {
                of.next()
            }
        }
        impl #parameters #rt::IntoStream for #values #clause {
            type Stream = #rt::Pulled<#path>;
            fn stream(self) -> #rt::Iter<Self::Stream> {
                #rt::pulled::<#path>(self)
            }
        }
        impl #parameters #rt::IntoStream for #temporaries #clause {
            type Stream = #rt::Pulled<#path>;
            fn stream(self) -> #rt::Iter<Self::Stream> {
                #rt::pulled::<#path>(#rt::To::<#path>::to(self))
            }
        }
        impl #parameters #rt::UserIterator for #values #clause {}
        impl #parameters #rt::UserIterator for #variables #clause {}
        impl #parameters #rt::UserIterator for #temporaries #clause {}
        impl #parameters #rt::IntoStream for #variables #clause {
            type Stream = #rt::PulledFrom<#path>;
            fn stream(self) -> #rt::Iter<Self::Stream> {
                #rt::pulled_from::<#path>(self)
            }
        }
        impl #parameters #rt::Items for #values #clause {
            type Item = #rt::Handle<#element>;
            type Position = ::lanework::lang::Var<usize>;
            #[track_caller]
            fn each(
                self,
                name: ::core::option::Option<&'static str>,
                body: &mut dyn FnMut(Self::Position, Self::Item),
            ) {
                #rt::each_pulled(#rt::IntoStream::stream(self), name, body)
            }
        }
        impl #parameters #rt::Items for #variables #clause {
            type Item = #rt::Handle<#element>;
            type Position = ::lanework::lang::Var<usize>;
            #[track_caller]
            fn each(
                self,
                name: ::core::option::Option<&'static str>,
                body: &mut dyn FnMut(Self::Position, Self::Item),
            ) {
                #rt::each_pulled(#rt::IntoStream::stream(self), name, body)
            }
        }
    })
}

/// Ends a body that returns a reference with the value that it refers to.
fn end_with_value(block: &mut syn::Block) {
    if let Some(syn::Stmt::Expr(last, None)) = block.stmts.last_mut() {
        value_of(last);
    }
}

fn value_of(expression: &mut syn::Expr) {
    match expression {
        syn::Expr::Reference(reference) => *expression = (*reference.expr).clone(),
        syn::Expr::Paren(inner) => value_of(&mut inner.expr),
        syn::Expr::Block(block) => end_with_value(&mut block.block),
        syn::Expr::Match(matched) => {
            matched.arms.iter_mut().for_each(|arm| value_of(&mut arm.body));
        }
        syn::Expr::If(branch) => {
            end_with_value(&mut branch.then_branch);
            if let Some((_, otherwise)) = &mut branch.else_branch {
                value_of(otherwise);
            }
        }
        _ => {}
    }
}
