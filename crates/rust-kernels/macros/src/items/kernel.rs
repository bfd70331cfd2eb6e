//! `#[kernel]`: rewrites a kernel to a function that takes the kernel's arguments and returns a launch, and parses the
//! attribute's arguments.

use crate::body::scope::{Returns, Tail, Translator};
use crate::bounds::with_storable;
use crate::items::imported::written_out;
use crate::source::lifetimes;
use crate::types;
use crate::types::{Kind, is_tensor_map, is_written_map, parameter, refuse};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, GenericParam, Ident, ItemFn, ReturnType, Token};

/// Rewrites a kernel, or returns tokens of the error.
pub fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ItemFn>(item) {
        Ok(function) => function,
        Err(error) => return error.to_compile_error(),
    };
    let directives = syn::parse2::<Directives>(attribute);
    let mut translator = Translator::new(Returns::Kernel);
    let rewritten = directives.and_then(|d| rewrite(&function, &d, &mut translator));
    let rewritten = match rewritten {
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

/// A function in the place of a kernel with errors, so that rustc does not also report each launch of it. None for a
/// generic kernel: rustc would report that it cannot infer the types.
fn placeholder(function: &ItemFn) -> TokenStream {
    if !function.sig.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (visibility, name) = (&function.vis, &function.sig.ident);
    let names = (0..function.sig.inputs.len()).map(|number| format_ident!("argument_{}", number));
    quote! {
        #[allow(dead_code, unused_variables, missing_docs, clippy::too_many_arguments)]
        #visibility fn #name(#(#names: impl ::core::marker::Sized),*) -> ::lanework::Launch<'static> {
            ::core::unreachable!()
        }
    }
}

/// Rejects qualifiers that neither kernels nor device functions support.
pub fn check_signature(signature: &syn::Signature) -> syn::Result<()> {
    if let Some(word) = &signature.asyncness {
        return Err(refuse(word, "a kernel is not `async`", "launch it on a stream instead"));
    }
    if let Some(word) = &signature.abi {
        return Err(refuse(word, "a kernel cannot declare an ABI", "remove it"));
    }
    if let Some(word) = &signature.variadic {
        return Err(refuse(word, "a kernel has a fixed number of parameters", "pass a slice"));
    }
    if let Some(lifetime) = signature.generics.lifetimes().next() {
        return Err(refuse(
            lifetime,
            "a kernel cannot declare lifetimes",
            "write `&[T]` without one",
        ));
    }
    Ok(())
}

fn rewrite(
    function: &ItemFn,
    directives: &Directives,
    translator: &mut Translator,
) -> syn::Result<TokenStream> {
    let signature = &function.sig;
    check_signature(signature)?;
    if let Some(word) = &signature.constness {
        return Err(refuse(word, "a kernel is not `const`", "remove it"));
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        return Err(refuse(
            ty,
            "a kernel returns no value",
            "write the result to a `&mut [T]` parameter",
        ));
    }
    if let syn::Safety::Unsafe(word) = &signature.safety {
        return Err(refuse(
            word,
            "a kernel is not marked `unsafe`",
            "bounds are checked; `launch_unchecked` is the unsafe way to launch",
        ));
    }
    let mut parameters = Vec::new();
    let mut bindings = Vec::new();
    let mut arguments = Vec::new();
    let mut constants = Vec::new();
    crate::items::host_objects::check(&function.block, translator);
    translator.declare_generics(&signature.generics);
    for (number, argument) in signature.inputs.iter().enumerate() {
        let parameter = parameter(argument, number)?;
        let (name, text) = (&parameter.name, parameter.name.to_string());
        let span = argument.span();
        match &parameter.kind {
            Kind::Constant(ty) => {
                parameters.push(quote!(#name: #ty));
                constants.push(name.clone());
                translator.declare(name, false);
                translator.ends.push(function.block.brace_token.span.close());
                bindings.push(translator.record(name, &quote!(#name)));
                translator.ends.pop();
                if parameter.mutable {
                    return Err(refuse(argument, "a constant is not `mut`", "remove `mut`"));
                }
                continue;
            }
            Kind::Value(ty) => {
                parameters.push(quote!(#name: #ty));
                arguments.push(quote_spanned!(span => ::lanework::value_arg(#name)));
                bindings.push(quote_spanned!(span =>
                    let #name = ::lanework::lang::rt::value_parameter::<#ty>(#text);));
            }
            Kind::Slice { element, mutable: false } => {
                parameters.push(quote!(#name: impl ::lanework::SliceArg<'launch, #element>));
                arguments.push(quote!(::lanework::SliceArg::into_arg(#name)));
                bindings.push(quote_spanned!(span =>
                    let #name = ::lanework::lang::rt::slice_parameter::<#element>(#text);));
            }
            Kind::Slice { element, mutable: true } => {
                parameters.push(quote!(#name: impl ::lanework::SliceMutArg<'launch, #element>));
                arguments.push(quote!(::lanework::SliceMutArg::into_arg(#name)));
                bindings.push(quote_spanned!(span =>
                    let #name = ::lanework::lang::rt::slice_mut_parameter::<#element>(#text);));
            }
            Kind::Reference { inner, mutable: false } if is_written_map(inner) => {
                return Err(refuse(
                    argument,
                    "a kernel that writes through a tensor map borrows it exclusively",
                    "write `&mut TensorMapMut<T, R>`; a launch takes the map, or borrows it mutably",
                ));
            }
            Kind::Reference { inner, mutable } if is_tensor_map(inner) => {
                let map = types::of_launch(inner);
                if *mutable {
                    parameters.push(quote_spanned!(span =>
                        #name: impl ::lanework::ReferenceMutArg<'launch, #map>));
                    arguments.push(quote!(::lanework::ReferenceMutArg::into_arg(#name)));
                } else {
                    parameters.push(quote_spanned!(span => #name: &#map));
                    arguments.push(quote!(::lanework::ReferenceArg::into_arg(#name)));
                }
                bindings.push(quote_spanned!(span =>
                    let #name = ::lanework::lang::rt::reference_parameter::<#inner>(#text);));
            }
            Kind::Reference { inner, .. } => {
                return Err(refuse(
                    inner,
                    "a kernel parameter cannot be a reference to this type",
                    "pass device memory as `&[T]` or `&mut [T]`, scalars by value, \
                     tensor maps as `&TensorMap<T, R>` or `&mut TensorMapMut<T, R>`",
                ));
            }
        }
        translator.declare(name, parameter.mutable);
        if let Some(pattern) = &parameter.pattern {
            bindings.push(translator.destructure(pattern, quote!(#name), span));
        }
        if parameter.mutable {
            let end = function.block.brace_token.span.close();
            translator.ends.push(end);
            let value = translator.named_value(name, quote!(::lanework::lang::rt::variable(#name)));
            translator.ends.pop();
            bindings.push(quote!(let #name = #value;));
        }
    }
    let body =
        translator.statements(&written_out(&lifetimes::of_block(&function.block)), Tail::Unit);
    let imports = translator.imports();
    let outline = crate::outline::outline(signature, &function.block);
    let directives = directives.tokens();

    let (attributes, visibility, name) = (&function.attrs, &function.vis, &signature.ident);
    let text = name.to_string();
    let generics = with_launch_lifetime(&with_storable(signature));
    let (generics, _, bounds) = generics.split_for_impl();
    let key = key_parts(&signature.generics, &constants);
    Ok(quote! {
        #(#attributes)*
        #[allow(
            unused_parens, unused_braces, clippy::too_many_arguments,
            clippy::redundant_closure_call, clippy::let_unit_value, clippy::unit_arg,
            clippy::type_complexity, clippy::redundant_closure, clippy::let_and_return,
            clippy::identity_op, clippy::erasing_op, clippy::neg_multiply, clippy::clone_on_copy,
            clippy::double_parens, clippy::blocks_in_conditions, clippy::needless_borrow,
            clippy::multiple_bound_locations
        )]
        #visibility fn #name #generics (#(#parameters),*) -> ::lanework::Launch<'launch> #bounds {
            #outline
            let __key = ::lanework::lang::rt::key(
                ::core::module_path!(), #text, ::core::line!(), &[#(#key),*],
            );
            let __arguments = ::std::vec![#(#arguments),*];
            #[allow(unused_variables)]
            let __stage = move |__options: &::lanework::lang::StageOptions| {
                #(let #constants = ::core::clone::Clone::clone(&#constants);)*
                let __directives = ::std::vec![#(#directives),*];
                ::lanework::lang::rt::stage(__options, #text, __directives, || {
                    #[allow(unused_imports)]
                    use ::lanework::lang::rt::comparing::*;
                    #imports
                    #(#bindings)*
                    #body
                })
            };
            let __definition = ::lanework::lang::Definition {
                name: #text,
                key: __key,
                stage: ::std::sync::Arc::new(__stage),
            };
            // SAFETY: the trait of each parameter's type made its argument, in the order in which the bindings declare
            // the parameters, and the body accesses memory through these bindings only.
            unsafe { ::lanework::Launch::new(__definition, __arguments) }
        }
    })
}

/// The generics, preceded by the lifetime of the launch.
fn with_launch_lifetime(generics: &syn::Generics) -> syn::Generics {
    let mut generics = generics.clone();
    generics.params.insert(0, syn::parse_quote!('launch));
    generics
}

/// The parts of the cache key of a staged kernel: its types, const generics and constants.
fn key_parts(generics: &syn::Generics, constants: &[syn::Ident]) -> Vec<TokenStream> {
    let generics = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) => {
            let name = &ty.ident;
            Some(quote!(::std::string::String::from(::core::any::type_name::<#name>())))
        }
        GenericParam::Const(constant) => {
            let name = &constant.ident;
            Some(quote!(::std::format!("{:?}", #name)))
        }
        GenericParam::Lifetime(_) => None,
    });
    let constants = constants.iter().map(|name| quote!(::std::format!("{:?}", #name)));
    generics.chain(constants).collect()
}

/// `block = (32, 8), min_blocks = 2`.
pub struct Directives {
    list: Vec<(Ident, Expr)>,
}

/// The arguments that the attribute accepts. The runtime has a function for each.
const KNOWN: [&str; 5] = ["block", "max_threads", "min_blocks", "max_registers", "cluster"];

impl Parse for Directives {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(input)?;
        let mut list: Vec<(Ident, Expr)> = Vec::new();
        for Pair { name, value } in pairs {
            if !KNOWN.iter().any(|known| name == known) {
                return Err(refuse(
                    &name,
                    &format!("`{name}` is not an argument of #[kernel]"),
                    &format!("it takes {}", KNOWN.join(", ")),
                ));
            }
            if list.iter().any(|(known, _)| *known == name) {
                let text = format!("`{name}` is given twice");
                return Err(refuse(&name, &text, "remove one"));
            }
            list.push((name, value));
        }
        Ok(Directives { list })
    }
}

struct Pair {
    name: Ident,
    value: Expr,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Pair { name, value: input.parse()? })
    }
}

impl Directives {
    /// The directives as calls of the runtime.
    pub fn tokens(&self) -> Vec<TokenStream> {
        self.list
            .iter()
            .map(|(name, value)| {
                let function = quote::format_ident!("{}_directive", name);
                quote_spanned!(value.span() => ::lanework::lang::rt::#function(#value))
            })
            .collect()
    }
}
