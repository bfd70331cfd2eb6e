//! Rewriting assignments: to variables, places, tuples, and with an operation.

use crate::body::places::is_place;
use crate::body::scope::{Mode, Translator, as_name, root};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr};

impl Translator {
    /// `place = value`, or `(place, place) = value`.
    pub(super) fn assignment(&mut self, assignment: &syn::ExprAssign) -> TokenStream {
        let span = assignment.span();
        if let Expr::Infer(_) = &*assignment.left {
            let value = self.bare(&assignment.right, Mode::View);
            return quote_spanned!(span => let _ = #value);
        }
        if let Expr::Tuple(tuple) = &*assignment.left {
            return self.tuple_assignment(tuple, &assignment.right);
        }
        let value = self.bare(&assignment.right, Mode::View);
        self.store(&assignment.left, value, span)
    }

    /// `(a, b) = (b, a)`: every value is read before any is written.
    fn tuple_assignment(&mut self, tuple: &syn::ExprTuple, right: &Expr) -> TokenStream {
        let span = tuple.span();
        let value = self.bare(right, Mode::Keep);
        let names: Vec<_> = (0..tuple.elems.len())
            .map(|i| format_ident!("__part{}", i, span = Span::mixed_site()))
            .collect();
        let stores: Vec<_> = tuple
            .elems
            .iter()
            .zip(&names)
            .map(|(place, name)| self.store(place, quote!(#name), span))
            .collect();
        quote_spanned!(span => { let (#(#names),*) = #value; #(#stores;)* })
    }

    /// `place = value`.
    pub(super) fn store(&mut self, place: &Expr, value: TokenStream, span: Span) -> TokenStream {
        match place {
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                quote_spanned!(span => ::lanework::lang::rt::put(&#base, #at, #value))
            }
            other => match self.variable(other) {
                Some(variable) => {
                    quote_spanned!(span => ::lanework::lang::rt::assign(#variable, #value))
                }
                None => TokenStream::new(),
            },
        }
    }

    /// The variable that an assignment writes.
    fn variable(&mut self, place: &Expr) -> Option<TokenStream> {
        match place {
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                self.variable(expr)
            }
            Expr::Field(_) if is_place(self, place) => Some(self.base(place)),
            _ => match as_name(place) {
                Some(name) if self.is_variable(name) => Some(quote!(#name)),
                Some(name) => self.immutable(name),
                None => {
                    if let Some(name) = root(place) {
                        return self.immutable(name);
                    }
                    self.refuse(
                        place,
                        "this cannot be assigned to in a kernel",
                        "assign to a variable or an element: `x = v`, `a[i] = v`",
                    );
                    None
                }
            },
        }
    }

    fn immutable(&mut self, name: &syn::Ident) -> Option<TokenStream> {
        if self.is_array(name) {
            self.refuse(
                name,
                "an array in shared memory cannot be replaced",
                "assign to its elements: `tile[i] = v`",
            );
            return None;
        }
        self.refuse(
            name,
            &format!("cannot assign to `{name}`, which is not a mutable variable"),
            &format!("write `mut {name}` where it is declared"),
        );
        None
    }

    /// `place op= value`.
    pub fn compound_assignment(&mut self, binary: &syn::ExprBinary) -> TokenStream {
        let span = binary.span();
        let op = match binary.op {
            BinOp::AddAssign(op) => quote_spanned!(op.span() => +),
            BinOp::SubAssign(op) => quote_spanned!(op.span() => -),
            BinOp::MulAssign(op) => quote_spanned!(op.span() => *),
            BinOp::DivAssign(op) => quote_spanned!(op.span() => /),
            BinOp::RemAssign(op) => quote_spanned!(op.span() => %),
            BinOp::BitXorAssign(op) => quote_spanned!(op.span() => ^),
            BinOp::BitAndAssign(op) => quote_spanned!(op.span() => &),
            BinOp::BitOrAssign(op) => quote_spanned!(op.span() => |),
            BinOp::ShlAssign(op) => quote_spanned!(op.span() => <<),
            _ => quote_spanned!(span => >>),
        };
        let value = self.bare(&binary.right, Mode::View);
        // With the author's spans, so that errors and line information point at the author's
        // source.
        let old = syn::Ident::new("__old", binary.left.span());
        let right = syn::Ident::new("__right", binary.right.span());
        match &*binary.left {
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                quote_spanned!(span => {
                    let #right = #value;
                    ::lanework::lang::rt::update(&#base, #at, |#old| #old #op #right)
                })
            }
            place => match self.variable(place) {
                Some(variable) => quote_spanned!(span => {
                    let #right = #value;
                    let __place = #variable;
                    let #old = ::lanework::lang::rt::view(__place);
                    ::lanework::lang::rt::assign(__place, #old #op #right)
                }),
                None => TokenStream::new(),
            },
        }
    }
}
