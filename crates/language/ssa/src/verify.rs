//! Verifies that a function is well formed: types, block arguments, and definitions that dominate their uses. The error
//! that it returns, [`CompileError`], is also the error of all later stages.

use crate::analysis::{ControlFlow, Dominators};
use crate::ir::*;
use std::fmt;

/// Verifies all functions of a module.
///
/// # Errors
/// The first problem, with its function, block and instruction.
pub fn verify(module: &SsaModule) -> Result<(), CompileError> {
    module.functions.iter().try_for_each(|function| {
        let checker = Checker { module, function };
        if function.blocks.is_empty() { Ok(()) } else { checker.function() }
    })
}

struct Checker<'a> {
    module: &'a SsaModule,
    function: &'a SsaFunction,
}

impl Checker<'_> {
    fn error<T>(&self, position: SourcePosition, message: String) -> Result<T, CompileError> {
        Err(CompileError { message: format!("{}: {message}", self.function.name), position })
    }

    fn ty(&self, value: ValueId) -> ValueType {
        self.function.value_type(self.function.resolve(value))
    }

    fn function(&self) -> Result<(), CompileError> {
        let function = self.function;
        let flow = ControlFlow::new(function);
        let dominators = Dominators::new(&flow);
        // By value: the block that defines it, and the position in the block.
        let mut places = vec![None; function.values.len()];
        for block in &flow.order {
            let data = function.block(*block);
            for parameter in &data.parameters {
                places[parameter.index()] = Some((*block, 0));
            }
            for (index, id) in data.instructions.iter().enumerate() {
                for result in &function.instruction(*id).results {
                    places[result.index()] = Some((*block, index + 1));
                }
            }
        }
        for block in &flow.order {
            let data = function.block(*block);
            let mut uses: Vec<(ValueId, usize, SourcePosition)> = Vec::new();
            for (index, id) in data.instructions.iter().enumerate() {
                let instruction = function.instruction(*id);
                self.instruction(*block, instruction)?;
                let arguments = instruction.arguments.iter();
                uses.extend(arguments.map(|value| (*value, index, instruction.position)));
            }
            self.terminator(*block, data)?;
            let values = data.terminator.values();
            let end = data.instructions.len();
            uses.extend(values.into_iter().map(|value| (value, end, data.position)));
            for (value, index, position) in uses {
                let value = function.resolve(value);
                let is_leaf = !matches!(
                    function.definition(value),
                    ValueDefinition::Result(..) | ValueDefinition::Parameter(..)
                );
                let defined =
                    places[value.index()].is_some_and(|(from, place)| match from == *block {
                        true => place <= index,
                        false => dominators.dominates(from, *block),
                    });
                if !is_leaf && !defined {
                    return self
                        .error(position, format!("{block} uses {value} before its definition"));
                }
            }
        }
        Ok(())
    }

    fn terminator(&self, block: BlockId, data: &BlockData) -> Result<(), CompileError> {
        let fail = |message: String| self.error(data.position, format!("{block}: {message}"));
        for target in data.terminator.targets() {
            let Some(next) = self.function.blocks.get(target.block.index()) else {
                return fail(format!("{} does not exist", target.block));
            };
            let wanted: Vec<ValueType> =
                next.parameters.iter().map(|value| self.ty(*value)).collect();
            let given: Vec<ValueType> =
                target.arguments.iter().map(|value| self.ty(*value)).collect();
            if target.block == SsaFunction::ENTRY || wanted != given {
                return fail(format!("{} takes {wanted:?}, not {given:?}", target.block));
            }
        }
        match &data.terminator {
            BlockTerminator::None => fail("has no terminator".to_owned()),
            BlockTerminator::Branch(condition, ..) if self.ty(*condition) != ValueType::I1 => {
                fail(format!("the condition is {}", self.ty(*condition)))
            }
            BlockTerminator::Switch(value, ..) if !self.ty(*value).is_integer() => {
                fail(format!("a switch on {}", self.ty(*value)))
            }
            BlockTerminator::Return(values) => {
                let types: Vec<ValueType> = values.iter().map(|value| self.ty(*value)).collect();
                if types == self.function.returns {
                    return Ok(());
                }
                fail(format!("returns {types:?}, not {:?}", self.function.returns))
            }
            _ => Ok(()),
        }
    }

    fn instruction(&self, block: BlockId, data: &InstructionData) -> Result<(), CompileError> {
        let arguments: Vec<ValueType> =
            data.arguments.iter().map(|value| self.ty(*value)).collect();
        let results: Vec<ValueType> =
            data.results.iter().map(|value| self.function.value_type(*value)).collect();
        if self.fits(&data.kind, &arguments, &results) {
            return Ok(());
        }
        let message = format!("{block}: {:?} with {arguments:?} -> {results:?}", data.kind);
        self.error(data.position, message)
    }

    /// Whether an operation accepts arguments and results of these types.
    fn fits(&self, kind: &InstructionKind, arguments: &[ValueType], results: &[ValueType]) -> bool {
        use InstructionKind as Kind;
        let is_address = |ty: &ValueType| matches!(ty, ValueType::Pointer(_));
        match (kind, arguments, results) {
            (Kind::Integer { op, .. }, [a, b], [r]) => {
                use IntegerBinary::*;
                let shift = matches!(op, ShiftLeft | ShiftRightSigned | ShiftRightUnsigned);
                a == r && a.is_integer() && *b == if shift { ValueType::I32 } else { *a }
            }
            (Kind::IntegerUnary(op), [a], [r]) => {
                use IntegerUnary::*;
                let counts = matches!(op, CountOnes | LeadingZeros);
                a.is_integer() && *r == if counts { ValueType::I32 } else { *a }
            }
            (Kind::Float { op, .. }, _, [r]) => {
                use FloatArithmetic::*;
                let count = match op {
                    Negate | Absolute | SquareRoot | Reciprocal => 1,
                    FusedMultiplyAdd => 3,
                    _ => 2,
                };
                arguments.len() == count && r.is_float() && arguments.iter().all(|a| a == r)
            }
            (Kind::CompareIntegers(_), [a, b], [ValueType::I1]) => a == b && !a.is_float(),
            (Kind::CompareFloats { .. }, [a, b], [ValueType::I1]) => a == b && a.is_float(),
            (Kind::Select, [ValueType::I1, a, b], [r]) => a == b && a == r,
            (Kind::Convert(conversion), [a], [r]) => conversion_fits(*conversion, *a, *r),
            (Kind::PointerAdd, [a, b], [r]) => {
                let wide = if a.bytes() == 4 { ValueType::I32 } else { ValueType::I64 };
                is_address(a) && a == r && *b == wide
            }
            (Kind::Load(_), [a], _) => is_address(a) && vector_fits(results),
            (Kind::Store(_), [a, rest @ ..], []) => is_address(a) && vector_fits(rest),
            (Kind::Atomic { op, .. }, [a, rest @ ..], [r]) => {
                let count = if *op == AtomicOperation::CompareExchange { 2 } else { 1 };
                is_address(a) && rest.len() == count && rest.iter().all(|operand| operand == r)
            }
            (Kind::Special(_), [], [ValueType::I32]) => true,
            (Kind::CopyMemory { .. }, [a, b], []) => is_address(a) && is_address(b),
            (Kind::FillMemory { .. }, [a], []) => is_address(a),
            (Kind::Call(callee), ..) => {
                let Some(callee) = self.module.functions.get(callee.index()) else { return false };
                let wanted = callee.parameters.iter().map(FunctionParameter::value_type);
                wanted.eq(arguments.iter().copied()) && callee.returns == results
            }
            (Kind::CallIndirect, [a, ..], _) => is_address(a),
            (Kind::Ptx(template), ..) => template.outputs == results,
            _ => false,
        }
    }
}

/// Whether these are one, two or four values of one type.
fn vector_fits(types: &[ValueType]) -> bool {
    matches!(types.len(), 1 | 2 | 4)
        && types.iter().all(|ty| *ty == types[0] && *ty != ValueType::I1)
}

fn conversion_fits(conversion: ValueConversion, from: ValueType, to: ValueType) -> bool {
    use ValueConversion::*;
    match conversion {
        SignExtend | ZeroExtend => from.is_integer() && to.is_integer() && from.bits() < to.bits(),
        Truncate => from.is_integer() && to.is_integer() && from.bits() > to.bits(),
        SignedToFloat(_) | UnsignedToFloat(_) => {
            from.is_integer() && from != ValueType::I1 && to.is_float()
        }
        FloatToSigned { .. } | FloatToUnsigned { .. } => {
            from.is_float() && to.is_integer() && to != ValueType::I1
        }
        FloatToFloat(_) => from.is_float() && to.is_float() && from != to,
        RoundToIntegral { .. } => from.is_float() && from == to,
        Reinterpret => from.bytes() == to.bytes() && from != ValueType::I1 && to != ValueType::I1,
        Space => {
            let generic = ValueType::POINTER;
            from.space().is_some() && to.space().is_some() && (from == generic) != (to == generic)
        }
    }
}

/// A module that cannot be written as PTX: inline PTX with a syntax error, or a value of the wrong type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// The problem.
    pub message: String,
    /// The source position, if known.
    pub position: SourcePosition,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SourcePosition { file, line, column, .. } = self.position;
        if file != 0 {
            write!(f, "file {file}, line {line}, column {column}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CompileError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FunctionBuilder;
    use lanework_ptx::{Target, Version};

    fn checked(function: SsaFunction) -> Result<(), String> {
        let target = Target { architecture: 80, specific: Default::default(), options: vec![] };
        let mut module = SsaModule::new(target, Version { major: 8, minor: 0 });
        module.add_function(function);
        verify(&module).map_err(|error| error.message)
    }

    #[test]
    fn operands_of_different_types_are_reported() {
        let mut b = FunctionBuilder::new(SsaFunction::new("mixed", FunctionLinkage::Kernel));
        let (thread, wide) = (b.special(SpecialValue::Lane), b.i64(1));
        b.integer(IntegerBinary::Add, thread, wide);
        b.return_values(&[]);
        let message = checked(b.finish()).unwrap_err();
        assert!(message.starts_with("mixed: block0: Integer"), "{message}");
    }

    #[test]
    fn a_use_that_its_definition_does_not_dominate_is_reported() {
        let mut b = FunctionBuilder::new(SsaFunction::new("early", FunctionLinkage::Kernel));
        let (yes, no) = (b.create_block(), b.create_block());
        let lane = b.special(SpecialValue::Lane);
        let zero = b.i32(0);
        let first = b.compare_integers(IntegerCondition::Equal, lane, zero);
        b.branch(first, yes, no);
        b.switch_to_block(yes);
        let value = b.special(SpecialValue::WarpIndex);
        b.return_values(&[]);
        b.switch_to_block(no);
        b.integer(IntegerBinary::Add, value, lane);
        b.return_values(&[]);
        let message = checked(b.finish()).unwrap_err();
        assert_eq!(message, format!("early: block2 uses {value} before its definition"));
    }
}
