//! Array literals, whose elements may be constants and run-time values.
//!
//! The elements get one common type. If all are tuple literals with as many parts, each part gets its own: `[(1, 2.0), (v, x)]`. If all
//! are array literals of one length, their elements share one: `[[0, 0], [v, v]]`.

use crate::body::expression::is_literal;
use crate::body::scope::{Mode, Translator};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// An expression in an array literal, with its position there.
type ArrayElement<'a> = (Vec<usize>, &'a Expr);

/// The values of an array literal that have names, and the types of groups of them.
#[derive(Default)]
struct JoinedNames {
    values: Vec<(Vec<usize>, Ident, TokenStream)>,
    kinds: Vec<TokenStream>,
}

impl Translator {
    /// `[a, b, c]`.
    pub fn array(&mut self, array: &syn::ExprArray, mode: Mode) -> TokenStream {
        let span = array.span();
        let elements: Vec<ArrayElement<'_>> =
            array.elems.iter().enumerate().map(|(i, element)| (vec![i], element)).collect();
        if elements.len() < 2 || elements.iter().all(|(_, element)| is_literal(element)) {
            let parts = elements.iter().map(|(_, element)| self.bare(element, mode));
            let parts: Vec<_> = parts.collect();
            return quote_spanned!(span => [#(#parts),*]);
        }
        let mut names = JoinedNames::default();
        let elements = self.of_one_type(&elements, mode, &mut names);
        // The values are computed in the order of the source.
        names.values.sort_by(|a, b| a.0.cmp(&b.0));
        let values = names.values.iter().map(|(_, name, value)| quote!(let #name = #value;));
        let kinds = &names.kinds;
        quote_spanned!(span => { #(#values)* #(#kinds)* [#(#elements),*] })
    }

    /// The elements, converted to a common type.
    fn of_one_type(
        &mut self,
        elements: &[ArrayElement<'_>],
        mode: Mode,
        names: &mut JoinedNames,
    ) -> Vec<TokenStream> {
        if let Some(rows) = rows(elements, |element| match element {
            Expr::Tuple(tuple) => Some(&tuple.elems),
            _ => None,
        }) {
            let width = rows[0].len();
            let columns = (0..width).map(|c| rows.iter().map(|row| row[c].clone()).collect());
            let columns: Vec<Vec<ArrayElement<'_>>> = columns.collect();
            let columns: Vec<_> =
                columns.iter().map(|column| self.of_one_type(column, mode, names)).collect();
            let tuple = |row: usize| {
                let parts = columns.iter().map(|column| &column[row]);
                quote!((#(#parts,)*))
            };
            return (0..elements.len()).map(tuple).collect();
        }
        if let Some(rows) = rows(elements, |element| match element {
            Expr::Array(array) => Some(&array.elems),
            _ => None,
        }) {
            let width = rows[0].len();
            let all = self.of_one_type(&rows.concat(), mode, names);
            return all.chunks(width).map(|row| quote!([#(#row),*])).collect();
        }
        let mut group = Vec::new();
        for (position, element) in elements {
            let name = format_ident!("__element{}", names.values.len(), span = element.span());
            let value = self.bare(element, mode);
            names.values.push((position.clone(), name.clone(), value));
            group.push(name);
        }
        if elements.len() < 2 || elements.iter().all(|(_, element)| is_literal(element)) {
            return group.iter().map(|name| quote!(#name)).collect();
        }
        let kind = format_ident!("__kind{}", names.kinds.len());
        let (first, rest) = (&group[0], &group[1..]);
        names
            .kinds
            .push(quote!(let #kind = ::lanework::lang::rt::joined(&#first)#(.with(&#rest))*;));
        group.iter().map(|name| quote_spanned!(name.span() => #kind.of(#name))).collect()
    }
}

/// The parts of each element, if all elements are literals of one kind with the same number of parts.
fn rows<'a>(
    elements: &[ArrayElement<'a>],
    parts: impl Fn(&'a Expr) -> Option<&'a Punctuated<Expr, syn::Token![,]>>,
) -> Option<Vec<Vec<ArrayElement<'a>>>> {
    let mut rows: Vec<Vec<ArrayElement<'a>>> = Vec::new();
    for (position, element) in elements {
        let parts = parts(bare(element))?.iter().enumerate().map(|(i, part)| {
            let mut position = position.clone();
            position.push(i);
            (position, part)
        });
        rows.push(parts.collect());
    }
    let width = rows.first()?.len();
    (width > 0 && rows.iter().all(|row| row.len() == width)).then_some(rows)
}

fn bare(expression: &Expr) -> &Expr {
    match expression {
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Group(inner) => bare(&inner.expr),
        other => other,
    }
}
