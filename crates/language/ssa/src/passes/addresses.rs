//! Straight-line strength reduction. An address that differs from an earlier one by a product is computed as that
//! address plus the product. So after `a[y * n + x]`, `a[(y + 1) * n + x]` costs one addition.
//!
//! Offsets are compared as polynomials of the values that they are computed from. LLVM's pass of the same name does
//! the same (Wu et al., "gpucc: An Open-Source GPGPU Compiler", CGO 2016).

use super::edit::resolve_aliases;
use crate::analysis::{ControlFlow, Dominators};
use crate::fold::{fold, signed};
use crate::ir::*;
use std::collections::BTreeMap;

/// Products of values with their coefficients. The empty product stands for the constant term.
type Polynomial = BTreeMap<Vec<ValueId>, i64>;

/// Maximum number of terms of a polynomial, and of factors of a term.
const MOST_TERMS: usize = 8;

/// Maximum number of earlier addresses to compare with.
const REMEMBERED: usize = 64;

/// An address that was computed before.
#[derive(Clone)]
struct KnownAddress {
    base: ValueId,
    pointer: ValueId,
    offset: Polynomial,
}

/// Rewrites addresses along the dominator tree.
pub(super) fn reuse_addresses(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    if flow.order.is_empty() {
        return;
    }
    let dominators = Dominators::new(&flow);
    let mut stack = vec![(SsaFunction::ENTRY, 0)];
    let mut known: Vec<KnownAddress> = Vec::new();
    while let Some((block, length)) = stack.pop() {
        known.truncate(length);
        let mut code = Vec::new();
        for id in std::mem::take(&mut function.block_mut(block).instructions) {
            if function.instruction(id).kind == InstructionKind::PointerAdd {
                visit(function, id, &mut known, &mut code);
            }
            code.push(id);
        }
        function.block_mut(block).instructions = code;
        let length = known.len();
        stack.extend(dominators.children[block.index()].iter().map(|child| (*child, length)));
    }
    resolve_aliases(function);
}

/// Rewrites one address, or remembers it.
fn visit(
    function: &mut SsaFunction,
    id: InstructionId,
    known: &mut Vec<KnownAddress>,
    code: &mut Vec<InstructionId>,
) {
    let data = function.instruction(id);
    let (base, amount) = (function.resolve(data.arguments[0]), data.arguments[1]);
    let (pointer, position) = (data.results[0], data.position);
    // Loads and stores already absorb constants.
    if function.as_constant(amount).is_some() {
        return;
    }
    let Some(offset) = polynomial(function, amount, false, 0) else { return };
    let cost = computation(function, amount, 0);
    let earlier = known.iter().rev().take(REMEMBERED).find_map(|earlier| {
        let difference = difference(&offset, &earlier.offset);
        let mut products = difference.keys().filter(|product| !product.is_empty());
        let first = products.next();
        let simple = products.next().is_none()
            && first.is_none_or(|product| product.len() <= 2 && cost > product.len())
            && difference.get(&vec![]).is_none_or(|c| i32::try_from(*c).is_ok());
        (earlier.base == base && simple).then(|| (earlier.pointer, difference.clone()))
    });
    known.push(KnownAddress { base, pointer, offset });
    let Some((earlier, difference)) = earlier else { return };
    let ty = function.value_type(pointer);
    let wide = if ty.bytes() == 4 { ValueType::I32 } else { ValueType::I64 };
    let mut insert =
        |function: &mut SsaFunction, kind: InstructionKind, arguments: Vec<ValueId>, ty| {
            if let Some(value) = fold(function, &kind, &arguments, ty) {
                return value;
            }
            let id = function.add_instruction(kind, arguments, &[ty], position);
            code.push(id);
            function.instruction(id).results[0]
        };
    let multiply = InstructionKind::Integer { op: IntegerBinary::Multiply, no_wrap: false };
    let (mut pointer, mut constant) = (earlier, 0);
    for (product, coefficient) in difference {
        if product.is_empty() {
            constant = coefficient;
            continue;
        }
        let mut value = None;
        for factor in product {
            let extend = InstructionKind::Convert(ValueConversion::SignExtend);
            let factor = match function.value_type(factor) == wide {
                true => factor,
                false => insert(function, extend, vec![factor], wide),
            };
            value = Some(match value {
                None => factor,
                Some(value) => insert(function, multiply.clone(), vec![value, factor], wide),
            });
        }
        let Some(value) = value else { continue };
        let amount = match coefficient {
            1 => value,
            _ => {
                let coefficient = function.constant(wide, coefficient as u64);
                insert(function, multiply.clone(), vec![value, coefficient], wide)
            }
        };
        pointer = insert(function, InstructionKind::PointerAdd, vec![pointer, amount], ty);
    }
    let constant = function.constant(wide, constant as u64);
    function.instruction_mut(id).arguments = vec![pointer, constant];
}

/// The terms of `a - b`.
fn difference(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut result = a.clone();
    for (product, coefficient) in b {
        let entry = result.entry(product.clone()).or_default();
        *entry = entry.wrapping_sub(*coefficient);
    }
    result.retain(|_, coefficient| *coefficient != 0);
    result
}

/// An integer as a polynomial. `exact` forbids reasoning modulo a power of two, because the integer is extended.
fn polynomial(
    function: &SsaFunction,
    value: ValueId,
    exact: bool,
    depth: u32,
) -> Option<Polynomial> {
    use IntegerBinary::*;
    let value = function.resolve(value);
    let ty = function.value_type(value);
    if let Some(bits) = function.as_constant(value) {
        return Some(BTreeMap::from([(vec![], signed(bits, ty.bits()))]));
    }
    let variable = || Some(BTreeMap::from([(vec![value], 1)]));
    let Some((_, data)) = function.defining(value) else { return variable() };
    if depth > 8 || !matches!(ty, ValueType::I32 | ValueType::I64) {
        return variable();
    }
    let part = |index: usize, exact| polynomial(function, data.arguments[index], exact, depth + 1);
    match data.kind {
        InstructionKind::Integer { op: Add | Subtract | Multiply, no_wrap: false } if exact => {
            variable()
        }
        InstructionKind::Integer { op: op @ (Add | Subtract | Multiply), .. } => {
            let (a, b) = (part(0, exact)?, part(1, exact)?);
            let mut result = Polynomial::new();
            let mut add = |product: Vec<ValueId>, coefficient: i64| {
                let entry = result.entry(product).or_default();
                *entry = entry.wrapping_add(coefficient);
            };
            if op == Multiply {
                for (x, p) in &a {
                    for (y, q) in &b {
                        let mut product = [x.clone(), y.clone()].concat();
                        product.sort_unstable();
                        add(product, p.wrapping_mul(*q));
                    }
                }
            } else {
                a.into_iter().for_each(|(product, p)| add(product, p));
                let sign = if op == Add { 1 } else { -1 };
                b.into_iter().for_each(|(product, q)| add(product, q.wrapping_mul(sign)));
            }
            result.retain(|_, coefficient| *coefficient != 0);
            let small = result.len() <= MOST_TERMS && result.keys().all(|p| p.len() <= MOST_TERMS);
            if small { Some(result) } else { variable() }
        }
        InstructionKind::Convert(ValueConversion::SignExtend)
            if function.value_type(data.arguments[0]) == ValueType::I32 =>
        {
            part(0, true)
        }
        InstructionKind::Convert(ValueConversion::Truncate) if ty == ValueType::I32 && !exact => {
            // Give up if a variable has 64 bits: it would have to be narrowed.
            let inner = part(0, false)?;
            let narrow = inner.keys().flatten().all(|v| function.value_type(*v) == ValueType::I32);
            if narrow { Some(inner) } else { variable() }
        }
        _ => variable(),
    }
}

/// Number of instructions that compute an offset; counts only up to a small limit.
fn computation(function: &SsaFunction, value: ValueId, depth: u32) -> usize {
    let Some((_, data)) = function.defining(value) else { return 0 };
    let own = match data.kind {
        InstructionKind::Integer { .. } => 1,
        // Absorbed by `mul.wide`.
        InstructionKind::Convert(_) => 0,
        _ => return 0,
    };
    if depth > 3 {
        return own;
    }
    own + data.arguments.iter().map(|a| computation(function, *a, depth + 1)).sum::<usize>()
}
