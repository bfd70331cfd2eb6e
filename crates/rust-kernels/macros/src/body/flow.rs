//! Rewriting `if`, loops and jumps.

use crate::body::matching::{apart, nested};
use crate::body::scope::{Mode, Returns, Tail, Translator, label_tokens, returned};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{VisitMut, visit_expr_mut};
use syn::{Expr, Pat, RangeLimits};

impl Translator {
    /// `if` and `else`, as a statement or as a value.
    pub fn branch(&mut self, branch: &syn::ExprIf, tail: Tail) -> TokenStream {
        if let Some(apart) = apart(branch) {
            return self.branch(&apart, tail);
        }
        if let Some(nested) = nested(branch) {
            return self.branch(&nested, tail);
        }
        if let Some(branch) = self.if_let(branch, tail) {
            return branch;
        }
        let span = branch.span();
        let condition = self.bare(&branch.cond, Mode::View);
        let Some((_, otherwise)) = &branch.else_branch else {
            let then = self.block(&branch.then_branch, Tail::Unit);
            return quote_spanned!(span => ::lanework::lang::rt::if_then(#condition, || #then));
        };
        let then = self.block(&branch.then_branch, tail);
        let otherwise = match &**otherwise {
            Expr::Block(block) => self.block(&block.block, tail),
            Expr::If(next) => self.branch(next, tail),
            other => self.unsupported_else(other),
        };
        quote_spanned!(span =>
            ::lanework::lang::rt::if_else(#condition, || #then, || #otherwise))
    }

    fn unsupported_else(&mut self, other: &Expr) -> TokenStream {
        self.refuse(other, "`else` takes a block", "write `else { ... }`")
    }

    /// `while`.
    pub fn while_loop(&mut self, turn: &syn::ExprWhile) -> TokenStream {
        self.refuse_values(&turn.body, turn.label.as_ref().map(|l| &l.name));
        if let Some(turn) = self.while_let(turn) {
            return turn;
        }
        let span = turn.span();
        let name = label_tokens(turn.label.as_ref().map(|l| &l.name));
        let condition = self.bare(&turn.cond, Mode::View);
        let body = self.block(&turn.body, Tail::Unit);
        quote_spanned!(span =>
            ::lanework::lang::rt::while_loop(#name, || #condition, || #body))
    }

    /// `loop`.
    pub fn endless_loop(&mut self, turn: &syn::ExprLoop) -> TokenStream {
        let span = turn.span();
        let label = turn.label.as_ref().map(|l| &l.name);
        let name = label_tokens(label);
        let body = self.block(&turn.body, Tail::Unit);
        if BreakSearch::of(&turn.body, label).with_value.is_none() {
            return quote_spanned!(span => ::lanework::lang::rt::endless_loop(#name, || #body));
        }
        let inner = broken(None);
        let outer = label.map(|label| {
            let outer = broken(Some(label));
            quote!(let #outer = #inner;)
        });
        quote_spanned!(span => ::lanework::lang::rt::loop_value(#name, |#inner| {
            #outer
            #body
        }))
    }

    /// `{ .. }` or `'name: { .. }`. `break 'name` leaves the second; without a label, `break` and `continue` in it are those of the
    /// loop around it.
    pub fn block_expression(&mut self, block: &syn::ExprBlock, tail: Tail) -> TokenStream {
        let body = self.block(&block.block, tail);
        let Some(label) = block.label.as_ref().map(|label| &label.name) else { return body };
        let (span, name) = (block.span(), label_tokens(Some(label)));
        let mut search =
            BreakSearch { label: Some(label), depth: 1, found: false, with_value: None };
        search.visit_block_mut(&mut block.block.clone());
        match (search.found, search.with_value) {
            (false, _) => body,
            (true, None) => {
                quote_spanned!(span => ::lanework::lang::rt::labeled_block(#name, || { #body; }))
            }
            (true, Some(_)) => {
                let slot = broken(Some(label));
                quote_spanned!(span => ::lanework::lang::rt::labeled_value(#name, |#slot| {
                    ::lanework::lang::rt::end_with(#slot, #body)
                }))
            }
        }
    }

    /// Rejects a `break` with a value from a loop that may end without one.
    fn refuse_values(&mut self, body: &syn::Block, label: Option<&syn::Lifetime>) {
        if let Some(value) = BreakSearch::of(body, label).with_value {
            self.refuse(
                value,
                "only `loop` ends with a value",
                "assign to a variable declared before the loop, then `break`",
            );
        }
    }

    /// `for`, staged over a range or unrolled over any host iterator.
    pub fn for_loop(&mut self, turn: &syn::ExprForLoop) -> TokenStream {
        let span = turn.span();
        let name = label_tokens(turn.label.as_ref().map(|l| &l.name));
        self.refuse_values(&turn.body, turn.label.as_ref().map(|l| &l.name));
        let mut unroll = false;
        for attribute in &turn.attrs {
            if attribute.path().is_ident("unroll") {
                unroll = true;
            } else {
                self.refuse(
                    attribute,
                    "the only attribute of a loop in a kernel is #[unroll]",
                    "remove it",
                );
            }
        }
        if unroll {
            let outer = std::mem::replace(&mut self.on_host, true);
            let items = self.bare(&turn.expr, Mode::View);
            self.on_host = outer;
            let body = self.turns(&turn.pat, &turn.body, false);
            return quote_spanned!(span => ::lanework::lang::rt::unrolled(#name, #items, #body));
        }
        let Some(walk) = self.walk(&turn.expr) else { return self.item_loop(turn, &name) };
        let body = self.turns(&turn.pat, &turn.body, false);
        quote_spanned!(span => ::lanework::lang::rt::for_loop(#name, #walk, #body))
    }

    /// The closure that stages a loop's body. Its parameters are the loop's variables, which are writable places if
    /// `exclusive`.
    pub fn turns(&mut self, pattern: &Pat, body: &syn::Block, exclusive: bool) -> TokenStream {
        let names = crate::body::patterns::names(pattern);
        let (pattern, variables, named, body) = self.scoped(|t| {
            let mut variables = Vec::new();
            let tokens = t.pattern(pattern, &mut variables);
            if exclusive {
                names.iter().for_each(|name| t.declare_reference(name));
            }
            t.ends.push(body.brace_token.span.close());
            let named = t.named_again(&names);
            t.ends.pop();
            (tokens, variables, named, t.block(body, Tail::Unit))
        });
        match names.is_empty() {
            true => quote!(|#pattern| #body),
            false => quote!(|#pattern| {
                #(let #variables = ::lanework::lang::rt::variable(#variables);)*
                #named
                #body
            }),
        }
    }

    /// The range of a counting `for`: `a..b` or `a..=b`, with `.step_by(s)` and `.rev()`; `None` for any other
    /// loop.
    fn walk(&mut self, expression: &Expr) -> Option<TokenStream> {
        let span = expression.span();
        // The adapters, from the last call to the first.
        let (mut reversals_after, mut reversals_before) = (0, 0);
        let mut step = None;
        let mut range = expression;
        loop {
            match range {
                Expr::Paren(inner) => range = &inner.expr,
                Expr::MethodCall(call)
                    if call.method == "step_by" && call.args.len() == 1 && step.is_none() =>
                {
                    step = Some(&call.args[0]);
                    range = &call.receiver;
                }
                Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                    match step {
                        Some(_) => reversals_before += 1,
                        None => reversals_after += 1,
                    }
                    range = &call.receiver;
                }
                _ => break,
            }
        }
        let Expr::Range(range) = range else { return None };
        let (start, end) = (range.start.as_ref()?, range.end.as_ref()?);
        let order = match (reversals_before % 2 == 1, reversals_after % 2 == 1) {
            (false, false) => quote!(Up),
            (true, false) => quote!(Down),
            (false, true) if step.is_some() => quote!(DownFromStep),
            (false, true) => quote!(Down),
            // `.rev().step_by(s).rev()`
            (true, true) => return None,
        };
        let start = self.bare(start, Mode::Keep);
        let end = self.bare(end, Mode::Keep);
        let step = match step {
            Some(step) => {
                let step = self.bare(step, Mode::Keep);
                quote!(::lanework::lang::rt::By(#step))
            }
            None => quote!(::lanework::lang::rt::OneByOne),
        };
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        // With parentheses, because Clippy would tell the user to shorten `start: start`.
        Some(quote_spanned!(span => ::lanework::lang::rt::Walk {
            start: (#start), end: (#end), step: #step, inclusive: #inclusive,
            order: ::lanework::lang::rt::Direction::#order
        }))
    }

    /// `break`, `continue` and `return`.
    pub fn jump(&mut self, expression: &Expr) -> TokenStream {
        let span = expression.span();
        match expression {
            Expr::Break(jump) => {
                let name = label_tokens(jump.label.as_ref());
                let Some(value) = &jump.expr else {
                    return quote_spanned!(span => ::lanework::lang::rt::break_loop(#name));
                };
                let (value, slot) = (self.bare(value, Mode::Keep), broken(jump.label.as_ref()));
                quote_spanned!(span => {
                    ::lanework::lang::rt::break_value(#slot, #value);
                    ::lanework::lang::rt::break_loop(#name)
                })
            }
            Expr::Continue(jump) => {
                let name = label_tokens(jump.label.as_ref());
                quote_spanned!(span => ::lanework::lang::rt::continue_loop(#name))
            }
            Expr::Return(jump) => self.return_expression(jump),
            other => self.statement_expression(other),
        }
    }

    fn return_expression(&mut self, jump: &syn::ExprReturn) -> TokenStream {
        let span = jump.span();
        match (self.returns, &jump.expr) {
            (Returns::Kernel, None) => {
                quote_spanned!(span => ::lanework::lang::rt::return_kernel())
            }
            (Returns::Unit, None) => {
                quote_spanned!(span => ::lanework::lang::rt::return_unit())
            }
            (Returns::Value, Some(value)) => {
                let (value, returned) = (self.bare(value, Mode::View), returned());
                quote_spanned!(span =>
                    ::lanework::lang::rt::return_value(#returned, #value))
            }
            (Returns::Value, None) => {
                self.refuse(jump, "this function returns a value", "write `return value;`")
            }
            (_, Some(value)) => self.refuse(
                value,
                "a kernel returns no value",
                "write the result to a `&mut [T]` parameter",
            ),
        }
    }
}

/// The last `if` of a chain that does not end in `else { ... }`.
pub fn without_else(branch: &syn::ExprIf) -> Option<&syn::ExprIf> {
    match &branch.else_branch {
        None => Some(branch),
        Some((_, next)) => match &**next {
            Expr::If(next) => without_else(next),
            _ => None,
        },
    }
}

/// The variable that receives the value of the innermost loop, or of the loop with the given label.
fn broken(label: Option<&syn::Lifetime>) -> syn::Ident {
    match label {
        Some(label) => quote::format_ident!("__broken_{}", label.ident, span = Span::mixed_site()),
        None => syn::Ident::new("__broken", Span::mixed_site()),
    }
}

/// Whether a `break` may leave the `loop`; without one, the loop never ends and has type `!`.
pub fn breaks(turn: &syn::ExprLoop) -> bool {
    BreakSearch::of(&turn.body, turn.label.as_ref().map(|l| &l.name)).found
}

/// Searches for a `break` out of one loop, including from nested loops.
struct BreakSearch<'a> {
    label: Option<&'a syn::Lifetime>,
    depth: usize,
    found: bool,
    with_value: Option<Expr>,
}

impl BreakSearch<'_> {
    /// The exits of the loop with this body and label.
    fn of<'a>(body: &syn::Block, label: Option<&'a syn::Lifetime>) -> BreakSearch<'a> {
        let mut search = BreakSearch { label, depth: 0, found: false, with_value: None };
        search.visit_block_mut(&mut body.clone());
        search
    }
}

impl VisitMut for BreakSearch<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        match expression {
            Expr::Break(jump) => {
                let leaves = match &jump.label {
                    Some(label) => Some(label) == self.label,
                    None => self.depth == 0,
                };
                self.found |= leaves;
                if leaves && self.with_value.is_none() {
                    self.with_value = jump.expr.as_deref().cloned();
                }
            }
            Expr::Closure(_) => {}
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.depth += 1;
                visit_expr_mut(self, expression);
                self.depth -= 1;
            }
            other => visit_expr_mut(self, other),
        }
    }
}
