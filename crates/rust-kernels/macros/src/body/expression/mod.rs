//! Rewrites expressions and operators: arithmetic, comparisons, connectives, and tests whether a range contains a
//! value.

mod arrays;
pub(crate) mod calls;

use crate::body::flow::{breaks, without_else};
use crate::body::scope::{Mode, Returns, Tail, Translator, as_name, returned, root};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, UnOp};

impl Translator {
    /// The tokens that stage an expression's value.
    pub fn value(&mut self, expression: &Expr, mode: Mode) -> TokenStream {
        let span = expression.span();
        match expression {
            Expr::Lit(literal) => self.literal(literal),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.is_variable(name) => match mode {
                    Mode::View => quote_spanned!(span => ::lanework::lang::rt::view(#name)),
                    Mode::Keep => quote_spanned!(span => ::lanework::lang::rt::copy(#name)),
                },
                _ => self.of_cuda(path).unwrap_or_else(|| quote!(#path)),
            },
            Expr::Paren(inner) => {
                let inner = self.value(&inner.expr, mode);
                quote_spanned!(span => (#inner))
            }
            Expr::Group(inner) => self.value(&inner.expr, mode),
            Expr::Unary(unary) => {
                let op = &unary.op;
                match op {
                    UnOp::Deref(_) => self.value(&unary.expr, mode),
                    _ => {
                        let inner = self.value(&unary.expr, Mode::View);
                        quote_spanned!(span => #op #inner)
                    }
                }
            }
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => {
                let (inner, ty) = (self.bare(&cast.expr, Mode::View), &cast.ty);
                quote_spanned!(span => ::lanework::lang::rt::cast::<#ty, _>(#inner))
            }
            Expr::Index(index) if range(&index.index).is_some() => self.base(expression),
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                let got = quote_spanned!(span => ::lanework::lang::rt::get(&#base, #at));
                match root(&index.expr) {
                    Some(name) if mode == Mode::Keep && self.is_variable(name) => {
                        quote_spanned!(span => ::lanework::lang::rt::copy(#got))
                    }
                    _ => got,
                }
            }
            Expr::Field(field) => self.field(field, mode),
            Expr::Struct(structure) => self.structure(structure),
            Expr::Closure(closure) => self.closure(closure),
            Expr::MethodCall(call) => self.method_call(call),
            Expr::Call(call) => self.call(call),
            Expr::Reference(reference) => self.reference(reference),
            Expr::Tuple(tuple) => {
                let parts: Vec<_> = tuple.elems.iter().map(|e| self.bare(e, mode)).collect();
                match parts.len() {
                    1 => quote_spanned!(span => (#(#parts)*,)),
                    _ => quote_spanned!(span => (#(#parts),*)),
                }
            }
            Expr::Array(array) => self.array(array, mode),
            Expr::Repeat(repeat) => {
                let (element, length) = (self.bare(&repeat.expr, mode), &repeat.len);
                quote_spanned!(span => [#element; #length])
            }
            Expr::Range(range) => {
                let (limits, start, end) = (&range.limits, &range.start, &range.end);
                let start = start.as_ref().map(|e| self.value(e, Mode::View));
                let end = end.as_ref().map(|e| self.value(e, Mode::View));
                quote_spanned!(span => #start #limits #end)
            }
            Expr::Block(block) => self.block_expression(block, Tail::Value(mode)),
            Expr::Unsafe(block) => self.block(&block.block, Tail::Value(mode)),
            // A `const` block is ordinary Rust on host values, so its calls are host calls.
            Expr::Const(constant) => {
                let block = &constant.block;
                quote!(#block)
            }
            Expr::Match(matched) => self.matching(matched, Tail::Value(mode)),
            Expr::If(branch) => match without_else(branch) {
                Some(last) => self.refuse(
                    last,
                    "this `if` has no value when its condition does not hold",
                    "add `else { ... }` with the value for that case",
                ),
                None => self.branch(branch, Tail::Value(mode)),
            },
            Expr::Loop(turn) if !breaks(turn) => {
                let turn = self.endless_loop(turn);
                quote_spanned!(span => { #turn; ::lanework::lang::rt::Never })
            }
            Expr::While(_)
            | Expr::Loop(_)
            | Expr::ForLoop(_)
            | Expr::Break(_)
            | Expr::Continue(_)
            | Expr::Return(_)
            | Expr::Assign(_) => {
                let statement = self.statement_expression(expression);
                quote_spanned!(span => { #statement })
            }
            Expr::Macro(call) => self.macro_call(&call.mac),
            Expr::Try(tried) => self.tried(tried),
            _ => self.unsupported(expression),
        }
    }

    /// A value without redundant parentheses.
    pub fn bare(&mut self, expression: &Expr, mode: Mode) -> TokenStream {
        match expression {
            Expr::Paren(inner) => self.bare(&inner.expr, mode),
            other => self.value(other, mode),
        }
    }

    fn literal(&mut self, literal: &syn::ExprLit) -> TokenStream {
        match &literal.lit {
            syn::Lit::Int(_) | syn::Lit::Float(_) | syn::Lit::Bool(_) => quote!(#literal),
            syn::Lit::Byte(_) | syn::Lit::Char(_) => quote!(#literal),
            syn::Lit::ByteStr(_) => quote!((*#literal)),
            other => self.refuse(
                other,
                "string literals are not supported in a kernel",
                "only print!, println! and assert! take string literals",
            ),
        }
    }

    /// The base of an index. A name denotes the array itself; a row of an array is an array.
    pub fn base(&mut self, expression: &Expr) -> TokenStream {
        let span = expression.span();
        match expression {
            Expr::Index(index) if let Some(ends) = range(&index.index) => {
                let base = self.base(&index.expr);
                let mut end = |end: &Option<Box<Expr>>| match end {
                    Some(end) => {
                        let end = self.bare(end, Mode::Keep);
                        quote_spanned!(span => ::lanework::lang::rt::end_at(#end))
                    }
                    None => quote!(::core::option::Option::None),
                };
                let (start, end) = (end(&ends.start), end(&ends.end));
                let inclusive = matches!(ends.limits, syn::RangeLimits::Closed(_));
                quote_spanned!(span => ::lanework::lang::rt::subslice(#base, #start, #end, #inclusive))
            }
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                quote_spanned!(span => ::lanework::lang::rt::at(&#base, #at))
            }
            Expr::Paren(inner) => self.base(&inner.expr),
            Expr::Unary(syn::ExprUnary { op: UnOp::Deref(_), expr, .. }) => self.base(expr),
            Expr::Field(field) => {
                let (base, member) = (self.base(&field.base), &field.member);
                quote_spanned!(span => #base.#member)
            }
            other => match as_name(other) {
                Some(name) => quote!(#name),
                None => self.value(other, Mode::View),
            },
        }
    }

    /// An index; `[[i, j]]` becomes a tuple so that its parts may have different types.
    pub fn index(&mut self, expression: &Expr) -> TokenStream {
        match expression {
            Expr::Array(array) if array.elems.len() > 1 => {
                let parts: Vec<_> = array.elems.iter().map(|e| self.bare(e, Mode::View)).collect();
                quote_spanned!(expression.span() => (#(#parts),*))
            }
            Expr::Array(array) if array.elems.len() == 1 => self.bare(&array.elems[0], Mode::View),
            Expr::Range(_) => self.refuse(
                expression,
                "a part of a slice cannot be assigned in a kernel",
                "go over its elements: `for v in x[a..b].iter_mut() { .. }`",
            ),
            other => self.bare(other, Mode::View),
        }
    }

    /// `value?`: the value of an `Option` or a `Result`, or a return of `None` or of the error.
    fn tried(&mut self, tried: &syn::ExprTry) -> TokenStream {
        if self.returns != Returns::Value {
            return self.refuse(
                tried,
                "`?` needs a function that returns an `Option` or a `Result`",
                "take it apart: `if let Some(v) = option { .. }`",
            );
        }
        let span = tried.span();
        let option = self.bare(&tried.expr, Mode::View);
        let (name, returned) = (syn::Ident::new("__option", Span::mixed_site()), returned());
        quote_spanned!(span => {
            let #name = #option;
            ::lanework::lang::rt::if_then(::lanework::lang::rt::is_none(#name), || {
                ::lanework::lang::rt::leave(#name, #returned)
            });
            ::lanework::lang::rt::payload(#name)
        })
    }

    fn unsupported(&mut self, expression: &Expr) -> TokenStream {
        let (message, help) = match expression {
            Expr::Let(_) => (
                "`let` must come first in the condition of an `if` or a `while`",
                "nest a second `if` in the first, or use `matches!`",
            ),
            Expr::Async(_) | Expr::Await(_) => {
                ("kernels are not asynchronous", "launch on a stream from the host")
            }
            _ => (
                "this expression is not supported in a kernel",
                "kernels support arithmetic, indexing, calls, `if`, loops and assignments",
            ),
        };
        self.refuse(expression, message, help)
    }
}

impl Translator {
    /// An operator between two expressions.
    pub fn binary(&mut self, binary: &syn::ExprBinary) -> TokenStream {
        let span = binary.span();
        let relation = relation(&binary.op);
        // The left side must keep its value even if the right side assigns.
        let mode = if may_assign(&binary.right) { Mode::Keep } else { Mode::View };
        if let Some(relation) = relation {
            let relation = syn::Ident::new(relation, span);
            let left = self.bare(&binary.left, mode);
            let right = self.bare(&binary.right, Mode::View);
            return quote_spanned!(span =>
                (&&::lanework::lang::rt::Compare(#left, #right)).#relation());
        }
        match binary.op {
            BinOp::And(_) | BinOp::Or(_) => {
                let connective = match binary.op {
                    BinOp::And(_) => quote_spanned!(span => and),
                    _ => quote_spanned!(span => or),
                };
                let left = self.bare(&binary.left, mode);
                let right = self.bare(&binary.right, Mode::View);
                quote_spanned!(span => ::lanework::lang::rt::#connective(#left, || #right))
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
            | BinOp::ShrAssign(_) => self.compound_assignment(binary),
            op => {
                let left = self.value(&binary.left, mode);
                let right = self.value(&binary.right, Mode::View);
                // The use of the result determines the type of a literal without a suffix.
                let shift = match op {
                    BinOp::Shl(_) => Some(quote_spanned!(span => shift_left)),
                    BinOp::Shr(_) => Some(quote_spanned!(span => shift_right)),
                    _ => None,
                };
                if let Some(shift) = shift
                    && is_untyped(&binary.left)
                    && !is_literal(&binary.right)
                {
                    return quote_spanned!(span => ::lanework::lang::rt::#shift(#left, #right));
                }
                if let Some(operation) = operation(&op)
                    && is_literal(&binary.left)
                    && !is_literal(&binary.right)
                {
                    let operation = syn::Ident::new(operation, span);
                    return quote_spanned!(span =>
                        (&&::lanework::lang::rt::LiteralOperands(#left, #right)).#operation());
                }
                let left = operand(left);
                quote!(#left #op #right)
            }
        }
    }

    /// `(low..=high).contains(&x)`: comparisons of the value.
    pub fn contains(&mut self, range: &syn::ExprRange, value: &Expr, span: Span) -> TokenStream {
        let value = match value {
            Expr::Reference(reference) => self.bare(&reference.expr, Mode::View),
            other => self.bare(other, Mode::View),
        };
        let name = syn::Ident::new("__value", Span::mixed_site());
        let mut compare = |end: &Option<Box<Expr>>, relation: &str| {
            let end = self.bare(end.as_deref()?, Mode::View);
            let relation = syn::Ident::new(relation, span);
            Some(quote_spanned!(span =>
                (&&::lanework::lang::rt::Compare(#name, #end)).#relation()))
        };
        let low = compare(&range.start, "is_at_least");
        let high = match range.limits {
            syn::RangeLimits::Closed(_) => compare(&range.end, "is_at_most"),
            syn::RangeLimits::HalfOpen(_) => compare(&range.end, "is_less"),
        };
        let both = match (low, high) {
            (Some(low), Some(high)) => {
                quote_spanned!(span => ::lanework::lang::rt::and(#low, || #high))
            }
            (low, high) => low.or(high).unwrap_or_else(|| quote!(true)),
        };
        quote_spanned!(span => { let #name = #value; #both })
    }
}

/// A range in parentheses.
pub fn range(expression: &Expr) -> Option<&syn::ExprRange> {
    match expression {
        Expr::Range(range) => Some(range),
        Expr::Paren(inner) => range(&inner.expr),
        _ => None,
    }
}

/// The left side of an operator, in parentheses if needed, because a block there would end a statement.
fn operand(tokens: TokenStream) -> TokenStream {
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => quote!((#tokens)),
        _ => tokens,
    }
}

/// Whether evaluating an expression may assign to a variable.
fn may_assign(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) | Expr::Path(_) => false,
        Expr::Paren(inner) => may_assign(&inner.expr),
        Expr::Group(inner) => may_assign(&inner.expr),
        Expr::Unary(unary) => may_assign(&unary.expr),
        Expr::Cast(cast) => may_assign(&cast.expr),
        Expr::Field(field) => may_assign(&field.base),
        Expr::Binary(binary) => may_assign(&binary.left) || may_assign(&binary.right),
        Expr::Index(index) => may_assign(&index.expr) || may_assign(&index.index),
        Expr::Array(array) => array.elems.iter().any(may_assign),
        Expr::MethodCall(call) => may_assign(&call.receiver) || call.args.iter().any(may_assign),
        Expr::Call(call) => call.args.iter().any(may_assign),
        Expr::Reference(reference) => reference.mutability.is_some(),
        _ => true,
    }
}

/// Whether an expression is a literal integer whose type is not written.
fn is_untyped(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(integer), .. }) => integer.suffix().is_empty(),
        Expr::Paren(inner) => is_untyped(&inner.expr),
        Expr::Group(inner) => is_untyped(&inner.expr),
        Expr::Unary(unary) => is_untyped(&unary.expr),
        _ => false,
    }
}

/// The method of `lang::rt::LiteralOperands` for an operator whose operands and result have one type.
fn operation(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add(_) => "sum",
        BinOp::Sub(_) => "difference",
        BinOp::Mul(_) => "product",
        BinOp::Div(_) => "quotient",
        BinOp::Rem(_) => "remainder",
        _ => return None,
    })
}

/// The method of `lang::rt::Compare` for a comparison.
pub fn relation(op: &BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Eq(_) => "is_equal",
        BinOp::Ne(_) => "is_unequal",
        BinOp::Lt(_) => "is_less",
        BinOp::Le(_) => "is_at_most",
        BinOp::Gt(_) => "is_greater",
        BinOp::Ge(_) => "is_at_least",
        _ => return None,
    })
}

/// Whether an expression is a literal, possibly with a sign or in parentheses. Its use determines its type.
pub fn is_literal(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_literal(&inner.expr),
        Expr::Group(inner) => is_literal(&inner.expr),
        Expr::Unary(unary) => is_literal(&unary.expr),
        _ => false,
    }
}
