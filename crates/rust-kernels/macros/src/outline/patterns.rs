//! Patterns in an outline: the names that they bind, in tuples and structs of the same shape.

use super::{Binding, Outline};
use crate::body::patterns::is_constant;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Member, Pat};

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
    /// Declares a pattern's names, and makes a value at `span`.
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
            // The same names in every case.
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
