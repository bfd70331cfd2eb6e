//! Contracts products and sums into fused multiply-adds exactly where nvcc does, because contraction changes results.
//!
//! Rule (LLVM's `PerformADDCombineWithOperands` for PTX; observed with NVRTC 13): an addition absorbs a product if
//! every use of the product is an addition in the same block and there are at most four uses. The left operand is
//! tried first. Differences are not contracted in PTX; the driver contracts them.

use super::edit::remove_dead;
use crate::analysis::{ControlFlow, FastSet};
use crate::ir::*;

/// Maximum number of additions that a product is copied into.
const MOST_USES: u32 = 4;

/// Contracts the products and sums whose modes allow it.
pub(super) fn contract(function: &mut SsaFunction) {
    let flow = ControlFlow::new(function);
    // By value: the number of all uses, and of uses by additions in the block that defines it.
    let mut uses = vec![(0_u32, 0_u32); function.values.len()];
    for block in &flow.order {
        let data = function.block(*block);
        let mut count = |value: ValueId, by_addition: bool| {
            let (all, additions) = &mut uses[value.index()];
            *all += 1;
            *additions += u32::from(by_addition);
        };
        let mut is_here: FastSet<ValueId> = FastSet::default();
        for id in &data.instructions {
            is_here.extend(&function.instruction(*id).results);
        }
        for id in &data.instructions {
            let instruction = function.instruction(*id);
            let is_addition = mode_of(instruction, FloatArithmetic::Add).is_some();
            for argument in &instruction.arguments {
                count(*argument, is_addition && is_here.contains(argument));
            }
        }
        data.terminator.values().for_each(|value| count(value, false));
    }
    for block in &flow.order {
        for id in function.block(*block).instructions.clone() {
            let data = function.instruction(id);
            let Some(mode) = mode_of(data, FloatArithmetic::Add) else { continue };
            let [a, b] = [0, 1].map(|index| function.resolve(data.arguments[index]));
            let fused = [(a, b), (b, a)].into_iter().find_map(|(product, addend)| {
                let (all, additions) = uses[product.index()];
                let (_, inner) = function.defining(product)?;
                let other = mode_of(inner, FloatArithmetic::Multiply)?;
                let fits = all == additions && all <= MOST_USES && other.flush == mode.flush;
                fits.then(|| vec![inner.arguments[0], inner.arguments[1], addend])
            });
            if let Some(arguments) = fused {
                let data = function.instruction_mut(id);
                data.kind = InstructionKind::Float {
                    op: FloatArithmetic::FusedMultiplyAdd,
                    mode: FloatMode { contract: false, ..mode },
                };
                data.arguments = arguments;
            }
        }
    }
    remove_dead(function);
}

/// The mode of an operation that may be contracted.
fn mode_of(data: &InstructionData, wanted: FloatArithmetic) -> Option<FloatMode> {
    match data.kind {
        InstructionKind::Float { op, mode } if op == wanted => {
            (mode.contract && mode.rounding == RoundingMode::Nearest && !mode.saturate)
                .then_some(mode)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FunctionBuilder;

    /// The operations that remain after contraction; `uses` adds the instructions that use the product.
    fn operations(uses: &dyn Fn(&mut FunctionBuilder, ValueId)) -> Vec<FloatArithmetic> {
        let mut function = SsaFunction::new("probe", FunctionLinkage::Kernel);
        function.parameters = vec![FunctionParameter::scalar(ValueType::F32); 2];
        let mut b = FunctionBuilder::new(function);
        let (x, y) = (b.parameter(0), b.parameter(1));
        let product = b.float(FloatArithmetic::Multiply, FloatMode::CONTRACT, &[x, y]);
        uses(&mut b, product);
        b.return_values(&[]);
        let mut function = b.finish();
        contract(&mut function);
        let kept = function.block(SsaFunction::ENTRY).instructions.iter();
        let kept = kept.filter_map(|id| match function.instruction(*id).kind {
            InstructionKind::Float { op, .. } => Some(op),
            _ => None,
        });
        kept.collect()
    }

    fn keep(b: &mut FunctionBuilder, value: ValueId) {
        b.ptx_effect("// %0", &[value], PtxEffects::VOLATILE);
    }

    fn combine(b: &mut FunctionBuilder, op: FloatArithmetic, product: ValueId) {
        let x = b.parameter(0);
        let result = b.float(op, FloatMode::CONTRACT, &[product, x]);
        keep(b, result);
    }

    #[test]
    fn a_product_is_contracted_only_if_all_its_uses_are_additions() {
        use FloatArithmetic::*;
        assert_eq!(operations(&|b, p| combine(b, Add, p)), [FusedMultiplyAdd]);
        assert_eq!(operations(&|b, p| combine(b, Subtract, p)), [Multiply, Subtract]);
        let stored_too = operations(&|b, p| {
            combine(b, Add, p);
            keep(b, p);
        });
        assert_eq!(stored_too, [Multiply, Add]);
        let five = operations(&|b, p| (0..5).for_each(|_| combine(b, Add, p)));
        assert_eq!(five, [Multiply, Add, Add, Add, Add, Add]);
    }
}
