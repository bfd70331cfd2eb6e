//! Formulas of references: expressions with names resolved to arrays, scalars, extents and indices. They evaluate to
//! numbers with error bounds, or to wrapping integers.

use crate::references::approx::{Approx, Arithmetic, Sum, larger};
use crate::references::functions::Function;
use crate::text::{ExpressionError, Node, Operator};
use std::cell::Cell;

/// The names available to a formula.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The arrays, with their numbers of indices.
    pub arrays: Vec<(String, usize)>,
    /// Scalar parameters.
    pub scalars: Vec<String>,
    /// Extents.
    pub extents: Vec<String>,
    /// Indices of the output.
    pub indices: Vec<String>,
}

/// A resolved expression.
#[derive(Clone, Debug)]
pub enum Formula {
    /// A number.
    Constant(f64),
    /// An extent.
    Extent(usize),
    /// A scalar parameter.
    Scalar(usize),
    /// An index of the output or of an enclosing fold.
    Index(usize),
    /// An array element; 0 if out of bounds.
    Element(usize, Vec<Formula>),
    /// A function.
    Call(Function, Vec<Formula>),
    /// A fold over the index of this number, below the bound.
    Fold(Fold, usize, Box<Formula>, Box<Formula>),
    /// Two operands.
    Binary(Operator, Box<Formula>, Box<Formula>),
    /// The negation.
    Minus(Box<Formula>),
    /// The second operand if the first is not 0, else the third.
    Choice(Box<[Formula; 3]>),
}

/// The folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// The sum.
    Sum,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// An array, as seen by formulas.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its elements as numbers.
    pub values: &'a [f64],
    /// The elements as integers, if their type is an integer.
    pub integers: &'a [i64],
    /// Its shape.
    pub shape: &'a [u64],
}

/// The data for evaluating a formula.
pub struct Scene<'a> {
    /// The arrays, as [`Names`] lists them.
    pub arrays: Vec<View<'a>>,
    /// The scalars, as numbers and as integers.
    pub scalars: Vec<(f64, i64)>,
    /// The extents.
    pub extents: Vec<u64>,
    /// The arithmetic that defines the kernel's error bound.
    pub arithmetic: Arithmetic,
    /// Terms of folds evaluated so far.
    pub terms: Cell<u64>,
}

/// Maximum terms of folds that the formula of one output may have: about a minute of work.
pub const MOST_TERMS: u64 = 1 << 32;

impl Scene<'_> {
    /// Counts the terms of a fold. Returns the terms to evaluate: none after the limit.
    fn affordable(&self, terms: i64) -> u64 {
        let terms = u64::try_from(terms).unwrap_or(0);
        let all = self.terms.get().saturating_add(terms);
        self.terms.set(all);
        if all > MOST_TERMS { 0 } else { terms }
    }
}

impl Formula {
    /// Whether the value depends on which of two numbers is larger; the correct result for NaN is then ambiguous.
    pub fn decides(&self) -> bool {
        match self {
            Formula::Constant(_) | Formula::Extent(_) | Formula::Scalar(_) | Formula::Index(_) => {
                false
            }
            Formula::Element(..) => false,
            Formula::Call(function, inner) => {
                function.decides() || inner.iter().any(Formula::decides)
            }
            Formula::Fold(fold, _, _, body) => *fold != Fold::Sum || body.decides(),
            Formula::Binary(operator, a, b) => {
                let compares =
                    matches!(operator, Operator::Less | Operator::LessEqual | Operator::Equal);
                compares || a.decides() || b.decides()
            }
            Formula::Minus(inner) => inner.decides(),
            Formula::Choice(_) => true,
        }
    }

    /// Whether it folds over an index.
    pub fn folds(&self) -> bool {
        match self {
            Formula::Fold(..) => true,
            Formula::Call(_, inner) => inner.iter().any(Formula::folds),
            Formula::Binary(_, a, b) => a.folds() || b.folds(),
            Formula::Minus(inner) => inner.folds(),
            Formula::Choice(parts) => parts.iter().any(Formula::folds),
            _ => false,
        }
    }

    /// The value with its error bound.
    pub fn approx(&self, scene: &Scene<'_>, indices: &mut Vec<u64>) -> Approx {
        let arithmetic = &scene.arithmetic;
        match self {
            Formula::Constant(value) => Approx::constant(*value, arithmetic),
            Formula::Extent(number) => Approx::constant(scene.extents[*number] as f64, arithmetic),
            Formula::Scalar(number) => Approx::exact(scene.scalars[*number].0),
            Formula::Index(number) => Approx::constant(indices[*number] as f64, arithmetic),
            Formula::Element(array, at) => {
                let found = offset(scene, *array, at, indices);
                Approx::exact(found.map_or(0.0, |offset| scene.arrays[*array].values[offset]))
            }
            Formula::Minus(inner) => inner.approx(scene, indices).minus(),
            Formula::Binary(operator, a, b) => {
                let (a, b) = (a.approx(scene, indices), b.approx(scene, indices));
                match operator {
                    Operator::Add => a.add(b, arithmetic),
                    Operator::Subtract => a.add(b.minus(), arithmetic),
                    Operator::Multiply => a.multiply(b, arithmetic),
                    Operator::Divide => a.divide(b, arithmetic),
                    Operator::Remainder => Approx::exact(a.value % b.value),
                    Operator::Less => truth(a, b, a.value < b.value),
                    Operator::LessEqual => truth(a, b, a.value <= b.value),
                    Operator::Equal => truth(a, b, a.value == b.value),
                }
            }
            Formula::Call(function, inner) => {
                let values: Vec<Approx> =
                    inner.iter().map(|one| one.approx(scene, indices)).collect();
                function.approx(&values, arithmetic)
            }
            Formula::Choice(parts) => {
                let condition = parts[0].approx(scene, indices);
                let [yes, no] = [1, 2].map(|part: usize| parts[part].approx(scene, indices));
                let decided = condition.error == 0.0;
                if condition.value != 0.0 { yes.or(no, decided) } else { no.or(yes, decided) }
            }
            Formula::Fold(fold, slot, bound, body) => {
                let bound = scene.affordable(bound.whole(scene, indices));
                indices.truncate(*slot);
                indices.push(0);
                let mut sum = Sum::new();
                let mut best: Option<Approx> = None;
                for index in 0..bound {
                    indices[*slot] = index;
                    let term = body.approx(scene, indices);
                    indices.truncate(*slot + 1);
                    match fold {
                        Fold::Sum => sum.add(term),
                        Fold::Max => best = Some(best.map_or(term, |best| larger(best, term))),
                        Fold::Min => {
                            let smaller = |best: Approx| larger(best.minus(), term.minus()).minus();
                            best = Some(best.map_or(term, smaller));
                        }
                    }
                }
                indices.truncate(*slot);
                match fold {
                    Fold::Sum => sum.finish(0.0, arithmetic),
                    Fold::Max => best.unwrap_or(Approx::exact(f64::NEG_INFINITY)),
                    Fold::Min => best.unwrap_or(Approx::exact(f64::INFINITY)),
                }
            }
        }
    }

    /// The value as a wrapping 64-bit integer.
    pub fn whole(&self, scene: &Scene<'_>, indices: &mut Vec<u64>) -> i64 {
        match self {
            Formula::Constant(value) => *value as i64,
            Formula::Extent(number) => scene.extents[*number] as i64,
            Formula::Scalar(number) => scene.scalars[*number].1,
            Formula::Index(number) => indices[*number] as i64,
            Formula::Element(array, at) => {
                let found = offset(scene, *array, at, indices);
                found.map_or(0, |offset| {
                    scene.arrays[*array].integers.get(offset).copied().unwrap_or(0)
                })
            }
            Formula::Minus(inner) => inner.whole(scene, indices).wrapping_neg(),
            Formula::Binary(operator, a, b) => {
                let (a, b) = (a.whole(scene, indices), b.whole(scene, indices));
                match operator {
                    Operator::Add => a.wrapping_add(b),
                    Operator::Subtract => a.wrapping_sub(b),
                    Operator::Multiply => a.wrapping_mul(b),
                    Operator::Divide => {
                        if b == 0 {
                            0
                        } else {
                            a.wrapping_div_euclid(b)
                        }
                    }
                    Operator::Remainder => {
                        if b == 0 {
                            0
                        } else {
                            a.wrapping_rem_euclid(b)
                        }
                    }
                    Operator::Less => (a < b).into(),
                    Operator::LessEqual => (a <= b).into(),
                    Operator::Equal => (a == b).into(),
                }
            }
            Formula::Call(function, inner) => {
                let values: Vec<i64> = inner.iter().map(|one| one.whole(scene, indices)).collect();
                function.whole(&values)
            }
            Formula::Choice(parts) => {
                let taken = if parts[0].whole(scene, indices) != 0 { 1 } else { 2 };
                parts[taken].whole(scene, indices)
            }
            Formula::Fold(fold, slot, bound, body) => {
                let bound = scene.affordable(bound.whole(scene, indices));
                let mut folded: Option<i64> = None;
                indices.truncate(*slot);
                indices.push(0);
                for index in 0..bound {
                    indices[*slot] = index;
                    let term = body.whole(scene, indices);
                    indices.truncate(*slot + 1);
                    folded = Some(match (fold, folded) {
                        (_, None) => term,
                        (Fold::Sum, Some(sum)) => sum.wrapping_add(term),
                        (Fold::Max, Some(best)) => best.max(term),
                        (Fold::Min, Some(best)) => best.min(term),
                    });
                }
                indices.truncate(*slot);
                folded.unwrap_or(0)
            }
        }
    }
}

fn truth(a: Approx, b: Approx, holds: bool) -> Approx {
    let error = if a.undecided(b) { 1.0 } else { 0.0 };
    Approx { value: f64::from(u8::from(holds)), error, wild: false }
}

fn offset(
    scene: &Scene<'_>,
    array: usize,
    at: &[Formula],
    indices: &mut Vec<u64>,
) -> Option<usize> {
    let shape = scene.arrays[array].shape;
    let mut offset = 0u64;
    for (index, extent) in at.iter().zip(shape) {
        let index =
            u64::try_from(index.whole(scene, indices)).ok().filter(|index| index < extent)?;
        offset = offset * extent + index;
    }
    usize::try_from(offset).ok()
}

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
                            "no function `{name}` of arity {}; available: if, {}, and sum(k < n, ..), max(k < n, ..), min(k < n, ..)",
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
