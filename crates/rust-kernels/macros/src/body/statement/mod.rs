//! Rewriting blocks, `let` and macros.

mod assignments;
pub mod deferred;

use crate::body::macros::assertion::ENDINGS;
use crate::body::patterns::names_a_struct;
use crate::body::scope::{Mode, Tail, Translator};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Block, Expr, Pat, Stmt};

impl Translator {
    /// A block, in braces.
    pub fn block(&mut self, block: &Block, tail: Tail) -> TokenStream {
        let body = self.scoped(|t| t.statements(block, tail));
        quote_spanned!(block.span() => { #body })
    }

    /// A block's statements, without braces.
    pub fn statements(&mut self, block: &Block, tail: Tail) -> TokenStream {
        let mut out = TokenStream::new();
        let last = block.stmts.len().saturating_sub(1);
        for (index, statement) in block.stmts.iter().enumerate() {
            let is_last = index == last;
            out.extend(match statement {
                Stmt::Local(local) => self.local(local, &block.stmts[index + 1..]),
                Stmt::Item(item) => self.item(item),
                Stmt::Macro(call) => {
                    let value = self.macro_call(&call.mac);
                    let ends = call.mac.path.segments.last().is_some_and(|segment| {
                        ENDINGS.iter().any(|ending| segment.ident == ending)
                    });
                    match (is_last && (ends || call.semi_token.is_none()), tail) {
                        (true, Tail::Value(_)) => value,
                        _ => quote!(#value;),
                    }
                }
                Stmt::Expr(expression, semicolon) => {
                    let leaves =
                        matches!(expression, Expr::Break(_) | Expr::Continue(_) | Expr::Return(_));
                    match (is_last && semicolon.is_none(), tail) {
                        (_, Tail::Value(_)) if is_last && leaves => {
                            let jump = self.jump(expression);
                            quote!(#jump; ::lanework::lang::rt::Never)
                        }
                        (true, Tail::Value(mode)) => match expression {
                            Expr::If(branch) => self.branch(branch, tail),
                            Expr::Match(matched) => self.matching(matched, tail),
                            _ => self.bare(expression, mode),
                        },
                        _ => {
                            let statement = self.statement_expression(expression);
                            quote!(#statement;)
                        }
                    }
                }
            });
        }
        out
    }

    /// An expression whose value is not used.
    pub fn statement_expression(&mut self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::If(branch) => self.branch(branch, Tail::Unit),
            Expr::Match(matched) => self.matching(matched, Tail::Unit),
            Expr::While(turn) => self.while_loop(turn),
            Expr::Loop(turn) => self.endless_loop(turn),
            Expr::ForLoop(turn) => self.for_loop(turn),
            Expr::Block(block) if block.label.is_none() => self.block(&block.block, Tail::Unit),
            Expr::Unsafe(block) => self.block(&block.block, Tail::Unit),
            Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => self.jump(expression),
            Expr::Assign(assignment) => self.assignment(assignment),
            other => self.bare(other, Mode::View),
        }
    }

    fn item(&mut self, item: &syn::Item) -> TokenStream {
        match item {
            syn::Item::Const(_) | syn::Item::Use(_) | syn::Item::Type(_) => quote!(#item),
            other => self.refuse(
                other,
                "only `const`, `use` and `type` may be declared inside a kernel",
                "move it out of the function",
            ),
        }
    }

    fn local(&mut self, local: &syn::Local, rest: &[Stmt]) -> TokenStream {
        let span = local.span();
        let Some(init) = &local.init else { return self.deferred(local, rest) };
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&typed.ty)),
            other => (other, None),
        };
        if let Some((_, otherwise)) = &init.diverge {
            return self.let_else(pattern, &init.expr, otherwise);
        }
        let single = match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Some(name),
            _ => None,
        };
        // `let mut` of a closure that assigns: it assigns registers.
        let mutable = single.is_some_and(|name| name.mutability.is_some())
            && !matches!(&*init.expr, Expr::Closure(_));
        // `let mut tile = shared(..)`: the elements are assigned to, the array stays where it is.
        let array = declares_array(&init.expr);
        let mutable = mutable && !array;
        let mode = if mutable { Mode::View } else { Mode::Keep };
        let mut value = self.bare(&init.expr, mode);
        if let Some(ty) = ty {
            value = quote_spanned!(init.expr.span() =>
                ::lanework::lang::rt::keep::<#ty, _>(#value));
        }
        if let (Some(name), true) = (single, array) {
            self.declare_array(&name.ident);
            let text = name.ident.to_string();
            value = quote!(::lanework::lang::rt::named(#text, || #value));
        }
        if mutable {
            value = quote_spanned!(init.expr.span() => ::lanework::lang::rt::variable(#value));
        }
        if let Some(name) = single {
            if !array {
                self.declare(&name.ident, mutable);
            }
            let name = &name.ident;
            return quote_spanned!(span => let #name = #value;);
        }
        if names_a_struct(pattern) {
            return self.destructure(pattern, value, span);
        }
        let mut variables = Vec::new();
        let pattern = self.pattern(pattern, &mut variables);
        quote_spanned!(span => let #pattern = #value;
            #(let #variables = ::lanework::lang::rt::variable(#variables);)*)
    }

    /// A pattern of names, `_` and tuples; the names marked `mut` are collected.
    pub fn pattern(&mut self, pattern: &Pat, variables: &mut Vec<syn::Ident>) -> TokenStream {
        match pattern {
            Pat::Wild(_) => quote!(#pattern),
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                self.declare(&name.ident, name.mutability.is_some());
                if name.mutability.is_some() {
                    variables.push(name.ident.clone());
                }
                let name = &name.ident;
                quote!(#name)
            }
            Pat::Tuple(tuple) => {
                let parts: Vec<_> =
                    tuple.elems.iter().map(|p| self.pattern(p, variables)).collect();
                quote_spanned!(tuple.span() => (#(#parts),*))
            }
            Pat::Slice(slice) => {
                let parts: Vec<_> =
                    slice.elems.iter().map(|p| self.pattern(p, variables)).collect();
                quote_spanned!(slice.span() => [#(#parts),*])
            }
            Pat::Paren(inner) => self.pattern(&inner.pat, variables),
            other => self.refuse(
                other,
                "this pattern is not supported in a kernel",
                "bind names, `_`, tuples and arrays of them",
            ),
        }
    }
}

/// Whether an expression declares an array in memory, which is named after the variable.
fn declares_array(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.last().is_some_and(|segment| is_array_function(&segment.ident))
}

/// Whether a function declares an array in memory.
pub fn is_array_function(name: &syn::Ident) -> bool {
    ["shared", "shared_dynamic", "mbarrier", "mbarriers"].iter().any(|function| name == function)
}
