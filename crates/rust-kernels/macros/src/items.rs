//! `for` over what is not a range: arrays and slices, with `.iter()`, `.copied()` and `.enumerate()`.

use crate::bindings::by_value;
use crate::iterators::is_exclusive;
use crate::scope::Translator;
use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop};

impl Translator {
    /// A `for` over the elements of an array or a slice.
    pub fn item_loop(&mut self, turn: &ExprForLoop, name: &TokenStream) -> TokenStream {
        let span = turn.span();
        let exclusive = is_exclusive(&turn.expr);
        let (items, enumerated) = if exclusive { (&*turn.expr, false) } else { items(&turn.expr) };
        let at = items.span();
        let items = self.iterator(items);
        let body = self.turns(&by_value(&turn.pat), &turn.body, exclusive);
        let function = match enumerated {
            true => quote_spanned!(at => ::lanework::lang::rt::for_enumerated),
            false => quote_spanned!(at => ::lanework::lang::rt::for_items),
        };
        quote_spanned!(span => #function(#name, #items, #body))
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
                "enumerate" if is_whole(items(&call.receiver)) => (items(&call.receiver).0, true),
                _ => (expression, false),
            }
        }
        other => (other, false),
    }
}

/// Whether all elements are gone over, without adapters and positions.
fn is_whole((items, enumerated): (&Expr, bool)) -> bool {
    !enumerated && !matches!(items, Expr::MethodCall(_) | Expr::Range(_))
}
