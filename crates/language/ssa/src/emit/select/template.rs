//! PTX templates.

use super::Selector;
use crate::CompileError;
use crate::emit::machine::*;
use crate::ir::*;

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
