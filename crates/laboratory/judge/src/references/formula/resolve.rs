//! Resolves the names of expressions.

use super::{Fold, Formula, Names};
use crate::references::functions::Function;
use crate::text::expression::{ExpressionError, Node};

impl Formula {
    /// Resolves the names of an expression.
    ///
    /// # Errors
    /// If a name or function is unknown, or an array has a different number of indices.
    pub fn resolve(node: &Node, names: &Names) -> Result<Formula, ExpressionError> {
        resolve(node, names, &mut names.indices.clone())
    }
}

fn resolve(
    node: &Node,
    names: &Names,
    indices: &mut Vec<String>,
) -> Result<Formula, ExpressionError> {
    let fail = |at: usize, why: String| Err(ExpressionError { at, why });
    let find = |list: &[String], name: &str| list.iter().rposition(|known| known == name);
    Ok(match node {
        Node::Number(value, _) => Formula::Constant(*value),
        Node::Minus(inner) => Formula::Minus(Box::new(resolve(inner, names, indices)?)),
        Node::Binary(operator, a, b) => {
            let a = Box::new(resolve(a, names, indices)?);
            Formula::Binary(*operator, a, Box::new(resolve(b, names, indices)?))
        }
        Node::Name(name, at) => {
            if let Some(number) = find(indices, name) {
                Formula::Index(number)
            } else if let Some(number) = find(&names.scalars, name) {
                Formula::Scalar(number)
            } else if let Some(number) = find(&names.extents, name) {
                Formula::Extent(number)
            } else if names.arrays.iter().any(|(known, _)| known == name) {
                let of = match indices.is_empty() {
                    true => "0".to_owned(),
                    false => indices.join(", "),
                };
                return fail(
                    *at,
                    format!("`{name}` is an array: write an element, such as `{name}[{of}]`"),
                );
            } else {
                return fail(*at, format!("`{name}` is not an index, scalar or extent"));
            }
        }
        Node::Element(name, at, place) => {
            let Some(number) = names.arrays.iter().position(|(known, _)| known == name) else {
                return fail(*place, format!("`{name}` is not an array"));
            };
            let rank = names.arrays[number].1;
            if at.len() != rank {
                return fail(*place, format!("`{name}` takes {rank} indices, not {}", at.len()));
            }
            let at = at.iter().map(|one| resolve(one, names, indices)).collect::<Result<_, _>>()?;
            Formula::Element(number, at)
        }
        Node::Fold(name, index, bound, body, _) => {
            let bound = Box::new(resolve(bound, names, indices)?);
            let slot = indices.len();
            indices.push(index.clone());
            let body = resolve(body, names, indices);
            indices.pop();
            let fold = match name.as_str() {
                "sum" => Fold::Sum,
                "max" => Fold::Max,
                _ => Fold::Min,
            };
            Formula::Fold(fold, slot, bound, Box::new(body?))
        }
        Node::Call(name, arguments, at) => {
            let mut inner = Vec::new();
            for one in arguments {
                inner.push(resolve(one, names, indices)?);
            }
            match (name.as_str(), <[Formula; 3]>::try_from(inner)) {
                ("if", Ok(parts)) => Formula::Choice(Box::new(parts)),
                (_, parts) => {
                    let inner = parts.map_or_else(|inner| inner, Vec::from);
                    let Some(function) = Function::named(name, inner.len()) else {
                        let why = format!(
                            "no function `{name}` of {}; there are: if, {}, and sum(k < n, ..), max(k < n, ..), min(k < n, ..)",
                            inner.len(),
                            Function::names()
                        );
                        return fail(*at, why);
                    };
                    Formula::Call(function, inner)
                }
            }
        }
    })
}
