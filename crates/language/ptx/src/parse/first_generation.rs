//! Translates modules for first-generation devices (`sm_10` to `sm_13`) to current PTX. There, f32 instructions flush subnormals,
//! and `mad.f32` needs no rounding modifier. For later devices ptxas compiles them as `.ftz` and as fused multiply-add (verified in
//! its machine code), so the parser adds these modifiers.

use crate::ast::{Instruction, Item, Module, Statement};
use crate::instructions::Modifier::{self, Ftz, Rm, Rn, Rp, Rz, Sat, Type};
use crate::instructions::Opcode;
use crate::types::ScalarType::{F32, S32, U32};

/// The first architecture of the second generation.
const SECOND: u32 = 20;

/// f32 instructions that flush subnormals on those devices and accept `.ftz`.
const FLUSHED: &[Opcode] = {
    use Opcode::*;
    &[
        Add, Sub, Mul, Mad, Fma, Div, Abs, Neg, Min, Max, Rcp, Sqrt, Rsqrt, Sin, Cos, Lg2, Ex2,
        Set, Setp,
    ]
};

/// Adds the implied modifiers.
pub(super) fn translate(module: &mut Module) {
    if module.target.architecture >= SECOND {
        return;
    }
    for item in &mut module.items {
        if let Item::Function(function) = item {
            statements(function.body.as_deref_mut().unwrap_or_default());
        }
    }
}

fn statements(list: &mut [Statement]) {
    for statement in list {
        match statement {
            Statement::Instruction(one) => instruction(one),
            Statement::Block(inner) => statements(inner),
            _ => {}
        }
    }
}

fn instruction(instruction: &mut Instruction) {
    let is_f32 = instruction.modifiers.last() == Some(&Type(F32));
    let rounds = [Rn, Rz, Rm, Rp].iter().any(|rounding| instruction.has(*rounding));
    let flushes = !instruction.has(Ftz);
    // Validation refuses words that are not known.
    if !is_f32 || !FLUSHED.contains(&instruction.opcode) || instruction.unknown_name.is_some() {
        return;
    }
    let modifiers = &mut instruction.modifiers;
    if instruction.opcode == Opcode::Mad && !rounds {
        modifiers.insert(0, Rn);
    }
    if flushes {
        let after = |modifier: &Modifier| matches!(modifier, Sat | Type(F32 | U32 | S32));
        let at = modifiers.iter().position(after).unwrap_or(modifiers.len());
        modifiers.insert(at, Ftz);
    }
}

#[cfg(test)]
mod tests {
    use crate::ast::Module;

    fn printed(target: &str) -> String {
        let text = format!(
            ".version 1.4\n.target {target}\n.entry k {{\n.reg .pred %p; .reg .u32 %r; .reg .f32 %f<4>;\n\
             mad.f32 %f0, %f1, %f2, %f3;\nmul.sat.f32 %f0, %f1, %f2;\nsetp.lt.f32 %p, %f0, %f1;\n\
             set.gt.u32.f32 %r, %f0, %f1;\ndiv.full.f32 %f0, %f1, %f2;\nmov.f32 %f0, %f1;\nexit;\n}}\n"
        );
        Module::parse(&text).expect("the text parses").to_string()
    }

    #[test]
    fn the_first_generation_flushes_and_fuses() {
        let read = printed("sm_10");
        let expected = [
            "mad.rn.ftz.f32",
            "mul.ftz.sat.f32",
            "setp.lt.ftz.f32",
            "set.gt.ftz.u32.f32",
            "div.full.ftz.f32",
            "mov.f32",
        ];
        assert!(expected.iter().all(|words| read.contains(words)), "{read}");
        let module = Module::parse(&read).expect("it parses again");
        module.validate().expect("these forms stand today");
        assert_eq!(module.to_string(), read);
    }

    #[test]
    fn later_targets_are_unchanged() {
        let read = printed("sm_20");
        assert!(!read.contains("ftz") && read.contains("mad.f32"), "{read}");
    }
}
