//! `for` over what is not a range: arrays and slices, with `.iter()`, `.copied()` and `.enumerate()`.

use crate::scope::{Mode, Tail, Translator};
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, Pat};

impl Translator {
    /// A `for` over the elements of an array or a slice.
    pub fn item_loop(&mut self, turn: &ExprForLoop, name: &TokenStream) -> TokenStream {
        let span = turn.span();
        let (items, enumerated) = items(&turn.expr);
        let at = items.span();
        let items = self.bare(items, Mode::Keep);
        let (pattern, body) = self.scoped(|t| {
            let pattern = t.plain_pattern(&by_value(&turn.pat));
            (pattern, t.block(&turn.body, Tail::Unit))
        });
        let function = match enumerated {
            true => quote_spanned!(at => ::lanework::lang::rt::for_enumerated),
            false => quote_spanned!(at => ::lanework::lang::rt::for_items),
        };
        quote_spanned!(span => #function(#name, #items, |#pattern| #body))
    }
}

/// Whether a `for` goes over a range, with or without adapters.
pub fn is_range(expression: &Expr) -> bool {
    match expression {
        Expr::Range(_) => true,
        Expr::Paren(inner) => is_range(&inner.expr),
        Expr::MethodCall(call) => is_range(&call.receiver),
        _ => false,
    }
}

/// The array or slice that an expression goes over, and whether with positions.
fn items(expression: &Expr) -> (&Expr, bool) {
    match expression {
        Expr::Paren(inner) => items(&inner.expr),
        Expr::Reference(reference) => items(&reference.expr),
        Expr::MethodCall(call) if call.args.is_empty() => {
            let method = call.method.to_string();
            match method.as_str() {
                "iter" | "into_iter" | "copied" | "cloned" => items(&call.receiver),
                "enumerate" if !items(&call.receiver).1 => (items(&call.receiver).0, true),
                _ => (expression, false),
            }
        }
        other => (other, false),
    }
}

/// A pattern without references: elements are values in a kernel.
fn by_value(pattern: &Pat) -> Pat {
    match pattern {
        Pat::Reference(reference) => by_value(&reference.pat),
        Pat::Paren(inner) => by_value(&inner.pat),
        Pat::Tuple(tuple) => {
            let mut tuple = tuple.clone();
            tuple.elems.iter_mut().for_each(|part| *part = by_value(part));
            Pat::Tuple(tuple)
        }
        other => other.clone(),
    }
}
