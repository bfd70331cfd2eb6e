//! Patterns: tests, bindings, names, and the form that rustc checks.

use crate::body::scope::Translator;
use crate::data::enums::{field_of, test_of, variant_of};
use crate::types::ends_with;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Ident, Member, Pat, RangeLimits};

/// The test of a pattern; `None` if it always matches.
type Test = Option<TokenStream>;

impl Translator {
    /// Tests whether the value `access` matches.
    pub fn test(&mut self, pattern: &Pat, access: &TokenStream) -> Test {
        let span = pattern.span();
        match pattern {
            Pat::Wild(_) | Pat::Rest(_) => None,
            Pat::Ident(name) if name.ident == "None" && name.subpat.is_none() => {
                Some(of_option("is_none", access, span))
            }
            Pat::Ident(name) if is_constant(name) => Some(equals(access, &name.ident, span)),
            Pat::Ident(name) => {
                let (_, inner) = name.subpat.as_ref()?;
                self.test(inner, access)
            }
            Pat::Lit(literal) => Some(match &literal.lit {
                syn::Lit::Bool(truth) if truth.value => quote!(#access),
                syn::Lit::Bool(_) => quote_spanned!(span => !#access),
                syn::Lit::Str(_) | syn::Lit::ByteStr(_) => self.refuse(
                    pattern,
                    "a kernel matches numbers, bools and enums",
                    "compare the bytes of a text one by one",
                ),
                _ => equals(access, literal, span),
            }),
            Pat::Path(path) if ends_with(&path.path, "None") => {
                Some(of_option("is_none", access, span))
            }
            Pat::Path(path) => Some(equals(access, path, span)),
            Pat::TupleStruct(tuple) if ends_with(&tuple.path, "Some") && tuple.elems.len() == 1 => {
                let value = of_option("payload", access, span);
                let inner = self.test(&tuple.elems[0], &value);
                both(Some(of_option("is_some", access, span)), inner, span)
            }
            Pat::TupleStruct(tuple) if result_part(tuple).is_some() => {
                let (test, part) = result_part(tuple)?;
                let value = of_option(part, access, span);
                let inner = self.test(&tuple.elems[0], &value);
                both(Some(of_option(test, access, span)), inner, span)
            }
            Pat::Range(range) => {
                let order = quote_spanned!(span => ::lanework::lang::rt::Order);
                let start = range
                    .start
                    .as_ref()
                    .map(|start| quote_spanned!(span => #order::ge(#access, #start)));
                let end = range.end.as_ref().map(|end| match range.limits {
                    RangeLimits::Closed(_) => quote_spanned!(span => #order::le(#access, #end)),
                    RangeLimits::HalfOpen(_) => quote_spanned!(span => #order::lt(#access, #end)),
                });
                both(start, end, span)
            }
            Pat::Or(or) => {
                let mut any: Test = None;
                for case in &or.cases {
                    let case = self.test(case, access)?;
                    any = Some(match any {
                        Some(any) => {
                            quote_spanned!(span => ::lanework::lang::rt::or(#any, || #case))
                        }
                        None => case,
                    });
                }
                any
            }
            Pat::Paren(inner) => self.test(&inner.pat, access),
            Pat::Reference(inner) => self.test(&inner.pat, access),
            _ => {
                let of_variant = variant(pattern).map(|variant| {
                    let test = test_of(variant);
                    quote_spanned!(span => ::lanework::lang::rt::lift(#access).#test())
                });
                let own = of_variant.or_else(|| fits(pattern, access));
                let parts = self.parts(pattern, access)?;
                parts.into_iter().fold(own, |all, (part, access)| {
                    let test = self.test(part, &access);
                    both(all, test, span)
                })
            }
        }
    }

    /// Binds the names of a pattern to the parts of `access`, the value of `of`. The elements of `get_mut` are places.
    pub fn bind_found(
        &mut self,
        (pattern, of): (&Pat, &syn::Expr),
        access: &TokenStream,
        out: &mut TokenStream,
    ) {
        let places = ["get_mut", "first_mut", "last_mut"];
        let place = matches!(of, syn::Expr::MethodCall(call)
            if places.iter().any(|name| call.method == name));
        let outer = std::mem::replace(&mut self.binds_place, place);
        self.bind(pattern, access, out);
        self.binds_place = outer;
    }

    /// Appends a `let` for each name that a pattern binds to a part of the value `access`.
    pub fn bind(&mut self, pattern: &Pat, access: &TokenStream, out: &mut TokenStream) {
        let span = pattern.span();
        match pattern {
            Pat::Ident(name) if is_constant(name) => {}
            Pat::Ident(binding) => {
                let name = &binding.ident;
                if self.binds_place && binding.mutability.is_none() {
                    self.declare_reference(name);
                    out.extend(quote_spanned!(span => let #name = #access;));
                    return;
                }
                if let Some(word) = &binding.by_ref {
                    self.refuse(word, "a pattern in a kernel binds values", "remove `ref`");
                }
                let mut value = quote_spanned!(span => ::lanework::lang::rt::copy(#access));
                if binding.mutability.is_some() {
                    value = quote_spanned!(span => ::lanework::lang::rt::variable(#value));
                }
                if let Some((_, inner)) = &binding.subpat {
                    self.bind(inner, access, out);
                }
                self.declare(name, binding.mutability.is_some());
                let value = self.named_value(name, value);
                out.extend(quote_spanned!(span => let #name = #value;));
            }
            Pat::Or(or) => self.bind_either(&or.cases.iter().collect::<Vec<_>>(), access, out),
            Pat::Paren(inner) => self.bind(&inner.pat, access, out),
            Pat::Reference(inner) => self.bind(&inner.pat, access, out),
            Pat::Tuple(_) | Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Slice(_) => {
                for (part, access) in self.parts(pattern, access).unwrap_or_default() {
                    self.bind(part, &access, out);
                }
            }
            _ => {}
        }
    }

    /// Binds the names of the first of several patterns that matches.
    fn bind_either(&mut self, cases: &[&Pat], access: &TokenStream, out: &mut TokenStream) {
        let [first, rest @ ..] = cases else { return };
        let names = bound(first);
        if names.is_empty() {
            return;
        }
        if rest.is_empty() {
            return self.bind(first, access, out);
        }
        let span = first.span();
        let mut sides = [TokenStream::new(), TokenStream::new()];
        self.bind(first, access, &mut sides[0]);
        self.bind_either(rest, access, &mut sides[1]);
        let [one, other] = sides;
        out.extend(match self.test(first, access) {
            Some(test) => quote_spanned!(span =>
                let (#(#names,)*) = ::lanework::lang::rt::if_else(
                    #test, || { #one (#(#names,)*) }, || { #other (#(#names,)*) });),
            None => one,
        });
        for name in &names {
            self.declare(name, false);
        }
    }

    /// The sub-patterns of a tuple, a struct or an array, with the values that they match.
    fn parts<'a>(
        &mut self,
        pattern: &'a Pat,
        access: &TokenStream,
    ) -> Option<Vec<(&'a Pat, TokenStream)>> {
        let span = pattern.span();
        match pattern {
            Pat::Tuple(tuple) => {
                let Some(parts) = numbered(&tuple.elems, access) else {
                    self.refuse(
                        tuple,
                        "`..` comes last in a tuple pattern of a kernel",
                        "write `_` for each part left out",
                    );
                    return None;
                };
                Some(parts)
            }
            Pat::TupleStruct(tuple) => {
                if let Some((_, part)) = result_part(tuple) {
                    return Some(vec![(&tuple.elems[0], of_option(part, access, span))]);
                }
                if ends_with(&tuple.path, "Some") && tuple.elems.len() == 1 {
                    let value = of_option("payload", access, span);
                    return Some(vec![(&tuple.elems[0], value)]);
                }
                let parts = numbered(&tuple.elems, access)?;
                let Some(variant) = variant_of(&tuple.path) else { return Some(parts) };
                let fields = parts.into_iter().enumerate().map(|(i, (part, _))| {
                    (part, of_variant(variant, &Member::from(i), access, part.span()))
                });
                Some(fields.collect())
            }
            Pat::Struct(structure) => {
                let variant = variant_of(&structure.path);
                let fields = structure.fields.iter().map(|field| {
                    let member = &field.member;
                    let value = match variant {
                        Some(variant) => of_variant(variant, member, access, span),
                        None => quote_spanned!(span => #access.#member),
                    };
                    (&*field.pat, value)
                });
                Some(fields.collect())
            }
            Pat::Slice(slice) => {
                let count = slice.elems.len();
                let rest = slice.elems.iter().position(is_rest);
                let parts = slice.elems.iter().enumerate().map(|(i, part)| {
                    let back = count - i;
                    let value = match rest {
                        Some(rest) if i == rest => {
                            let after = back - 1;
                            quote_spanned!(span => ::lanework::lang::rt::middle(#access, #i, #after))
                        }
                        Some(rest) if i > rest => quote_spanned!(span => ::lanework::lang::rt::back(#access, #back)),
                        _ => quote_spanned!(span => ::lanework::lang::rt::front(#access, #i)),
                    };
                    (part, value)
                });
                Some(parts.filter(|(part, _)| !matches!(part, Pat::Rest(_))).collect())
            }
            other => {
                self.refuse(
                    other,
                    "this pattern is not supported in a kernel",
                    "match literals, ranges, constants, variants, tuples, structs and arrays, with \
                     names, `_`, `|` and guards",
                );
                None
            }
        }
    }

    /// `let pattern = value;` for a pattern that always matches.
    pub fn destructure(&mut self, pattern: &Pat, value: TokenStream, span: Span) -> TokenStream {
        let name = Ident::new("__matched", Span::mixed_site());
        let access = quote!(#name);
        if self.test(pattern, &access).is_some() {
            // rustc reports this pattern, because it checks the code below.
        }
        let checked = for_check(pattern);
        let mut bindings = TokenStream::new();
        self.bind(pattern, &access, &mut bindings);
        let check = quote_spanned!(span =>
            ::lanework::lang::rt::check(|| { let #checked = (&&::lanework::lang::rt::Scrutinee(#name)).host(); }););
        // The block that holds the value must not contain the bindings.
        quote_spanned!(span => let #name = #value; #[allow(unused_variables, clippy::all)] #check #bindings)
    }
}

/// `Ok(..)` and `Err(..)`: the functions that test for one and that take its content.
fn result_part(tuple: &syn::PatTupleStruct) -> Option<(&'static str, &'static str)> {
    let plain = tuple.elems.len() == 1;
    match tuple.path.get_ident()?.to_string().as_str() {
        "Ok" if plain => Some(("is_some", "payload")),
        "Err" if plain => Some(("is_none", "error")),
        _ => None,
    }
}

/// `..` or `name @ ..`.
fn is_rest(pattern: &Pat) -> bool {
    match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(name) => name.subpat.as_ref().is_some_and(|(_, inner)| is_rest(inner)),
        _ => false,
    }
}

/// The test whether the length of `access` fits a slice pattern.
fn fits(pattern: &Pat, access: &TokenStream) -> Test {
    let Pat::Slice(slice) = pattern else { return None };
    let exact = !slice.elems.iter().any(is_rest);
    let count = slice.elems.len() - usize::from(!exact);
    Some(quote_spanned!(pattern.span() => ::lanework::lang::rt::fits(#access, #count, #exact)))
}

/// The name of the variant with data in a pattern.
fn variant(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::TupleStruct(tuple) => variant_of(&tuple.path),
        Pat::Struct(structure) => variant_of(&structure.path),
        _ => None,
    }
}

/// The field of a variant of the value `access`.
fn of_variant(variant: &Ident, member: &Member, access: &TokenStream, span: Span) -> TokenStream {
    let field = field_of(variant, member);
    quote_spanned!(span => ::lanework::lang::rt::lift(#access).#field)
}

/// The parts before a final `..`, with their numbers.
fn numbered<'a>(
    parts: &'a syn::punctuated::Punctuated<Pat, syn::Token![,]>,
    access: &TokenStream,
) -> Option<Vec<(&'a Pat, TokenStream)>> {
    let rest = parts.iter().position(|p| matches!(p, Pat::Rest(_)));
    if rest.is_some_and(|rest| rest + 1 != parts.len()) {
        return None;
    }
    let part = |(i, part): (usize, &'a Pat)| {
        let index = syn::Index::from(i);
        (part, quote_spanned!(part.span() => #access.#index))
    };
    Some(parts.iter().take(rest.unwrap_or(parts.len())).enumerate().map(part).collect())
}

/// A call such as `is_some(access)`, with the pattern's span.
fn of_option(function: &str, access: &TokenStream, span: Span) -> TokenStream {
    let function = Ident::new(function, span);
    let access = access.clone().into_iter().map(|mut tree| {
        tree.set_span(tree.span().located_at(span));
        tree
    });
    let access: TokenStream = access.collect();
    quote_spanned!(span => ::lanework::lang::rt::#function(#access))
}

fn equals(access: &TokenStream, value: impl quote::ToTokens, span: Span) -> TokenStream {
    quote_spanned!(span => ::lanework::lang::rt::Equate::eq(#access, #value))
}

fn both(first: Test, second: Test, span: Span) -> Test {
    match (first, second) {
        (Some(first), Some(second)) => {
            Some(quote_spanned!(span => ::lanework::lang::rt::and(#first, || #second)))
        }
        (first, second) => first.or(second),
    }
}

/// The names that a pattern binds.
pub fn names(pattern: &Pat) -> Vec<syn::Ident> {
    struct Names(Vec<syn::Ident>);
    impl VisitMut for Names {
        fn visit_pat_ident_mut(&mut self, name: &mut syn::PatIdent) {
            self.0.push(name.ident.clone());
        }
    }
    let mut found = Names(Vec::new());
    found.visit_pat_mut(&mut pattern.clone());
    found.0
}

/// The pattern without references, because elements are values in a kernel.
pub fn by_value(pattern: &Pat) -> Pat {
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

/// Whether a name in a pattern is a constant by Rust's naming convention.
pub fn is_constant(name: &syn::PatIdent) -> bool {
    name.by_ref.is_none()
        && name.mutability.is_none()
        && name.subpat.is_none()
        && name.ident.to_string().starts_with(|c: char| c.is_ascii_uppercase())
}

/// The names that a pattern binds.
fn bound(pattern: &Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl VisitMut for Names {
        fn visit_pat_ident_mut(&mut self, name: &mut syn::PatIdent) {
            if !is_constant(name) {
                self.0.push(name.ident.clone());
            }
            syn::visit_mut::visit_pat_ident_mut(self, name);
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat_mut(&mut pattern.clone());
    names.0
}

/// The pattern as rustc checks it on an ordinary value: without `mut` and `&`.
pub fn for_check(pattern: &Pat) -> Pat {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_pat_mut(&mut self, pattern: &mut Pat) {
            if let Pat::Reference(inner) = pattern {
                *pattern = (*inner.pat).clone();
            }
            if let Pat::Ident(name) = pattern {
                name.mutability = None;
                name.by_ref = None;
            }
            syn::visit_mut::visit_pat_mut(self, pattern);
        }
    }
    let mut plain = pattern.clone();
    Plain.visit_pat_mut(&mut plain);
    plain
}

/// Whether a `let` pattern names a struct, so that its fields must be bound by name.
pub fn names_a_struct(pattern: &Pat) -> bool {
    struct Search(bool);
    impl VisitMut for Search {
        fn visit_pat_mut(&mut self, pattern: &mut Pat) {
            self.0 |= matches!(
                pattern,
                Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Reference(_) | Pat::Rest(_)
            ) || matches!(pattern, Pat::Ident(name) if name.subpat.is_some());
            syn::visit_mut::visit_pat_mut(self, pattern);
        }
    }
    let mut search = Search(false);
    search.visit_pat_mut(&mut pattern.clone());
    search.0
}
