//! The host version of a device function: the original body, with the kernel language's extensions of Rust rewritten.
//! Indices and steps of any integer type, comparisons of integers of different types, and casts to generic types become
//! calls of `lanework::lang::host`.

use crate::body::expression::{is_literal, relation};
use crate::intrinsics::is_device_only;
use crate::types::{is_handle, is_of_tensor_cores, is_tensor_map};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, FnArg, Pat, Signature, Token, Type};

/// The function for the host. If it uses a kernel-only feature, a call panics with a message that says so.
pub fn function(
    attributes: &[syn::Attribute],
    visibility: &syn::Visibility,
    signature: &Signature,
    block: &syn::Block,
) -> TokenStream {
    let (written, mut signature) = (signature, signature.clone());
    let only = only_in_kernels(&signature, block);
    let constant = signature.constness.is_some();
    if only.is_some() {
        signature.constness = None;
    }
    for argument in &mut signature.inputs {
        if let FnArg::Typed(typed) = argument {
            typed.attrs.retain(|attribute| !attribute.path().is_ident("constant"));
            if only.is_some() {
                if let Pat::Ident(name) = &mut *typed.pat {
                    name.mutability = None;
                }
                // The outline (`crate::outline`) already reports unused names.
                typed.attrs.push(syn::parse_quote!(#[allow(unused_variables, unused_mut)]));
            }
        }
    }
    let body = match &only {
        Some(uses) => {
            let name = signature.ident.to_string();
            let outline = crate::outline::outline(written, block);
            quote!({
                #outline
                ::lanework::lang::host::device_only(#name, #uses)
            })
        }
        // A `const fn` is ordinary Rust: the extensions are not `const`.
        None if constant => block.to_token_stream(),
        None => {
            let mut block = block.clone();
            Adapter.visit_block_mut(&mut block);
            let statements = &block.stmts;
            quote_spanned!(block.span() => {
                #[allow(unused_imports)]
                use ::lanework::lang::host::prelude::*;
                #(#statements)*
            })
        }
    };
    quote! {
        #(#attributes)*
        #[allow(dead_code, unused_parens, clippy::needless_borrow, clippy::too_many_arguments)]
        #visibility #signature #body
    }
}

/// The first kernel-only name that a function uses.
fn only_in_kernels(signature: &Signature, block: &syn::Block) -> Option<String> {
    for argument in &signature.inputs {
        if let FnArg::Typed(typed) = argument
            && let Some(name) = handle_name(&typed.ty)
        {
            return Some(name);
        }
    }
    let mut search = Search::default();
    search.visit_block_mut(&mut block.clone());
    search.found
}

/// The name of a type that exists only in kernels.
fn handle_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Reference(reference) => handle_name(&reference.elem),
        Type::Path(path) => {
            let name = path.path.segments.last()?.ident.to_string();
            (is_handle(ty) || is_tensor_map(ty)).then_some(name)
        }
        Type::Array(array) => handle_name(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(handle_name),
        _ => None,
    }
}

/// Searches for names that exist only inside kernels.
#[derive(Default)]
struct Search {
    declared: Vec<String>,
    found: Option<String>,
}

impl VisitMut for Search {
    fn visit_pat_ident_mut(&mut self, pattern: &mut syn::PatIdent) {
        self.declared.push(pattern.ident.to_string());
        syn::visit_mut::visit_pat_ident_mut(self, pattern);
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        for segment in &path.path.segments {
            let name = segment.ident.to_string();
            let known = is_device_only(&name) || is_of_tensor_cores(&segment.ident);
            if known && !self.declared.contains(&name) {
                self.found.get_or_insert(name);
            }
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        if call.path.is_ident("ptx") {
            self.found.get_or_insert("ptx!".to_owned());
        }
        visit_arguments(self, call);
    }
}

/// Rewrites expressions that are not valid Rust for ordinary values.
struct Adapter;

impl VisitMut for Adapter {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_expr_mut(self, expression);
        let span = expression.span();
        match expression {
            Expr::Index(index) if !is_plain_index(&index.index) => {
                let at = &index.index;
                index.index = syn::parse_quote_spanned!(span => ::lanework::lang::host::index(#at));
            }
            Expr::MethodCall(call)
                if call.method == "step_by"
                    && call.args.len() == 1
                    && !is_literal(&call.args[0]) =>
            {
                let step = &call.args[0];
                call.args[0] =
                    syn::parse_quote_spanned!(span => ::lanework::lang::host::index(#step));
            }
            // Rust's own methods of these names are unstable, but method resolution would prefer them.
            Expr::MethodCall(call)
                if (call.method == "erf" || call.method == "erfc") && call.args.is_empty() =>
            {
                let (method, receiver) = (&call.method, &call.receiver);
                *expression = syn::parse_quote_spanned!(span =>
                    ::lanework::lang::host::FloatMethods::#method(#receiver));
            }
            Expr::Binary(binary) if !is_literal(&binary.left) && !is_literal(&binary.right) => {
                if let Some(relation) = relation(&binary.op) {
                    let relation = syn::Ident::new(relation, span);
                    let (left, right) = (&binary.left, &binary.right);
                    *expression = syn::parse_quote_spanned!(span =>
                        (&&::lanework::lang::rt::Compare(#left, #right)).#relation());
                }
            }
            Expr::Cast(cast) if !is_literal(&cast.expr) && !matches!(&*cast.ty, Type::Infer(_)) => {
                let (inner, ty) = (&cast.expr, &cast.ty);
                *expression = syn::parse_quote_spanned!(span =>
                    ::lanework::lang::host::cast::<#ty, _>(#inner));
            }
            Expr::Const(constant) => {
                // rustc warns about a bare block as an argument.
                let block = &constant.block;
                *expression = syn::parse_quote!(match () { () => #block });
            }
            Expr::ForLoop(turn) => turn.attrs.retain(|a| !a.path().is_ident("unroll")),
            _ => {}
        }
    }

    fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
        visit_arguments(self, call);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    // rustc computes the extent of an array.
    fn visit_type_mut(&mut self, _: &mut Type) {}
}

/// Visits the arguments of a macro that are expressions, as in `assert!` and `println!`.
pub fn visit_arguments(visitor: &mut impl VisitMut, call: &mut syn::Macro) {
    let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
    if let Ok(mut arguments) = call.parse_body_with(parse) {
        arguments.iter_mut().for_each(|argument| visitor.visit_expr_mut(argument));
        call.tokens = arguments.into_token_stream();
    }
}

fn is_plain_index(index: &Expr) -> bool {
    is_literal(index) || matches!(index, Expr::Range(_) | Expr::Array(_))
}

#[cfg(test)]
mod tests {
    use crate::intrinsics::DEVICE_ONLY;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The names after `marker` up to the closing bracket, in every file of a folder.
    fn listed(folder: &Path, marker: &str, names: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                listed(&path, marker, names);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for part in text.split(marker).skip(1) {
                let end = part.find('}').unwrap_or(part.len());
                let words = part[..end].split(|c: char| !c.is_alphanumeric() && c != '_');
                names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            }
        }
    }

    /// Every intrinsic either has a host version or is in the list above.
    #[test]
    fn every_intrinsic_runs_on_the_host_or_is_known_not_to() {
        let lang = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lang/src");
        let (mut twins, mut host) = (BTreeSet::new(), BTreeSet::new());
        listed(&lang, "\ntwins_of! {", &mut twins);
        listed(&lang, "pub use crate::api::host::{", &mut host);
        assert!(twins.len() > 60 && host.len() > 10, "{twins:?} {host:?}");
        let only: BTreeSet<String> = DEVICE_ONLY.split_whitespace().map(str::to_owned).collect();
        let unknown: Vec<_> =
            twins.iter().filter(|name| !host.contains(*name) && !only.contains(*name)).collect();
        assert!(
            unknown.is_empty(),
            "add {unknown:?} to DEVICE_ONLY, or a version for the host to lang/src/api/host.rs"
        );
        let both: Vec<_> = only.intersection(&host).collect();
        assert!(both.is_empty(), "{both:?} run on the host and are said not to");
    }
}
