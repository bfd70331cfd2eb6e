//! `#[device]`: functions that are inlined into the kernels that call them.

use crate::body::closures::{function_type, is_function, staged_generics};
use crate::body::scope::{Mode, Returns, Tail, Translator, returned};
use crate::bounds::{with_names, with_storable};
use crate::items::imported::written_out;
use crate::items::kernel::check_signature;
use crate::source::lifetimes;
use crate::types::{Kind, is_handle, is_tensor_map, parameter, refuse};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, ReturnType, Signature, Type};

/// Rewrites a device function, or returns tokens of the error.
pub fn expand(attribute: TokenStream, function: ItemFn) -> TokenStream {
    let mut translator = Translator::new(returns(&function.sig));
    if !attribute.is_empty() {
        translator.push_error(refuse(
            &attribute,
            "#[device] takes no arguments",
            "launch bounds belong to the kernel",
        ));
    }
    let rewritten = match rewrite(&function, &mut translator) {
        Ok(tokens) => tokens,
        Err(error) => {
            translator.push_error(error);
            TokenStream::new()
        }
    };
    match translator.finish() {
        Some(errors) => {
            let placeholder = placeholder(&function);
            quote!(#errors #placeholder)
        }
        None => rewritten,
    }
}

/// A function in the place of one with errors, so that rustc does not also report each call of it. None for functions
/// whose calls need the types of the parameters.
fn placeholder(function: &ItemFn) -> TokenStream {
    let signature = &function.sig;
    let takes_functions = signature.inputs.iter().any(|input| match input {
        FnArg::Typed(typed) => is_function(&typed.ty, &signature.generics),
        FnArg::Receiver(_) => true,
    });
    let output = match &signature.output {
        ReturnType::Type(_, ty) if !is_unit(ty) => Some(ty),
        _ => None,
    };
    let borrows = matches!(output.map(|ty| &**ty), Some(Type::Reference(_)));
    if !signature.generics.params.is_empty() || takes_functions || borrows {
        return TokenStream::new();
    }
    let (visibility, name) = (&function.vis, &signature.ident);
    let names: Vec<_> =
        (0..signature.inputs.len()).map(|number| format_ident!("argument_{}", number)).collect();
    let of_host = output.map(|ty| quote!(-> #ty));
    let of_kernels = output.map(|ty| quote!(-> <#ty as ::lanework::lang::rt::Returned>::Handle));
    quote! {
        #[allow(dead_code, unused_variables, missing_docs, clippy::too_many_arguments)]
        #visibility fn #name(#(#names: impl ::core::marker::Sized),*) #of_host {
            ::core::unreachable!()
        }

        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, missing_docs, missing_debug_implementations)]
        #visibility enum #name {}

        #[allow(dead_code, unused_variables, missing_docs, clippy::too_many_arguments)]
        impl #name {
            #[doc(hidden)]
            pub fn staged(#(#names: impl ::core::marker::Sized),*) #of_kernels {
                ::core::unreachable!()
            }
        }
    }
}

/// The parts of a function's staged version.
pub struct Staged {
    /// Parameters without the receiver.
    pub parameters: Vec<TokenStream>,
    /// `-> Handle`, or nothing.
    pub output: TokenStream,
    /// The body.
    pub body: TokenStream,
}

/// The element type of `impl Iterator<Item = T>`.
fn element_of_iterator(ty: &Type) -> Option<&Type> {
    let Type::ImplTrait(bounds) = ty else { return None };
    bounds.bounds.iter().find_map(|bound| {
        let syn::TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last().filter(|last| last.ident == "Iterator")?;
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::AssocType(of) if of.ident == "Item" => Some(&of.ty),
            _ => None,
        })
    })
}

/// The return type of a function.
pub fn returns(signature: &Signature) -> Returns {
    match &signature.output {
        ReturnType::Default => Returns::Unit,
        ReturnType::Type(_, ty) if is_unit(ty) => Returns::Unit,
        ReturnType::Type(..) => Returns::Value,
    }
}

/// Stages a function; `start` comes before the other parameters' bindings, `end` after the body.
pub fn stage(
    signature: &Signature,
    block: &syn::Block,
    (start, end): (TokenStream, TokenStream),
    translator: &mut Translator,
) -> syn::Result<Staged> {
    let mut parameters = Vec::new();
    let mut bindings = Vec::new();
    let mut loans = Vec::new();
    crate::items::host_objects::check(block, translator);
    let block = &written_out(&lifetimes::of_block(block));
    let signature = &lifetimes::of_signature(signature);
    translator.declare_generics(&signature.generics);
    translator.ends.push(block.brace_token.span.close());
    let arguments = signature.inputs.iter().filter(|a| !matches!(a, FnArg::Receiver(_)));
    for (number, argument) in arguments.enumerate() {
        if let FnArg::Typed(typed) = argument
            && let syn::Pat::Ident(name) = &*typed.pat
            && is_function(&typed.ty, &signature.generics)
        {
            let (name, ty) = (&name.ident, function_type(&typed.ty));
            parameters.push(quote_spanned!(argument.span() => #name: #ty));
            translator.declare(name, false);
            continue;
        }
        let parameter = parameter(argument, number)?;
        let (name, span) = (&parameter.name, argument.span());
        let mut reference = false;
        let scalar = |ty: &Type| {
            let parameter = quote_spanned!(span => #name: impl ::lanework::lang::rt::To<#ty>);
            let binding = quote_spanned!(span =>
                let #name = ::lanework::lang::rt::by_value::<#ty>(#name););
            (parameter, binding)
        };
        let mut binding = TokenStream::new();
        match &parameter.kind {
            Kind::Constant(ty) => parameters.push(quote!(#name: #ty)),
            Kind::Value(ty) if is_handle(ty) => parameters.push(quote!(#name: #ty)),
            Kind::Value(ty) => {
                let (parameter, bind) = scalar(ty);
                parameters.push(parameter);
                binding = bind;
            }
            Kind::Slice { element, mutable: false } => {
                parameters.push(quote_spanned!(span =>
                    #name: impl ::lanework::lang::rt::IntoSlice<#element>));
                binding = quote_spanned!(span =>
                    let #name: ::lanework::lang::Slice<#element> =
                        ::lanework::lang::rt::IntoSlice::<#element>::into_slice(#name););
            }
            Kind::Slice { element, mutable: true } => {
                parameters.push(quote_spanned!(span =>
                    #name: impl ::lanework::lang::rt::IntoSliceMut<#element>));
                binding = quote_spanned!(span =>
                    let #name: ::lanework::lang::SliceMut<#element> =
                        ::lanework::lang::rt::IntoSliceMut::<#element>::into_slice_mut(#name););
            }
            Kind::Reference { inner, .. } if is_handle(inner) => {
                parameters.push(quote!(#name: #inner));
            }
            Kind::Reference { inner, .. } if is_tensor_map(inner) => {
                parameters.push(quote_spanned!(span =>
                    #name: <#inner as ::lanework::lang::rt::ByReference>::Handle));
            }
            Kind::Reference { inner, mutable: true } => {
                let loan = format_ident!("__loan_{}", name, span = Span::mixed_site());
                parameters.push(quote_spanned!(span =>
                    #name: impl ::lanework::lang::rt::Exclusive<#inner>));
                binding = quote_spanned!(span =>
                    let (#name, #loan) = ::lanework::lang::rt::Exclusive::<#inner>::enter(#name););
                loans.push(loan);
                reference = true;
            }
            Kind::Reference { inner, mutable: false } => {
                parameters
                    .push(quote_spanned!(span => #name: impl ::lanework::lang::rt::To<#inner>));
                binding = quote_spanned!(span =>
                    let #name = ::lanework::lang::rt::To::<#inner>::to(#name););
            }
        }
        bindings.push(binding);
        if parameter.mutable {
            bindings.push(quote!(let #name = ::lanework::lang::rt::variable(#name);));
        }
        match reference && !parameter.mutable {
            true => translator.declare_reference(name),
            false => translator.declare(name, parameter.mutable),
        }
        match &parameter.pattern {
            Some(pattern) => {
                bindings.push(translator.destructure(pattern, quote!(#name), span));
            }
            None => bindings.push(translator.record(name, &quote!(#name))),
        }
    }
    translator.ends.pop();
    let function = signature.ident.to_string();
    let (output, body) = match (&signature.output, translator.returns) {
        (ReturnType::Type(_, ty), Returns::Value)
            if let Some(element) = element_of_iterator(ty) =>
        {
            let body = translator.statements(block, Tail::Value(Mode::Keep));
            let rt = quote!(::lanework::lang::rt);
            let output = quote!(-> #rt::Iter<impl #rt::Stream<Item = #rt::Handle<#element>> + ::core::marker::Copy>);
            (output, quote!({ #body }))
        }
        (ReturnType::Type(_, ty), Returns::Value) => {
            let body = translator.statements(block, Tail::Value(Mode::Keep));
            let output = quote!(-> <#ty as ::lanework::lang::rt::Returned>::Handle);
            let span = block.stmts.last().map_or_else(|| ty.span(), Spanned::span);
            let returned = returned();
            let call = quote_spanned!(span =>
                ::lanework::lang::rt::call_value::<#ty, _>(|#returned| { #body }));
            (output, call)
        }
        _ => {
            let body = translator.statements(block, Tail::Unit);
            (TokenStream::new(), quote!(::lanework::lang::rt::call_unit(|| { #body })))
        }
    };
    let imports = translator.imports();
    // The function tracks its caller for the debugger. In the closure, each call has its own position again.
    let body = quote! {
        #[allow(unused_imports)]
        use ::lanework::lang::rt::comparing::*;
        #imports
        ::lanework::lang::rt::called(#function, ::core::panic::Location::caller());
        (move || {
            #start
            #(#bindings)*
            let __result = #body;
            #(::lanework::lang::rt::give_back(#loans);)*
            #end
            __result
        })()
    };
    Ok(Staged { parameters, output, body })
}

fn rewrite(function: &ItemFn, translator: &mut Translator) -> syn::Result<TokenStream> {
    let signature = &with_names(&lifetimes::of_signature(&function.sig));
    check_signature(signature)?;
    let nothing = (TokenStream::new(), TokenStream::new());
    let Staged { parameters, output, body } =
        stage(signature, &function.block, nothing, translator)?;
    let (visibility, name) = (&function.vis, &signature.ident);
    let conditions: Vec<_> = function.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect();
    let generics = staged_generics(&with_storable(signature));
    let bounds = &generics.where_clause;
    let host = crate::host::function(&function.attrs, visibility, &function.sig, &function.block);
    let allowed = allowed();
    Ok(quote! {
        #host

        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, missing_docs, missing_debug_implementations)]
        #visibility enum #name {}

        #(#conditions)*
        #allowed
        impl #name {
            #[doc(hidden)]
            #[track_caller]
            pub fn staged #generics (#(#parameters),*) #output #bounds {
                #body
            }
        }
    })
}

/// The attribute that turns lints off in staged code.
pub fn allowed() -> TokenStream {
    quote! {
        #[allow(
            dead_code, missing_docs, unused_parens, unused_braces, unused_variables, unused_mut,
            unused_assignments, private_interfaces, private_bounds,
            clippy::too_many_arguments,
            clippy::redundant_closure_call, clippy::let_unit_value, clippy::unit_arg,
            clippy::type_complexity, clippy::redundant_closure, clippy::let_and_return,
            clippy::identity_op, clippy::erasing_op, clippy::neg_multiply,
            clippy::double_parens, clippy::blocks_in_conditions, clippy::needless_borrow,
            clippy::multiple_bound_locations
        )]
    }
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}
