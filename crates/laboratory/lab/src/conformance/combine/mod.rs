//! Combinations: every kind of operand in every position of every instruction, and every pair of a writer and a
//! reader of shared state. Single forms miss errors of such interactions.

mod carry;
mod compiled;
mod memory;
mod operands;
mod predicates;
mod verdicts;

pub use operands::{OperandCandidate, candidates};
pub use verdicts::Verdicts;

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
    forms.extend(carry::forms());
    forms.extend(predicates::forms());
    forms.extend(memory::forms());
    forms.retain(|form| compiled::instead(form).is_none());
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
