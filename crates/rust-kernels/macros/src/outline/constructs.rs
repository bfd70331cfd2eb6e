//! Constructs of an outline: control flow with unknown conditions, patterns and the names that they bind, assignments,
//! and changes through references.

use super::{Binding, Outline};
use crate::body::matching::pattern_and_guard;
use crate::body::patterns::is_constant;
use crate::body::scope::{as_name, root};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Member, Pat, Type, UnOp};

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

    /// The operands of a condition, possibly with a `let` at the start. Returns the code before the branch, and the
    /// first code inside it.
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

/// A pattern of an outline.
pub struct Part {
    /// The pattern, with the author's names.
    pub pattern: TokenStream,
    /// A value that it destructures.
    pub value: TokenStream,
    /// The value's type.
    pub ty: TokenStream,
}

impl Part {
    fn number(pattern: TokenStream, span: Span) -> Part {
        Part {
            pattern,
            value: quote_spanned!(span => ::lanework::lang::rt::any()),
            ty: quote!(u32),
        }
    }

    fn tuple(parts: Vec<Part>) -> Part {
        let patterns = parts.iter().map(|part| &part.pattern);
        let values = parts.iter().map(|part| &part.value);
        let types = parts.iter().map(|part| &part.ty);
        Part {
            pattern: quote!((#(#patterns,)*)),
            value: quote!((#(#values,)*)),
            ty: quote!((#(#types,)*)),
        }
    }
}

impl Outline {
    /// Declares a pattern's names, and creates a value at `span`.
    pub(super) fn pattern(&mut self, pattern: &Pat, span: Span) -> Part {
        match pattern {
            Pat::Ident(name) if is_constant(name) => Part::number(quote!(_), span),
            Pat::Ident(binding) => {
                let (word, name) = (&binding.mutability, &binding.ident);
                self.declare(
                    name,
                    match word {
                        Some(_) => Binding::Assigned { mutable: true },
                        None => Binding::Read,
                    },
                );
                let own = Part::number(quote!(#word #name), span);
                match &binding.subpat {
                    None => own,
                    Some((_, inner)) => {
                        let inner = self.pattern(inner, span);
                        Part::tuple(vec![own, inner])
                    }
                }
            }
            Pat::Type(typed) => self.pattern(&typed.pat, span),
            Pat::Paren(inner) => self.pattern(&inner.pat, span),
            Pat::Reference(inner) => self.pattern(&inner.pat, span),
            // Every case binds the same names.
            Pat::Or(or) => match or.cases.first() {
                Some(first) => self.pattern(first, span),
                None => Part::number(quote!(_), span),
            },
            Pat::Tuple(tuple) => self.parts(&tuple.elems, span),
            Pat::TupleStruct(tuple) => self.parts(&tuple.elems, span),
            Pat::Slice(slice) => self.parts(&slice.elems, span),
            Pat::Struct(structure) => self.shape(structure, span),
            _ => Part::number(quote!(_), span),
        }
    }

    fn parts<'a>(&mut self, parts: impl IntoIterator<Item = &'a Pat>, span: Span) -> Part {
        let parts = parts.into_iter().filter(|part| !matches!(part, Pat::Rest(_)));
        Part::tuple(parts.map(|part| self.pattern(part, span)).collect())
    }

    /// A struct with the named fields, so that rustc's remedy for one in shorthand is `field: _`.
    fn shape(&mut self, structure: &syn::PatStruct, span: Span) -> Part {
        if structure.fields.iter().any(|field| matches!(field.member, Member::Unnamed(_))) {
            return self.parts(structure.fields.iter().map(|field| &*field.pat), span);
        }
        let name = format_ident!("__Shape{}", self.count);
        self.count += 1;
        let (mut patterns, mut values, mut types) = (Vec::new(), Vec::new(), Vec::new());
        for field in &structure.fields {
            let member = &field.member;
            let Part { pattern, value, ty } = self.pattern(&field.pat, span);
            patterns.push(match field.colon_token {
                Some(_) => quote!(#member: #pattern),
                None => pattern,
            });
            values.push(quote!(#member: #value));
            types.push(quote!(#member: #ty));
        }
        self.shapes.extend(quote!(struct #name { #(#types,)* }));
        Part {
            pattern: quote!(#name { #(#patterns,)* }),
            value: quote!(#name { #(#values,)* }),
            ty: quote!(#name),
        }
    }
}

impl Outline {
    /// A read and a possible change of a place: `&mut x`, `x[i] = v`, the receiver of a method.
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
