//! The test problems of a candidate: drawn from a seed, with their expected results. Extents give the integers computed
//! from them: shapes, grids, bytes and operations.

pub mod prepared;
pub mod problem;
pub mod values;

use crate::text::{ExpressionError, Node, Operator};
use std::collections::BTreeMap;

/// The extents of one problem, by name.
pub type Extents = BTreeMap<String, u64>;

/// The integer functions, as messages list them.
pub const FUNCTIONS: &str = "ceil_div, round_up, min, max, next_power_of_two";

/// Evaluates an integer expression.
///
/// # Errors
/// If a name is not an extent, a divisor is zero, or a number is negative or too large.
pub fn evaluate(node: &Node, extents: &Extents) -> Result<u64, ExpressionError> {
    let value = signed(node, extents)?;
    u64::try_from(value)
        .ok()
        .filter(|value| *value <= 1 << 62)
        .ok_or_else(|| fail(0, format!("{value} is out of range")))
}

fn fail(at: usize, why: impl Into<String>) -> ExpressionError {
    ExpressionError { at, why: why.into() }
}

fn signed(node: &Node, extents: &Extents) -> Result<i128, ExpressionError> {
    let large = || fail(0, "a number is too large");
    Ok(match node {
        Node::Number(value, true) => *value as i128,
        Node::Number(value, false) => {
            return Err(fail(0, format!("{value} is not a whole number")));
        }
        Node::Name(name, at) => match extents.get(name) {
            Some(value) => i128::from(*value),
            None => {
                let known: Vec<&str> = extents.keys().map(String::as_str).collect();
                let known = match known.is_empty() {
                    true => "there are none".to_owned(),
                    false => format!("available: {}", known.join(", ")),
                };
                return Err(fail(*at, format!("`{name}` is not an extent; {known}")));
            }
        },
        Node::Minus(inner) => -signed(inner, extents)?,
        Node::Binary(operator, left, right) => {
            let (a, b) = (signed(left, extents)?, signed(right, extents)?);
            let value = match operator {
                Operator::Add => a.checked_add(b),
                Operator::Subtract => a.checked_sub(b),
                Operator::Multiply => a.checked_mul(b),
                Operator::Divide if b == 0 => return Err(fail(0, "a division by zero")),
                Operator::Divide => Some(a.div_euclid(b)),
                Operator::Remainder if b == 0 => return Err(fail(0, "a division by zero")),
                Operator::Remainder => Some(a.rem_euclid(b)),
                Operator::Less => Some(i128::from(a < b)),
                Operator::LessEqual => Some(i128::from(a <= b)),
                Operator::Equal => Some(i128::from(a == b)),
            };
            value.filter(|value| value.unsigned_abs() < 1 << 100).ok_or_else(large)?
        }
        Node::Call(name, arguments, at) => {
            let values: Vec<i128> =
                arguments.iter().map(|one| signed(one, extents)).collect::<Result<_, _>>()?;
            match (name.as_str(), values[..].as_ref()) {
                ("min", [a, b]) => *a.min(b),
                ("max", [a, b]) => *a.max(b),
                ("ceil_div", [_, b]) | ("round_up", [_, b]) if *b <= 0 => {
                    return Err(fail(*at, "a division by zero"));
                }
                ("ceil_div", [a, b]) => (a + b - 1).div_euclid(*b),
                ("round_up", [a, b]) => (a + b - 1).div_euclid(*b) * b,
                ("next_power_of_two", [a]) => {
                    let whole = u64::try_from(*a).ok().filter(|a| *a <= 1 << 62);
                    i128::from(whole.ok_or_else(large)?.next_power_of_two())
                }
                _ => {
                    let given = values.len();
                    let why =
                        format!("no function `{name}` of arity {given}; available: {FUNCTIONS}");
                    return Err(fail(*at, why));
                }
            }
        }
        Node::Element(name, _, at) => {
            return Err(fail(*at, format!("`{name}` is not an array here")));
        }
        Node::Fold(name, _, _, _, at) => {
            return Err(fail(*at, format!("`{name}` over an index is not possible here")));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn value(text: &str) -> Result<u64, String> {
        let extents = Extents::from([("n".to_owned(), 1000), ("zero".to_owned(), 0)]);
        let node = parse(text).map_err(|e| e.why)?;
        evaluate(&node, &extents).map_err(|e| e.why)
    }

    #[test]
    fn grids_are_computed_from_extents() {
        assert_eq!(value("ceil_div(n, 256)"), Ok(4));
        assert_eq!(value("max(1, ceil_div(zero, 256))"), Ok(1));
        assert_eq!(value("round_up(n, 32) / 4 - n % 7"), Ok(250));
    }

    #[test]
    fn invalid_extents_are_refused_with_a_reason() {
        for (text, why) in [
            ("m", "not an extent"),
            ("n / zero", "division by zero"),
            ("zero - 1", "out of range"),
            ("0.5 * n", "not a whole number"),
            ("log(n)", "no function"),
            ("n*n*n*n*n*n*n*n*n*n*n*n", "too large"),
        ] {
            assert!(value(text).expect_err(text).contains(why), "{text}");
        }
    }
}
