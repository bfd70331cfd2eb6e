//! Who is called, and with what.

use super::unsupported::{LoweringResult, Unsupported};
use lanework_ptx as syntax;
use lanework_ptx::Instruction;

/// The operands of a `call`.
pub struct Call {
    /// The callee, or the register that holds its address.
    pub function: String,
    /// Where results go.
    pub results: Vec<syntax::Operand>,
    /// What is passed.
    pub arguments: Vec<syntax::Operand>,
}

impl Call {
    /// Reads `call (r), f, (a, b)` in all its shorter forms.
    ///
    /// # Errors
    /// When nothing is called.
    pub fn read(instruction: &Instruction) -> LoweringResult<Call> {
        let mut call = Call { function: String::new(), results: Vec::new(), arguments: Vec::new() };
        for operand in &instruction.operands {
            match operand {
                syntax::Operand::Arguments(list) if call.function.is_empty() => {
                    call.results.clone_from(list)
                }
                syntax::Operand::Arguments(list) => call.arguments.clone_from(list),
                syntax::Operand::Name(name) if call.function.is_empty() => {
                    call.function.clone_from(name)
                }
                _ => {}
            }
        }
        if call.function.is_empty() {
            return Err(Unsupported::new("a call of nothing", "name a function, or its address"));
        }
        Ok(call)
    }
}
