//! Rewrites fields, references, receivers and struct expressions.

use crate::body::scope::{Mode, Translator, as_name, root};
use crate::data::enums::{choice_of, field_of, variant_of};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Member, UnOp};

/// Whether an expression is a place: a variable, an element of an array, or a part of one.
pub fn is_place(translator: &Translator, expression: &Expr) -> bool {
    match expression {
        Expr::Index(_) => true,
        Expr::Field(field) => is_place(translator, &field.base),
        Expr::Paren(inner) => is_place(translator, &inner.expr),
        Expr::Group(inner) => is_place(translator, &inner.expr),
        Expr::Unary(syn::ExprUnary { op: UnOp::Deref(_), expr, .. }) => is_place(translator, expr),
        other => as_name(other).is_some_and(|name| translator.is_variable(name)),
    }
}

impl Translator {
    /// `base.member`, as a value.
    pub fn field(&mut self, field: &syn::ExprField, mode: Mode) -> TokenStream {
        let (span, member) = (field.span(), &field.member);
        if !is_place(self, &field.base) {
            let base = self.value(&field.base, mode);
            return quote_spanned!(span => #base.#member);
        }
        let base = self.base(&field.base);
        match mode {
            Mode::View => quote_spanned!(span => ::lanework::lang::rt::view(#base.#member)),
            Mode::Keep => quote_spanned!(span => ::lanework::lang::rt::copy(#base.#member)),
        }
    }

    /// The receiver of a method. A struct in a variable or in memory is passed as a place, because the method may
    /// change it.
    pub fn receiver(&mut self, expression: &Expr) -> TokenStream {
        if !is_place(self, expression) {
            let value = self.value(expression, Mode::View);
            if self.on_host || !is_nameless(expression) {
                return value;
            }
            return quote_spanned!(expression.span() =>
                (&&::lanework::lang::rt::Nameless(#value)).receiver());
        }
        let span = expression.span();
        if crate::body::iterators::is_part(expression) {
            return self.base(expression);
        }
        if let Expr::Index(index) = expression {
            let (base, at) = (self.base(&index.expr), self.index(&index.index));
            return quote_spanned!(span => (&&::lanework::lang::rt::Element(&#base, #at)).receiver());
        }
        let base = self.base(expression);
        quote_spanned!(span => ::lanework::lang::rt::receive(#base))
    }

    /// The receiver of a method that device traits may add. It has its place, because the method may take `&mut self`.
    pub fn adaptable_receiver(&mut self, expression: &Expr) -> TokenStream {
        let (span, rt) = (expression.span(), quote!(::lanework::lang::rt));
        // An iterator is moved by its methods, and has no methods of device traits.
        if self.on_host || crate::body::iterators::is_chain(expression) {
            return self.receiver(expression);
        }
        if !is_place(self, expression) || crate::body::iterators::is_part(expression) {
            let value = self.receiver(expression);
            return self.adapted(quote_spanned!(span => #rt::ByValue(#value)));
        }
        if let Expr::Index(index) = expression {
            let (base, at) = (self.base(&index.expr), self.index(&index.index));
            return self.adapted(quote_spanned!(span => (&&#rt::Element(&#base, #at)).adaptable()));
        }
        let base = self.base(expression);
        self.adapted(quote_spanned!(span => {
            let __place = #base;
            #rt::InPlace(#rt::receive(__place), __place)
        }))
    }

    /// `&x`, `&x[i]`, `&mut x.field`.
    pub fn reference(&mut self, reference: &syn::ExprReference) -> TokenStream {
        let span = reference.span();
        if let Some(name) = self.reborrowed(&reference.expr) {
            return quote!(#name);
        }
        match &*reference.expr {
            part if crate::body::iterators::is_part(part) => self.base(part),
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                match root(&index.expr) {
                    Some(name) if self.is_variable(name) => {
                        quote_spanned!(span => ::lanework::lang::rt::at(&#base, #at))
                    }
                    _ => quote_spanned!(span => ::lanework::lang::rt::locate(&#base, #at)),
                }
            }
            Expr::Field(field) if is_place(self, &field.base) => self.base(&reference.expr),
            other => match as_name(other) {
                Some(name) if self.is_declared(name) || reference.mutability.is_some() => {
                    quote!(#name)
                }
                _ if reference.mutability.is_none() => self.argument(other),
                _ => self.refuse(
                    reference,
                    "a kernel can only take mutable references to names, fields and elements",
                    "write `&mut x`, `&mut x.field` or `&mut x[i]`",
                ),
            },
        }
    }

    /// The name in `*name`, if it is a mutable reference.
    fn reborrowed<'a>(&self, expression: &'a Expr) -> Option<&'a syn::Ident> {
        let Expr::Unary(syn::ExprUnary { op: UnOp::Deref(_), expr, .. }) = expression else {
            return None;
        };
        as_name(expr).filter(|name| self.is_reference(name))
    }

    /// `Body { mass: m, ..rest }`.
    pub fn structure(&mut self, structure: &syn::ExprStruct) -> TokenStream {
        let (span, path) = (structure.span(), &structure.path);
        if structure.qself.is_some() {
            return self.refuse(
                &structure.path,
                "a qualified path cannot be a struct expression in a kernel",
                "give the type a name with `type`",
            );
        }
        let names: Vec<_> = (0..structure.fields.len())
            .map(|i| format_ident!("__field{}", i, span = span))
            .collect();
        let mut values = Vec::new();
        let mut members: Vec<&Member> = Vec::new();
        let (mut hosts, mut lifted) = (Vec::new(), Vec::new());
        for (field, name) in structure.fields.iter().zip(&names) {
            let (member, at) = (&field.member, field.expr.span());
            // The field's type is the target of `x.into()`.
            let into = match &field.expr {
                Expr::MethodCall(call) if call.method == "into" && call.args.is_empty() => {
                    Some(&*call.receiver)
                }
                _ => None,
            };
            values.push(self.bare(into.unwrap_or(&field.expr), Mode::Keep));
            members.push(member);
            if is_default(&field.expr) {
                hosts.push(quote_spanned!(at => #member: ::core::default::Default::default()));
                lifted.push(quote_spanned!(at => ::lanework::lang::rt::default_handle()));
                continue;
            }
            hosts.push(match into {
                Some(_) => quote_spanned!(at => #member: ::lanework::lang::rt::host_into(#name)),
                None => quote_spanned!(at => #member: ::lanework::lang::rt::host(#name)),
            });
            lifted.push(match into {
                Some(_) => quote_spanned!(at => ::lanework::lang::rt::into(#name)),
                None => quote_spanned!(span => ::lanework::lang::rt::lift(#name)),
            });
        }
        let whole = match &structure.rest {
            Some(rest) => {
                // The rest is of the struct's type.
                let default = is_default(rest).then(|| default_of(path));
                let rest = self.bare(default.as_ref().unwrap_or(rest), Mode::Keep);
                quote_spanned!(span => {
                    let __rest = #rest;
                    ::lanework::lang::rt::rest(
                        || #path { #(#hosts,)* ..::lanework::lang::rt::host(__rest) }, __rest)
                })
            }
            None => quote_spanned!(span => ::lanework::lang::rt::blank(|| #path { #(#hosts),* })),
        };
        let (choice, members) = chosen(path, members.into_iter().cloned());
        quote_spanned!(span => {
            #(let #names = #values;)*
            #[allow(unused_mut)]
            let mut __whole = #whole;
            #choice
            #(__whole.#members = #lifted;)*
            __whole
        })
    }

    /// `Point(x, y)`: a tuple struct, or a variant of an enum.
    pub fn tuple_structure(&mut self, call: &syn::ExprCall, path: &syn::ExprPath) -> TokenStream {
        let span = call.span();
        let names: Vec<_> =
            (0..call.args.len()).map(|i| format_ident!("__field{}", i, span = span)).collect();
        let values: Vec<_> = call.args.iter().map(|a| self.bare(a, Mode::Keep)).collect();
        let hosts = call.args.iter().zip(&names).map(
            |(argument, name)| quote_spanned!(argument.span() => ::lanework::lang::rt::host(#name)),
        );
        let (choice, members) = chosen(&path.path, (0..call.args.len()).map(Member::from));
        quote_spanned!(span => {
            #(let #names = #values;)*
            #[allow(unused_mut)]
            let mut __whole = ::lanework::lang::rt::blank(|| #path(#(#hosts),*));
            #choice
            #(__whole.#members = ::lanework::lang::rt::lift(#names);)*
            __whole
        })
    }
}

/// Whether an expression calls a function of a type, or constructs a value, so that its value has no name.
fn is_nameless(expression: &Expr) -> bool {
    match expression {
        Expr::Paren(inner) => is_nameless(&inner.expr),
        Expr::Struct(_) => true,
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path)
            if path.path.segments.len() > 1 || is_constructor(&path.path)),
        Expr::MethodCall(call) => is_nameless(&call.receiver),
        _ => false,
    }
}

/// `<Body as Default>::default()`, where rustc infers the type's parameters.
fn default_of(path: &syn::Path) -> Expr {
    let mut path = path.clone();
    if let Some(last) = path.segments.last_mut()
        && last.arguments.is_none()
        && let count @ 1.. = crate::source::generic_count(&last.ident)
    {
        let inferred = std::iter::repeat_n(quote!(_), count);
        last.arguments = syn::PathArguments::AngleBracketed(syn::parse_quote!(<#(#inferred),*>));
    }
    syn::parse_quote!(<#path as ::core::default::Default>::default())
}

/// Whether an expression is `Default::default()`, whose type the context determines.
pub fn is_default(expression: &Expr) -> bool {
    matches!(expression, Expr::Call(call) if call.args.is_empty()
        && matches!(&*call.func, Expr::Path(path) if path.qself.is_none()
            && path.path.segments.len() == 2
            && path.path.segments[0].ident == "Default"
            && path.path.segments[1].ident == "default"))
}

/// The call that selects a struct expression's variant, and the members to set.
fn chosen(path: &syn::Path, members: impl Iterator<Item = Member>) -> (TokenStream, Vec<Member>) {
    let Some(variant) = variant_of(path) else { return (TokenStream::new(), members.collect()) };
    let choice = choice_of(variant);
    let members = members.map(|member| Member::Named(field_of(variant, &member)));
    (quote_spanned!(path.span() => __whole.#choice();), members.collect())
}

/// Whether a called path names a tuple struct or a variant: its last part starts with a capital letter.
pub fn is_constructor(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| {
        let name = segment.ident.to_string();
        name.starts_with(|c: char| c.is_ascii_uppercase())
    })
}
