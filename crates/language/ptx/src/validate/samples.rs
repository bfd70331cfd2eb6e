//! Samples: examples of each form of an instruction, with operands that fit.
//!
//! A form with few combinations of modifiers is sampled in all of them. For other forms, each modifier has one sample, with
//! the first choices of the other slots. Every operand has its own register, named by its size: `%p` (a predicate), `%b`
//! (8 bits), `%h`, `%r`, `%l` and `%x` (128 bits), numbered from 0.

use crate::ast::{Address, AddressBase, Immediate, Instruction, Operand};
use crate::instructions::notation::{
    AllowedLiterals, FormMatch, InstructionForm, ModifierSlot, OperandKind, OperandSpec,
};
use crate::instructions::{Modifier, Opcode};
use crate::types::ScalarType;

/// The maximum number of combinations of modifiers that are all sampled.
const FEW: usize = 64;

impl Instruction {
    /// Examples of the forms of an opcode that current targets have, with operands. Forms whose operands the table does
    /// not give have none.
    ///
    /// ```
    /// use lanework_ptx::{Instruction, Opcode};
    ///
    /// let texts: Vec<String> = Instruction::samples(Opcode::Movmatrix).iter().map(ToString::to_string).collect();
    /// assert_eq!(texts, ["movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1"]);
    /// ```
    pub fn samples(opcode: Opcode) -> Vec<Instruction> {
        let mut samples = Vec::new();
        for form in opcode.forms().iter().filter(|form| !form.open) {
            for modifiers in sampled(form) {
                let removed = |modifiers: &[Modifier]| {
                    let mut removals = opcode.removals().iter();
                    removals.any(|removal| removal.applies(modifiers, (u8::MAX, 0), u32::MAX))
                };
                let Ok(found) = form.matches(&modifiers) else { continue };
                if removed(&modifiers) {
                    continue;
                }
                let optional = found.operands.iter().any(|spec| spec.optional);
                for with_optional in [false, true].into_iter().take(1 + usize::from(optional)) {
                    let Some(operands) = operands(&found, with_optional) else { continue };
                    let modifiers = modifiers.clone();
                    samples.push(Instruction { opcode, modifiers, operands, ..Default::default() });
                }
            }
        }
        samples
    }
}

/// The sampled modifiers of a form.
fn sampled(form: &InstructionForm) -> Vec<Vec<Modifier>> {
    let choices = |slot: &ModifierSlot| slot.alternatives.len() + usize::from(slot.optional);
    if form.slots.iter().map(choices).product::<usize>() <= FEW {
        return form.combinations();
    }
    let first: Vec<Option<Modifier>> = form.slots.iter().map(first_choice).collect();
    let mut all = vec![first.clone()];
    for (place, slot) in form.slots.iter().enumerate() {
        let others = slot.alternatives.iter().map(|other| Some(*other));
        for other in others.filter(|other| *other != first[place]) {
            let mut modifiers = first.clone();
            modifiers[place] = other;
            all.push(modifiers);
        }
    }
    all.into_iter().map(|modifiers| modifiers.into_iter().flatten().collect()).collect()
}

/// No modifier if the slot is optional, else the first type of 32 bits, else the first alternative.
fn first_choice(slot: &ModifierSlot) -> Option<Modifier> {
    let word = |m: &&Modifier| m.scalar_type().is_some_and(|ty| ty.size() == 4);
    let chosen = slot.alternatives.iter().find(word).or(slot.alternatives.first());
    chosen.copied().filter(|_| !slot.optional)
}

/// Operands that fit; `None` if the form does not say which do.
fn operands(found: &FormMatch, with_optional: bool) -> Option<Vec<Operand>> {
    let mut registers = RegisterNames::default();
    let mut spaces = found.spaces.iter();
    let kept = found.operands.iter().filter(|spec| with_optional || !spec.optional);
    kept.map(|spec| operand(found, spec, &mut registers, &mut spaces)).collect()
}

fn operand<'a>(
    found: &FormMatch,
    spec: &OperandSpec,
    registers: &mut RegisterNames,
    spaces: &mut impl Iterator<Item = &'a Modifier>,
) -> Option<Operand> {
    let ty = match found.type_of(spec) {
        ty if spec.wide && ty.size() == 1 => ScalarType::B32,
        ty => ty,
    };
    let length = match spec.elements {
        Some(0) => Some(found.elements.unwrap_or(1)).filter(|n| *n > 1 || found.movement),
        elements => elements,
    };
    if spec.kind == OperandKind::Coordinates {
        spaces.next();
        let base = registers.next(ScalarType::B64);
        let each = (0..found.elements.filter(|_| spec.elements == Some(0)).or(spec.elements)?)
            .map(|_| registers.next(ScalarType::B32).into());
        return Some(address(base, vec![Operand::Vector(each.collect())]));
    }
    if let Some(length) = length {
        let each = (0..length).map(|_| registers.next(ty).into());
        return Some(Operand::Vector(each.collect()));
    }
    let literal = |value: u8| Some(Operand::Immediate(Immediate::Integer(value.into())));
    match (spec.kind, spec.literals) {
        (OperandKind::Anything | OperandKind::Rest, _) => None,
        (OperandKind::Memory, _) => {
            let shared = |space: &Modifier| {
                matches!(space, Modifier::Shared | Modifier::SharedCta | Modifier::SharedCluster)
            };
            let narrow = spaces.next().is_some_and(shared);
            let ty = if narrow { ScalarType::B32 } else { ScalarType::B64 };
            Some(address(registers.next(ty), Vec::new()))
        }
        (OperandKind::TensorMemory, _) => {
            Some(address(registers.next(ScalarType::B32), Vec::new()))
        }
        (OperandKind::Literal, _) => literal(spec.sample),
        (_, AllowedLiterals::Barrier) => literal(1),
        (_, AllowedLiterals::Threads) => literal(64),
        (_, AllowedLiterals::Columns) => literal(32),
        (_, AllowedLiterals::Any) if spec.pair => Some(Operand::Pair(
            Box::new(registers.next(ty).into()),
            Box::new(registers.next(ScalarType::Pred).into()),
        )),
        (_, AllowedLiterals::Any) => Some(registers.next(ty).into()),
    }
}

fn address(base: String, extra: Vec<Operand>) -> Operand {
    Operand::Address(Address { base: AddressBase::Name(base), offset: 0, extra })
}

/// The number of registers used of each size.
#[derive(Default)]
struct RegisterNames {
    used: [u8; 6],
}

impl RegisterNames {
    fn next(&mut self, ty: ScalarType) -> String {
        let class = if ty == ScalarType::Pred { 0 } else { 1 + ty.size().ilog2() as usize };
        let number = self.used[class];
        self.used[class] += 1;
        format!("%{}{number}", ["p", "b", "h", "r", "l", "x"][class])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(opcode: Opcode) -> Vec<String> {
        Instruction::samples(opcode).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn operands_fit_their_form() {
        assert!(texts(Opcode::Bar).contains(&"bar.arrive 1, 64".to_owned()));
        let ld = texts(Opcode::Ld);
        assert!(ld.contains(&"ld.shared.b32 %r0, [%r1]".to_owned()), "{ld:?}");
        assert!(ld.contains(&"ld.v4.b32 {%r0, %r1, %r2, %r3}, [%l0]".to_owned()), "{ld:?}");
        assert!(ld.contains(&"ld.L2::cache_hint.b32 %r0, [%l0], %l1".to_owned()), "{ld:?}");
        let shfl = texts(Opcode::Shfl);
        assert!(shfl.iter().all(|text| text.starts_with("shfl.sync.")), "{shfl:?}");
        assert!(shfl.contains(&"shfl.sync.up.b32 %r0|%p0, %r1, %r2, %r3, %r4".to_owned()));
    }

    /// Every sample is accepted by the form that it shows, and so by validation.
    #[test]
    fn every_opcode_with_known_operands_has_samples() {
        let open = |opcode: &Opcode| texts(*opcode).is_empty();
        let without: Vec<Opcode> = Opcode::ALL.iter().copied().filter(open).collect();
        assert_eq!(without, [Opcode::Bra, Opcode::Brx, Opcode::Call]);
    }
}
