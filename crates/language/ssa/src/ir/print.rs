//! Prints functions as text, for debugging a front end or a pass.

use super::function::{BlockCall, BlockTerminator, SsaFunction, ValueDefinition};
use super::types::ValueId;
use std::fmt::{self, Display, Formatter};

impl Display for SsaFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "function {} {:?} -> {:?} {{", self.name, self.linkage, self.returns)?;
        for (index, block) in self.blocks.iter().enumerate() {
            let parameters: Vec<String> = block
                .parameters
                .iter()
                .map(|value| format!("{value}: {}", self.value_type(*value)))
                .collect();
            writeln!(f, "block{index}({}):", parameters.join(", "))?;
            for id in &block.instructions {
                let data = self.instruction(*id);
                let results: Vec<String> = data
                    .results
                    .iter()
                    .map(|value| format!("{value}: {}", self.value_type(*value)))
                    .collect();
                let equals = if results.is_empty() { "" } else { " = " };
                let arguments = self.list(&data.arguments);
                writeln!(f, "    {}{equals}{:?} {arguments}", results.join(", "), data.kind)?;
            }
            self.write_terminator(f, &block.terminator)?;
        }
        f.write_str("}\n")
    }
}

impl SsaFunction {
    fn write_terminator(&self, f: &mut Formatter<'_>, terminator: &BlockTerminator) -> fmt::Result {
        let call =
            |target: &BlockCall| format!("{}({})", target.block, self.list(&target.arguments));
        match terminator {
            BlockTerminator::Jump(target) => writeln!(f, "    jump {}", call(target)),
            BlockTerminator::Branch(condition, yes, no) => {
                let condition = self.name(*condition);
                writeln!(f, "    branch {condition}, {}, {}", call(yes), call(no))
            }
            BlockTerminator::Switch(value, cases, default) => {
                write!(f, "    switch {}", self.name(*value))?;
                for (case, target) in cases {
                    write!(f, ", {case} => {}", call(target))?;
                }
                writeln!(f, ", {}", call(default))
            }
            BlockTerminator::Return(values) => writeln!(f, "    return {}", self.list(values)),
            other => writeln!(f, "    {other:?}"),
        }
    }

    fn list(&self, values: &[ValueId]) -> String {
        let names: Vec<String> = values.iter().map(|value| self.name(*value)).collect();
        names.join(", ")
    }

    fn name(&self, value: ValueId) -> String {
        let value = self.resolve(value);
        match self.definition(value) {
            ValueDefinition::Constant(bits) => format!("{bits:#x}"),
            ValueDefinition::Global(id) => id.to_string(),
            ValueDefinition::Function(id) => id.to_string(),
            ValueDefinition::Slot(id) => id.to_string(),
            ValueDefinition::Undefined => "undefined".to_owned(),
            _ => value.to_string(),
        }
    }
}
