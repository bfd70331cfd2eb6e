//! Combinations: every kind of operand in every position of every instruction, and every pair of a writer
//! and a reader of shared state. Forms alone miss what goes wrong only between them.

mod carry;
mod memory;
mod operands;
mod predicates;
mod verdicts;

pub use operands::{Candidate, candidates};
pub use verdicts::Verdicts;

use super::form::{COMBINATIONS, Form};
use super::operands::Kind;
use std::collections::HashSet;

/// Every combination that ptxas accepts and whose results do not depend on where a device puts variables.
pub fn combinations() -> Vec<Form> {
    let verdicts = Verdicts::recorded();
    let alone: HashSet<String> = super::form::forms().into_iter().map(|form| form.text).collect();
    let mut forms: Vec<Form> = candidates()
        .into_iter()
        .filter(|candidate| candidate.comparable && verdicts.accepts(candidate))
        .map(|candidate| candidate.form)
        .filter(|form| !alone.contains(&form.text))
        .collect();
    forms.extend(carry::forms());
    forms.extend(predicates::forms());
    forms.extend(memory::forms());
    forms
}

/// A form of its own text.
fn form(name: &str, text: String, results: &[Kind], operands: &[Kind]) -> Form {
    Form {
        chapter: COMBINATIONS,
        opcode: name.split('.').next().unwrap_or_default().to_owned(),
        name: name.to_owned(),
        text,
        results: results.to_vec(),
        operands: operands.to_vec(),
    }
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
