//! Values that change by the same amount in every iteration, and trip counts of counted loops.

use crate::analysis::{ControlFlow, NaturalLoop};
use crate::fold::signed;
use crate::ir::*;

/// The trip count of a counted loop as a difference of two values: `(high - low + step - 1) / step`, at least 1.
pub(super) struct LoopCount {
    high: ValueId,
    low: ValueId,
    /// The first value of the counter.
    pub start: ValueId,
    /// The value that the loop's condition tests.
    pub next: ValueId,
    /// The amount added per iteration: a power of two, or its negative.
    pub step: i64,
    /// 1 if the condition is `<=`, which runs the loop once more.
    extra: u64,
    /// Whether a condition before the loop guarantees a positive difference.
    guarded: bool,
}

impl LoopCount {
    /// Appends instructions to a block that compute the count.
    pub(super) fn materialize(&self, function: &mut SsaFunction, block: BlockId) -> ValueId {
        let ty = ValueType::I32;
        let position = function.block(block).position;
        let integer = |function: &mut SsaFunction, op, a: ValueId, b: ValueId| {
            let kind = InstructionKind::Integer { op, no_wrap: false };
            if let Some(value) = crate::fold::fold(function, &kind, &[a, b], ty) {
                return value;
            }
            let id = function.add_instruction(kind, vec![a, b], &[ty], position);
            function.block_mut(block).instructions.push(id);
            function.instruction(id).results[0]
        };
        let mut count = integer(function, IntegerBinary::Subtract, self.high, self.low);
        let step = self.step.unsigned_abs();
        let added = step - 1 + self.extra;
        if added != 0 {
            let added = function.constant(ty, added);
            count = integer(function, IntegerBinary::Add, count, added);
        }
        if !self.guarded {
            let one = function.constant(ty, 1);
            count = integer(function, IntegerBinary::MaximumSigned, count, one);
        }
        if step > 1 {
            let shift = function.constant(ty, step.trailing_zeros().into());
            count = integer(function, IntegerBinary::ShiftRightUnsigned, count, shift);
        }
        count
    }
}

/// The trip count of a single-block loop that counts in `I32` by a constant power of two.
pub(super) fn counted(
    function: &SsaFunction,
    flow: &ControlFlow,
    block: BlockId,
    before: BlockId,
) -> Option<LoopCount> {
    use IntegerCondition::*;
    let BlockTerminator::Branch(condition, yes, no) = &function.block(block).terminator else {
        return None;
    };
    let BlockTerminator::Jump(entry) = &function.block(before).terminator else { return None };
    let (again, stays_if_true) = if yes.block == block { (yes, true) } else { (no, false) };
    let (_, compare) = function.defining(*condition)?;
    let InstructionKind::CompareIntegers(order) = compare.kind else { return None };
    let [next, bound] = [0, 1].map(|i| function.resolve(compare.arguments[i]));
    if function.value_type(next) != ValueType::I32 || defined_in(function, bound, block) {
        return None;
    }
    let (_, data) = function.defining(next)?;
    let InstructionKind::Integer { op: IntegerBinary::Add, no_wrap } = data.kind else {
        return None;
    };
    let parameter = function.resolve(data.arguments[0]);
    let ValueDefinition::Parameter(of, index) = function.definition(parameter) else { return None };
    let step = signed(function.as_constant(data.arguments[1])?, 32);
    if of != block || function.resolve(again.arguments[index as usize]) != next {
        return None;
    }
    let start = function.resolve(entry.arguments[index as usize]);
    if !step.unsigned_abs().is_power_of_two() {
        return None;
    }
    let order = if stays_if_true { order } else { order.opposite() };
    let guarded = is_guarded(function, flow, before, order, start, bound);
    let count = |high, low, extra| Some(LoopCount { high, low, start, next, step, extra, guarded });
    let (up, down) = (|extra| count(bound, start, extra), |extra| count(start, bound, extra));
    match order {
        LessSigned if step > 0 && no_wrap => up(0),
        LessOrEqualSigned if step > 0 && no_wrap => up(1),
        LessUnsigned | NotEqual if step == 1 && guarded => up(0),
        GreaterSigned if step < 0 && no_wrap => down(0),
        GreaterOrEqualSigned if step < 0 && no_wrap => down(1),
        GreaterUnsigned | NotEqual if step == -1 && guarded => down(0),
        _ => None,
    }
}

/// Whether the loop is entered only if its condition holds for the counter's first value.
fn is_guarded(
    function: &SsaFunction,
    flow: &ControlFlow,
    before: BlockId,
    order: IntegerCondition,
    start: ValueId,
    bound: ValueId,
) -> bool {
    let mut at = before;
    for _ in 0..4 {
        let Some([from]) = flow.predecessors.get(at.index()).map(Vec::as_slice) else {
            return false;
        };
        if let BlockTerminator::Branch(condition, yes, no) = &function.block(*from).terminator
            && yes.block != no.block
            && let Some((_, data)) = function.defining(*condition)
            && let InstructionKind::CompareIntegers(found) = data.kind
        {
            let found = if yes.block == at { found } else { found.opposite() };
            let pair = [0, 1].map(|i| function.resolve(data.arguments[i]));
            if (found, pair) == (order, [start, bound])
                || (found, pair) == (order.swapped(), [bound, start])
            {
                return true;
            }
        }
        at = *from;
    }
    false
}

fn defined_in(function: &SsaFunction, value: ValueId, block: BlockId) -> bool {
    match function.definition(value) {
        ValueDefinition::Parameter(of, _) => of == block,
        ValueDefinition::Result(id, _) => function.block(block).instructions.contains(&id),
        _ => false,
    }
}

/// Analyzes how a value changes per iteration of a loop.
pub(super) struct Evolution<'a> {
    pub natural: &'a NaturalLoop,
    /// Arguments of the header from its only latch.
    pub next: &'a [ValueId],
    /// By instruction, its block.
    pub block_of: &'a [Option<BlockId>],
}

/// The amount added per iteration, as an expression of loop-invariant values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LoopStep {
    Zero,
    Value(ValueId),
    Sum(Box<LoopStep>, Box<LoopStep>),
    Negative(Box<LoopStep>),
    Product(Box<LoopStep>, ValueId),
    Extended(Box<LoopStep>, ValueType),
    Truncated(Box<LoopStep>, ValueType),
}

impl Evolution<'_> {
    /// Whether a value is loop-invariant.
    pub(super) fn is_invariant(&self, function: &SsaFunction, value: ValueId) -> bool {
        match function.definition(value) {
            ValueDefinition::Parameter(block, _) => !self.natural.contains(block),
            ValueDefinition::Result(id, _) => {
                self.block_of[id.index()].is_none_or(|block| !self.natural.contains(block))
            }
            _ => true,
        }
    }

    /// The step of a value, if it has one. `exact` requires that the value does not wrap.
    pub(super) fn step(
        &self,
        function: &SsaFunction,
        value: ValueId,
        exact: bool,
        depth: u32,
    ) -> Option<LoopStep> {
        let value = function.resolve(value);
        if self.is_invariant(function, value) {
            return Some(LoopStep::Zero);
        }
        if depth > 12 {
            return None;
        }
        if let ValueDefinition::Parameter(block, index) = function.definition(value) {
            return (block == self.natural.header)
                .then(|| self.parameter_step(function, value, index as usize, exact))?;
        }
        let (_, data) = function.defining(value)?;
        let [a, b] = match data.arguments[..] {
            [a] => [a, a],
            [a, b] => [a, b],
            _ => return None,
        };
        let step = |value| self.step(function, value, exact, depth + 1);
        match data.kind {
            InstructionKind::PointerAdd => Some(sum(
                self.step(function, a, false, depth + 1)?,
                self.step(function, b, false, depth + 1)?,
            )),
            InstructionKind::Integer { no_wrap: false, .. } if exact => None,
            InstructionKind::Integer { op: IntegerBinary::Add, .. } => {
                Some(sum(step(a)?, step(b)?))
            }
            InstructionKind::Integer { op: IntegerBinary::Subtract, .. } => {
                let b = step(b)?;
                let b = if b == LoopStep::Zero { b } else { LoopStep::Negative(Box::new(b)) };
                Some(sum(step(a)?, b))
            }
            InstructionKind::Integer { op: IntegerBinary::Multiply, .. } => {
                let (varying, factor) =
                    if self.is_invariant(function, b) { (a, b) } else { (b, a) };
                if !self.is_invariant(function, factor) {
                    return None;
                }
                Some(LoopStep::Product(Box::new(step(varying)?), function.resolve(factor)))
            }
            InstructionKind::Convert(ValueConversion::SignExtend) => {
                let inner = self.step(function, a, true, depth + 1)?;
                Some(LoopStep::Extended(Box::new(inner), function.value_type(value)))
            }
            InstructionKind::Convert(ValueConversion::Truncate) if !exact => {
                Some(LoopStep::Truncated(Box::new(step(a)?), function.value_type(value)))
            }
            _ => None,
        }
    }

    fn parameter_step(
        &self,
        function: &SsaFunction,
        value: ValueId,
        index: usize,
        exact: bool,
    ) -> Option<LoopStep> {
        // The last of several steps in an unrolled body: follow additions of invariant values back to the parameter.
        let mut at = function.resolve(self.next[index]);
        let mut total = LoopStep::Zero;
        for _ in 0..64 {
            if at == value {
                return Some(total);
            }
            let (_, data) = function.defining(at)?;
            let [a, b] = data.arguments[..] else { return None };
            match data.kind {
                InstructionKind::Integer { op: IntegerBinary::Add, no_wrap }
                    if no_wrap || !exact => {}
                InstructionKind::PointerAdd => {}
                _ => return None,
            }
            if !self.is_invariant(function, b) {
                return None;
            }
            total = sum(total, LoopStep::Value(function.resolve(b)));
            at = function.resolve(a);
        }
        None
    }
}

fn sum(a: LoopStep, b: LoopStep) -> LoopStep {
    match (a, b) {
        (LoopStep::Zero, other) | (other, LoopStep::Zero) => other,
        (a, b) => LoopStep::Sum(Box::new(a), Box::new(b)),
    }
}
