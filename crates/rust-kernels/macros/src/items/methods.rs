//! `#[device] impl`: methods, associated functions and operators of device structs and enums.
//!
//! The block stays unchanged for the host. For staging, the macro also implements its methods for the struct's parts
//! (`BodyOf<K>`), and its operators for handles.

use crate::body::closures::staged_generics;
use crate::body::expression::calls::PRIMITIVES;
use crate::body::scope::Translator;
use crate::bounds::{bounds, is_of_kernels, is_of_rust};
use crate::data::structs::staged_name;
use crate::items::device::{Staged, allowed, returns, stage};
use crate::items::receiver::{is_exclusive, plain, receiver, without_self};
use crate::items::traits::{implemented, mentions_self};
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
pub fn expand(mut item: ItemImpl) -> syn::Result<TokenStream> {
    // A fragment of a macro: `impl Hash for $t`.
    while let Type::Group(inner) = *item.self_ty {
        item.self_ty = inner.elem;
    }
    let host = host(&item)?;
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return Err(refuse(lifetime, "a #[device] impl has no lifetimes", "take values"));
    }
    let operator = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
    let staged = match operator {
        Some(last) if OPERATORS.iter().any(|name| last.ident == name) || last.ident == "Index" => {
            operator_of(&item, last)?
        }
        // A kernel changes an element through a method.
        Some(last) if last.ident == "IndexMut" => TokenStream::new(),
        Some(last) if ASSIGNING.split(' ').any(|name| last.ident == name) => TokenStream::new(),
        Some(last) if !has_parts(&item, last) => TokenStream::new(),
        _ => methods(&item)?,
    };
    Ok(quote!(#host #staged))
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

/// The type of a block, as expressions need it.
fn self_type(ty: &Type) -> TokenStream {
    match ty {
        Type::Path(path) => turbofish(path),
        other => other.to_token_stream(),
    }
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
    let hidden = implemented(item, &self_type(ty))?;
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

/// The generics, with the bound `Data` on each type parameter that no trait of the kernel language bounds. (With both `Data` and `Float`,
/// rustc would no longer see that a `T` is a `Var<T>` while staging.)
fn with_data(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    let bounds = bounds(&generics);
    let of_kernels =
        |name: &Ident| bounds.iter().any(|(of, path)| of == name && is_of_kernels(path));
    let names = generics.type_params().map(|ty| ty.ident.clone());
    let missing: Vec<_> = names.filter(|name| !of_kernels(name)).collect();
    let clause = generics.make_where_clause();
    for name in missing {
        clause.predicates.push(syn::parse_quote!(#name: ::lanework::lang::Data));
    }
    generics
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
            PathArguments::AngleBracketed(arguments) => arguments.args.insert(0, kind),
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
