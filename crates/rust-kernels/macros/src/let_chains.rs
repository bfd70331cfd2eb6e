//! `if a && let P = b && let Q = c { .. } else { .. }`: an `if` for each `let` and the conditions after it, each with
//! the same `else`.

use crate::matching::conjuncts;
use syn::{Expr, ExprIf, Stmt};

/// The same `if` as one in another; `None` if no `let` follows another condition.
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
