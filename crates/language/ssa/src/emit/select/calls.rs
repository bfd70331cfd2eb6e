//! Calls, returns, and PTX templates.

use super::Selector;
use super::memory::memory_type;
use crate::CompileError;
use crate::emit::machine::{return_layout, *};
use crate::ir::*;
use lanework_ptx::{ScalarType, StateSpace, Variable};

/// A parameter or return value of a device function, declared as bits of the value's size.
pub(crate) fn value_variable(ty: ValueType, name: impl Into<String>) -> Variable {
    let scalar = match ty.bytes() {
        1 => ScalarType::B8,
        2 => ScalarType::B16,
        4 => ScalarType::B32,
        _ => ScalarType::B64,
    };
    Variable::new(StateSpace::Param, scalar, name)
}

/// The return value of a function: one value, or a structure of several values.
pub(crate) fn return_variable(types: &[ValueType], name: &str) -> Option<Variable> {
    match types {
        [] => None,
        [ty] => Some(value_variable(*ty, name)),
        _ => {
            let (_, size, align) = return_layout(types);
            let mut variable = Variable::new(StateSpace::Param, ScalarType::B8, name);
            variable.align = Some(align);
            variable.dims = vec![Some(size)];
            Some(variable)
        }
    }
}

impl Selector<'_> {
    pub(super) fn return_values(&mut self, values: &[ValueId]) {
        if self.names.is_kernel {
            return;
        }
        let types: Vec<ValueType> = values.iter().map(|value| self.type_of(*value)).collect();
        let (offsets, ..) = return_layout(&types);
        for (value, offset) in values.iter().zip(offsets) {
            let name = self.names.returned().to_owned();
            self.store_parameter(*value, name, offset as i64);
        }
    }

    /// Stores a value to parameter space.
    fn store_parameter(&mut self, value: ValueId, name: String, offset: i64) {
        let ty = self.type_of(value);
        let address = MachineOperand::Address(MachineBase::Name(name), offset);
        let from = match (ty, self.function.as_constant(value)) {
            (ValueType::I1, Some(bits)) => {
                MachineOperand::Immediate(lanework_ptx::Immediate::Integer(bits.into()))
            }
            (ValueType::I1, None) => self.truth_byte(value),
            _ => self.operand(value),
        };
        self.push(MachineBody::Operation {
            name: format!("st.param.{}", memory_type(ty)),
            operands: vec![address, from],
            defines: false,
        });
    }

    pub(super) fn call(&mut self, callee: FunctionId, arguments: &[ValueId], results: &[ValueId]) {
        let target = MachineOperand::Name(self.names.function(callee).to_owned());
        self.call_sequence("call.uni", target, arguments, results, None);
    }

    pub(super) fn call_indirect(&mut self, arguments: &[ValueId], results: &[ValueId]) {
        let target = MachineOperand::Register(self.register(arguments[0]));
        let label = format!("prototype_{}", self.prototypes);
        self.prototypes += 1;
        self.call_sequence("call", target, &arguments[1..], results, Some(label));
    }

    fn call_sequence(
        &mut self,
        name: &str,
        target: MachineOperand,
        arguments: &[ValueId],
        results: &[ValueId],
        prototype: Option<String>,
    ) {
        self.push(MachineBody::Open);
        let mut parameters = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let variable = value_variable(self.type_of(*argument), format!("param{index}"));
            parameters.push(MachineOperand::Name(variable.name.clone()));
            self.push(MachineBody::Declare(variable));
            self.store_parameter(*argument, format!("param{index}"), 0);
        }
        let types: Vec<ValueType> = results.iter().map(|result| self.type_of(*result)).collect();
        let mut operands = Vec::new();
        if let Some(variable) = return_variable(&types, "retval0") {
            self.push(MachineBody::Declare(variable));
            operands.push(MachineOperand::Arguments(vec![MachineOperand::Name("retval0".into())]));
        }
        operands.push(target);
        operands.push(MachineOperand::Arguments(parameters));
        if let Some(label) = prototype {
            let unnamed = |variable: Variable| variable.to_string();
            let returned =
                return_variable(&types, "_").map_or("()".into(), |v| format!("({})", unnamed(v)));
            let parameters: Vec<String> = arguments
                .iter()
                .map(|argument| unnamed(value_variable(self.type_of(*argument), "_")))
                .collect();
            let text = format!(".callprototype {returned} _ ({})", parameters.join(", "));
            self.push(MachineBody::Directive(Some(label.clone()), text));
            operands.push(MachineOperand::Name(label));
        }
        self.push(MachineBody::Operation { name: name.into(), operands, defines: false });
        let (offsets, ..) = return_layout(&types);
        for ((result, ty), offset) in results.iter().zip(types).zip(offsets) {
            let to = self.result(*result);
            self.load_parameter(ty, to, MachineBase::Name("retval0".into()), offset as i64);
        }
        self.push(MachineBody::Close);
    }
}

impl Selector<'_> {
    pub(super) fn template(
        &mut self,
        template: &PtxTemplate,
        inputs: &[ValueId],
        results: &[ValueId],
    ) -> Result<(), CompileError> {
        let outputs: Vec<VirtualRegister> =
            results.iter().map(|result| self.result(*result)).collect();
        let mut operands: Vec<TextPiece> =
            outputs.iter().map(|register| TextPiece::Register(*register)).collect();
        for (index, input) in inputs.iter().enumerate() {
            let tied = template.tied.iter().find(|(input, _)| *input as usize == index);
            if let Some((_, output)) = tied {
                let from = self.copied(*input);
                let output = *outputs
                    .get(*output as usize)
                    .ok_or_else(|| self.error("an operand is tied to an output that is missing"))?;
                self.push(MachineBody::Copies(vec![(output, from)]));
                operands.push(TextPiece::Register(output));
                continue;
            }
            let operand = match self.operand(*input) {
                MachineOperand::Immediate(literal) if template.literals => {
                    TextPiece::Text(literal.to_string())
                }
                _ => TextPiece::Register(self.register(*input)),
            };
            operands.push(operand);
        }
        let mut pieces = Vec::new();
        let mut rest = template.text.as_str();
        while let Some(at) = rest.find('%') {
            pieces.push(TextPiece::Text(rest[..at].to_owned()));
            rest = &rest[at + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                let operand = rest[..digits].parse().ok().and_then(|n: usize| operands.get(n));
                let operand = operand.ok_or_else(|| {
                    self.error(format!(
                        "PTX text names operand %{}, which it lacks",
                        &rest[..digits]
                    ))
                })?;
                pieces.push(operand.clone());
                rest = &rest[digits..];
            } else {
                pieces.push(TextPiece::Text("%".to_owned()));
                rest = rest.strip_prefix('%').unwrap_or(rest);
            }
        }
        pieces.push(TextPiece::Text(rest.to_owned()));
        // If an instruction reads and writes an operand, it reads the output register.
        self.push(MachineBody::Text { pieces, outputs });
        Ok(())
    }
}
