//! Contracts products and sums to fused multiply-adds, as nvcc does by default.
//!
//! Rule (LLVM's `visitFADDForFMACombine` with aggressive fusion, which NVVM uses): within a block, the product with fewer uses
//! is fused, the left one if both have as many. A product with other uses is computed as well.

use super::edit::{remove_dead, resolve_aliases};
use crate::analysis::{ControlFlow, use_counts};
use crate::ir::*;

/// Contracts what the modes allow.
pub(super) fn contract(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    let uses = use_counts(function, &flow);
    let mut block_of = vec![None; function.instructions.len()];
    for block in &flow.order {
        for id in &function.block(*block).instructions {
            block_of[id.index()] = Some(*block);
        }
    }
    for block in &flow.order {
        let mut code = Vec::new();
        for id in std::mem::take(&mut function.block_mut(*block).instructions) {
            if let Some((factors, addend, signs)) = fusable(function, id, &uses, &block_of) {
                let [a, b] = factors;
                let ty = function.value_type(a);
                let position = function.instruction(id).position;
                let InstructionKind::Float { mode, .. } = function.instruction(id).kind else {
                    continue;
                };
                let mut negate = |function: &mut SsaFunction, value: ValueId, negative: bool| {
                    if !negative {
                        return value;
                    }
                    let kind = InstructionKind::Float {
                        op: FloatArithmetic::Negate,
                        mode: FloatMode { flush: mode.flush, ..FloatMode::default() },
                    };
                    if let Some(value) = crate::fold::fold(function, &kind, &[value], ty) {
                        return value;
                    }
                    let id = function.add_instruction(kind, vec![value], &[ty], position);
                    code.push(id);
                    function.instruction(id).results[0]
                };
                let a = negate(function, a, signs.0);
                let c = negate(function, addend, signs.1);
                let data = function.instruction_mut(id);
                data.kind = InstructionKind::Float {
                    op: FloatArithmetic::FusedMultiplyAdd,
                    mode: FloatMode { contract: false, ..mode },
                };
                data.arguments = vec![a, b, c];
            }
            code.push(id);
        }
        function.block_mut(*block).instructions = code;
    }
    resolve_aliases(function);
    remove_dead(function);
}

/// Factors, addend, and whether the first factor and the addend are negated.
type Fused = ([ValueId; 2], ValueId, (bool, bool));

fn fusable(
    function: &SsaFunction,
    id: InstructionId,
    uses: &[u32],
    block_of: &[Option<BlockId>],
) -> Option<Fused> {
    let data = function.instruction(id);
    let InstructionKind::Float { op, mode } = data.kind else { return None };
    let is_sum = matches!(op, FloatArithmetic::Add | FloatArithmetic::Subtract);
    if !is_sum || !mode.contract || mode.rounding != RoundingMode::Nearest {
        return None;
    }
    let [a, b] = data.arguments[..] else { return None };
    let product = |value: ValueId| -> Option<[ValueId; 2]> {
        let (inner, data) = function.defining(value)?;
        let InstructionKind::Float { op: FloatArithmetic::Multiply, mode: other } = data.kind
        else {
            return None;
        };
        let near = block_of[inner.index()] == block_of[id.index()];
        let fits = other.contract
            && other.rounding == RoundingMode::Nearest
            && other.flush == mode.flush
            && !other.saturate;
        (near && fits).then(|| [data.arguments[0], data.arguments[1]])
    };
    let (left, right) = (product(a), product(b));
    let prefer_right = match (left, right) {
        (Some(_), Some(_)) => uses[a.index()] > uses[b.index()],
        (None, Some(_)) => true,
        (Some(_), None) => false,
        (None, None) => return None,
    };
    let is_difference = op == FloatArithmetic::Subtract;
    Some(match prefer_right {
        false => (left?, b, (false, is_difference)),
        true => (right?, a, (is_difference, false)),
    })
}
