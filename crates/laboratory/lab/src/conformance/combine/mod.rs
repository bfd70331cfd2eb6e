//! Combinations: every kind of operand in every position of every instruction, and every pair of a writer and a reader of
//! shared state. Single forms miss errors of such interactions.
//!
//! The comparison omits combinations that the driver's compiler miscompiles, as observed with driver 580 on an H200: no
//! emulator of the instructions can reproduce their results.

mod operands;
mod pairs;

pub use operands::{OperandCandidate, Verdicts, candidates};

use super::exhaustive::is_approximate;
use super::form::InstructionForm;
use std::collections::HashSet;

/// Every combination that ptxas accepts and compiles correctly, and whose results do not depend on the addresses of
/// variables.
pub fn combinations() -> Vec<InstructionForm> {
    let verdicts = Verdicts::recorded();
    let alone: HashSet<String> = super::form::forms().into_iter().map(|form| form.text).collect();
    let mut forms: Vec<InstructionForm> = candidates()
        .into_iter()
        .filter(|candidate| candidate.comparable && verdicts.accepts(candidate))
        .map(|candidate| candidate.form)
        .filter(|form| !alone.contains(&form.text))
        .collect();
    forms.extend(pairs::carry_forms());
    forms.extend(pairs::predicate_forms());
    forms.extend(pairs::memory_forms());
    forms.retain(|form| instead(form).is_none());
    forms
}

/// The compiler's behavior; `None` if it compiles the instruction correctly.
pub fn instead(form: &InstructionForm) -> Option<&'static str> {
    let (name, text) = (form.name.as_str(), form.text.as_str());
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let guarded = text.contains("@%g") || text.contains("@!%g") || text.contains("@$d");
    let literal = ["0f3F", "0d3F", "1.5"].iter().any(|literal| text.contains(literal));
    if is_approximate(form) && literal {
        return Some("computes the function of a constant itself, rounded to nearest");
    }
    if starts(&["red.global.v", "atom.global.v"]) && literal {
        return Some("takes the low word of a literal of 64 bits");
    }
    if starts(&["testp.finite"]) && guarded {
        return Some("leaves the guard out");
    }
    if starts(&["abs.f32", "neg.f32"]) && guarded {
        return Some("changes the sign bit alone, so that a NaN keeps its payload");
    }
    if starts(&["set."]) && guarded && (text.contains(".f16.") || text.contains(".bf16.")) {
        return Some("converts what the destination held before");
    }
    if starts(&["cvt.sat"]) && text.contains(".reg .v2") {
        return Some("leaves the saturation out");
    }
    if text.contains(".reg .b128") && guarded {
        return Some("splits the register, whose value is undefined where the guard is false");
    }
    let crashes =
        ["atom.shared.add.u32", "atom.shared.add.f32", "atom.shared.add.f64", "ld.shared.b64"];
    if crashes.contains(&name) {
        return Some("stops with a segmentation fault in a module of such combinations");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{candidates, *};
    use crate::conformance::form::forms;

    #[test]
    fn no_combination_is_there_twice_or_a_form_of_the_catalogue() {
        let mut keys: Vec<String> =
            forms().into_iter().chain(combinations()).map(|form| form.text).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(count > 5_000, "only {count} forms");
    }

    #[test]
    fn few_combinations_are_left_out() {
        let all = candidates();
        let left_out = all.iter().filter(|one| instead(&one.form).is_some()).count();
        assert!(left_out > 0 && left_out * 50 < all.len(), "{left_out} of {}", all.len());
    }
}
