//! Control flow in an outline: closures, branches and loops, with unknown conditions.

use super::{Binding, Outline};
use crate::body::matching::pattern_and_guard;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Pat, Type};

impl Outline {
    pub(super) fn closure(&mut self, closure: &syn::ExprClosure) -> TokenStream {
        let inner = self.scoped(|o| {
            let mut parameters = Vec::new();
            for input in &closure.inputs {
                let exclusive = matches!(input, Pat::Type(typed)
                    if matches!(&*typed.ty, Type::Reference(r) if r.mutability.is_some()));
                let part = o.pattern(input, input.span());
                let (pattern, ty) = (part.pattern, part.ty);
                parameters.push(quote!(#pattern: #ty));
                if let (Pat::Type(typed), true) = (input, exclusive)
                    && let Pat::Ident(name) = &*typed.pat
                {
                    o.declare(&name.ident, Binding::Read);
                }
            }
            let (word, body) = (&closure.capture, o.expression(&closure.body));
            quote!(#word |#(#parameters),*| { #body })
        });
        quote!(let _ = #inner;)
    }

    /// A condition's operands, possibly with a `let` at the start: the code before the branch, and
    /// the first code inside it.
    fn condition(&mut self, condition: &Expr) -> (TokenStream, TokenStream) {
        match condition {
            Expr::Let(found) => {
                let before = self.expression(&found.expr);
                let part = self.pattern(&found.pat, found.expr.span());
                let (pattern, value) = (part.pattern, part.value);
                (before, quote!(let #pattern = #value;))
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) && has_let(condition) => {
                let (before, mut inside) = self.condition(&binary.left);
                let (more, rest) = self.condition(&binary.right);
                inside.extend(more);
                inside.extend(rest);
                (before, inside)
            }
            other => (self.expression(other), TokenStream::new()),
        }
    }

    pub(super) fn branch(&mut self, branch: &syn::ExprIf) -> TokenStream {
        let mut before = TokenStream::new();
        let then = self.scoped(|o| {
            let (first, inside) = o.condition(&branch.cond);
            before = first;
            let body = o.block(&branch.then_branch);
            quote!({ #inside #body })
        });
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| {
            let otherwise = self.expression(otherwise);
            quote!(else { #otherwise })
        });
        quote!(#before if ::lanework::lang::rt::perhaps() #then #otherwise)
    }

    pub(super) fn while_loop(&mut self, turn: &syn::ExprWhile) -> TokenStream {
        self.scoped(|o| {
            let (before, inside) = o.condition(&turn.cond);
            let (label, body) = (&turn.label, o.block(&turn.body));
            quote!(#label while { #before ::lanework::lang::rt::perhaps() } { #inside #body })
        })
    }

    pub(super) fn matching(&mut self, matched: &syn::ExprMatch) -> TokenStream {
        let before = self.expression(&matched.expr);
        let last = matched.arms.len().saturating_sub(1);
        let arms = matched.arms.iter().enumerate().map(|(number, arm)| {
            let body = self.scoped(|o| {
                let (pattern, guard) = pattern_and_guard(&arm.pat);
                let part = o.pattern(pattern, arm.pat.span());
                let (pattern, value) = (part.pattern, part.value);
                let guard = o.all(guard);
                let body = o.expression(&arm.body);
                quote!({ let #pattern = #value; #guard #body })
            });
            match number == last {
                true => quote!(_ => #body),
                false => {
                    let number = Literal::usize_unsuffixed(number);
                    quote!(#number => #body)
                }
            }
        });
        let arms: TokenStream = arms.collect();
        quote!(#before match ::lanework::lang::rt::any() { #arms })
    }
}

/// Whether a condition has a `let`.
fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}
