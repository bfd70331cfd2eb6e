//! `match`, `if let`, `while let`, `let ... else` and `matches!`: chains of tests and branches.
//!
//! The generated code also has a `match` with the same patterns on an ordinary value. It never runs; through it rustc
//! checks the patterns and that they are exhaustive.
//!
//! `if a && let P = b && let Q = c { .. } else { .. }` becomes an `if` for each `let` and the conditions after it, each
//! with the same `else`.

use crate::body::patterns::for_check;
use crate::body::scope::{Mode, Tail, Translator, label_tokens};
use crate::types::ends_with;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Arm, BinOp, Expr, ExprIf, Pat, Stmt, Token};

/// The name of the matched value.
fn scrutinee() -> Ident {
    Ident::new("__matched", Span::mixed_site())
}

impl Translator {
    /// `match`, as a statement or as a value.
    pub fn matching(&mut self, matched: &syn::ExprMatch, tail: Tail) -> TokenStream {
        let (span, name) = (matched.span(), scrutinee());
        let value = self.bare(&matched.expr, Mode::View);
        let arms = matched.arms.iter().map(|arm| {
            let (pattern, guard) = pattern_and_guard(&arm.pat);
            let pattern = for_check(pattern);
            let guard = guard.map(|_| quote!(if ::lanework::lang::rt::perhaps()));
            quote_spanned!(arm.pat.span() => #pattern #guard => {})
        });
        let check = checked(&matched.expr, &quote!(#(#arms)*));
        let arms: Vec<&Arm> = matched.arms.iter().collect();
        let chain = self.arms(&arms, &quote!(#name), tail);
        quote_spanned!(span => { let #name = #value; #check #chain })
    }

    /// Stages the arms, starting with the first.
    fn arms(&mut self, arms: &[&Arm], access: &TokenStream, tail: Tail) -> TokenStream {
        let [arm, rest @ ..] = arms else { return TokenStream::new() };
        let span = arm.pat.span();
        let (pattern, guard) = pattern_and_guard(&arm.pat);
        let test = self.test(pattern, access);
        let (bindings, guard, body) = self.scoped(|t| {
            let mut bindings = TokenStream::new();
            t.bind(pattern, access, &mut bindings);
            let guard = guard.map(|guard| t.bare(guard, Mode::View));
            (bindings, guard, t.arm_body(&arm.body, tail))
        });
        let body = quote_spanned!(arm.body.span() => { #bindings #body });
        // The last arm needs no test, because rustc has checked that the arms are exhaustive.
        let condition = match (test, guard) {
            (_, None) if rest.is_empty() => return body,
            (None, None) => return body,
            (Some(test), None) => test,
            (None, Some(guard)) => quote_spanned!(span => { #bindings #guard }),
            (Some(test), Some(guard)) => {
                quote_spanned!(span => ::lanework::lang::rt::and(#test, || { #bindings #guard }))
            }
        };
        if rest.is_empty() {
            return quote_spanned!(span => ::lanework::lang::rt::if_then(#condition, || #body));
        }
        let rest = self.arms(rest, access, tail);
        quote_spanned!(span =>
            ::lanework::lang::rt::if_else(#condition, || #body, || #rest))
    }

    /// An arm's body, or the `else` block of a `let`.
    fn arm_body(&mut self, body: &Expr, tail: Tail) -> TokenStream {
        match (body, tail) {
            (Expr::Block(block), _) if block.label.is_none() => self.block(&block.block, tail),
            (Expr::If(branch), _) => self.branch(branch, tail),
            (Expr::Match(inner), _) => self.matching(inner, tail),
            (Expr::Break(_) | Expr::Continue(_) | Expr::Return(_), Tail::Value(_)) => {
                let jump = self.jump(body);
                quote!({ #jump; ::lanework::lang::rt::Never })
            }
            (_, Tail::Value(mode)) => self.bare(body, mode),
            (_, Tail::Unit) => {
                let statement = self.statement_expression(body);
                quote!({ #statement; })
            }
        }
    }

    /// `if let pattern = value && more { .. } else { .. }`; `None` if the condition has no `let`.
    pub fn if_let(&mut self, branch: &syn::ExprIf, tail: Tail) -> Option<TokenStream> {
        let (found, more) = self.let_condition(&branch.cond)?;
        let found = &without_split(found);
        let (span, name) = (branch.span(), scrutinee());
        let access = quote!(#name);
        let value = self.bare(&found.expr, Mode::View);
        let check = refutable(&found.pat, &found.expr);
        let test = self.test(&found.pat, &access).unwrap_or_else(|| quote!(true));
        let tail = if branch.else_branch.is_some() { tail } else { Tail::Unit };
        let (bindings, more, then) = self.scoped(|t| {
            let mut bindings = TokenStream::new();
            t.bind_found((&found.pat, &found.expr), &access, &mut bindings);
            let more: Vec<_> = more.iter().map(|e| t.bare(e, Mode::View)).collect();
            (bindings, more, t.block(&branch.then_branch, tail))
        });
        let condition = more.iter().rev().fold(None, |rest: Option<TokenStream>, next| {
            Some(match rest {
                Some(rest) => quote_spanned!(span => ::lanework::lang::rt::and(#next, || #rest)),
                None => next.clone(),
            })
        });
        let condition = match condition {
            Some(more) => {
                quote_spanned!(span => ::lanework::lang::rt::and(#test, || { #bindings #more }))
            }
            None => test,
        };
        let then = quote_spanned!(branch.then_branch.span() => { #bindings #then });
        let whole = match &branch.else_branch {
            Some((_, otherwise)) => {
                let otherwise = self.arm_body(otherwise, tail);
                quote_spanned!(span =>
                    ::lanework::lang::rt::if_else(#condition, || #then, || #otherwise))
            }
            None => quote_spanned!(span => ::lanework::lang::rt::if_then(#condition, || #then)),
        };
        Some(quote_spanned!(span => { let #name = #value; #check #whole }))
    }

    /// The `let` that starts a condition, and the conditions after it.
    fn let_condition<'a>(
        &mut self,
        condition: &'a Expr,
    ) -> Option<(&'a syn::ExprLet, Vec<&'a Expr>)> {
        let mut operands = Vec::new();
        conjuncts(condition, &mut operands);
        let position = operands.iter().position(|e| matches!(e, Expr::Let(_)))?;
        let rest = operands.split_off(position + 1);
        let misplaced = rest.iter().find(|e| matches!(e, Expr::Let(_)));
        let misplaced = misplaced.or(operands.first().filter(|_| position > 0));
        if let Some(misplaced) = misplaced {
            self.refuse(
                misplaced,
                "a `while` in a kernel has one `let`, which comes first",
                "write a `loop`, and `break` where a condition does not hold",
            );
        }
        match operands.last() {
            Some(Expr::Let(found)) => Some((found, rest)),
            _ => None,
        }
    }

    /// `while let pattern = value { .. }`; `None` if the condition has no `let`.
    pub fn while_let(&mut self, turn: &syn::ExprWhile) -> Option<TokenStream> {
        let (found, more) = self.let_condition(&turn.cond)?;
        let found = &without_split(found);
        let (span, name) = (turn.span(), scrutinee());
        let access = quote!(#name);
        let label = label_tokens(turn.label.as_ref().map(|l| &l.name));
        let value = self.bare(&found.expr, Mode::View);
        let check = refutable(&found.pat, &found.expr);
        let test = self.test(&found.pat, &access).unwrap_or_else(|| quote!(true));
        let (bindings, more, body) = self.scoped(|t| {
            let mut bindings = TokenStream::new();
            t.bind_found((&found.pat, &found.expr), &access, &mut bindings);
            let more: Vec<_> = more.iter().map(|e| t.bare(e, Mode::View)).collect();
            (bindings, more, t.block(&turn.body, Tail::Unit))
        });
        let leave = quote!(::lanework::lang::rt::break_loop(::core::option::Option::None));
        Some(quote_spanned!(span => ::lanework::lang::rt::endless_loop(#label, || {
            let #name = #value;
            #check
            ::lanework::lang::rt::if_then(!#test, || #leave);
            #bindings
            #(::lanework::lang::rt::if_then(!#more, || #leave);)*
            #body
        })))
    }

    /// `let pattern = value else { .. };`
    pub fn let_else(&mut self, pattern: &Pat, init: &Expr, otherwise: &Expr) -> TokenStream {
        let split = split(pattern, init);
        let (pattern, init) = split.as_ref().map_or((pattern, init), |(p, e)| (p, e));
        let (span, name) = (pattern.span(), scrutinee());
        let access = quote!(#name);
        let value = self.bare(init, Mode::Keep);
        let check = refutable(pattern, init);
        let test = self.test(pattern, &access).unwrap_or_else(|| quote!(true));
        let otherwise_span = otherwise.span();
        let otherwise = self.arm_body(otherwise, Tail::Value(Mode::View));
        let mut bindings = TokenStream::new();
        self.bind_found((pattern, init), &access, &mut bindings);
        let leave = quote_spanned!(otherwise_span =>
            || ::lanework::lang::rt::must_leave(#otherwise));
        quote_spanned!(span =>
            let #name = #value;
            #check
            ::lanework::lang::rt::if_then(!#test, #leave);
            #bindings)
    }

    /// `matches!(value, pattern if guard)`.
    pub fn matches_macro(&mut self, call: &syn::Macro) -> TokenStream {
        let arguments = match call.parse_body::<Matches>() {
            Ok(arguments) => arguments,
            Err(error) => {
                self.push_error(error);
                return TokenStream::new();
            }
        };
        let (span, name) = (call.span(), scrutinee());
        let access = quote!(#name);
        let value = self.bare(&arguments.value, Mode::View);
        let check = refutable(&arguments.pattern, &arguments.value);
        let test = self.test(&arguments.pattern, &access).unwrap_or_else(|| quote!(true));
        let condition = match &arguments.guard {
            None => test,
            Some(guard) => {
                let (bindings, guard) = self.scoped(|t| {
                    let mut bindings = TokenStream::new();
                    t.bind(&arguments.pattern, &access, &mut bindings);
                    (bindings, t.bare(guard, Mode::View))
                });
                quote_spanned!(span => ::lanework::lang::rt::and(#test, || { #bindings #guard }))
            }
        };
        quote_spanned!(span => { let #name = #value; #check #condition })
    }
}

/// `Some((first, rest)) = x.split_first()` as the slice pattern `[first, rest @ ..] = x`; also `split_last`.
fn split(pattern: &Pat, value: &Expr) -> Option<(Pat, Expr)> {
    let Expr::MethodCall(call) = value else { return None };
    let first = call.method == "split_first";
    let Pat::TupleStruct(some) = pattern else { return None };
    let Some(Pat::Tuple(pair)) = some.elems.first() else { return None };
    let named = ends_with(&some.path, "Some") && some.elems.len() == 1 && pair.elems.len() == 2;
    if !named || !call.args.is_empty() || !(first || call.method == "split_last") {
        return None;
    }
    let one = &pair.elems[0];
    let rest = match &pair.elems[1] {
        Pat::Wild(_) => quote!(..),
        name @ Pat::Ident(_) => quote!(#name @ ..),
        _ => return None,
    };
    let slice = match first {
        true => quote_spanned!(pattern.span() => [#one, #rest]),
        false => quote_spanned!(pattern.span() => [#rest, #one]),
    };
    let slice = syn::parse::Parser::parse2(Pat::parse_single, slice).ok()?;
    Some((slice, (*call.receiver).clone()))
}

/// A `let` condition, with `split_first` and `split_last` as slice patterns.
fn without_split(found: &syn::ExprLet) -> syn::ExprLet {
    let mut found = found.clone();
    if let Some((pattern, value)) = split(&found.pat, &found.expr) {
        (*found.pat, *found.expr) = (pattern, value);
    }
    found
}

/// The operands of `&&`.
pub fn conjuncts<'a>(condition: &'a Expr, out: &mut Vec<&'a Expr>) {
    match condition {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            conjuncts(&binary.left, out);
            conjuncts(&binary.right, out);
        }
        other => out.push(other),
    }
}

/// A `match` that rustc checks and that never runs.
fn checked(value: &Expr, arms: &TokenStream) -> TokenStream {
    let (span, name) = (value.span(), scrutinee());
    quote_spanned!(span =>
        #[allow(unused_variables, clippy::all)]
        ::lanework::lang::rt::check(|| match (&&::lanework::lang::rt::Scrutinee(#name)).host() {
            #arms
        });)
}

/// The pattern of an arm, and its guard.
pub fn pattern_and_guard(pattern: &Pat) -> (&Pat, Option<&Expr>) {
    match pattern {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard)),
        pattern => (pattern, None),
    }
}

/// The check of a refutable pattern.
fn refutable(pattern: &Pat, value: &Expr) -> TokenStream {
    let pattern = for_check(pattern);
    let (span, name) = (value.span(), scrutinee());
    quote_spanned!(span =>
        #[allow(unused_variables, unreachable_patterns, clippy::all)]
        ::lanework::lang::rt::check(|| match (&&::lanework::lang::rt::Scrutinee(#name)).host() {
            #pattern => {}
            _ => {}
        });)
}

/// The arguments of `matches!`.
struct Matches {
    value: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.peek(Token![if]) {
            true => {
                input.parse::<Token![if]>()?;
                Some(input.parse()?)
            }
            false => None,
        };
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Matches { value, pattern, guard })
    }
}

/// `let P = x.get_mut(i) && let Q = b` for `let (P, Q) = (x.get_mut(i), b)`: the parts of a tuple are values, and a found element is a
/// place.
pub fn apart(branch: &ExprIf) -> Option<ExprIf> {
    let Expr::Let(found) = &*branch.cond else { return None };
    let (Pat::Tuple(patterns), Expr::Tuple(values)) = (&*found.pat, &*found.expr) else {
        return None;
    };
    let places = ["get_mut", "first_mut", "last_mut"];
    let finds = |value: &Expr| {
        matches!(value, Expr::MethodCall(call)
        if places.iter().any(|name| call.method == name))
    };
    if patterns.elems.len() != values.elems.len() || !values.elems.iter().any(finds) {
        return None;
    }
    let lets = patterns.elems.iter().zip(&values.elems);
    let lets: Vec<Expr> =
        lets.map(|(pattern, value)| syn::parse_quote!(let #pattern = #value)).collect();
    let cond = Box::new(all(&lets.iter().collect::<Vec<_>>())?);
    Some(ExprIf { cond, ..branch.clone() })
}

/// The same `if` as nested `if`s; `None` if no `let` follows another condition.
pub fn nested(branch: &ExprIf) -> Option<ExprIf> {
    let mut operands = Vec::new();
    conjuncts(&branch.cond, &mut operands);
    let later = operands.iter().skip(1).position(|operand| matches!(operand, Expr::Let(_)))? + 1;
    let rest = operands.split_off(later);
    let inner = ExprIf { cond: Box::new(all(&rest)?), ..branch.clone() };
    let mut then_branch = branch.then_branch.clone();
    then_branch.stmts = vec![Stmt::Expr(Expr::If(inner), None)];
    Some(ExprIf { cond: Box::new(all(&operands)?), then_branch, ..branch.clone() })
}

/// Conditions connected by `&&`.
fn all(operands: &[&Expr]) -> Option<Expr> {
    let (first, rest) = operands.split_first()?;
    Some(rest.iter().fold((*first).clone(), |left, right| syn::parse_quote!(#left && #right)))
}
