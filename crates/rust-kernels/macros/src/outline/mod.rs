//! The outline of a kernel: the code that rustc's lints on variables check.
//!
//! A staged kernel reads and writes registers, so in it rustc sees every variable used once and never assigned. The
//! outline is a function that nothing calls, with the author's control flow and names. In it every value is a `u32`, an
//! expression becomes the list of names that it reads, and an assignment stays an assignment. rustc applies
//! `unused_variables`, `unused_assignments`, `unused_mut` and `unused_labels` to it, with the author's spans and lint
//! levels.
//!
//! Limits: a method may change its receiver, so a variable with a method called on it counts as one that
//! needs `mut`. A name in a macro's text counts as read.

mod constructs;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::spanned::Spanned;
use syn::{Block, Expr, FnArg, Local, Pat, Signature, Stmt};

use crate::body::macros::format::ENDINGS;
use crate::body::scope::as_name;

/// The declaration of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    /// `mut x`, or `let x;`, which is assigned later.
    Assigned { mutable: bool },
    /// A name that code does not assign, or through which it assigns a target: `x: &mut f32`.
    Read,
}

/// The outline of one function.
struct Outline {
    scopes: Vec<HashMap<String, Binding>>,
    /// Structs that the function's patterns name.
    shapes: TokenStream,
    count: usize,
}

/// The outline of a function, as an item inside it.
pub fn outline(signature: &Signature, block: &Block) -> TokenStream {
    let mut outline =
        Outline { scopes: vec![HashMap::new()], shapes: TokenStream::new(), count: 0 };
    let mut parameters = Vec::new();
    for argument in &signature.inputs {
        if let FnArg::Typed(typed) = argument {
            let levels = levels(&typed.attrs);
            let part = outline.pattern(&typed.pat, typed.pat.span());
            let (pattern, ty) = (part.pattern, part.ty);
            parameters.push(quote!(#(#levels)* #pattern: #ty));
        }
    }
    let body = outline.block(block);
    let (shapes, name) = (&outline.shapes, format_ident!("__outline"));
    quote! {
        #[allow(
            dead_code, path_statements, unreachable_code, unused_must_use, unused_parens,
            unused_braces, non_snake_case, non_camel_case_types, missing_docs, clippy::all
        )]
        fn #name(#(#parameters),*) {
            #shapes
            #body
        }
    }
}

/// The attributes that set the level of a lint.
pub fn levels(attributes: &[syn::Attribute]) -> Vec<&syn::Attribute> {
    let known = ["allow", "expect", "warn", "deny", "forbid"];
    attributes.iter().filter(|a| known.iter().any(|word| a.path().is_ident(word))).collect()
}

impl Outline {
    fn declare(&mut self, name: &Ident, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), binding);
        }
    }

    fn binding(&self, name: &Ident) -> Option<Binding> {
        let name = name.to_string();
        self.scopes.iter().rev().find_map(|scope| scope.get(&name)).copied()
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self) -> TokenStream) -> TokenStream {
        self.scopes.push(HashMap::new());
        let inner = f(self);
        self.scopes.pop();
        inner
    }

    fn block(&mut self, block: &Block) -> TokenStream {
        let inner = self.scoped(|o| block.stmts.iter().map(|s| o.statement(s)).collect());
        quote!({ #inner })
    }

    fn statement(&mut self, statement: &Stmt) -> TokenStream {
        match statement {
            Stmt::Local(local) => self.local(local),
            Stmt::Item(_) => TokenStream::new(),
            Stmt::Macro(call) => self.call(&call.mac),
            Stmt::Expr(expression, _) => self.expression(expression),
        }
    }

    fn local(&mut self, local: &Local) -> TokenStream {
        let levels = levels(&local.attrs);
        let Some(init) = &local.init else {
            let pattern = match &local.pat {
                Pat::Type(typed) => &typed.pat,
                other => other,
            };
            let Pat::Ident(name) = pattern else { return TokenStream::new() };
            self.declare(&name.ident, Binding::Assigned { mutable: name.mutability.is_some() });
            return quote!(#(#levels)* let #name: u32;);
        };
        let mut out = self.expression(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            let otherwise = self.expression(otherwise);
            out.extend(quote!(if ::lanework::lang::rt::perhaps() { #otherwise }));
        }
        let part = self.pattern(&local.pat, init.expr.span());
        let (pattern, value) = (part.pattern, part.value);
        out.extend(quote!(#(#levels)* let #pattern = #value;));
        out
    }

    /// The names that expressions read, in order.
    fn all<'a>(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) -> TokenStream {
        expressions.into_iter().map(|e| self.expression(e)).collect()
    }

    /// The reads and writes of an expression.
    fn expression(&mut self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::Path(path) => path.path.get_ident().map(|n| self.read(n)).unwrap_or_default(),
            Expr::Paren(inner) => self.expression(&inner.expr),
            Expr::Group(inner) => self.expression(&inner.expr),
            Expr::Unary(unary) => self.expression(&unary.expr),
            Expr::Cast(cast) => self.expression(&cast.expr),
            Expr::Field(field) => self.expression(&field.base),
            Expr::Try(inner) => self.expression(&inner.expr),
            Expr::Await(inner) => self.expression(&inner.base),
            Expr::Reference(reference) if reference.mutability.is_some() => {
                self.change(&reference.expr)
            }
            Expr::Reference(reference) => self.expression(&reference.expr),
            Expr::Index(index) => self.all([&*index.expr, &*index.index]),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Assign(assignment) => {
                let mut out = self.expression(&assignment.right);
                out.extend(self.write(&assignment.left, assignment.span()));
                out
            }
            Expr::Call(call) => {
                let mut out = match as_name(&call.func) {
                    Some(_) => self.change(&call.func),
                    None => self.expression(&call.func),
                };
                out.extend(self.all(&call.args));
                out
            }
            Expr::MethodCall(call) => {
                let mut out = self.change(&call.receiver);
                out.extend(self.all(&call.args));
                out
            }
            Expr::Struct(structure) => {
                let mut out = self.all(structure.fields.iter().map(|field| &field.expr));
                out.extend(self.all(structure.rest.as_deref()));
                out
            }
            Expr::Tuple(tuple) => self.all(&tuple.elems),
            Expr::Array(array) => self.all(&array.elems),
            Expr::Repeat(repeat) => self.all([&*repeat.expr, &*repeat.len]),
            Expr::Range(range) => {
                let (start, end) = (range.start.as_deref(), range.end.as_deref());
                self.all(start.into_iter().chain(end))
            }
            Expr::Block(block) => {
                let (label, body) = (&block.label, self.block(&block.block));
                quote!(#label #body;)
            }
            Expr::Unsafe(block) => self.block(&block.block),
            Expr::Const(constant) => self.tokens(quote::ToTokens::to_token_stream(constant)),
            Expr::Macro(call) => self.call(&call.mac),
            Expr::Closure(closure) => self.closure(closure),
            Expr::If(branch) => self.branch(branch),
            Expr::Match(matched) => self.matching(matched),
            Expr::While(turn) => self.while_loop(turn),
            Expr::Loop(turn) => {
                let (label, body) = (&turn.label, self.block(&turn.body));
                quote!(#label loop #body)
            }
            Expr::ForLoop(turn) => {
                let mut out = self.expression(&turn.expr);
                out.extend(self.scoped(|o| {
                    let part = o.pattern(&turn.pat, turn.expr.span());
                    let (pattern, value) = (part.pattern, part.value);
                    let (label, body) = (&turn.label, o.block(&turn.body));
                    quote!(#label for #pattern in ::core::iter::once(#value) #body)
                }));
                out
            }
            Expr::Break(jump) => {
                let (value, label) = (self.all(jump.expr.as_deref()), &jump.label);
                quote!(#value break #label;)
            }
            Expr::Continue(jump) => {
                let label = &jump.label;
                quote!(continue #label;)
            }
            Expr::Return(jump) => {
                let value = self.all(jump.expr.as_deref());
                quote!(#value return;)
            }
            _ => TokenStream::new(),
        }
    }

    fn read(&self, name: &Ident) -> TokenStream {
        match self.binding(name) {
            Some(_) => quote!(#name;),
            None => TokenStream::new(),
        }
    }

    /// A macro: every name in its tokens counts as read, and so does every `{name}` in its format strings.
    fn call(&mut self, call: &syn::Macro) -> TokenStream {
        let mut out = self.tokens(call.tokens.clone());
        let ends = |segment: &syn::PathSegment| ENDINGS.iter().any(|e| segment.ident == e);
        if call.path.segments.last().is_some_and(ends) {
            out.extend(quote!(return;));
        }
        out
    }

    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut exclusive = false;
        for tree in tokens {
            let after_mut = std::mem::take(&mut exclusive);
            match tree {
                TokenTree::Ident(word) if word == "mut" => exclusive = true,
                TokenTree::Ident(name) => {
                    out.extend(match (self.binding(&name), after_mut) {
                        (Some(Binding::Assigned { mutable: true }), true) => {
                            quote!(let _ = &mut #name;)
                        }
                        _ => self.read(&name),
                    });
                }
                TokenTree::Group(group) => out.extend(self.tokens(group.stream())),
                TokenTree::Literal(text) => {
                    for part in text.to_string().split('{').skip(1) {
                        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
                        let name = &part[..end.unwrap_or(part.len())];
                        if syn::parse_str::<Ident>(name).is_ok() {
                            out.extend(self.read(&Ident::new(name, text.span())));
                        }
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
        out
    }
}
