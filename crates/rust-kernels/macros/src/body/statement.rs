//! Rewrites blocks, `let`, macros, and assignments to variables, places and tuples, also with an operation.
//!
//! `let x;` declares a variable that every path assigns before its first use.

use crate::body::iterators::is_part;
use crate::body::macros::format::ENDINGS;
use crate::body::patterns::{names, names_a_struct};
use crate::body::places::{is_default, is_place};
use crate::body::scope::{Mode, Tail, Translator, as_name, root};
use crate::source::static_of;
use crate::types::ends_with;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{BinOp, Block, Expr, Pat, Stmt, Type};

impl Translator {
    /// A block, in braces.
    pub fn block(&mut self, block: &Block, tail: Tail) -> TokenStream {
        let body = self.scoped(|t| t.statements(block, tail));
        quote_spanned!(block.span() => { #body })
    }

    /// A block's statements, without braces.
    pub fn statements(&mut self, block: &Block, tail: Tail) -> TokenStream {
        let mut out = TokenStream::new();
        self.ends.push(block.brace_token.span.close());
        for statement in &block.stmts {
            if let Stmt::Item(syn::Item::Fn(function)) = statement {
                self.declare_function(&function.sig.ident);
            }
        }
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
        self.ends.pop();
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
            Expr::Block(block) => self.block_expression(block, Tail::Unit),
            Expr::Unsafe(block) => self.block(&block.block, Tail::Unit),
            Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => self.jump(expression),
            Expr::Assign(assignment) => self.assignment(assignment),
            other => self.bare(other, Mode::View),
        }
    }

    fn item(&mut self, item: &syn::Item) -> TokenStream {
        match item {
            syn::Item::Const(_) | syn::Item::Use(_) | syn::Item::Type(_) => quote!(#item),
            // The host's version of the function has its own.
            syn::Item::Fn(syn::ItemFn { attrs: attributes, .. })
            | syn::Item::Struct(syn::ItemStruct { attrs: attributes, .. })
            | syn::Item::Enum(syn::ItemEnum { attrs: attributes, .. })
            | syn::Item::Impl(syn::ItemImpl { attrs: attributes, .. }) => {
                let marked = attributes.iter().any(|one| ends_with(one.path(), "device"));
                let mark = (!marked).then(|| quote!(#[::lanework::device]));
                quote!(#mark #item)
            }
            other => self.refuse(
                other,
                "this item cannot be declared inside a kernel",
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
        // Drop the `mut` of a closure that assigns: it assigns registers.
        let mutable = single.is_some_and(|name| name.mutability.is_some())
            && !matches!(&*init.expr, Expr::Closure(_));
        // `let mut tile = shared(..)`: code assigns the elements, not the array.
        let array = declares_array(&init.expr);
        let mutable = mutable && !array;
        let mode = if mutable { Mode::View } else { Mode::Keep };
        let init_expr = &init.expr;
        let of_type = ty.filter(|_| is_default(init_expr)).map(|ty| -> Expr {
            syn::parse_quote_spanned!(init_expr.span() => <#ty as ::core::default::Default>::default())
        });
        let mut value = match of_type.or_else(|| converted(&init.expr, ty.map(|ty| &**ty))) {
            Some(conversion) => self.bare(&conversion, mode),
            None => self.bare(&init.expr, mode),
        };
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
            match &*init.expr {
                Expr::Reference(reference)
                    if reference.mutability.is_some()
                        && !mutable
                        && !is_part(&reference.expr)
                        && is_place(self, &reference.expr) =>
                {
                    self.declare_reference(&name.ident);
                }
                _ if !array => self.declare(&name.ident, mutable),
                _ => {}
            }
            if !array && !matches!(&*init.expr, Expr::Closure(_) | Expr::Reference(_)) {
                value = self.named_value(&name.ident, value);
            }
            let name = &name.ident;
            return quote_spanned!(span => let #name = #value;);
        }
        if names_a_struct(pattern) {
            return self.destructure(pattern, value, span);
        }
        let mut variables = Vec::new();
        let tokens = self.pattern(pattern, &mut variables);
        let named = self.named_again(&names(pattern));
        quote_spanned!(span => let #tokens = #value;
            #(let #variables = ::lanework::lang::rt::variable(#variables);)* #named)
    }

    /// A pattern of names, `_` and tuples. Adds the names marked `mut` to `variables`.
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

/// A place without parentheses.
fn bare_place(place: &Expr) -> &Expr {
    match place {
        Expr::Paren(inner) => bare_place(&inner.expr),
        other => other,
    }
}

/// `T::from(x)` for `x.into()` where `let` names the type `T`.
fn converted(value: &Expr, ty: Option<&Type>) -> Option<Expr> {
    let (Expr::MethodCall(call), Some(Type::Path(ty))) = (value, ty) else { return None };
    let (argument, path) = (&call.receiver, &ty.path);
    let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
    (call.method == "into" && call.args.is_empty() && plain && !path.is_ident("_"))
        .then(|| syn::parse_quote_spanned!(value.span() => #path::from(#argument)))
}

/// Whether an expression declares an array in memory, which gets the variable's name.
fn declares_array(expression: &Expr) -> bool {
    let Expr::Call(call) = expression else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.last().is_some_and(|segment| is_array_function(&segment.ident))
}

/// Whether a function declares an array in memory.
pub fn is_array_function(name: &syn::Ident) -> bool {
    ["shared", "shared_dynamic", "mbarrier", "mbarriers"].iter().any(|function| name == function)
}

impl Translator {
    /// `place = value`, or `(place, place) = value`.
    fn assignment(&mut self, assignment: &syn::ExprAssign) -> TokenStream {
        let span = assignment.span();
        if let Expr::Infer(_) = &*assignment.left {
            let value = self.bare(&assignment.right, Mode::View);
            return quote_spanned!(span => let _ = #value);
        }
        if let Expr::Array(array) = &*assignment.left {
            let places: Vec<&Expr> = array.elems.iter().collect();
            let value = self.bare(&assignment.right, Mode::Keep);
            let (names, stores) = self.stores(&places, span);
            return quote_spanned!(span => { let [#(#names),*] = #value; #(#stores;)* });
        }
        if let Expr::Tuple(tuple) = &*assignment.left {
            return self.tuple_assignment(tuple, &assignment.right);
        }
        let value = self.bare(&assignment.right, Mode::View);
        self.store(&assignment.left, value, span)
    }

    /// `(a, b) = (b, a)`: reads all values before it writes any.
    fn tuple_assignment(&mut self, tuple: &syn::ExprTuple, right: &Expr) -> TokenStream {
        let span = tuple.span();
        let value = self.bare(right, Mode::Keep);
        let places: Vec<&Expr> = tuple.elems.iter().collect();
        let (names, stores) = self.stores(&places, span);
        quote_spanned!(span => { let (#(#names),*) = #value; #(#stores;)* })
    }

    /// Names of values, and the assignments of each to a place.
    fn stores(&mut self, places: &[&Expr], span: Span) -> (Vec<Ident>, Vec<TokenStream>) {
        let names: Vec<_> = (0..places.len())
            .map(|i| format_ident!("__part{}", i, span = Span::mixed_site()))
            .collect();
        let stores = places.iter().zip(&names);
        let stores = stores.map(|(place, name)| self.store(place, quote!(#name), span)).collect();
        (names, stores)
    }

    /// `place = value`.
    fn store(&mut self, place: &Expr, value: TokenStream, span: Span) -> TokenStream {
        match bare_place(place) {
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                quote_spanned!(span => ::lanework::lang::rt::put(&#base, #at, #value))
            }
            other => match self.variable(other) {
                Some(variable) => {
                    quote_spanned!(span => ::lanework::lang::rt::assign(#variable, #value))
                }
                None => TokenStream::new(),
            },
        }
    }

    /// The variable that an assignment writes.
    fn variable(&mut self, place: &Expr) -> Option<TokenStream> {
        let place = bare_place(place);
        match place {
            // The place that `x.get_mut(i)` has found.
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. })
                if matches!(&**expr, Expr::MethodCall(_) | Expr::Try(_)) =>
            {
                Some(self.bare(expr, Mode::View))
            }
            Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                self.variable(expr)
            }
            Expr::Field(_) if is_place(self, place) => Some(self.base(place)),
            _ => match as_name(place) {
                Some(name) if self.is_variable(name) => Some(quote!(#name)),
                Some(name) => self.immutable(name),
                None => {
                    if let Some(name) = root(place) {
                        return self.immutable(name);
                    }
                    self.refuse(
                        place,
                        "this cannot be assigned to in a kernel",
                        "assign to a variable or an element: `x = v`, `a[i] = v`",
                    );
                    None
                }
            },
        }
    }

    fn immutable(&mut self, name: &syn::Ident) -> Option<TokenStream> {
        // The use of such a static is an error already.
        if static_of(name).is_some() {
            return None;
        }
        if self.is_array(name) {
            self.refuse(
                name,
                "an array in shared memory cannot be replaced",
                "assign to its elements: `tile[i] = v`",
            );
            return None;
        }
        self.refuse(
            name,
            &format!("cannot assign to `{name}`, which is not a mutable variable"),
            &format!("write `mut {name}` where it is declared"),
        );
        None
    }

    /// `place op= value`.
    pub fn compound_assignment(&mut self, binary: &syn::ExprBinary) -> TokenStream {
        let span = binary.span();
        let op = match binary.op {
            BinOp::AddAssign(op) => quote_spanned!(op.span() => +),
            BinOp::SubAssign(op) => quote_spanned!(op.span() => -),
            BinOp::MulAssign(op) => quote_spanned!(op.span() => *),
            BinOp::DivAssign(op) => quote_spanned!(op.span() => /),
            BinOp::RemAssign(op) => quote_spanned!(op.span() => %),
            BinOp::BitXorAssign(op) => quote_spanned!(op.span() => ^),
            BinOp::BitAndAssign(op) => quote_spanned!(op.span() => &),
            BinOp::BitOrAssign(op) => quote_spanned!(op.span() => |),
            BinOp::ShlAssign(op) => quote_spanned!(op.span() => <<),
            _ => quote_spanned!(span => >>),
        };
        let value = self.bare(&binary.right, Mode::View);
        // Use the author's spans, so that errors and line information point at the author's source.
        let old = syn::Ident::new("__old", binary.left.span());
        let right = syn::Ident::new("__right", binary.right.span());
        match bare_place(&binary.left) {
            Expr::Index(index) => {
                let (base, at) = (self.base(&index.expr), self.index(&index.index));
                quote_spanned!(span => {
                    let #right = #value;
                    ::lanework::lang::rt::update(&#base, #at, |#old| #old #op #right)
                })
            }
            place => match self.variable(place) {
                Some(variable) => quote_spanned!(span => {
                    let #right = #value;
                    let __place = #variable;
                    let #old = ::lanework::lang::rt::view(__place);
                    ::lanework::lang::rt::assign(__place, #old #op #right)
                }),
                None => TokenStream::new(),
            },
        }
    }
}

impl Translator {
    /// `let x;` or `let x: T;`, followed by `rest` in its block.
    pub fn deferred(&mut self, local: &syn::Local, rest: &[Stmt]) -> TokenStream {
        let span = local.span();
        let (pattern, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        let Pat::Ident(binding) = pattern else {
            return self.refuse(local, "a pattern needs a value", "write `let (a, b) = ...;`");
        };
        let name = &binding.ident;
        let first = rest.iter().find(|statement| mentions(statement, name));
        self.declare(name, true);
        if first.is_some_and(|statement| !assigns_statement(statement, name)) {
            return self.refuse(
                local,
                &format!("`{name}` may have no value where it is first used"),
                &format!("assign `{name}` in every branch, or give it a value here"),
            );
        }
        let ty: Type = ty.cloned().unwrap_or_else(|| syn::parse_quote!(_));
        let value = Ident::new("__deferred", span);
        quote_spanned!(span =>
            let #value = ::lanework::lang::rt::deferred::<#ty>();
            #[allow(unused_variables)]
            let #name = &#value;)
    }
}

/// Whether a statement mentions a name.
fn mentions(statement: &Stmt, name: &Ident) -> bool {
    struct Search<'a>(&'a Ident, bool);
    impl VisitMut for Search<'_> {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            self.1 |= ident == self.0;
        }
        fn visit_macro_mut(&mut self, call: &mut syn::Macro) {
            self.1 |= call.tokens.to_string().contains(&self.0.to_string());
        }
    }
    let mut search = Search(name, false);
    search.visit_stmt_mut(&mut statement.clone());
    search.1
}

fn assigns_statement(statement: &Stmt, name: &Ident) -> bool {
    match statement {
        Stmt::Expr(expression, _) => assigns(expression, name),
        _ => false,
    }
}

fn assigns_block(block: &Block, name: &Ident) -> bool {
    let first = block.stmts.iter().find(|statement| mentions(statement, name) || leaves(statement));
    first.is_some_and(|statement| leaves(statement) || assigns_statement(statement, name))
}

/// Whether a statement leaves its block.
fn leaves(statement: &Stmt) -> bool {
    matches!(statement, Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _))
}

/// Whether every path through an expression assigns the name, or leaves.
fn assigns(expression: &Expr, name: &Ident) -> bool {
    match expression {
        Expr::Assign(assignment) => as_name(&assignment.left).is_some_and(|left| left == name),
        Expr::Block(block) => assigns_block(&block.block, name),
        Expr::Unsafe(block) => assigns_block(&block.block, name),
        Expr::If(branch) => {
            assigns_block(&branch.then_branch, name)
                && branch.else_branch.as_ref().is_some_and(|(_, other)| assigns(other, name))
        }
        Expr::Match(matched) => matched.arms.iter().all(|arm| assigns(&arm.body, name)),
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        _ => false,
    }
}
