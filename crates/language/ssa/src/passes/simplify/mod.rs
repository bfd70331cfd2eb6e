//! Rewrites single instructions into cheaper or canonical ones.
//!
//! Canonical form: constants are the second operand; left shifts by constants are multiplications; constants added to
//! addresses come last, so that they fold into loads and stores.

mod integer;
mod logic;

use super::edit::resolve_aliases;
use crate::analysis::{ControlFlow, FastSet};
use crate::fold::{fold, signed};
use crate::ir::*;

/// Maximum depth to which inserted instructions are simplified immediately. The next pass simplifies the rest, after equal
/// instructions have been merged: before that, an expression with shared values would double at every level.
const DEEPEST: u32 = 4;

/// The replacement of an instruction.
enum Rewrite {
    /// An existing value.
    Value(ValueId),
    /// Another operation with other arguments.
    Kind(InstructionKind, Vec<ValueId>),
}

/// The function, and the place where new instructions are inserted.
struct Rewriter<'a> {
    function: &'a mut SsaFunction,
    /// Instructions to insert before the one being rewritten.
    before: Vec<InstructionId>,
    position: SourcePosition,
    changed: bool,
    /// Number of insertions in progress.
    depth: u32,
    /// Block parameters that start at 0 or above and only increase.
    counts_up: &'a FastSet<ValueId>,
}

impl Rewriter<'_> {
    /// Inserts an instruction before the current one, and simplifies it.
    fn insert(&mut self, kind: InstructionKind, arguments: Vec<ValueId>, ty: ValueType) -> ValueId {
        if let Some(value) = fold(self.function, &kind, &arguments, ty) {
            return value;
        }
        let id = self.function.add_instruction(kind, arguments, &[ty], self.position);
        if self.depth < DEEPEST {
            self.depth += 1;
            self.simplify(id);
            self.depth -= 1;
        } else {
            self.before.push(id);
        }
        let result = self.function.instruction(id).results[0];
        self.function.resolve(result)
    }

    fn integer(&mut self, op: IntegerBinary, no_wrap: bool, a: ValueId, b: ValueId) -> ValueId {
        let ty = self.function.value_type(a);
        self.insert(InstructionKind::Integer { op, no_wrap }, vec![a, b], ty)
    }

    /// Rewrites an instruction until no rule applies. Then appends it to `before`, unless another value replaced it.
    fn simplify(&mut self, id: InstructionId) {
        for _ in 0..16 {
            let data = self.function.instruction(id);
            let ([result], count @ 1..=3) = (&data.results[..], data.arguments.len()) else {
                break;
            };
            let (result, kind) = (*result, data.kind.clone());
            let mut arguments = [result; 3];
            for (to, from) in arguments.iter_mut().zip(&data.arguments) {
                *to = self.function.resolve(*from);
            }
            let arguments = &arguments[..count];
            let ty = self.function.value_type(result);
            let rewrite = match fold(self.function, &kind, arguments, ty) {
                Some(value) => Some(Rewrite::Value(value)),
                None => self.rewrite(&kind, arguments, ty),
            };
            self.changed |= rewrite.is_some();
            match rewrite {
                Some(Rewrite::Value(value)) => {
                    self.function.replace(result, value);
                    return;
                }
                Some(Rewrite::Kind(kind, arguments)) => {
                    let data = self.function.instruction_mut(id);
                    data.kind = kind;
                    data.arguments = arguments;
                }
                None => {
                    self.function.instruction_mut(id).arguments.copy_from_slice(arguments);
                    break;
                }
            }
        }
        self.before.push(id);
    }

    fn rewrite(
        &mut self,
        kind: &InstructionKind,
        arguments: &[ValueId],
        ty: ValueType,
    ) -> Option<Rewrite> {
        match kind {
            InstructionKind::Integer { op, no_wrap } => {
                self.rewrite_integer(*op, *no_wrap, arguments[0], arguments[1])
            }
            InstructionKind::IntegerUnary(IntegerUnary::Not) => self.rewrite_not(arguments[0]),
            InstructionKind::CompareIntegers(condition) => {
                self.rewrite_comparison(*condition, arguments[0], arguments[1])
            }
            InstructionKind::Select => self.rewrite_select(arguments, ty),
            InstructionKind::Convert(conversion) => {
                self.rewrite_conversion(*conversion, arguments[0], ty)
            }
            InstructionKind::PointerAdd => self.rewrite_pointer_add(arguments[0], arguments[1], ty),
            InstructionKind::Float { op, mode } => self.rewrite_float(*op, *mode, arguments),
            _ => None,
        }
    }

    /// Simplifies negations and subtractions of zero, without changing any bits.
    fn rewrite_float(
        &mut self,
        op: FloatArithmetic,
        mode: FloatMode,
        arguments: &[ValueId],
    ) -> Option<Rewrite> {
        let [a, ..] = *arguments else { return None };
        let ty = self.function.value_type(a);
        let is = |function: &SsaFunction, value: ValueId, number: f64| {
            function.as_constant(value).is_some_and(|bits| match ty {
                ValueType::F32 => f64::from(f32::from_bits(bits as u32)) == number,
                ValueType::F64 => f64::from_bits(bits) == number,
                _ => false,
            })
        };
        let plain = mode == FloatMode { contract: mode.contract, ..FloatMode::default() };
        match (op, arguments) {
            // `x * 1`: the same value, except for signaling NaNs.
            (FloatArithmetic::Multiply | FloatArithmetic::Divide, [a, b])
                if plain && is(self.function, *b, 1.0) =>
            {
                Some(Rewrite::Value(*a))
            }
            (FloatArithmetic::Multiply, [a, b]) if plain && is(self.function, *a, 1.0) => {
                Some(Rewrite::Value(*b))
            }
            // -a + b is b - a.
            (FloatArithmetic::Add, [a, b]) if plain => {
                let negated = |value: ValueId| {
                    let (_, inner) = self.function.defining(value)?;
                    let negation = InstructionKind::Float {
                        op: FloatArithmetic::Negate,
                        mode: FloatMode::default(),
                    };
                    (inner.kind == negation).then(|| inner.arguments[0])
                };
                let kind = InstructionKind::Float { op: FloatArithmetic::Subtract, mode };
                match (negated(*a), negated(*b)) {
                    (_, Some(b)) => Some(Rewrite::Kind(kind, vec![*a, b])),
                    (Some(a), None) => Some(Rewrite::Kind(kind, vec![*b, a])),
                    _ => None,
                }
            }
            (FloatArithmetic::Negate, [a]) if plain => {
                let (_, inner) = self.function.defining(*a)?;
                let is_negation = matches!(
                    inner.kind,
                    InstructionKind::Float { op: FloatArithmetic::Negate, mode } if mode == FloatMode::default()
                );
                is_negation.then(|| Rewrite::Value(inner.arguments[0]))
            }
            _ => None,
        }
    }
}

/// Simplifies all instructions of a function. Returns whether any changed.
pub(super) fn simplify(function: &mut SsaFunction) -> bool {
    let mut changed = false;
    let flow = ControlFlow::new(function);
    let counts_up = counting_up(function, &flow);
    for block in flow.order {
        let old = std::mem::take(&mut function.block_mut(block).instructions);
        let mut rewriter = Rewriter {
            function,
            before: Vec::new(),
            position: SourcePosition::default(),
            changed: false,
            depth: 0,
            counts_up: &counts_up,
        };
        for id in old {
            rewriter.position = rewriter.function.instruction(id).position;
            rewriter.simplify(id);
        }
        changed |= rewriter.changed;
        let new = rewriter.before;
        function.block_mut(block).instructions = new;
    }
    resolve_aliases(function);
    changed
}

/// Block parameters whose arguments are constants of at least 0, or the parameter itself plus such a constant without
/// overflow.
fn counting_up(function: &SsaFunction, flow: &ControlFlow) -> FastSet<ValueId> {
    let is_positive = |value: ValueId| {
        let bits = function.value_type(value).bits();
        function.as_constant(value).is_some_and(|c| signed(c, bits) >= 0)
    };
    let mut found = FastSet::default();
    for block in flow.order.iter().skip(1) {
        for (index, parameter) in function.block(*block).parameters.iter().enumerate() {
            let from = flow.predecessors[block.index()].iter();
            let mut targets = from.flat_map(|from| function.block(*from).terminator.targets());
            let grows = targets.all(|target| {
                if target.block != *block {
                    return true;
                }
                let argument = target.arguments[index];
                is_positive(argument)
                    || function.defining(argument).is_some_and(|(_, data)| {
                        let add =
                            InstructionKind::Integer { op: IntegerBinary::Add, no_wrap: true };
                        data.kind == add
                            && function.resolve(data.arguments[0]) == *parameter
                            && is_positive(data.arguments[1])
                    })
            });
            if grows && function.value_type(*parameter).is_integer() {
                found.insert(*parameter);
            }
        }
    }
    found
}

impl Rewriter<'_> {
    /// The base and the constant offset of a pointer.
    fn constant_offset(&self, pointer: ValueId) -> Option<(ValueId, u64)> {
        let (_, data) = self.function.defining(pointer)?;
        if data.kind != InstructionKind::PointerAdd {
            return None;
        }
        let offset = self.function.as_constant(data.arguments[1])?;
        Some((self.function.resolve(data.arguments[0]), offset))
    }

    fn rewrite_pointer_add(
        &mut self,
        pointer: ValueId,
        offset: ValueId,
        ty: ValueType,
    ) -> Option<Rewrite> {
        let offset_type = self.function.value_type(offset);
        let kind = InstructionKind::PointerAdd;
        let base = self.constant_offset(pointer);
        if let Some(c) = self.function.as_constant(offset) {
            let (base, known) = base?;
            let sum = self.function.constant(offset_type, known.wrapping_add(c));
            return Some(match self.function.as_constant(sum) {
                Some(0) => Rewrite::Value(base),
                _ => Rewrite::Kind(kind, vec![base, sum]),
            });
        }
        if let Some((base, known)) = base {
            let moved = self.insert(kind.clone(), vec![base, offset], ty);
            let known = self.function.constant(offset_type, known);
            return Some(Rewrite::Kind(kind, vec![moved, known]));
        }
        if let Some((_, x, y)) = self.operands_of(offset, IntegerBinary::Add)
            && let Some(c) = self.function.as_constant(y)
            && i32::try_from(signed(c, offset_type.bits())).is_ok()
        {
            let moved = self.insert(kind.clone(), vec![pointer, x], ty);
            return Some(Rewrite::Kind(kind, vec![moved, y]));
        }
        None
    }
}
