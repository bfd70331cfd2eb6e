//! Lowers `asm` statements.

use super::FunctionLowering;
use crate::source::{SourceProblem, Span};
use crate::syntax::AsmSyntax;
use crate::typed::*;
use lanework_ssa as ssa;
use ssa::{PtxEffects, PtxTemplate, ValueConversion, ValueId, ValueType};

/// The register type for a constraint letter.
fn register(constraint: &str) -> Option<ValueType> {
    Some(match constraint.trim_start_matches(['=', '+', '&']) {
        "r" => ValueType::I32,
        "l" => ValueType::I64,
        "h" => ValueType::I16,
        "f" => ValueType::F32,
        "d" => ValueType::F64,
        _ => return None,
    })
}

/// The effects of PTX text besides computing its outputs.
pub(super) fn effects_of(text: &str, is_volatile: bool, memory: bool) -> PtxEffects {
    let any = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let convergent =
        any(&["sync", "shfl", "vote", "mma", "ldmatrix", "bar.", "barrier", "match.", "redux"]);
    let accesses = any(&[
        "ld.",
        "ld.",
        "st.",
        "atom",
        "red.",
        "cp.",
        "bar",
        "fence",
        "membar",
        "mbarrier",
        "prefetch",
        "griddepcontrol",
        "ldmatrix",
        "stmatrix",
    ]);
    let touches = memory || accesses || is_volatile && text.contains('[');
    PtxEffects { reads: touches, writes: touches, volatile: is_volatile || accesses, convergent }
}

impl FunctionLowering<'_, '_> {
    pub(super) fn asm(&mut self, asm: &AsmSyntax, outputs: &[Typed], inputs: &[Typed], span: Span) {
        let mut types = Vec::new();
        let mut tied = Vec::new();
        let mut values: Vec<ValueId> = Vec::new();
        let mut literals: Vec<Option<String>> = vec![None; outputs.len()];
        for (operand, input) in asm.inputs.iter().zip(inputs) {
            if operand.constraint == "n" || operand.constraint == "i" {
                let value = self.scalar(input);
                match self.b.function().as_constant(value) {
                    Some(bits) => {
                        let ty = input.ty;
                        let bits = self.types().normalize(ty, bits);
                        let text = if self.types().is_signed(ty) {
                            (bits as i64).to_string()
                        } else {
                            bits.to_string()
                        };
                        literals.push(Some(text));
                    }
                    None => {
                        let problem = SourceProblem::error(
                            input.span,
                            "an operand with constraint `n` must be a constant",
                        );
                        self.analyzer().parser.problems.push(problem);
                        return;
                    }
                }
                continue;
            }
            let Some(kind) = register(&operand.constraint) else {
                return self.bad_constraint(&operand.constraint, input.span);
            };
            let value = self.scalar(input);
            let Some(value) = self.fit_register(value, input, kind) else { return };
            literals.push(None);
            values.push(value);
        }
        let mut places = Vec::new();
        for (at, (operand, output)) in asm.outputs.iter().zip(outputs).enumerate() {
            let Some(kind) = register(&operand.constraint) else {
                return self.bad_constraint(&operand.constraint, output.span);
            };
            types.push(kind);
            let place = self.place(output);
            places.push(place);
            if operand.constraint.starts_with('+') {
                let old = self.read_place(place, output.ty);
                let Some(old) = self.fit_register(old, output, kind) else { return };
                tied.push((values.len() as u32, at as u32));
                values.push(old);
            }
        }
        let text = match substitute(&asm.text, outputs.len(), &literals) {
            Ok(text) => text,
            Err(why) => {
                self.analyzer().parser.problems.push(SourceProblem::error(span, why));
                return;
            }
        };
        let effects = effects_of(&text, asm.is_volatile || outputs.is_empty(), asm.memory);
        let template = PtxTemplate { text, outputs: types, literals: false, tied, effects };
        self.at(span);
        let results = self.b.ptx(template, &values);
        for ((place, output), result) in places.into_iter().zip(outputs).zip(results) {
            let wanted = self.scalar_type(output.ty);
            let result = self.register_as(result, wanted);
            self.write_place(place, output.ty, result);
        }
    }

    fn bad_constraint(&mut self, constraint: &str, span: Span) {
        let problem = SourceProblem::error(
            span,
            format!("`{constraint}` is not a constraint of `asm` in device code"),
        );
        let problem = problem
            .help("the constraints are h (16 bits), r (32), l (64), f, d and n (a constant)");
        self.analyzer().parser.problems.push(problem);
    }

    /// Converts a value for a register of a constraint's type.
    fn fit_register(
        &mut self,
        value: ValueId,
        operand: &Typed,
        kind: ValueType,
    ) -> Option<ValueId> {
        let from = self.b.value_type(value);
        if from == kind {
            return Some(value);
        }
        if matches!(from, ValueType::Pointer(_)) && kind == ValueType::I64 {
            return Some(self.b.convert(ValueConversion::Reinterpret, value, kind));
        }
        if from.is_integer() && kind.is_integer() {
            let signed = self.types().is_signed(operand.ty);
            let conversion = if from.bits() > kind.bits() {
                ValueConversion::Truncate
            } else if signed {
                ValueConversion::SignExtend
            } else {
                ValueConversion::ZeroExtend
            };
            return Some(self.b.convert(conversion, value, kind));
        }
        let shown = self.types().display(operand.ty);
        let problem = SourceProblem::error(
            operand.span,
            format!("an operand of type `{shown}` does not fit its constraint"),
        );
        self.analyzer().parser.problems.push(problem);
        None
    }

    fn register_as(&mut self, value: ValueId, wanted: ValueType) -> ValueId {
        let from = self.b.value_type(value);
        if from == wanted {
            return value;
        }
        if matches!(wanted, ValueType::Pointer(_)) {
            return self.b.convert(ValueConversion::Reinterpret, value, wanted);
        }
        if from.is_integer() && wanted.is_integer() {
            let conversion = if from.bits() > wanted.bits() {
                ValueConversion::Truncate
            } else {
                ValueConversion::ZeroExtend
            };
            return self.b.convert(conversion, value, wanted);
        }
        self.b.convert(ValueConversion::Reinterpret, value, wanted)
    }
}

/// Inserts constants for their operands in the text, and renumbers the other operands without gaps.
fn substitute(text: &str, outputs: usize, literals: &[Option<String>]) -> Result<String, String> {
    let mut numbers = Vec::new();
    let mut next = outputs;
    for (at, literal) in literals.iter().enumerate() {
        if at < outputs {
            numbers.push(at);
        } else {
            numbers.push(next);
            next += usize::from(literal.is_none());
        }
    }
    let mut result = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            result.push(c);
            continue;
        }
        match rest.peek() {
            Some('%') => {
                rest.next();
                result.push_str("%%");
            }
            Some(digit) if digit.is_ascii_digit() => {
                let mut number = 0usize;
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                    number = number.saturating_mul(10).saturating_add(digit as usize);
                    rest.next();
                }
                match (literals.get(number), numbers.get(number)) {
                    (Some(Some(text)), _) => result.push_str(text),
                    (Some(None), Some(number)) => result.push_str(&format!("%{number}")),
                    _ => return Err(format!("`asm` has no operand %{number}")),
                }
            }
            _ => result.push('%'),
        }
    }
    Ok(result)
}
