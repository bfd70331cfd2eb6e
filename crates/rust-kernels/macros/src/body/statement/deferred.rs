//! `let x;`: a variable that gets its value later, on every path to its first use.

use crate::body::scope::{Translator, as_name};
use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Pat, Stmt, Type};

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
