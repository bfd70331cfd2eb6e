//! Places in an outline: assignments, and changes through references.

use super::{Binding, Outline};
use crate::body::scope::{as_name, root};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

impl Outline {
    /// A place that is read and may be changed: `&mut x`, `x[i] = v`, the receiver of a method.
    pub(super) fn change(&mut self, place: &Expr) -> TokenStream {
        let mut out = match place {
            Expr::Paren(inner) => return self.change(&inner.expr),
            Expr::Field(field) => return self.change(&field.base),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => {
                return self.change(&unary.expr);
            }
            Expr::Index(index) => {
                let mut out = self.expression(&index.index);
                out.extend(self.change(&index.expr));
                return out;
            }
            other if as_name(other).is_none() => return self.expression(other),
            _ => TokenStream::new(),
        };
        if let Some(name) = root(place) {
            out.extend(match self.binding(name) {
                Some(Binding::Assigned { mutable: true }) => quote!(let _ = &mut #name;),
                _ => self.read(name),
            });
        }
        out
    }

    /// `place = value;`, at the assignment's span.
    pub(super) fn write(&mut self, place: &Expr, span: Span) -> TokenStream {
        match place {
            Expr::Tuple(tuple) => tuple.elems.iter().map(|e| self.write(e, e.span())).collect(),
            Expr::Array(array) => array.elems.iter().map(|e| self.write(e, e.span())).collect(),
            Expr::Infer(_) => TokenStream::new(),
            other => match as_name(other) {
                Some(name) if matches!(self.binding(name), Some(Binding::Assigned { .. })) => {
                    quote_spanned!(span => #name = ::lanework::lang::rt::any();)
                }
                _ => self.change(other),
            },
        }
    }

    pub(super) fn binary(&mut self, binary: &syn::ExprBinary) -> TokenStream {
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let (left, right) = (self.expression(&binary.left), self.expression(&binary.right));
                quote!(#left if ::lanework::lang::rt::perhaps() { #right })
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
            | BinOp::ShrAssign(_) => {
                let mut out = self.expression(&binary.right);
                out.extend(match as_name(&binary.left) {
                    Some(name) if matches!(self.binding(name), Some(Binding::Assigned { .. })) => {
                        quote_spanned!(binary.span() => #name += ::lanework::lang::rt::any();)
                    }
                    _ => self.change(&binary.left),
                });
                out
            }
            _ => self.all([&*binary.left, &*binary.right]),
        }
    }
}
