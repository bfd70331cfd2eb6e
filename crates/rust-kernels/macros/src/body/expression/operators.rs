//! Operators: arithmetic, comparisons, connectives, and whether a range contains a value.

use crate::body::scope::{Mode, Translator};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr};

impl Translator {
    /// An operator between two expressions.
    pub fn binary(&mut self, binary: &syn::ExprBinary) -> TokenStream {
        let span = binary.span();
        let relation = relation(&binary.op);
        // A right side that may assign must not change a left side read before it.
        let mode = if may_assign(&binary.right) { Mode::Keep } else { Mode::View };
        if let Some(relation) = relation {
            let relation = syn::Ident::new(relation, span);
            let left = self.bare(&binary.left, mode);
            let right = self.bare(&binary.right, Mode::View);
            return quote_spanned!(span =>
                (&&::lanework::lang::rt::Compare(#left, #right)).#relation());
        }
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let connective = match binary.op {
                    BinOp::And(_) => quote_spanned!(span => and),
                    _ => quote_spanned!(span => or),
                };
                let left = self.bare(&binary.left, mode);
                let right = self.bare(&binary.right, Mode::View);
                quote_spanned!(span => ::lanework::lang::rt::#connective(#left, || #right))
            }
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_) => self.compound_assignment(binary),
            op => {
                let left = self.value(&binary.left, mode);
                let right = self.value(&binary.right, Mode::View);
                // The type of a literal without a suffix follows from how the result is used.
                let shift = match op {
                    BinOp::Shl(_) => Some(quote_spanned!(span => shift_left)),
                    BinOp::Shr(_) => Some(quote_spanned!(span => shift_right)),
                    _ => None,
                };
                if let Some(shift) = shift
                    && is_untyped(&binary.left)
                    && !is_literal(&binary.right)
                {
                    return quote_spanned!(span => ::lanework::lang::rt::#shift(#left, #right));
                }
                let left = operand(left);
                quote!(#left #op #right)
            }
        }
    }

    /// `(low..=high).contains(&x)`: comparisons of the value.
    pub fn contains(&mut self, range: &syn::ExprRange, value: &Expr, span: Span) -> TokenStream {
        let value = match value {
            Expr::Reference(reference) => self.bare(&reference.expr, Mode::View),
            other => self.bare(other, Mode::View),
        };
        let name = syn::Ident::new("__value", Span::mixed_site());
        let mut compare = |end: &Option<Box<Expr>>, relation: &str| {
            let end = self.bare(end.as_deref()?, Mode::View);
            let relation = syn::Ident::new(relation, span);
            Some(quote_spanned!(span =>
                (&&::lanework::lang::rt::Compare(#name, #end)).#relation()))
        };
        let low = compare(&range.start, "is_at_least");
        let high = match range.limits {
            syn::RangeLimits::Closed(_) => compare(&range.end, "is_at_most"),
            syn::RangeLimits::HalfOpen(_) => compare(&range.end, "is_less"),
        };
        let both = match (low, high) {
            (Some(low), Some(high)) => {
                quote_spanned!(span => ::lanework::lang::rt::and(#low, || #high))
            }
            (low, high) => low.or(high).unwrap_or_else(|| quote!(true)),
        };
        quote_spanned!(span => { let #name = #value; #both })
    }
}

/// A range in parentheses.
pub fn range(expression: &Expr) -> Option<&syn::ExprRange> {
    match expression {
        Expr::Range(range) => Some(range),
        Expr::Paren(inner) => range(&inner.expr),
        _ => None,
    }
}

/// The left side of an operator: a block there would end a statement.
fn operand(tokens: TokenStream) -> TokenStream {
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => quote!((#tokens)),
        _ => tokens,
    }
}

/// Whether evaluating an expression may assign to a variable.
fn may_assign(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) | Expr::Path(_) => false,
        Expr::Paren(inner) => may_assign(&inner.expr),
        Expr::Group(inner) => may_assign(&inner.expr),
        Expr::Unary(unary) => may_assign(&unary.expr),
        Expr::Cast(cast) => may_assign(&cast.expr),
        Expr::Field(field) => may_assign(&field.base),
        Expr::Binary(binary) => may_assign(&binary.left) || may_assign(&binary.right),
        Expr::Index(index) => may_assign(&index.expr) || may_assign(&index.index),
        Expr::Array(array) => array.elems.iter().any(may_assign),
        Expr::MethodCall(call) => may_assign(&call.receiver) || call.args.iter().any(may_assign),
        Expr::Call(call) => call.args.iter().any(may_assign),
        Expr::Reference(reference) => reference.mutability.is_some(),
        _ => true,
    }
}

/// Whether an expression is a literal integer whose type is not written.
fn is_untyped(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(integer), .. }) => integer.suffix().is_empty(),
        Expr::Paren(inner) => is_untyped(&inner.expr),
        Expr::Group(inner) => is_untyped(&inner.expr),
        Expr::Unary(unary) => is_untyped(&unary.expr),
        _ => false,
    }
}

/// The method of `lang::rt::Compare` for a comparison.
pub fn relation(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Eq(_) => "is_equal",
        BinOp::Ne(_) => "is_unequal",
        BinOp::Lt(_) => "is_less",
        BinOp::Le(_) => "is_at_most",
        BinOp::Gt(_) => "is_greater",
        BinOp::Ge(_) => "is_at_least",
        _ => return None,
    })
}

/// A literal, with a sign or in parentheses: its type follows from its use.
pub fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_literal(&inner.expr),
        Expr::Group(inner) => is_literal(&inner.expr),
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}
